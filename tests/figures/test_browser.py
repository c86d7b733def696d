"""The page of curves in a real browser: toggle, zoom, hover, keyboard, and a telephone's width."""

import pandas as pd
import pytest
from browser import browser
from figure_tables import regret_rows
from verdict_runs import CLAIMS

from horde.experiments.specifications import CHOICES
from horde.figures import pages
from horde.verdict.multiverse import VERDICT_COLUMNS

PLOT = "document.getElementById('chart-0-tuned')"
POLICY = "<b> & $x$"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "regret.html"
    table = regret_rows().replace({"policy": {"CLUB": POLICY}})
    learning = regret_rows(variants=("tuned",), seeds=1)
    panels = [pages.Panel("Figure 2a", "Data", table), pages.Panel("Figure 3a", "Data", learning)]
    pages.write_regret(path, panels, run="r", generated=False)
    return path


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(shared, path):
    shared.open(path, 1200)
    shared.wait_for(f"{PLOT}?.data?.length > 0")
    return shared


def shown(page):
    """The curves and bands of the first chart that can be seen."""
    return page.run(
        f"{PLOT}.data.filter((trace) => trace.visible ?? true).map((trace) => trace.legendgroup)"
    )


def limits(page, axis):
    return page.run(f"{PLOT}.layout.{axis}.range")


def press(page, name):
    page.run(
        "[...document.querySelectorAll('div[data-chart=chart-0-tuned] button')]"
        f".find((button) => button.textContent === '{name}').click()"
    )


def inside(page):
    """A place within the first chart's axes."""
    box = f"{PLOT}.querySelector('.nsewdrag').getBoundingClientRect()"
    x, y = page.run(f"(({{x, y}}) => [x, y])({box})")
    return x + 100, y + 100


def drawn(page):
    """The number of curves in the first chart's picture."""
    return page.run(f"{PLOT}.querySelectorAll('.scatterlayer .js-line').length")


def test_all_charts_are_drawn_and_nothing_is_loaded(page, path):
    charts = "document.querySelectorAll('.js-plotly-plot .scatterlayer').length"
    assert page.run(charts) == 3
    addresses = [address for address in page.asked if not address.startswith(("data:", "blob:"))]
    assert set(addresses) == {path.as_uri()}


def test_a_box_hides_a_curve_with_its_band_and_shows_it_again(page):
    before, lines = shown(page), drawn(page)
    box = "document.querySelector('fieldset[data-chart=chart-0-tuned] input[value=\"<b> & $x$\"]')"
    page.run(f"{box}.click()")
    assert len(before) - len(shown(page)) == 2
    assert not any("$x$" in name for name in shown(page))
    assert drawn(page) < lines
    page.run(f"{box}.click()")
    assert shown(page) == before
    press(page, "Hide all")
    assert shown(page) == []
    press(page, "Show all")
    assert shown(page) == before


def test_the_keyboard_alone_toggles_and_zooms(page):
    before, home = len(shown(page)), limits(page, "yaxis")
    page.run("document.body.focus()")
    seen = []
    for _ in range(40):
        page.key("Tab")
        seen.append(page.run("document.activeElement.value || document.activeElement.textContent"))
        on_a_box = page.run("document.activeElement.matches('fieldset input')")
        if on_a_box and len(shown(page)) == before:
            page.key(" ", "Space", " ")
        if seen[-1] == "Zoom in":
            page.key("Enter", text="\r")
            break
    assert len(shown(page)) < before
    assert "G-TS" in seen
    low, high = limits(page, "yaxis")
    assert home[0] < low < high < home[1]


def test_buttons_and_the_mouse_zoom_and_reset(page):
    home = limits(page, "xaxis"), limits(page, "yaxis")
    press(page, "Zoom in")
    assert limits(page, "xaxis")[1] == home[0][1]
    assert limits(page, "xaxis")[0] == pytest.approx(home[0][1] / 2)
    press(page, "Zoom out")
    press(page, "Zoom out")
    assert (limits(page, "xaxis"), limits(page, "yaxis")) == home  # not beyond the data
    x, y = inside(page)
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 150, y + 120, button="left", buttons=1)
    page.mouse("mouseReleased", x + 150, y + 120, button="left", clickCount=1)
    page.wait_for(f"{PLOT}.layout.xaxis.range[0] > 0")
    press(page, "Reset zoom")
    assert (limits(page, "xaxis"), limits(page, "yaxis")) == home


def test_pointing_at_the_chart_shows_values_of_all_curves(page):
    x, y = inside(page)
    page.mouse("mouseMoved", x + 100, y)
    page.mouse("mouseMoved", x + 105, y + 5)
    page.wait_for(f"{PLOT}.querySelectorAll('.hoverlayer text').length > 0")
    text = page.run(f"{PLOT}.querySelector('.hoverlayer').textContent")
    for name in (POLICY, "G-TS", "Random", " to "):
        assert name in text


def test_a_screen_reader_gets_names_and_text_instead_of_the_picture(page):
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    named = {
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    }
    assert {("checkbox", POLICY), ("button", "Zoom in")} <= named
    assert any("Curves, best first" in name for _, name in named)
    descriptions = [node.get("description", {}).get("value", "") for node in nodes]
    lowest = "After 4,000 rounds, G-TS has the lowest ratio"
    assert sum(text.startswith(lowest) for text in descriptions) == 3


@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_is_wider_than_the_window_and_charts_fill_it(page, path, width):
    page.open(path, width)
    page.wait_for(f"{PLOT}?.data?.length > 0")
    page.wait_for(f"{PLOT}.querySelector('.main-svg')?.getBoundingClientRect().width > 0")
    assert page.run("document.documentElement.scrollWidth") <= width
    chart = page.run(f"{PLOT}.querySelector('.main-svg').getBoundingClientRect().width")
    assert 0.85 * width < chart <= width
    # On a touch screen, a finger on the chart scrolls the page.
    assert page.run(f"{PLOT}._fullLayout.dragmode") == (False if width == 390 else "zoom")


def test_a_cleared_choice_of_the_multiverse_filters_only_claims_that_have_it(shared, tmp_path):
    first = {name: levels[0] for name, levels in CHOICES.items()}
    listed = pd.DataFrame([first] * 2).assign(specification=["A", "B"], tags=["set", "log"])
    rows = [("A", "R4"), ("B", "R4"), ("A", "R8")]
    table = pd.DataFrame(
        [(name, claim, 0.0, 0.0, 0.0, 0.01, "reproduced") for name, claim in rows],
        columns=VERDICT_COLUMNS,
    )
    page = tmp_path / "multiverse.html"
    pages.write_multiverse(page, CLAIMS, table, listed, run="r", generated=False)
    shared.open(page, 390)
    found = "document.getElementById('found').textContent"
    assert shared.run(found).startswith("2 specifications")
    shared.run("document.querySelector('#choices input').click()")
    assert shared.run(found).startswith("1 specification:")
    claim = "document.getElementById('claim')"
    shared.run(f"{claim}.value = 'R8'; {claim}.onchange()")
    assert shared.run(found).startswith("1 specification:")
    assert shared.run("document.documentElement.scrollWidth") <= 390
