# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods a drain evicts, which it leaves alone, and for which it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._drain._pods import reduce_pod, select_pods
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import DrainSettings

ALL = DrainSettings(force=True, delete_empty_dir_data=True)


def a_pod(name: str = "web", **changes: Any) -> dict[str, Any]:
    """Return a pod of a ReplicaSet; owner, phase, volumes, annotations and deleted change it."""
    owner = changes.pop("owner", "ReplicaSet")
    metadata: dict[str, Any] = {"namespace": "default", "name": name, "uid": f"uid-{name}"}
    if owner:
        metadata["ownerReferences"] = [{"kind": owner, "name": "owner", "controller": True}]
    if changes.get("deleted"):
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    metadata["annotations"] = changes.get("annotations")
    spec = {"nodeName": "n1", "volumes": changes.get("volumes")}
    return {"metadata": metadata, "spec": spec, "status": {"phase": changes.get("phase", "Running")}}


MIRROR = {"kubernetes.io/config.mirror": "abc"}
EMPTY_DIR = [{"name": "config", "configMap": {}}, {"name": "scratch", "emptyDir": {}}]

# The pod, what a drain with the default settings does with it, and one with force and deleteEmptyDirData.
CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("of a ReplicaSet", a_pod(), "evicted", "evicted"),
    ("of a Job", a_pod(owner="Job"), "evicted", "evicted"),
    ("of a DaemonSet", a_pod(owner="DaemonSet"), "left", "left"),
    ("of a DaemonSet, with local data", a_pod(owner="DaemonSet", volumes=EMPTY_DIR), "left", "left"),
    ("of a DaemonSet, finished", a_pod(owner="DaemonSet", phase="Failed"), "evicted", "evicted"),
    ("a mirror pod", a_pod(owner="Node", annotations=MIRROR), "left", "left"),
    ("a mirror pod without an owner", a_pod(owner="", annotations=MIRROR), "left", "left"),
    ("without a controller", a_pod(owner=""), "refused", "evicted"),
    ("without a controller, finished", a_pod(owner="", phase="Succeeded"), "evicted", "evicted"),
    ("without a controller, being deleted", a_pod(owner="", deleted=True), "evicted", "evicted"),
    ("with local data", a_pod(volumes=EMPTY_DIR), "refused", "evicted"),
    ("with local data, finished", a_pod(volumes=EMPTY_DIR, phase="Failed"), "evicted", "evicted"),
    ("with other volumes", a_pod(volumes=EMPTY_DIR[:1]), "evicted", "evicted"),
    ("pending", a_pod(phase="Pending"), "evicted", "evicted"),
]


def fate(pod: dict[str, Any], settings: DrainSettings) -> str:
    selection = select_pods([pod], settings)
    if selection.refusals:
        return "refused"
    return "evicted" if selection.to_evict else "left"


@pytest.mark.parametrize(("pod", "default", "forced"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_fate_of_a_pod_follows_from_its_fields_and_the_settings(
    pod: dict[str, Any], default: str, forced: str
) -> None:
    assert fate(pod, DrainSettings()) == default
    assert fate(pod, ALL) == forced
    assert fate(reduce_pod(pod), DrainSettings()) == default, "the reduced pod has all that decides"
    assert fate(reduce_pod(pod), ALL) == forced


def test_an_owner_that_does_not_control_a_pod_would_not_create_it_again() -> None:
    pod = a_pod()
    pod["metadata"]["ownerReferences"][0]["controller"] = False
    assert fate(pod, DrainSettings()) == "refused"


def test_a_refusal_names_the_pods_and_the_setting() -> None:
    pods = [a_pod(f"bare-{number}", owner="") for number in range(5)] + [a_pod("cache", volumes=EMPTY_DIR)]
    assert select_pods(pods, DrainSettings()).refusals == (
        "default/bare-0, default/bare-1, default/bare-2 and 2 more: no controller would create such a pod again; "
        "policy.drain.force evicts it",
        "default/cache: an emptyDir would lose its data; policy.drain.deleteEmptyDirData evicts such pods",
    )


def test_a_pod_that_is_being_deleted_is_marked() -> None:
    ending, running = select_pods([a_pod("old", deleted=True), a_pod("new")], DrainSettings()).to_evict
    assert (ending.name, ending.is_ending, running.name, running.is_ending) == ("old", True, "new", False)


def test_names_from_the_cluster_are_shown_without_control_characters() -> None:
    (pod,) = select_pods([a_pod("a\x1b[31m\nb")], DrainSettings()).to_evict
    assert str(pod) == "default/a [31m b"


def test_a_reduced_pod_is_small() -> None:
    pod = a_pod(volumes=EMPTY_DIR * 50, annotations={"a": "x" * 5000, **MIRROR})
    assert len(str(reduce_pod(pod))) < 500
