"""The controls in the workflow: graphs change when a run starts, and data are prepared once."""

import re

import pytest
from workflow_tree import TINY

GRAPHS = ("none", "permuted", "rewired", "given-mean", "oracle")


def test_a_graph_needs_no_data_of_its_own_and_is_tuned_for(tree):
    jobs = tree.jobs(scale=TINY, targets=("controls",))
    made = ", ".join(path for _, outputs in jobs for path in outputs)
    prepared = set(re.findall(r"data/(\S+)/dataset\.npz", made))
    assert prepared == {"lastfm", "lastfm@popularity"}
    tuned = set(re.findall(r"tuning/(\S+)/G-EG\.json", made))
    assert tuned == {"lastfm", *(f"lastfm@{name}" for name in GRAPHS)}


@pytest.mark.slow
def test_a_seed_more_adds_runs_and_changes_none(tree):
    options = {"targets": ("controls",)}
    tree.run(scale=TINY, **options)
    assert (tree.path / "figures/tiny/figC_controls.png").exists()
    assert tree.jobs(scale=TINY, **options) == []
    more = tree.scale("controls: {graphs: [permuted]}", below=TINY)
    assert set(tree.rules(scale=more, **options)) == {"control_tables", "controls_figure"}
