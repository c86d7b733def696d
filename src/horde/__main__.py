"""The command `horde`, or how to install what it needs: the library works without that."""

import sys


def main() -> int:
    """Run the command line (`horde.cli`); return 1 if its packages are not installed."""
    try:
        from horde import machine

        machine.collect_rarely()
        from horde import cli

        return cli.main()
    except ModuleNotFoundError as missing:
        if not missing.name or missing.name.partition(".")[0] == "horde":
            raise
        print(
            f"horde: there is no package {missing.name!r}, since the library is installed alone. "
            "The command needs the rest: pip install '.[workflow]' in the repository.",
            file=sys.stderr,
        )
        return 1


if __name__ == "__main__":
    sys.exit(main())
