"""Write the conda environments from the lock file: pip installs the same versions."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = """# Written by `make lock` from requirements.lock; do not edit.
{comment}
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python=3.12
  - pip
  - pip:
"""


def locked(lock: str) -> list[str]:
    """Return the lock file's requirements without their hashes, as `name==version [; marker]`."""
    return re.findall(r"^([\w.-]+==[^\\\n]*?) *\\?$", lock, flags=re.MULTILINE)


def environment(comment: str, requirements: list[str]) -> str:
    """Return a conda environment that installs these requirements."""
    lines = [f'    - "{requirement}"\n' for requirement in requirements]
    return HEAD.format(comment=comment) + "".join(lines)


def main() -> None:
    """Write both environments."""
    requirements = locked((ROOT / "requirements.lock").read_text("utf-8"))
    whole = environment("name: horde", [*requirements, "-e ."])
    (ROOT / "environment.yml").write_text(whole, "utf-8")
    jobs = (
        "# The environment of each job of `snakemake --sdm conda`. "
        "The workflow takes the package from src/."
    )
    folder = ROOT / "workflow" / "envs"
    (folder / "horde.yml").write_text(environment(jobs, requirements), "utf-8")


if __name__ == "__main__":
    main()
