"""The README's example runs as it stands, and shows what it says."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_library_example_runs_and_the_graph_helps():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    earned = dict(line.split() for line in done.stdout.splitlines())
    assert float(earned["G-EG"]) > float(earned["EG-IND"]) > 0
