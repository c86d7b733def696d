"""Start `horde` at the tiny scale, in this process."""

from pathlib import Path

from horde import cli

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "config.yaml"
TINY = ROOT / "workflow" / "config" / "tiny.yaml"


def configfiles(*paths):
    """Return the options that lay `paths` over each other."""
    return [word for path in paths for word in ("--configfile", str(path))]


def horde(command, *arguments, to, overlays=()):
    """Run a command that reads the configuration; return its exit code."""
    config = configfiles(PAPER, TINY, *overlays)
    return cli.main([command, *config, "--to", str(to), *map(str, arguments)])
