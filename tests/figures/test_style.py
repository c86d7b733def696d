"""Looks of policies, labels in any script, ticks, and where labels are put."""

import itertools
import warnings

import numpy as np
import pytest
from figure_tables import regret_rows
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from horde.figures import regret, style
from horde.policies.registry import POLICIES

CHINESE = "我的音乐"


def drawn(label, folder):
    regret.draw(regret_rows(), "lastfm", folder / "a.png", title=label)
    return (folder / "a.png").read_bytes()


def test_every_policy_has_a_look_of_its_own_even_in_grey():
    def luminance(colour):
        return float(np.dot(to_rgb(colour), [0.299, 0.587, 0.114]))

    looks = style.looks([*POLICIES, "My policy", "Another", "A third"]).values()
    for a, b in itertools.combinations(looks, 2):
        same_stroke = (a.dashes, a.marker) == (b.dashes, b.marker)
        assert not same_stroke or abs(luminance(a.colour) - luminance(b.colour)) > 0.1
        assert (a.colour, a.dashes, a.marker) != (b.colour, b.dashes, b.marker)


def test_a_user_s_policy_looks_the_same_whatever_the_order_of_the_curves():
    names = [f"P{k:02}" for k in range(60)]
    many = style.looks(names)
    assert many == style.looks(reversed(names))
    assert len({(look.colour, look.dashes, look.marker) for look in many.values()}) == 60
    assert style.looks(["G-EG", "B", "A"])["A"] == style.looks(["A", "B"])["A"]


# Labels in any script


@pytest.mark.parametrize("label", [r"$x$ and $y$", r"50 % \alpha {b} <i>", "a$b", r"\$5_2^3"])
def test_special_characters_are_drawn_literally(label, saved, tmp_path):
    table = regret_rows().replace({"policy": {"CLUB": label}})
    regret.draw(table, "lastfm", tmp_path / "a.png", title=label)
    figure, _ = saved[0]
    labels = [text for text in figure.findobj(Text) if text.get_text().startswith(label)]
    assert [text.get_parse_math() for text in labels] == [False] * 3


def test_a_font_that_has_the_letters_is_used_where_one_is_installed(tmp_path, monkeypatch):
    """A Chinese label, with the fonts of this machine; without any, a warning that names it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with_fonts = drawn(CHINESE, tmp_path)
    if not caught:
        assert with_fonts == drawn(CHINESE, tmp_path)
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    with pytest.warns(
        UserWarning, match=f"text '{CHINESE} .*': the figure shows boxes; install"
    ) as named:
        boxes = drawn(CHINESE, tmp_path)
    assert len(named) == 1
    assert bool(caught) == (boxes == with_fonts)


# Ticks, and labels at the ends of curves


@given(st.floats(-3, 6), st.floats(0.05, 5))
def test_a_logarithmic_axis_has_three_readable_ticks_within_its_limits(low, decades):
    bounds = 10**low, 10 ** (low + decades)
    found = style.readable(*bounds)
    assert len(found) >= 3 or decades < 0.1
    assert len(found) <= 8
    assert bounds[0] <= min(found)
    assert max(found) <= bounds[1]


def test_ticks_are_powers_of_ten_where_there_are_enough():
    assert style.readable(50, 200_000) == [100, 1000, 10_000, 100_000]
    assert style.readable(15, 450) == [30, 100, 300]
    assert style.readable(150, 600) == [200, 300, 400, 600]


@given(
    st.lists(st.floats(0, 100), min_size=1, max_size=14).map(sorted),
    st.floats(0.1, 12),
)
def test_labels_keep_their_order_and_distance_within_bounds(wanted, gap):
    places = style.spread(np.array(wanted), gap, 0.0, 100.0)
    assert places.min() >= -1e-9
    assert places.max() <= 100 + 1e-9
    possible = min(gap, 100 / max(len(wanted) - 1, 1))
    assert (np.diff(places) >= possible - 1e-9).all()


def test_labels_that_are_far_enough_apart_stay_where_they_are():
    wanted = np.array([5.0, 20.0, 90.0])
    np.testing.assert_allclose(style.spread(wanted, 10, 0, 100), wanted)
    np.testing.assert_allclose(style.spread(np.array([50.0, 50.0]), 10, 0, 100), [45, 55])


def test_a_single_curve_that_ends_early_is_named_where_it_ends():
    look = style.Look("black", "-", "o", "early")
    axes = Figure().subplots()
    axes.set_xlim(0, 10)
    ends = [style.End(4, 0.5, look), style.End(10, 0.7, look._replace(label="whole"))]
    style.label_ends(axes, ends)
    named = {text.get_text(): text.xyann for text in axes.texts}
    assert named == {"early": (6, 0), "whole": (1, 0)}
    assert len(axes.patches) == 1


def test_a_long_title_and_note_stay_within_a_narrow_figure():
    title = "Figure 3a: learning the graph, regret on a dataset with a long name (lower is better)"
    notes = ["generated data, not the paper's", "mean and 95 % interval of ten runs", "more"]
    space = {"left": 0.65, "right": 1.65, "gap": 1, "bottom": 0.5}
    with style.styled():
        figure, _ = style.panels(1, title, notes, size=(3.2, 3), **space)
        renderer = FigureCanvasAgg(figure).get_renderer()
        width, height = figure.bbox.size
        boxes = [text.get_window_extent(renderer) for text in figure.texts]
        assert all(box.x0 >= 0 and box.x1 <= width and box.y1 <= height for box in boxes)
        top, below = sorted(boxes, key=lambda box: -box.y0)
        assert top.y0 >= below.y1
        assert below.y0 >= figure.axes[0].get_window_extent(renderer).y1
