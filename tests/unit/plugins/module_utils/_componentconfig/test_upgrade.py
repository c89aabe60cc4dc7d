# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to a file when its component moves to another Kubernetes minor."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import canonical
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import load_file
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import Kind, kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    known_minors,
    minor_name,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from ansible_collections.configok.node.plugins.module_utils._componentconfig.upgrade import Upgrade, upgrade
from support.configs.kubelet import KUBELET_HEADER
from support.configs.objects import configs
from support.fuzz.settings import fuzz
from support.releases.names import LATER_RELEASE, NEWEST_RELEASE, NEXT_RELEASE

PROXY = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
SCHEDULER = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"


def upgraded(text: str, old: str, new: str = "", **options: Any) -> Upgrade:
    return upgrade(load([("f.yaml", text)]), old, new, **options)


def fields_of(result: Upgrade) -> dict[str, tuple[Any, Any, str]]:
    return {
        field.change.change.path: (field.change.change.old, field.change.change.new, field.cause)
        for field in result.fields
    }


@pytest.mark.complaint("kubeadm #3049: customisations lost at upgrade")
@pytest.mark.parametrize(
    ("text", "old", "new", "path", "expected"),
    [
        ("", "1.26", "1.27", "kubeAPIQPS", (5, 50, "default")),
        ("", "1.27", "1.26", "kubeAPIQPS", (50, 5, "default")),
        ("", "1.29", "1.30", "evictionHard[imagefs.inodesFree]", (None, "5%", "default")),
        ("", "1.34", "1.35", "failCgroupV1", (False, True, "default")),
        ("", "1.29", "1.35", "failCgroupV1", (None, True, "new")),
        ("", "1.35", "1.30", "failCgroupV1", (True, None, "gone")),
        ("maxParallelImagePulls: 3\n", "1.26", "1.27", "maxParallelImagePulls", (None, 3, "read")),
        ("logging: {sanitization: true}\n", "1.23", "1.24", "logging.sanitization", (True, None, "gone")),
    ],
)
def test_an_upgrade_shows_the_fields_that_change(
    text: str, old: str, new: str, path: str, expected: tuple[Any, Any, str]
) -> None:
    assert fields_of(upgraded(KUBELET_HEADER + text, old, new))[path] == expected


def test_fields_that_the_file_sets_do_not_change() -> None:
    result = upgraded(KUBELET_HEADER + "kubeAPIQPS: 5\nkubeAPIBurst: 7\nfailCgroupV1: false\n", "1.26", "1.36")
    assert not {"kubeAPIQPS", "kubeAPIBurst", "failCgroupV1"} & set(fields_of(result)) - {"failCgroupV1"}
    assert fields_of(result)["failCgroupV1"] == (None, False, "read")


def test_an_upgrade_has_human_readable_lines() -> None:
    result = upgraded(KUBELET_HEADER + "featureGates:\n  NodeSwap: true\n", "1.33", "1.36", flags=["--v=2"])
    lines = result.lines
    assert "failCgroupV1: false -> true  [restart-crash-risk]  (the default changes)" in lines
    assert "featureGates.NodeSwap is set to true: Beta, on -> GA, on, locked  (f.yaml:4)" in lines
    assert any(line.startswith("feature gates that turn on, unless set: ") for line in lines)
    assert lines[-1].startswith("overall: restart-crash-risk: restart; the kubelet exits if")


def test_a_gate_that_goes_is_refused() -> None:
    result = upgraded(KUBELET_HEADER + "featureGates:\n  CSIMigration: true\n", "1.26", "1.27")
    (gate,) = [gate for gate in result.gates if gate.setting is not None]
    assert gate.as_dict() == {
        "gate": "CSIMigration",
        "setting": True,
        "before": "GA, on, locked",
        "after": "gone",
        "was_on": True,
        "is_on": True,
        "refusal": "unknown feature gate: it is gone since Kubernetes 1.27",
        "place": "f.yaml:4",
        "components": ["kube-controller-manager", "kube-scheduler", "kubelet"],
    }
    assert result.is_refused
    assert result.lines[0] == (
        "component: f.yaml:4: featureGates.CSIMigration: true: unknown feature gate: it is gone since Kubernetes 1.27"
    )
    assert not any(line.startswith("featureGates.CSIMigration is set") for line in result.lines)


def test_a_gate_that_is_locked_to_the_other_value_is_refused() -> None:
    result = upgraded(KUBELET_HEADER + "featureGates:\n  NodeSwap: false\n", "1.33", "1.34")
    (gate,) = [gate for gate in result.gates if gate.setting is not None]
    assert (gate.before, gate.after, gate.refusal) == (
        "Beta, on",
        "GA, on, locked",
        "the gate is locked: only true is allowed",
    )
    assert "component: f.yaml:4: featureGates.NodeSwap: false: the gate is locked: only true is allowed" in result.lines


def test_gates_that_the_file_does_not_set_change_too() -> None:
    gates = {gate.gate: gate for gate in upgraded(KUBELET_HEADER, "1.29", "1.30").gates}
    assert (gates["NodeSwap"].setting, gates["NodeSwap"].was_on, gates["NodeSwap"].is_on) == (None, False, True)
    assert "NodeSwap" not in {
        gate.gate
        for gate in upgraded(KUBELET_HEADER + "featureGates: {AllBeta: true}\n", "1.29", "1.30").gates
        if gate.was_on != gate.is_on
    }


def test_flags_that_go_are_reported() -> None:
    flags = ["--pod-infra-container-image=pause", "--kube-api-qps=5", "--node-ip=192.0.2.1"]
    result = upgraded(KUBELET_HEADER, "1.26", "1.35", flags=flags)
    assert [flag.as_dict() for flag in result.flags] == [
        {
            "name": "pod-infra-container-image",
            "refused": True,
            "reason": "Kubernetes 1.35 and newer do not have it: the container runtime says it",
        }
    ]
    assert result.is_refused
    assert sum("--pod-infra-container-image" in line for line in result.lines) == 1
    assert "kubeAPIQPS" not in fields_of(result)
    assert "kubeAPIBurst" in fields_of(result)


def test_an_upgrade_covers_gates_of_the_command_line() -> None:
    result = upgraded(SCHEDULER, "1.24", "1.27", flags=["--feature-gates=CSIMigration=true"])
    (gate,) = [gate for gate in result.gates if gate.setting is not None]
    assert (gate.gate, gate.source, gate.after) == ("CSIMigration", "--feature-gates", "gone")
    assert upgraded(SCHEDULER, "1.24", "1.27").gates == []


def test_a_version_of_the_kind_that_goes_is_refused() -> None:
    result = upgraded(SCHEDULER, "1.28", "1.29")
    assert result.is_refused
    assert result.fields == []
    assert result.lines[0].startswith('component: f.yaml:1: apiVersion: "kubescheduler.config.k8s.io/v1beta3": ')


def test_only_new_findings_are_listed() -> None:
    result = upgraded(KUBELET_HEADER + "maxPods: -1\nrunOnce: true\n", "1.31", "1.32")
    assert [finding.field for finding in result.findings] == ["runOnce"]


def test_what_both_minors_refuse_is_named() -> None:
    result = upgraded(
        "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n", "1.20", "1.36"
    )
    assert not result
    assert not result.is_refused
    assert result.lines[0] == "nothing that the data know changes from Kubernetes 1.20 to 1.36"
    assert result.lines[1].startswith("component, as before: f.yaml:1: apiVersion:")


def test_an_upgrade_covers_every_document_of_a_kubeadm_file() -> None:
    cluster = "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n"
    text = f"{cluster}---\n{KUBELET_HEADER}---\n{PROXY}"
    result = upgrade(load_file("f.yaml", text), "1.27", "1.36")
    assert {field.kind for field in result.fields} == {"KubeletConfiguration", "KubeProxyConfiguration"}
    assert result.fields[0].as_dict()["kind"]


PREFERENCE = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"


def test_nothing_changes() -> None:
    assert upgraded(PREFERENCE, "1.36", "1.37").lines == ["nothing changes from Kubernetes 1.36 to 1.37"]


def test_an_upgrade_over_releases_whose_notes_are_not_in_the_data_says_so() -> None:
    assert upgraded(PREFERENCE, "1.33", "1.37").lines == [
        "nothing that the data know changes from Kubernetes 1.33 to 1.37",
        "not judged: meanings of Kubernetes 1.34 to 1.36: the data have nothing on values that mean something else "
        "from these releases on",
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("1.31", "v1.31.4", "both versions are of Kubernetes 1.31: an upgrade needs two minors"),
        (NEWEST_RELEASE, "", f"both versions are of Kubernetes {NEWEST_RELEASE}"),
        ("1.19", "1.31", "Kubernetes 1.19 is not known here"),
        ("1.3", "1.31", r"write 1.30 in quotes"),
        ("x", "1.31", "not a Kubernetes version"),
    ],
)
def test_versions_that_make_no_upgrade(old: str, new: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        upgraded(KUBELET_HEADER, old, new)


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(ConfigError, match="is not a known kind"):
        upgraded("apiVersion: v9\nkind: Nothing\n", "1.30", "1.31")


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind.component != "client"], ids=lambda kind: kind.kind)
def test_every_kind_can_be_upgraded_through_all_its_minors(kind: Any) -> None:
    text = f"apiVersion: {kind.api_version}\nkind: {kind.kind}\n"
    minors = [minor for minor in known_minors() if kind.known_at(minor)]
    for old, new in [*zip(minors, minors[1:]), *zip(minors[1:], minors)]:
        result = upgraded(text, minor_name(old), minor_name(new))
        assert result.lines
        assert result.heaviest is None or result.fields
        for field in result.fields:
            assert field.cause != "new" or field.change.change.old is None
            is_flag = field.change.change.path == "containerRuntimeEndpoint"  # a flag up to 1.26
            assert field.cause != "gone" or field.change.change.new is None or is_flag
            assert field.cause != "read"


def test_flags_with_a_file_of_several_documents() -> None:
    text = f"apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n---\n{KUBELET_HEADER}"
    assert upgrade(load_file("f", text), "1.30", "1.31", flags=["--v=2"]).flags == []


@pytest.mark.parametrize("flags", [(), ("--feature-gates=NoSuchGate=true",)])
def test_gates_of_several_documents_are_listed_once(flags: tuple[str, ...]) -> None:
    cluster = "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n"
    result = upgrade(load_file("f", f"{cluster}---\n{KUBELET_HEADER}---\n{PROXY}"), "1.30", "1.31", flags=flags)
    assert result.gates
    assert [gate.gate for gate in result.gates] == sorted({gate.gate for gate in result.gates})


def test_gates_of_kubeadm_are_its_own() -> None:
    text = "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n"
    assert upgraded(text, "1.30", "1.31", flags=["--feature-gates=EtcdLearnerMode=true"]).gates == []


@pytest.mark.parametrize(
    ("flags", "old", "new", "line"),
    [
        (["--cloud-provider=aws"], "1.26", "1.27", 'component: --cloud-provider: "aws": it has no such cloud provider'),
        (["--cloud-provider=vsphere"], "1.28", "1.29", 'component: --cloud-provider: "vsphere": the gate Disable'),
        (["--container-runtime=docker"], "1.23", "1.24", 'component: --container-runtime: "docker": must be remote'),
        (["--node-labels=a=b/c"], "1.24", "1.25", 'component: --node-labels: the value of the label "a" must be'),
        (["--register-with-taints=a"], "1.22", "1.23", "component: --register-with-taints: the taint"),
    ],
)
def test_a_value_of_a_flag_that_the_new_minor_refuses_is_reported(
    flags: list[str], old: str, new: str, line: str
) -> None:
    result = upgraded(KUBELET_HEADER, old, new, flags=flags)
    assert any(text.startswith(line) for text in result.lines)
    assert result.is_refused


def test_a_value_that_both_minors_refuse_is_not_a_new_finding() -> None:
    result = upgraded(KUBELET_HEADER, "1.24", "1.25", flags=["--node-labels=kubernetes.io/role=x"])
    assert [finding.rule for finding in result.findings] == []
    assert [finding.rule for finding in result.refusals] == ["key-namespace-allowed"]


ENDPOINT = "--container-runtime-endpoint=unix:///run/containerd/containerd.sock"
CRIO = "--container-runtime-endpoint=unix:///run/crio/crio.sock"


@pytest.mark.parametrize(
    ("text", "old", "new", "flags", "path"),
    [
        (KUBELET_HEADER, "1.26", "1.27", (ENDPOINT,), "containerRuntimeEndpoint"),
        (KUBELET_HEADER, "1.26", "1.27", (CRIO,), "containerRuntimeEndpoint"),
        (KUBELET_HEADER, "1.27", "1.26", (CRIO,), "containerRuntimeEndpoint"),
        (KUBELET_HEADER, "1.20", "1.37", (CRIO,), "containerRuntimeEndpoint"),
        (KUBELET_HEADER, "1.24", "1.27", (), "containerRuntimeEndpoint"),
        (KUBELET_HEADER, "1.27", "1.24", (), "containerRuntimeEndpoint"),
        (
            KUBELET_HEADER + "containerRuntimeEndpoint: unix:///run/crio/crio.sock\n",
            "1.26",
            "1.27",
            ("--container-runtime-endpoint", "unix:///run/crio/crio.sock"),
            "containerRuntimeEndpoint",
        ),
        (
            KUBELET_HEADER + "containerRuntimeEndpoint: unix:///run/containerd/containerd.sock\n",
            "1.26",
            "1.27",
            (),
            "containerRuntimeEndpoint",
        ),
        (KUBELET_HEADER, "1.26", "1.27", ("--image-service-endpoint=unix:///run/i.sock",), "imageServiceEndpoint"),
        (KUBELET_HEADER, "1.22", "1.23", (), "registerNode"),
        (KUBELET_HEADER, "1.22", "1.23", ("--register-node=true",), "registerNode"),
        (KUBELET_HEADER, "1.22", "1.23", ("--register-node=false",), "registerNode"),
        (KUBELET_HEADER, "1.22", "1.23", ("--register-with-taints=a=b:NoSchedule",), "registerWithTaints"),
        (KUBELET_HEADER, "1.22", "1.23", ("--v=4",), "logging.verbosity"),
        (KUBELET_HEADER, "1.22", "1.23", ("-v", "4"), "logging.verbosity"),
        (KUBELET_HEADER, "1.22", "1.23", (), "logging.verbosity"),
        (KUBELET_HEADER, "1.22", "1.23", ("--log-flush-frequency=5000ms",), "logging.flushFrequency"),
        (KUBELET_HEADER, "1.22", "1.23", ("--vmodule=a=3",), "logging.vmodule"),
        (PROXY, "1.27", "1.28", ("--v=2",), "logging.verbosity"),
        (PROXY, "1.28", "1.27", ("--v=2",), "logging.verbosity"),
    ],
)
def test_what_a_flag_sets_before_and_after_does_not_change(
    text: str, old: str, new: str, flags: tuple[str, ...], path: str
) -> None:
    result = upgraded(text, old, new, flags=flags)
    assert path not in fields_of(result)
    assert not any(line.startswith(path) for line in result.lines)
    assert result.heaviest not in ("drain", "reboot")


@pytest.mark.parametrize(
    ("text", "old", "new", "flags", "expected"),
    [
        (
            KUBELET_HEADER + "containerRuntimeEndpoint: unix:///run/crio/crio.sock\n",
            "1.26",
            "1.27",
            (),
            ("unix:///run/containerd/containerd.sock", "unix:///run/crio/crio.sock", "read"),
        ),
        (
            KUBELET_HEADER + "containerRuntimeEndpoint: unix:///run/crio/crio.sock\n",
            "1.27",
            "1.26",
            (),
            ("unix:///run/crio/crio.sock", "unix:///run/containerd/containerd.sock", "gone"),
        ),
        (
            KUBELET_HEADER,
            "1.23",
            "1.27",
            (),
            ("unix:///var/run/dockershim.sock", "unix:///run/containerd/containerd.sock", "default"),
        ),
    ],
)
def test_another_runtime_endpoint_is_a_drain(
    text: str, old: str, new: str, flags: tuple[str, ...], expected: tuple[Any, Any, str]
) -> None:
    result = upgraded(text, old, new, flags=flags)
    assert fields_of(result)["containerRuntimeEndpoint"] == expected
    assert result.heaviest == "drain"


@pytest.mark.parametrize(
    ("text", "old", "new", "path"),
    [
        ("podLogsDir: /var/log/pods\n", "1.29", "1.30", "podLogsDir"),
        ("podLogsDir: /var/log/pods\n", "1.30", "1.29", "podLogsDir"),
        ("localStorageCapacityIsolation: true\n", "1.24", "1.25", "localStorageCapacityIsolation"),
        ("containerLogMonitorInterval: 10000ms\n", "1.29", "1.30", "containerLogMonitorInterval"),
    ],
)
def test_a_default_that_is_written_out_is_like_one_that_is_not(text: str, old: str, new: str, path: str) -> None:
    written, unwritten = (upgraded(KUBELET_HEADER + part, old, new) for part in (text, ""))
    cause = "gone" if new < old else "new"
    for result in (written, unwritten):
        (field,) = [field for field in result.fields if field.change.change.path == path]
        assert (field.cause, field.disruption) == (cause, "restart")
    assert written.heaviest == unwritten.heaviest


def test_another_value_of_a_field_that_was_not_read_has_its_class() -> None:
    assert upgraded(KUBELET_HEADER + "podLogsDir: /data/pods\n", "1.29", "1.30").heaviest == "drain"


@pytest.mark.parametrize(
    ("flags", "old", "new", "news", "as_before"),
    [
        (
            ("--container-runtime=remote", "--pod-infra-container-image=x"),
            "1.34",
            "1.35",
            ["pod-infra-container-image"],
            ["container-runtime"],
        ),
        (("--container-runtime=remote",), "1.26", "1.27", ["container-runtime"], []),
        (("--container-runtime=remote",), "1.27", "1.28", [], ["container-runtime"]),
        (("--storage-driver-db=x",), "1.36", "1.37", ["storage-driver-db"], []),
        (("--fail-cgroupv1=true",), "1.31", "1.30", ["fail-cgroupv1"], []),
        (("--fail-cgroupv1=true",), "1.30", "1.29", [], ["fail-cgroupv1"]),
        (("--fail-cgroupv1=true",), "1.30", "1.31", [], []),
        (("--no-such-flag=1",), "1.30", "1.31", [], ["no-such-flag"]),
    ],
)
@pytest.mark.parametrize("others", ["", f"---\n{PROXY}"])
def test_a_flag_is_news_or_as_before(
    flags: tuple[str, ...], old: str, new: str, news: list[str], as_before: list[str], others: str
) -> None:
    result = upgrade(load_file("f.yaml", KUBELET_HEADER + others), old, new, flags=flags)
    assert [flag.name for flag in result.flags] == news
    assert result.is_refused == bool(news)
    shown = [line for line in result.lines if "--" in line and line.startswith("component")]
    assert [line.split(":")[0] for line in shown] == ["component"] * len(news) + ["component, as before"] * len(
        as_before
    )
    for name, line in zip([*news, *as_before], shown):
        assert f": --{name}: " in line


def test_lines_of_documents_of_several_kinds_have_their_kinds() -> None:
    text = f"apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n---\n{KUBELET_HEADER}---\n{PROXY}"
    lines = upgrade(load_file("f", text), "1.22", "1.28").lines
    assert any(line.startswith("KubeletConfiguration: kubeAPIQPS: 5 -> 50  [") for line in lines)
    assert any(line.startswith("KubeProxyConfiguration: logging.") for line in lines) or len(lines) == len(set(lines))


def test_an_upgrade_to_a_release_whose_data_are_not_whole_never_says_that_nothing_changes() -> None:
    for old, new in ((NEWEST_RELEASE, NEXT_RELEASE), (NEXT_RELEASE, NEWEST_RELEASE), (NEWEST_RELEASE, LATER_RELEASE)):
        result = upgraded(PREFERENCE, old, new)
        assert result.not_judged
        assert not any(line.startswith("nothing changes") for line in result.lines)


FLAGS = {
    "kubelet": [
        ENDPOINT,
        CRIO,
        "--container-runtime=remote",
        "--pod-infra-container-image=x",
        "--storage-driver-db=x",
        "--event-qps=0",
        "--v=2",
        "--register-node=false",
        "--max-pods=5",
        "--feature-gates=NodeSwap=false,MemoryQoS=true",
        "--no-such-flag",
    ],
    "kube-proxy": ["--v=2", "--proxy-mode=ipvs", "--feature-gates=KubeProxyIPVS=false", "--no-such-flag"],
    "kube-scheduler": ["--v=2", "--feature-gates=CSIMigration=true", "--port=0"],
    "kube-controller-manager": ["--concurrent-service-syncs=1", "--concurrent-disruption-syncs=5"],
    "kube-apiserver": ["--advertise-address=192.0.2.1", "--enable-logs-handler=true"],
}


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind} {kind.api_version}")
@fuzz(2)
@given(st.data())
def test_no_line_is_repeated_and_a_value_that_stays_has_no_class(kind: Kind, data: st.DataObject) -> None:
    minors = data.draw(st.lists(st.sampled_from(known_minors()), min_size=2, max_size=2, unique=True))
    known = [minor for minor in known_minors() if kind.known_at(minor)]
    text = encode(data.draw(configs(kind, data.draw(st.sampled_from(known)))))
    choices = FLAGS.get(kind.component, [])
    flags = data.draw(st.lists(st.sampled_from(choices), max_size=4, unique=True)) if choices else []
    result = upgraded(text, *map(minor_name, minors), flags=flags)
    lines = result.lines
    assert len(lines) == len(set(lines))
    assert len({(field.kind, field.change.change.path) for field in result.fields}) == len(result.fields)
    for field in result.fields:
        change = field.change.change
        assert canonical(change.old) != canonical(change.new)
        assert field.off is None or "[" not in str(field).rpartition("  (")[0][len(str(field.change)) :]
    for flag in flags:
        name = flag.partition("=")[0]
        refused = [line for line in lines if line.startswith("component") and f": {name}: " in line]
        assert len(refused) <= 1 or name in ("--v", "--feature-gates")
    assert result.as_dict()["lines"] == lines
