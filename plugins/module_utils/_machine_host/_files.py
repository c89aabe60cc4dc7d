# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the files of a machine, and records what was there before."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from ._host_access import Host
from ._host_state import DIRECTORY, HostState, save_state
from ._package_manager import HostFile

_BEFORE = f"{DIRECTORY}/before"
_READ_BY_OTHERS = 0o044


@dataclass
class Changes:
    """What a step changed, or would change. owns_layout: we made the host a node, so its files are ours."""

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
    """Write the files that differ. secret: the texts do not belong in a diff, as do those that only root may read.

    The content of a file that was there before is kept first, and restart marks are set, so that a run that is killed
    between two steps loses neither.
    """
    for file in files:
        present = host.read(file.path)
        if present == file.content and host.mode(file.path) == file.mode:
            continue
        changes.changed = True
        is_secret = secret or not file.mode & _READ_BY_OTHERS
        hidden = "(secret)\n"
        changes.diff.append(
            {
                "before_header": file.path,
                "after_header": file.path,
                "before": "" if present is None else hidden if is_secret else present,
                "after": hidden if is_secret else file.content,
            }
        )
        if check:
            continue
        if file.path not in state.files:
            state.files[file.path] = _keep_former(host, file.path, present)
        _begin(host, state, file.restarts)
        host.write(file.path, file.content, file.mode)


def differs(host: Host, file: HostFile) -> bool:
    """Return whether a file is not as it is to be."""
    return host.read(file.path) != file.content or host.mode(file.path) != file.mode


def update_files(host: Host, state: HostState, files: Iterable[HostFile], changes: Changes, *, check: bool) -> None:
    """Write the files that differ, and keep what they were for a rollback."""
    for file in files:
        if not check and differs(host, file):
            _keep_previous(host, state, file.path, file.mode, file.restarts)
        write_files(host, state, [file], changes, check=check)


def retire_files(
    host: Host, state: HostState, paths: Collection[str], restarts: Collection[str], changes: Changes, *, check: bool
) -> None:
    """Remove files of ours that are no longer declared, or put back what was there before. A rollback undoes it.

    restarts: the units that have read them.
    """
    for path in sorted(paths):
        former = state.files[path]
        changes.note(f"{path} {'restored' if former else 'removed'}")
        if check:
            continue
        _keep_previous(host, state, path, host.mode(path), restarts)
        _begin(host, state, restarts)
        restore_files(host, state, [path])
        # The file is the user's from here on.
        if former:
            host.remove(former)
        del state.files[path]
        save_state(host, state)


def _keep_previous(host: Host, state: HostState, path: str, mode: int, restarts: Iterable[str]) -> None:
    """Record what a file is, for a rollback. mode: for a file that is not there."""
    text = host.read(path)
    former: dict[str, Any] = {"text": text, "mode": mode if text is None else host.mode(path)}
    former["restarts"] = list(restarts)
    if os.path.islink(host.path(path)):
        former["link"] = os.readlink(host.path(path))
    state.previous_files.setdefault(path, former)


def write_previous_files(host: Host, state: HostState, changes: Changes, *, check: bool) -> None:
    """Make the files what they were before the last update."""
    for path, former in sorted(state.previous_files.items()):
        if "link" in former:
            if _is_link(host, path, former["link"]):
                continue
            changes.note(f"{path} -> {former['link']}")
            if not check:
                _begin(host, state, former["restarts"])
                _link(host, path, former["link"])
        elif former["text"] is not None:
            file = HostFile(path, former["text"], former["mode"], tuple(former["restarts"]))
            write_files(host, state, [file], changes, check=check)
        elif host.exists(path):
            changes.note(f"{path} removed")
            if not check:
                _begin(host, state, former["restarts"])
                host.remove(path)


def mark_pending(state: HostState, units: Iterable[str]) -> None:
    """Note that units have to restart."""
    state.pending = sorted({*state.pending, *units})


def _begin(host: Host, state: HostState, units: Iterable[str]) -> None:
    """Record, before a file changes, that a change has begun, and which units have to restart for it."""
    mark_pending(state, units)
    state.in_progress = True
    save_state(host, state)


def restore_files(host: Host, state: HostState, paths: Iterable[str]) -> list[str]:
    """Put back what was there before; return the paths that changed."""
    done = []
    for path in paths:
        former = state.files.get(path, "")
        if former and os.path.islink(host.path(former)):
            target = os.readlink(host.path(former))
            if not _is_link(host, path, target):
                _link(host, path, target)
                done.append(path)
        elif former:
            text = host.read(former)
            if text is not None and text != host.read(path):
                host.write(path, text, host.mode(former))
                done.append(path)
        elif host.remove(path):
            done.append(path)
    return done


def _keep_former(host: Host, path: str, text: str | None) -> str:
    is_link = os.path.islink(host.path(path))
    if text is None and not is_link:
        return ""
    kept = f"{_BEFORE}{path}"
    if host.exists(kept):
        return kept
    if is_link:  # such as that of a masked unit
        _link(host, kept, os.readlink(host.path(path)))
    else:
        host.write(kept, text or "", host.mode(path))
    return kept


def _is_link(host: Host, path: str, target: str) -> bool:
    return os.path.islink(host.path(path)) and os.readlink(host.path(path)) == target


def _link(host: Host, path: str, target: str) -> None:
    """Make a path a link in one step."""
    place = host.path(path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    host.remove(f"{path}.configok-new")
    os.symlink(target, f"{place}.configok-new")
    os.replace(f"{place}.configok-new", place)
