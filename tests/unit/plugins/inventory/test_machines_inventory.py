# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin machines, read by ansible-inventory, against an embedded API server."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.inventory.machines import EXAMPLES, InventoryModule
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from support.ansible_runs.inventories import Inventory, read_inventory
from support.api.clusters import SandboxCluster
from support.api.servers import ApiServer, start_embedded

Read = Callable[..., Inventory]
ROOT = Path(__file__).resolve().parents[4]
ZONE = "topology.kubernetes.io/zone"
_CLUSTER = {"endpoint": "https://192.0.2.1:6443", "kubernetesVersion": "1.34.9"}


@pytest.fixture
def read(cluster: SandboxCluster, tmp_path: Path) -> Read:
    """Return a function that reads an inventory file with these options; options of None are left out."""

    def call(environment: dict[str, str] | None = None, **options: Any) -> Inventory:
        config = {"plugin": "configok.node.machines", "kubeconfig": cluster.kubeconfig, **options}
        path = tmp_path / "test.machines.inventory.yml"
        path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
        return read_inventory(path, environment=environment)

    return call


@pytest.fixture
def other(tmp_path: Path) -> Iterator[ApiServer]:
    """Return another API server, whose only Node is of-other."""
    with start_embedded(tmp_path / "other") as api:
        with api.client() as client:
            client.create(paths.NODES, {"metadata": {"name": "of-other"}})
        yield api


def lists(cluster: SandboxCluster) -> list[Any]:
    """Return the lists of Nodes that were asked for."""
    return [call for call in cluster.server.requests.calls() if call.verb == "list" and call.resource == "nodes"]


def test_nodes_are_hosts_with_groups_and_variables(cluster: SandboxCluster, read: Read) -> None:
    for number in range(3):
        cluster.add_node(f"n{number}", version="v1.35.1", labels={ZONE: "ab"[number % 2], "disk": "ssd"})
    addresses = [{"type": "InternalIP", "address": "10.0.0.7"}]
    cluster.client.patch(paths.node_status("n1"), {"status": {"addresses": addresses}}, kind="strategic")
    inventory = read(
        cluster="east",
        compose={"ansible_user": "'root'", "kubelet": "node.kubelet_version"},
        groups={"first": "node_name == 'n0'"},
        keyed_groups=[{"key": "node.labels.disk", "prefix": "disk"}],
        strict=True,
    )
    assert inventory.hosts == ["n0", "n1", "n2"], inventory.problem
    for group in ("cluster_east", "ready", "config_ok_unknown", "version_1_35_1", "disk_ssd"):
        assert inventory.group(group) == ["n0", "n1", "n2"], group
    assert (inventory.group("zone_a"), inventory.group("zone_b"), inventory.group("first")) == (
        ["n0", "n2"],
        ["n1"],
        ["n0"],
    )
    variables = inventory.variables("n1")
    assert {name: variables[name] for name in ("ansible_host", "ansible_user", "node_name", "kubelet")} == {
        "ansible_host": "10.0.0.7",
        "ansible_user": "root",
        "node_name": "n1",
        "kubelet": "1.35.1",
    }
    assert variables["node"]["conditions"] == {"Ready": "True"}
    assert "ansible_host" not in inventory.variables("n0")


def test_the_api_server_evaluates_selectors(cluster: SandboxCluster, read: Read) -> None:
    for number in range(3):
        cluster.add_node(f"n{number}", labels={"disk": "ssd" if number else "hdd"})
    inventory = read(label_selector="disk in (ssd)", field_selector="metadata.name!=n2")
    assert inventory.hosts == ["n1"], inventory.problem
    assert len(lists(cluster)) == 1


def test_pages_are_read_to_the_end(cluster: SandboxCluster, read: Read) -> None:
    for number in range(501):
        cluster.client.create(paths.NODES, {"metadata": {"name": f"n{number:03d}"}})
    assert len(read().hosts) == 501
    assert len(lists(cluster)) == 2


def test_nodes_are_cached_for_their_selectors(cluster: SandboxCluster, read: Read, tmp_path: Path) -> None:
    cluster.add_node("n1", labels={"disk": "ssd"})
    options = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path / "cache")}
    assert read(**options).hosts == ["n1"]
    cluster.add_node("n2")
    assert read(**options).hosts == ["n1"]
    assert read(**options, label_selector="disk!=ssd").hosts == ["n2"], "another question has another answer"
    assert len(lists(cluster)) == 2


def test_another_cluster_is_not_answered_from_the_cache(
    cluster: SandboxCluster, read: Read, tmp_path: Path, other: ApiServer
) -> None:
    cluster.add_node("n1")
    options = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(tmp_path / "cache"),
        "kubeconfig": None,
    }
    kubeconfig = tmp_path / "shared"
    for variable in ("KUBECONFIG", "K8S_AUTH_KUBECONFIG"):
        assert read({variable: cluster.kubeconfig}, **options).hosts == ["n1"]
        assert read({variable: str(other.admin_kubeconfig)}, **options).hosts == ["of-other"]
    # The same path, whose content names another cluster.
    kubeconfig.write_text(Path(cluster.kubeconfig).read_text())
    assert read({"KUBECONFIG": str(kubeconfig)}, **options).hosts == ["n1"]
    kubeconfig.write_text(Path(other.admin_kubeconfig).read_text())
    assert read({"KUBECONFIG": str(kubeconfig)}, **options).hosts == ["of-other"]


def test_a_name_with_another_meaning_is_left_out(cluster: SandboxCluster, read: Read) -> None:
    for name in ("localhost", "all", "ready", "n1"):
        cluster.add_node(name)
    inventory = read()
    assert inventory.hosts == ["n1"], inventory.problem
    assert inventory.group("ready") == ["n1"]
    for sentence in (
        "Node localhost is left out: its name is that of the controller",
        "Node all is left out: its name is that of a group",
        "Node ready is left out: its name is that of a group",
    ):
        assert inventory.problem.count(sentence) == 1, inventory.problem


def test_a_group_cannot_take_the_name_of_a_host(cluster: SandboxCluster, read: Read) -> None:
    cluster.add_node("liar", labels={"disk": "victim"})
    cluster.add_node("victim", labels={"disk": "localhost"})
    cluster.add_node("n1", labels={"disk": "n1"})
    cluster.add_node("n2", labels={"disk": "ssd"})
    inventory = read(
        keyed_groups=[{"key": "node.labels.disk", "separator": "", "parent_group": "disks"}],
        groups={"victim": True, "n2": "node_name == 'n2'", "some": "node_name == 'n2'"},
    )
    assert inventory.code == 0, inventory.problem
    assert inventory.hosts == ["liar", "n1", "n2", "victim"], inventory.problem
    assert (inventory.group("ssd"), inventory.group("some")) == (["n2"], ["n2"])
    assert not {"victim", "n1", "n2", "localhost"} & inventory.data.keys()
    assert "victim" not in inventory.group("disks")
    assert inventory.problem.count("the group victim is left out: its name is that of a host") == 1
    assert "the group localhost is left out: its name is that of the controller" in inventory.problem


@pytest.fixture
def with_static(cluster: SandboxCluster, tmp_path: Path) -> Read:
    """Return a function that reads Nodes, with these options, before or after a source with a host of databases."""

    def call(order: str, static: str, venv: str = "", **options: Any) -> Inventory:
        directory = tmp_path / "inventory"
        directory.mkdir(exist_ok=True)
        names = {"first": "01.machines.inventory.yml", "last": "99.machines.inventory.yml"}
        config = {"plugin": "configok.node.machines", "kubeconfig": cluster.kubeconfig, **options}
        for name in names.values():
            (directory / name).unlink(missing_ok=True)
        (directory / names[order]).write_text(json.dumps(config))
        (directory / "50-static").write_text(f"[databases]\n{static}\n[databases:vars]\npassword=production\n")
        return read_inventory(directory, venv=Path(venv or sys.prefix))

    return call


def report_addresses(cluster: SandboxCluster, name: str, internal: str, hostname: str) -> None:
    """Write what a kubelet reports of its own addresses."""
    addresses = [{"type": "InternalIP", "address": internal}, {"type": "Hostname", "address": hostname}]
    cluster.client.patch(paths.node_status(name), {"status": {"addresses": addresses}}, kind="strategic")


OLDEST_AND_NEWEST = ["", *(str(ROOT / name) for name in (".venv-oldest", ".venv-newest") if (ROOT / name).is_dir())]
ORDERS = ["first", "last"]


@pytest.mark.parametrize("venv", OLDEST_AND_NEWEST, ids=lambda venv: venv.rpartition("/")[2] or "present")
@pytest.mark.parametrize(("order", "host_name"), [("first", "hostname"), ("last", "address")])
def test_a_node_never_takes_the_name_of_a_host_of_another_source(
    cluster: SandboxCluster, with_static: Read, order: str, host_name: str, venv: str
) -> None:
    cluster.add_node("w1")
    cluster.add_node("w2", labels={"disk": "ssd"})
    report_addresses(cluster, "w1", "10.0.0.1", "w1.example.com")
    report_addresses(cluster, "w2", "10.6.6.6", "db1.example.com")
    addresses = ["InternalIP"] if host_name == "hostname" else ["Hostname"]
    options = {
        "host_name": host_name,
        "addresses": addresses,
        "keyed_groups": [{"key": "node.labels.disk", "prefix": "disk"}],
        "compose": {"ansible_user": "'root'"},
    }
    for static in ("db1.example.com ansible_host=10.0.9.1 ansible_user=dba", "db1.example.com"):
        inventory = with_static(order, static, venv, **options)
        variables = inventory.variables("db1.example.com")
        assert variables.get("ansible_host") == ("10.0.9.1" if "dba" in static else None), inventory.problem
        assert variables.get("ansible_user") == ("dba" if "dba" in static else None)
        assert not {"node", "node_name"} & variables.keys()
        assert inventory.group("databases") == ["db1.example.com"]
        assert "w1.example.com" in inventory.hosts
        own = inventory.variables("w2")
        assert (own["node_name"], own["ansible_user"], own.get("password")) == ("w2", "root", None)
        assert inventory.group("disk_ssd") == ["w2"]
        assert "w2" in inventory.group("ready")
        assert inventory.problem.count("Node w2 does not get the name db1.example.com that it reports") == 1


@pytest.mark.parametrize("order", ORDERS)
def test_a_host_of_another_source_with_the_name_of_a_node_keeps_its_connection(
    cluster: SandboxCluster, with_static: Read, order: str
) -> None:
    for name in ("db1", "w1"):
        cluster.add_node(name)
        report_addresses(cluster, name, "10.6.6.6", f"{name}.example.com")
    compose = {"ansible_user": "'root'", "ansible_port": "22", "architecture": "node.architecture"}
    for static in ("db1 ansible_host=10.0.9.1 ansible_user=dba", "db1"):
        inventory = with_static(order, static, compose=compose)
        variables = inventory.variables("db1")
        connection = {name: value for name, value in variables.items() if name.startswith("ansible_")}
        declared = {"ansible_host": "10.0.9.1", "ansible_user": "dba"} if "dba" in static else {}
        assert connection == declared, inventory.problem
        assert (variables["node_name"], variables["password"]) == ("db1", "production")
        assert inventory.group("ready") == ["db1", "w1"]
        assert inventory.variables("w1")["ansible_host"] == "10.6.6.6"
        # A text before ansible-core 2.19.
        assert int(inventory.variables("w1")["ansible_port"]) == 22
        assert inventory.problem.count("another source has hosts with the names of Nodes") == 1


@pytest.mark.parametrize("order", ORDERS)
def test_neither_the_name_of_a_node_nor_a_label_takes_what_another_source_has(
    cluster: SandboxCluster, with_static: Read, order: str
) -> None:
    cluster.add_node("w1", labels={"disk": "db1"})
    cluster.add_node("w2")
    report_addresses(cluster, "w2", "10.6.6.6", "databases")
    groups = [{"key": "node.labels.disk", "separator": "", "parent_group": "disks"}]
    inventory = with_static(order, "db1", host_name="hostname", keyed_groups=groups)
    assert inventory.code == 0, inventory.problem
    assert inventory.hosts == ["db1", "w1", "w2"], inventory.problem
    assert "db1" not in inventory.data
    assert inventory.group("databases") == ["db1"]
    assert inventory.group("disks") == []
    assert "Node w2 does not get the name databases that it reports" in inventory.problem


def test_two_sources_of_the_same_nodes_have_the_same_hosts(cluster: SandboxCluster, tmp_path: Path) -> None:
    cluster.add_node("n1")
    report_addresses(cluster, "n1", "10.0.0.1", "n1.example.com")
    directory = tmp_path / "inventory"
    directory.mkdir()
    for number, host_name in enumerate(("name", "name", "hostname", "hostname")):
        config = {"plugin": "configok.node.machines", "kubeconfig": cluster.kubeconfig, "host_name": host_name}
        (directory / f"{number}.machines.inventory.yml").write_text(json.dumps(config))
    inventory = read_inventory(directory)
    assert inventory.hosts == ["n1", "n1.example.com"], inventory.problem
    for host in inventory.hosts:
        assert inventory.variables(host)["ansible_host"] == "10.0.0.1"


@pytest.mark.parametrize("order", ORDERS)
def test_a_declared_machine_is_a_source_like_any_other(
    cluster: SandboxCluster, with_static: Read, tmp_path: Path, order: str
) -> None:
    cluster.add_node("m1")
    report_addresses(cluster, "m1", "10.6.6.6", "m1.example.com")
    files = [str(tmp_path / path) for path in declare(tmp_path, "east")["machine_files"]]
    inventory = with_static(order, "m1 ansible_user=dba", source="both", machine_files=files)
    variables = inventory.variables("m1")
    assert (variables["ansible_host"], variables["ansible_user"]) == ("10.0.0.0", "dba"), inventory.problem


def cache_options(directory: Path) -> dict[str, Any]:
    return {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(directory)}


@pytest.mark.parametrize("order", ORDERS)
def test_cached_nodes_take_no_name_either(
    cluster: SandboxCluster, with_static: Read, tmp_path: Path, order: str
) -> None:
    cluster.add_node("w2")
    report_addresses(cluster, "w2", "10.6.6.6", "db1")
    for _attempt in range(2):
        inventory = with_static(order, "db1", host_name="hostname", **cache_options(tmp_path / "cache"))
        assert inventory.hosts == ["db1", "w2"], inventory.problem
        assert "ansible_host" not in inventory.variables("db1")
    assert len(lists(cluster)) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("10.0.0.1", "-oProxyCommand=touch /tmp/proof"),
        ('"n1"', '"-oProxyCommand=touch"'),
        ('"addresses": [', '"addresses": [3, '),
        ('"labels": {', '"labels": [[]], "x": {'),
    ],
)
def test_what_is_cached_is_checked_as_what_is_fresh(
    cluster: SandboxCluster, read: Read, tmp_path: Path, before: str, after: str
) -> None:
    cluster.add_node("n1", labels={"disk": "ssd"})
    report_addresses(cluster, "n1", "10.0.0.1", "n1.example.com")
    options = cache_options(tmp_path / "cache")
    fresh = read(**options)
    [file] = (tmp_path / "cache").iterdir()
    content = json.loads(file.read_text())
    # ansible-core before 2.19 has no envelope around what is cached.
    text = json.loads(content["__payload__"]) if isinstance(content, dict) else content
    assert before in text
    changed: Any = text.replace(before, after)
    file.write_text(
        json.dumps({**content, "__payload__": json.dumps(changed)} if isinstance(content, dict) else changed)
    )
    inventory = read(**options)
    assert inventory.hosts == ["n1"], inventory.problem
    address = inventory.variables("n1").get("ansible_host")
    assert address == ("n1.example.com" if before == "10.0.0.1" else fresh.variables("n1")["ansible_host"])


@pytest.mark.parametrize(
    ("mode", "owner", "sentence"),
    [(0o777, None, "has mode 0777"), (0o770, None, "has mode 0770"), (0o700, 65534, "belongs to uid 65534")],
)
def test_a_cache_that_others_may_write_is_refused(
    cluster: SandboxCluster, read: Read, tmp_path: Path, mode: int, owner: int | None, sentence: str
) -> None:
    if owner is not None and os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    cluster.add_node("n1")
    for directory in (tmp_path / "shared", tmp_path / "shared/cache"):
        directory.mkdir(mode=0o700)
    (tmp_path / "shared").chmod(mode)
    if owner is not None:
        os.chown(tmp_path / "shared", owner, owner)
    for directory in (tmp_path / "shared", tmp_path / "shared/cache"):
        inventory = read(**cache_options(directory))
        assert inventory.code != 0
        # ansible-core before 2.19 wraps its warnings, also within a path.
        expected = f"cache_connection: {tmp_path}/shared {sentence}: name a directory"
        assert expected.replace(" ", "") in inventory.problem.replace(" ", "")
    assert not lists(cluster)


def test_a_new_cache_is_for_its_owner_alone(cluster: SandboxCluster, read: Read, tmp_path: Path) -> None:
    cluster.add_node("n1")
    assert read(**cache_options(tmp_path / "cache")).hosts == ["n1"]
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_what_a_kubelet_writes_is_never_a_template(cluster: SandboxCluster, read: Read, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    template = "{{ lookup('ansible.builtin.pipe', 'touch " + str(proof) + "') }}"
    cluster.add_node("n1", version=template, annotations={"configok.dev/machine": template})
    inventory = read(compose={"copy": "node.kubelet_version", "copies": "node.annotations"}, strict=True)
    assert inventory.variables("n1")["node"]["kubelet_version"] == template, inventory.problem
    assert inventory.variables("n1")["copy"] == template
    assert not proof.exists()


def test_values_of_labels_are_groups(cluster: SandboxCluster, read: Read, tmp_path: Path) -> None:
    options = {
        **declare(tmp_path, "east"),
        "source": "both",
        "label_groups": ["zone", "node-role.kubernetes.io/worker"],
    }
    cluster.add_node("n2", labels={"zone": "z1", "node-role.kubernetes.io/worker": "", "other": "x"})
    inventory = read(**options)
    assert inventory.group("label_zone_z1") == ["m2", "n2"], inventory.problem
    assert inventory.group("label_zone_z0") == ["m1"], inventory.problem
    assert inventory.group("label_node_role_kubernetes_io_worker") == ["n2"]
    cached = {**options, "cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path)}
    assert read(**cached).group("label_zone_z1") == read(**cached).group("label_zone_z1") == ["m2", "n2"]


def test_the_environment_names_the_cluster(cluster: SandboxCluster, read: Read) -> None:
    cluster.add_node("n1")
    assert read(kubeconfig=None, environment={"K8S_AUTH_KUBECONFIG": cluster.kubeconfig}).hosts == ["n1"]
    assert read(kubeconfig=None, environment={"KUBECONFIG": cluster.kubeconfig}).hosts == ["n1"]
    relative = Path(cluster.kubeconfig).name
    assert read(kubeconfig=relative).hosts == ["n1"], "relative to the inventory file"


def declare(directory: Path, *clusters: str) -> dict[str, Any]:
    """Write files with a Machine m1 of the first cluster, m2 of the last and n1 of the first; return the options."""
    api_version = "machines.configok.dev/v1alpha1"
    objects: list[Any] = [
        {"apiVersion": api_version, "kind": "Cluster", "metadata": {"name": name}, "spec": _CLUSTER}
        for name in clusters
    ]
    for number, (name, cluster) in enumerate([("m1", clusters[0]), ("m2", clusters[-1]), ("n1", clusters[0])]):
        provider = {"apiVersion": "provider.configok.dev/v1alpha1", "kind": "DebianHost", "address": f"10.0.0.{number}"}
        spec = {"cluster": cluster, "pool": "workers", "versions": {"kubelet": "1.34.9"}, "providerConfig": provider}
        metadata = {"name": name, "labels": {"zone": f"z{number}"}}
        objects.append({"apiVersion": api_version, "kind": "Machine", "metadata": metadata, "spec": spec})
    (directory / "declared").mkdir()
    (directory / "declared/all.yaml").write_text("---\n".join(json.dumps(item) + "\n" for item in objects))
    return {"machine_files": ["declared"]}


def test_machines_of_files_need_no_cluster(cluster: SandboxCluster, read: Read, tmp_path: Path) -> None:
    options = declare(tmp_path, "east", "west")
    inventory = read(source="files", kubeconfig=None, **options)
    assert inventory.hosts == ["m1", "m2", "n1"], inventory.problem
    assert (inventory.group("cluster_east"), inventory.group("cluster_west")) == (["m1", "n1"], ["m2"])
    assert inventory.group("pool_workers") == inventory.group("provider_DebianHost") == inventory.hosts
    assert inventory.variables("m2")["ansible_host"] == "10.0.0.1"
    assert inventory.variables("m2")["machine"]["labels"] == {"zone": "z1"}
    assert read(source="files", cluster="west", **options).hosts == ["m2"]
    assert read(source="files", machine_selector="zone in (z0)", **options).hosts == ["m1"]
    assert not lists(cluster)


def test_machines_and_nodes_are_joined_by_name(cluster: SandboxCluster, read: Read, tmp_path: Path) -> None:
    options = {**declare(tmp_path, "east"), "source": "both"}
    cluster.add_node("n1", version="v1.35.1")
    cluster.add_node("n2")
    inventory = read(**options)
    assert inventory.group("without_node") == ["m1", "m2"], inventory.problem
    assert inventory.group("without_machine") == ["n2"]
    assert inventory.group("cluster_east") == ["m1", "m2", "n1", "n2"]
    variables = inventory.variables("n1")
    assert (variables["ansible_host"], variables["node"]["kubelet_version"]) == ("10.0.0.2", "1.35.1")
    assert variables["machine"]["pool"] == "workers"
    assert read(label_selector="a=b", **options).group("without_node") == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"source": "files"}, "machine_files is missing"),
        ({"source": "files", "machine_files": ["absent"]}, "/absent: cannot be read: No such file or directory"),
        ({"source": "both"}, "machine_files have several Clusters (east, west): set cluster"),
        ({"source": "files", "cluster": "north"}, "machine_files have no Cluster north, but east, west"),
        ({"source": "files", "machine_selector": "a in"}, "the label selector 'a in' cannot be read"),
        ({"source": "files", "label_selector": "a"}, "label_selector has no effect with source files"),
        ({"source": "files", "field_selector": "a=b"}, "field_selector has no effect with source files"),
        ({}, "machine_files has no effect with source nodes: no Machines are read; set source to both"),
        ({"machine_files": None, "machine_selector": "a"}, "machine_selector has no effect with source nodes"),
    ],
)
def test_a_problem_with_files_is_reported_in_one_sentence(
    read: Read, tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    declared = declare(tmp_path, "east", "west") if options != {"source": "files"} else {}
    inventory = read(**{**declared, **options})
    assert inventory.code != 0
    assert sentence in inventory.problem, inventory.problem


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"label_selector": "a in"}, "the API server refuses label_selector 'a in': GET nodes: "),
        ({"kubeconfig": "missing"}, "there is no kubeconfig /"),
        ({"context": "other"}, "admin.kubeconfig has no context 'other'"),
        ({"host": "http://127.0.0.1:1"}, "no answer from http://127.0.0.1:1"),
        ({"source": "cloud"}, "source"),
        ({"compose": {"x": "nothing.at_all"}, "strict": True}, "Could not set x for host n1"),
    ],
)
def test_a_problem_is_reported_in_one_sentence(
    cluster: SandboxCluster, read: Read, options: dict[str, Any], sentence: str
) -> None:
    cluster.add_node("n1")
    inventory = read(**options)
    assert inventory.code != 0
    assert sentence in inventory.problem, inventory.problem
    assert "Traceback" not in inventory.problem


def test_an_identity_without_permission_is_named(cluster: SandboxCluster, read: Read, tmp_path: Path) -> None:
    kubeconfig = cluster.server.kubeconfig_for("eve", [], path=str(tmp_path / "eve.kubeconfig"))
    inventory = read(kubeconfig=kubeconfig)
    assert inventory.code != 0
    assert 'User "eve" cannot list resource "nodes"' in inventory.problem, inventory.problem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("machines.inventory.yml", True),
        ("east.machines.inventory.yaml", True),
        ("machines.yml", False),
        ("machines.inventory.json", False),
    ],
)
def test_the_name_of_the_file_tells_whose_it_is(tmp_path: Path, name: str, expected: bool) -> None:
    (tmp_path / name).write_text("{}")
    assert InventoryModule().verify_file(str(tmp_path / name)) is expected


@pytest.mark.parametrize("example", list(yaml.safe_load_all(EXAMPLES)), ids=lambda example: "-".join(example)[:60])
def test_an_example_runs(cluster: SandboxCluster, tmp_path: Path, example: dict[str, Any]) -> None:
    declare(tmp_path, "east")
    (tmp_path / "declared").rename(tmp_path / "machines")
    (tmp_path / "east.kubeconfig").write_text(Path(cluster.kubeconfig).read_text())
    cluster.add_node("n1", version="v1.35.1", labels={"pool": "workers", "example.com/disk": "ssd"})
    info = {"nodeInfo": {"kubeletVersion": "v1.35.1", "architecture": "amd64"}}
    cluster.client.patch(paths.node_status("n1"), {"status": info}, kind="strategic")
    if "cache_connection" in example:
        example = {**example, "cache_connection": str(tmp_path / "cache")}
    path = tmp_path / "east.machines.inventory.yml"
    path.write_text(json.dumps({**example, "strict": "source" not in example}))
    inventory = read_inventory(path, environment={"KUBECONFIG": cluster.kubeconfig})
    assert inventory.code == 0, inventory.problem
    if "machine_selector" in example:
        assert inventory.hosts == []  # the Machines here have other labels
        return
    assert "n1" in inventory.hosts
    if "keyed_groups" in example:
        assert inventory.group("disk_ssd") == inventory.group("label_example_com_disk_ssd") == ["n1"]
        assert inventory.group("arch_amd64") == ["n1"]
        assert inventory.variables("n1")["ansible_user"] == "root"
    if example.get("source") == "both":
        assert inventory.group("outdated") == ["n1"]
