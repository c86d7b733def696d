"""The recipes of docs/adding-a-dataset.md, run on a few lines in the published form."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from horde.data.acquire import acquire

GUIDE = (Path(__file__).parents[2] / "docs" / "adding-a-dataset.md").read_text("utf-8")
RECIPES = {
    name: (text, code)
    for name, text, code in re.findall(
        r"^\*\*([^*]+)\*\*((?:(?!\n\*\*).)*?)```python\n(.*?)```", GUIDE, re.DOTALL | re.MULTILINE
    )
}


def filmtrust():
    Path("ratings.txt").write_text("1 10 4\n2 10 4\n2 11 3\n4 11 3.5\n4 12 1\n", "utf-8")
    Path("trust.txt").write_text("2 4 1\n4 5 1\n", "utf-8")


def hetrec():
    Path("user_artists.dat").write_text("2\t51\t13883\n2\t52\t11690\n3\t51\t20\n", "utf-8")
    Path("user_friends.dat").write_text("2\t3\n3\t2\n", "utf-8")
    Path("user_taggedartists.dat").write_text("2\t52\t13\t1\t4\t2009\n", "utf-8")


def ciaodvd():
    films = "1,10,5,1,4,2013-07-04\n1,11,6,2,3,2013-07-04\n2,10,5,3,5,2013-07-04\n"
    Path("movie-ratings.txt").write_text(films, "utf-8")
    Path("trusts.txt").write_text("1,2,1\n", "utf-8")


def ciao():
    rated = np.array([[1, 10, 5, 5, 3, 9], [1, 11, 6, 2, 3, 9], [2, 10, 5, 4, 3, 9]])
    savemat("rating_with_timestamp.mat", {"rating": rated})
    savemat("trust.mat", {"trust": np.array([[1, 2], [2, 3]])})


# What writes a recipe's files, and the likes that they hold.
FILES = {
    "FilmTrust": (filmtrust, {("2", "10"), ("2", "11"), ("4", "11")}),
    "A copy of HetRec's Last.fm without header lines": (
        hetrec,
        {("2", "51"), ("2", "52"), ("3", "51")},
    ),
    "CiaoDVD": (ciaodvd, {("1", "10"), ("2", "10")}),
    "Ciao": (ciao, {("1", "10"), ("2", "10")}),
}


def test_every_recipe_is_run():
    assert set(RECIPES) == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_recipe_makes_tables_that_can_be_read(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my-data").mkdir()
    write, likes = FILES[name]
    write()
    text, code = RECIPES[name]
    exec(code, {})
    liked_from = re.search(r"`liked_from: (\d+)`", text)
    entry = {"kind": "tables", "folder": str(tmp_path / "my-data")}
    entry |= {"liked_from": float(liked_from[1])} if liked_from else {}
    tables, _ = acquire(entry, log=lambda _: None)
    found = zip(
        tables.user_ids[tables.likes[:, 0]], tables.item_ids[tables.likes[:, 1]], strict=True
    )
    assert {(str(user), str(item)) for user, item in found} == likes
    assert len(tables.item_tags) > 0
    assert len(tables.friends) > 0
