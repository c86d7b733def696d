"""Comparisons, numbers and thresholds in the words of a reader of the paper."""

import math
import re
from collections.abc import Mapping

from horde.results.statistics import Interval

_DATASETS = {"lastfm": "Last.fm", "delicious": "Delicious"}
_VARIANTS = {
    "exploration-only": "learning from exploration rounds only",
    "five-cg": "with five CG steps",
    "five-cg-ours": "with five CG steps and our choices for the graph",
    "front": "exploring in the first tenth",
    "front-exploration-only": "exploring in the first tenth, learning from it only",
    "lam-0.01": "with \u03bb = 0.01",
    "ours": "with our choices for the graph",
    "paper": "with the paper's values",
    "theory-exploitation": "in exploitation rounds",
}
_SOLVERS = {
    "dense": "dense inverse",
    "cg": "CG",
    "local": "local solver",
    "numpy": "NumPy",
    "inverse": "full inverse each round",
    "anew": "pooling anew each round",
}
MINUS = "\u2212"
# The unit of a share.
PERCENT = " %"


def number(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits, thousands separated, never in powers of ten."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    return f"{value:,.{min(places, 9)}f}".replace("-", MINUS)


def bound(value: float) -> str:
    """Return a threshold as a rule writes it; a tolerance of rounding is 0."""
    return f"{value if abs(value) > 1e-6 else 0:,.6g}".replace("-", MINUS)


def size(column: str, value: float) -> str:
    """Return ``n = 1,024``."""
    return f"{column} = {value:,.9g}"


def dataset(name: str) -> str:
    """Return the name of a dataset, or of a variant of its data or its graph."""
    if isolated := re.fullmatch(r"theory-isolated-(\d+)", name):
        return f"synthetic data, {isolated[1]} % of users without friends"
    plain, _, changed = name.partition("@")
    return _DATASETS.get(plain, plain) + (f" ({changed})" if changed else "")


def run(policy: str, variant: str) -> str:
    """Return a policy with what is particular about its runs."""
    if variant in ("tuned", "theory"):
        return policy
    return f"{policy} {_VARIANTS.get(variant, f'({variant})')}"


def row(side: Mapping[str, str]) -> str:
    """Return the policy of a row of measured times, with its solver or variant."""
    if "variant" in side:
        return run(side["policy"], side["variant"])
    solver = side.get("solver", "none")
    return side["policy"] + (f" ({_SOLVERS.get(solver, solver)})" if solver != "none" else "")


def part_of_run(shares: tuple[float, ...]) -> str:
    """Return which rounds a regret is summed over."""
    first, last = shares[0], shares[-1]
    if (first, last) == (0, 1):
        return "final"
    return f"rounds {first * 100:g} to {last * 100:g} %"


def difference(interval: Interval, level: int) -> str:
    """Return a difference as lower or higher, with its interval."""
    value, low, high = interval
    text = _signed(value)
    if math.isnan(low):
        return text
    return f"{text} ({level} % interval: {_span(low, high)})"


def _signed(value: float) -> str:
    shown = _distance(value)
    if float(shown.replace(",", "")) == 0:
        return "the same"
    return f"{shown} {'lower' if value < 0 else 'higher'}"


def _distance(value: float) -> str:
    return f"{abs(value):.3f}" if abs(value) < 1 else number(abs(value))


def _span(low: float, high: float) -> str:
    near, far = sorted((low, high), key=abs)
    ends = (_signed(low), _signed(high)) if low < 0 < high else (_distance(near), _signed(far))
    return "the same" if ends[1] == _signed(0) else " to ".join(ends)


def measured(interval: Interval, unit: str, range_name: str) -> str:
    """Return a number with its unit and range: ``16.7\u00d7 (quartiles 16.0 to 17.4)``."""
    value, low, high = interval
    if unit == PERCENT:
        return f"{100 * value:.2f}{unit}"
    text = f"{number(value)}{unit}"
    if math.isnan(low) or low == high:
        return text
    return f"{text} ({range_name} {number(low)} to {number(high)})"


def bounds(at_least: float, at_most: float, unit: str) -> str:
    """Return what a rule asks of a number."""
    if unit == PERCENT:
        at_least, at_most = 100 * at_least, 100 * at_most
    asked = []
    if math.isfinite(at_least):
        asked.append(f"at least {bound(at_least)}{unit}")
    if math.isfinite(at_most):
        asked.append(f"at most {bound(at_most)}{unit}")
    return " and ".join(asked)


def growth_of(column: str) -> str:
    """Return the words for what a slope is measured over."""
    return "the cost of a CG step" if column == "work" else column
