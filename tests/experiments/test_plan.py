"""Where alternatives run, and which configurations belong to one run."""

from pathlib import Path

import pytest

from horde.experiments import config, plan

ROOT = Path(__file__).parents[2]
DEMO = (ROOT / "config.yaml", ROOT / "workflow/config/demo.yaml")


def test_every_alternative_is_asked_for_where_it_can_be_run():
    asked = plan.alternative_runs(config.load(*DEMO[:1]))
    assert asked["consistent-users"] == ["delicious"]
    assert asked["max-norm"] == ["lastfm", "delicious"]
    assert {"exploration-only", "five-cg", "theory"}.isdisjoint(asked)


def differences(overlay, *, scale=DEMO):
    """Return the keys of scale that an overlay changes."""
    before, now = config.load(*scale), config.load(*scale, overlay)
    return [line.split(":")[0] for line in plan.scale_differences(before, now)]


@pytest.mark.parametrize(
    ("overlay", "keys"),
    [
        ({"rounds": 2000, "offered": 5}, ["rounds", "offered"]),
        ({"features": {"dimension": 7}}, ["features.dimension"]),
        ({"generate": {"seed": 1, "lastfm": {"users": 50}}}, ["generate.lastfm", "generate.seed"]),
        ({"datasets": {"lastfm": {"archive": "delicious"}}}, ["datasets.lastfm.archive"]),
    ],
)
def test_rounds_offers_features_and_data_are_of_the_scale(overlay, keys):
    assert differences(overlay) == keys


@pytest.mark.parametrize(
    "overlay",
    [
        {"seeds": {"figure": 5}},
        {"figures": {"regret": {"policies": ["Random", "TS-IND"]}}},
        {"sensitivity": {"alternatives": ["max-norm"]}},
        {"datasets": {"mine": {"kind": "tables", "folder": ".", "label": "mine"}}},
        {"datasets": {"delicious": None}},
        {"datasets": {"lastfm": {"label": "Music"}}},
        {"datasets": {"lastfm": {"paper_solver": "local"}}},
    ],
)
def test_what_is_added_or_left_out_is_not(overlay):
    assert differences(overlay) == []


@pytest.mark.parametrize(
    ("policy", "variant", "solver"),
    [("G-EG", "paper", "pcg"), ("G-EG", "tuned", "local"), ("GOBLIN", "paper", "local")],
)
def test_a_dataset_may_set_the_solver_of_the_papers_values(policy, variant, solver):
    configured = config.load(*DEMO, {"datasets": {"lastfm": {"paper_solver": "pcg"}}})
    there = [
        plan.experiment(configured, policy, variant, {}, dataset)["params"]["solver"]
        for dataset in ("lastfm", "lastfm@pca", "delicious")
    ]
    assert there == [solver, solver, "cg" if solver == "pcg" else solver]
    assert plan.data_source(configured, "lastfm") == plan.data_source(config.load(*DEMO), "lastfm")


def test_sizes_of_what_no_dataset_is_made_from_are_not():
    assert differences({"generate": {"seed": 1}}, scale=DEMO[:1]) == []
