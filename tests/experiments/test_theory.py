"""Synthetic problems that meet the theorems' assumptions, and the bound on the trace."""

from dataclasses import replace

import numpy as np
import pytest

from horde.experiments import theory
from horde.figures import theory as figure
from horde.results.tables import RUN_COLUMNS

SETUP = theory.Setup(12, 3, 3, 20, 4, 300, 0.1, 1.0)


def test_the_full_graph_joins_the_users_of_a_group_only():
    graph = theory.graph(SETUP, 0).toarray()
    group = np.arange(12) % 3
    assert (graph == ((group[:, None] == group) & ~np.eye(12, dtype=bool))).all()


def test_isolated_users_come_from_all_groups_and_the_others_stay_joined():
    half, full = theory.graph(SETUP, 0.5).toarray(), theory.graph(SETUP, 0).toarray()
    alone = half.sum(axis=1) == 0
    assert np.bincount(np.arange(12)[alone] % 3).tolist() == [2, 2, 2]
    assert (half[np.ix_(~alone, ~alone)] == full[np.ix_(~alone, ~alone)]).all()
    assert theory.graph(SETUP, 1).nnz == 0


def test_the_problem_meets_the_assumptions_whatever_the_graph():
    place, other = theory.environment(SETUP, 0, 7), theory.environment(SETUP, 1, 7)
    np.testing.assert_allclose(np.linalg.norm(place.features, axis=1), 1)
    assert np.abs(place.stream.expected).max() <= 1
    assert (place.stream.rewards == other.stream.rewards).all()
    noise = place.stream.rewards - place.stream.expected
    assert noise.std() == pytest.approx(SETUP.noise, rel=0.1)


def test_users_of_a_group_share_one_preference():
    place = theory.environment(replace(SETUP, rounds=4000), 0, 7)
    stream, seen = place.stream, {}
    for t, user in enumerate(stream.users):
        for item, expected in zip(stream.items[t], stream.expected[t], strict=True):
            assert seen.setdefault((user % 3, item), expected) == expected


def test_runs_are_a_row_a_seed_and_checkpoint():
    params = {"scale": 1.0, "solver": "local"}
    table = theory.runs(SETUP, 0.5, "G-TS", params, [3, 4], 10)
    assert [*table.columns] == RUN_COLUMNS
    assert table["dataset"].unique() == ["theory-isolated-50"]
    assert table.groupby("seed")["round"].max().to_dict() == {3: 300, 4: 300}
    again = theory.runs(SETUP, 0.5, "G-TS", params, [4], 10)
    assert again["regret"].tolist() == table.loc[table["seed"] == 4, "regret"].tolist()


def test_without_edges_a_policy_is_its_independent_counterpart_and_with_them_it_is_not():
    table = theory.counterparts(
        SETUP, {"G-EG": "EG-IND", "G-TS": "TS-IND"}, {"G-TS": {"scale": 1.0}}, 5
    )
    assert (table["picks_equal"] == 1).all()
    assert sorted(table["solver"]) == ["local", "local", "pcg", "pcg"]
    graph = theory.runs(SETUP, 0, "G-EG", {"solver": "local"}, [5], 1)
    alone = theory.runs(SETUP, 0, "EG-IND", {}, [5], 1)
    assert graph["regret"].iloc[0] != alone["regret"].iloc[0]


def test_the_more_isolated_users_the_larger_the_trace():
    traces = theory.traces(SETUP, [0, 0.5, 1])["trace_over_n"]
    # A clique of m: one eigenvalue 1, the others 1 + m/(m-1).
    assert traces[0] == pytest.approx((1 + 3 / (7 / 3)) / 4, abs=1e-6)
    assert traces.is_monotonic_increasing
    assert traces[2] == 1


def test_the_bound_on_the_trace_holds_in_one_reading_and_fails_in_another():
    table = theory.trace_bound(theory.example_graphs()).set_index(["reading", "graph"])["slack"]
    assert (table["L"] >= 0).all()
    assert table["L", "complete of 20"] == 0
    assert table["unnormalised", "complete of 20"] == pytest.approx(0.0975 - 0.512821, abs=1e-6)
    assert np.isinf(table["L_G", "pairs of 20"])


def test_the_figure_is_written_with_what_its_caption_states(tmp_path):
    runs = theory.runs(SETUP, 0, "G-TS", {"solver": "local"}, [1, 2], 10)
    bound = theory.trace_bound(theory.example_graphs())
    path = tmp_path / "a.png"
    figure.draw(runs, theory.traces(SETUP, [0]), bound, path, caption={"problem": "p"})
    assert path.stat().st_size > 5000
    told = (tmp_path / "a.json").read_text("utf-8")
    assert '"seeds": 2' in told
    assert '"problem": "p"' in told
