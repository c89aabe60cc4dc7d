# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks on Nodes and bundles, without admission policies and with them: requests that the API server admits or not.

An API server before Kubernetes 1.30 has no such policies. There the requests are admitted, and the expressions of the
policies are then evaluated on the very objects: the rows and the summary say so.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster._admission_parameters import (
    DEFAULT_POOL_LABEL,
    subject_lines,
)
from ansible_collections.configok.node.plugins.module_utils._cluster._admission_policies import (
    BUNDLES_POLICY,
    NODES_POLICY,
    admission_policies,
)
from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_steps, plan_setup
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, Invalid
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigOk, status_patch
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import NAMESPACE_BUNDLES
from support.api.policies import refusals
from support.api.servers import Real
from support.attacks.identities import CREATE_BUNDLES, PATCH_NODE_STATUS, PATCH_NODES, grant
from support.attacks.recorder import Recorder
from support.configs.kubelet import KUBELET_HEADER
from support.session.patience import LONGEST_WAIT

USER = {"kind": "User"}
RUNNERS = ({**USER, "name": "pool-runner", "pools": ["workers"]},)
PUBLISHERS = ({**USER, "name": "publisher", "pools": ["workers"]},)
ASSIGNERS = ({**USER, "name": "assigner", "pools": ["workers"]},)
BREAK_GLASS = ({"kind": "Group", "name": "system:masters"},)  # of these tests' administrator
ROLES = Access(runner_subjects=RUNNERS, publisher_subjects=PUBLISHERS, assigner_subjects=ASSIGNERS, admission=False)
SOURCE = ConfigSource(NAMESPACE_BUNDLES, "workers-0123456789", "00000000-0000-0000-0000-000000000001")
OTHER_POOLS = SOURCE._replace(name="database-0123456789")

Request = Callable[[Client, str], dict[str, Any]]


def assigns(source: ConfigSource | None, *, forget_bad: bool = False, status: bool = True, number: int = 2) -> Request:
    """Return a request that assigns to a Node, by nodes/status or by nodes. number: the id."""
    patch = assignment_patch(source, Assignment(number, forget_bad))
    return lambda client, name: client.patch((paths.node_status if status else paths.node)(name), patch)


def claims_success(client: Client, name: str) -> dict[str, Any]:
    """Write that a node is fine."""
    status = ConfigStatus(assignment=1, assigned=SOURCE, active=SOURCE, cause="Good")
    verdict = ConfigOk("True", f"using current (UID: {SOURCE.uid})", "all checks passed", "Good")
    body: dict[str, Any] = status_patch(verdict, status, SOURCE.name, now="2026-01-01T00:00:00Z")
    return client.patch(paths.node_status(name), body, kind="strategic")


def relabels(client: Client, name: str) -> dict[str, Any]:
    taint = {"key": "attacker", "effect": "NoExecute"}
    return client.patch(paths.node(name), {"metadata": {"labels": {"pool": "attacker"}}, "spec": {"taints": [taint]}})


def publishes(pool: str) -> Request:
    """Return a request that creates a bundle, with content of its own."""

    def publish(client: Client, name: str) -> dict[str, Any]:
        bundle = build_bundle(pool, {"kubelet": f"{KUBELET_HEADER}# {name}\nmaxPods: 10\n"})
        return client.create(paths.config_maps(NAMESPACE_BUNDLES), bundle)

    return publish


class Attempt(NamedTuple):
    """A request by an identity. pool: of the Node."""

    attack: str
    user: str
    send: Request
    pool: str = "workers"


NODE = "system:node:"  # the identity of the Node itself
ATTEMPTS = (
    Attempt("replay of an old bundle by patch nodes/status", "cni", assigns(SOURCE)),
    Attempt("replay of a bundle that is not below the floor", "cni", assigns(SOURCE)),
    Attempt("another pool's bundle", "cni", assigns(OTHER_POOLS)),
    Attempt("removal of the assignment", "cni", assigns(None)),
    Attempt("forgetBad for a bundle that the node has marked bad", "cni", assigns(SOURCE, forget_bad=True)),
    Attempt("ConfigOK of any node by patch nodes/status", "cni", claims_success),
    Attempt("an assignment by patch nodes, such as an administrator has", "operator", assigns(SOURCE, status=False)),
    Attempt("foreign bundle: its creator is not a publisher", "foreigner", publishes("workers")),
    Attempt("unsigned bundle of a publisher", "publisher", publishes("workers")),
    Attempt(
        "a runner of one pool assigns to a Node of another", "pool-runner", assigns(SOURCE, status=False), "database"
    ),
    Attempt("a runner relabels and taints a Node", "pool-runner", relabels),
    Attempt("a publisher of one pool publishes for another", "publisher", publishes("database")),
    Attempt("a node assigns another bundle to itself", NODE, assigns(SOURCE)),
)


class Sent(NamedTuple):
    """A request that was admitted (refusal is ""), or refused with this message."""

    refusal: str
    old: dict[str, Any] | None = None
    new: dict[str, Any] | None = None


class Cluster:
    """The API server, and a Node of its own for each attempt."""

    def __init__(self, api: Real) -> None:
        self.api = api
        self.admin = api.client()
        self.nodes: list[str] = []
        for user, rule, namespace in (
            ("cni", PATCH_NODE_STATUS, ""),
            ("operator", PATCH_NODES, ""),
            ("foreigner", CREATE_BUNDLES, NAMESPACE_BUNDLES),
        ):
            grant(api, user, [rule], namespace=namespace).close()

    def add_nodes(self, side: str) -> list[str]:
        """Create a Node for each attempt, which has an assignment; return their names."""
        names = []
        for number, attempt in enumerate(ATTEMPTS):
            names.append(f"{side}-{number}")
            patch = assignment_patch(SOURCE._replace(uid="00000000-0000-0000-0000-000000000002"), Assignment(1))
            metadata = {"name": names[-1], "labels": {DEFAULT_POOL_LABEL: attempt.pool}, **patch["metadata"]}
            self.admin.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})
        self.nodes += names
        return names

    def client(self, attempt: Attempt, node: str) -> Client:
        """Return a client of the attempt's identity."""
        if attempt.user == NODE:
            return self.api.client(NODE + node, ["system:nodes"])
        return self.api.client(attempt.user)

    def send(self, attempt: Attempt, node: str) -> Sent:
        """Send the request of an attempt."""
        old = self.admin.get(paths.node(node))
        with self.client(attempt, node) as client:
            try:
                new = attempt.send(client, node)
            except Forbidden as error:
                return Sent(str(error))
        return Sent("", old if new["kind"] == "Node" else None, new)

    def set_access(self, access: Access) -> str:
        """Change the roles and the policies, and return whether the latter are enabled, disabled or unsupported."""
        change = plan_setup(self.admin, access)
        apply_steps(self.admin, change.steps, dry_run=False)
        return change.admission

    def close(self) -> None:
        """Remove the policies and the Nodes."""
        self.set_access(Access(admission=False))
        for name in self.nodes:
            self.admin.delete(paths.node(name))
        self.admin.close()


@pytest.fixture(scope="module")
def cluster(attacked_api: Real) -> Iterator[Cluster]:
    """The cluster with its roles, without policies."""
    cluster = Cluster(attacked_api)
    cluster.set_access(ROLES)
    yield cluster
    cluster.close()


@pytest.fixture(scope="module")
def sent(cluster: Cluster) -> tuple[list[Sent], list[Sent] | None]:
    """All requests without policies, and with them (None without such policies in the API server)."""
    without, later = cluster.add_nodes("open"), cluster.add_nodes("guarded")
    _wait(lambda: not cluster.send(ATTEMPTS[-2], without[0]).refusal)  # until the roles are in force
    off = [cluster.send(attempt, node) for attempt, node in zip(ATTEMPTS, without)]
    if cluster.set_access(replace(ROLES, admission=True, break_glass_subjects=BREAK_GLASS)) != "enabled":
        return off, None
    ids = itertools.count(100)  # a request that changes nothing is admitted
    _wait(lambda: bool(cluster.send(Attempt("", "cni", assigns(SOURCE, number=next(ids))), without[0]).refusal))
    return off, [cluster.send(attempt, node) for attempt, node in zip(ATTEMPTS, later)]


def _wait(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while not holds():
        assert time.monotonic() < deadline, "not in force within 30 s"
        time.sleep(0.1)


def evaluated(attempt: Attempt, sent: Sent, node: str) -> list[str]:
    """Return why the policies refuse a request that an API server without them has admitted."""
    lists: dict[str, Sequence[dict[str, Any]]] = {
        "runners": RUNNERS,
        "publishers": PUBLISHERS,
        "assigners": ASSIGNERS,
        "breakGlass": BREAK_GLASS,
    }
    parameters = {key: subject_lines(subjects, key) for key, subjects in lists.items()}
    objects = admission_policies([NAMESPACE_BUNDLES], {**parameters, "poolLabel": DEFAULT_POOL_LABEL})
    policy = BUNDLES_POLICY if sent.old is None else NODES_POLICY
    (spec,) = [
        item["spec"]
        for item in objects
        if item["metadata"]["name"] == policy and item["kind"] == "ValidatingAdmissionPolicy"
    ]
    is_node = attempt.user == NODE
    groups = ["system:authenticated", *(["system:nodes"] if is_node else [])]
    request = {
        "operation": "CREATE" if sent.old is None else "UPDATE",
        "userInfo": {"username": attempt.user + (node if is_node else ""), "groups": groups},
        "namespace": NAMESPACE_BUNDLES if sent.old is None else "",
    }
    return refusals(spec, {"object": sent.new, "oldObject": sent.old, "request": request})


@pytest.mark.parametrize("number", range(len(ATTEMPTS)), ids=[attempt.attack for attempt in ATTEMPTS])
def test_requests(sent: tuple[list[Sent], list[Sent] | None], attacks: Recorder, number: int) -> None:
    attempt, off = ATTEMPTS[number], sent[0][number]
    with attacks.attempt(attempt.attack, "admission") as result:
        result.off(int(not off.refusal), 1, "requests", "admitted" if not off.refusal else off.refusal)
        if sent[1] is not None:
            refusal = sent[1][number].refusal
            assert "ValidatingAdmissionPolicy" in refusal or not refusal
        else:
            refusal = "; ".join(evaluated(attempt, off, f"open-{number}"))
        saw = "refused by the API server" if refusal else "admitted"
        result.on(int(not refusal), 1, "requests", saw, evaluated=sent[1] is None)


def test_split_roles(cluster: Cluster, sent: tuple[list[Sent], list[Sent] | None], attacks: Recorder) -> None:
    """What one credential can do, by RBAC alone: the policies are removed."""
    assert len(sent[0]) == len(ATTEMPTS)  # the roles are in force
    cluster.set_access(ROLES)
    node, numbers = cluster.nodes[0], itertools.count()

    def can_do(user: str) -> tuple[bool, bool]:
        with cluster.api.client(user) as client:
            return (
                _is_allowed(lambda: publishes("workers")(client, f"split-{next(numbers)}")),
                _is_allowed(lambda: assigns(SOURCE, status=False)(client, node)),
            )

    with attacks.attempt("one stolen credential publishes and assigns", "split roles") as result:
        _wait(lambda: can_do("pool-runner") == (True, True) and can_do("assigner")[1])
        result.off(int(can_do("pool-runner") == (True, True)), 1, "credentials", "a runner does both")
        publisher, assigner = can_do("publisher"), can_do("assigner")
        saw = "a publisher assigns nothing, an assigner publishes nothing"
        result.on([publisher, assigner].count((True, True)), 2, "credentials", saw)
        assert (publisher, assigner) == ((True, False), (False, True))


def _is_allowed(send: Callable[[], object]) -> bool:
    try:
        send()
    except (Forbidden, Invalid):  # Invalid: a policy that is being removed has lost its parameters
        return False
    return True
