# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machine files become one catalog, or all of their errors at once, each with file, line, field and object."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    BundleReference,
    Capabilities,
    Cluster,
    Machine,
    MachineCatalog,
    ProviderConfig,
    Runtime,
    Taint,
)
from support.machine_files import API_VERSION, cluster, debian_host, machine, machine_set, text_of

EXAMPLE = """\
apiVersion: machines.configok.dev/v1alpha1
kind: Machine
metadata: {name: worker-1, labels: {pool: workers, zone: a}}
spec:
  cluster: east
  versions: {kubelet: v1.34.9, containerRuntime: {name: containerd, version: 1.7.24}}
  pool: workers
  nodeLabels: {example.com/disk: ssd}
  taints: [{key: example.com/gpu, value: "true", effect: NoSchedule}]
  providerConfig:
    apiVersion: provider.configok.dev/v1alpha1
    kind: DebianHost
    address: 10.0.0.11
    packages: {source: deb https://example.com/ ./}
---
# A comment.
---
apiVersion: machines.configok.dev/v1alpha1
kind: Cluster
metadata: {name: east}
spec:
  endpoint: https://10.0.0.10:6443/
  kubernetesVersion: v1.34.9
  network: {serviceCIDR: "10.96.0.0/16, fd00::/112", dnsDomain: cluster.local, clusterDNS: [10.96.0.10]}
"""
PROVIDER = {
    "apiVersion": API_VERSION,
    "kind": "Provider",
    "metadata": {"name": "cloud"},
    "spec": {"apiVersion": "example.com/v1", "kind": "CloudHost", "role": "example.cloud.host"},
}
CLOUD_HOST = {"apiVersion": "example.com/v1", "kind": "CloudHost", "size": "large", "disks": [{"gb": 10}]}


def read(*objects: Any) -> MachineCatalog:
    return read_catalog({"m.yaml": text_of(*objects)})


def errors_of(*objects: Any) -> tuple[str, ...]:
    with pytest.raises(InvalidMachines) as raised:
        read(*objects)
    return raised.value.errors


def test_the_example_of_the_documentation_is_read() -> None:
    catalog = read_catalog({"east.yaml": EXAMPLE})
    fields = {
        "address": "10.0.0.11",
        "packages": {"source": "deb https://example.com/ ./", "kubelet": "kubelet", "hold": True},
        "port": 22,
        "user": "root",
        "become": True,
    }
    assert catalog.machines == (
        Machine(
            "worker-1",
            "east",
            ProviderConfig("provider.configok.dev/v1alpha1", "DebianHost", fields),
            labels={"pool": "workers", "zone": "a"},
            kubelet_version="1.34.9",
            runtime=Runtime("containerd", "1.7.24"),
            pool="workers",
            node_labels={"example.com/disk": "ssd"},
            taints=(Taint("example.com/gpu", "true", "NoSchedule"),),
            origin="east.yaml:1",
        ),
    )
    assert catalog.clusters == {
        "east": Cluster(
            "east",
            "https://10.0.0.10:6443",
            "1.34.9",
            "10.96.0.0/16,fd00::/112",
            "cluster.local",
            ("10.96.0.10",),
            origin="east.yaml:18",
        )
    }
    assert catalog.notes == ()
    provider = catalog.provider_of(catalog.machines[0])
    assert provider is not None
    assert provider.role == "configok.node.debian_host"
    assert catalog.cluster_of(catalog.machines[0]).name == "east"


def test_a_config_source_without_a_pool_and_absence_are_read() -> None:
    source = {"configMap": {"namespace": "kube-system", "name": "kubelet-abc"}}
    (item,) = read(cluster(), machine(configSource=source, state="Absent")).machines
    assert item.config_source == BundleReference("kube-system", "kubelet-abc", "")
    assert (item.state, item.pool, item.kubelet_version, item.runtime) == ("Absent", "", "", None)


def test_references_lead_from_file_to_file() -> None:
    catalog = read_catalog({"b.json": text_of(machine(cluster="west")), "a.yaml": text_of(cluster("west"), cluster())})
    assert [item.cluster for item in catalog.machines] == ["west"]


def test_a_list_is_read_as_kubectl_writes_it() -> None:
    items = {"apiVersion": "v1", "kind": "List", "items": [cluster(), machine("a"), machine("b", pol="x")]}
    assert errors_of(items) == ('m.yaml:1: Machine b: spec.pol: "x": unknown field of Machine, did you mean pool?',)
    del items["items"][2]["spec"]["pol"]  # type: ignore[index]
    assert [item.name for item in read(items).machines] == ["a", "b"]


def test_the_provider_of_a_user_is_opaque() -> None:
    catalog = read(cluster(), PROVIDER, machine(providerConfig=CLOUD_HOST))
    (item,) = catalog.machines
    assert item.provider == ProviderConfig("example.com/v1", "CloudHost", {"size": "large", "disks": [{"gb": 10}]})
    provider = catalog.provider_of(item)
    assert provider is not None
    assert (provider.role, provider.capabilities) == ("example.cloud.host", Capabilities())


def test_the_capabilities_of_a_provider_are_read() -> None:
    able = {"kubelet": False, "containerRuntime": False, "replace": True, "containerRuntimeKind": True}
    provider = {**PROVIDER, "spec": {**PROVIDER["spec"], "capabilities": able}}  # type: ignore[dict-item]
    catalog = read(cluster(), provider)
    assert catalog.providers[-1].capabilities == Capabilities(True, True, False, False, True, True)


def test_a_machine_set_is_expanded() -> None:
    hosts = (
        {"name": "a", "address": "10.0.0.1", "labels": {"zone": "b"}},
        {"name": "b", "address": "10.0.0.2", "packages": {"kubelet": "kubelet-b"}},
    )
    config = debian_host(packages={"hold": False})
    catalog = read(cluster(), machine_set(*hosts, labels={"zone": "a", "pool": "w"}, pool="w", providerConfig=config))
    first, second = catalog.machines
    assert (first.name, first.labels, first.pool) == ("a", {"zone": "b", "pool": "w"}, "w")
    assert (second.name, second.labels, second.machine_set) == ("b", {"zone": "a", "pool": "w"}, "workers")
    assert first.provider.fields["address"] == "10.0.0.1"
    assert not {"name", "labels"} & set(first.provider.fields)
    assert second.provider.fields["packages"] == {"hold": False, "kubelet": "kubelet-b"}


MACHINE = "Machine worker-1: "
ERRORS: list[tuple[Any, str]] = [
    (machine(versions={"kubelet": 1.34}), "spec.versions.kubelet: 1.34: must be a string: write it in quotes"),
    (
        machine(versions={"kubelet": "1.34"}),
        'spec.versions.kubelet: "1.34": must be a whole version, for example 1.34.9',
    ),
    (
        machine(versions={"kublet": "1.34.9"}),
        'spec.versions.kublet: "1.34.9": unknown field of Machine, did you mean kubelet?',
    ),
    (machine(versions=[]), "spec.versions: []: must be a mapping"),
    (
        machine(versions={"containerRuntime": {"version": "1"}}),
        "spec.versions.containerRuntime.name: is required: containerd, cri-o or docker",
    ),
    (
        machine(versions={"containerRuntime": {"name": "contanerd"}}),
        'spec.versions.containerRuntime.name: "contanerd": must be one of containerd, cri-o, docker',
    ),
    (
        machine(versions={"containerRuntime": {"name": "cri-o", "version": "new"}}),
        'spec.versions.containerRuntime.version: "new": must be a version, for example "1.7.24"',
    ),
    (
        machine(pool="w", configSource={"configMap": {"namespace": "n", "name": "x"}}),
        'spec.configSource: {"configMap": {"namespace": "n", "name": "x"}}: is not allowed together with',
    ),
    (machine(configSource={"configMap": {"namespace": "n"}}), "spec.configSource.configMap.name: is required"),
    (machine(pool="a b"), 'spec.pool: "a b": must be a pool: at most 63 letters, digits, -, _ and .'),
    (machine(nodeLabels={"a": True}), "spec.nodeLabels.a: true: must be a string: write it in quotes"),
    (
        machine(nodeLabels={"a b": "x"}),
        'spec.nodeLabels[a b]: "x": must be the key of a label: [prefix/]name of at most 63 letters, digits,',
    ),
    (
        machine(nodeLabels={"a": "-"}),
        'spec.nodeLabels.a: "-": must be the value of a label: at most 63 letters, digits, -, _ and .',
    ),
    (
        machine(nodeLabels={"kubernetes.io/os": "linux"}),
        'spec.nodeLabels[kubernetes.io/os]: "linux": must not be declared: the kubelet sets this label',
    ),
    (
        machine(nodeLabels={"configok.dev/pool": "x"}),
        'spec.nodeLabels[configok.dev/pool]: "x": must not begin with configok.dev/: configok.node sets these labels',
    ),
    (
        machine(taints=[{"key": "a", "effect": "NoRun"}]),
        'spec.taints[0].effect: "NoRun": must be one of NoSchedule, PreferNoSchedule, NoExecute',
    ),
    (machine(taints=[{"key": "a"}]), "spec.taints[0].effect: is required: NoSchedule, PreferNoSchedule or NoExecute"),
    (
        machine(taints=[{"key": "a"}, {"key": "b", "effect": "NoRun"}]),
        "spec.taints[0].effect: is required: NoSchedule, PreferNoSchedule or NoExecute",
    ),
    (machine(taints=[{"effect": "NoExecute"}]), "spec.taints[0].key: is required"),
    (
        machine(providerConfig=debian_host(packages={"source": "deb https://x/{kubeletminor} ./"})),
        'spec.providerConfig.packages.source: "deb https://x/{kubeletminor} ./": has the unknown placeholder'
        " {kubeletminor}, they are {kubeletMinor}, {kubelet}, {runtime}",
    ),
    (
        machine(taints=[{"key": "a", "effect": "NoExecute"}] * 2),
        'spec.taints[1]: {"key": "a", "effect": "NoExecute"}: must not stand twice: the key and the effect',
    ),
    (
        machine(taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]),
        'spec.taints[0].key: "node.kubernetes.io/not-ready": must not be declared: Kubernetes sets this',
    ),
    (machine(state="absent"), 'spec.state: "absent": must be one of Present, Absent'),
    (machine(cluster="west"), 'spec.cluster: "west": no Cluster has this name, there are: east'),
    (machine(providerConfig={"kind": "DebianHost"}), "spec.providerConfig.apiVersion: is required, as a string"),
    (machine(providerConfig=[]), "spec.providerConfig: []: must be a mapping"),
    (
        machine(providerConfig=debian_host(adress="x")),
        'spec.providerConfig.adress: "x": unknown field of DebianHost, did you mean address?',
    ),
    (
        machine(providerConfig=debian_host(address="10.0.0.1:22")),
        'spec.providerConfig.address: "10.0.0.1:22": must be an IP address or a DNS name; the port has a',
    ),
    (machine(providerConfig=debian_host(port=70000)), "spec.providerConfig.port: 70000: must be between 1 and 65535"),
    (
        machine(providerConfig=debian_host(kubeletFlags={"config": "/x"})),
        'spec.providerConfig.kubeletFlags.config: "/x": must not be declared: the provider sets this flag',
    ),
    (
        machine(providerConfig={**debian_host(), "kind": "DebianHots"}),
        'spec.providerConfig.kind: "DebianHots": no provider has the kind DebianHots of',
    ),
    (
        machine(providerConfig={**debian_host(), "apiVersion": "provider.configok.dev/v1"}),
        'spec.providerConfig.apiVersion: "provider.configok.dev/v1": must be provider.configok.dev/v1alpha1 for',
    ),
    (
        machine(providerConfig={**debian_host(), "kind": "External"}),
        "spec.providerConfig.create: is required: the path of a playbook",
    ),
]


@pytest.mark.parametrize(
    ("item", "expected"), ERRORS, ids=[text.split(": ")[0] + f" {index}" for index, (_item, text) in enumerate(ERRORS)]
)
def test_what_is_wrong_with_a_machine(item: Any, expected: str) -> None:
    assert any(error.startswith(f"m.yaml:3: {MACHINE}{expected}") for error in errors_of(cluster(), item))


def test_each_error_is_listed_once() -> None:
    wrong = [item for item, _text in ERRORS if item["spec"].get("versions") != []]
    for item in wrong:
        errors = errors_of(cluster(), item)
        assert len(errors) == len(set(errors)) <= 2


OTHERS: list[tuple[Any, str]] = [
    (
        cluster("x", endpoint="http://a"),
        'Cluster x: spec.endpoint: "http://a": must be a URL with https, host and perhaps port, for example',
    ),
    (
        cluster("x", endpoint="https://a:99999"),
        'Cluster x: spec.endpoint: "https://a:99999": must be a URL with https, host and perhaps port, for',
    ),
    (
        cluster("x", kubernetesVersion="1.34"),
        'Cluster x: spec.kubernetesVersion: "1.34": must be a whole version, for example 1.34.9',
    ),
    (
        cluster("x", network={"serviceCIDR": "10.0.0.0"}),
        'Cluster x: spec.network.serviceCIDR: "10.0.0.0": must be a CIDR, for example 10.96.0.0/16, or an',
    ),
    (
        cluster("x", network={"dnsDomain": "A_b"}),
        'Cluster x: spec.network.dnsDomain: "A_b": must be a DNS name, for example cluster.local',
    ),
    (
        cluster("x", network={"clusterDNS": ["dns"]}),
        'Cluster x: spec.network.clusterDNS[0]: "dns": must be an IP address',
    ),
    (
        cluster("x", network={"clusterDNS": ["1.1.1.1"] * 2}),
        'Cluster x: spec.network.clusterDNS[1]: "1.1.1.1": must not stand twice',
    ),
    (
        cluster("X"),
        'Cluster X: metadata.name: "X": must be a DNS-1123 subdomain: lower-case letters, digits, - and .,',
    ),
    ({"apiVersion": API_VERSION, "kind": "Cluster", "metadata": {"name": "x"}}, "Cluster x: spec: is required"),
    ({"apiVersion": API_VERSION, "kind": "Cluster", "spec": {}}, "Cluster: metadata: is required"),
    (
        {"apiVersion": API_VERSION, "kind": "Cluster", "metadata": {}, "spec": {}},
        "Cluster: metadata.name: is required: a DNS-1123 subdomain",
    ),
    (
        {"apiVersion": API_VERSION, "kind": "Machin"},
        'Machin: kind: "Machin": unknown kind of machines.configok.dev, did you mean Machine?',
    ),
    (
        {"apiVersion": "machines.configok.dev/v1", "kind": "Machine"},
        'Machine: apiVersion: "machines.configok.dev/v1": must be machines.configok.dev/v1alpha1 for a Machine',
    ),
    (
        {"apiVersion": "v1", "kind": "Secret"},
        'Secret: kind: "Secret": is not read here: Machine files hold Cluster, Machine, MachineSet, Provider',
    ),
    (
        debian_host(),
        'DebianHost: kind: "DebianHost": is the config of a provider: it belongs in spec.providerConfig of',
    ),
    ({"kind": "Machine"}, "apiVersion: is required, as a string"),
    ([1], "must be an object with apiVersion and kind"),
    (
        {**PROVIDER, "spec": {"apiVersion": "provider.configok.dev/v1", "kind": "x", "role": "-"}},
        'Provider cloud: spec.apiVersion: "provider.configok.dev/v1": must be of a group of your own: those',
    ),
    (
        {**PROVIDER, "spec": {"apiVersion": "x", "kind": "A", "role": "a.b"}},
        'Provider cloud: spec.role: "a.b": must be the name of a role, for example example.cloud.host',
    ),
    (machine_set({"address": "1.1.1.1"}), "MachineSet workers: spec.hosts[0].name: is required, as a string"),
    (
        machine_set({"name": "a"}, {"name": "a"}),
        'MachineSet workers: spec.hosts[1].name: "a": must not stand twice: another host of the set has this name',
    ),
    (
        machine_set({"name": "a", "kind": "External"}),
        'MachineSet workers: spec.hosts[0].kind: "External": belongs in spec.template.spec.providerConfig:',
    ),
    (
        machine_set({"name": "a", "labels": {"x": 1}}),
        "MachineSet workers: spec.hosts[0].labels.x: 1: must be a string: write it in quotes",
    ),
    (
        machine_set({"name": "a", "adress": "1.1.1.1"}),
        'MachineSet workers: spec.hosts[0].adress: "1.1.1.1": unknown field of DebianHost, did you mean address?',
    ),
    (
        machine_set({"name": "a"}, providerConfig=debian_host(adress=1)),
        "MachineSet workers: spec.template.spec.providerConfig.adress: 1: unknown field of DebianHost, did",
    ),
    (machine_set("a"), 'MachineSet workers: spec.hosts[0]: "a": must be a mapping'),  # type: ignore[arg-type]
    (
        {"apiVersion": API_VERSION, "kind": "MachineSet", "metadata": {"name": "s"}, "spec": {}},
        "MachineSet s: spec.template: is required",
    ),
    (
        machine("worker-2", providerConfig=debian_host(address="10.0.0.9")),
        'Machine worker-2: spec.providerConfig.address: "10.0.0.9": the Machine worker-9 (m.yaml:1) has this',
    ),
    (
        machine("worker-9"),
        'Machine worker-9: metadata.name: "worker-9": another Machine has this name already, in m.yaml:1',
    ),
    (
        machine_set({"name": "worker-9"}),
        'MachineSet workers: spec.hosts[0].name: "worker-9": another Machine has this name already, in m.yaml:1',
    ),
]


@pytest.mark.parametrize(("item", "expected"), OTHERS, ids=[f"{index}" for index in range(len(OTHERS))])
def test_what_is_wrong_with_other_objects(item: Any, expected: str) -> None:
    first = machine("worker-9", providerConfig=debian_host(address="10.0.0.9"))
    assert any(error.startswith(f"m.yaml:3: {expected}") for error in errors_of(first, item, cluster()))


def test_a_machine_needs_a_cluster() -> None:
    assert errors_of(machine()) == (
        f"m.yaml:1: {MACHINE}spec.cluster: no Cluster is declared: add one named as you like "
        "(machines.configok.dev/v1alpha1, kind Cluster)",
    )
    assert errors_of(machine(), cluster("a"), cluster("b")) == (
        f"m.yaml:1: {MACHINE}spec.cluster: is required, as there are several Clusters: a, b",
    )


def test_errors_have_the_lines_of_the_file() -> None:
    text = EXAMPLE.replace("kubelet: v1.34.9", "kubelet: v1.34.9, kubelet: x").replace("clusterDNS", "clusterDns")
    with pytest.raises(InvalidMachines) as raised:
        read_catalog({"ok.yaml": "", "e.yaml": text, "broken.yaml": "\n\na: [1"})
    assert raised.value.errors[0].startswith("broken.yaml:4: a: not valid YAML: ")
    assert set(raised.value.errors[1:]) == {
        f"e.yaml:6: {MACHINE}spec.versions.kubelet: duplicate field, first on line 6: remove one of them",
        f'e.yaml:6: {MACHINE}spec.versions.kubelet: "x": must be a whole version, for example 1.34.9',
        'e.yaml:24: Cluster east: spec.network.clusterDns: ["10.96.0.10"]: unknown field of Cluster, did you mean'
        " clusterDNS?",
    }


def test_a_duplicate_field_has_the_lines_of_the_file() -> None:
    text = "apiVersion: x/v1\nkind: A\n---\nkind: List\nkind: List\nitems:\n- kind: B\n  kind: B\n"
    with pytest.raises(InvalidMachines) as raised:
        read_catalog({"a.yaml": text})
    assert [error for error in raised.value.errors if "duplicate" in error] == [
        "a.yaml:5: kind: duplicate field, first on line 4: remove one of them",
        "a.yaml:8: kind: duplicate field, first on line 7: remove one of them",
    ]


def test_a_name_is_one_line_of_a_message() -> None:
    errors = errors_of(machine("a\nb"), cluster())
    assert errors
    assert not any("\n" in error for error in errors)


@pytest.mark.parametrize("field", ["versions", "state", "nodeLabels", "taints"])
def test_a_field_of_a_machine_is_none_of_a_host(field: str) -> None:
    (error,) = errors_of(cluster(), machine_set({"name": "a", field: {}}))
    assert error.endswith(
        f"is not a field of a host, which sets name, labels and fields of providerConfig: {field} belongs in"
        " spec.template.spec"
    )


def test_many_errors_are_bounded() -> None:
    errors = errors_of(cluster(), *(machine(f"w{index}", pol="x") for index in range(150)))
    assert len(errors) == 101
    assert errors[-1] == "50 more errors are not shown: fix these first"


def test_secrets_are_not_shown() -> None:
    (error,) = errors_of(cluster(), machine(providerConfig=debian_host(password="hunter2")))
    assert "hunter2" not in error


HOSTILE = [
    (
        "a: &a [x]\n" + "".join(f"b{n}: &b{n} [{', '.join([f'*b{n - 1}' if n else '*a'] * 20)}]\n" for n in range(8)),
        "aliases counted as often as used",
    ),
    ("{" * 1, "not valid JSON"),
    ("a: " + "[" * 500, "nested deeper than 64 levels"),
    ('{"a":' * 500, "nested deeper than 64 levels"),
    ("x" * (17 * 1024 * 1024), "the file is too large"),
    ("---\na: 1\n" * 20_001, "the file has 20001 documents, at most 20000 are read"),
    ("a: !!python/object/apply:os.system [id]", "YAML tags other than the basic ones are not allowed"),
    ("a: \x00", "not valid YAML"),
]


@pytest.mark.parametrize(("text", "expected"), HOSTILE, ids=[expected for _text, expected in HOSTILE])
def test_hostile_files_are_refused_with_a_message(text: str, expected: str) -> None:
    with pytest.raises(InvalidMachines) as raised:
        read_catalog({"h.yaml": text})
    assert expected in raised.value.errors[0]
    assert len(raised.value.errors[0]) < 1500


def test_two_thousand_hosts_of_a_set() -> None:
    hosts = [{"name": f"w{index}", "address": f"10.0.{index // 200}.{index % 200 + 1}"} for index in range(2000)]
    assert len(read(cluster(), machine_set(*hosts)).machines) == 2000
