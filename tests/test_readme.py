"""The README says what is so: its example runs, its table of results is the published verdict."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd

from horde.verdict.published import VERDICTS

README = Path(__file__).parents[1] / "README.md"


def test_the_library_example_runs_and_the_graph_helps():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    earned = dict(line.split() for line in done.stdout.splitlines())
    assert float(earned["G-EG"]) > float(earned["EG-IND"]) > 0


def test_the_table_of_results_says_what_the_published_verdict_says():
    told = {}
    for line in README.read_text("utf-8").splitlines():
        row = re.fullmatch(r"\| ((?:[SRLTB]\d+(?:, )?)+) \|.*\| ([a-z ]+) \|.*\|", line)
        if row:
            told |= dict.fromkeys(row[1].split(", "), row[2])
    folder = README.parent / "docs" / "results"
    published = pd.concat([pd.read_csv(folder / name) for name in VERDICTS])
    assert told == dict(zip(published["claim"], published["verdict"], strict=True))
