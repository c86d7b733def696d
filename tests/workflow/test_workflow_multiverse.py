"""The multiverse in the workflow: a part is a job, and nothing else asks for it."""

import pandas as pd
import pytest
from workflow_tree import TINY


def test_a_part_is_a_job_and_only_the_target_asks_for_it(tree):
    made = tree.rules(scale=TINY, targets=("multiverse",))
    assert made["multiverse_part"] == 1
    assert "simulate" not in made
    assert "multiverse_part" not in tree.rules(scale=TINY, targets=("all",))


def test_a_multiverse_with_nothing_to_count_is_refused(tree):
    scale = tree.scale("multiverse: {specifications: [R012, R013]}", below=TINY)
    said = tree.snakemake("--dry-run", fails=True, scale=scale, targets=("multiverse",))
    assert "The multiverse has nothing to count" in said


@pytest.mark.slow
def test_another_specification_makes_only_its_own_part(tree):
    options = {"targets": ("multiverse",)}
    tree.run(scale=TINY, **options)
    table = pd.read_csv(tree.path / "results/tiny/summary/multiverse.csv")
    assert set(table["specification"]) == {"R000"}
    assert table.groupby("policy")["seed"].nunique().eq(3).all()
    assert (tree.path / "figures/tiny/multiverse/R1.png").exists()
    assert tree.jobs(scale=TINY, **options) == []
    more = tree.scale("multiverse: {specifications: [R000, R500]}", below=TINY)
    assert tree.rules(scale=more, **options)["multiverse_part"] == 1
