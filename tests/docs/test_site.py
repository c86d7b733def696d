"""The documentation site: how equations are set, and what its check finds."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from docutils import nodes

import horde

SITE = Path(__file__).parents[2] / "docs" / "site"


def module(name):
    spec = importlib.util.spec_from_file_location(f"site_{name}", SITE / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def equations():
    return module("equations")


def written(found):
    """Write a text's nodes as a reader sees them: indices after ``_``, powers after ``^``."""
    marks = {nodes.subscript: "_", nodes.superscript: "^"}
    return "".join(marks.get(type(node), "") + node.astext() for node in found)


@pytest.mark.parametrize(
    ("plain", "typeset"),
    [
        ("blockdiag(A_i)/sigma^2 + lambda L kron I_d", "blockdiag(A_i)/σ^2 + λ L ⊗ I_d"),
        ("x^T (P^-1)_ii x <= ||w_user||", "x^T (P^−1)_ii x ≤ ‖w_user‖"),
        ("-Lambda_ik/sqrt(deg_i deg_j)", "-Λ_ik/√(deg_i deg_j)"),
        ("c_m T_{m-2}, Lambda^1/2, alpha2", "c_m T_m−2, Λ^1/2, α₂"),
    ],
)
def test_equations_are_typeset(equations, plain, typeset):
    found = equations.typeset(plain)
    assert written(found) == typeset
    raised = [node for node in found if isinstance(node, nodes.superscript | nodes.subscript)]
    assert len(raised) == plain.count("^") + plain.count("_")


@pytest.mark.parametrize("name", ["load_dataset", "n_users", "lambdas", "--sigma", "lam-sigma"])
def test_names_are_not_equations(equations, name):
    assert written(equations.typeset(name)) == name


def test_bars_of_norms_are_no_substitutions_and_code_stays(equations):
    lines = ["The norm |r| of ``a|b``,", "and `cov`^-1."]
    equations.escape(None, "", "", None, None, lines)
    assert lines == [r"The norm \|r\| of ``a|b``,", r"and `cov`\ ^-1."]


@pytest.fixture
def site(tmp_path):
    """A site of two pages without a fault, on which search finds all public names."""
    check = module("check")
    titles, objects = {}, {}
    for name in {*check.public(check.SOURCE), *(f"horde.{name}" for name in horde.__all__)}:
        above, _, last = name.rpartition(".")
        if above:
            objects.setdefault(above, []).append([0, 0, 1, "", last])
        else:
            titles[name] = []
    index = json.dumps({"objects": objects, "alltitles": titles})
    (tmp_path / "searchindex.js").write_text(f"Search.setIndex({index})", "utf-8")
    (tmp_path / "a.html").write_text('<h1 id="here"></h1><a href="b.html#there">b</a>', "utf-8")
    (tmp_path / "b.html").write_text('<p id="there"><a href="https://x.org">x</a></p>', "utf-8")
    return tmp_path


def checked(site):
    command = [sys.executable, SITE / "check.py", site]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_site_without_a_fault_passes_and_other_addresses_are_listed(site):
    done = checked(site)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "https://x.org" in done.stdout


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ('<a href="c.html">c</a>', "a.html: there is no c.html"),
        ('<a href="b.html#nowhere">b</a>', "a.html: there is no place b.html#nowhere"),
        ('<a href="#nowhere">b</a>', "a.html: there is no place #nowhere"),
        ('<img src="c.png">', "a.html: there is no c.png"),
        ('<script src="https://x.org/y.js">', "a.html: loads https://x.org/y.js"),
    ],
)
def test_a_broken_link_is_found(site, page, message):
    (site / "a.html").write_text(page, "utf-8")
    done = checked(site)
    assert done.returncode == 1
    assert message in done.stdout


@pytest.mark.parametrize("name", ["horde.make", "horde.kernels.cg.turn", "horde run"])
def test_a_function_that_search_does_not_find_is_named(site, name):
    path = site / "searchindex.js"
    last = name.rpartition(".")[2]
    path.write_text(path.read_text("utf-8").replace(f'"{last}"', '"else"'), "utf-8")
    done = checked(site)
    assert done.returncode == 1
    assert f"search does not find {name}\n" in done.stdout
