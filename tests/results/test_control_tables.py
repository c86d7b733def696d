"""Tables of the controls: which runs are compared, and how."""

import numpy as np
import pytest

from horde import files
from horde.errors import DataError
from horde.figures import controls as figure
from horde.results import controls, runs
from horde.results.tables import as_written
from horde.simulation.loop import Curve

GRAPHS = {"none": "none", "permuted": "permuted", "given-mean": "given+mean"}
# Final ratios of seeds 0, 1 and 2.
RATIOS = {
    ("lastfm", "G-EG", "tuned"): (0.5, 0.6, 0.7),
    ("lastfm@permuted", "G-EG", "tuned"): (0.6, 0.6, 0.9),
    ("lastfm@permuted", "G-EG", "as-given"): (0.7, 0.8, 0.9),
    ("lastfm@none", "G-EG", "tuned"): (0.9, 0.9, 0.9),
    ("lastfm@given-mean", "G-EG", "tuned"): (0.4, 0.4, 0.4),
    ("lastfm", "M-EG", "tuned"): (0.5, 0.5, 0.5),
    ("lastfm@popularity", "Longest", "tuned"): (0.3, 0.3, 0.3),
    ("lastfm", "L-EG", "own-edges"): (0.8, 0.8, 0.8),
}


@pytest.fixture
def written(tmp_path):
    """Paths of the runs and of their records."""
    curves, records = [], []
    for (dataset, policy, variant), ratios in RATIOS.items():
        place = tmp_path / dataset / policy / variant
        curves.append(place / "0-2.npz")
        records.append(place / "0-2.json")
        found = {
            seed: Curve(np.array([5, 10]), np.array([1.0, 10 * ratio]), np.array([5.0, 10.0]))
            for seed, ratio in enumerate(ratios)
        }
        files.make_folder(place)
        runs.save(curves[-1], found, {})
        params = {} if policy == "Longest" else {"lam": 0.3}
        files.write_json(records[-1], {"experiment": {"params": params}})
    return curves, records


def test_ratios_have_the_graph_of_their_run_and_its_lambda(written):
    final = controls.final_ratios(*written, GRAPHS, range(3))
    table = controls.control_table(final).set_index(["policy", "graph", "reading"])
    assert table.loc[("G-EG", "given", "tuned"), "ratio_mean"] == pytest.approx(0.6)
    assert table.loc[("G-EG", "permuted", "as-given"), "ratio_mean"] == pytest.approx(0.8)
    assert table.loc[("G-EG", "given+mean", "tuned"), "lam"] == 0.3
    assert table.loc[("M-EG", "", "tuned"), "ratio_mean"] == pytest.approx(0.5)
    assert table.loc[("L-EG", "given", "own-edges"), "ratio_mean"] == pytest.approx(0.8)
    popular = table.loc[("Longest (popularity)", "", "tuned")]
    assert popular["ratio_mean"] == pytest.approx(0.3)
    assert np.isnan(popular["lam"])


def test_gains_are_paired_by_seed(written):
    gains = controls.gains_table(controls.final_ratios(*written, GRAPHS, range(3)))
    found = gains.set_index(["reading", "gain"])["difference"]
    expected = {
        ("tuned", "graph"): 0.3,
        ("tuned", "pooling"): 0.2,
        ("tuned", "friendship"): 0.1,
        ("tuned", "mean"): 0.4,
        ("tuned", "graph against mean"): -0.1,
        ("tuned", "graph on top of mean"): 0.1,
        ("as-given", "friendship"): 0.2,
    }
    assert found.to_dict() == pytest.approx(expected)
    friendship = gains[(gains["reading"] == "tuned") & (gains["gain"] == "friendship")].iloc[0]
    # The differences are 0.1, 0 and 0.2; Student's t with two degrees of freedom is 4.303.
    half = friendship["difference"] - friendship["difference_low"]
    assert half == pytest.approx(4.3027 * 0.1 / np.sqrt(3), rel=1e-4)


def test_a_record_that_says_nothing_is_refused(written):
    curves, records = written
    files.write_json(records[0], {"experiment": None})
    with pytest.raises(DataError, match="does not say what was run"):
        controls.final_ratios(curves, records, GRAPHS, range(3))


def test_missing_seeds_are_refused(written):
    with pytest.raises(DataError, match="seeds \\[3\\]"):
        controls.final_ratios(*written, GRAPHS, range(4))


def test_the_figure_is_drawn_from_the_tables_as_they_are_stored(written, tmp_path):
    final = controls.final_ratios(*written, GRAPHS, range(3))
    table, gains = (
        as_written(make(final)) for make in (controls.control_table, controls.gains_table)
    )
    figure.draw(table, gains, {"lastfm": "Last.fm"}, tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 10_000
    stated = files.read_json(tmp_path / "c.json")
    assert stated["seeds"] == 3
    assert stated["gains"]["Last.fm"][0]["policy"] == "G-EG"
    assert stated["gains"]["Last.fm"][0]["pooling"].startswith("0.2 [")
