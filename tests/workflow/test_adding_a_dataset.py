"""What docs/adding-a-dataset.md shows works as shown."""

import re

import pytest
import yaml
from workflow_tree import ROOT

from horde.data.acquire import acquire
from horde.data.features import prepare
from horde.experiments import config
from horde.simulation.stream import make_stream

GUIDE = (ROOT / "docs" / "adding-a-dataset.md").read_text("utf-8")
TABLES = re.findall(r"`(my-data/\w+\.csv)`.*?```csv\n(.*?)```", GUIDE, re.DOTALL)
(OVERLAY,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)[:1]
MINE = ("mine.yaml",)


@pytest.fixture(scope="module")
def mine(tree):
    """A checkout with the tables and the configuration that the document shows."""
    (tree.path / "my-data").mkdir()
    for name, text in [*TABLES, (*MINE, OVERLAY)]:
        (tree.path / name).write_text(text, "utf-8")
    return tree


def test_without_the_papers_datasets_all_can_be_asked_for(mine):
    made = mine.rules(scale=MINE, targets=())
    assert {"regret_figure", "judge", "scalability_figure", "theory_figure"} <= set(made)
    assert not {"time_of_learning", "picks", "sensitivity_table", "learning_figure"} & set(made)
    assert mine.jobs(scale=MINE, targets=("verdict", "figures/mine/mine_regret.pdf"))
    said = mine.snakemake("--dry-run", fails=True, scale=MINE, targets=("sensitivity",))
    assert "There is nothing to compare" in said


def test_a_relative_folder_is_found_from_every_working_directory(mine, tmp_path):
    """It is relative to the repository, though results are written elsewhere."""
    target = "results/mine/data/mine/source.json"
    said = mine.run("--directory", str(tmp_path), scale=MINE, targets=(target,))
    assert re.search(r"\.\./\S*tree/my-data/likes\.csv", said)
    assert (tmp_path / target).exists()
    assert not (mine.path / "results" / "mine").exists()


def test_from_the_tables_to_a_stream(mine):
    shown = config.load(ROOT / "config.yaml", yaml.safe_load(OVERLAY))
    entry = shown["datasets"].pop("mine")
    assert shown["datasets"] == {}
    tables, source = acquire(entry, root=mine.path, log=lambda _: None)
    dataset, summary = prepare(tables, "mine", source, **shown["features"])
    assert summary["users_who_like_nothing"] == 1
    assert summary["graph"]["edges"] == 3
    stream = make_stream(dataset, 0, shown["rounds"], shown["offered"])
    assert stream.rewards.max(axis=1).min() == 1
    assert set(stream.users) == {0, 1, 2}
