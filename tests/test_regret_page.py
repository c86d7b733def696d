"""The interactive page of the regret curves, and captions."""

import json
import re

import pytest
from test_figures import regret_rows

from horde.experiments import choices
from horde.figures.captions import field_list, tuned_values
from horde.pages import regret


@pytest.fixture
def page(tmp_path):
    def page(table, **options):
        path = tmp_path / "regret.html"
        labels = {"lastfm": "Last.fm </script>", "delicious": "Delicious"}
        regret.write(path, table, labels, run="r", generated=False, **options)
        return path.read_text("utf-8")

    return page


def embedded(text):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1]
    )


def test_the_page_holds_all_curves_and_loads_nothing(page):
    table = regret_rows()
    text = page(table)
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    data = embedded(text)["datasets"]
    assert [*data] == ["lastfm"]
    tuned = data["lastfm"]["settings"]["tuned"]
    rows = table[table["setting"] == "tuned"]
    assert [curve["policy"] for curve in tuned["curves"]] == [*rows["policy"].unique()]
    for curve in tuned["curves"]:
        own = rows[rows["policy"] == curve["policy"]].sort_values("round")
        assert curve["mean"] == own["ratio_mean"].tolist()
        assert tuned["rounds"] == own["round"].tolist()


def test_intervals_are_shown_from_three_seeds_on(page):
    for seeds, shown in ((2, False), (3, True)):
        settings = embedded(page(regret_rows(seeds=seeds)))["datasets"]["lastfm"]["settings"]
        assert ("low" in settings["tuned"]["curves"][0]) is shown


def test_a_caption_is_a_field_list_without_markup_of_its_own():
    text = field_list(
        {"seeds": 3, "data": "a *b* [c_]", "rows": [{"n": 5, "s": 0.123456}], "none": []}
    )
    assert text == ":seeds: 3\n:data: a \\*b\\* [c\\_]\n:rows: n 5, s 0.1235\n"
    tuned = {"tuned": {"GOBLIN": {"lam": 0.3, "alpha": 0.01}, "G-EG": {"lam": 0.1}}}
    assert field_list(tuned) == ":tuned: GOBLIN lam 0.3, alpha 0.01; G-EG lam 0.1\n"


def test_a_caption_says_what_tuning_chose(tmp_path):
    for policy, lam in (("CLUB", 0.1), ("G-EG", 3.0)):
        scores = [({"lam": lam}, 0.5)]
        choices.write(tmp_path / "lastfm" / f"{policy}.json", choices.choose(scores))
    found = tuned_values(sorted((tmp_path / "lastfm").iterdir()))
    assert found == {"CLUB": {"lam": 0.1}, "G-EG": {"lam": 3.0}}
