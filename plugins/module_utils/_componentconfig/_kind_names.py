# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what to write instead of a kind or an API version that is unknown, old or no longer read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ._scalars._suggestion import most_similar
from ._schema.kinds import MAIN_KINDS, RENAMED_KINDS, Kind, kinds, version_order
from ._schema.releases import minor_name
from .findings import Finding, Level

_RULE = "kind"
_GONE_KINDS: Mapping[tuple[str, str], str] = {
    ("kubeadm.k8s.io", "MasterConfiguration"): "InitConfiguration and ClusterConfiguration replace it",
    ("kubeadm.k8s.io", "NodeConfiguration"): "JoinConfiguration replaces it",
    ("v1", "Policy"): "kube-scheduler reads no policy from Kubernetes 1.23 on: KubeSchedulerConfiguration replaces it",
}
"""What replaces a kind, by its group (or version, without a group) and name."""


def expected_kind(component: str | None) -> str:
    """Return which kind a component reads, for a message."""
    if component in MAIN_KINDS:
        return f"{component} reads a {MAIN_KINDS[str(component)]}"
    return f"{component} does not read this kind" if component else ""


def unknown_kind(api_version: str, name: str, component: str | None) -> Finding:
    """Return the finding for a kind, or an API version of a kind, that the data do not have."""
    if name == "ConfigMap" and not component:
        return Finding(("data",), "the ConfigMap holds no component config", _RULE)
    replacement = _GONE_KINDS.get((api_version.partition("/")[0], name))
    if replacement:
        return Finding(("kind",), f"is gone: {replacement}", _RULE)
    if name in RENAMED_KINDS:
        return Finding(("kind",), _old_name(name), _RULE)
    api_versions = _api_versions(name)
    if api_versions:
        return Finding(("apiVersion",), f"{name} is known in {', '.join(api_versions)}", _RULE)
    if component:
        return Finding(("kind",), expected_kind(component), _RULE)
    similar = most_similar(name, {kind.kind for kind in kinds()}, 0.85)
    hint = f"did you mean {similar}?" if similar else "not that of a component config such as KubeletConfiguration"
    return Finding(("kind",), f"unknown kind, {hint}", _RULE)


def old_name_findings(kind: Kind) -> Iterator[Finding]:
    """Yield a warning for a kind that has another name now."""
    if kind.kind in RENAMED_KINDS:
        yield Finding(("kind",), _old_name(kind.kind), _RULE, Level.WARNING)


def unread_version(kind: Kind, minor: int) -> str:
    """Return why a minor does not read a kind in its API version, and which one it reads, for a message."""
    end = f" to {minor_name(kind.last)}" if kind.last is not None else " on"
    names = (kind.kind, RENAMED_KINDS.get(kind.kind))
    readable = [version for version in kinds() if version.kind in names and version.known_at(minor)]
    newest = max(readable, key=version_order, default=None)
    text = f"{kind.api_version} is known from Kubernetes {minor_name(kind.since)}{end}"
    if newest is None:
        return text
    return f"{text}: use {newest.api_version}" + (f" {newest.kind}" if newest.kind != kind.kind else "")


def _old_name(name: str) -> str:
    return f"the old name of {RENAMED_KINDS[name]}, which is known in {', '.join(_api_versions(RENAMED_KINDS[name]))}"


def _api_versions(name: str) -> list[str]:
    return sorted(kind.api_version for kind in kinds() if kind.kind == name)
