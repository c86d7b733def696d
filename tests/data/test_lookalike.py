import numpy as np
import pytest

from horde.data.acquire import acquire
from horde.data.features import prepare
from horde.data.lookalike import RECIPES, generate
from horde.errors import ConfigError


def made(folder, archive, users=120, items=400, seed=3):
    generate(folder, archive, users=users, items=items, seed=seed, log=lambda _: None)
    entry = {"kind": "generated", "archive": archive}
    return acquire(entry, generated_dir=folder, log=lambda _: None)


@pytest.mark.parametrize("archive", sorted(RECIPES))
def test_equal_arguments_give_equal_bytes_and_another_seed_does_not(tmp_path, archive):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        made(tmp_path / name, archive, seed=seed)
    for end in ("zip", "json"):
        a, b, c = ((tmp_path / name / f"{archive}.{end}").read_bytes() for name in "abc")
        assert a == b
        assert a != c


@pytest.mark.parametrize("archive", sorted(RECIPES))
@pytest.mark.parametrize(("users", "items"), [(2, 2), (31, 97), (120, 400)])
def test_sizes_are_as_asked(tmp_path, archive, users, items):
    tables, _ = made(tmp_path, archive, users, items)
    assert len(np.unique(tables.likes[:, 0])) == users
    assert len(tables.item_ids) == items


def cosines(tables) -> tuple[float, float]:
    """Return the mean cosine of two friends' summed features, and of two strangers'."""
    dataset, _ = prepare(tables, "test", {}, reduction="pca")
    summed = np.add.reduceat(dataset.features[dataset.liked_items], dataset.liked_indptr[:-1])
    unit = summed / np.linalg.norm(summed, axis=1, keepdims=True)
    cosine = unit @ unit.T
    i, j = dataset.edges.T
    strangers = ~np.eye(len(unit), dtype=bool)
    strangers[i, j] = strangers[j, i] = False
    return cosine[i, j].mean(), cosine[strangers].mean()


def test_friends_share_tastes_that_tags_carry_more_so_where_communities_are_strong(tmp_path):
    friends, strangers = cosines(made(tmp_path, "lastfm")[0])
    assert friends > strangers + 0.3
    individual, _ = cosines(made(tmp_path, "delicious")[0])
    assert individual < friends - 0.3


@pytest.mark.parametrize(("users", "items"), [(1, 10), (10, 1)])
def test_too_small_is_refused(tmp_path, users, items):
    with pytest.raises(ConfigError, match="2 users and 2 items"):
        made(tmp_path, "lastfm", users, items)


def test_an_unknown_archive_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="archive is 'flickr'"):
        made(tmp_path, "flickr")
