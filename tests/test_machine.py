"""The memory of the machine and of this process."""

import pytest
from own_process import printed

from horde.errors import ConfigError
from horde.machine import _group_limits, available_bytes, machine_bytes, peak_bytes, require_memory


def test_a_process_holds_some_of_the_memory_of_the_machine_and_can_take_more():
    assert 10_000_000 < peak_bytes() < machine_bytes()
    assert 10_000_000 < available_bytes() < machine_bytes()


def test_what_exceeds_the_memory_is_refused_in_three_parts():
    require_memory(1, "a letter", "write less")
    with pytest.raises(ConfigError, match=r"a book needs 1000000.0 GB .* GB: write less"):
        require_memory(1e15, "a book", "write less")


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("0::/job/step", "job/memory.max"),
        ("4:cpu,memory:/job/step", "memory/job/memory.limit_in_bytes"),
    ],
)
def test_a_limit_of_an_outer_control_group_counts(tmp_path, line, file):
    (tmp_path / "self").mkdir()
    (tmp_path / "self/cgroup").write_text(f"3:cpuset:/\n{line}\n")
    groups = tmp_path / "groups"
    (groups / file).parent.mkdir(parents=True)
    (groups / file).write_text("12345\n")
    inner = groups / file.replace("job/", "job/step/")
    inner.parent.mkdir()
    inner.write_text("max\n")
    assert _group_limits(tmp_path, groups) == [12345]


def test_without_control_groups_there_is_no_limit(tmp_path):
    assert _group_limits(tmp_path, tmp_path) == []


@pytest.mark.parametrize(("rarely", "searched"), [("", "tied\ntied\n"), ("collect_rarely()", "")])
def test_after_collect_rarely_few_objects_cause_no_search(rarely, searched):
    # The first object is out of reach while 10,000 more are made, the second at the end.
    code = f"""
from horde.machine import collect_rarely
class Tied:
    def __init__(self):
        self.me = self
    def __del__(self):
        print("tied")
{rarely}
Tied()
objects = [[] for _ in range(10_000)]
Tied()
"""
    assert printed(code) == searched
