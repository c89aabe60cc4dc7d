# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks by what a bundle holds. All bundles are signed: the deny lists hold whatever signers have overlooked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.api.servers import Real
from support.attacks.fleet import Answer, Fleet
from support.attacks.recorder import Recorder
from support.attacks.world import GUARDED, OPEN, TWO, World
from support.configs.kubelet import KUBELET_HEADER
from support.configs.options import component_options
from support.fuzz.hostile import FORGED, unsafe_texts

# Pods from this directory run without admission control, privileged if they ask for it.
ROOT_FIELD = "staticPodPath: /var/lib/attacker/manifests\n"


def record(
    attacks: Recorder, name: str, answers: Mapping[str, Answer], uid: str, is_open: str, is_guarded: str, reason: str
) -> None:
    """Record which of two nodes runs the bundle, and check why the other one refuses it."""
    with attacks.attempt(name, "deny by kind") as attempt:
        for node, record_side in ((is_open, attempt.off), (is_guarded, attempt.on)):
            harmed = answers[node].uid == uid
            record_side(int(harmed), 1, "nodes", "adopted" if harmed else "refused, not restarted")
        assert (answers[is_guarded].status, answers[is_guarded].cause) == ("False", "InvalidConfig"), answers
        assert reason in answers[is_guarded].reason, answers


def test_a_field_that_is_root(world: World, attacks: Recorder) -> None:
    before = world.starts()
    source = world.fleet.publish(world.signed(world.bundle(ROOT_FIELD)))
    answers = world.fleet.answers(world.fleet.assign(source, TWO))
    assert world.fleet.effective(OPEN[0])["staticPodPath"] == "/var/lib/attacker/manifests"
    record(attacks, "a field that is root on the node", answers, source.uid, *TWO, "staticPodPath")
    assert world.starts()[GUARDED[0]] == before[GUARDED[0]]


def pair(
    api: Real, archive: Path, component: str, document: str, command: list[str] | None = None, **settings: Any
) -> tuple[dict[str, Answer], str, dict[str, int]]:
    """Give a bundle to two nodes with a component of this name, one of which allows everything.

    Returns their answers, the UID of the bundle, and how often each component was started.
    """
    stub = {"register": True} if settings else {"hidden": True}
    with Fleet(api, archive) as fleet:
        fleet.add(
            "pair-open", component=component, kubelet={"allowedFields": ["*"], **settings}, command=command, **stub
        )
        fleet.add("pair-guarded", component=component, kubelet=settings, command=command, **stub)
        fleet.wait_until_ready()
        bundle = build_bundle("workers", {component: document}, trial=Trial(0.2, 2))
        source = fleet.publish(bundle)
        answers = fleet.answers(fleet.assign(source, list(fleet.nodes)))
        return answers, source.uid, {name: node.starts() for name, node in fleet.nodes.items()}


def test_a_second_kubelet_unit_of_another_name(attacked_api: Real, archive: Path, attacks: Recorder) -> None:
    answers, uid, starts = pair(attacked_api, archive, "kubelet-gpu", KUBELET_HEADER + "maxPods: 30\n" + ROOT_FIELD)
    name = "the same field for a second kubelet unit of another name"
    record(attacks, name, answers, uid, "pair-open", "pair-guarded", "staticPodPath")
    assert starts == {"pair-open": 2, "pair-guarded": 1}


def test_a_kind_without_a_deny_list(attacked_api: Real, archive: Path, attacks: Recorder) -> None:
    """A component whose config nothing here knows, such as a proxy that runs as root."""
    document = "apiVersion: example.com/v1\nkind: ProxyConfiguration\nplugins: [/tmp/attacker.so]\n"
    sleeps = [sys.executable, "-c", "import time; time.sleep(3600)"]
    configs = {"initConfig": "", "instanceConfig": ""}
    answers, uid, _starts = pair(attacked_api, archive, "proxy", document, sleeps, **configs)
    record(attacks, "a kind that has no deny list", answers, uid, "pair-open", "pair-guarded", "ProxyConfiguration")


# Each gives what it names the cluster.
TRUSTING: Mapping[str, Any] = {
    "authentication-token-webhook-config-file": "/etc/kubernetes/pki/webhook.conf",
    "authorization-webhook-config-file": "/etc/kubernetes/pki/webhook.conf",
    "client-ca-file": "/etc/ssl/certs/attacker.crt",
    "etcd-servers": ["https://attacker.example:2379"],
    "kubelet-certificate-authority": "/etc/ssl/certs/attacker.crt",
    "oidc-issuer-url": "https://attacker.example",
    "requestheader-allowed-names": ["attacker"],
    "service-account-issuer": ["https://attacker.example"],
    "token-auth-file": "/etc/ssl/certs/tokens.csv",
}
# Our own trust rests on these, and a node cannot allow them.
NEVER: Mapping[str, Any] = {
    "anonymous-auth": True,
    "authorization-mode": ["AlwaysAllow"],
    "disable-admission-plugins": ["NodeRestriction"],
    "enable-admission-plugins": ["PodSecurity"],
    "encryption-provider-config": "/etc/kubernetes/pki/enc.yaml",
    "runtime-config": {"admissionregistration.k8s.io/v1": False},
}


def denied_options(archive: Path, directory: Path, flags: Mapping[str, Any], **settings: Any) -> set[str]:
    """Return the flags that a node with a static Pod refuses, each in a document of its own."""
    config = directory / "agent.yaml"
    agent = {
        "apiVersion": "agent.config.configok.dev/v1alpha1",
        "kind": "AgentConfiguration",
        "nodeName": "n1",
        "kubeconfig": "/nowhere",
        "stateDirectory": str(directory / "state"),
        "runDirectory": str(directory / "run"),
        "components": {"kube-apiserver": {"staticPod": str(directory / "kube-apiserver.yaml"), **settings}},
    }
    config.write_text(json.dumps(agent))
    words = [sys.executable, "-I", str(archive), f"--config={config}", "validate-document", "kube-apiserver"]
    denied = set()
    for flag, value in flags.items():
        request = {"document": json.dumps(component_options({flag: value})), "present": None, **NodeInputs().to_dict()}
        run = subprocess.run(words, input=json.dumps(request), capture_output=True, text=True, check=True, timeout=60)
        findings = json.loads(run.stdout)["findings"]
        denied |= {flag for finding in findings if finding["rule"] == "denied" and flag in finding["path"]}
    return denied


def test_options_that_make_an_api_server_trust_another(archive: Path, attacks: Recorder, tmp_path: Path) -> None:
    """By the agent's own program. Some are refused whatever the node allows."""
    with attacks.attempt(
        "options that make an API server trust another identity, address or file", "deny by kind"
    ) as attempt:
        for record_side, settings in ((attempt.off, {"allowedFields": ["*"]}), (attempt.on, {})):
            harmful = len(TRUSTING) - len(denied_options(archive, tmp_path, TRUSTING, **settings))
            record_side(harmful, len(TRUSTING), "options", "accepted" if harmful else "refused")
    assert denied_options(archive, tmp_path, NEVER, allowedFields=["*"]) == {*NEVER}


def test_escape_sequences_in_a_bundle(world: World, attacks: Recorder) -> None:
    """Signed by a signer whose terminal did not show them."""
    bundle = world.signed(world.bundle(f"{_quoted('name' + FORGED)}: {_quoted('value' + FORGED)}\n"))
    source = world.fleet.publish(bundle)
    answers = world.fleet.answers(world.fleet.assign(source, TWO))
    assert {answers[name].cause for name in TWO} == {"InvalidConfig"}, answers
    stored = str(world.fleet.admin.get(paths.config_map(source.namespace, source.name))["data"]["kubelet"])
    raw = [*map(str, yaml.safe_load(stored))]
    node = world.fleet.nodes[GUARDED[0]]
    shown = {
        "escape sequences in a bundle: the journal": (node.directory / "run.log").read_text(),
        "escape sequences in a bundle: status on the node": node.call("status").stdout,
        "escape sequences in a bundle: the condition": answers[GUARDED[0]].reason,
    }
    for name, text in shown.items():
        with attacks.attempt(name, "sanitizing") as attempt:
            harmful = len(unsafe_texts(raw))
            attempt.off(harmful, harmful, "texts", "the raw text steers a terminal")
            assert "wave 1" in text, text[-3000:]
            attempt.on(len(unsafe_texts(text)), 1, "texts", "printable characters alone")


def _quoted(text: str) -> str:
    return json.dumps(text)
