import numpy as np
import pyarrow.parquet as pq
import pytest

from horde.data.acquire import acquire
from horde.data.features import prepare
from horde.data.planted import generate_tables
from horde.errors import ConfigError
from horde.experiments.run import Experiment, run

SIZES = {"users": 600, "items": 400, "likes": 4000, "friends": 3000, "tags": 1500, "active": 200}


def made(folder, form="parquet", **changed):
    generate_tables(folder, **SIZES | changed, form=form, log=lambda _: None)
    return acquire({"kind": "tables", "folder": str(folder)}, log=lambda _: None)[0]


def test_tables_have_the_sizes_asked_for_in_both_forms(tmp_path):
    tables = made(tmp_path / "parquet")
    for name in ("likes", "friends", "tags"):
        rows = pq.read_table(tmp_path / "parquet" / f"{name}.parquet").to_pandas()
        assert (len(rows), len(rows.drop_duplicates())) == (SIZES[name], SIZES[name])
    assert (len(tables.likes), len(tables.friends)) == (SIZES["likes"], SIZES["friends"])
    assert len(np.unique(tables.likes[:, 0])) == SIZES["active"]
    text = made(tmp_path / "csv", "csv")
    for name in ("user_ids", "item_ids", "likes", "item_tags", "friends"):
        np.testing.assert_array_equal(getattr(text, name), getattr(tables, name))
    assert not np.array_equal(made(tmp_path / "other", seed=1).likes, tables.likes)


def test_the_friends_tell_what_a_user_likes(tmp_path):
    tables = made(tmp_path, items=3000, tags=15_000, likes=20_000, active=600, friends=4800)
    data, _ = prepare(tables, "g", {})
    final = {
        name: run(Experiment(name, {"lam": 0.1}, 2000, 25, 1), data, 0)[1].ratio[-1]
        for name in ("GOBLIN", "LINUCB-IND", "LINUCB-SIN")
    }
    assert final["GOBLIN"] < min(final["LINUCB-IND"], final["LINUCB-SIN"]) - 0.05, final


def test_nearly_all_possible_likes_can_be_asked_for(tmp_path):
    assert len(made(tmp_path, active=20, likes=7_500).likes) == 7_500


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"active": 601}, "from 1 active user to all 600"),
        ({"likes": 80_001}, "80001 likes are too many"),
        ({"friends": 200_000}, "friends are too many"),
        ({"form": "xlsx"}, "format is 'xlsx'"),
    ],
)
def test_impossible_sizes_are_refused(tmp_path, changed, message):
    with pytest.raises(ConfigError, match=message):
        made(tmp_path, **changed)
    assert not (tmp_path / "likes.parquet").exists()
