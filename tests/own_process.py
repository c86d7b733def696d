"""Python code in a process of its own, which can import what the tests can."""

import os
import subprocess
import sys


def printed(code, *arguments, folder=None, **environment):
    """Run code to its end, which must be a good one; return what it prints.

    The variables in `environment` are set beside ours.
    """
    command = [sys.executable, "-c", code, *arguments]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
