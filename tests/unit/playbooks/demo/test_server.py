# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The embedded server's own features: its refusals, its hooks for tests, running in a process.

The contract suite (tests/integration/contract) tests the rest.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest
from urllib3.exceptions import ProtocolError

from embedded_apiserver.authorization import User
from embedded_apiserver.http_server import Request, Response
from embedded_apiserver.server import EmbeddedApiServer
from support.api.servers import Embedded, start_embedded
from support.api.wire import Wire
from support.session.patience import LONGEST_WAIT, wait_until

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
NODES = "/api/v1/nodes"
RBAC = "/apis/rbac.authorization.k8s.io/v1"

Perform = Callable[[], Response]


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Embedded]:
    server = start_embedded(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def wire(api: Embedded) -> Wire:
    return api.wire()


@pytest.mark.parametrize(
    ("method", "path", "body", "options"),
    [
        ("GET", "/api", None, {}),
        ("GET", "/apis", None, {}),
        ("GET", "/metrics", None, {}),
        ("GET", "/api/v1/pods", None, {}),
        ("GET", "/api/v1/namespaces/default/secrets/a", None, {}),
        ("POST", "/api/v1/namespaces/default/pods/p/eviction", {}, {}),
        ("POST", "/apis/events.k8s.io/v1/namespaces/default/events", {}, {}),
        ("GET", "/apis/policy/v1/poddisruptionbudgets", None, {}),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {}, {}),
        ("GET", "/api/v1/nodes/a/proxy", None, {}),
        ("PUT", "/api/v1/namespaces/default/finalize", {}, {}),
        ("GET", "/api/v1/watch/nodes", None, {}),
        ("DELETE", CONFIG_MAPS, None, {}),
        ("DELETE", f"{CONFIG_MAPS}/a", {"propagationPolicy": "Foreground"}, {}),
        ("PATCH", f"{CONFIG_MAPS}/a", {}, {"content_type": "application/apply-patch+yaml"}),
        ("POST", CONFIG_MAPS, b"kind: ConfigMap", {"content_type": "application/yaml"}),
        ("POST", CONFIG_MAPS, {}, {"fieldValidation": "Strict"}),
        ("GET", CONFIG_MAPS, None, {"resourceVersion": "100", "resourceVersionMatch": "Exact"}),
        ("GET", CONFIG_MAPS, None, {"headers": {"Impersonate-User": "alice"}}),
    ],
)
def test_unsupported_requests_are_refused(
    wire: Wire, method: str, path: str, body: Any, options: dict[str, Any]
) -> None:
    answer = wire.request(method, path, body, **options)
    assert answer.status == 501
    assert (answer.body["kind"], answer.body["reason"]) == ("Status", "NotImplemented")
    assert answer.body["message"].startswith("the embedded API server does not implement ")


def test_escalation_is_not_checked_so_other_users_write_no_roles(api: Embedded) -> None:
    admin = api.wire()
    admin.post(f"{RBAC}/clusterroles", {
        "metadata": {"name": "all"}, "rules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    })  # fmt: skip
    admin.post(f"{RBAC}/clusterrolebindings", {
        "metadata": {"name": "all"}, "roleRef": {"kind": "ClusterRole", "name": "all"},
        "subjects": [{"kind": "User", "name": "alice"}],
    })  # fmt: skip
    alice = api.wire("alice")
    assert alice.post(CONFIG_MAPS, {"metadata": {"name": "a"}}).status == 201
    assert alice.post(f"{RBAC}/clusterroles", {"metadata": {"name": "more"}, "rules": []}).status == 501


def test_a_deleted_namespace_deletes_its_objects(wire: Wire) -> None:
    wire.post("/api/v1/namespaces", {"metadata": {"name": "gone"}})
    path = "/api/v1/namespaces/gone/configmaps"
    wire.post(path, {"metadata": {"name": "a"}})
    assert wire.delete("/api/v1/namespaces/gone").status == 200
    assert wire.get("/api/v1/namespaces/gone").status == 404
    assert wire.get(f"{path}/a").status == 404
    assert wire.post(path, {"metadata": {"name": "a"}}).status == 404


def test_intercept_refuses_with_retry_after(api: Embedded, wire: Wire) -> None:
    def once(_request: Request, user: User, _perform: Perform) -> Response | None:
        api.server.intercept = None
        assert user.name == "admin"
        return api.server.refusal(429, retry_after=2)

    api.server.intercept = once
    answer = wire.get(NODES)
    assert answer.status == 429
    assert answer.headers["Retry-After"] == "2"
    assert (answer.body["reason"], answer.body["details"]) == ("TooManyRequests", {"retryAfterSeconds": 2})
    assert wire.get(NODES).status == 200


@pytest.mark.parametrize("cut", [0, 1, 200])
def test_intercept_loses_the_answer_of_a_request_that_was_done(api: Embedded, wire: Wire, cut: int) -> None:
    def lose(request: Request, _user: User, perform: Perform) -> Response | None:
        return replace(perform(), cut=cut) if request.method == "POST" else None

    api.server.intercept = lose
    with pytest.raises(OSError):  # noqa: PT011  (the words are urllib3's)
        wire.post(CONFIG_MAPS, {"metadata": {"name": "a"}})
    assert wire.get(f"{CONFIG_MAPS}/a").status == 200


def test_each_request_is_logged(api: Embedded, wire: Wire) -> None:
    node = api.node_wire("n1")
    node.post(NODES, {"metadata": {"name": "n1"}})
    node.strategic(f"{NODES}/n1/status", {"status": {}})
    wire.get(NODES)
    wire.get(f"{NODES}/none")
    with wire.watch(NODES):
        pass
    log = api.server.requests
    assert log.count(user="system:node:n1") == 2
    assert log.count(verb="patch", resource="nodes/status", name="n1", status=200) == 1
    assert [call.verb for call in log.calls(user="admin")] == ["list", "get", "watch"]
    assert log.count(status=404) == 1
    assert log.by_user_and_verb()["admin", "watch"] == 1
    log.clear()
    assert log.count() == 0


def test_end_watches_of_one_user(api: Embedded, wire: Wire) -> None:
    api.node_wire("n1").post(NODES, {"metadata": {"name": "n1"}})
    with wire.watch(NODES, resourceVersion="0") as watching:
        watching.take(1)
        with api.node_wire("n1").watch(NODES, fieldSelector="metadata.name=n1") as of_the_node:
            of_the_node.take(1)
            assert api.server.end_watches("system:node:n1") == 1
            assert list(of_the_node) == []
        wire.merge(f"{NODES}/n1", {"metadata": {"labels": {"a": "1"}}})
        assert watching.take(1)[0]["type"] == "MODIFIED"


def test_watch_whose_client_hung_up_is_forgotten(api: Embedded, wire: Wire) -> None:
    watching = wire.watch(NODES)
    wait_until(lambda: len(api.server.storage.watchers()) == 1)
    watching.close()
    wait_until(lambda: not api.server.storage.watchers())


def test_outage_keeps_port_objects_and_identities(api: Embedded, wire: Wire) -> None:
    made = wire.post(CONFIG_MAPS, {"metadata": {"name": "a"}}).body
    watching = wire.watch(CONFIG_MAPS)
    watching.take(1)
    api.server.stop()
    with contextlib.suppress(ProtocolError):  # stop() cuts connections: the end of the watch may be lost
        assert list(watching) == []
    with pytest.raises(OSError):  # noqa: PT011  (the words are urllib3's)
        wire.get(f"{CONFIG_MAPS}/a")
    api.server.start()
    assert wire.get(f"{CONFIG_MAPS}/a").body == made


def test_a_client_reconnects_after_its_connections_are_dropped(api: Embedded, wire: Wire) -> None:
    watching = wire.watch(NODES, timeoutSeconds="60")
    api.server.drop_connections()
    with pytest.raises(Exception, match=r"Connection|Incomplete|Protocol|Response"):
        list(watching)
    assert wire.get(NODES).status == 200


def test_a_kubeconfig_file_is_private_and_names_the_server_and_the_user(api: Embedded, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    assert api.server.kubeconfig_for("alice", ["ops"], path=str(path), token="secret") == str(path)
    assert path.stat().st_mode & 0o777 == 0o600
    config = json.loads(path.read_text())
    assert config["clusters"][0]["cluster"]["server"] == api.url
    answer = api.wire("").get(NODES, headers={"Authorization": "Bearer secret"})
    assert 'User "alice" cannot list' in answer.body["message"]


def test_client_certificates_are_identities(tmp_path: Path) -> None:
    with start_embedded(tmp_path, tls=True) as api:
        node = api.node_wire("n1")
        assert api.url.startswith("https://")
        assert node.post(NODES, {"metadata": {"name": "n1"}}).status == 201
        assert node.post(NODES, {"metadata": {"name": "n2"}}).status == 403
        assert api.wire().get(NODES).status == 200
        assert api.wire("").get(NODES).status == 403
        with node.watch(NODES, fieldSelector="metadata.name=n1") as watching:
            watching.take(1)
            api.wire().merge(f"{NODES}/n1", {"metadata": {"labels": {"a": "1"}}})
            assert watching.take(1)[0]["type"] == "MODIFIED"


def test_history_is_bounded(tmp_path: Path) -> None:
    with start_embedded(tmp_path, history=3) as api:
        wire = api.wire()
        version = wire.post(CONFIG_MAPS, {"metadata": {"name": "a"}}).body["metadata"]["resourceVersion"]
        for number in range(4):
            wire.merge(f"{CONFIG_MAPS}/a", {"data": {"n": str(number)}})
        with wire.watch(CONFIG_MAPS, resourceVersion=version) as watching:
            (event,) = list(watching)
        assert (event["type"], event["object"]["code"]) == ("ERROR", 410)


def test_bookmarks_are_sent_at_intervals(tmp_path: Path) -> None:
    with start_embedded(tmp_path, bookmark_interval=0.1) as api:
        wire = api.wire()
        with wire.watch(NODES, allowWatchBookmarks="true") as watching:
            first = watching.take(1)[0]
            made = wire.post(CONFIG_MAPS, {"metadata": {"name": "a"}}).body
            later = watching.take(2)[1]
    assert (first["type"], later["type"]) == ("BOOKMARK", "BOOKMARK")
    assert later["object"]["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def test_the_server_runs_until_it_is_stopped() -> None:
    server, stop = EmbeddedApiServer(), threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(stop,))
    thread.start()
    try:
        wait_until(lambda: not server.url.endswith(":0"))
        wire = Wire(server.url, None, {}, Path())
        assert wire.get("/healthz").body == "ok"
        wire.close()
    finally:
        stop.set()
        thread.join(timeout=LONGEST_WAIT)
    assert not thread.is_alive()


def test_concurrent_writers_lose_no_update(api: Embedded, wire: Wire) -> None:
    wire.post(CONFIG_MAPS, {"metadata": {"name": "a"}})
    writers, rounds = 8, 10
    conflicts = []

    def write(writer: int) -> None:
        for number in range(rounds):
            while True:
                item = wire.get(f"{CONFIG_MAPS}/a").body
                item.setdefault("data", {})[f"{writer}-{number}"] = "x"
                status = wire.put(f"{CONFIG_MAPS}/a", item).status
                if status == 200:
                    break
                conflicts.append(status)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=LONGEST_WAIT)
    assert len(wire.get(f"{CONFIG_MAPS}/a").body["data"]) == writers * rounds
    assert set(conflicts) <= {409}
