"""On the real data, 50,000 rounds: the local solver at its default picks as the exact one does.

Outside the ordinary suite and CI: `make stress` runs it, in about half an hour.
"""

import os
from pathlib import Path

import pytest

from horde import cli
from horde.simulation.environment import dataset_environment
from horde.timing.exactness import REFERENCE, compare

CONFIG = Path(__file__).parents[2] / "config.yaml"
ROUNDS = 50_000
# What tuning chose on both datasets, but for GOBLIN's alpha: at 0 there would be no widths to test.
PARAMS = {
    "G-EG": {"lam": 0.1},
    "GOBLIN": {"lam": 0.1, "alpha": 0.01},
    "G-TS": {"lam": 0.1, "scale": 1e-4},
}

pytestmark = [
    pytest.mark.stress,
    pytest.mark.skipif("HETREC_DIR" not in os.environ, reason="HETREC_DIR is not set"),
]


@pytest.fixture(scope="session", params=["lastfm", "delicious"])
def prepared(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    arguments = ["--dataset", request.param, "--configfile", str(CONFIG), "--to", str(folder)]
    assert cli.main(["prepare", *arguments]) == 0
    return folder / "data" / request.param / "dataset.npz"


@pytest.mark.parametrize("policy", PARAMS)
def test_the_local_solver_picks_as_the_exact_one(prepared, policy, capsys):
    environment = dataset_environment(prepared, ROUNDS)
    reference = environment.start(policy, PARAMS[policy] | REFERENCE)
    local = environment.start(policy, PARAMS[policy] | {"solver": "local"})
    with capsys.disabled():
        _, (found,) = compare(environment, reference, [local], ROUNDS, log=print)
        print(
            f"{environment.name} {policy}: {found.wrong} of {found.rounds} picks are wrong, ties "
            f"aside; {found.share:.5%} equal; relative error of the means {found.error:.2g}"
        )
    assert found.share >= 0.999
