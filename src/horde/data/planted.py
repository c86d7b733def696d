"""Generated tables of any size, in the form of a user's own, with tastes planted along friendships.

Users form communities, within which most friendships are. A community likes the items of one topic
best, and the tags of an item tell its topic. So a user's friends say what the user likes.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from horde import files
from horde.checks import choice
from horde.data.tables import unique_rows
from horde.errors import ConfigError
from horde.random import generator

TOPICS = 24
TAGS_OF_TOPIC = 20
COMMON_TAGS = 20
# Shares of likes outside the community's topic, of tags that tell no topic, and of friendships with
# users of other communities.
OTHER_LIKES, OTHER_TAGS, OTHER_FRIENDS = 0.1, 0.2, 0.1
# Share of the pairs within a community that are friends.
DENSE = 0.75
# A draw that finds fewer new rows than this share of its size is the last.
LEAST_NEW = 0.001
LEAST_DRAWN = 1_000
FORMATS = ("parquet", "csv")


def generate_tables(
    folder: str | Path,
    *,
    users: int,
    items: int,
    likes: int,
    friends: int,
    tags: int,
    active: int,
    form: str = "parquet",
    seed: int = 0,
    log: Callable[[str], None] = print,
) -> None:
    """Write ``likes``, ``friends`` and ``tags``, as `horde.data.own_tables` reads them.

    Parameters
    ----------
    folder : path
        Target folder; created if missing.
    users, items : int
        Numbers of users and items, at least 2 each.
    likes, friends, tags : int
        Rows of the tables: different pairs (user, item), friendships, and pairs (item, tag).
    active : int
        Number of users who like something; they make up whole communities, but for the last one.
    form : {"parquet", "csv"}
        Form of the tables.
    seed : int
        Equal arguments give equal tables.
    log : callable
        Receives a message for each table.

    Raises
    ------
    ConfigError
        If a number is out of range, or too large for the others.
    """
    choice("format", form, FORMATS)
    if min(users, items) < 2 or not 1 <= active <= users or min(likes, friends, tags) < 1:
        raise ConfigError(
            "generated tables need 2 users and 2 items or more, 1 like, friendship and tag or "
            f"more, and from 1 active user to all {users}"
        )
    rng = generator("planted", seed, "data")
    # Communities have room for their share of the friendships.
    size = 1 + int(np.ceil(2 * friends / users * (1 - OTHER_FRIENDS) / DENSE))
    topic_of_item = rng.integers(TOPICS, size=items)
    topic_of_user = rng.integers(TOPICS, size=-(-users // size))[np.arange(users) // size]
    names = {
        "user": ("u", users),
        "friend": ("u", users),
        "item": ("i", items),
        "tag": ("t", TOPICS * TAGS_OF_TOPIC + COMMON_TAGS),
    }
    for table, titles, rows in (
        ("likes", ("user", "item"), _likes(rng, likes, topic_of_user[:active], topic_of_item)),
        ("friends", ("user", "friend"), _friends(rng, friends, users, size)),
        ("tags", ("item", "tag"), _tags(rng, tags, topic_of_item)),
    ):
        columns = {
            title: _named(rows[:, place], *names[title]) for place, title in enumerate(titles)
        }
        path = Path(folder) / f"{table}.{form}"
        _write(pa.table(columns), path, form)
        log(f"{path}: {len(rows):,} rows")


def _likes(rng, count: int, topic_of_user: np.ndarray, topic_of_item: np.ndarray) -> np.ndarray:
    by_topic = np.argsort(topic_of_item, kind="stable")
    ends = np.searchsorted(topic_of_item[by_topic], np.arange(TOPICS), side="right")
    sizes = np.bincount(topic_of_item, minlength=TOPICS)

    def draw(size):
        user = rng.integers(len(topic_of_user), size=size)
        topic = topic_of_user[user]
        liked = by_topic[ends[topic] - 1 - (rng.random(size) * sizes[topic]).astype(np.int64)]
        other = (rng.random(size) < OTHER_LIKES) | (sizes[topic] == 0)
        return np.column_stack(
            [user, np.where(other, rng.integers(len(by_topic), size=size), liked)]
        )

    return _distinct(rng, count, draw, "likes")


def _friends(rng, count: int, users: int, size: int) -> np.ndarray:
    def draw(number):
        one = rng.integers(users, size=number)
        start = one // size * size
        inside = start + rng.integers(size, size=number)
        other = (rng.random(number) < OTHER_FRIENDS) | (inside >= users)
        pairs = np.sort(
            np.column_stack([one, np.where(other, rng.integers(users, size=number), inside)]),
            axis=1,
        )
        return pairs[pairs[:, 0] < pairs[:, 1]]

    return _distinct(rng, count, draw, "friends")


def _tags(rng, count: int, topic_of_item: np.ndarray) -> np.ndarray:
    def draw(size):
        item = rng.integers(len(topic_of_item), size=size)
        telling = topic_of_item[item] * TAGS_OF_TOPIC + rng.integers(TAGS_OF_TOPIC, size=size)
        common = TOPICS * TAGS_OF_TOPIC + rng.integers(COMMON_TAGS, size=size)
        return np.column_stack([item, np.where(rng.random(size) < OTHER_TAGS, common, telling)])

    return _distinct(rng, count, draw, "tags")


def _distinct(rng, count: int, draw: Callable[[int], np.ndarray], what: str) -> np.ndarray:
    """Return `count` distinct rows that `draw` gives, in random order."""
    rows = np.empty((0, 2), dtype=np.int64)
    while len(rows) < count:
        before, drawn = len(rows), max(2 * (count - len(rows)) + 10, LEAST_DRAWN)
        rows = unique_rows(np.concatenate([rows, draw(drawn)]))
        if len(rows) < min(count, before + LEAST_NEW * drawn):
            raise ConfigError(
                f"{count} {what} are too many: a draw of {drawn} found {len(rows) - before} new "
                f"ones beside {before}; ask for clearly fewer, or for more (active) users or items"
            )
    return rows[rng.permutation(len(rows))[:count]]


def _named(places: np.ndarray, prefix: str, count: int) -> pa.DictionaryArray:
    names = pa.array([f"{prefix}{place}" for place in range(count)])
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), names)


def _write(table: pa.Table, path: Path, form: str) -> None:
    stream = pa.BufferOutputStream()
    if form == "parquet":
        pq.write_table(table, stream)
    else:
        texts = pa.schema([(title, pa.string()) for title in table.column_names])
        pa_csv.write_csv(table.cast(texts), stream, pa_csv.WriteOptions(quoting_style="needed"))
    files.write_bytes(path, stream.getvalue().to_pybytes())
