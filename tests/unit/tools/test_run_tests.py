# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`make test`: three lanes, all suites run, and one that fails is named."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
FAST = (sys.executable, "-c", "print('7 passed in 1s')")
FAILING = (sys.executable, "-c", "print('the reason'); raise SystemExit(3)")


@pytest.fixture
def run_tests(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("run_tests")


@pytest.fixture(params=[1, 2], ids=["one processor", "two processors"])
def processors(run_tests: Any, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(run_tests, "_processors", lambda: request.param)
    return int(request.param)


@pytest.fixture
def run(run_tests: Any, monkeypatch: pytest.MonkeyPatch, processors: int) -> Callable[..., int]:
    """Run these commands in two lanes; return the exit code."""

    def run_lanes(compute: dict[str, tuple[str, ...]], nodes: dict[str, tuple[str, ...]]) -> int:
        two = [run_tests.Lane("compute", compute), run_tests.Lane("nodes", nodes)]
        monkeypatch.setattr(run_tests, "lanes", lambda _arguments: two)
        return int(run_tests.main([]))

    return run_lanes


def test_all_lanes_run_and_the_last_line_has_the_figures(
    run: Callable[..., int], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run({"lint": FAST, "unit": FAST}, {"faults": FAST}) == 0
    lines = capfd.readouterr().out.splitlines()
    assert "unit          : 7 passed in 1s" in lines
    assert [line.split()[1:3] for line in lines[-4:-1]] == [["lint", "ok"], ["unit", "ok"], ["faults", "ok"]]
    assert lines[-1].startswith("test: 3 suites ok, 0 failed; ")


@pytest.mark.parametrize("lane", ["compute", "nodes"])
def test_a_suite_that_fails_is_named_and_the_others_run_all_the_same(
    run: Callable[..., int], capfd: pytest.CaptureFixture[str], lane: str
) -> None:
    failing = {"first": FAILING, "second": FAST}
    compute, nodes = (failing, {"other": FAST}) if lane == "compute" else ({"other": FAST}, failing)
    assert run(compute, nodes) == 1
    out = capfd.readouterr().out
    assert "test: the last lines of first:\n  the reason\n" in out
    assert out.splitlines()[-1].startswith("test: 2 suites ok, 1 failed: first; ")


def test_each_failed_test_is_named_right_before_the_last_line(
    run: Callable[..., int], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tests = tmp_path / "test_two.py"
    tests.write_text("def test_good(): pass\ndef test_bad(): assert 1 == 2, 'the reason'\n", encoding="utf-8")
    options = ("-c", str(ROOT / "pyproject.toml"), f"--rootdir={tmp_path}", f"--basetemp={tmp_path / 'temporary'}")
    suite = (sys.executable, "-m", "pytest", *options, str(tests))
    assert run({"unit": suite}, {"faults": FAST}) == 1
    named, closing = capfd.readouterr().out.splitlines()[-2:]
    assert re.match(r"test: unit +FAILED .*test_two\.py::test_bad", named)
    assert closing.startswith("test: 1 suites ok, 1 failed: unit; ")


def test_every_integration_test_is_in_one_lane(run_tests: Any) -> None:
    static, compute, nodes = run_tests.lanes(["-x"])
    assert [*static.commands, *compute.commands, *nodes.commands] == [
        "lint", "control", "unit", "integration", "molecule", "nodes", "faults", "conformance",
    ]  # fmt: skip
    for path in run_tests.ON_NODES:
        assert (run_tests.ROOT / path).is_dir()
        assert f"--ignore={path}" in compute.commands["integration"]
        assert path in nodes.commands["nodes"]
    users = {
        path.relative_to(run_tests.ROOT).parts[2]
        for path in Path(run_tests.ROOT, "tests/integration").rglob("*.py")
        if "support.machines" in path.read_text(encoding="utf-8")
    }
    assert users == {os.path.basename(path) for path in run_tests.ON_NODES}


def test_what_needs_no_nodes_has_workers_side_by_side(run_tests: Any, processors: int) -> None:
    _static, compute, nodes = run_tests.lanes(["-n0"])
    assert f"WORKERS={processors}" in compute.commands["control"]
    assert f"-n{processors}" in compute.commands["unit"]
    assert f"-n{processors + 1}" in compute.commands["integration"]
    for name in ("unit", "integration"):
        assert compute.commands[name].index("-n0") > 3, "what the user asks for comes later, and counts"
    assert not any(argument.startswith("-n") for argument in nodes.commands["nodes"] if argument != "-n0")


def test_what_needs_no_nodes_gives_way_to_what_does(run_tests: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert [lane.gives_way for lane in run_tests.lanes([])] == [True, True, False]
    show = (sys.executable, "-c", "import os; print(os.nice(0))")
    run_tests.Lane("compute", {"unit": show}, gives_way=True).run()
    run_tests.Lane("nodes", {"nodes": show}).run()
    of_compute, of_nodes = (int(line.split()[-1]) for line in capfd.readouterr().out.splitlines())
    assert of_compute == of_nodes + 5


@pytest.mark.parametrize("is_made", [True, False])
def test_what_control_runs_is_not_run_twice(
    run_tests: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_made: bool
) -> None:
    """Without the oldest Python, control runs nothing."""
    (tmp_path / ".venv-newest").mkdir()
    (tmp_path / ".venv-newest/.made").touch()
    if is_made:
        (tmp_path / ".venv-oldest").mkdir()
        (tmp_path / ".venv-oldest/.made").touch()
    monkeypatch.setattr(run_tests, "ROOT", tmp_path)
    monkeypatch.setenv("CONTROL", "tests/unit/a tests/unit/b")
    _static, compute, _nodes = run_tests.lanes([])
    ignored = [word for word in compute.commands["unit"] if word.startswith("--ignore=")]
    assert ignored == (["--ignore=tests/unit/a", "--ignore=tests/unit/b"] if is_made else [])
    assert "CONTROL_VENVS=.venv-oldest" in compute.commands["control"]
