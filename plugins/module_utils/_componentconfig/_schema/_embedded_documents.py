# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the documents inside other documents: arguments of scheduler plugins, configuration of admission plugins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._findings import Finding
from .._scalars._field_path import Path
from ._kinds import Kind, find_kind

__all__ = ["EmbeddedDocument", "embedded_documents"]

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
"""The admission plugins whose configuration is a kind, with the names of that kind; other plugins read any data."""


class EmbeddedDocument(NamedTuple):
    """A document at a path of another document; `data` always has apiVersion and kind."""

    path: Path
    data: dict[str, Any]
    kind: Kind


def embedded_documents(kind: Kind, data: Mapping[str, Any], minor: int) -> Iterator[EmbeddedDocument | Finding]:
    """Yield the documents inside data of a kind, and a finding for each one that cannot be read."""
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


def _plugin_args(parent: Kind, plugin: str, args: Any, path: Path, minor: int) -> Iterator[EmbeddedDocument | Finding]:
    args_kind = find_kind(parent.api_version, f"{plugin}Args")
    if args_kind is None or not args_kind.known_at(minor) or args is None:
        return  # a third-party plugin: only that plugin knows its arguments
    if not isinstance(args, dict):
        yield Finding(path, f"must be a mapping: a {args_kind.kind}", "embedded")
        return
    data = {
        **args,
        "apiVersion": args.get("apiVersion") or args_kind.api_version,
        "kind": args.get("kind") or args_kind.kind,
    }
    if data["kind"] != args_kind.kind:
        yield Finding(path + ("kind",), f"the arguments of {plugin} are a {args_kind.kind}", "embedded")
        return
    yield from _known_document(data, (args_kind.kind,), path, minor)


def _admission(names: tuple[str, ...], value: Any, path: Path, minor: int) -> Iterator[EmbeddedDocument | Finding]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield Finding(path, f"must be a mapping: a {names[0]}", "embedded")
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            yield Finding(path + (key,), "is required, as a string", "embedded")
            return
    yield from _known_document(value, names, path, minor)


def _known_document(
    data: dict[str, Any], names: tuple[str, ...], path: Path, minor: int
) -> Iterator[EmbeddedDocument | Finding]:
    kind = find_kind(data["apiVersion"], data["kind"])
    if data["kind"] not in names:
        yield Finding(path + ("kind",), f"must be {' or '.join(names)}", "embedded")
    elif kind is None or not kind.known_at(minor):
        yield Finding(
            path + ("apiVersion",), f"this Kubernetes version knows no such version of {names[0]}", "embedded"
        )
    else:
        yield EmbeddedDocument(path, data, kind)
