"""The figure of the alternatives: a line for each, with the claims that get another verdict."""

import numpy as np
from verdict_runs import BASELINE, CLAIMS, compared, runs

from horde.figures import sensitivity as figure
from horde.verdict import sensitivity


def test_the_figure_has_a_line_for_each_alternative_with_the_new_verdicts(tmp_path, saved):
    table = compared(runs(variant="worse", LINUCB_IND=0.9)).assign(claims_not_judged="")
    assert set(table["claims_changed"]) == {"", "R6: reproduced to not reproduced"}
    statements = {claim.name: claim.statement for claim in CLAIMS.values()}
    figure.draw(table, {"delicious": "D"}, statements, tmp_path / "a.png")
    drawn, stated = saved[0]
    assert stated["alternatives"] == [sensitivity.BASELINE, "worse"]
    assert stated["claims with another verdict"] == [f"R6 ({statements['R6']})"]
    assert "\N{MINUS SIGN}R6" in [text.get_text() for text in drawn.axes[-1].texts]


def test_the_picture_names_alternatives_in_words_and_claims_that_were_not_judged(tmp_path, saved):
    table = compared(*(BASELINE.assign(variant=name) for name in "ab"))
    unjudged = {"a": "R3; L1; L2; L3; L7", sensitivity.BASELINE: np.nan}
    table["claims_not_judged"] = table["alternative"].map(unjudged)
    figure.draw(table, {"a": "other tags"}, {}, tmp_path / "a.png")
    axes = saved[0][0].axes[-1]
    named = [label.get_text() for label in saved[0][0].axes[0].get_yticklabels()]
    assert named == [sensitivity.BASELINE, "other tags\n(a)", "b"]
    assert "none\nnot judged: R3, L1-L3, L7" in [text.get_text() for text in axes.texts]
    assert saved[0][1]["claims that could not be judged"] == ["R3, L1-L3, L7 (a)"]


def test_points_of_equal_ratio_lie_apart(tmp_path, saved):
    equal = runs(variant="equal", LINUCB_IND=0.7, LINUCB_SIN=0.7, EG_SIN=0.7)
    figure.draw(compared(equal), {}, {}, tmp_path / "a.png")
    inches = sorted(line.get_ydata()[1] for line in saved[0][0].axes[0].lines)
    assert len(inches) == 3
    assert (np.diff(inches) * 72 > 5.5).all()  # points, the size of a marker


def test_points_have_intervals_from_three_seeds_on(tmp_path, saved):
    table = compared(runs(variant="worse", LINUCB_IND=0.9))
    for seeds in (3, 2):
        figure.draw(table.assign(seeds=seeds), {}, {}, tmp_path / "a.png")
    (three, stated), (two, without) = saved
    assert "95 %" in stated["bars"]
    assert not without["bars"]
    assert len(three.axes[0].collections) == len(two.axes[0].collections) + 3  # policies
