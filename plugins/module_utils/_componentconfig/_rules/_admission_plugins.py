# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check which admission plugins an AdmissionConfiguration names: kube-apiserver ignores entries that no plugin reads.

The rules have the ids of schema/kube_apiserver_validation_rules.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .._scalars._suggestion import MAX_SUGGESTIONS, did_you_mean
from .._schema._type_check import ADMISSION_KINDS
from .._schema.releases import minor_name
from . import value_table
from ._rule import EffectiveConfig, Rule, Violations, duplicates, values_at

_COMPONENT: Final = "kube_apiserver"


def _minors_by_name(table: str) -> dict[str, int]:
    """Return the minor of each name in a table of names by minor."""
    rows: Mapping[str, list[str]] = value_table(table, _COMPONENT)
    return {name: int(minor) for minor, names in rows.items() for name in names}


def admission_plugins(minor: int) -> frozenset[str]:
    """Return the names of the admission plugins that kube-apiserver has at a minor."""
    gone = _minors_by_name("admissionPluginsGone")
    added = _minors_by_name("admissionPlugins")
    return frozenset(name for name, since in added.items() if since <= minor < gone.get(name, minor + 1))


def _entries(config: EffectiveConfig) -> Iterator[tuple[tuple[Any, ...], str, Mapping[str, Any]]]:
    """Yield each entry: the path of its name, the name, and the entry."""
    for path, entry in values_at(config.data, "plugins[]"):
        yield path + ("name",), entry.get("name") or "", entry


def _named_once(config: EffectiveConfig) -> Violations:
    named = ((path, name) for path, name, _entry in _entries(config) if name)
    yield from duplicates(named, "the plugin is configured twice: only the first is read")


def _unknown(config: EffectiveConfig) -> Violations:
    known = admission_plugins(config.minor)
    added, gone = _minors_by_name("admissionPlugins"), _minors_by_name("admissionPluginsGone")
    suggestions = 0
    for path, name, entry in _entries(config):
        if name in known:
            continue
        if not name:
            yield path, "is required: kube-apiserver ignores an entry without a name"
        elif added.get(name, config.minor) > config.minor:
            since = minor_name(added[name])
            yield path, f"is an admission plugin from Kubernetes {since} on: an older kube-apiserver ignores the entry"
        elif name in gone:
            since = minor_name(gone[name])
            yield path, f"has not been an admission plugin since Kubernetes {since}: kube-apiserver ignores it"
        else:
            suggestions += 1
            suggestion = _suggestion(name, entry, known) if suggestions <= MAX_SUGGESTIONS else ""
            yield path, f"no admission plugin of kube-apiserver has this name, so it ignores the entry{suggestion}"


def _suggestion(name: str, entry: Mapping[str, Any], known: frozenset[str]) -> str:
    """Return which plugin was probably meant: one that reads the kind of the configuration, or has a similar name."""
    configuration = entry.get("configuration")
    kind = configuration.get("kind") if isinstance(configuration, dict) else None
    readers = {plugin for plugin, kinds in ADMISSION_KINDS.items() if plugin in known and kinds[0] == kind}
    if readers and kind != "Configuration":  # the kinds of several plugins have that name
        return did_you_mean(name, readers, alike=0.0)
    return did_you_mean(name, known)


def _unread(config: EffectiveConfig) -> Violations:
    readers, known = _minors_by_name("admissionReaders"), admission_plugins(config.minor)
    for path, name, entry in _entries(config):
        is_configured = entry.get("configuration") is not None or entry.get("path")
        if is_configured and name in known and readers.get(name, config.minor + 1) > config.minor:
            yield path, f"{name} reads no configuration: kube-apiserver ignores the entry"


ADMISSION_PLUGIN_RULES: dict[str, Rule] = {
    "admission-twice": _named_once,
    "admission-unknown": _unknown,
    "admission-unread": _unread,
}
