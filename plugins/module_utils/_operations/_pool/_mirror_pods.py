# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What mirror Pods say of static Pods as they run now: their arguments, and how long they took to start."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..._componentconfig import ConfigError
from ..._componentconfig.component_options import flag_texts, list_items, read_options
from ..._kube.api_client import Client
from ..._kube.api_errors import Forbidden
from ..._kube.api_paths import pods
from ..._rollout._gates.control_plane_gate import NAMESPACE
from ..._rollout._report.timeline import parse_time
from ..._text import first_names, sanitize
from ..bundle_changes import decode_or_empty

_NAMES_SHOWN = 4
_ITEMS_SHOWN = 5
_MAX_TEXT = 100  # of an item, which is the word of a node


class MirrorPod(NamedTuple):
    """The mirror of a static Pod. words: the command line of its component's container.

    start_seconds: from the last start of the container until the Pod was Ready, None if that is not known.
    """

    component: str
    node: str
    words: tuple[str, ...]
    start_seconds: float | None


def read_mirror_pods(client: Client, components: Collection[str]) -> list[MirrorPod] | None:
    """Return the Pods of components, by kubeadm's labels; None if this identity may not list them. Raises KubeError."""
    selector = f"tier=control-plane,component in ({','.join(sorted(components))})"
    try:
        return list(map(_mirror_pod, client.list(pods(NAMESPACE), label_selector=selector).items))
    except Forbidden:
        return None


def _mirror_pod(pod: Mapping[str, Any]) -> MirrorPod:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    component = str(((pod.get("metadata") or {}).get("labels") or {}).get("component") or "")
    container = _of_name(spec.get("containers"), component)
    words = tuple(str(word) for key in ("command", "args") for word in container.get(key) or ())
    return MirrorPod(component, str(spec.get("nodeName") or ""), words, _start_seconds(status, component))


def _of_name(items: Any, name: str) -> Mapping[str, Any]:
    return next((item for item in items or () if item.get("name") == name), {})


def _start_seconds(status: Mapping[str, Any], component: str) -> float | None:
    state = _of_name(status.get("containerStatuses"), component).get("state") or {}
    conditions = status.get("conditions") or ()
    ready: Mapping[str, Any] = next((item for item in conditions if item.get("type") == "Ready"), {})
    started = parse_time(str((state.get("running") or {}).get("startedAt")))
    was_ready = parse_time(str(ready.get("lastTransitionTime")))
    if started is None or was_ready is None or ready.get("status") != "True":
        return None
    return (was_ready - started).total_seconds()


def lost_items(after: Mapping[str, str], mirror_pods: Sequence[MirrorPod], moving: Collection[str]) -> tuple[str, ...]:
    """Return what the lists of static Pods lose: a flag of options replaces the whole value of the manifest.

    after: the documents by component. mirror_pods: as they run now. moving: the nodes of the rollout.
    """
    nodes: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    lists = {component: lists_of(text) for component, text in after.items()}
    for pod in mirror_pods:
        for flag, kept in lists.get(pod.component, {}).items() if pod.node in moving else ():
            uses = [word.partition("=")[2] for word in pod.words if word.startswith(f"--{flag}=")]
            present = list_items(pod.component, flag, uses) or ()
            lost = tuple(sanitize(item, _MAX_TEXT) for item in dict.fromkeys(present) if item not in kept)
            if lost:
                nodes.setdefault((pod.component, flag, lost), []).append(pod.node)
    return tuple(
        f"{component} --{flag} loses {first_names(lost, _ITEMS_SHOWN)} on {first_names(sorted(names), _NAMES_SHOWN)}: "
        "options replace the whole value that it has there"
        for (component, flag, lost), names in sorted(nodes.items())
    )


def lists_of(document: str) -> dict[str, tuple[str, ...]]:
    """Return the lists that a document of options sets, by flag; {} for another document."""
    options = read_options(decode_or_empty(document))
    lists = {}
    for flag, value in options.flags.items():
        try:
            items = (
                None
                if value is None
                else list_items(options.component, flag, flag_texts(options.component, flag, value))
            )
        except ConfigError:
            continue
        if items is not None:
            lists[flag] = items
    return lists
