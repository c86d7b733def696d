"""Figures 1 and 2: what they say, and that they are the same bytes every time."""

import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from figure_tables import CURVES, regret_rows, texts, timing_rows
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy._core import _multiarray_umath
from own_process import printed

from horde.errors import DataError
from horde.figures import regret, scalability, style
from horde.figures.captions import EDGE, ZERO, Chosen

DRAWERS = {
    "regret": lambda folder, **more: regret.draw(regret_rows(), "lastfm", folder / "a.png", **more),
    "users": lambda folder: scalability.draw(timing_rows(), "1a", folder / "a.png"),
    "features": lambda folder: scalability.draw(timing_rows(), "1b", folder / "a.png"),
}


def different(one, two):
    """The files of two folders that differ; an error if one of them lacks a file."""
    places = {path.relative_to(top) for top in (one, two) for path in top.rglob("*.*")}
    return [place for place in places if (one / place).read_bytes() != (two / place).read_bytes()]


# Files

# Preferences of a user's own: such as the style sheet has too, and such as it leaves alone.
THE_USERS = {"font.size": 20, "font.family": "serif", "savefig.dpi": 50, "axes.facecolor": "pink"}


@pytest.mark.parametrize("name", ["regret", "features"])
def test_same_rows_give_the_same_bytes_whatever_the_users_preferences(name, tmp_path, caplog):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DRAWERS[name](tmp_path / "one")
        with matplotlib.rc_context(THE_USERS):
            DRAWERS[name](tmp_path / "two")
    assert caplog.messages == []  # of fonts that are not there, above all
    names = ["a.json", "a.pdf", "a.png", "a.rst"]
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == names
    assert different(tmp_path / "one", tmp_path / "two") == []


def draw_two(folder):
    for name in ("regret", "users"):
        DRAWERS[name](folder / name)


def test_another_process_and_linear_algebra_give_the_same_bytes(tmp_path):
    """Nor does it matter which backend a notebook's environment names, installed or not."""
    # Horde first: the test's own imports load matplotlib.
    code = "import horde.figures, sys, pathlib, test_figures as t; t.draw_two(pathlib.Path({!r}))"
    draw_two(tmp_path / "one")
    printed(
        code.format(str(tmp_path / "two")),
        PYTHONWARNINGS="error::UserWarning",
        PYTHONHASHSEED="7",
        MPLBACKEND="module://matplotlib_inline.backend_inline",
        OPENBLAS_CORETYPE="Prescott",
        NPY_DISABLE_CPU_FEATURES=" ".join(_multiarray_umath.__cpu_dispatch__),
    )
    assert different(tmp_path / "one", tmp_path / "two") == []


# Regret


def test_regret_figure_shows_the_plotted_numbers_and_names_every_curve(saved, tmp_path):
    more = {"title": "Figure 2a: regret on Last.fm", "caption": {"data": "pairs only"}}
    DRAWERS["regret"](tmp_path, **more)
    figure, caption = saved[0]
    stated = {"seeds": 3, "variants": ["tuned", "paper"], "rounds": 4000, "generated_data": False}
    assert caption.items() >= (stated | more["caption"]).items()
    assert len(figure.axes) == 2
    table = regret_rows()
    for axes, variant in zip(figure.axes, ("tuned", "paper"), strict=True):
        lines = [line.get_ydata() for line in axes.lines if len(line.get_ydata()) > 2]
        for policy, line in zip(CURVES, lines, strict=True):
            rows = table[(table.policy == policy) & (table.variant == variant)]
            np.testing.assert_array_equal(line, rows.ratio_mean)
    assert {
        *("Random", "CLUB", "G-TS", "GOBLIN (local solver)"),
        "Figure 2a: regret on Last.fm (lower is better)",
        *("Tuned hyper-parameters", "The paper's hyper-parameters"),
        "mean and 95 % interval of 3 runs",
    } <= {*texts(figure)}


def test_generated_data_are_named_in_the_figure_itself(saved, tmp_path):
    DRAWERS["regret"](tmp_path, generated=True)
    DRAWERS["regret"](tmp_path)
    generated, real = (any("generated data" in text for text in texts(made)) for made, _ in saved)
    assert generated
    assert not real


def test_two_runs_are_averaged_but_their_interval_is_not_drawn(saved, tmp_path):
    for seeds in (2, 3):
        regret.draw(regret_rows(seeds=seeds), "lastfm", tmp_path / "a.png")
    (two, stated_of_two), (three, stated_of_three) = saved
    assert not stated_of_two["bands"]
    assert stated_of_three["bands"].startswith("95 %")
    assert "mean of 2 runs" in texts(two)
    assert [len(figure.axes[0].collections) for figure in (two, three)] == [0, len(CURVES)]


def test_a_variant_that_was_not_run_gets_no_panel(saved, tmp_path):
    table = regret_rows(variants=("tuned",), seeds=1)
    regret.draw(table, "lastfm", tmp_path / "a.png")
    figure, _ = saved[0]
    assert len(figure.axes) == 1
    assert "one run" in texts(figure)


def test_nothing_to_draw_is_refused(tmp_path):
    path = tmp_path / "a.png"
    with pytest.raises(DataError, match="no curve of delicious"):
        regret.draw(regret_rows(), "delicious", path)
    with pytest.raises(DataError, match="nothing was measured for Figure 1c"):
        scalability.draw(timing_rows(), "1c", path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("apart", [0.0, 0.1])
def test_of_two_curves_that_coincide_the_lower_one_is_striped_where_the_other_covers_it(
    saved, tmp_path, apart
):
    table = regret_rows(variants=("tuned",))
    last = table["policy"] == "GOBLIN"  # drawn over all others
    late = (table["round"] > 2000)[last].to_numpy()
    below = table.loc[table["policy"] == "CLUB", "ratio_mean"].to_numpy()
    table.loc[last, "ratio_mean"] = below + np.where(late, apart, 0.05)
    regret.draw(table, "lastfm", tmp_path / "a.png")
    figure, _ = saved[0]
    *_, top = curves = [line for line in figure.axes[0].lines if len(line.get_xdata()) > 2]
    if apart:
        assert len(curves) == len(CURVES)
        return
    assert len(curves) == len(CURVES) + 1
    assert top.get_color() == style.looks(["CLUB"])["CLUB"].colour
    np.testing.assert_array_equal(top.get_ydata(), np.where(late, below, np.nan))


def test_the_chosen_hyper_parameters_stand_below_with_zeros_and_edges_marked(saved, tmp_path):
    chosen = {
        "CLUB": {"alpha": Chosen(0.0, ZERO), "lam": Chosen(10.0, EDGE)},
        "G-TS": {"lam": Chosen(0.3, ""), "scale": Chosen(0.01, "")},
        "Random": {},
    }
    DRAWERS["regret"](tmp_path, chosen=chosen)
    below = saved[0][0].texts[-1].get_text().replace("\N{NO-BREAK SPACE}", " ").splitlines()
    assert below[0] == "Chosen by tuning: CLUB α 0*, λ 10†; G-TS λ 0.3, scale 0.01."
    assert below[1].startswith(
        "* zero: with α or scale 0 a policy picks greedily; † the grid's smallest or largest value"
    )


# Scalability


def test_users_figure_has_small_sizes_large_sizes_and_the_sweep_of_edges(saved, tmp_path):
    DRAWERS["users"](tmp_path)
    figure, caption = saved[0]
    assert [axes.get_xlabel() for axes in figure.axes] == ["Users n", "Users n", "Edges"]
    assert [axes.get_title("left") for axes in figure.axes] == [
        "n = 256 to 2,048, d = 25",
        "n = 16,384 to 32,768, d = 25",
        "n = 16,384, d = 25",
    ]
    small, large, sweep = ([text.get_text() for text in axes.texts] for axes in figure.axes)
    refusal = "GOBLIN does not fit\nat n = 2,048: 21 GB"
    assert sorted(small) == ["CLUB", "G-EG", "G-EG, local", "GOBLIN", refusal]
    assert sorted(large) == ["CLUB", "G-EG", "G-EG, local"]
    assert sweep == ["G-EG"]
    assert [(row["n"], row["needs_gb"]) for row in caption["does_not_fit"]] == [(2048, 21.0)]
    # Of the densities swept at n = 16,384, the large sizes show one; solvers look different.
    lines = [container.lines[0] for container in figure.axes[1].containers]
    assert [line.get_xdata().tolist() for line in lines] == [[16384, 32768]] * 3
    looks = {(line.get_linestyle(), line.get_markerfacecolor()) for line in lines[:2]}
    assert looks == {("-", "#00644A"), ("--", "white")}


def test_a_caption_says_how_seconds_grow():
    columns = ["policy", "solver", "x", "slope", "slope_low", "slope_high"]
    rows = [("CLUB", "none", "n", 1.079, 0.25, 1.914), ("G-EG", "cg", "edges", 0.4, None, None)]
    slopes = pd.DataFrame(rows, columns=columns).assign(x_low=512, x_high=2048)
    interval = "95 % interval"
    assert scalability.growth(slopes) == {
        "n = 512 to 2,048": [{"policy": "CLUB", "power_of_n": "1.08", interval: "0.25 to 1.91"}],
        "edges = 512 to 2,048": [{"policy": "G-EG (cg)", "power_of_edges": "0.40", interval: ""}],
    }


def test_a_caption_says_how_edges_grow_with_users():
    users, density = [256, 1024], [0.005]
    sweeps = [
        (users, density, None),
        (users[:1], density, None),
        (users[1:], [0.001, *density], None),
        (users, density, None),
        (users, None, [16]),
    ]
    named = [dict(zip(("users", "density", "degree"), sweep, strict=True)) for sweep in sweeps]
    assert scalability.graphs(named) == [
        "density 0.005 (edges grow with n^2)",
        "density 0.005 at n = 256",
        "density 0.001 to 0.005 at n = 1,024",
        "degree 16 (edges grow with n)",
    ]


@pytest.mark.parametrize("which", ["1a", "1b", "1c"])
def test_a_demonstration_says_so_within_the_figure(saved, tmp_path, which):
    rows = timing_rows()
    rows = rows[rows["figure"] == rows["figure"].iloc[0]].assign(figure=which, n=16384, edges=9)
    scalability.draw(rows, which, tmp_path / "a.png", generated=True)
    figure, _ = saved[0]
    title, note = figure.texts
    assert title.get_text().startswith(f"Figure {which}")
    assert note.get_text().startswith("demonstration; ")
    with style.styled():
        renderer = FigureCanvasAgg(figure).get_renderer()
        assert all(text.get_window_extent(renderer).x1 <= figure.bbox.x1 for text in (title, note))
