"""The workflow's own scripts, job by job in this process, on the smallest data that reach a table.

As Snakemake does: a job whose outputs are not all there is done; the outputs of one that failed or
was killed are deleted before anything else is.
"""

import runpy
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from snakemake.iocontainers import Namedlist

from horde.experiments import config, plan
from horde.experiments.choice import read
from horde.results.runs import block_name

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))  # the scripts import what they share, as Snakemake lets them
OVERLAY = {
    "generate": {"lastfm": {"users": 16, "items": 40}},
    "datasets": {
        "one": {"kind": "generated", "archive": "lastfm", "drop_users_from": None, "label": "1"},
        "two": {"kind": "generated", "archive": "lastfm", "drop_users_from": 12, "label": "2"},
        "lastfm": None,
        "delicious": None,
        "delicious_consistent": None,
    },
    "rounds": 60,
    "offered": 4,
    "checkpoints": 5,
    "features": {"dimension": 3},
    "tuning": {"rounds": 30, "grids": {"lam": [0.1, 1], "alpha": [0], "scale": [0.01]}},
}
POLICIES = ("EG-IND", "G-TS")
SEEDS = [0, 1]
TINY = ROOT / "workflow" / "config" / "tiny.yaml"


@dataclass(frozen=True)
class Job:
    """A script with what it reads and writes; `params` are worked out when it starts."""

    script: str
    inputs: dict
    outputs: dict
    params: object = dict
    wildcards: dict = field(default_factory=dict)

    def run(self):
        """Do the job in this process."""
        given = SimpleNamespace(
            rule=self.script,
            scriptdir=str(SCRIPTS),
            input=Namedlist(fromdict=self.inputs),
            output=Namedlist(fromdict=self.outputs),
            params=Namedlist(fromdict=self.params()),
            wildcards=Namedlist(fromdict=self.wildcards),
            log=[f"logs/{self.script}.log"],
        )
        runpy.run_path(str(SCRIPTS / f"{self.script}.py"), {"snakemake": given})

    def done(self):
        """Return whether all outputs are there."""
        return all(Path(path).exists() for path in self.outputs.values())

    def forget(self):
        """Delete what is there of the outputs."""
        for path in map(Path, self.outputs.values()):
            if path.exists():
                path.unlink()


def numbered(paths):
    return {f"file{k}": path for k, path in enumerate(paths)}


def jobs():
    """Return the jobs in an order in which they can be done; their paths are relative."""
    params = config.load(ROOT / "config.yaml", TINY, OVERLAY)
    archive = {"zip": "archives/lastfm.zip", "declaration": "archives/lastfm.json"}
    drawn = {"seed": params["generate"]["seed"], "size": params["generate"]["lastfm"]}
    listed = [Job("generate", {}, archive, lambda: drawn, {"archive": "lastfm"})]
    for dataset in params["datasets"]:
        listed += _of_dataset(params, dataset, archive)
    tables = [job.outputs["table"] for job in listed if job.script == "average"]
    records = [job.outputs["record"] for job in listed if job.script == "simulate"]
    regret, together = {"table": "summary/regret.csv"}, {"datasets": [*params["datasets"]]}
    return [
        *listed,
        Job("collect", numbered(tables), regret, lambda: {**together, "regret": True}),
        Job("final", regret, {"table": "summary/final_regret.csv"}, lambda: together),
        Job("timings", numbered(records), {"table": "timing/runs.csv"}),
    ]


def _of_dataset(params, dataset, archive):
    folder, preparation = f"data/{dataset}", plan.preparation(params, dataset)
    acquired = {"tables": f"{folder}/tables.npz", "source": f"{folder}/source.json"}
    prepared = {"dataset": f"{folder}/dataset.npz", "summary": f"{folder}/summary.json"}
    entry = {"entry": plan.data_source(params, dataset)}
    yield Job("acquire", archive, acquired, lambda: entry, {"dataset": dataset})
    yield Job("prepare", acquired, prepared, lambda: {"preparation": preparation})
    curves = {}
    for policy in POLICIES:
        tune, simulate = _of_policy(params, dataset, policy, prepared["dataset"])
        yield tune
        yield simulate
        curves[policy] = simulate.outputs["curves"]
    table = {"table": f"summary/regret_{dataset}.csv"}
    yield Job("average", curves, table, lambda: {"seeds": SEEDS})


def _of_policy(params, dataset, policy, prepared):
    choice, grids = f"tuning/{dataset}/{policy}.json", plan.grids(params, policy)
    named = {"dataset": dataset, "policy": policy}
    same = {"name": dataset, "code": "code"}
    tuning = {"validation": plan.validation(params, policy, dataset), "grids": grids, **same}

    def chosen():
        made = plan.experiment(params, policy, "tuned", read(choice, grids).params, dataset)
        return {"experiment": made, "seeds": SEEDS, **same}

    block = f"{dataset}/{policy}/tuned/{block_name(SEEDS)}"
    outputs = {"curves": f"runs/{block}.npz", "record": f"timing/runs/{block}.json"}
    inputs = {"dataset": prepared, "choice": choice}
    return (
        Job("tune", {"dataset": prepared}, {"choice": choice}, lambda: tuning, named),
        Job("simulate", inputs, outputs, chosen, named),
    )


def make(listed, completed=lambda job: None):
    """Do what is to be done; delete the outputs of a job that fails, and let its error through.

    Parameters
    ----------
    listed : list of Job
    completed : callable
        Called with each finished job.
    """
    for job in listed:
        if job.done():
            continue
        try:
            job.run()
        except BaseException:
            job.forget()
            raise
        completed(job)


def downstream(listed, path):
    """Return the jobs that depend on the file, directly or not, in order."""
    changed, found = {path}, []
    for job in listed:
        if changed & set(job.inputs.values()):
            changed |= set(job.outputs.values())
            found.append(job)
    return found
