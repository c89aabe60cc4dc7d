# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values, gates and flags that mean something else from a Kubernetes minor on."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import load_file
from ansible_collections.configok.node.plugins.module_utils._componentconfig._field_notes import Note, NotedConfig
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.component_flags import (
    ComponentFlags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._meanings import (
    general_notes,
    meanings,
    notes,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import minor_name
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from ansible_collections.configok.node.plugins.module_utils._componentconfig.upgrade import Upgrade, upgrade
from support.configs.kubelet import KUBELET_HEADER

PROXY = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
KUBEADM3 = "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n"
KUBEADM4 = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
CONTROLLERS = "apiVersion: kubecontrollermanager.config.k8s.io/v1alpha1\nkind: KubeControllerManagerConfiguration\n"
AUTHENTICATION = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: []\n"
ALSO = "also from 1.37 on: "


class Shown(NamedTuple):
    """A config and flags that a note applies to, and how a line of the upgrade begins that shows it."""

    text: str
    line: str
    flags: tuple[str, ...] = ()
    elsewhere: str = ""
    """Why the line is not that of the note, "" if it is."""


GATE_LINE = "a gate that the file sets has its line, and no other file is concerned"

SHOWN = {
    "events-without-limit": Shown("eventRecordQPS: 0\n", "meaning: eventRecordQPS: 0 (f.yaml:3): up to 1.36: 5 events"),
    "throttling-default": Shown(
        "featureGates: {MemoryQoS: true}\n", "meaning: memoryThrottlingFactor: <unset>: up to 1.36: 0.9; from 1.37 on:"
    ),
    "throttling-in-effect": Shown(
        "memoryThrottlingFactor: 0.9\n", "meaning: memoryThrottlingFactor: 0.9 (f.yaml:3), if the host has cgroup v2:"
    ),
    "throttling-needs-gate": Shown(
        "memoryThrottlingFactor: 0.8\nfeatureGates: {MemoryQoS: false}\n",
        "component: f.yaml:3: memoryThrottlingFactor: 0.8",
        elsewhere="the value is refused by a finding",
    ),
    "reservation-policy": Shown(
        "memoryReservationPolicy: TieredReservation\n",
        'meaning: memoryReservationPolicy: "TieredReservation" (f.yaml:3): up to 1.36: refused',
    ),
    "huge-pages-eviction": Shown("", "meaning: featureGates.HugepageAwareEviction, if the host has huge pages"),
    "selinux-mount": Shown("", "meaning: featureGates.SELinuxMount, if SELinux is on"),
    "static-pod-references": Shown(
        "featureGates: {PreventStaticPodAPIReferences: false}\n",
        "meaning: featureGates.PreventStaticPodAPIReferences (f.yaml:3), if a static Pod names a ServiceAccount",
    ),
    "cadvisor-flags": Shown(
        "",
        "component: --containerd: Kubernetes 1.37 and newer do not have it",
        ("--containerd=/run/containerd.sock",),
        "a flag that goes has its line",
    ),
    "config-in-log": Shown("", ALSO + "the effective configuration is written to the log at start: "),
    "log-endpoints": Shown("", ALSO + "log endpoints: "),
    "metrics-gone": Shown("", ALSO + "the metrics container_application_*"),
    "declared-features": Shown(
        "featureGates: {NodeDeclaredFeatures: false}\n", "meaning: featureGates.NodeDeclaredFeatures (f.yaml:3): "
    ),
    "stats-from-cri": Shown(
        "featureGates: {PodAndContainerStatsFromCRI: true}\n",
        "featureGates.PodAndContainerStatsFromCRI is set to true: Alpha, off -> Beta, off",
        elsewhere=GATE_LINE,
    ),
    "pod-level-managers": Shown(
        "featureGates: {PodLevelResourceManagers: true}\n",
        "featureGates.PodLevelResourceManagers is set to true: Alpha, off -> Beta, off",
        elsewhere=GATE_LINE,
    ),
    "user-namespace": Shown("", "meaning: featureGates.KubeletInUserNamespace, if the kubelet runs in a"),
    "pods-api": Shown("", "meaning: featureGates.PodsAPI: up to 1.36: no gRPC service"),
    "mode-left-out": Shown(PROXY, "meaning: mode: <unset>, if the host runs Linux: up to 1.36: iptables"),
    "mode-ipvs": Shown(PROXY + "mode: ipvs\n", 'meaning: mode: "ipvs" (f.yaml:3): up to 1.36: deprecated'),
    "node-port-words": Shown(PROXY + "nodePortAddresses: [primary, 192.0.2.0/24]\n", "meaning: nodePortAddresses: ["),
    "nftables-netlink": Shown(PROXY + "mode: nftables\n", "meaning: featureGates.NFTablesNetlink: up to 1.36: rules"),
    "node-ip-changes": Shown(PROXY, ALSO + "the node's IPs change, or the Node is deleted: kube-proxy ends"),
    "conntrack-cap": Shown(
        PROXY + "conntrack: {maxPerCore: 9}\n",
        "meaning: conntrack.maxPerCore: 9 (f.yaml:3), if the host has many cores: up to 1.35:",
    ),
    "kubeadm-v1beta3": Shown(
        KUBEADM3, "component: f.yaml:1: apiVersion: ", elsewhere="the version of the kind is refused by a finding"
    ),
    "kubeadm-gates": Shown(
        KUBEADM4 + "featureGates: {NodeLocalCRISocket: true}\n",
        "component: f.yaml:3: featureGates.NodeLocalCRISocket: true: ",
        elsewhere="the gate is refused by a finding",
    ),
    "kubeadm-writes-mode": Shown(KUBEADM4, ALSO + "mode of kube-proxy's config: "),
    "kubeadm-runtime-check": Shown(KUBEADM4, ALSO + "the preflight check ContainerRuntimeVersion"),
    "kubeadm-patches": Shown(KUBEADM4, ALSO + "targets of patches: kubeproxydaemonset as well"),
    "concurrent-service-syncs": Shown(
        CONTROLLERS,
        "component: --concurrent-service-syncs: Kubernetes 1.37 and newer do not have it",
        ("--concurrent-service-syncs=1",),
        "a flag that goes has its line",
    ),
    "concurrent-disruption-syncs": Shown(
        CONTROLLERS, "meaning: --concurrent-disruption-syncs: ", ("--concurrent-disruption-syncs=5",)
    ),
    "advertise-address": Shown(AUTHENTICATION, "meaning: --advertise-address: ", ("--advertise-address=192.0.2.1",)),
    "enable-logs-handler": Shown(AUTHENTICATION, "meaning: --enable-logs-handler: ", ("--enable-logs-handler=true",)),
    "authentication-gates": Shown(AUTHENTICATION, ALSO + "the gates StructuredAuthenticationConfiguration and"),
    "scheduling-v1alpha2": Shown(AUTHENTICATION, ALSO + "objects of scheduling.k8s.io/v1alpha2 in etcd: gone"),
}
"""For each note up to the newest whole release; a text without a head is a KubeletConfiguration."""

PLANNED = {
    "cgroup-driver": "cgroupDriver: systemd\n",
    "certificate-key-algorithm": "",
    "gates-gone-1.38": "featureGates: {KubeletTracing: true}\n",
    "gates-locked-1.38": "featureGates: {EnvFiles: false}\n",
}
"""For each note of a release that is not out yet."""


def upgraded(text: str, old: str = "1.36", new: str = "1.37", flags: tuple[str, ...] = ()) -> Upgrade:
    text = text if text.startswith("apiVersion") else KUBELET_HEADER + text
    return upgrade(load_file("f.yaml", text), old, new, flags=flags)


def warnings_of(text: str, *versions: str, flags: tuple[str, ...] = ()) -> list[Finding]:
    text = text if text.startswith("apiVersion") else KUBELET_HEADER + text
    command_line = ComponentFlags(flags) if flags else None
    findings = check(text, file="f.yaml", versions=versions, flags=command_line)
    return [finding for finding in findings if finding.rule == "meaning"]


def test_every_note_is_covered_here() -> None:
    assert {note.id for note in notes()} == {*SHOWN, *PLANNED}
    assert len(notes()) == 38
    assert {note.id for note in notes() if note.is_planned} == set(PLANNED)


@pytest.mark.parametrize("note", [note for note in notes() if note.id in SHOWN], ids=lambda note: note.id)
def test_an_upgrade_shows_the_note_once_or_says_it_elsewhere(note: Note) -> None:
    shown = SHOWN[note.id]
    result = upgraded(shown.text, minor_name(note.since - 1), minor_name(note.since), shown.flags)
    assert sum(line.startswith(shown.line) for line in result.lines) == 1, result.lines
    shown_here = {meaning.as_dict()["note"] for meaning in result.meanings} | {note.id for note in result.notes}
    assert (note.id in shown_here) == (not shown.elsewhere)
    data = result.as_dict()
    assert {row["note"] for row in (*data["meaning_changes"], *data["notes"])} == shown_here


@pytest.mark.parametrize("note", [note for note in notes() if note.id in SHOWN], ids=lambda note: note.id)
def test_an_upgrade_between_other_minors_does_not_show_it(note: Note) -> None:
    shown = SHOWN[note.id]
    result = upgraded(shown.text, minor_name(note.since - 2), minor_name(note.since - 1), shown.flags)
    assert note.id not in {meaning.as_dict()["note"] for meaning in result.meanings} | {row.id for row in result.notes}


@pytest.mark.parametrize("note", [note for note in notes() if note.id in PLANNED], ids=lambda note: note.id)
def test_a_note_of_a_release_that_is_not_out_is_decided_and_called_planned(note: Note) -> None:
    config = load([("f.yaml", KUBELET_HEADER + PLANNED[note.id])])
    kind = find_kind(config.data["apiVersion"], config.data["kind"])
    assert kind is not None
    noted = NotedConfig(kind, config.data, config.data.get("featureGates", {}))
    minors = note.since - 1, note.since
    applying = [meaning.note for meaning in meanings(noted, minors)] + general_notes(kind, minors)
    assert note in applying
    assert " (planned): " in str(note)


@pytest.mark.parametrize(
    "text",
    [
        "eventRecordQPS: 5\n",
        "eventRecordQPS: false\n",
        "memoryThrottlingFactor: 0.9\nfeatureGates: {MemoryQoS: false}\n",
        "memoryThrottlingFactor: 0.9\nfeatureGates: {MemoryQoS: true}\n",
        "memoryReservationPolicy: None\n",
        "featureGates: {HugepageAwareEviction: false, SELinuxMount: false, PodsAPI: false,"
        " KubeletInUserNamespace: false}\n",
        PROXY + "mode: iptables\n",
        PROXY + "mode: iptables\nnodePortAddresses: [primary]\n",
        PROXY + "mode: iptables\nnodePortAddresses: [192.0.2.0/24, 198.51.100.0/24]\n",
    ],
)
def test_a_config_that_no_note_applies_to_has_no_meanings(text: str) -> None:
    fields = {"eventRecordQPS", "memoryThrottlingFactor", "memoryReservationPolicy", "mode", "nodePortAddresses"}
    meanings_of_text = upgraded(text).meanings
    assert not fields & {meaning.as_dict()["subject"] for meaning in meanings_of_text}
    if "HugepageAwareEviction" in text:
        assert meanings_of_text == []


@pytest.mark.parametrize("flag", ["--event-qps=0", "--event_qps=0"])
def test_a_flag_sets_the_value(flag: str) -> None:
    (line,) = [line for line in upgraded("", flags=(flag,)).lines if "eventRecordQPS" in line]
    assert line.startswith("meaning: eventRecordQPS: 0 (--event-qps): up to 1.36: ")
    assert warnings_of("", "1.36", "1.37", flags=(flag,))[0].file == "--event-qps"
    assert warnings_of("eventRecordQPS: 0\n", "1.36", "1.37", flags=("--event-qps=5",)) == []


def test_a_downgrade_begins_with_the_newer_state_and_keeps_nothing() -> None:
    (line,) = [line for line in upgraded("eventRecordQPS: 0\n", "1.37", "1.36").lines if "eventRecordQPS" in line]
    assert line.startswith("meaning: eventRecordQPS: 0 (f.yaml:3): from 1.37 on: no limit; up to 1.36: 5 events")
    assert "keeps" not in line
    lines = upgraded("", "1.37", "1.36").lines
    assert "also up to 1.36: log endpoints: any HTTP method" in lines
    flags = ("--concurrent-disruption-syncs=5",)
    assert (
        "component: --concurrent-disruption-syncs: it comes with Kubernetes 1.37"
        in upgraded(CONTROLLERS, "1.37", "1.36", flags).lines
    )


def test_a_note_about_the_component_is_not_shown_for_its_other_files() -> None:
    provider = "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n"
    assert upgraded(provider).notes == []


def test_documents_of_one_component_share_its_notes() -> None:
    text = f"{KUBEADM4}---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n"
    lines = upgraded(text).lines
    assert sum("targets of patches" in line for line in lines) == 1


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("eventRecordQPS: 0\n", "eventRecordQPS"),
        ("memoryThrottlingFactor: 0.9\n", "memoryThrottlingFactor"),
        (PROXY + "conntrack: {maxPerCore: 9}\n", "conntrack.maxPerCore"),
    ],
)
def test_a_value_that_means_two_things_to_the_versions_of_a_pool_is_a_warning(text: str, path: str) -> None:
    (finding,) = warnings_of(text, "1.35", "1.36", "1.37")
    assert (finding.field, finding.level, finding.versions) == (path, Level.WARNING, ("1.35", "1.36", "1.37"))
    assert "means two things in these versions: up to 1.3" in finding.message
    assert finding.line == 3
    assert warnings_of(text, "1.34", "1.35") == []


def test_one_version_has_a_warning_only_for_a_dangerous_meaning() -> None:
    (finding,) = warnings_of("eventRecordQPS: 0\nmemoryThrottlingFactor: 0.9\n", "1.37")
    assert (finding.field, finding.versions) == ("eventRecordQPS", ("1.37",))
    assert finding.message.startswith("means no limit (up to Kubernetes 1.36: 5 events a second")
    assert warnings_of("eventRecordQPS: 0\n", "1.36") == []
    assert warnings_of("eventRecordQPS: 50\n", "1.36", "1.37") == []
    assert warnings_of(PROXY, "1.35", "1.36", "1.37") == []


def test_nodes_of_two_versions_are_named() -> None:
    findings = check(KUBELET_HEADER + "eventRecordQPS: 0\n", nodes={"a": "v1.36.2", "b": "v1.37.0"})
    (finding,) = [finding for finding in findings if finding.rule == "meaning"]
    assert finding.nodes == ("a", "b")


@pytest.mark.parametrize(
    ("text", "versions", "is_named"),
    [
        ("eventRecordQPS: 0\n", ("1.37", "1.37"), True),
        ("eventRecordQPS: 0\n", ("1.36", "1.37"), True),
        ("eventRecordQPS: 0\n", ("1.36", "1.36"), False),
        ("eventRecordQPS: 7\n", ("1.37", "1.37"), False),
    ],
)
def test_a_comparison_names_the_meaning_of_a_changed_value(
    text: str, versions: tuple[str, str], is_named: bool
) -> None:
    comparison = compare(load([("a", KUBELET_HEADER)]), load([("b", KUBELET_HEADER + text)]), versions)
    (change,) = [change for change in comparison.changes if change.change.path == "eventRecordQPS"]
    assert bool(change.value_meaning) == is_named
    assert ("value_meaning" in change.as_dict()) == is_named
    assert (change.value_meaning in comparison.lines) == is_named
