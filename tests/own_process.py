"""Python code in a process of its own, which can import what the tests can."""

import os
import subprocess
import sys


def printed(code, *arguments, **environment):
    """Run code with these arguments, and variables beside ours; return what it prints."""
    places = {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | places | environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
