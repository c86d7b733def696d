"""The figure of the learned graphs: intervals over seeds, and estimates that did not converge."""

import pandas as pd
import pytest

from horde.errors import DataError
from horde.figures import learned_graph
from horde.results.learned_graph import COLUMNS
from horde.results.statistics import t_interval

EDGES = [900, 1000, 1300]
ROW = dict.fromkeys(COLUMNS, 0.0) | {"dataset": "lastfm", "policy": "L-EG", "given": 800}


def rows(seeds):
    own = [{"seed": k, "edges": EDGES[k], "estimates": 2, "unconverged": k} for k in range(seeds)]
    return pd.DataFrame([ROW | each for each in own])


@pytest.mark.parametrize("seeds", [2, 3])
def test_an_interval_over_seeds_is_drawn_from_three_on(seeds, saved, tmp_path):
    learned_graph.draw(rows(seeds), tmp_path / "a.png", labels={"lastfm": "Last.fm"})
    figure, stated = saved[0]
    assert bool(stated["lines"]) is (seeds == 3)
    drawn = [path.vertices for lines in figure.axes[0].collections for path in lines.get_paths()]
    if seeds == 3:
        assert drawn[0][:, 0].tolist() == pytest.approx(t_interval(EDGES)[1:])
    else:
        assert drawn == []


def test_the_caption_counts_unconverged_estimates_of_the_datasets_that_are_drawn(tmp_path):
    path = tmp_path / "a.png"
    learned_graph.draw(rows(2), path, labels={"lastfm": "Last.fm", "else": "Else"})
    assert '"L-EG on lastfm": "1 of 4"' in path.with_suffix(".json").read_text("utf-8")
    assert path.stat().st_size > 0
    with pytest.raises(DataError, match="no learned graph"):
        learned_graph.draw(rows(2), path, labels={"else": "Else"})
