"""The figure of the learned graphs: intervals over seeds."""

import pandas as pd
import pytest

from horde.figures import learned_graph
from horde.results.learned_graph import COLUMNS
from horde.results.statistics import t_interval

EDGES = [900, 1000, 1300]


@pytest.mark.parametrize("seeds", [2, 3])
def test_an_interval_over_seeds_is_drawn_from_three_on(seeds, saved, tmp_path):
    row = dict.fromkeys(COLUMNS, 0.0) | {"dataset": "lastfm", "policy": "L-EG", "given": 800}
    table = pd.DataFrame([row | {"seed": k, "edges": EDGES[k]} for k in range(seeds)])
    path = tmp_path / "a.png"
    learned_graph.draw(table, path, labels={"lastfm": "Last.fm"})
    figure, stated = saved[0]
    assert bool(stated["lines"]) is (seeds == 3)
    drawn = [path.vertices for lines in figure.axes[0].collections for path in lines.get_paths()]
    if seeds == 3:
        assert drawn[0][:, 0].tolist() == pytest.approx(t_interval(EDGES)[1:])
    else:
        assert drawn == []
