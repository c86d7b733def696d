"""The workflow's own scripts, job by job in this process, on the smallest data that reach a table.

As Snakemake does: a job whose outputs are not all there is done; the outputs of one that failed or
was killed are deleted before anything else is.
"""

import runpy
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from horde.experiments import choices, config, plan

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "workflow" / "scripts"
SETTINGS = {
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
SEEDS = (0, 1)
TINY = ROOT / "workflow" / "config" / "tiny.yaml"


class Named(dict):
    """What Snakemake hands to a script: names, and positions in their order."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __getitem__(self, key):
        return list(self.values())[key] if isinstance(key, int) else super().__getitem__(key)

    def __iter__(self):
        return iter(self.values())

    def keys(self):
        return list(dict.keys(self))


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
            input=Named(self.inputs),
            output=Named(self.outputs),
            params=Named(self.params()),
            wildcards=Named(self.wildcards),
            log=Named(log=f"logs/{self.script}.log"),
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


def jobs():
    """Return the jobs in an order in which they can be done; their paths are relative."""
    params = config.load(ROOT / "config.yaml", TINY, SETTINGS)
    archive = {"zip": "archives/lastfm.zip", "declaration": "archives/lastfm.json"}
    generate = params["generate"]
    drawn = {"seed": generate["seed"], "size": generate["lastfm"]}
    listed = [Job("generate", {}, archive, lambda: drawn, {"archive": "lastfm"})]
    regret = {}
    for dataset in params["datasets"]:
        of_dataset, regret[dataset] = _of_dataset(params, dataset, archive)
        listed += of_dataset
    together = {"datasets": list(regret)}
    outputs = {"regret": "summary/regret.csv", "final": "summary/final.csv"}
    listed.append(Job("regret", regret, outputs, lambda: together))
    times = [job.outputs["timing"] for job in listed if job.script == "simulate"]
    listed.append(Job("time_of_runs", dict(enumerate(times)), {"table": "timing/runs.csv"}))
    return listed


def _of_dataset(params, dataset, archive):
    folder, named = f"data/{dataset}", {"dataset": dataset}
    acquired = {"tables": f"{folder}/tables.npz", "source": f"{folder}/source.json"}
    prepared = {"dataset": f"{folder}/dataset.npz", "summary": f"{folder}/summary.json"}
    entry = {"params": plan.data_source(params, dataset)}
    yielded = [
        Job("acquire", archive, acquired, lambda: entry, named),
        Job("prepare", acquired, prepared, lambda: {"features": params["features"]}, named),
    ]
    curves = {}
    for policy in POLICIES:
        yielded += _of_policy(params, dataset, policy, prepared["dataset"], curves)
    table = f"summary/regret_{dataset}.csv"
    yielded.append(
        Job("regret_of_dataset", curves, {"table": table}, lambda: {"seeds": len(SEEDS)}, named)
    )
    return yielded, table


def _of_policy(params, dataset, policy, prepared, curves):
    choice, grids = f"tuning/{dataset}/{policy}.json", plan.grids(params, policy)
    named = {"dataset": dataset, "policy": policy}
    tuning = {
        "validation": plan.validation(params, policy),
        "grids": grids,
        "code": "code",
        "points": "tuning",
    }
    yield Job("tune", {"dataset": prepared}, {"choice": choice}, lambda: tuning, named)
    for seed in SEEDS:

        def params(seed=seed):
            chosen = choices.read(choice, grids).params
            made = plan.experiment(params, policy, "tuned", seed, chosen)
            return {"experiment": made, "code": "code"}

        run = f"{dataset}/{policy}/tuned/{seed}"
        files = {
            "curve": f"runs/{run}.npz",
            "record": f"runs/{run}.json",
            "timing": f"timing/runs/{run}.json",
        }
        curves[run] = files["curve"]
        inputs = {"dataset": prepared, "choice": choice}
        yield Job("simulate", inputs, files, params, named)


def make(listed, completed=lambda job: None):
    """Do what is to be done; delete the outputs of a job that fails, and let its error through.

    Parameters
    ----------
    listed : list of Job
    completed : callable
        Told of each finished job.
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


def script_folder():
    """Let the scripts find what they share, as Snakemake does."""
    if str(SCRIPTS) not in sys.path:
        sys.path.insert(0, str(SCRIPTS))
