"""Changes of the rules, as a small repository's history has them."""

import subprocess

import pytest

from horde.verdict import history


def git(folder, *arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def entry(margin, statement="s"):
    return f"R1: {{statement: {statement}, seeds: verdict, rule: {{margin: {margin}}}}}\n"


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init")
    path = tmp_path / "claims.yaml"
    for text in (entry(1), entry(1) + "R2: {rule: {}, seeds: null}\n"):
        path.write_text(text, "utf-8")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-m", "x")
    return path


def test_a_rule_that_was_added_is_a_change(repository):
    assert [change[:2] for change in history.changes(repository)] == [("R2", "rule")]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (entry(2), "rule"),
        (entry(1, "t"), "wording"),
        (entry(1).replace("seeds:", "alternative: {reading: r}, seeds:"), "alternative reading"),
        (entry(1).replace("verdict", "learning"), "rule"),
    ],
)
def test_what_changed_is_named(repository, changed, what):
    repository.write_text(changed + "R2: {rule: {}, seeds: null}\n", "utf-8")
    assert history.changes(repository)[-1] == ("R1", what, "not committed")


def test_a_renamed_key_or_table_is_no_change(repository):
    old = "R2: {rule: {table: twins, where: {setting: x}}, seeds: null, beside: {reading: r}}\n"
    repository.write_text(entry(1) + old, "utf-8")
    git(repository.parent, "commit", "-am", "x")
    before = history.changes(repository)
    new = old.replace("twins", "counterparts").replace("setting", "variant")
    repository.write_text(entry(1) + new.replace("beside", "alternative"), "utf-8")
    assert history.changes(repository) == before
    repository.write_text(entry(1) + new.replace("x}", "y}"), "utf-8")
    assert history.changes(repository) == [*before, ("R2", "rule", "not committed")]


def test_without_a_history_nothing_is_claimed(tmp_path, repository, monkeypatch):
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--depth", "1", f"file://{tmp_path}", str(shallow))
    assert history.changes(shallow / "claims.yaml") is None
    monkeypatch.setenv("PATH", "")
    assert history.changes(repository) is None
