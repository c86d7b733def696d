"""Baselines as written in 2016 believe and choose what the policies of these names do."""

import numpy as np
import pytest
import test_sweeps

from horde.policies.memory import Size, predicted_bytes
from horde.simulation.loop import play
from horde.simulation.synthetic import kronecker_environment
from horde.timing import baselines
from horde.timing.sweeps import BASELINES, params_of

# Enough iterations and the exact sampler, for the same picks.
VALUES = test_sweeps.VALUES | {"alpha2": 0.1, "iterations": 20, "sampler": "marginal"}


@pytest.fixture(scope="module")
def environment():
    return kronecker_environment(n=24, d=4, density=0.1, rounds=400, offered=6, items=50)


def picks(environment, policy, solver):
    started = baselines.start(environment, policy, params_of(policy, solver, VALUES))
    return play(started, environment.stream, environment.features), started


def usual(policy):
    return "dense" if policy == "GOBLIN" else "none"


each = pytest.mark.parametrize(
    ("policy", "solver"), [(policy, one) for policy, all_ in BASELINES.items() for one in all_]
)


@each
def test_a_baseline_chooses_what_the_policy_of_its_name_chooses(environment, policy, solver):
    np.testing.assert_array_equal(
        picks(environment, policy, solver)[0], picks(environment, policy, usual(policy))[0]
    )


@pytest.mark.parametrize("solver", ["numpy", "inverse"])
def test_a_written_goblin_has_the_mean_of_the_dense_inverse(environment, solver):
    (_, written), (_, dense) = (picks(environment, "GOBLIN", each) for each in (solver, "dense"))
    for user in range(24):
        np.testing.assert_allclose(
            written.posterior.mean(user), dense.posterior.mean(user), atol=1e-9
        )


def test_a_club_that_pools_anew_has_the_clusters_of_the_other(environment):
    (_, anew), (_, kept) = (picks(environment, "CLUB", each) for each in ("anew", "none"))
    np.testing.assert_array_equal(anew.labels_, kept.labels_)
    assert len(np.unique(kept.labels_)) > 1


@each
def test_a_baseline_is_predicted_no_less_memory_than_its_policy(policy, solver):
    size = Size(512, 10, 2000, 5000)
    needed = baselines.predicted_bytes(policy, params_of(policy, solver, VALUES), size)
    assert needed >= predicted_bytes(policy, params_of(policy, usual(policy), VALUES), size)
