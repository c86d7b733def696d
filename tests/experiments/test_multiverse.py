"""The list of specifications, and the runs that a part of them plays."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from horde.errors import ConfigError
from horde.experiments import multiverse, specifications
from horde.experiments.specifications import CHOICES, FEATURES, LEARNING, SETTINGS
from horde.graph.precision import adjacency, laplacian
from horde.policies import registry
from horde.simulation.loop import simulate
from horde.simulation.stream import make_stream

LIST = Path(__file__).parents[2] / "workflow" / "multiverse.csv"
GRIDS = {"lam": [0.01, 1.0], "alpha": [0.0, 0.1], "alpha2": [0.4], "scale": [0.01]}
PAPER = {"lam": 2.0, "alpha": 0.02, "alpha2": 0.4, "scale": 0.01}


def specification(**changes):
    first = {name: levels[0] for name, levels in CHOICES.items()}
    blank = dict.fromkeys(LEARNING, "")
    return {"specification": "X", "seeds": "0 3", **first, **blank, **changes}


def tuned(*policies):
    """Return the runs of these policies that a setup asks for."""
    return [(policy, "tuned", {}) for policy in policies]


def played(data, *specifications, runs, **fixed):
    setup = multiverse.Setup(
        runs,
        {policy: fixed.get(policy, {"sigma": 1.0}) for policy, *_ in runs},
        PAPER,
        GRIDS,
        tuning_rounds=30,
        tuning_seed=0,
        rounds=60,
        offered=5,
    )
    return multiverse.play(specifications, setup, data, log=lambda message: None)


def final(table):
    last = table[table["round"] == table["round"].max()]
    return last.set_index(["specification", "policy", "variant", "seed"])["regret"]


def test_the_list_is_the_design():
    assert specifications.design() == specifications.read(LIST)


def test_the_list_is_long_and_balanced():
    table = pd.DataFrame(specifications.read(LIST))
    assert len(table) >= 500
    assert not table.drop(columns=["specification", "seeds"]).duplicated().any()
    for _, part in table[table["claims"] == "R"].groupby("tags"):
        for pair in combinations([*list(FEATURES)[1:], *SETTINGS], 2):
            assert part.groupby(list(pair)).size().nunique() == 1
    seeds = table["seeds"].str.split(expand=True)
    assert seeds.shape[1] == 3
    each = seeds.drop_duplicates().melt()["value"].value_counts()
    assert sorted(each.index) == list("0123456789")


def test_a_name_that_is_not_listed_is_refused():
    with pytest.raises(ConfigError, match="R999"):
        specifications.read(LIST, ["R000", "R999"])


@pytest.mark.parametrize(
    ("row", "column", "value", "said"),
    [
        ("R001", "specification", "R000", "R000 twice"),
        ("R001", "laplacian", "", "R001, column laplacian: '' is none of normalised, unnormalised"),
        ("R001", "every", "1000", "R001, column every"),
        ("L512", "every", "", "L512, column every: '' is none of 1000, 10000"),
        ("R001", "claims", "X", "R001, column claims: 'X' is none of R, L"),
        ("R001", "datasets", "lastfmm", "R001, column datasets: 'lastfmm'"),
        ("R001", "seeds", "0 a", "R001, column seeds: '0 a'"),
        ("R001", "seeds", "1 1 1", "R001, column seeds: '1 1 1'"),
        ("R001", "seeds", "", "R001, column seeds: ''"),
    ],
)
def test_a_faulty_row_is_refused(tmp_path, row, column, value, said):
    table = pd.read_csv(LIST, dtype=str, keep_default_na=False)
    table.loc[table["specification"] == row, column] = value
    table.to_csv(tmp_path / "list.csv", index=False)
    with pytest.raises(ConfigError, match=said):
        specifications.read(tmp_path / "list.csv")


def test_a_run_is_that_of_its_settings(data):
    row = specification(hyper="paper", laplacian="unnormalised", exploration="front")
    table = played(data, row, runs=[("G-EG", "odd", {"lam": 0.5})], **{"G-EG": {"sigma": 2.0}})
    graph = laplacian(adjacency(data.edges, data.n_users), normalised=False)
    problem = replace(data.problem(3, 60), precision=graph)
    policy = registry.make("G-EG", sigma=2.0, lam=0.5, exploration="front")
    policy.start(problem)
    curve = simulate(policy, make_stream(data, 3, 60, 5), data.features, np.array([6, 60]))
    assert final(table)["X", "G-EG", "odd", 3] == curve.regret[-1]
    assert sorted(table["seed"].unique()) == [0, 3]


@pytest.mark.parametrize("policy", ["LINUCB-IND", "G-TS", "CLUB"])
def test_hindsight_has_the_lowest_mean_of_all_lambdas(data, policy):
    rows = [specification(specification=hyper, hyper=hyper) for hyper in ("hindsight", "lam-0.01")]
    table = played(data, *rows, runs=tuned(policy))
    mean = final(table).groupby("specification").mean()
    assert mean["hindsight"] <= mean["lam-0.01"]
    assert (table.loc[table["specification"] == "lam-0.01", "lam"] == 0.01).all()


def test_the_paper_values_are_taken_as_they_are(data):
    table = played(data, specification(hyper="paper"), runs=tuned("LINUCB-IND", "TS-IND"))
    assert set(table["lam"]) == {PAPER["lam"]}
    assert set(table["alpha"].dropna()) == {PAPER["alpha"]}


@pytest.mark.parametrize(
    ("hyper", "expected"),
    [
        ("paper", {"EG-IND": False, "G-EG": True, "G-TS": True, "GOBLIN": True}),
        # In hindsight, policies that need widths are spared the other Laplacian.
        ("hindsight", {"G-EG": True, "GOBLIN": False}),
    ],
)
def test_the_laplacian_matters_only_to_policies_that_use_it(data, hyper, expected):
    rows = [
        specification(specification=kind, hyper=hyper, laplacian=kind)
        for kind in SETTINGS["laplacian"]
    ]
    table = final(played(data, *rows, runs=tuned(*expected))).unstack("policy")
    apart = (table.loc["normalised"] != table.loc["unnormalised"]).any()
    assert apart.to_dict() == expected


def test_settings_of_a_learned_graph_reach_its_policy_alone(data):
    row = specification(every="20", couplings="any", logdet_weight="1", learned_lam="10")
    runs = [*tuned("EG-IND"), ("L-EG", "tuned", {"start_after": 1})]
    table = played(data, row, runs=runs)
    lam = table.groupby("policy")["lam"].first()
    assert lam["L-EG"] == 10
    assert lam["EG-IND"] in GRIDS["lam"]
