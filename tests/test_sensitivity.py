"""What alternatives do to ratios and verdicts, on made-up runs whose effect is known."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_batch import EXPERIMENT, dataset  # noqa: F401

from horde.errors import ConfigError
from horde.experiments import alternative, config, plan
from horde.figures import sensitivity as figure
from horde.verdict import claims, sensitivity

ROOT = Path(__file__).parents[1]
CLAIMS = claims.load(ROOT / "workflow" / "claims.yaml").values()
PAPER = ROOT / "config.yaml"
SEEDS = [100, 101, 102]


def runs(name="delicious", seeds=(*SEEDS, 103), **ratios):
    """A row a policy and seed; ratios differ a little from seed to seed."""
    rows = [
        [name, policy.replace("_", "-"), "tuned", seed, 1000, 1000 * (ratio + 1e-4 * k), 1000.0]
        for policy, ratio in ratios.items()
        for k, seed in enumerate(seeds)
    ]
    columns = ["dataset", "policy", "variant", "seed", "round", "regret", "random_regret"]
    return pd.DataFrame(rows, columns=columns)


BASELINE = runs(LINUCB_IND=0.6, LINUCB_SIN=0.8, EG_SIN=0.7)


def compared(*alternatives):
    return sensitivity.table(CLAIMS, BASELINE, alternatives, SEEDS)


def test_a_claim_that_gets_another_verdict_is_named():
    worse = sensitivity.Alternative("worse", runs(LINUCB_IND=0.9), False)
    same = sensitivity.Alternative("same", runs(LINUCB_IND=0.5), False)
    changed = compared(worse, same).groupby("alternative")["claims_changed"].first()
    assert changed["worse"] == "R6: reproduced to not reproduced"
    assert changed["same"] == ""


def test_differences_are_paired_over_the_seeds_asked_for():
    table = compared(sensitivity.Alternative("a", runs(LINUCB_IND=0.65), False))
    row = table.iloc[-1]
    assert (row["alternative"], row["policy"], row["seeds"]) == ("a", "LINUCB-IND", 3)
    assert row["difference"] == pytest.approx(0.05)
    base = table[table["alternative"] == sensitivity.BASELINE]
    assert sorted(base["policy"]) == ["EG-SIN", "LINUCB-IND", "LINUCB-SIN"]
    assert (base["seeds"] == 3).all()
    assert (base["difference"] == 0).all()


def test_other_data_are_compared_with_nothing_that_was_run_on_the_old_ones():
    """LINUCB-SIN was not run on the other data, so R6 cannot be judged there."""
    table = compared(sensitivity.Alternative("data", runs(LINUCB_IND=0.9), True))
    assert table["claims_changed"].eq("").all()
    unjudged = table.groupby("alternative")["claims_not_judged"].first().str.split("; ")
    assert {*unjudged["data"]} - {*unjudged[sensitivity.BASELINE]} == {"R6"}


# The jobs


def test_every_alternative_is_asked_for_where_it_can_be_run():
    asked = plan.alternative_runs(config.load(PAPER))
    assert asked["counts"] == ["lastfm"]
    assert asked["unit-norm"] == ["lastfm", "delicious"]
    assert {"exploration-only", "five-cg", "theory"}.isdisjoint(asked)


def test_what_an_alternative_changes_comes_before_what_was_tuned(dataset, tmp_path):  # noqa: F811
    validation = {
        "policy": "EG-IND",
        "params": {"sigma": 1.0},
        "seed": 0,
        "rounds": 20,
        "offered": 5,
    }
    task = alternative.Task(
        vars(EXPERIMENT) | {"params": {"sigma": 1.0}},
        validation,
        {"lam": [3.0]},
        {"exploration": "front"},
        {"tune": "t", "run": "r"},
    )
    lam = alternative.Task(**(vars(task) | {"changes": {"lam": 7.0}}))
    for tasks, params in (
        ([task], {"exploration": "front", "lam": 3.0, "sigma": 1.0}),
        ([lam], {"lam": 7.0, "sigma": 1.0}),
    ):
        folders = {
            "points": f"{tmp_path}/points",
            "runs": f"{tmp_path}/lastfm/POLICY/x",
            "timing": f"{tmp_path}/timing/POLICY",
        }
        (curve,) = alternative.run(tasks, [100], dataset, folders, lambda line: None)
        assert curve == tmp_path / "lastfm/EG-IND/x/100.npz"
        record = json.loads(curve.with_suffix(".json").read_text("utf-8"))
        assert record["experiment"]["params"] == params


@pytest.mark.parametrize(
    ("over", "told"),
    [
        ({"alternatives": {"x": {"policies": {"G-EH": {"lam": 1}}}}}, "G-EG"),
        ({"alternatives": {"x": {"datasets": ["lastfm"]}}}, "alternatives.x"),
        ({"sensitivity": {"alternatives": ["frond"]}}, "front"),
        ({"sensitivity": {"seeds": 11}}, "sensitivity.seeds"),
        ({"alternatives": {"consistent-users": {"tables": "lastfn"}}}, "lastfm"),
    ],
)
def test_mistakes_are_named(over, told):
    with pytest.raises(ConfigError, match=told):
        config.load(PAPER, over)


def test_an_alternative_can_change_only_what_a_policy_has():
    over = {"alternatives": {"x": {"policies": {"G-EG": {"scale": 1}}}}}
    with pytest.raises(ConfigError, match="G-EG has no such setting"):
        config.check_against_code(config.load(PAPER, over))


# The figure


def test_the_figure_has_a_line_for_each_alternative(tmp_path):
    table = compared(sensitivity.Alternative("worse", runs(LINUCB_IND=0.9), False))
    statements = {claim.name: claim.statement for claim in CLAIMS}
    paths = tmp_path / "a.pdf", tmp_path / "a.png"
    figure.draw(table, {"delicious": "D"}, statements, *paths)
    told = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert told["alternatives"] == [sensitivity.BASELINE, "worse"]
    assert told["claims with another verdict"] == [f"R6 ({statements['R6']})"]
    assert (tmp_path / "a.pdf").stat().st_size > 5000
    assert np.isfinite(table["ratio_mean"]).all()


def test_the_picture_says_which_verdict_a_claim_gets(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(figure, "save", lambda made, *_: drawn.append(made))
    table = compared(sensitivity.Alternative("worse", runs(LINUCB_IND=0.9), False))
    assert set(table["claims_changed"]) == {"", "R6: reproduced to not reproduced"}
    table["claims_not_judged"] = ""
    figure.draw(table, {}, {}, tmp_path / "a.pdf", tmp_path / "a.png")
    assert "\N{MINUS SIGN}R6" in [text.get_text() for text in drawn[0].axes[-1].texts]


def test_the_picture_names_alternatives_in_words_and_claims_that_were_not_judged(
    tmp_path, monkeypatch
):
    drawn, told = [], []
    monkeypatch.setattr(
        figure, "save", lambda made, pdf, png, caption: (drawn.append(made), told.append(caption))
    )
    table = compared(*(sensitivity.Alternative(name, BASELINE, False) for name in "ab"))
    unjudged = {"a": "R3; L1; L2; L3; L7", sensitivity.BASELINE: np.nan}
    table["claims_not_judged"] = table["alternative"].map(unjudged)
    figure.draw(table, {"a": "other tags"}, {}, tmp_path / "a.pdf", tmp_path / "a.png")
    axes = drawn[0].axes[-1]
    named = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    assert named == [sensitivity.BASELINE, "other tags\n(a)", "b"]
    assert "none\nnot judged: R3, L1-L3, L7" in [text.get_text() for text in axes.texts]
    assert told[0]["claims that could not be judged"] == ["R3, L1-L3, L7 (a)"]


def test_points_of_equal_ratio_lie_apart(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(figure, "save", lambda made, *_: drawn.append(made))
    equal = runs(LINUCB_IND=0.7, LINUCB_SIN=0.7, EG_SIN=0.7)
    table = compared(sensitivity.Alternative("equal", equal, False))
    figure.draw(table, {}, {}, tmp_path / "a.pdf", tmp_path / "a.png")
    inches = sorted(line.get_ydata()[1] for line in drawn[0].axes[0].lines)
    assert len(inches) == 3
    assert (np.diff(inches) * 72 > 5.5).all()  # points, the size of a marker
