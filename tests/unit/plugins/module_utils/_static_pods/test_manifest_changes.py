# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a manifest differs from what was written: an upgrade, options that are lost, or drift."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_options import (
    Options,
    read_options,
)
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import Manifest, read_manifest
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest_changes import (
    ManifestChange,
    ManifestDifference,
    classify_change,
)
from ansible_collections.configok.node.plugins.module_utils._static_pods.mounts import HostPath
from ansible_collections.configok.node.plugins.module_utils._static_pods.rendered_manifest import render
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import AUDIT_POLICY, component_options

FILE = "kube-apiserver.yaml"
NEWER = "k8s.gcr.io/kube-apiserver:v1.21.0"
LOGS = [HostPath("/var/log/audit", is_writable=True)]


def manifest(*flags: str, image: str = "") -> Manifest:
    return read_manifest(manifest_bytes(kubeadm_pod("kube-apiserver", *flags, image=image)), FILE)


def options(flags: Mapping[str, Any] | None = None, files: Mapping[str, Any] | None = None) -> Options:
    return read_options(component_options(flags, files))


FLAGS = {"audit-log-maxage": 30, "audit-log-path": "/var/log/audit/a.log", "profiling": None}
OPTIONS = options(FLAGS, {"audit.yaml": {"content": AUDIT_POLICY}})
INIT = manifest("--profiling=false", "--event-ttl=2h")


def classify(present: bytes, options_in_use: Options = OPTIONS, init: Manifest = INIT) -> ManifestDifference:
    written = render(init, options_in_use, host_paths=LOGS)
    return classify_change(present, written, init=init, options=options_in_use, host_paths=LOGS)


def with_image(pod: Mapping[str, Any], image: str) -> dict[str, Any]:
    changed = copy.deepcopy(dict(pod))
    changed["spec"]["containers"][0]["image"] = image
    return changed


def in_order(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Pod with the flags in order: one that options removed comes back at the end."""
    changed = copy.deepcopy(dict(pod))
    command = changed["spec"]["containers"][0]["command"]
    changed["spec"]["containers"][0]["command"] = [command[0], *sorted(command[1:])]
    return changed


def test_a_manifest_as_it_was_written_has_not_changed() -> None:
    written = render(INIT, OPTIONS, host_paths=LOGS)
    assert classify(written.manifest.source) == ManifestDifference(ManifestChange.NONE, INIT)
    assert classify(INIT.source, options()) == ManifestDifference(ManifestChange.NONE, INIT)


def test_an_upgrade_that_keeps_the_options_gives_a_new_init_manifest_without_them() -> None:
    written = render(INIT, OPTIONS, host_paths=LOGS).manifest
    state = classify(manifest_bytes(with_image(written.pod, NEWER)))
    assert state.change is ManifestChange.NEW_INIT
    assert state.init is not None
    assert in_order(state.init.pod) == in_order(with_image(INIT.pod, NEWER))


def test_an_upgrade_from_a_cluster_config_with_the_options_keeps_them() -> None:
    """kubeadm writes the flags in its own order, with a volume of its own name, and without our annotation."""
    written = render(INIT, OPTIONS, host_paths=LOGS).manifest
    pod = with_image(written.pod, NEWER)
    del pod["metadata"]["annotations"]
    container = pod["spec"]["containers"][0]
    container["command"] = ["kube-apiserver", *sorted(container["command"][1:]), "--new-default=1"]
    for item in (*pod["spec"]["volumes"], *container["volumeMounts"]):
        item["name"] = item["name"].replace("configok-options", "of-kubeadm")
    state = classify(manifest_bytes(pod))
    assert state.change is ManifestChange.NEW_INIT
    assert state.init is not None
    kept = [argument for argument in INIT.arguments if argument != "--profiling=false"]  # removed, and not there
    assert sorted(state.init.arguments) == sorted([*kept, "--new-default=1"])
    again = render(state.init, OPTIONS, host_paths=LOGS).manifest
    assert [mount.path for mount in again.mounts] == [mount.path for mount in written.mounts]


def test_an_upgrade_that_writes_other_gates_keeps_them() -> None:
    gates = options({"feature-gates": {"B": True}})
    before, after = manifest("--feature-gates=Old=true"), manifest("--feature-gates=B=true,New=true", image=NEWER)
    state = classify(after.source, gates, before)
    assert state.change is ManifestChange.NEW_INIT
    assert state.init is not None
    assert [word for word in state.init.arguments if "gates" in word] == ["--feature-gates=New=true"]


@pytest.mark.parametrize(
    "lost", ["--audit-log-maxage=30", "--audit-log-path=/var/log/audit/a.log", "mount", "read-only"]
)
def test_an_upgrade_without_the_options_has_lost_them_and_an_edit_is_drift(lost: str) -> None:
    pod = with_image(render(INIT, OPTIONS, host_paths=LOGS).manifest.pod, NEWER)
    container = pod["spec"]["containers"][0]
    if lost == "mount":
        container["volumeMounts"].pop()
    elif lost == "read-only":
        container["volumeMounts"][-1]["readOnly"] = True
    else:
        container["command"].remove(lost)
    edited = f"{FILE}: it was changed in more than its image, neither by this agent nor by an upgrade"
    assert classify(manifest_bytes(pod)) == ManifestDifference(ManifestChange.DRIFT, None, edited)
    del pod["metadata"]["annotations"]
    named = f"{FILE}: it names files of options that are not in use"
    assert classify(manifest_bytes(pod)) == ManifestDifference(ManifestChange.DRIFT, None, named)
    present = manifest_bytes(kubeadm_pod("kube-apiserver", image=NEWER))
    assert classify(present) == ManifestDifference(ManifestChange.OPTIONS_LOST, read_manifest(present, FILE))


def test_a_manifest_with_options_that_are_not_in_use_is_drift() -> None:
    other = render(INIT, options({"event-ttl": "3h"}))
    reason = f"{FILE}: it has the options {other.options_hash}, which are not in use"
    for in_use in (options(), OPTIONS):
        assert classify(other.manifest.source, in_use) == ManifestDifference(ManifestChange.DRIFT, None, reason)


def test_the_init_manifest_written_again_has_lost_the_options() -> None:
    assert classify(INIT.source) == ManifestDifference(ManifestChange.OPTIONS_LOST, INIT)


def test_without_options_every_change_is_its_writers() -> None:
    present = manifest("--profiling=true")
    assert classify(present.source, options()) == ManifestDifference(ManifestChange.NEW_INIT, present)


@pytest.mark.parametrize(
    ("present", "reason"),
    [
        (b"", f"{FILE}: is not a Pod, and the kubelet reads every file of its folder as one"),
        (manifest_bytes(kubeadm_pod("kube-scheduler")), f"{FILE}: it is the Pod kube-system/kube-scheduler now"),
        (
            manifest("--profiling=true").source,
            f"{FILE}: it was changed, with the image as it was, neither by this agent nor by an upgrade",
        ),
    ],
)
def test_any_other_change_is_drift(present: bytes, reason: str) -> None:
    assert classify(present) == ManifestDifference(ManifestChange.DRIFT, None, reason)


VALUES = st.one_of(st.booleans(), st.integers(0, 9), st.none(), st.sampled_from(["a", "b,c"]))
GATES = st.dictionaries(st.sampled_from("ABC"), st.booleans(), min_size=1)
SETS = st.dictionaries(st.sampled_from(["event-ttl", "profiling", "v", "x-unknown"]), VALUES, min_size=1)
BASE = st.lists(
    st.sampled_from(["--event-ttl=1h", "--profiling", "-v=3", "--v=1", "--feature-gates=A=true,D=true"]), unique=True
)


@given(SETS, st.none() | GATES, BASE)
def test_an_upgrade_of_what_was_rendered_gives_back_what_it_was_rendered_from(
    flags: dict[str, Any], gates: dict[str, bool] | None, base: list[str]
) -> None:
    options_in_use = options(
        {**flags, **({"feature-gates": gates} if gates else {})}, {"a.yaml": {"content": AUDIT_POLICY}}
    )
    init = manifest(*base)
    present = manifest_bytes(with_image(render(init, options_in_use).manifest.pod, NEWER))
    state = classify_change(present, render(init, options_in_use), init=init, options=options_in_use)
    assert state.change is ManifestChange.NEW_INIT
    assert state.init is not None
    assert render(state.init, options_in_use).manifest.arguments == render(init, options_in_use).manifest.arguments
    assert by_flag(state.init) == by_flag(init)


def by_flag(manifest: Manifest) -> list[str]:
    """Return the arguments of a manifest by flag, those of each flag in their order."""
    return sorted(manifest.arguments, key=lambda argument: argument.partition("=")[0].replace("--v", "-v"))
