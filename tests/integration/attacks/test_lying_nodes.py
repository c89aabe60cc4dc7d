# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks by the identity of one node: a rollout names the node, and moves the others.

A rollout cannot be run without its checks. So the side "off" is the text as the node has written it, and what a reader
without checks would do with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigOk, status_patch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
    read_condition,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import ANNOTATION_CONFIG_STATUS
from support.ansible_runs.playbooks import PlaybookRun, Playbooks, quick_pool
from support.api.clusters import prepare
from support.api.servers import Real
from support.attacks.identities import PATCH_NODE_STATUS, grant
from support.attacks.recorder import Recorder
from support.fuzz.hostile import FORGED, unsafe_texts
from support.rollouts.simulated_nodes import CRASHES, GOOD, SimulatedNodes

POOL = "liars"
HONEST = ("an-honest-1", "an-honest-2", "an-honest-3")  # the first is the canary
DIGITS = "9" * 4400
ITEMS = 5000
RUNNER = Access(runner_subjects=({"kind": "User", "name": "runner"},))

Lie = Callable[[ConfigOk, ConfigStatus], dict[str, Any]]


def good(status: ConfigStatus) -> tuple[ConfigOk, ConfigStatus]:
    """Return the answer of a node that claims success."""
    return ConfigOk("True", "using current", "all checks passed", "Good"), status._replace(cause="Good", error="")


def patch_of(verdict: ConfigOk, status: ConfigStatus, annotation: str = "") -> dict[str, Any]:
    patch: dict[str, Any] = status_patch(verdict, status, "init", now="2026-01-01T00:00:00Z")
    if annotation:
        patch["metadata"]["annotations"][ANNOTATION_CONFIG_STATUS] = annotation
    return patch


def with_escapes(verdict: ConfigOk, status: ConfigStatus) -> dict[str, Any]:
    component = ComponentStatus(FORGED, FORGED, FORGED, FORGED, (FORGED,))
    status = status._replace(error=f"{status.error} {FORGED}", components={f"kubelet{FORGED}": component})
    patch = patch_of(verdict, status)
    (condition,) = patch["status"]["conditions"]
    condition.update(reason=f"{verdict.reason} {FORGED}", message=f"{verdict.message} {FORGED}")
    return patch


def with_digits(_verdict: ConfigOk, status: ConfigStatus) -> dict[str, Any]:
    verdict, status = good(status)
    return patch_of(
        verdict, status, status.encode().replace(f'"assignment":{status.assignment}', f'"assignment":{DIGITS}')
    )


def with_wrong_types(_verdict: ConfigOk, status: ConfigStatus) -> dict[str, Any]:
    value = {"assignment": [status.assignment], "components": "kubelet", "active": 5, "ignored": {"a": 1}, "error": []}
    return patch_of(*good(status), json.dumps(value))


def with_long_list(_verdict: ConfigOk, status: ConfigStatus) -> dict[str, Any]:
    items = tuple(f"component-{number}" for number in range(ITEMS))
    components = {"kubelet": ComponentStatus(state="failing", shadowed=items)}
    status = status._replace(ignored=items, components=components, cause="CrashLoop", error="failed")
    return patch_of(ConfigOk("False", "using last-known-good (init)", "failed", "CrashLoop"), status)


def for_another_bundle(_verdict: ConfigOk, status: ConfigStatus) -> dict[str, Any]:
    verdict, status = good(status)
    active = status.assigned and status.assigned._replace(uid="00000000-0000-0000-0000-000000000000")
    return patch_of(verdict, status._replace(assigned=active, active=active))


def for_an_earlier_assignment(_verdict: ConfigOk, status: ConfigStatus) -> dict[str, Any]:
    verdict, status = good(status)
    return patch_of(verdict, status._replace(assignment=max(0, status.assignment - 1)))


LIES: dict[str, Lie] = {
    "escapes": with_escapes,
    "digits": with_digits,
    "types": with_wrong_types,
    "list": with_long_list,
    "other-bundle": for_another_bundle,
    "earlier": for_an_earlier_assignment,
}


class LyingNodes(SimulatedNodes):
    """Nodes of which some lie once they are assigned a config, each by its own identity."""

    def __init__(self, client: Client, api: Real) -> None:
        super().__init__(client)
        self._own = {name: api.client(f"system:node:{name}", ["system:nodes"]) for name in LIES}

    def say(self, name: str, verdict: ConfigOk, status: ConfigStatus) -> None:
        """Say that, or a lie."""
        if name in LIES and status.assignment:
            patch = LIES[name](verdict, status)
            self._own[name].patch(paths.node_status(name), patch, kind="strategic")
        else:
            super().say(name, verdict, status)


class Rollout(NamedTuple):
    """A rollout to nodes of which some lie. nodes: the Nodes after it, by name. report: the HTML."""

    done: PlaybookRun
    status: PlaybookRun
    report: str
    nodes: dict[str, dict[str, Any]]

    @property
    def target(self) -> str:
        """Return the name of the bundle."""
        return str(self.done.stats["target"])

    def kind(self, name: str) -> str:
        """Return how the rollout names a node that did not pass: "failed", "unknown", or "" if it does not."""
        exceptions = self.done.stats.get("exceptions", [])
        return next((exception["kind"] for exception in exceptions if exception["node"] == name), "")

    def names(self, name: str) -> bool:
        """Return whether the rollout names a node as one that did not pass."""
        return bool(self.kind(name))

    def annotation(self, name: str) -> str:
        """Return the structured status as the node has written it."""
        return str(self.nodes[name]["metadata"]["annotations"][ANNOTATION_CONFIG_STATUS])


@pytest.fixture(scope="module")
def rollout(attacked_api: Real, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rollout]:
    """One rollout by the runner's identity, the playbook status and the report after it."""
    admin = attacked_api.client()
    prepare(admin, RUNNER)
    user = Playbooks(tmp_path_factory.mktemp("runner"), attacked_api.kubeconfig_for("runner"))
    pool = quick_pool(POOL)
    pool["policy"].update(
        canary={"count": 1, "soak": 0}, waves=["100%"], maxUnavailable=8, failureBudget=len(LIES), nodeTimeout="5s"
    )
    user.write(pool, "maxPods: 60\n")
    with LyingNodes(admin, attacked_api) as simulated:
        simulated.behaviour = lambda name, _source: CRASHES if name == "escapes" else GOOD
        for name in (*HONEST, *LIES):
            simulated.add(name, labels={"pool": POOL})
        done = user.run("rollout")
        status = user.run("status")
        written = user.run("report", "-e", "dest=report.html")
        assert written.code == 0, written.output
        nodes = {name: admin.get(paths.node(name)) for name in (*HONEST, *LIES)}
    yield Rollout(done, status, (user.directory / "report.html").read_text(), nodes)
    for name in nodes:
        admin.delete(paths.node(name))
    admin.close()


def record(attacks: Recorder, name: str, node: str, rollout: Rollout, naive: str) -> None:
    """Record that the rollout named the node and moved the others. naive: what a reader without checks would do."""
    with attacks.attempt(name, "checks") as attempt:
        attempt.off(1, 1, "readers", naive)
        fooled = not rollout.names(node)
        kind = "as failed" if rollout.kind(node) == "failed" else "without a verdict, so the rollout pauses"
        attempt.on(int(fooled), 1, "rollouts", f"the node is named {kind}; the other nodes get the config")
        for honest in HONEST:
            assert rollout.nodes[honest]["metadata"]["labels"]["configok.dev/config"] == rollout.target


def test_what_a_node_says_steers_no_terminal(rollout: Rollout, attacks: Recorder) -> None:
    raw = read_condition(rollout.nodes["escapes"])
    assert raw is not None
    harmful = len(unsafe_texts([raw["reason"], raw["message"]]))
    shown = {"terminal": rollout.done.output + rollout.status.output, "report": rollout.report}
    for where, text in shown.items():
        with attacks.attempt(f"escape sequences in a node's status: {where}", "sanitizing") as attempt:
            attempt.off(harmful, harmful, "texts", "the raw text steers a terminal")
            assert "wave 1 passed" in text
            assert not any(line.startswith("wave 1 passed") for line in text.splitlines())
            attempt.on(len(unsafe_texts(text)), 1, "texts", "printable characters alone")


def test_a_number_of_many_digits(rollout: Rollout, attacks: Recorder) -> None:
    with pytest.raises(ValueError, match="Exceeds the limit"):
        json.loads(rollout.annotation("digits"))
    name = "a number of 4,400 digits in a node's status"
    record(attacks, name, "digits", rollout, "Python's json raises ValueError")


def test_wrong_types(rollout: Rollout, attacks: Recorder) -> None:
    with pytest.raises(TypeError):
        assert json.loads(rollout.annotation("types"))["assignment"] >= 1
    name = "wrong types in a node's status"
    record(attacks, name, "types", rollout, "a comparison of ids raises TypeError")


def test_a_long_list(rollout: Rollout, attacks: Recorder) -> None:
    assert len(json.loads(rollout.annotation("list"))["ignored"]) == ITEMS
    name = "a list of 5,000 items in a node's status"
    record(attacks, name, "list", rollout, "5,000 lines for one node")
    shown = rollout.done.output + rollout.status.output + rollout.report
    assert shown.count("component-") < ITEMS / 5


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("ConfigOK True for another bundle", "other-bundle"),
        ("ConfigOK True for an earlier assignment", "earlier"),
    ],
)
def test_a_claim_of_success(rollout: Rollout, attacks: Recorder, name: str, node: str) -> None:
    condition = read_condition(rollout.nodes[node])
    assert condition is not None
    assert condition["status"] == "True"
    record(attacks, name, node, rollout, "the condition alone says True")


def test_a_lie_about_another_node(rollout: Rollout, attacked_api: Real, attacks: Recorder) -> None:
    """The identity of a node writes its own Node, any other identity with the same right writes all."""
    victim = paths.node_status(HONEST[0])
    patch = {"status": {"conditions": [{"type": "ConfigOK", "status": "False", "reason": "forged", "message": "-"}]}}
    with attacks.attempt("ConfigOK of another node", "NodeRestriction") as attempt:
        with grant(attacked_api, "not-a-node", [PATCH_NODE_STATUS]) as other:
            other.patch(victim, patch, kind="strategic")
        written = read_condition(attacked_api.client().get(paths.node(HONEST[0])))
        assert written is not None
        attempt.off(int(written["status"] == "False"), 1, "nodes", "an identity that is not a node's writes it")
        with attacked_api.client("system:node:escapes", ["system:nodes"]) as liar, pytest.raises(Forbidden):
            liar.patch(victim, patch, kind="strategic")
        attempt.on(0, 1, "nodes", "a node's own identity is refused by the API server")
    assert rollout.names("escapes")
