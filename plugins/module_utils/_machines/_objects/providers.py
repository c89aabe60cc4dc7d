# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped providers: all facts of each kind. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .types import PROVIDER_API_VERSION, Capabilities, Provider, ProviderConfig

# How a host is reached: another value changes nothing on the host.
_CONNECTION: Final = frozenset(("address", "port", "user", "become"))


@dataclass(frozen=True)
class _Facts:
    """The facts of a kind.

    sources: the fields that say where the declared versions come from; another value changes nothing on the host.
    undeclared: returns what the sources bring whose version no field of a Machine declares, by field. systems: words in
    the names of the operating systems that the provider fits. runs_playbooks: a change is a playbook of the user.
    """

    kind: str
    role: str
    sources: frozenset[str]
    capabilities: Capabilities = Capabilities()
    undeclared: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _fields: {}
    systems: tuple[str, ...] = ()
    runs_playbooks: bool = False


def _undeclared_archives(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return version and checksum of the archives whose version no field of a Machine declares: the last is used."""
    archives = {
        component: [str(archive.get("version")), str(archive.get("sha256")).lower()]
        for archive in fields.get("archives") or ()
        for component in [str(archive.get("component"))]
        if component in ("runc", "cni")
    }
    return {"archives": archives}


_FACTS: Final = (
    _Facts(
        "DebianHost",
        "configok.node.debian_host",
        sources=frozenset(("packages",)),
        capabilities=Capabilities(runtime_kind=True),
        systems=("debian", "ubuntu", "raspbian", "mint"),
    ),
    _Facts(
        "RPMHost",
        "configok.node.rpm_host",
        sources=frozenset(("packages",)),
        capabilities=Capabilities(runtime_kind=True),
        systems=("red hat", "rhel", "fedora", "centos", "rocky", "alma", "oracle", "amazon"),
    ),
    _Facts(
        "BinaryHost",
        "configok.node.binary_host",
        sources=frozenset(("archives",)),
        undeclared=_undeclared_archives,
    ),
    _Facts(
        "External",
        "configok.node.external",
        sources=frozenset(("create", "delete")),
        capabilities=Capabilities(kubelet=False, runtime=False, runtime_kind=False, replace=True),
        runs_playbooks=True,
    ),
)

SHIPPED_PROVIDERS: Final = tuple(
    Provider(PROVIDER_API_VERSION, facts.kind, facts.role, facts.capabilities) for facts in _FACTS
)


def is_shipped(kind: str) -> bool:
    """Return whether a kind is that of a shipped provider."""
    return any(facts.kind == kind for facts in _FACTS)


def host_fields(config: ProviderConfig) -> dict[str, Any]:
    """Return what of a provider's config makes a host, without its connection and the sources of its versions."""
    facts = _facts_of(config.api_version, config.kind)
    omitted = _CONNECTION | (facts.sources if facts else frozenset())
    fields = {name: value for name, value in config.fields.items() if name not in omitted}
    return {**fields, **(facts.undeclared(config.fields) if facts else {})}


def provider_for_system(os_image: str) -> Provider | None:
    """Return the provider that fits the operating system that a Node reports, None for no such provider."""
    image = os_image.lower()
    fitting = (provider for provider, facts in zip(SHIPPED_PROVIDERS, _FACTS) if any(w in image for w in facts.systems))
    return next(fitting, None)


def runs_playbooks(provider: Provider) -> bool:
    """Return whether the changes of a provider are playbooks of the user, which its configs name."""
    facts = _facts_of(provider.api_version, provider.kind)
    return facts is not None and facts.runs_playbooks


def _facts_of(api_version: str, kind: str) -> _Facts | None:
    return next((facts for facts in _FACTS if (PROVIDER_API_VERSION, facts.kind) == (api_version, kind)), None)
