# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the help of a component: its flags with types and defaults, and its feature gates with stages and defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .. import ConfigError
from .._schema._feature_gates import Stage
from .._schema.overlays import OverlayFlag
from .file_format import COMPONENTS

_MAX_CHARACTERS = 4 * 1024 * 1024  # of a help text; that of kube-apiserver has 50,000
_USAGE = re.compile(r"^Usage:[ \t]*\n?[ \t]*([a-z][a-z-]{1,40})(?=[ \t\n])", re.MULTILINE)
# A flag: its shorthand, its name, the type of its value or nothing, two blanks or more, and what it is for.
_FLAG = re.compile(r" {2,8}(?:-\w, )?--([a-z][a-z0-9._-]{0,100})(\[=[^\]]{0,100}\])?(?: (\S.{0,100}?))?(?: {2,}(.*))?")
_OPTIONAL_VALUE = re.compile(r"\[=[^\]]*\]$")
_DEPRECATED = re.compile(r" \(DEPRECATED: .*$")
_GATE = re.compile(
    r"(?:(?P<component>[a-z][a-z0-9-]{0,40}):)?(?P<name>[A-Za-z][A-Za-z0-9]{0,100})=true\|false "
    r"\((?P<stage>[A-Z]+) - default=(?P<default>true|false)\)"
)
_STAGES: Mapping[str, Stage] = {"ALPHA": "Alpha", "BETA": "Beta", "GA": "GA", "DEPRECATED": "Deprecated"}
_GATES_FLAG = "feature-gates"
_KUBE = ("", "kube")  # the gates of Kubernetes itself; another name is that of a component built on its library
_VERSION = re.compile(r"(?:^|\s)v?1\.[0-9]{1,3}\.[0-9]{1,3}[0-9A-Za-z.+-]{0,60}")


class GateDefault(NamedTuple):
    """The stage and the default of a gate."""

    stage: Stage
    default: bool


class HelpText(NamedTuple):
    """What a component's help says. `gates` has alpha and beta gates only: help leaves out GA and deprecated ones."""

    component: str
    flags: Mapping[str, OverlayFlag]
    gates: Mapping[str, GateDefault]


def parse_help(text: str) -> HelpText:
    """Return what the help of a component says. Raises ConfigError for any other text."""
    if len(text) > _MAX_CHARACTERS:
        raise ConfigError(f"help of more than {_MAX_CHARACTERS} characters is that of no component")
    usage = _USAGE.search(text)
    component = usage.group(1) if usage else ""
    if component not in COMPONENTS:
        raise ConfigError(f"not the help of a component: its usage must name one of {', '.join(COMPONENTS)}")
    flags: dict[str, OverlayFlag] = {}
    gates: dict[str, GateDefault] = {}
    for name, type_name, lines in _blocks(text):
        if name != "help":
            flags[name] = OverlayFlag(type_name, _default_of(lines))
        if name == _GATES_FLAG and component != "kubeadm":  # kubeadm's gates are its own
            gates.update(_gates_of(lines))
    if not flags:
        raise ConfigError(f"the help of {component} shows no flag")
    return HelpText(component, flags, gates)


def parse_version(text: str) -> str:
    """Return the version in what a component prints: "v1.38.0" of "Kubernetes v1.38.0". Raises ConfigError."""
    match = _VERSION.search(text[:1000])
    if match is None:
        raise ConfigError(f"not a Kubernetes version: {text[:40].strip()!r}")
    return match.group().strip()


def _blocks(text: str) -> list[tuple[str, str, list[str]]]:
    """Return the name of each flag, the type of its value, and the lines of its text."""
    blocks: list[tuple[str, str, list[str]]] = []
    is_open = False
    for line in text.splitlines():
        match = _FLAG.fullmatch(line)
        if match is not None:
            name, optional, type_name, usage = match.groups()
            shown = "" if optional else _OPTIONAL_VALUE.sub("", type_name or "")
            blocks.append((name, shown, [usage or ""]))
            is_open = True
        elif is_open and line.startswith("   "):
            blocks[-1][2].append(line.strip())
        else:
            is_open = False
    return blocks


def _default_of(lines: list[str]) -> str | None:
    """Return the default at the end of a flag's text, None for the zero of its type, which help does not show."""
    text = _DEPRECATED.sub("", " ".join(lines))
    _before, separator, default = text.rpartition(" (default ")
    if not separator or not default.endswith(")"):
        return None
    value = default[:-1]
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def _gates_of(lines: list[str]) -> dict[str, GateDefault]:
    gates: dict[str, GateDefault] = {}
    for match in _GATE.finditer("\n".join(lines)):
        if (match["component"] or "") in _KUBE and match["stage"] in _STAGES:
            gates[match["name"]] = GateDefault(_STAGES[match["stage"]], match["default"] == "true")
    return gates
