# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes flags that a kubelet no longer has from its units and environment files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ._files import Changes, mark_pending
from ._host_access import Host
from ._host_state import HostState, save_state
from ._package_manager import HostFile

_ENVIRONMENT_FILES = ("/var/lib/kubelet/kubeadm-flags.env", "/etc/default/kubelet", "/etc/sysconfig/kubelet")
_UNIT = "/etc/systemd/system/kubelet.service"
_DROP_INS = f"{_UNIT}.d"
# What a line must be for its words to be flags of the kubelet: other lines start the agent's hooks.
_KUBELET_LINE = re.compile(r"ExecStart=\S*kubelet\s|Environment=\"?KUBELET|KUBELET_\w*=", re.ASCII)
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)", re.ASCII)
_LINE = re.compile(r"(?:[^\\\n]|\\.|\\\n)*\n?", re.DOTALL)


def flags_in(text: str) -> set[str]:
    """Return the names of the kubelet's flags in a unit or an environment file. Pure."""
    return {name for line in _lines(text) if _KUBELET_LINE.match(line) for name in _FLAG.findall(line)}


def without_flags(text: str, gone: Collection[str]) -> str:
    """Return a unit or an environment file without these flags and their values. Pure."""
    if not gone:
        return text
    names = "|".join(re.escape(name) for name in sorted(gone, key=len, reverse=True))
    value = r"(?:=(?:\"[^\"]*\"|'[^']*'|[^\s\"'\\]*)|[ \t]+(?!-)[^\s\"'\\$]+)?"
    flag = re.compile(rf"[ \t]*(?<![\w-])--(?:{names}){value}(?=[\s\"'\\]|$)", re.ASCII)
    return "".join(flag.sub("", line) if _KUBELET_LINE.match(line) else line for line in _lines(text))


def supported_flags(host: Host, kubelet: str, files: Iterable[HostFile], warnings: list[str]) -> list[HostFile]:
    """Return the files without the flags that this kubelet does not have. kubelet: the path of the program."""
    result = []
    for file in files:
        if file.has_flags:
            gone = _gone(host, kubelet, flags_in(file.content))
            result.append(file._replace(content=without_flags(file.content, gone)))
            # The one flag of ours that comes and goes: needed before 1.24, gone since 1.27.
            _warn(host, kubelet, gone - {"container-runtime"}, file.path, warnings)
        else:
            result.append(file)
    return result


def adjust_flags(host: Host, state: HostState, kubelet: str, changes: Changes) -> None:
    """Remove the flags that this kubelet does not have, and put back those that it has again."""
    drop_ins = [f"{_DROP_INS}/{name}" for name in host.names(_DROP_INS) if name.endswith(".conf")]
    for path in (*_ENVIRONMENT_FILES, _UNIT, *drop_ins):
        present = host.read(path)
        if present is None:
            state.flags.pop(path, None)
            continue
        former, adjusted = state.flags.get(path, ["", ""])
        base = former if former and present == adjusted else present
        gone = _gone(host, kubelet, flags_in(base))
        text = without_flags(base, gone)
        if text == present:
            continue
        changes.changed = True
        changes.diff.append({"before_header": path, "after_header": path, "before": present, "after": text})
        _warn(host, kubelet, gone, path, changes.warnings)
        # The record comes first: a run that is killed in between finds neither text, and starts from the file.
        state.flags[path] = [base, text]
        mark_pending(state, ["kubelet"])
        save_state(host, state)
        host.write(path, text, host.mode(path))
        if text == base:
            del state.flags[path]
            save_state(host, state)


def _gone(host: Host, kubelet: str, names: Collection[str]) -> set[str]:
    """Return the flags that the kubelet does not know; it parses them before it answers --version."""
    return {name for name in names if _is_unknown(host, kubelet, name)}


def _is_unknown(host: Host, kubelet: str, name: str) -> bool:
    result = host.run([kubelet, f"--{name}=", "--version"], timeout=30)
    return f"unknown flag: --{name}" in result.output + result.errors


def _warn(host: Host, kubelet: str, gone: Collection[str], path: str, warnings: list[str]) -> None:
    if gone:
        version = host.run([kubelet, "--version"], timeout=30).output.strip() or "the kubelet"
        flags = ", ".join(f"--{name}" for name in sorted(gone))
        warnings.append(f"{version} has no {flags}: removed from {path}")


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their ends; one that continues on the next is one line."""
    return (match[0] for match in _LINE.finditer(text) if match[0])
