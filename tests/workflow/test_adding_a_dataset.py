"""What docs/adding-a-dataset.md shows works as shown."""

import re
import shutil
from pathlib import Path

import pytest
import yaml
from workflow_tree import fresh

from horde.data.acquire import acquire
from horde.data.features import prepare
from horde.experiments import config
from horde.simulation.stream import make_stream

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shown(tmp_path):
    """Write the document's tables where it says; return its configuration, checked."""
    text = (ROOT / "docs" / "adding-a-dataset.md").read_text()
    for name, table in re.findall(r"`(my-data/\w+\.csv)`.*?```csv\n(.*?)```", text, re.DOTALL):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(table)
    overlay = yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    assert set(overlay["datasets"]) >= set(
        yaml.safe_load((ROOT / "config.yaml").read_text())["datasets"]
    )
    return config.load(ROOT / "config.yaml", overlay)


def test_without_the_papers_datasets_all_can_be_asked_for(tmp_path):
    tree = fresh(tmp_path / "tree")
    text = (ROOT / "docs" / "adding-a-dataset.md").read_text()
    overlay = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1]
    (tree.path / "my-data.yaml").write_text(overlay)
    asked = {"scale": ("my-data.yaml",)}
    made = tree.rules(targets=(), **asked)
    assert {"regret_figure", "judge", "scalability_figure", "theory_figure"} <= set(made)
    assert not {"time_of_learning", "picks", "sensitivity_table", "learning_figure"} & set(made)
    done = tree.snakemake("--dry-run", targets=("verdict", "figures/mine/mine_regret.pdf"), **asked)
    assert done.returncode == 0
    assert "Exception" not in done.stdout
    done = tree.snakemake("--dry-run", targets=("sensitivity",), **asked)
    assert done.returncode == 1
    assert "There is nothing to compare" in done.stdout + done.stderr


def test_a_relative_folder_is_found_from_every_working_directory(shown, tmp_path):
    """It is relative to the repository, though results are written elsewhere."""
    tree = fresh(tmp_path / "tree")
    shutil.copytree(tmp_path / "my-data", tree.path / "my-data")
    text = (ROOT / "docs" / "adding-a-dataset.md").read_text()
    (tree.path / "mine.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    elsewhere = tmp_path / "elsewhere"
    done = tree.run(
        *("--directory", str(elsewhere)),
        scale=("mine.yaml",),
        targets=("results/mine/data/mine/source.json",),
    )
    assert "../tree/my-data/likes.csv" in done.stdout + done.stderr
    assert (elsewhere / "results" / "mine" / "data" / "mine" / "tables.npz").exists()
    assert not (tree.path / "results" / "mine").exists()


def test_from_the_tables_to_a_stream(shown, tmp_path):
    entry = shown["datasets"].pop("mine")
    assert shown["datasets"] == {}
    entry["folder"] = str(tmp_path / entry["folder"])
    tables, provenance = acquire(entry, log=lambda _: None)
    dataset, summary = prepare(tables, "mine", provenance, **shown["features"])
    assert summary["users_who_like_nothing"] == 1
    assert summary["graph"]["edges"] == 3
    stream = make_stream(dataset, 0, shown["rounds"], shown["offered"])
    assert stream.rewards.max(axis=1).min() == 1
    assert set(stream.users) == {0, 1, 2}
