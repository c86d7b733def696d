"""The configuration: complete, merged, canonical, and refused with what to do."""

import json
from contextlib import suppress
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from horde.errors import ConfigError
from horde.experiments import config

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "config.yaml"
TREE = yaml.safe_load(PAPER.read_text("utf-8"))
QUICK = ROOT / "workflow" / "config" / "quick.yaml"
# Overlays on generated data; `quick` runs on the real data.
OVERLAYS = sorted({*(ROOT / "workflow" / "config").glob("*.yaml")} - {QUICK})


def leaves(value, path=()):
    """Yield (path, value) of everything that is not a mapping."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, (*path, key))
    else:
        yield path, value


def test_every_object_of_the_schema_is_closed_and_without_defaults():
    def objects(schema):
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for below in schema.values():
                yield from objects(below)

    found = list(objects(config.SCHEMA))
    assert len(found) > 10
    for schema in found:
        assert schema["additionalProperties"] is False or "propertyNames" in schema
    assert '"default"' not in json.dumps(config.SCHEMA)


@pytest.mark.parametrize("overlay", [*OVERLAYS, QUICK], ids=lambda path: path.stem)
def test_an_overlay_has_a_name_one_kind_of_data_and_fewer_rounds(overlay):
    merged = config.load(PAPER, overlay)
    assert merged["run"] == overlay.stem
    kind = "hetrec" if overlay == QUICK else "generated"
    assert {entry["kind"] for entry in merged["datasets"].values()} == {kind}
    assert merged["rounds"] < TREE["rounds"]


# Whole numbers that make no run long: seeds, choices, and problems that are small as they are.
NO_SIZES = {"seed", "fresh", "smoothing", "fewest", "drop_users_from", "every", "iterations"}
NO_SIZES |= {"capacity", "offered", "groups", "block", "exploration", "used"}
SMALL = {("theory", "users"), ("theory", "features"), ("theory", "items")}
# Lists that make a run long.
LISTS = ("tuning", "scalability", "figures", "sensitivity")


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda path: path.stem)
def test_overlays_leave_no_value_of_the_paper_scale(overlay):
    """What makes a run long is the overlay's own, and smaller; a new setting must be thought of."""
    paper = dict(leaves(config.load(PAPER)))
    own = dict(leaves(yaml.safe_load(overlay.read_text("utf-8"))))
    merged = dict(leaves(config.load(PAPER, overlay)))
    sizes = [
        path
        for path, value in paper.items()
        if type(value) is int and not NO_SIZES & set(path) and path not in SMALL
    ]
    assert len(sizes) > 15
    assert [path for path in sizes if merged[path] >= paper[path]] == []
    lists = [path for path, value in paper.items() if type(value) is list and path[0] in LISTS]
    left = {path for path in lists if path not in own}
    assert left <= {
        ("scalability", "initiator"),
        ("figures", "regret", "variants"),
        ("sensitivity", "datasets"),
    }


def test_mappings_merge_and_lists_replace():
    over = {"tuning": {"grids": {"lam": [7]}}}
    grids = config.load(PAPER, over)["tuning"]["grids"]
    assert grids["lam"] == [7.0]
    assert grids["alpha"] == config.load(PAPER)["tuning"]["grids"]["alpha"]


@pytest.mark.parametrize("null", [None, "null"])  # as YAML says it, and Snakemake's command line
def test_null_takes_a_dataset_out(null):
    """With the name of its figure, which would be no dataset's."""
    rest = config.load(PAPER, {"datasets": {"delicious": null}})
    assert "delicious" not in rest["datasets"]
    assert list(rest["figures"]["regret"]["names"]) == ["lastfm"]
    assert rest["multiverse"]["datasets"] == ["lastfm"]


def test_a_home_is_meant_in_the_folder_for_results(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")
    assert config.load(PAPER, {"output": "~/runs"})["output"] == "/somewhere/runs"


@pytest.mark.parametrize(
    ("given", "meant"),
    [("1e-3", 0.001), ("5", 5.0), (1, 1.0), (1.0, 1.0), ("0.01", 0.01)],
)
def test_equal_meanings_become_equal_values(given, meant):
    grids = config.load(PAPER, {"paper_values": {"lam": given}})["paper_values"]
    assert repr(grids["lam"]) == repr(meant)


@pytest.mark.parametrize("given", ["100", 100, 100.0, "1e2"])
def test_whole_numbers_become_int(given):
    assert repr(config.load(PAPER, {"rounds": given, "checkpoints": 10})["rounds"]) == "100"


def test_the_order_of_keys_is_forgotten():
    backwards = dict(reversed(TREE.items()))
    assert json.dumps(config.checked(backwards)) == json.dumps(config.checked(TREE))


@settings(max_examples=50)
@given(st.data())
def test_a_misspelt_key_at_any_depth_is_named_with_the_right_one(data):
    tree = deepcopy(TREE)
    free = {"datasets", "policies", "names", "tuned", "paper", "alternatives"}
    paths = [
        path for path, _ in leaves(tree) if len(path[-1]) > 3 and not free & set(path[:-1][-1:])
    ]
    path = data.draw(st.sampled_from(paths))
    depth = data.draw(st.integers(0, len(path) - 1).filter(lambda k: len(path[k]) > 3))
    if depth and path[depth - 1] in free:
        return
    parent = reduce(getitem, path[:depth], tree)
    right = path[depth]
    position = data.draw(st.integers(1, len(right) - 1))
    wrong = right[:position] + "q" + right[position:]
    parent[wrong] = parent.pop(right)
    with pytest.raises(ConfigError) as caught:
        config.checked(tree)
    assert ".".join((*path[:depth], wrong)) in str(caught.value)
    assert f"{right!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("overlay", "facts"),
    [
        ({"rounds": 0}, ["rounds", "0", "at least 1"]),
        ({"rounds": "1e-3x"}, ["rounds", "1e-3x", "integer"]),
        ({"rounds": 2.5}, ["rounds", "2.5", "integer"]),
        ({"rounds": True}, ["rounds", "true", "integer"]),
        ({"rounds": 100}, ["checkpoints", "200", "100"]),
        ({"seeds": {"figure": 0}}, ["seeds.figure", "0", "at least 1"]),
        ({"paper_values": {"lam": -1}}, ["paper_values.lam", "-1", "at least"]),
        ({"paper_values": {"lam": float("nan")}}, ["paper_values.lam", "nan", "finite"]),
        ({"paper_values": {"solver": "gc"}}, ["paper_values.solver", "gc", "'cg'"]),
        ({"features": {"tags": "sets"}}, ["features.tags", "sets", "'set'"]),
        ({"tuning": {"grids": {"lam": []}}}, ["tuning.grids.lam", "empty"]),
        ({"multiverse": {"grids": {"lam": [1]}}}, ["multiverse.grids.lam", "0.01 is missing"]),
        ({"tuning": {"grids": {"lam": [1, 1.0]}}}, ["tuning.grids.lam", "twice"]),
        ({"datasets": {"lastfm": {"kind": "hetrex"}}}, ["datasets.lastfm.kind", "'hetrec'"]),
        ({"datasets": {"mine": {"kind": "tables", "label": "x"}}}, ["datasets.mine", "folder"]),
        ({"datasets": {"$(touch x); ../y": {}}}, ["datasets", "$(touch x); ../y"]),
        ({"run": "../paper"}, ["run", "../paper"]),
        ({"run": "paper\n"}, ["run", "print"]),
        ({"policies": {"G-EGG": {"tuned": {}, "paper": {}}}}, ["G-EGG", "'G-EG'"]),
        ({"figures": {"regret": {"policies": ["GTS"]}}}, ["GTS", "'G-TS'"]),
        ({"figures": {"regret": {"names": {"lastfm": "a", "delicious": "a"}}}}, ["share", "a"]),
        (
            {"figures": {"regret": {"names": {"lastfm": "fig1a_n"}}}},
            ["names", "lastfm", "share", "fig1a_n"],
        ),
        (
            {"figures": {"regret": {"names": {"lastfm": "delicious_consistent_regret"}}}},
            ["names", "delicious_consistent and lastfm", "share"],
        ),
        ({"figures": {"regret": {"names": {"lastfn": "a"}}}}, ["names", "'lastfn'", "'lastfm'"]),
        ({"datasets": {"lastfm": {"folder": "x"}}}, ["datasets.lastfm.folder", "tables"]),
        ({"features": {"dimension": 9999}}, ["features.dimension", "9999", "at most 1000"]),
        (
            {"policies": {"G-EG": {"tuned": {"sampler": "marginal"}}}},
            ["policies.G-EG.tuned.sampler", "no such hyper-parameter", "solver"],
        ),
        (
            {"policies": {"CLUB": {"paper": {"alpha2": 1, "scale": 1}}}},
            ["policies.CLUB.paper.scale", "It has: "],
        ),
        (
            {"policies": {"CLUB": {"tuned": {"alpha2": 1}}}},
            ["policies.CLUB.tuned.alpha2", "tuning.grids.alpha2"],
        ),
        *(
            ({"scalability": {"initiator": shape}}, ["scalability.initiator", "symmetric 2 x 2"])
            for shape in ([], [[1, 2]], [[1, 2], [3, 4]], [[1], [2, 3]], [[1, 0], [0, 1]])
        ),
        (
            {"scalability": {"initiator": [[9, 1], [1, 1]]}},
            ["scalability.sweeps.1a", "too uneven", "lower density"],
        ),
        ({"seeds": {"figure": 11}}, ["seeds.figure: 11", "seeds.exploration: 10"]),
        ({"tuning": {"seed": 8}}, ["tuning.seed + tuning.streams: 13", "lower"]),
        ({"seeds": {"fresh": {"verdict": 5}}}, ["seeds.fresh.verdict: seed 5", "exploration"]),
        ({"seeds": {"fresh": {"verdict": 95}}}, ["seeds.fresh.verdict: seed 100", "used"]),
        ({"seeds": {"fresh": {"learning": 209}}}, ["seed 209", "seeds.learning"]),
        ({"theory": {"isolated": [0, 0.001]}}, ["theory.isolated: 0.001", "per cent"]),
        ({"offered": 1}, ["offered", "1", "at least 2"]),
        (
            {"datasets": {"lastfm": {"kind": "tables", "folder": "a{b}"}}},
            ["datasets.lastfm.folder", "a{b}"],
        ),
        ({"hetrec_dir": 3}, ["hetrec_dir", "3", "path"]),
        ({"datasets": {5: {}}}, ["datasets", "5", "quotes"]),
        ({"multiverse": {"datasets": ["delicous"]}}, ["multiverse.datasets", "'delicious'"]),
        ({"multiverse": {"policies": ["M-GE"]}}, ["multiverse.policies: 'M-GE'", "Did you mean"]),
        ({"sensitivity": {"alternatives": ["sqrd"]}}, ["sensitivity.alternatives", "sqrt"]),
        ({"sensitivity": {"seeds": 11}}, ["sensitivity.seeds: 11", "exploration"]),
        ({"alternatives": {"x": {"datasets": ["lastfm"]}}}, ["alternatives.x", "must change"]),
        ({"alternatives": {"consistent-users": {"tables": "lastfn"}}}, ["'lastfn'", "'lastfm'"]),
        ({"alternatives": {"x": {"policies": {"G-EH": {"lam": 1}}}}}, ["'G-EH'", "'G-EG'"]),
        ({"alternatives": {"x": {"policies": {"G-EG": {"scale": 1}}}}}, ["G-EG has no such"]),
        (
            {"policies": {"GOBLIN": {"tuned": {"solver": "dense", "widths": "exact"}}}},
            ["policies.GOBLIN.tuned.widths", "solver: dense", "leave it out"],
        ),
        (
            {"policies": {"G-EG": {"tuned": {"tolerance": 1}}}},
            ["policies.G-EG.tuned.tolerance", "1", "below 1"],
        ),
        ({"rounds": 0, "offered": 0}, ["rounds: 0", "offered: 0"]),  # all mistakes at once
    ],
    ids=str,
)
def test_mistakes_are_named_with_place_value_and_remedy(overlay, facts):
    with pytest.raises(ConfigError) as caught:
        config.load(TREE, overlay)
    message = str(caught.value)
    assert [fact for fact in facts if fact not in message] == [], message


@pytest.mark.parametrize("keys", [["run"], ["features"], ["seeds"], ["run", "rounds"]])
def test_missing_keys_are_named_in_one_line(keys):
    with pytest.raises(ConfigError) as caught:
        config.checked({name: value for name, value in TREE.items() if name not in keys})
    assert f"missing {', '.join(keys)};" in str(caught.value)
    assert str(caught.value).count("missing") == 1


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("a: [", "not a YAML file"),
        ("- 1", "keys and values"),
        ("a: &x 1\nb: *x", "alias"),
        ("rounds: 1\nrounds: 2", "twice"),
        ("a: 2020-13-45", "not a YAML file"),
        ("\x00", "not a YAML file"),
        ("[" * 5000, "not a YAML file"),
    ],
)
def test_unreadable_files_are_refused(tmp_path, text, facts):
    path = tmp_path / "bad.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=facts):
        config.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere\.yaml"):
        config.load(tmp_path / "nowhere.yaml")


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=6), below),
    max_leaves=6,
)


@given(st.data())
def test_any_value_anywhere_gives_a_configuration_or_a_config_error(data):
    tree = deepcopy(TREE)
    path = data.draw(st.sampled_from([path for path, _ in leaves(tree)]))
    depth = data.draw(st.integers(0, len(path) - 1))
    parent = reduce(getitem, path[:depth], tree)
    parent[path[depth]] = data.draw(json_like)
    with suppress(ConfigError):
        config.checked(tree)
