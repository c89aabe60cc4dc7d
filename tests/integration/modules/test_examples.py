# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of modules and filters run as they stand, in the order in which a user comes to them, in check mode."""

from __future__ import annotations

import importlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import COMPLETE, BadConfig, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import publish_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import current_time
from ansible_collections.configok.node.plugins.modules import config_bundle, machine_export
from support.ansible_runs.in_process import publish, roll_out
from support.ansible_runs.modules import run_module
from support.ansible_runs.playbooks import ROOT, PlaybookRun, finish, start
from support.api.clusters import prepare
from support.api.servers import Embedded, Real
from support.configs.kubelet import KUBELET_HEADER
from support.configs.options import component_options
from support.rollouts.simulated_nodes import SimulatedNodes
from support.trust.signing import make_key, sign

WORKER = {"node-role.kubernetes.io/worker": ""}
TEXT = KUBELET_HEADER + "maxPods: 60\n"
NEXT_TEXT = KUBELET_HEADER + "maxPods: 70\n"
KUBEADM_HEADER = "apiVersion: kubeadm.k8s.io/v1beta4\n"
AUTHENTICATION = """\
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthenticationConfiguration
anonymous: {enabled: true, conditions: [{path: /livez}]}
"""
# What one registers, those after it use.
PLUGINS = (
    "modules.cluster_access",
    "modules.agent_archive",
    "filter.duration",
    "filter.local_fields",
    "filter.quantity",
    "modules.component_config",
    "modules.component_config_diff",
    "modules.component_config_explain",
    "modules.component_config_convert",
    "modules.component_config_migrate",
    "modules.local_config",
    "modules.config_bundle",
    "modules.config_signature",
    "modules.config_source",
    "modules.config_status_info",
    "modules.show",
    "modules.rollout",
    "modules.rollout_forget",
    "modules.rollout_control",
    "modules.bundle_prune",
    "modules.rollout_history_info",
    "modules.kubeadm_sync",
    "modules.simulation",
    "modules.rollout_report",
    "modules.machine_export",
    "modules.machines",
    "modules.cluster_diff",
)
FLOW_CONTROL = "modules.cluster_access"  # the embedded API server has none
# On a node: tests/integration/nodes/test_provision.py runs the first; test_providers.py runs each step of the second.
ON_A_NODE = ("modules.component_unit_info", "modules.machine_host")
OF_BINARIES = ("modules.release_data",)  # tests/unit/plugins/modules/test_release_data.py runs it


def examples(plugin: str) -> list[dict[str, Any]]:
    module = importlib.import_module(f"ansible_collections.configok.node.plugins.{plugin}")
    tasks: list[dict[str, Any]] = yaml.safe_load(module.EXAMPLES)
    return tasks


def test_every_plugin_is_here() -> None:
    plugins = {
        f"{kind}.{path.stem}" for kind in ("modules", "filter") for path in (ROOT / "plugins" / kind).glob("[a-z]*.py")
    }
    assert plugins == {*PLUGINS, *ON_A_NODE, *OF_BINARIES}


def test_the_examples_run(embedded_api: Embedded, tmp_path: Path) -> None:
    client, kubeconfig = embedded_api.client(), embedded_api.admin_kubeconfig
    prepare(client)
    with SimulatedNodes(client) as nodes:
        # The pool's first revision, so that an undo has something to undo. No node has it: the cluster may be cleaned.
        nodes.add("node-0", labels=WORKER)
        text = KUBELET_HEADER + "maxPods: 50\n"
        roll_out(client, text, selector=next(iter(WORKER)), trial={"trialDuration": "10m"})
        client.delete(paths.node("node-0"))
        failed = BadConfig(str(uuid.uuid4()), "workers-0a1b2c3d4e", "0a1b2c3d4e", "it crashed", "2026-01-01T00:00:00Z")
        update_record(client, "workers", lambda record: replace(record, bad_configs=(failed,)))
        for number in range(1, 6):
            nodes.add(f"node-{number}", zone="ab"[number % 2], labels=WORKER)
        # Check mode does not publish what the examples publish, and what is not published cannot be assigned.
        keys = {name: make_key(tmp_path / "files", name) for name in ("alice", "bob")}
        publish(kubeconfig, TEXT, trial_duration="10m", signing_key=str(keys["alice"].file))
        # Check mode writes no statement, either: another person did.
        statement = tmp_path / "statement.json"
        next_config = {"documents": {"kubelet": NEXT_TEXT}, "statement_file": str(statement), "publish": False}
        draft = run_module(config_bundle.main, {"kubeconfig": kubeconfig, "pool": "workers", **next_config})
        assert draft["changed"] is True
        statement.with_name("statement.json.sig").write_text(sign(keys["alice"], statement.read_text()))
        write_machines(tmp_path / "machines/east.yaml", kubeconfig)
        use_options(client)
        done = play(tmp_path, kubeconfig, [name for name in PLUGINS if name != FLOW_CONTROL])
    assert done.code == 0, done.output
    assert "failed=0" in done.output


def test_the_examples_with_flow_control_run_on_a_real_api_server(real_api: Real, tmp_path: Path) -> None:
    done = play(tmp_path, real_api.admin_kubeconfig, [FLOW_CONTROL])
    assert done.code == 0, done.output
    assert "configok-agents" in done.output


def use_options(client: Client) -> None:
    """Let a control-plane pool use options, on a cluster of kubeadm."""
    documents = {"kube-apiserver": json.dumps(component_options({"event-ttl": "2h"}))}
    target = publish_bundle(client, build_bundle("control-plane", documents), now=current_time()).target
    complete = Rollout(1, target, COMPLETE, (), 1, "", "")
    update_record(client, "control-plane", lambda record: replace(record, rollout=complete))
    data = {"ClusterConfiguration": f"{KUBEADM_HEADER}kind: ClusterConfiguration\n"}
    metadata = {"name": "kubeadm-config"}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    client.create(paths.config_maps("kube-system"), body)


def write_machines(file: Path, kubeconfig: str) -> None:
    """Write the Machines of the cluster as they are, with the label that the examples select by."""
    file.parent.mkdir()
    run_module(machine_export.main, {"kubeconfig": kubeconfig, "cluster": "east", "dest": str(file)})
    documents = list(yaml.safe_load_all(file.read_text()))
    for document in documents:
        if document["kind"] == "Cluster":
            document["spec"]["endpoint"] = "https://10.0.0.10:6443"  # the embedded one has no https
        document["metadata"].setdefault("labels", {})["pool"] = "workers"
    file.write_text(yaml.safe_dump_all(documents))


def write_clusters(directory: Path, kubeconfig: str) -> str:
    """Write the kubeconfigs of the examples, all for the same cluster; return the one with the contexts."""
    config = yaml.safe_load(Path(kubeconfig).read_text())
    context = config["contexts"][0]["context"]
    config["contexts"] += [{"name": name, "context": context} for name in ("east", "west")]
    for name in ("staging.kubeconfig", "production.kubeconfig", "admin.kubeconfig"):
        (directory / name).write_text(yaml.safe_dump(config))
    return str(directory / "admin.kubeconfig")


def play(directory: Path, kubeconfig: str, plugins: Sequence[str]) -> PlaybookRun:
    """Run the examples of these plugins as one playbook, next to the files that they name."""
    for name, text in (
        ("files/kubelet.yaml", TEXT),
        ("files/next.yaml", NEXT_TEXT),
        ("kubelet.yaml", TEXT),
        ("kubelet.conf.d/10-site.conf", KUBELET_HEADER + "maxPods: 150\n"),
        ("layers/base.yaml", KUBELET_HEADER + "containerLogMaxSize: 20Mi\n"),
        ("layers/workers.yaml", TEXT),
        ("kubeadm.yaml", f"{KUBEADM_HEADER}kind: InitConfiguration\n---\n{KUBEADM_HEADER}kind: ClusterConfiguration\n"),
        ("kubelet-config.yaml", f"apiVersion: v1\nkind: ConfigMap\ndata:\n  kubelet: |\n{indent(TEXT, '    ')}"),
        ("authentication.yaml", AUTHENTICATION),
        ("fleet.yml", "{simulation: rehearsal, groups: [{name: workers, count: 3}]}"),
    ):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text)
    plays = [
        {"name": plugin, "hosts": "localhost", "gather_facts": False, "tasks": examples(plugin)} for plugin in plugins
    ]
    (directory / "examples.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    contexts = write_clusters(directory, kubeconfig)
    return finish(start(["--check", "--diff", "examples.yml"], directory=directory, kubeconfig=contexts))
