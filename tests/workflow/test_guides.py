"""Commands of README and the guides: `horde` takes their options, Snakemake plans their jobs."""

import re
import shlex
import subprocess
from itertools import product
from pathlib import Path

import pytest
from workflow_tree import PAPER, clean_environment, forked, fresh

from horde import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDES = {page.stem: page.read_text("utf-8") for page in PAGES}
FENCED = re.compile(r"^```(\w*)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"\n\n((?: {4}\S.*\n)+)")


def fenced(page, language):
    return [block for found, block in FENCED.findall(GUIDES[page]) if found == language]


def commands(program):
    """Return the commands of all pages that start this program, each as its words.

    Those that differ by the number of cores only count once. A report needs a finished run, so
    other tests make it.
    """
    found = {}
    for page, text in GUIDES.items():
        blocks = [*fenced(page, "sh"), *INDENTED.findall(FENCED.sub("", text))]
        for line in "".join(blocks).replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[0] == program and "--report" not in words:
                found[re.sub("--cores (2|all) ", "", " ".join(words))] = words
    return [pytest.param(words, id=name) for name, words in sorted(found.items())]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A checkout with the files that the guides show: configurations, tables, and a policy."""
    made = fresh(tmp_path_factory.mktemp("guides") / "tree")
    shown = {"adding-a-dataset": "my-data", "adding-a-policy": "my-policy", "benchmark": "million"}
    for page, name in shown.items():
        (made.path / f"{name}.yaml").write_text(fenced(page, "yaml")[0], "utf-8")
    for folder, table in product(("my-data", "million"), ("likes", "tags", "friends")):
        (made.path / folder).mkdir(exist_ok=True)
        (made.path / folder / f"{table}.csv").touch()
    policy, _, entry = fenced("adding-a-policy", "python")
    (made.path / "src/horde/policies/epsilon_greedy.py").write_text(policy, "utf-8")
    made.append("src/horde/policies/registry.py", entry)
    (setting,) = re.findall(r"^ {4}(echo .*)", GUIDES["README"], re.MULTILINE)
    subprocess.run(setting, shell=True, cwd=made.path, check=True)
    return made


def test_every_command_line_is_found():
    for program, least in {"horde": 5, "snakemake": 10, "make": 5}.items():
        assert len(commands(program)) >= least


@pytest.mark.parametrize("words", commands("horde"))
def test_horde_takes_the_options(words, tree, monkeypatch):
    monkeypatch.chdir(tree.path)
    _, name, *options = words
    cli.commands.commands[name].make_context(name, options)


@pytest.mark.parametrize("words", commands("make"))
def test_make_has_the_target(words):
    done = subprocess.run(["make", "--question", "--dry-run", *words[1:]], cwd=ROOT, check=False)
    assert done.returncode != 2


@pytest.mark.slow
@pytest.mark.parametrize("words", commands("snakemake"))
def test_snakemake_plans_the_jobs(words, tree):
    code, said = forked([*words, "--dry-run", "--nolock"], tree.path, clean_environment())
    assert code == 0, said
    assert "total" in said


@pytest.mark.slow
def test_the_command_of_every_figure_of_the_gallery_draws_it(tree):
    names = [path.stem for path in (ROOT / "docs/results/figures").glob("*.png")]
    asked = [f"figures/paper/{name}.pdf" for name in names]
    said = tree.snakemake("--dry-run", scale=PAPER, targets=asked)
    for path in asked:
        assert path in said
