# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the flags of components inside other files: kubeadm's, and containers."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._scalars.field_path import Path, value_at
from ._flag_findings import Argument, flags_of
from ._pflag import FlagUse, parse_words

_ETCD = "etcd"
_PROGRAMS = (_ETCD, "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet")
_KUBELET = "kubelet"
_OF_CLUSTER: Sequence[tuple[Path, str]] = (
    (("apiServer",), "kube-apiserver"),
    (("controllerManager",), "kube-controller-manager"),
    (("scheduler",), "kube-scheduler"),
    (("etcd", "local"), _ETCD),
)
"""The sections of a ClusterConfiguration with extraArgs."""
_SHELLS = ("sh", "bash", "ash", "dash")
_END_OF_COMMAND = ("|", "&", ";", ">", "<", "1>", "2>")


ComponentArguments = tuple[str, tuple[Argument, ...]]
"""A component, and its flags in a file."""


def kubeadm_arguments(kind: str, data: Mapping[str, Any]) -> Iterator[ComponentArguments]:
    """Yield the extra arguments in a document of kubeadm.

    They are maps up to v1beta3 and then lists. kubeadm sorts those of a list by name and value, which decides which of
    several wins. A missing name in a list is left to kubeadm's own rule.
    """
    if kind == "ClusterConfiguration":
        sections = [((*section, "extraArgs"), component) for section, component in _OF_CLUSTER]
    elif kind in ("InitConfiguration", "JoinConfiguration"):
        sections = [(("nodeRegistration", "kubeletExtraArgs"), _KUBELET)]
    else:
        return
    for path, component in sections:
        arguments = _named(value_at(data, path), path)
        if arguments:
            yield component, tuple(arguments)


def _named(arguments: Any, path: Path) -> list[Argument]:
    if isinstance(arguments, Mapping):
        return [Argument((*path, name), str(name), str(value)) for name, value in arguments.items()]
    named = []
    for index, item in enumerate(arguments if isinstance(arguments, list) else ()):
        name, value = (item.get("name"), item.get("value")) if isinstance(item, Mapping) else (None, None)
        if isinstance(name, str) and name:
            part = "value" if value is not None and not name.startswith("-") else "name"
            named.append(Argument((*path, index, part), name, "" if value is None else str(value)))
    return sorted(named, key=lambda argument: (argument.name, argument.value))


def container_flags(container: Mapping[str, Any], path: Path) -> Iterator[ComponentArguments]:
    """Yield the flags of the component that a container starts. path: of the container.

    The program may come after another one that starts it, and may be in the script of a shell.
    """
    yield from _command_line(_words_of_shell(list(_words_of(container, path))))


def _words_of(container: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    for name in ("command", "args"):
        words = container.get(name)
        for index, word in enumerate(words if isinstance(words, list) else ()):
            yield (*path, name, index), str(word)


def _words_of_shell(words: Sequence[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Return the words of the first command with a component in the script of a shell, otherwise the words."""
    if len(words) < 3 or posixpath.basename(words[0][1]) not in _SHELLS or words[1][1] != "-c":
        return list(words)
    path, script = words[2]
    try:
        parts = shlex.split(script.replace("\\\n", " "), comments=True)
    except ValueError:
        return []
    start = next((index for index, part in enumerate(parts) if posixpath.basename(part) in _PROGRAMS), len(parts))
    command = []
    for part in parts[start:]:
        if part.startswith(_END_OF_COMMAND):
            break
        command.append((path, part.rstrip(";")))
        if part.endswith(";"):
            break
    return command


def _with_two_dashes(word: str) -> str:
    """Return a word of etcd's command line, whose library takes one dash before the name of a flag, too."""
    return f"-{word}" if word.startswith("-") and not word.startswith("--") else word


def _command_line(words: Sequence[tuple[Path, str]]) -> Iterator[ComponentArguments]:
    start = next((index for index, (_path, word) in enumerate(words) if posixpath.basename(word) in _PROGRAMS), None)
    if start is None:
        return
    component = posixpath.basename(words[start][1])
    of_flags = words[start + 1 :]
    if component == _ETCD:
        if of_flags and not of_flags[0][1].startswith("-"):
            return  # a command of its own, such as gateway, which has other flags
        of_flags = [(path, _with_two_dashes(word)) for path, word in of_flags]
    arguments = []
    for position, part in parse_words([word for _path, word in of_flags], flags_of(component).flags):
        path = of_flags[position][0]
        if isinstance(part, FlagUse):
            arguments.append(Argument(path, part.name, part.value))
        else:
            arguments.append(Argument(path, "", "", part))
    yield component, tuple(arguments)
