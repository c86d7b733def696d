"""The code of docs/using-elsewhere.md, run with the libraries that it names."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from river import bandit
from sklearn.base import clone
from sklearn.linear_model import Ridge

GUIDE = (Path(__file__).parents[2] / "docs" / "using-elsewhere.md").read_text("utf-8")
OBP = re.search(r"obp==([\w.]+)", GUIDE)[1]


def blocks(*headings):
    """Python of the page's beginning and of the sections under these headings."""
    sections = re.split(r"^## (.*)$", GUIDE, flags=re.MULTILINE)
    texts = dict(zip(["", *sections[1::2]], sections[::2], strict=True))
    return [
        code
        for heading in ("", *headings)
        for code in re.findall(r"```python\n(.*?)```", texts[heading], re.DOTALL)
    ]


def run(*headings):
    names = {"__name__": "guide"}
    for code in blocks(*headings):
        exec(code, names)
    return names


def test_the_versions_are_those_that_are_locked():
    named = re.search(r"river ([\d.]+), scikit-learn ([\d.]+) and obp ([\d.]+)\.", GUIDE)
    assert named[1] == metadata.version("river")
    assert named[2] == metadata.version("scikit-learn")
    assert named[3] == OBP


def test_scores_and_probabilities(capsys):
    names = run("Scores and probabilities")
    assert 0.05 < names["values"][names["best"]] <= 1
    assert "item" in capsys.readouterr().out


def test_users_join_and_are_served_as_their_friends(capsys):
    names = run("Scores and probabilities", "New users and new items")
    *_, old, new = capsys.readouterr().out.splitlines()
    assert old.split()[-1] == new.split()[-1]
    assert names["policy"].scores(61, names["items"]).any()


def test_a_river_policy_picks_and_learns_as_the_policy_alone(capsys):
    names = run("river")
    earned = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert float(earned["G-EG"]) > float(earned["EG-IND"])
    alone, total, agreed = names["started"]("G-EG", lam=1.0), 0.0, 0
    for arms, context, arm, reward in names["log"]:
        if arms[alone.choose(context["user"], names["items"][arms])] == arm:
            alone.learn(context["user"], names["items"][arm], reward)
            total, agreed = total + reward, agreed + 1
    adapted = names["RiverPolicy"](names["started"]("G-EG", lam=1.0), names["items"])
    found = bandit.evaluate_offline(adapted, names["log"])
    assert found[0].get() == pytest.approx(total)
    assert found[1] == agreed
    np.testing.assert_equal(adapted.policy.state(), alone.state())


def test_a_regressor_predicts_as_ridge_regression_and_can_be_cloned_and_fitted_in_parts(capsys):
    names = run("scikit-learn")
    assert names["search"].best_score_ > 0
    X, y = names["X"], names["y"]
    made = names["HordeRegressor"]("EG-SIN", lam=0.7)
    ridge = Ridge(alpha=0.7, fit_intercept=False).fit(X[:, 1:], y)
    whole = clone(made).fit(X, y)
    np.testing.assert_allclose(whole.predict(X), ridge.predict(X[:, 1:]), atol=1e-9)
    parts = clone(made).fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    np.testing.assert_equal(parts.policy_.state(), whole.policy_.state())
    assert whole.fit(X[:100], y[:100]).policy_.round_ == 100


@pytest.fixture
def obp(tmp_path, monkeypatch):
    """The real library, in a folder of its own; what it and its stand-in for torch load goes."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    done = subprocess.run([*command, tmp_path, f"obp=={OBP}"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"obp cannot be installed: {done.stderr}")
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("obp", "torch"):
            del sys.modules[name]


@pytest.mark.slow
def test_off_policy_estimates_are_near_the_truth(obp, capsys):
    sections = re.findall(r"^## (.*)$", GUIDE, flags=re.MULTILINE)
    names = run(*sections)
    from obp.simulator import run_bandit_simulation

    log, by_learner, truth = names["log"], names["by_learner"], names["truth"]
    weights = by_learner[np.arange(len(log["action"])), log["action"], 0] / log["pscore"]
    error = np.std(weights * log["reward"]) / np.sqrt(len(weights))
    assert names["estimates"]["ipw"] == pytest.approx(np.mean(weights * log["reward"]))
    assert 0 < error < abs(truth - log["reward"].mean()) / 5
    for estimate in names["estimates"].values():
        assert abs(estimate - truth) < 3 * error

    alone, adapted = names["started"]("G-TS"), names["wrapped"](names["started"]("G-TS"))
    chosen = run_bandit_simulation(log, adapted).argmax(axis=1)[:, 0]
    for user, row, action, reward in zip(
        log["context"][:, 0].tolist(), chosen, log["action"], log["reward"], strict=True
    ):
        assert alone.choose(user, names["items"][:5]) == row
        if row == action:
            alone.learn(user, names["items"][row], float(reward))
    np.testing.assert_equal(adapted.policy.state(), alone.state())
