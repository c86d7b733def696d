"""README and the page of results: the example runs, and the verdicts are the published ones."""

import re
from pathlib import Path

import pandas as pd
import pytest
from own_process import printed

from horde.verdict.published import PLACES

README = Path(__file__).parents[1] / "README.md"
RESULTS = README.parent / "docs" / "results"
SHOWN = ("Last.fm", "lastfm"), ("Delicious", "delicious")


def test_the_library_example_runs_and_the_graph_helps():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    earned = dict(line.split() for line in printed(code).splitlines())
    assert float(earned["G-EG"]) > float(earned["EG-IND"]) > 0


@pytest.mark.parametrize(("name", "dataset"), SHOWN)
def test_what_the_graph_is_worth_is_the_published_number(name, dataset):
    """G-EG's final ratio in percent: given, users permuted, no graph; and M-EG's."""
    table = pd.read_csv(RESULTS / "summary" / "controls.csv").fillna({"graph": ""})
    table = table[(table["dataset"] == dataset) & (table["reading"] == "tuned")]
    ratios = table.set_index(["policy", "graph"])["ratio_mean"]
    asked = ("G-EG", "given"), ("G-EG", "permuted"), ("G-EG", "none"), ("M-EG", "")
    published = [f"{100 * ratios[key]:.0f}" for key in asked]
    text = README.read_text("utf-8").split("**Does the graph help?**")[1].split("\n\n")[0]
    told = re.search(rf"(\d+), (\d+), (\d+) on {name}", text).groups()
    means = dict(zip(dict(SHOWN), re.search(r"has (\d+) and (\d+)", text).groups(), strict=True))
    assert [*told, means[name]] == published


def test_the_reasons_name_the_published_verdicts():
    tables = pd.concat([pd.read_csv(RESULTS / name) for name in (PLACES.verdict, PLACES.timing)])
    named = {}
    for line in (RESULTS / "README.md").read_text("utf-8").splitlines():
        row = re.fullmatch(r"\| ((?:[SRLTBC]\d+(?:, )?)+) \|.*\| ([a-z ]+) \|.*\|", line)
        if row:
            named |= dict.fromkeys(row[1].split(", "), row[2])
    assert named == tables.set_index("claim")["verdict"].to_dict()
