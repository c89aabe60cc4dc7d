# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the files of a machine, and records what was there before. Private to configok.node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ._host_access import Host
from ._host_state import DIRECTORY, HostState, save_state
from ._package_manager import HostFile

__all__ = ["Changes", "mark_pending", "restore_files", "update_files", "write_files", "write_previous_files"]

_BEFORE = f"{DIRECTORY}/before"


@dataclass
class Changes:
    """What a step changed, or would change in check mode.

    owns_layout: we made the host a node, so that its files are ours.
    """

    changed: bool = False
    diff: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    owns_layout: bool = False

    def note(self, text: str) -> None:
        """Record a change that is not one of a file's text."""
        self.changed = True
        self.diff.append({"prepared": f"{text}\n"})


def write_files(
    host: Host, state: HostState, files: Iterable[HostFile], changes: Changes, *, check: bool, secret: bool = False
) -> None:
    """Write the files that differ. secret: the texts do not belong in a diff.

    The content of a file that was there before is kept first, and restart marks are set, so that a run that is killed
    between two steps loses neither.
    """
    for file in files:
        present = host.read(file.path)
        if present == file.content and host.mode(file.path) == file.mode:
            continue
        changes.changed = True
        hidden = "(secret)\n"
        changes.diff.append(
            {
                "before_header": file.path,
                "after_header": file.path,
                "before": "" if present is None else hidden if secret else present,
                "after": hidden if secret else file.content,
            }
        )
        if check:
            continue
        if file.path not in state.files:
            state.files[file.path] = _keep_former(host, file.path, present)
        mark_pending(state, file.restarts)
        state.in_progress = True
        save_state(host, state)
        host.write(file.path, file.content, file.mode)


def update_files(host: Host, state: HostState, files: Iterable[HostFile], changes: Changes, *, check: bool) -> None:
    """Write the files that differ, and keep what they were for a rollback."""
    for file in files:
        present = host.read(file.path)
        if not check and (present != file.content or host.mode(file.path) != file.mode):
            mode = file.mode if present is None else host.mode(file.path)
            former = {"text": present, "mode": mode, "restarts": list(file.restarts)}
            state.previous_files.setdefault(file.path, former)
        write_files(host, state, [file], changes, check=check)


def write_previous_files(host: Host, state: HostState, changes: Changes, *, check: bool) -> None:
    """Make the files what they were before the last update."""
    for path, former in sorted(state.previous_files.items()):
        if former["text"] is not None:
            file = HostFile(path, former["text"], former["mode"], tuple(former["restarts"]))
            write_files(host, state, [file], changes, check=check)
        elif host.exists(path):
            changes.note(f"{path} removed")
            if not check:
                mark_pending(state, former["restarts"])
                state.in_progress = True
                save_state(host, state)
                host.remove(path)


def mark_pending(state: HostState, units: Iterable[str]) -> None:
    """Note that units have to restart."""
    state.pending = sorted({*state.pending, *units})


def restore_files(host: Host, state: HostState, paths: Iterable[str]) -> list[str]:
    """Put back what was there before; return the paths that changed."""
    done = []
    for path in paths:
        former = state.files.get(path, "")
        if former:
            text = host.read(former)
            if text is not None and text != host.read(path):
                host.write(path, text, host.mode(former))
                done.append(path)
        elif host.remove(path):
            done.append(path)
    return done


def _keep_former(host: Host, path: str, text: str | None) -> str:
    if text is None:
        return ""
    kept = f"{_BEFORE}{path}"
    if host.read(kept) is None:
        host.write(kept, text, host.mode(path))
    return kept
