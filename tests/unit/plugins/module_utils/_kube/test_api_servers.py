# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several API servers of one cluster: which one is asked, and to which one no credentials are sent."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trustme

from ansible_collections.configok.node.plugins.module_utils._kube import api_errors as errors
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube._interrupt import Interrupt
from ansible_collections.configok.node.plugins.module_utils._kube.api_servers import ApiServers, why_no_instances
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials

N1 = paths.node("n1")
CLUSTER_NAME = "kubernetes.default.svc"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def api_server(authority: trustme.CA, tls_server: Callable[[Any], Any]) -> Callable[..., Any]:
    """Start a server with a certificate for these names, by default those of an API server's."""

    def start(*names: str) -> Any:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*(names or ("127.0.0.1", CLUSTER_NAME))).configure_cert(context)
        return tls_server(context)

    return start


@pytest.fixture
def credentials(authority: trustme.CA) -> Credentials:
    return Credentials("https://127.0.0.1:1", ca_data=authority.cert_pem.bytes(), token="secret")


@pytest.fixture
def turns() -> list[tuple[str, str]]:
    return []


def test_the_next_server_is_asked_when_one_does_not_answer(
    api_server: Any, credentials: Credentials, connect: Any, turns: list[tuple[str, str]]
) -> None:
    second = api_server()
    client = connect(credentials)
    client.ask_also([second.url], lambda *turn: turns.append(turn))
    assert client.get(N1) == {}
    assert client.get(N1) == {}
    assert len(second.requests) == 2
    assert turns == [(credentials.server, second.url)]
    assert second.requests[0].headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize(("status", "turned"), [(503, 1), (502, 1), (500, 0), (429, 0)])
def test_a_server_that_is_unavailable_is_left(
    status: int, turned: int, api_server: Any, credentials: Credentials, connect: Any, replies: Any
) -> None:
    """An error 500 may be one of a webhook, which the next server has, too; 429 says when to come again."""
    first, second = api_server(), api_server()
    first.script[:] = [replies.status(status), replies.answer(200, {"kind": "Node"})]
    client = connect(credentials._replace(server=first.url))
    client.ask_also([second.url], lambda *_turn: None)
    client.get(N1)
    assert (len(first.requests), len(second.requests)) == ((1, 1) if turned else (2, 0))


def test_the_first_server_is_asked_again_after_the_last_one(
    api_server: Any, credentials: Credentials, connect: Any, replies: Any
) -> None:
    first = api_server()
    first.script[:] = [replies.reset(), replies.answer(200, {"kind": "Node"})]
    client = connect(credentials._replace(server=first.url))
    client.ask_also([credentials.server], lambda *_turn: None)  # nothing listens there
    assert client.get(N1) == {"kind": "Node"}


def test_a_write_that_may_have_been_executed_is_not_sent_to_the_next_server(
    api_server: Any, credentials: Credentials, connect: Any, replies: Any
) -> None:
    first, second = api_server(), api_server()
    first.script[:] = [replies.reset()]
    client = connect(credentials._replace(server=first.url))
    client.ask_also([second.url], lambda *_turn: None)
    with pytest.raises(errors.Unreachable):
        client.create(paths.config_maps("default"), {})
    assert second.requests == []
    client.get(N1)
    assert len(second.requests) == 1


def test_a_client_for_a_watch_asks_the_same_server(api_server: Any, credentials: Credentials, connect: Any) -> None:
    second = api_server()
    client = connect(credentials)
    watching = client.interruptible(None)
    client.ask_also([second.url], lambda *_turn: None)
    client.get(N1)
    watching.get(N1)
    assert len(second.requests) == 2


def test_a_watch_that_is_ended_here_says_nothing_about_the_server(
    api_server: Any, credentials: Credentials, connect: Any, replies: Any, turns: list[tuple[str, str]]
) -> None:
    first = api_server()
    first.script[:] = [replies.stream({"type": "BOOKMARK"}, end="hold")]
    client = connect(credentials._replace(server=first.url))
    client.ask_also(["https://127.0.0.1:2"], lambda *turn: turns.append(turn))
    interrupt = Interrupt()
    lines = client.interruptible(interrupt).stream(paths.NODES, read_timeout=30.0, watch=True)
    next(lines)
    interrupt.trip()
    with pytest.raises(errors.Unreachable):
        next(lines)
    assert turns == []


@pytest.mark.parametrize(("end", "turned"), [("hold", 0), ("cut", 1)])
def test_a_silent_watch_says_nothing_about_the_server_and_a_broken_one_does(
    end: str,
    turned: int,
    api_server: Any,
    credentials: Credentials,
    connect: Any,
    replies: Any,
    turns: list[tuple[str, str]],
) -> None:
    first = api_server()
    first.script[:] = [replies.stream({"type": "BOOKMARK"}, end=end)]
    client = connect(credentials._replace(server=first.url))
    client.ask_also(["https://127.0.0.1:2"], lambda *turn: turns.append(turn))
    lines = client.interruptible(Interrupt()).stream(paths.NODES, read_timeout=0.2, watch=True)
    next(lines)
    with pytest.raises(errors.Unreachable):
        next(lines)
    assert len(turns) == turned


def test_no_credentials_reach_a_node(api_server: Any, credentials: Credentials, connect: Any) -> None:
    """The certificate of a kubelet may be one of the cluster's CA: it is for the address and the name of its node."""
    kubelet = api_server("127.0.0.1", "n1")
    with (
        connect(credentials).at_instance(kubelet.url) as instance,
        pytest.raises(errors.Unreachable, match=r"mismatch|doesn't match"),
    ):
        instance.get(N1)
    client = connect(credentials)
    client.ask_also([kubelet.url], lambda *_turn: None)
    with pytest.raises(errors.Unreachable):
        client.get(N1)
    assert kubelet.requests == []


def test_credentials_that_are_read_again_stay_with_the_instance(
    api_server: Any, credentials: Credentials, connect: Any, replies: Any
) -> None:
    own, instance = api_server(), api_server()
    instance.script[:] = [replies.status(401), replies.answer(200, {"kind": "Node"})]
    old = credentials._replace(server=own.url)
    renewed = old._replace(token="new")
    with connect(old._replace(refresh=lambda: renewed)).at_instance(instance.url) as client:
        assert client.get(N1) == {"kind": "Node"}
    assert own.requests == []
    assert instance.requests[1].headers["authorization"] == "Bearer new"


def test_a_late_failure_of_an_earlier_turn_changes_nothing(credentials: Credentials) -> None:
    servers = ApiServers()
    servers.set_others(["https://b", "https://c"], credentials, lambda *_turn: None)
    asked = [servers.choose(credentials)[1].server]
    for _number in range(4):
        turn, _credentials = servers.choose(credentials)
        servers.turn_from(turn)
        servers.turn_from(turn)
        asked.append(servers.choose(credentials)[1].server)
    assert asked == [credentials.server, "https://b", "https://c", credentials.server, "https://b"]
    servers.turn_from(1)  # the first time that b was asked
    assert servers.choose(credentials)[1].server == "https://b"


@pytest.mark.parametrize("change", [{"verify": False}, {"ca_data": None}, {"server": "https://other/k8s/c-1"}])
def test_credentials_that_trust_servers_in_another_way_are_sent_to_their_own_only(
    change: dict[str, Any], credentials: Credentials, api_server: Any, connect: Any, replies: Any
) -> None:
    """The kubeconfig was replaced in the middle of a run."""
    servers = ApiServers()
    servers.set_others(["https://b"], credentials, lambda *_turn: None)
    servers.turn_from(servers.turn)
    replaced = credentials._replace(**change)
    assert servers.choose(replaced)[1] == replaced
    servers.turn_from(servers.turn)
    assert servers.choose(replaced)[1] == replaced
    instance = api_server()
    with connect(credentials._replace(refresh=lambda: replaced)).at_instance(instance.url) as client:
        instance.script[:] = [replies.status(401)]
        with pytest.raises(errors.CredentialsError, match="the kubeconfig has changed"):
            client.get(N1)


def test_a_file_that_is_missing_for_a_moment_delays_a_turn(
    api_server: Any, credentials: Credentials, connect: Any, clock: Any, replies: Any, tmp_path: Path
) -> None:
    """It is being replaced: the connections stay as they are until it can be read."""
    token = tmp_path / "token"
    token.write_text("old")
    first, second = api_server(), api_server()
    client = connect(credentials._replace(server=first.url, token=None, token_file=str(token)))
    client.ask_also([second.url], lambda *_turn: None)
    client.get(N1)
    token.unlink()
    first.script[:] = [replies.status(503), replies.answer(200, {"kind": "Node"})]
    assert client.get(N1) == {"kind": "Node"}
    assert (len(first.requests), len(second.requests)) == (3, 0)
    token.write_text("new")
    clock.now += 10
    client.get(N1)
    assert second.requests[0].headers["authorization"] == "Bearer new"


def test_a_file_that_has_changed_is_read_after_a_turn(
    api_server: Any, credentials: Credentials, connect: Any, clock: Any, replies: Any, tmp_path: Path
) -> None:
    source = tmp_path / "kubeconfig"
    source.write_text("old")
    first, second = api_server(), api_server()
    renewed = credentials._replace(server=first.url, token="new", source=str(source))
    old = renewed._replace(token="old", refresh=lambda: renewed)
    client = connect(old)
    client.ask_also([second.url], lambda *_turn: None)
    client.get(N1)
    source.write_text("new, and longer")
    first.script[:] = [replies.status(503)]
    client.get(N1)
    clock.now += 10
    client.get(N1)
    assert [request.headers["authorization"] for request in second.requests] == ["Bearer old", "Bearer new"]


def test_a_server_that_is_not_trusted_any_longer_is_passed_over(
    api_server: Any, credentials: Credentials, connect: Any, replies: Any
) -> None:
    """Its certificate has changed since the plan was made."""
    first, second = api_server(), api_server("127.0.0.1")
    first.script[:] = [replies.status(503), replies.answer(200, {"kind": "Node"})]
    client = connect(credentials._replace(server=first.url))
    client.ask_also([second.url], lambda *_turn: None)
    assert client.get(N1) == {"kind": "Node"}
    assert second.requests == []


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({}, "", ""),
        ({}, "/k8s/clusters/c-1", "is a proxy"),
        ({"verify": False}, "", "is not verified"),
        ({"ca_data": None}, "", "the CA of the cluster is not known"),
        ({"ca_data": None, "ca_file": "/etc/kubernetes/pki/ca.crt"}, "", ""),
    ],
)
def test_credentials_for_one_server_alone(
    change: dict[str, Any], path: str, words: str, credentials: Credentials
) -> None:
    reason = why_no_instances(credentials._replace(**change), path)
    assert words in reason
    assert bool(reason) == bool(words)


def test_a_proxy_is_recognised_by_the_path_of_its_url(credentials: Credentials, connect: Any) -> None:
    proxied = credentials._replace(server="https://rancher.example/k8s/clusters/c-1")
    assert "is a proxy" in connect(proxied).why_no_instances()
    assert connect(credentials).why_no_instances() == ""
