# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The version skew that Kubernetes supports between API server, kubelet and container runtime. Pure.

The rules of the kubelet are those of https://kubernetes.io/releases/version-skew-policy; the
rules of runtimes are facts of single releases, and each sentence names its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..._componentconfig import ConfigError
from ..._componentconfig._schema.releases import minor_name, parse_minor
from ..._rollout._nodes.left_out import oldest_kubelet_minor
from .._objects.types import CONTAINERD, CRI_O, Cluster, Machine, Runtime
from .types import ObservedMachine

_KUBELET_PATH: Final = "spec.versions.kubelet"
_RUNTIME_PATH: Final = "spec.versions.containerRuntime"
_POLICY: Final = "Kubernetes' version skew policy"
_DOCKER: Final = "docker"

_CRI_V1_IN_KUBELET: Final = 23  # the kubelet speaks CRI v1 from this minor on
_CRI_V1_ONLY: Final = 26  # and nothing else from this one on
_NO_DOCKERSHIM: Final = 24
_LAST_WITH_CONTAINERD_1: Final = 35

_NUMBER = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,6}))?")


class Skew(NamedTuple):
    """Why versions do not fit each other, and what is worth knowing about them, each as sentences about one Machine."""

    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def cluster_contradiction(cluster: Cluster, server_version: str) -> str:
    """Return why Cluster.spec.kubernetesVersion is not the version of its API server, "" if it is."""
    if not cluster.kubernetes_version:
        return ""
    declared, live = (_minor(version) for version in (cluster.kubernetes_version, server_version))
    where = f"{cluster.origin}: " if cluster.origin else ""
    field = f"{where}Cluster {cluster.name}: spec.kubernetesVersion"
    if declared is None:
        return f"{field}: {cluster.kubernetes_version} is not a Kubernetes version"
    if live is None or declared == live:
        return ""
    return (
        f"{field}: {cluster.kubernetes_version} contradicts the API server, which is of version"
        f" {_bare(server_version)}: correct the file, or upgrade the control plane first"
    )


def check_skew(machine: Machine, observed: ObservedMachine | None, server_version: str) -> Skew:
    """Return what is wrong with the versions that a machine would have.

    server_version: of the API server. What the Machine does not declare is taken from its Node.
    """
    before = _minor(observed.kubelet_version) if observed is not None else None
    kubelet = machine.kubelet_version or (observed.kubelet_version if observed is not None else "")
    runtime = machine.runtime or (observed.runtime if observed is not None else None)
    minor, server = _minor(kubelet), _minor(server_version)
    refusals, warnings = list[str](), list[str]()
    if machine.kubelet_version and minor is None:
        refusals.append(f"{_KUBELET_PATH}: {kubelet} is not a Kubernetes version: write for example 1.34.2")
    if minor is not None and server is not None:
        refusals += _server_refusals(kubelet, minor, server, server_version)
        if minor == oldest_kubelet_minor(server):
            warnings.append(
                f"{_KUBELET_PATH}: {kubelet} is as old as API server {_bare(server_version)} supports: upgrade it"
                f" before the control plane goes to {minor_name(server + 1)} ({_POLICY})"
            )
    if minor is not None and before is not None and observed is not None:
        warnings += _step_warnings(observed.kubelet_version, before, kubelet, minor)
    if minor is not None and runtime is not None:
        for is_refused, sentence in _runtime_problems(runtime, kubelet, minor):
            (refusals if is_refused else warnings).append(f"{_RUNTIME_PATH}: {sentence}")
    return Skew(tuple(refusals), tuple(warnings))


def _server_refusals(kubelet: str, minor: int, server: int, server_version: str) -> Iterator[str]:
    if minor > server:
        yield (
            f"{_KUBELET_PATH}: {kubelet} is newer than the API server, {_bare(server_version)}: upgrade the control"
            f" plane to {minor_name(minor)} first, or write {minor_name(server)} or older ({_POLICY})"
        )
    oldest = oldest_kubelet_minor(server)
    if minor < oldest:
        yield (
            f"{_KUBELET_PATH}: {kubelet} is {server - minor} minors behind the API server, {_bare(server_version)},"
            f" which supports {server - oldest}: write {minor_name(oldest)} or newer ({_POLICY})"
        )


def _step_warnings(old: str, before: int, new: str, after: int) -> Iterator[str]:
    if after > before + 1:
        yield (
            f"{_KUBELET_PATH}: from {old} to {new} skips {after - before - 1} of Kubernetes' minors: {_POLICY} allows"
            " it for a kubelet, after a drain; read the release notes of the minors between"
        )
    if after < before:
        yield (
            f"{_KUBELET_PATH}: from {old} down to {new} is a downgrade across minors, which Kubernetes does not test:"
            " an older kubelet may not read what the newer one has left in /var/lib/kubelet"
        )


def _runtime_problems(runtime: Runtime, kubelet: str, minor: int) -> Iterator[tuple[bool, str]]:
    """Yield for each problem whether it is a refusal, and the sentence."""
    text = f"{runtime.name} {runtime.version}"
    version = _parts(runtime.version)
    if runtime.name == _DOCKER and minor >= _NO_DOCKERSHIM:
        yield (
            True,
            f"kubelet {kubelet} has no dockershim, which Kubernetes {minor_name(_NO_DOCKERSHIM)} removed: write"
            f" {CONTAINERD} or {CRI_O}",
        )
    if runtime.name == CONTAINERD and version is not None:
        major, second = version
        if minor >= _CRI_V1_ONLY and major == 1 and second is not None and second < 6:
            yield (
                True,
                f"kubelet {kubelet} needs CRI v1, which containerd has from 1.6 on, not {text} (Kubernetes"
                f" {minor_name(_CRI_V1_ONLY)}, kubernetes/kubernetes#110618)",
            )
        if minor < _CRI_V1_IN_KUBELET and major >= 2:
            yield (
                True,
                f"kubelet {kubelet} speaks only CRI v1alpha2, which {text} no longer has (containerd 2.0): write 1.7",
            )
        if minor > _LAST_WITH_CONTAINERD_1 and major == 1:
            yield (
                False,
                f"Kubernetes {minor_name(_LAST_WITH_CONTAINERD_1)} is the last release that supports containerd 1.x."
                f" Kubelet {kubelet} still starts with {text}, while it falls back to its own cgroupDriver"
                " (kubernetes/kubernetes#136846, #139121): plan containerd 2",
            )
    if runtime.name == CRI_O and version is not None and version[0] == 1 and version[1] not in (None, minor):
        yield (
            False,
            f"{text} is made for Kubernetes {minor_name(version[1] or 0)}, not for kubelet {kubelet}: CRI-O is"
            " released with each minor of Kubernetes (CRI-O's compatibility matrix)",
        )


def _parts(version: str) -> tuple[int, int | None] | None:
    match = _NUMBER.match(version)
    if match is None:
        return None
    return int(match.group(1)), None if match.group(2) is None else int(match.group(2))


def _minor(version: str) -> int | None:
    try:
        return parse_minor(version)
    except ConfigError:
        return None


def _bare(version: str) -> str:
    return version.removeprefix("v")
