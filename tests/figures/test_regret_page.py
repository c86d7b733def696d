"""The interactive page of the regret curves, and captions."""

import json
import re
from pathlib import Path

import pytest
from docutils.core import publish_parts
from test_figures import regret_rows

from horde.experiments import choices, plan
from horde.experiments import config as configuration
from horde.figures import regret_page as regret
from horde.figures.captions import field_list, paper_values, tuned_values


@pytest.fixture
def page(tmp_path):
    def page(*tables):
        path = tmp_path / "regret.html"
        panels = [
            regret.Panel(f"Panel {place} </script>", "Data <i>", table)
            for place, table in enumerate(tables)
        ]
        regret.write(path, panels, run="r", generated=False)
        return path.read_text("utf-8")

    return page


def embedded(text):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1]
    )


def test_the_page_holds_all_curves_and_loads_nothing(page):
    tables = regret_rows(), regret_rows("delicious", ("tuned",))
    text = page(*tables)
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    panels = embedded(text)["panels"]
    assert [panel["label"] for panel in panels] == ["Panel 0 </script>", "Panel 1 </script>"]
    for panel, table in zip(panels, tables, strict=True):
        assert [*panel["params"]] == [*table["variant"].unique()]
        tuned = panel["params"]["tuned"]
        rows = table[table["variant"] == "tuned"]
        assert [curve["policy"] for curve in tuned["curves"]] == [*rows["policy"].unique()]
        for curve in tuned["curves"]:
            own = rows[rows["policy"] == curve["policy"]].sort_values("round")
            assert curve["mean"] == own["ratio_mean"].tolist()
            assert tuned["rounds"] == own["round"].tolist()


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        (1, "One run, seed 0"),
        (2, "Mean over the seeds 0, 1"),
        (3, "Mean and 95 % interval over the seeds 0, 1, 2"),
    ],
)
def test_a_panel_says_its_data_and_seeds_and_has_intervals_from_three_on(page, seeds, told):
    (panel,) = embedded(page(regret_rows(seeds=seeds)))["panels"]
    assert panel["about"] == f"Data <i>. {told}."
    assert ("low" in panel["params"]["tuned"]["curves"][0]) is (seeds >= 3)


def test_the_page_names_the_solver_that_stands_in_for_goblin_s(page):
    (panel,) = embedded(page(regret_rows()))["panels"]
    names = {curve["policy"]: curve["label"] for curve in panel["params"]["paper"]["curves"]}
    assert names["GOBLIN"] == "GOBLIN (local solver)"
    assert names["CLUB"] == "CLUB"


def test_the_paper_s_figures_come_before_those_of_other_data():
    config = configuration.load(Path(__file__).parents[1] / "config.yaml")
    assert [*plan.regret_figures(config).items()] == [
        ("fig2a_lastfm_regret", "lastfm"),
        ("fig2b_delicious_regret", "delicious"),
        ("delicious_consistent_regret", "delicious_consistent"),
    ]


def test_a_caption_is_a_field_list_without_markup_of_its_own():
    text = field_list({"seeds": 3, "data": "a *b* [c_]", "none": []})
    assert text == ":seeds: 3\n:data: a \\*b\\* [c\\_]\n"
    tuned = {"tuned": {"GOBLIN": {"lam": 0.3, "alpha": 0.01}, "G-EG": {"lam": 0.1}}}
    assert field_list(tuned) == ":tuned: GOBLIN lam 0.3, alpha 0.01; G-EG lam 0.1\n"


def test_records_in_a_caption_are_tables():
    records = [{"n": 5, "needs_gb": 0.123456}, {"n": 6, "needs_gb": 'a, "b" *c*'}]
    caption = {"rows": records, "groups": {"n < 7": records, "rest": records[:1]}, "seeds": 3}
    strict = {"halt_level": 2, "report_level": 2}
    text = f"Below a sentence.\n\n{field_list(caption)}"
    html = publish_parts(text, writer="html5", params_overrides=strict)["body"]
    cells = re.findall(r"<t[hd][^>]*><p>(.*?)</p></t", html)
    table = ["n", "needs gb", "5", "0.1235", "6", "a, &quot;b&quot; *c*"]
    assert cells == [*table, *table, *table[:4]]
    assert "<p>n &lt; 7</p>" in html


def test_a_caption_says_what_tuning_chose(tmp_path):
    for policy, lam in (("CLUB", 0.1), ("G-EG", 3.0)):
        scores = [({"lam": lam}, 0.5)]
        choices.write(tmp_path / "lastfm" / f"{policy}.json", choices.choose(scores))
    found = tuned_values(sorted((tmp_path / "lastfm").iterdir()))
    assert found == {"CLUB": {"lam": 0.1}, "G-EG": {"lam": 3.0}}


def test_a_caption_says_which_of_the_paper_s_values_are_ours():
    values = {"CLUB": {"lam": 0.01, "alpha2": 0.4}, "G-EG": {"lam": 0.01}}
    assert field_list(paper_values(values)) == (
        ":paper values: CLUB lam 0.01, alpha2 0.4; G-EG lam 0.01\n:ours among them: alpha2\n"
    )
    assert field_list(paper_values({})) == ""
