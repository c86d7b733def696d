"""The picture of a dataset."""

import pytest
from figure_tables import texts
from random_dataset import dataset_of

from horde.figures import description
from horde.results.description import describe


def table(edges):
    return describe(dataset_of([{0, 1}, {0, 1}, {2}, {3}], 4, edges), [0.125, 0.5])


def test_the_picture_says_what_it_shows(saved, tmp_path):
    path = tmp_path / "a.png"
    description.draw(table([(0, 1), (2, 3)]), "My $music$", path, generated=True)
    figure, caption = saved[0]
    words = texts(figure)
    assert "The data: My $music$" in words
    assert "generated data, not the paper's; 4 users; 4 items; 6 likes; 2 friendships" in words
    assert {"Components: 2", "Explained variance: 62.5 %"} <= {*words}
    assert all(axes.get_ylabel() for axes in figure.axes)
    assert caption["likes in common, friends"] == pytest.approx(0.5)  # 1 and 0
    assert "Homophily: strangers have none" in words


@pytest.mark.parametrize("edges", [[], [(0, 1)], [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]])
def test_few_or_all_friendships_can_be_drawn(edges, tmp_path):
    description.draw(table(edges), "D", tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 0
