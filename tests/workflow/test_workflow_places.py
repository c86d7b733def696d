"""The same bytes wherever, and however, the workflow is started; and a report of them."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from browser import browser
from numpy._core import _multiarray_umath
from workflow_tree import ROOT, SCALE, TARGETS, TINY, Tree, clean_environment, fresh, offline

pytestmark = pytest.mark.slow
CURVE = "runs/lastfm/G-TS/tuned/0-1.npz"
# Every figure that nothing measured is drawn in, each of as little as there can be.
SMALL = """
datasets: {lastfm: {label: "My {music}: <b> it's"}}
figures: {regret: {policies: [G-TS], variants: [tuned]}, learning: {policies: [EG-IND, L-EG]}}
verdict: {claims: [R4]}
theory: {isolated: [0.5]}
sensitivity: {policies: [G-TS], alternatives: [max-norm]}
"""
FIGURES = ("data", "fig2a", "fig3", "figB", "sensitivity", "verdict")
EVERYTHING = {"scale": (*SCALE, "small.yaml"), "targets": (*TARGETS, *FIGURES)}
# What the linear algebra, the number of threads and the processor's features can change.
FEATURES = " ".join(_multiarray_umath.__cpu_dispatch__)
MACHINES = {
    "one core": ({"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": FEATURES}, 1, 4),
    "two cores": ({"OPENBLAS_CORETYPE": "Sandybridge"}, 2, 2),
}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The results of a run on more cores than there are, in a folder with spaces, offline."""
    folder = tmp_path_factory.mktemp("places")
    tree = small(folder / "a folder with spaces")
    tree.run("--cores", "8", **EVERYTHING, **offline(folder / "offline"))
    return tree.path / "results" / "tiny"


def small(path):
    tree = fresh(path)
    (tree.path / "small.yaml").write_text(SMALL, "utf-8")
    return tree


def deterministic(results):
    """Name -> bytes of what must not depend on the place."""
    kinds = ("summary/**/*.csv", "verdict.csv", "runs/**/*.npz")
    paths = [path for kind in kinds for path in results.glob(kind)]
    return {str(path.relative_to(results)): path.read_bytes() for path in paths}


def drawn(results):
    """Name -> bytes of the figures of a run, pictures and PDF."""
    figures = results.parent.parent / "figures" / "tiny"
    return {path.name: path.read_bytes() for path in figures.glob("*.p*")}


def assert_same(results, reference):
    """Table by table and figure by figure, so that what differs is named."""
    for made in (deterministic, drawn):
        found, expected = made(results), made(reference)
        assert found.keys() == expected.keys()
        assert [name for name in expected if found[name] != expected[name]] == []


def test_all_that_must_be_the_same_is_compared(reference):
    assert {"verdict.csv", "summary/sensitivity.csv", "summary/learned_graph.csv"} <= set(
        deterministic(reference)
    )
    # Data, Figures 2a, 3a, the learned graph, B, and the open choices: a PDF and a picture each.
    assert len(drawn(reference)) == 12


@pytest.fixture(scope="module")
def report(reference, tmp_path_factory):
    """A report of all that is there, made without a network."""
    folder = tmp_path_factory.mktemp("report")
    tree = Tree(reference.parent.parent).copy(folder / "copy")
    style = ("--report-stylesheet", "workflow/report/report.css")
    tree.run("--report", "report.html", *style, **EVERYTHING, **offline(folder / "offline"))
    return tree.path / "report.html"


def test_a_report_of_everything_is_styled_and_loads_nothing(report):
    text = report.read_text("utf-8")
    parts = ("1. Verdict", "verdict.html", "fig2a_lastfm_regret", "figB_theory", "sensitivity")
    style = (ROOT / "workflow/report/report.css").read_text("utf-8")
    assert [part for part in (*parts, style) if part not in text] == []
    assert not re.search(r"<(script|img|iframe)[^>]* src=[\"']?(https?:)?//", text)
    assert not re.search(r"<link[^>]* href=[\"']?(https?:)?//", text)


@pytest.mark.parametrize("width", [1200, 390])
def test_a_click_on_the_first_page_of_the_report_opens_a_picture(report, tmp_path, width):
    with browser(tmp_path) as page:
        page.open(report, width)
        link = "[...document.querySelectorAll('.prose a')].find((a) => /^My/.test(a.textContent))"
        page.wait_for(f"{link} !== undefined")
        assert page.run(f"{link}.textContent") == "My (music): <b> it's"
        page.run(f"{link}.scrollIntoView({{block: 'center'}})")
        shown = "document.querySelector('#app nav ~ div img')?.naturalWidth > 1000"
        page.click_until(shown, f"{link}?.getBoundingClientRect()")
        assert page.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("machine", MACHINES)
def test_other_cores_threads_linear_algebra_and_processor_features(reference, tmp_path, machine):
    environment, cores, threads = MACHINES[machine]
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
    environment = environment | dict.fromkeys(names, str(threads))
    tree = small(tmp_path / "tree")
    tree.run("--cores", str(cores), **EVERYTHING, **environment)
    assert_same(tree.path / "results" / "tiny", reference)


def test_killed_three_times_and_resumed_without_redoing_what_was_finished(reference, tmp_path):
    tree = small(tmp_path / "tree")
    results = tree.path / "results" / "tiny"

    def written():
        return {(path, path.stat().st_mtime_ns) for path in results.glob("runs/*/*/*/*.npz")}

    kept = []
    for enough in (1, 3, 5):  # of the six files of runs
        tree.killed(
            lambda enough=enough: len(written()) >= enough,
            *EVERYTHING["targets"],
            scale=EVERYTHING["scale"],
        )
        kept.append(written())
    tree.run(**EVERYTHING)
    assert_same(results, reference)
    # The one that was just being finished at a kill has no record yet of being whole. It is done
    # again, perhaps after the next kill.
    seen, last = set(), written()
    for files in kept:
        assert len(files - seen - last) <= 1
        seen |= files


def test_a_job_killed_in_mid_run_goes_on_from_its_saved_state(tmp_path):
    """A run that learns a graph, killed between two of its estimates."""
    tree = fresh(tmp_path / "tree")
    module = tree.path / "src/horde/simulation/loop.py"
    text = module.read_text("utf-8")
    for seconds in ("SAVE_SECONDS = 30.0", "STEP_SECONDS = 0.2"):
        assert seconds in text
        text = text.replace(seconds, f"{seconds.partition(' ')[0]} = 0.0")
    module.write_text(text, "utf-8")
    longer = "rounds: 4000\npolicies: {L-EG: {tuned: {every: 400}}}\n"
    scale = tree.scale(longer, below=TINY)
    run = "results/tiny/runs/lastfm/L-EG/tuned/0-1.npz"
    tree.run(scale=scale, targets=("results/tiny/tuning/lastfm/L-EG.json",))
    whole = tree.copy(tmp_path / "whole")
    whole.run(scale=scale, targets=(run,))
    parts = tree.path / f"{run}.part"
    # Between two seeds, or in the first rounds of the second one.
    tree.killed((parts / "0.npz").exists, run, scale=scale)
    tree.killed((parts / "1.state.npz").exists, run, scale=scale)
    assert not (tree.path / run).exists()
    tree.run(scale=scale, targets=(run,))
    assert (tree.path / run).read_bytes() == (whole.path / run).read_bytes()
    assert not parts.exists()
    record = (tree.path / run.replace("/runs", "/timing/runs")).with_suffix(".json")
    first, second = json.loads(record.read_text("utf-8"))["measured"]
    assert first["rounds"] == 4000
    assert 0 < second["rounds"] < 4000


def test_a_checkout_that_is_only_read(reference, tmp_path):
    """Nothing is written into it, and a kernel cache that can't be written does not matter."""
    tree = fresh(tmp_path / "checkout")
    before = set(tree.path.rglob("*"))
    for path in (tree.path, *before):
        path.chmod(path.stat().st_mode & ~0o222)
    out = tmp_path / "out"
    out.mkdir()
    environment = {"HORDE_KERNEL_CACHE": "/dev/null/kernels", "PYTHONDONTWRITEBYTECODE": "1"}
    tree.run("--directory", str(out), folder=out, targets=("fig2a",), **environment)
    assert set(tree.path.rglob("*")) == before
    assert (out / "results" / "tiny" / CURVE).read_bytes() == (reference / CURVE).read_bytes()


def test_an_installed_package_alone(reference, tmp_path):
    """`horde run` of the package as pip installs it, from a folder without the checkout."""
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--target", str(site)]
    run([sys.executable, "-m", "pip", "install", *options, str(source)], tmp_path)
    scales = (ROOT / "config.yaml", ROOT / "workflow" / "config" / "tiny.yaml")
    config = [word for path in scales for word in ("--configfile", path)]
    what = ["run", "--dataset", "lastfm", "--policy", "G-TS", "--seeds", "2"]
    command = [site / "bin" / "horde", *what, *config, "--to", "out"]
    shutil.rmtree(source)
    run(command, tmp_path, PYTHONPATH=str(site))
    assert (tmp_path / "out" / CURVE).read_bytes() == (reference / CURVE).read_bytes()


def run(command, folder, **environment):
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=clean_environment() | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("conda"), reason="conda is not on the path")
def test_environments_of_conda(reference, tmp_path):
    tree = fresh(tmp_path / "tree")
    tree.run("--sdm", "conda", targets=("fig2a",))
    curve = tree.path / "results" / "tiny" / CURVE
    assert curve.read_bytes() == (reference / CURVE).read_bytes()
