"""Captions: field lists whose texts are shown as they are."""

import re

import pytest
from docutils.core import publish_parts

from horde.experiments import choice
from horde.figures.captions import EDGE, FLAT, ZERO, chosen, field_list, hyper_parameters


def html(caption):
    strict = {"halt_level": 2, "report_level": 2}
    text = f"Below a sentence.\n\n{field_list(caption)}"
    return publish_parts(text, writer="html5", settings_overrides=strict)["body"]


def test_a_caption_is_a_field_list_without_markup_of_its_own():
    text = field_list({"seeds": 3, "data": "a *b* [c_]", "none": []})
    assert text == ":seeds: 3\n:data: a \\*b\\* [c\\_]\n"
    tuned = {"tuned": {"GOBLIN": {"lam": 0.3, "alpha": 0.01}, "G-EG": {"lam": 0.1}}}
    assert field_list(tuned) == ":tuned: GOBLIN lam 0.3, alpha 0.01; G-EG lam 0.1\n"


@pytest.mark.parametrize(
    "label",
    ["$a$ %b \\c {d} {{ e }} f_ |g|", "我的音乐", "- x", "1. x", ".. x", "====", ":x: y", "(a) b"],
)
def test_a_label_in_a_caption_is_shown_as_it_is(label):
    cells = html({"data": label, "rows": [{"a": label}], "groups": {label: [{"a": 1}]}})
    assert re.findall(r"<p>([^<]*)</p>", cells).count(label) == 3


def test_records_in_a_caption_are_tables():
    records = [{"n": 5, "needs_gb": 0.123456}, {"n": -6.5, "needs_gb": 'a, "b" *c*'}]
    shown = html({"rows": records, "groups": {"n < 7": records, "rest": records[:1]}, "seeds": 3})
    cells = re.findall(r"<t[hd][^>]*><p>(.*?)</p></t", shown)
    table = ["n", "needs gb", "5", "0.1235", "-6.5", "a, &quot;b&quot; *c*"]
    assert cells == [*table, *table, *table[:4]]
    assert "<p>n &lt; 7</p>" in shown


def test_a_caption_has_the_hyper_parameters_and_which_of_them_are_ours(tmp_path):
    for policy, lam in (("CLUB", 0.1), ("G-EG", 3.0)):
        scores = [({"lam": tried}, [float(tried != lam)]) for tried in (0.01, 0.1, 3.0)]
        choice.write(tmp_path / f"{policy}.json", choice.choose(scores))
    paper = {"CLUB": {"lam": 0.01, "alpha2": 0.4}, "G-EG": {"lam": 0.01}}
    assert field_list(hyper_parameters(chosen(sorted(tmp_path.iterdir())), paper)) == (
        ":tuned values: CLUB lam 0.1; G-EG lam 3\n"
        ":at an edge of the grid: G-EG lam 3\n"
        ":paper values: CLUB lam 0.01, alpha2 0.4; G-EG lam 0.01\n"
        ":not given by the paper: alpha2\n"
    )
    assert field_list(hyper_parameters({}, {})) == ""


def test_zeros_edges_of_the_grid_and_flat_scores_are_marked(tmp_path):
    grid = [0.01, 0.1, 1.0]
    # Lambda 0.1 is best, but not told apart from the paper's; of the scales the smallest is.
    scores = [
        (
            {"lam": lam, "scale": scale, "alpha": alpha, "alpha2": 0},
            [0.9 + scale + alpha + k * (lam != 0.1), 0.9],
        )
        for lam, k in zip(grid, (0.001, 0, 0.1), strict=True)
        for scale in (0.001, 0.01)
        for alpha in (0.0, 1.0)
    ]
    choice.write(tmp_path / "P.json", choice.choose(scores, paper_lam=0.01))
    assert chosen([tmp_path / "P.json"]) == {
        "P": {"lam": (0.01, FLAT), "scale": (0.001, EDGE), "alpha": (0.0, ZERO), "alpha2": (0, "")}
    }
