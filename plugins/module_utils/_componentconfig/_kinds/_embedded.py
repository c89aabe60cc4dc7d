# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents within documents: arguments of scheduler plugins, configurations of admission plugins.

Each is of a kind of its own, and is judged as that kind is where it stands alone.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._values._paths import Path
from ._schema import Kind, find_kind
from ._types import Problem

__all__ = ["Embedded", "embedded"]

_ADMISSION = {
    "ResourceQuota": ("ResourceQuotaConfiguration", "Configuration"),
    "EventRateLimit": ("Configuration",),
    "PodTolerationRestriction": ("Configuration",),
    "PodSecurity": ("PodSecurityConfiguration",),
    "MutatingAdmissionWebhook": ("WebhookAdmissionConfiguration", "WebhookAdmission"),
    "ValidatingAdmissionWebhook": ("WebhookAdmissionConfiguration", "WebhookAdmission"),
    "MutatingAdmissionPolicy": ("MutatingAdmissionPolicyConfiguration",),
    "ValidatingAdmissionPolicy": ("ValidatingAdmissionPolicyConfiguration",),
}
"""The admission plugins whose configuration is a kind, and the names of that kind; others read what they like."""


class Embedded(NamedTuple):
    """A document at a path of the one around it; `data` always has apiVersion and kind."""

    path: Path
    data: dict[str, Any]
    kind: Kind


def embedded(kind: Kind, data: Mapping[str, Any], minor: int) -> Iterator[Embedded | Problem]:
    """The documents within data of a kind, and what keeps one from being read at all."""
    if kind.kind == "KubeSchedulerConfiguration":
        for index, profile in enumerate(data.get("profiles") or ()):
            for number, entry in enumerate(profile.get("pluginConfig") or ()):
                path: Path = ("profiles", index, "pluginConfig", number, "args")
                yield from _plugin_args(kind, entry.get("name", ""), entry.get("args"), path, minor)
    elif kind.kind == "AdmissionConfiguration":
        for index, plugin in enumerate(data.get("plugins") or ()):
            names = _ADMISSION.get(plugin.get("name", ""))
            if names is not None:
                yield from _admission(names, plugin.get("configuration"), ("plugins", index, "configuration"), minor)


def _plugin_args(outer: Kind, plugin: str, args: Any, path: Path, minor: int) -> Iterator[Embedded | Problem]:
    own = find_kind(outer.api_version, f"{plugin}Args")
    if own is None or not own.known_at(minor) or args is None:
        # A plugin that is not kube-scheduler's own: only that plugin knows its arguments.
        return
    if not isinstance(args, dict):
        yield Problem(path, f"must be a mapping: a {own.kind}", "embedded", args)
        return
    data = {**args, "apiVersion": args.get("apiVersion") or own.api_version, "kind": args.get("kind") or own.kind}
    if data["kind"] != own.kind:
        yield Problem(path + ("kind",), f"the arguments of {plugin} are a {own.kind}", "embedded")
        return
    yield from _document(data, (own.kind,), path, minor)


def _admission(names: tuple[str, ...], value: Any, path: Path, minor: int) -> Iterator[Embedded | Problem]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield Problem(path, f"must be a mapping: a {names[0]}", "embedded", value)
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            yield Problem(path + (key,), "is required, as a string", "embedded")
            return
    yield from _document(value, names, path, minor)


def _document(data: dict[str, Any], names: tuple[str, ...], path: Path, minor: int) -> Iterator[Embedded | Problem]:
    kind = find_kind(data["apiVersion"], data["kind"])
    if data["kind"] not in names:
        yield Problem(path + ("kind",), f"must be {' or '.join(names)}", "embedded")
    elif kind is None or not kind.known_at(minor):
        yield Problem(
            path + ("apiVersion",), f"this Kubernetes version knows no such version of {names[0]}", "embedded"
        )
    else:
        yield Embedded(path, data, kind)
