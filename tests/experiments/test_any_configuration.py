"""Whatever bytes there are: a configuration, or an error with a line or a key."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from peak_memory import peak_bytes

from horde.errors import ConfigError
from horde.experiments import config

PAPER = Path(__file__).parents[2] / "config.yaml"
LINES = PAPER.read_text("utf-8").splitlines()
COMPLETE = config.load(PAPER)
PLACE = re.compile(r"line \d+|top level|nested")
KEY = re.compile(r"^ *[\w.+-]+: ", re.MULTILINE)
SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def config_case(folder, content):
    path = folder / "any.yaml"
    path.write_bytes(content)
    said = None
    try:
        assert set(config.load(COMPLETE, path)) == set(COMPLETE)
    except ConfigError as error:
        said = str(error)
    assert said is None or PLACE.search(said) or KEY.search(said), said


WORDS = "null 1 -1 1e3 1_0 0x1f 0o7 1:30 .inf .nan ~ = --- ... 2020-13-45 &a *a [ ] { {} ' | > ../y"
PHRASES = (
    "|!!bool x|!!int ''|!!float x|!!timestamp x|!!binary a|<<: 3|!!set {a}|!!map 3|[1, 1]|{a: b}"
    '|!!python/object/apply:os.system [true]|"\\uD800"|? [a]|- - 1|%YAML 9|a: 1|$(touch x)'
)
LONG = ["0x" + "f" * 5000, "9" * 5000, "59:" * 500 + "0.5"]
scalars = st.sampled_from([*WORDS.split(), *PHRASES.split("|"), *LONG]) | st.text(max_size=12)


@st.composite
def configurations(draw):
    """The paper's configuration with a few lines changed, cut, moved or doubled."""
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        key = lines[at].partition(":")[0]
        changes = [f"{key}: {draw(scalars)}", draw(scalars), f"  {lines[at]}", lines[at][1:]]
        lines[at] = draw(st.sampled_from([*changes, f"{lines[at]}\n{lines[at]}", f"{key}:"]))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


yamls = configurations() | st.lists(scalars, max_size=8).map(
    lambda texts: "\n".join(texts).encode("utf-8", "surrogatepass")
)


@settings(suppress_health_check=SHARED, max_examples=25)
@given(content=yamls)
@example(b"rounds: 0x" + b"f" * 5000)
@example(b"rounds: !!bool x")
@example(b"rounds: !!bool " + b"x" * 5000)
@example(b"x" * 500 + b": 1\n" + b"x" * 500 + b": 1")
@example(b"rounds: !" + b"x" * 5000 + b" 1")
@example(b"rounds: " + b"59:" * 500 + b"0.5")
@example(b"a: [" * 3000)
@example("a: \N{SNOWMAN}\nb: \x1f".encode())
@example(b"a: 1\nb: \xff")
def test_any_configuration(tmp_path, content):
    config_case(tmp_path, content)


@pytest.mark.slow
@settings(suppress_health_check=SHARED, max_examples=300)
@given(content=yamls)
def test_any_configuration_at_length(tmp_path, content):
    config_case(tmp_path, content)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["".join(f"k{i}: 1\n" for i in range(18_000)), f"a: [{'1,' * 99_000}1]", "{" * 199_000],
    ids=lambda text: text[:4],
)
def test_the_largest_configuration_takes_less_than_a_gigabyte(tmp_path, text):
    assert peak_bytes(config_case, tmp_path, text.encode()) < 1e9
