# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each file of the store is damaged in each phase: while the agent runs, before its start, before a boot."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from faults.bench_node import CHANGES, BenchNode
from faults.invariants import Condition, Expected
from faults.ledger import Ledger

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("no_fsync")]
WHERE = "in process"
LONG = 900.0
_UNSEEN = frozenset({"good", "init", "next", ""})


def _cut(part: Callable[[int], int]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[: max(0, part(len(data)))])

    return damage


def _content(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return damage


def _removed(path: Path) -> None:
    path.unlink()


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").write_text("in the way")


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nonexistent/target")


def _loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _elsewhere(path: Path) -> None:
    path.unlink()
    path.symlink_to("/proc/self/status")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _owned(path: Path) -> None:
    os.chown(path, 65534, 65534)
    path.chmod(0o666)


def _closed(path: Path) -> None:
    path.chmod(0)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "state file emptied": _cut(lambda length: 0),
    "state file cut after one byte": _cut(lambda length: 1),
    "state file cut in the middle": _cut(lambda length: length // 2),
    "state file cut before its last byte": _cut(lambda length: length - 1),
    "state file cut before its last two bytes": _cut(lambda length: length - 2),
    "state file: zeros": _content(lambda data: bytes(len(data))),
    "state file: one bit flipped": _content(
        lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1 if data else 1])
    ),
    "state file: noise before it": _content(lambda data: b"\xff\xfe{" + data),
    "state file: JSON of another shape": _content(lambda data: b'[{"kind": 1}]'),
    "state file: nothing but null": _content(lambda data: b"null"),
    "state file: deeply nested": _content(lambda data: b"[" * 100_000),
    "state file removed": _removed,
    "state file: a directory in its place": _directory,
    "state file: a dangling link in its place": _dangling,
    "state file: a link to itself in its place": _loop,
    "state file: a link to another file in its place": _elsewhere,
    "state file: a named pipe in its place": _pipe,
    "state file: another owner, open to all": _owned,
    "state file: no permissions": _closed,
}


def _on_good(node: BenchNode) -> None:
    node.good_node()


def _in_trial(node: BenchNode) -> None:
    node.good_node()
    node.begin(CHANGES["adopt and trial"])
    node.run(3)
    assert node.last_known_good() == "good"


def _rolled_back(node: BenchNode) -> None:
    node.good_node()
    node.begin(CHANGES["crash loop and rollback"])
    node.run(30)
    assert node.config_ok() == Condition("False", "using last-known-good (UID: good)")


def _refused(node: BenchNode) -> None:
    node.good_node()
    node.begin(CHANGES["refused"])
    node.run(10)


def _crashing(node: BenchNode) -> None:
    node.good_node()
    node.begin(CHANGES["crash loop and rollback"])
    node.run(1)
    assert node.started_with == ["deadly"]


# phase -> how to reach it, the configs that may run in the end, the allowed values of ConfigOK then
PHASES: dict[str, tuple[Callable[[BenchNode], None], set[str], set[str]]] = {
    "after the trial": (_on_good, {"good"}, {"True using current (UID: good)"}),
    "trial": (_in_trial, {"next"}, {"True using current (UID: next)"}),
    "crash loop": (_crashing, {"good"}, {"False using last-known-good (UID: good)"}),
    "rolled back": (_rolled_back, {"good"}, {"False using last-known-good (UID: good)"}),
    "refused": (_refused, {"good"}, {"False using last-known-good (UID: good)"}),
}
NEXT: dict[str, Callable[[BenchNode], object]] = {
    "the agent runs on": lambda node: None,
    "the agent starts": lambda node: setattr(node, "daemon", node.new_daemon()),
    "the component ends": lambda node: node.crash("kubelet"),
    "the machine boots": lambda node: node.reboot(),
}


def files_of(state: Path) -> list[str]:
    """Return the files of the store, with patterns instead of uids and hashes."""
    names = {_pattern(path.relative_to(state)) for path in state.rglob("*") if path.is_file()}
    return sorted(names - {".lock"})


def _pattern(path: Path) -> str:
    stem = "*" if len(path.stem) >= 36 else path.stem
    return str(path.parent / f"{stem}{path.suffix}")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("phase", PHASES)
def test_a_file_is_damaged(ledger: Ledger, tmp_path: Path, every: int, phase: str, damage: str) -> None:
    """The component starts with a valid config whatever the file contains, and the node adopts the assigned config."""
    harm: Callable[[Path], None] = DAMAGES[damage]
    cases = list(_cases(tmp_path / "template", phase))
    first = list(DAMAGES).index(damage) % every
    for name, what in cases[first::every]:
        detail = f"{name}, then {what}"
        with ledger.case(WHERE, damage, phase, detail) as case, _node(tmp_path) as node:
            before = _reach(node, phase)
            state = node.directory / "state"
            for path in [path for path in state.glob(name) if path.is_file()]:
                if _pattern(path.relative_to(state)) == name:
                    harm(path)
            NEXT[what](node)
            node.run(LONG)
            # A node falls back to the init config if last-known-good is no longer readable.
            lost = phase == "crash loop" and name == "last-known-good"
            case.check(_expected(phase, before, {"init"} if lost else set()), node.observe())


def _expected(phase: str, before: int, fallback: set[str]) -> Expected:
    _come, runs, says = PHASES[phase]
    runs = runs | fallback
    says = says | {f"False using last-known-good ({name})" for name in fallback}
    doomed = frozenset({"deadly"}) if phase in ("crash loop", "rolled back") else frozenset()
    return Expected(
        valid=frozenset({"init", "good", "next"}) | doomed,
        runs=frozenset(runs),
        good=frozenset(runs | ({""} if fallback else set())),
        starts=(before, before + 8),
        conditions=frozenset(Condition(*text.split(" ", 1)) for text in says),
        doomed=doomed,
        doomed_starts=4,
    )


def _cases(template: Path, phase: str) -> Iterator[tuple[str, str]]:
    with _node(template.parent, template.name) as node:
        _reach(node, phase)
        names = files_of(node.directory / "state")
    assert len(names) > 8
    for name in names:
        for what in NEXT:
            yield name, what


def _reach(node: BenchNode, phase: str) -> int:
    PHASES[phase][0](node)
    return len(node.started_with)


@contextmanager
def _node(directory: Path, name: str = "node") -> Iterator[BenchNode]:
    """Yield a node in a temporary directory, which is removed afterwards."""
    (directory / name).mkdir()
    try:
        yield BenchNode(directory / name)
    finally:
        shutil.rmtree(directory / name)
