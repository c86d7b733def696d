"""Programs in a Python of their own, for what depends on the order of imports or on variables."""

import os
import subprocess
import sys


def printed(program, *arguments, folder=None, **environment):
    """Run a program to its end, which must be a good one; return what it prints."""
    command = [sys.executable, "-c", program, *arguments]
    environment = os.environ | environment
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
