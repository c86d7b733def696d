"""Figures: what they say, and that they are the same bytes every time."""

import itertools
import json
import os
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy._core import _multiarray_umath

from horde.errors import DataError
from horde.figures import labels, regret, scalability, style, ticks
from horde.policies.registry import POLICIES

CURVES = {"Random": 1.0, "LINUCB-IND": 0.9, "CLUB": 0.62, "G-TS": 0.6, "GOBLIN": 0.61}


def regret_rows(dataset="lastfm", params=("tuned", "paper"), seeds=3):
    rounds = np.arange(1, 41) * 100
    tables = []
    for variant, (policy, end) in itertools.product(params, CURVES.items()):
        ratio = end + (1 - end) * 800 / (800 + rounds)  # no exponential: the same digits everywhere
        half = 0.02 if seeds > 1 else np.nan
        tables.append(
            pd.DataFrame(
                {
                    "dataset": dataset,
                    "policy": policy,
                    "variant": variant,
                    "round": rounds,
                    "ratio_mean": ratio,
                    "ratio_low": ratio - half,
                    "ratio_high": ratio + half,
                    "seeds": seeds,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def timing_rows():
    rows = []

    def add(figure, policy, solver, n, d, edges, seconds, needs_gb=1.0):
        fits = needs_gb < 12
        seconds = seconds if fits else np.nan
        rows.append(
            {
                "figure": figure,
                "policy": policy,
                "solver": solver,
                "n": n,
                "d": d,
                "edges": edges,
                "seconds_per_round": seconds,
                "q25": 0.9 * seconds,
                "q75": 1.2 * seconds,
                "fits": fits,
                "needs_gb": needs_gb,
            }
        )

    for n, needs in ((256, 1.0), (1024, 5.0), (2048, 21.0)):
        add("1a", "GOBLIN", "dense", n, 25, n * n // 400, n**2 * 1e-6, needs)
    for n, (policy, solver) in itertools.product(
        (256, 1024, 16384, 32768), (("G-EG", "cg"), ("G-EG", "local"), ("CLUB", "none"))
    ):
        add("1a", policy, solver, n, 25, n * n // 400, n * (1e-6 if solver == "cg" else 1e-9))
    for edges in (10**5, 10**7):
        add("1a", "G-EG", "cg", 16384, 25, edges, edges * 1e-8)
    for d in (10, 100):
        add("1b", "GOBLIN", "dense", 1024, d, 2600, d**2 * 1e-4, d**2 / 100)
        add("1b", "CLUB", "none", 1024, d, 2600, d * 1e-6)
    return pd.DataFrame(rows)


DRAWERS = {
    "regret": lambda folder, **more: regret.draw(
        regret_rows(), "lastfm", folder / "a.pdf", folder / "a.png", **more
    ),
    "users": lambda folder, **more: scalability.draw(
        timing_rows(), "1a", folder / "a.pdf", folder / "a.png", **more
    ),
    "features": lambda folder, **more: scalability.draw(
        timing_rows(), "1b", folder / "a.pdf", folder / "a.png", **more
    ),
}


@pytest.fixture
def captured(monkeypatch):
    """The figures that would have been written, and their captions."""
    figures = []
    for module in (regret, scalability):
        monkeypatch.setattr(
            module, "save", lambda figure, _pdf, _png, caption: figures.append((figure, caption))
        )
    return figures


def texts(figure):
    found = [text.get_text() for text in figure.texts]
    found += [figure.get_suptitle()]
    for axes in figure.axes:
        found += [axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel()]
        found += [text.get_text() for text in axes.texts]
    return found


# Files

# Settings of a user's own: such as the style sheet has too, and such as it leaves alone.
THE_USERS = {"font.size": 20, "font.family": "serif", "savefig.dpi": 50, "axes.facecolor": "pink"}


@pytest.mark.parametrize("name", DRAWERS)
def test_same_rows_give_the_same_bytes_whatever_the_users_settings(name, tmp_path, caplog):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DRAWERS[name](tmp_path / "one")
        with matplotlib.rc_context(THE_USERS):
            DRAWERS[name](tmp_path / "two")
    assert caplog.messages == []  # of fonts that are not there, above all
    for suffix in ("pdf", "png", "json", "rst"):
        one, two = ((tmp_path / folder / f"a.{suffix}").read_bytes() for folder in ("one", "two"))
        assert one == two
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "a.json",
        "a.pdf",
        "a.png",
        "a.rst",
    ]


@pytest.mark.parametrize("name", ["regret", "users"])
def test_another_process_and_linear_algebra_give_the_same_bytes(tmp_path, name):
    code = (
        "import sys; from pathlib import Path; import test_figures as t;"
        "t.DRAWERS[sys.argv[1]](Path(sys.argv[2]))"
    )
    DRAWERS[name](tmp_path / "one")
    environment = {
        "PYTHONHASHSEED": "7",
        "MPLBACKEND": "svg",
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": " ".join(_multiarray_umath.__cpu_dispatch__),
    }
    subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code, name, str(tmp_path / "two")],
        check=True,
        cwd=Path(__file__).parent,
        env=os.environ | environment,
    )
    for suffix in ("pdf", "png"):
        one, two = ((tmp_path / folder / f"a.{suffix}").read_bytes() for folder in ("one", "two"))
        assert one == two, suffix


def test_caption_data_state_seeds_settings_and_what_the_caller_adds(tmp_path):
    DRAWERS["regret"](tmp_path, caption={"data": {"delicious": "pairs only"}})
    caption = json.loads((tmp_path / "a.json").read_text())
    assert caption["seeds"] == 3
    assert caption["params"] == ["tuned", "paper"]
    assert caption["rounds"] == 4000
    assert caption["data"] == {"delicious": "pairs only"}
    assert not caption["generated_data"]


# Regret


def test_regret_figure_shows_the_plotted_numbers_and_names_every_curve(captured, tmp_path):
    DRAWERS["regret"](tmp_path, label="Last.fm")
    figure, _ = captured[0]
    assert len(figure.axes) == 2
    table = regret_rows()
    for axes, variant in zip(figure.axes, ("tuned", "paper"), strict=True):
        lines = [line.get_ydata() for line in axes.lines if len(line.get_ydata()) > 2]
        for policy, line in zip(CURVES, lines, strict=True):
            rows = table[(table.policy == policy) & (table.variant == variant)]
            np.testing.assert_array_equal(line, rows.ratio_mean)
    words = texts(figure)
    assert {"Random", "CLUB", "G-TS", "GOBLIN (local solver)"} <= set(words)
    assert {"Last.fm", "Tuned hyper-parameters", "The paper's hyper-parameters"} <= set(words)
    assert "mean and 95 % interval of 3 runs" in words


def test_generated_data_are_named_in_the_figure_itself(captured, tmp_path):
    DRAWERS["regret"](tmp_path, generated=True)
    assert any("generated data" in text for text in texts(captured[0][0]))
    DRAWERS["regret"](tmp_path)
    assert not any("generated data" in text for text in texts(captured[1][0]))


def test_two_runs_are_averaged_but_their_interval_is_not_drawn(captured, tmp_path):
    for seeds in (2, 3):
        regret.draw(regret_rows(seeds=seeds), "lastfm", tmp_path / "a.pdf", tmp_path / "a.png")
    (two, told), (three, told_of_three) = captured
    assert not told["bands"]
    assert told_of_three["bands"].startswith("95 %")
    assert "mean of 2 runs" in texts(two)
    assert [len(figure.axes[0].collections) for figure in (two, three)] == [0, len(CURVES)]


def test_a_setting_that_was_not_run_gets_no_panel(captured, tmp_path):
    table = regret_rows(params=("tuned",), seeds=1)
    regret.draw(table, "lastfm", tmp_path / "a.pdf", tmp_path / "a.png")
    figure, _ = captured[0]
    assert len(figure.axes) == 1
    assert "one run" in texts(figure)


def test_nothing_to_draw_is_refused(tmp_path):
    paths = (tmp_path / "a.pdf", tmp_path / "a.png")
    with pytest.raises(DataError, match="no curve of delicious"):
        regret.draw(regret_rows(), "delicious", *paths)
    with pytest.raises(DataError, match="nothing was measured for Figure 1c"):
        scalability.draw(timing_rows(), "1c", *paths)
    assert list(tmp_path.iterdir()) == []


# Scalability


def test_users_figure_has_small_sizes_large_sizes_and_the_sweep_of_edges(captured, tmp_path):
    DRAWERS["users"](tmp_path)
    figure, caption = captured[0]
    assert [axes.get_xlabel() for axes in figure.axes] == ["Users n", "Users n", "Edges"]
    assert [axes.get_title("left") for axes in figure.axes] == [
        "n = 256 to 2,048, d = 25",
        "n = 16,384 to 32,768, d = 25",
        "n = 16,384, d = 25",
    ]
    small, large, sweep = ([text.get_text() for text in axes.texts] for axes in figure.axes)
    assert sorted(small) == [
        "CLUB",
        "G-EG",
        "G-EG, local",
        "GOBLIN",
        "GOBLIN does not fit at n = 2,048: needs 21 GB",
    ]
    assert sorted(large) == ["CLUB", "G-EG", "G-EG, local"]
    assert sweep == ["G-EG"]
    assert [(row["n"], row["needs_gb"]) for row in caption["does_not_fit"]] == [(2048, 21.0)]


def test_large_sizes_show_one_density_only(captured, tmp_path):
    DRAWERS["users"](tmp_path)
    figure, _ = captured[0]
    sizes = [container.lines[0].get_xdata().tolist() for container in figure.axes[1].containers]
    assert sizes == [[16384, 32768]] * 3


def test_a_caption_says_how_seconds_grow():
    slopes = pd.DataFrame(
        {
            "policy": ["CLUB", "G-EG"],
            "solver": ["none", "cg"],
            "x": ["n", "edges"],
            "x_low": 512,
            "x_high": 2048,
            "slope": [1.079, 0.4],
            "slope_low": [0.25, np.nan],
            "slope_high": [1.914, np.nan],
        }
    )
    interval = "95 % interval"
    assert scalability.growth(slopes) == {
        "n = 512 to 2,048": [{"policy": "CLUB", "power_of_n": "1.08", interval: "0.25 to 1.91"}],
        "edges = 512 to 2,048": [{"policy": "G-EG (cg)", "power_of_edges": "0.40", interval: ""}],
    }


def test_a_caption_says_how_edges_grow_with_users():
    users, density = [256, 1024], [0.005]
    assert scalability.graphs(
        [
            {"users": users, "density": density, "degree": None},
            {"users": users[:1], "density": density, "degree": None},
            {"users": users[1:], "density": [0.001, *density], "degree": None},
            {"users": users, "density": density, "degree": None},
            {"users": users, "density": None, "degree": [16]},
        ]
    ) == [
        "density 0.005 (edges grow with n^2)",
        "density 0.005 at n = 256",
        "density 0.001 to 0.005 at n = 1,024",
        "degree 16 (edges grow with n)",
    ]


def test_paper_solvers_and_local_solvers_look_different(captured, tmp_path):
    DRAWERS["users"](tmp_path)
    lines = [container.lines[0] for container in captured[0][0].axes[1].containers]
    looks = {(line.get_linestyle(), line.get_markerfacecolor()) for line in lines[:2]}
    assert looks == {("-", "#00644A"), ("--", "white")}


@pytest.mark.parametrize("which", ["1a", "1b", "1c"])
def test_a_demonstration_says_so_within_the_figure(captured, tmp_path, which):
    rows = timing_rows()
    rows = rows[rows["figure"] == rows["figure"].iloc[0]].assign(figure=which, n=16384, edges=9)
    scalability.draw(rows, which, tmp_path / "a.pdf", tmp_path / "a.png", generated=True)
    figure, _ = captured[0]
    assert figure.get_suptitle().endswith("(demonstration)")
    with style.styled():
        title = figure._suptitle.get_window_extent(FigureCanvasAgg(figure).get_renderer())
    assert title.x1 <= figure.bbox.x1


# Looks and labels


def test_every_policy_has_a_look_of_its_own_even_in_grey():
    def luminance(colour):
        return float(np.dot(to_rgb(colour), [0.299, 0.587, 0.114]))

    looks = style.looks([*POLICIES, "My policy", "Another", "A third"]).values()
    for a, b in itertools.combinations(looks, 2):
        same_stroke = (a.dashes, a.marker) == (b.dashes, b.marker)
        assert not same_stroke or abs(luminance(a.colour) - luminance(b.colour)) > 0.1
        assert (a.colour, a.dashes, a.marker) != (b.colour, b.dashes, b.marker)


def test_a_policy_of_the_user_s_looks_the_same_whatever_the_order_of_the_curves():
    one, two = style.looks(["G-EG", "B", "A"]), style.looks(["A", "B"])
    assert (one["A"], one["B"]) == (two["A"], two["B"])
    assert style.looks([f"P{k:02}" for k in range(60)]) == style.looks(
        [f"P{k:02}" for k in reversed(range(60))]
    )
    many = style.looks([f"P{k:02}" for k in range(60)]).values()
    assert len({(own.colour, own.dashes, own.marker) for own in many}) == 60


@given(st.floats(-3, 6), st.floats(0.05, 5))
def test_a_logarithmic_axis_has_three_readable_ticks_within_its_limits(low, decades):
    bounds = 10**low, 10 ** (low + decades)
    found = ticks.readable(*bounds)
    assert len(found) >= 3 or decades < 0.1
    assert len(found) <= 8
    assert bounds[0] <= min(found)
    assert max(found) <= bounds[1]


def test_ticks_are_powers_of_ten_where_there_are_enough():
    assert ticks.readable(50, 200_000) == [100, 1000, 10_000, 100_000]
    assert ticks.readable(15, 450) == [30, 100, 300]
    assert ticks.readable(150, 600) == [200, 300, 400, 600]


@given(
    st.lists(st.floats(0, 100), min_size=1, max_size=14).map(sorted),
    st.floats(0.1, 12),
)
def test_labels_keep_their_order_and_distance_within_bounds(wanted, gap):
    places = labels.spread(np.array(wanted), gap, 0.0, 100.0)
    assert places.min() >= -1e-9
    assert places.max() <= 100 + 1e-9
    possible = min(gap, 100 / max(len(wanted) - 1, 1))
    assert (np.diff(places) >= possible - 1e-9).all()


def test_labels_that_are_far_enough_apart_stay_where_they_are():
    wanted = np.array([5.0, 20.0, 90.0])
    np.testing.assert_allclose(labels.spread(wanted, 10, 0, 100), wanted)
    np.testing.assert_allclose(labels.spread(np.array([50.0, 50.0]), 10, 0, 100), [45, 55])


def test_a_single_curve_that_ends_early_is_named_where_it_ends():
    look = style.Look("black", "-", "o", "early")
    axes = Figure().subplots()
    axes.set_xlim(0, 10)
    ends = [labels.End(4, 0.5, look), labels.End(10, 0.7, replace(look, label="whole"))]
    labels.label_ends(axes, ends)
    named = {text.get_text(): text.xyann for text in axes.texts}
    assert named == {"early": (6, 0), "whole": (1, 0)}
    assert len(axes.patches) == 1
