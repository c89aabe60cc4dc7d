# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which API servers a run asks while one of them restarts, and what it says of those that it cannot ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    Forbidden,
    KubeError,
    NotFound,
    Unreachable,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import API_SERVER_ENDPOINTS
from ansible_collections.configok.node.plugins.module_utils._operations._pool._api_servers import (
    OtherApiServers,
    find_api_servers,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_pool

OWN, SECOND, THIRD = (f"https://192.0.2.1{number}:6443" for number in (1, 2, 3))
API_SERVER = {"apiVersion": "options.configok.dev/v1alpha1", "kind": "ComponentOptions", "component": "kube-apiserver"}


def endpoints(*addresses: str, uid: str = "of-the-cluster") -> dict[str, Any]:
    subset = {"addresses": [{"ip": address} for address in addresses], "ports": [{"name": "https", "port": 6443}]}
    return {"metadata": {"uid": uid}, "subsets": [subset]}


class Cluster:
    """A client of a cluster. answers: of each API server, by URL."""

    def __init__(self) -> None:
        self.server = OWN
        self.answers: dict[str, dict[str, Any] | KubeError] = {OWN: endpoints("192.0.2.11", "192.0.2.12", "192.0.2.13")}
        self.refusal = ""
        self.asked: list[str] = []

    def why_no_instances(self) -> str:
        return self.refusal

    def at_instance(self, url: str) -> Cluster:
        instance = Cluster()
        instance.answers, instance.server, instance.asked = self.answers, url, self.asked
        return instance

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass

    def get(self, path: str) -> dict[str, Any]:
        assert path == API_SERVER_ENDPOINTS
        self.asked.append(self.server)
        answer = self.answers.get(self.server, self.answers[OWN])
        if isinstance(answer, KubeError):
            raise answer
        return answer


def find(cluster: Any, component: str = "kube-apiserver", **policy: Any) -> OtherApiServers:
    document = {**API_SERVER, "component": component} if component != "kubelet" else {"kind": "KubeletConfiguration"}
    definition = {"pool": "p", "selector": "role=x", "documents": {component: document}, "policy": policy}
    return find_api_servers(cluster, parse_pool(definition).policy)


def test_the_other_servers_are_those_that_the_cluster_names() -> None:
    servers = find(Cluster())
    assert servers == OtherApiServers((SECOND, THIRD))
    assert servers.lines() == [f"While its API server restarts, this run asks {SECOND}, {THIRD}."]


def test_the_pool_file_may_name_them_instead() -> None:
    assert find(Cluster(), apiServers=["https://api-2.example:443"]).urls == ("https://api-2.example:443",)


@pytest.mark.parametrize(("component", "policy"), [("kubelet", {}), ("kube-apiserver", {"apiServers": []})])
def test_no_other_server_is_asked_where_none_restarts_or_the_user_wants_none(
    component: str, policy: dict[str, Sequence[str]]
) -> None:
    cluster = Cluster()
    assert find(cluster, component, **policy) == OtherApiServers()
    assert cluster.asked == []


def test_a_cluster_with_one_server_has_no_other() -> None:
    """Its own may have another name in the kubeconfig."""
    cluster = Cluster()
    cluster.answers[OWN] = endpoints("10.0.0.1")
    assert find(cluster) == OtherApiServers()
    assert cluster.asked == [OWN]


def test_a_server_that_does_not_answer_or_is_of_another_cluster_is_named() -> None:
    cluster = Cluster()
    cluster.answers[SECOND] = Unreachable("no answer")
    cluster.answers[THIRD] = endpoints(uid="another")
    servers = find(cluster)
    assert servers.urls == ()
    assert servers.warnings == (
        f"{SECOND} is not asked while another API server restarts: no answer",
        f"{THIRD} is not asked while another API server restarts: it is one of another cluster",
    )


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Forbidden("no"), "this run may not get the Endpoints default/kubernetes"),
        (NotFound("no"), "the cluster has no Endpoints default/kubernetes"),
        (Unreachable("gone"), "gone"),
    ],
)
def test_the_plan_says_why_no_servers_are_known(answer: KubeError, words: str) -> None:
    cluster = Cluster()
    cluster.answers[OWN] = answer
    (warning,) = find(cluster).warnings
    assert warning.startswith("no other API server is asked while one restarts: ")
    assert words in warning


def test_credentials_for_one_server_are_sent_to_no_other() -> None:
    cluster = Cluster()
    cluster.refusal = "the certificate of the API server is not verified"
    (warning,) = find(cluster).warnings
    assert cluster.refusal in warning
    assert cluster.asked == [OWN]


def test_an_address_of_ipv6_is_a_url() -> None:
    cluster = Cluster()
    cluster.answers[OWN] = endpoints("2001:db8::1", "2001:db8::2")
    assert find(cluster).urls == ("https://[2001:db8::1]:6443", "https://[2001:db8::2]:6443")
