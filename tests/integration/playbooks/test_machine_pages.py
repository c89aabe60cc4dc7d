# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the pages on Machines run as the pages write them, apart from the hosts' connection."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.ansible_runs.playbooks import ROOT, PlaybookRun, finish, start
from support.api.clusters import prepare
from support.api.servers import Embedded, start_embedded
from support.documentation import blocks, named_files
from support.rollouts.simulated_nodes import SimulatedNodes

DOCS = ROOT / "docs"


@pytest.fixture
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """A cluster with a control plane and two workers, as kubeadm sets it up, whose agents answer."""
    server = start_embedded(tmp_path_factory.mktemp("embedded"), tls=True)
    client = server.client()
    prepare(client)
    with SimulatedNodes(client) as nodes:
        for name in ("worker-1", "worker-2"):
            nodes.add(name, labels={"example.com/rack": "r1"})
        nodes.add("control-plane", labels={"node-role.kubernetes.io/control-plane": ""})
    yield server
    server.stop()


def run(command: str, directory: Path, cluster: Embedded) -> PlaybookRun:
    """Run a command of a page."""
    program, *arguments = shlex.split(command)
    assert program == "ansible-playbook"
    return finish(start(arguments, directory=directory, kubeconfig=cluster.admin_kubeconfig))


def commands(page: str, word: str) -> list[str]:
    """Return the commands of a page that contain a word."""
    lines = (line for text in blocks(DOCS / page, "console") for line in text.splitlines())
    return [line for line in lines if word in line]


def write_files(page: str, directory: Path, *names: str) -> None:
    for name, text in named_files(DOCS / page).items():
        if name in names:
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_text(text)


def test_what_is_exported_is_no_change(workers: Embedded, tmp_path: Path) -> None:
    (tmp_path / "machines").mkdir()
    (tmp_path / "inventory").write_text("worker-1\nworker-2\n")
    write_files("machines-kubeadm.md", tmp_path, "run.yml")
    [export] = commands("machines-kubeadm.md", "configok.node.export")
    exported = run(export, tmp_path, workers)
    assert exported.code == 0, exported.output
    text = (tmp_path / "machines/workers.yml").read_text()
    assert "worker-2" in text
    assert "control-plane" not in text
    [check, *_upgrades] = commands("machines-kubeadm.md", "configok.node.machines")
    checked = run(check, tmp_path, workers)
    assert checked.code == 0, checked.output
    assert checked.changed == 0
    assert "Nothing to do: 2 machines (worker-1, worker-2)" in " ".join(checked.output.split())


def test_a_label_is_planned_for_machines_that_were_exported(workers: Embedded, tmp_path: Path) -> None:
    (tmp_path / "machines").mkdir()
    (tmp_path / "inventory").write_text("worker-1\nworker-2\n")
    write_files("machines-kubeadm.md", tmp_path, "run.yml")
    run(commands("machines-kubeadm.md", "configok.node.export")[0], tmp_path, workers)
    path = tmp_path / "machines/workers.yml"
    path.write_text(path.read_text().replace("example.com/rack: r1", "example.com/rack: r2"))
    checked = run(commands("machines-kubeadm.md", "configok.node.machines")[0], tmp_path, workers)
    assert checked.code == 0, checked.output
    text = " ".join(checked.output.split())
    assert "update in place 2 machines (worker-1, worker-2)" in text
    assert "r1 -> r2" in text
    labels = workers.client().get("/api/v1/nodes/worker-1")["metadata"]["labels"]
    assert labels["example.com/rack"] == "r1"


def test_bare_hosts_are_planned_as_the_page_says(workers: Embedded, tmp_path: Path) -> None:
    """No host answers here, so the providers are not asked."""
    page = "machines-bare-hosts.md"
    write_files(page, tmp_path, "run.yml", "cluster.yml", "machines/workers.yml")
    path = tmp_path / "machines/workers.yml"
    path.write_text(path.read_text().replace("worker-", "bare-").replace("1.34.9", "1.35.0"))  # as this API server
    [prepared] = commands(page, "configok.node.provision")
    done = run(prepared, tmp_path, workers)
    assert done.code == 0, done.output
    role = workers.client().get("/apis/rbac.authorization.k8s.io/v1/clusterroles/configok-machines")
    assert role["rules"]
    checked = run(f"{commands(page, '--check')[0]} -e machine_preflight=false", tmp_path, workers)
    text = " ".join(checked.output.split())
    assert "create 3 machines (bare-1, bare-2, bare-3), provider DebianHost" in text, checked.output
