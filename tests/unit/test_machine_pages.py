# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages on Machines: their files are valid, their variables exist, and kubespray's inventory is converted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Machine, Taint
from support.documentation import blocks, commands, named_files
from support.kubespray import write_inventory

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("machines*.md"), key=lambda page: page.stem)


def test_there_is_a_page_for_each_starting_point() -> None:
    assert [page.stem for page in PAGES] == [
        "machines",
        "machines-bare-hosts",
        "machines-external",
        "machines-kubeadm",
        "machines-kubespray",
        "machines-providers",
    ]
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert all(f"({page.name})" in index for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_the_machine_files_of_a_page_are_one_valid_set(page: Path) -> None:
    files = {path: text for path, text in named_files(page).items() if path.startswith("machines/")}
    if page.stem == "machines-kubespray":
        assert not files, "this page writes its files"
        return
    if page.stem == "machines-providers":
        cluster = named_files(ROOT / "docs/machines-bare-hosts.md")["machines/workers.yml"].split("---")[0]
        for path, text in files.items():
            assert read_catalog({path: text, "machines/cluster.yml": cluster}).machines
        return
    catalog = read_catalog(files)
    assert catalog.machines
    assert len(catalog.clusters) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_each_yaml_block_is_yaml_and_each_playbook_exists(page: Path) -> None:
    for text in blocks(page, "yaml"):
        assert all(yaml.safe_load_all(text))
    for text in blocks(page, "console"):
        for name in re.findall(r"ansible-playbook .*?configok\.node\.(\w+)", text):
            assert (ROOT / f"playbooks/{name}.yml").is_file(), name
        for path in re.findall(r"-e @(\S+)|-e dest=(machines/\S+)", text):
            assert "".join(path) in named_files(page), path


# --- kubespray


def convert(directory: Path, **variables: Any) -> str:
    """Run the playbook of the page in a directory with an inventory; return the file that it writes."""
    write_inventory(directory, **variables)
    (directory / "convert.yml").write_text(named_files(ROOT / "docs/machines-kubespray.md")["convert.yml"])
    [command, *_others] = commands(ROOT / "docs/machines-kubespray.md")
    program, *arguments = command.split()
    assert program == "ansible-playbook"
    done = subprocess.run(
        [Path(sys.executable).parent / program, *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return (directory / "machines/kubespray.yml").read_text(encoding="utf-8")


def test_kubesprays_inventory_becomes_machines(tmp_path: Path) -> None:
    catalog = read_catalog({"machines/kubespray.yml": convert(tmp_path)})
    [cluster] = catalog.clusters.values()
    assert (cluster.endpoint, cluster.service_cidr) == ("https://10.1.0.10:6443", "10.96.0.0/18")
    assert (cluster.dns_domain, cluster.cluster_dns) == ("east.local", ("169.254.25.10",))
    machines: dict[str, Machine] = {machine.name: machine for machine in catalog.machines}
    assert sorted(machines) == ["node1", "node2"], "the control plane stays with kubespray"
    assert machines["node1"].labels == machines["node2"].labels == {"zone_a": "true"}
    assert machines["node1"].kubelet_version == ""
    assert machines["node1"].taints == ()
    assert machines["node1"].provider.fields["address"] == "10.0.0.11"
    assert machines["node1"].provider.fields["user"] == "ubuntu"
    second = machines["node2"]
    assert (second.provider.fields["address"], second.provider.fields["port"]) == ("10.0.0.12", 2222)
    assert second.node_labels == {"example.com/disk": "ssd"}
    assert second.taints == (Taint("dedicated", "batch", "NoSchedule"), Taint("maintenance", "", "NoExecute"))


def test_a_load_balancer_and_another_dns_server_are_taken_over(tmp_path: Path) -> None:
    text = convert(
        tmp_path,
        loadbalancer_apiserver={"address": "10.0.0.5", "port": 8443},
        enable_nodelocaldns=False,
        skydns_server="10.96.0.3",
    )
    [cluster] = read_catalog({"machines/kubespray.yml": text}).clusters.values()
    assert cluster.endpoint == "https://10.0.0.5:8443"
    assert cluster.cluster_dns == ("10.96.0.3",)
