"""What docs/adding-a-dataset.md shows works as shown."""

import re
from pathlib import Path

import pytest
import yaml

from horde.data.acquire import acquire
from horde.experiments import config
from horde.features import prepare
from horde.streams import make_stream

ROOT = Path(__file__).parents[1]


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
