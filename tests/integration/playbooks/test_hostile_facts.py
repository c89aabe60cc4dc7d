# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing that a node says of itself is ever a template: with the oldest and the newest ansible-core."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigOk, status_patch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
    SignerStatus,
    TrustStatus,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import (
    LocalComponent,
    LocalConfig,
    build_local_config_map,
    encode_local_config,
    local_hash,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from support.ansible_runs.playbooks import ROOT, PlaybookRun, Playbooks, finish, quick_pool, start
from support.api.clusters import prepare
from support.api.servers import Embedded
from support.fuzz.hostile import FORGED
from support.rollouts.simulated_nodes import CRASHES, GOOD, SimulatedNodes, status_of
from support.trust.signing import make_key, trust_section

PRODUCT = str(191 * 7)  # of what a template would make of the words


def words(mark: Path) -> str:
    """Return text that touches the file, or shows PRODUCT, wherever it is a template."""
    return (
        f"{{{{ lookup('ansible.builtin.pipe', 'touch {mark}') }}}} {{{{ 191 * 7 }}}} "
        "{% if true %}{{ 191 * 7 }}{% endif %} {# gone #}"
    )


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """A file that must not be there at the end."""
    path = tmp_path / "mark"
    yield path
    assert not path.exists(), "a text of a node was a template"


@pytest.fixture
def nodes(embedded_api: Embedded, mark: Path) -> Iterator[SimulatedNodes]:
    """Nodes that fail, and put templates and terminal sequences into whatever they say."""
    client = embedded_api.client()
    prepare(client)
    with Hostile(client, words(mark) + FORGED) as simulated:
        for number in range(3):
            simulated.add(f"n{number}", zone="ab"[number % 2])
        simulated.behaviour = lambda _name, _source: CRASHES
        yield simulated


class Hostile(SimulatedNodes):
    """Nodes that say text wherever they may say something."""

    def __init__(self, client: Client, text: str) -> None:
        super().__init__(client)
        self.text = text

    def say(self, name: str, verdict: ConfigOk, status: ConfigStatus) -> None:
        """Say that, and text."""
        component = ComponentStatus(self.text, self.text, self.text, self.text, (self.text,))
        hostile_status = status._replace(
            error=f"{status.error} {self.text}",
            components={"kubelet": component},
            ignored=(self.text,),
            agent_version=self.text,
            trust=TrustStatus(self.text, {self.text: 7}, (SignerStatus(self.text, self.text),), self.text),
        )
        patch: dict[str, Any] = status_patch(verdict, hostile_status, "init", now="2026-01-01T00:00:00Z")
        (condition,) = patch["status"]["conditions"]
        condition.update(reason=f"{verdict.reason} {self.text}", message=f"{verdict.message} {self.text}")
        ready = {"type": "Ready", "status": "True", "reason": self.text, "message": self.text}
        patch["status"]["conditions"].append(ready)
        patch["status"]["nodeInfo"] = {"kubeletVersion": "v1.35.0", "osImage": self.text, "architecture": self.text}
        patch["metadata"]["annotations"]["note"] = self.text
        self.client.patch(paths.node_status(name), patch, kind="strategic")


def is_harmless(output: str) -> None:
    """Check what was shown: the words as they are, and nothing that steers a terminal."""
    assert "{{ 191 * 7 }}" in output
    assert PRODUCT not in output
    assert "wave 1 passed" in output
    for steering in ("\x1b", "\x9b", "\u202e", "\u2066", "\u200b", "\u2028", "\x07", "\\u001b", "\\u0007"):
        assert steering not in output, repr(steering)
    assert not any(line.startswith("wave 1 passed") for line in output.splitlines())


def test_what_failing_nodes_say(
    nodes: SimulatedNodes, embedded_api: Embedded, tmp_path: Path, control: Path, mark: Path
) -> None:
    """Through rollout, its outcome and status, whose texts all come from nodes."""
    user = Playbooks(tmp_path, embedded_api.admin_kubeconfig, control)
    policy = {**quick_pool()["policy"], "canary": {"count": 1, "soak": 0, "cover": ["osImage", "architecture"]}}
    user.write(quick_pool(policy=policy), "maxPods: 60\n")
    planned = user.run("rollout", "--check", "--diff", "-vv")
    assert planned.code == 0, planned.output
    halted = user.run("rollout", "-vv")
    assert (halted.code != 0, halted.stats["phase"]) == (True, "Halted"), halted.output
    assert "{{ 191 * 7 }}" in halted.stats["reason"]
    assert PRODUCT not in str(halted.stats)
    is_harmless(halted.output)
    status = user.run("status", "-vv")
    assert status.code == 0, status.output
    is_harmless(status.output)
    assert len(nodes.assignments) == 1
    assert not mark.exists()


def test_the_version_that_a_node_claims(embedded_api: Embedded, tmp_path: Path, control: Path, mark: Path) -> None:
    """It is handed from one module to the next by the playbook's own templates."""
    client = embedded_api.client()
    prepare(client)
    user = Playbooks(tmp_path, embedded_api.admin_kubeconfig, control)
    user.write(quick_pool(), "maxPods: 60\n")
    with SimulatedNodes(client) as simulated:
        simulated.add("n1")
        simulated.add("n2", version=f"v1.35.0 {words(mark)}{FORGED}")
        refused = user.run("rollout", "-vv")
    assert refused.code != 0
    is_harmless(refused.output)
    assert not simulated.assignments


def with_signer(view: NodeView, signer: SignerStatus) -> tuple[ConfigOk, ConfigStatus]:
    """Return the answer of a node that uses what it was assigned, and for which this key vouches."""
    verdict, status = status_of(view, view.assigned.source, GOOD)[-1]
    return verdict, status._replace(trust=TrustStatus("require", {"workers": 1}, (signer,)))


def test_the_names_of_signers(embedded_api: Embedded, tmp_path: Path, control: Path, mark: Path) -> None:
    """The comment of a key is free text, which plan and status show as the name of the signer."""
    client = embedded_api.client()
    prepare(client)
    key = make_key(tmp_path / "keys", "alice", comment=f"{words(mark)} wave 1 passed")
    local = LocalConfig({"kubelet": LocalComponent({}, {})}, trust_section(keys=[key]))
    client.create(paths.config_maps("configok-rollouts"), build_local_config_map(local))
    reported = local_hash(encode_local_config(local))
    user = Playbooks(tmp_path, embedded_api.admin_kubeconfig, control)
    user.write({**quick_pool(), "signing": {"key": str(key.file)}}, "maxPods: 60\n")
    with SimulatedNodes(client) as simulated:
        for name in ("n1", "n2", "n3"):
            simulated.add(name, local_config=reported)
        planned = user.run("rollout", "--check", "--diff", "-vv")
        assert planned.code == 0, planned.output
        done = user.run("rollout", "-vv")
        assert done.code == 0, done.output
        for name in ("n1", "n2", "n3"):
            simulated.say(name, *with_signer(simulated.view(name), SignerStatus(key.fingerprint, key.line)))
        status = user.run("status", "-vv")
    assert status.code == 0, status.output
    everything = planned.output + done.output + status.output
    is_harmless(everything)
    assert PRODUCT not in str(done.stats)


def lying_collection(directory: Path, facts: dict[str, Any]) -> Path:
    """Return a collections path where this collection's component_unit_info returns facts, whatever there is."""
    collection = directory / "collections/ansible_collections/configok/node"
    copied = ("plugins", "plugins/modules")
    for place in ("", *copied):
        (collection / place).mkdir(parents=True, exist_ok=True)
        for path in (ROOT / place).iterdir():
            name = f"{place}/{path.name}".lstrip("/")
            if name not in (*copied, "plugins/modules/component_unit_info.py", "build") and path.name[0] != ".":
                (collection / name).symlink_to(path)
    source = [
        "#!/usr/bin/python",
        "# WANT_JSON",
        "import json",
        f"print(json.dumps(json.loads({json.dumps(facts)!r})))",
    ]
    (collection / "plugins/modules/component_unit_info.py").write_text("\n".join(source) + "\n")
    return collection.parents[2]


def provision(directory: Path, control: Path, facts: dict[str, Any], *tasks_from: str) -> PlaybookRun:
    """Run tasks of the role node on this machine, which says facts of its units, and show what the role makes of it."""
    collections = lying_collection(directory, facts)
    include = [
        {
            "name": f"Include {name}",
            "ansible.builtin.include_role": {"name": "configok.node.node", "tasks_from": name, "public": True},
        }
        for name in tasks_from
    ]
    template = f"lookup('ansible.builtin.template', '{ROOT}/roles/node/templates/agent.yaml.j2') | from_yaml"
    show = {
        "name": "Show what the agent would be told",
        "ansible.builtin.debug": {"msg": [f"{{{{ {template} }}}}", "{{ __node_kubeconfig }}", "{{ __node_name }}"]},
    }
    name = {"name": "Learn the name", "ansible.builtin.setup": {"gather_subset": ["!all", "!min", "platform"]}}
    play = {"name": "Provision", "hosts": "localhost", "connection": "local", "gather_facts": False}
    (directory / "play.yml").write_text(json.dumps([{**play, "tasks": [name, *include, show]}]))
    running = start(
        ["play.yml", "-vv"], directory=directory, kubeconfig="/nonexistent", venv=control, collections=collections
    )
    return finish(running)


def facts_of(text: str, config: str) -> dict[str, Any]:
    component = {
        "name": "kubelet",
        "unit": f"kubelet.service {text}",
        "active": False,
        "config": config,
        "variable": text,
        "exec_start": text,
        "kubeconfig": f"/etc/{text}",
        "hostname_override": f"n1 {text}",
        "agent_options": {"rootDirectory": f"/var/{text}", text: text},
        "flags_only": False,
        "version_command": ["/usr/bin/kubelet", text],
        "made_directory": False,
        "refusals": [],
        "faults": [],
    }
    return {"changed": False, "components": [component], "drop_ins": [], text: text}


def test_what_a_node_says_of_its_units(tmp_path: Path, control: Path, mark: Path) -> None:
    """Into the agent's configuration, which the role makes of it by a template."""
    config = tmp_path / "{{ 191 * 7 }} {% if true %}.yaml"
    config.write_text("{{ 191 * 7 }}\n")
    done = provision(tmp_path, control, facts_of(words(mark), str(config)), "units.yml")
    assert done.code == 0, done.output
    assert done.output.count("{{ 191 * 7 }}") > 10
    assert f"touch {mark}" in done.output
    assert PRODUCT not in done.output


@pytest.mark.parametrize(("what", "tasks"), [("refusals", "units.yml"), ("faults", "verify.yml")])
def test_what_a_node_says_is_wrong(tmp_path: Path, control: Path, mark: Path, what: str, tasks: str) -> None:
    facts = facts_of("", "")
    facts["components"][0][what] = [words(mark)]
    refused = provision(tmp_path, control, facts, tasks)
    assert refused.code != 0
    assert f"touch {mark}" in refused.output, refused.output
    assert PRODUCT not in refused.output
