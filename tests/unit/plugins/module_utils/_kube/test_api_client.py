# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_errors as errors
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from ansible_collections.configok.node.plugins.module_utils._kube.retry import RetryPolicy
from ansible_collections.configok.node.plugins.module_utils._kube.transport import ClientSettings, Response, Timing
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import VERSION
from support.session.patience import wait_until

N1 = paths.node("n1")


@pytest.fixture
def connect(server: Any, clock: Any) -> Iterator[Callable[..., Client]]:
    """Return a function that creates a client of the scripted server that never really sleeps."""
    made: list[Client] = []

    def make(**options: Any) -> Client:
        credentials = Credentials(server.url, **options.pop("credentials", {}))
        timing = Timing(clock.sleep, clock, random=lambda: 0.0)
        changes = {name: options.pop(name) for name in Timing._fields if name in options}
        made.append(Client(credentials, ClientSettings(**{"timeout": 5.0, **options}), timing._replace(**changes)))
        return made[-1]

    yield make
    for client in made:
        client.close()


def query(request: Any) -> dict[str, list[str]]:
    return parse_qs(urlsplit(request.target).query)


def test_get(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.answer(200, {"kind": "Node"}))
    client = connect(credentials={"token": "s3cret"})
    assert client.get(N1, resourceVersion=0, pretty=False, empty=None) == {"kind": "Node"}
    (request,) = server.requests
    assert (request.method, request.target) == ("GET", "/api/v1/nodes/n1?resourceVersion=0&pretty=false")
    assert request.headers["authorization"] == "Bearer s3cret"
    assert request.headers["accept"] == "application/json"
    assert request.headers["user-agent"] == f"configok.node/{VERSION}"


def test_get_of_metadata_only(server: Any, connect: Any) -> None:
    connect().get(N1, metadata_only=True)
    assert server.requests[0].headers["accept"] == "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


def test_connections_are_kept(server: Any, connect: Any) -> None:
    client = connect()
    for _again in range(5):
        client.get(N1)
    assert {request.connection for request in server.requests} == {1}


def test_a_path_of_the_server_is_kept(server: Any, connect: Any) -> None:
    server.prefix = "/k8s/clusters/c-1/"
    connect().get(N1)
    assert server.requests[0].target == "/k8s/clusters/c-1/api/v1/nodes/n1"


@pytest.mark.parametrize(
    ("kind", "content_type", "body"),
    [
        ("merge", "application/merge-patch+json", {"metadata": {"annotations": {"a": None, "b": "ä"}}}),
        ("strategic", "application/strategic-merge-patch+json", {"status": {"conditions": [{"type": "ConfigOK"}]}}),
        ("json", "application/json-patch+json", [{"op": "test", "path": "/x", "value": 1}]),
        ("apply", "application/apply-patch+yaml", {"kind": "ConfigMap"}),
    ],
)
def test_each_kind_of_patch_has_its_content_type(
    server: Any, connect: Any, kind: str, content_type: str, body: Any
) -> None:
    connect().patch(N1, body, kind=kind)
    (request,) = server.requests
    assert (request.method, request.headers["content-type"], request.json()) == ("PATCH", content_type, body)


def test_the_options_of_a_patch_are_sent(server: Any, connect: Any) -> None:
    connect().patch(N1, {}, kind="apply", dry_run=True, field_manager="configok", force=True)
    assert query(server.requests[0]) == {"dryRun": ["All"], "fieldManager": ["configok"], "force": ["true"]}


def test_create_and_replace(server: Any, connect: Any) -> None:
    client = connect()
    client.create(paths.config_maps("ns"), {"kind": "ConfigMap"}, dry_run=True)
    client.replace(paths.config_map("ns", "c"), {"kind": "ConfigMap"})
    create, replace = server.requests
    assert (create.method, create.target) == ("POST", "/api/v1/namespaces/ns/configmaps?dryRun=All")
    assert (replace.method, replace.target) == ("PUT", "/api/v1/namespaces/ns/configmaps/c")
    assert create.headers["content-type"] == replace.headers["content-type"] == "application/json"


def test_delete_with_preconditions(server: Any, connect: Any) -> None:
    connect().delete(N1, uid="u1", resource_version="7", dry_run=True)
    (request,) = server.requests
    assert request.method == "DELETE"
    assert request.json()["preconditions"] == {"uid": "u1", "resourceVersion": "7"}
    assert request.json()["dryRun"] == ["All"]


def page(names: list[str] | None, token: str = "", version: str = "10") -> dict[str, Any]:
    items = None if names is None else [{"metadata": {"name": name}} for name in names]
    return {"items": items, "metadata": {"resourceVersion": version, "continue": token}}


def test_list_reads_all_pages(server: Any, replies: Any, connect: Any) -> None:
    server.says(
        replies.answer(200, page(["a", "b"], "t1")),
        replies.answer(200, page(["c"], "t2")),
        replies.answer(200, page(None)),
    )
    listing = connect().list(paths.NODES, label_selector="pool=a,b!=c", field_selector="metadata.name=x", limit=2)
    assert [item["metadata"]["name"] for item in listing.items] == ["a", "b", "c"]
    assert listing.resource_version == "10"
    first, second, third = map(query, server.requests)
    assert first == {"labelSelector": ["pool=a,b!=c"], "fieldSelector": ["metadata.name=x"], "limit": ["2"]}
    assert (second["continue"], third["continue"]) == (["t1"], ["t2"])


def test_a_list_can_ask_for_metadata_only(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.answer(200, page([])))
    assert connect().list(paths.NODES, metadata_only=True).items == []
    assert server.requests[0].headers["accept"] == "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def test_a_list_starts_again_when_its_token_expires(server: Any, replies: Any, connect: Any) -> None:
    expired = replies.status(410, "Expired", "the provided continue parameter is too old")
    server.says(replies.answer(200, page(["a"], "t1")), expired, replies.answer(200, page(["b"], version="11")))
    listing = connect().list(paths.NODES, limit=1)
    assert [item["metadata"]["name"] for item in listing.items] == ["b"]
    assert listing.resource_version == "11"
    assert "continue" not in query(server.requests[2])


def test_list_goes_without_pages_when_tokens_always_expire(server: Any, replies: Any, connect: Any) -> None:
    expired = replies.status(410, "Expired")
    server.says(*[replies.answer(200, page(["a"], "t")), expired] * 3, replies.answer(200, page(["a", "b"])))
    assert len(connect().list(paths.NODES, limit=1).items) == 2
    assert "limit" not in query(server.requests[-1])
    assert len(server.requests) == 7


def test_an_error_names_the_object(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.status(404, "NotFound", 'nodes "n1" not found'))
    with pytest.raises(errors.NotFound) as caught:
        connect().patch(N1, {})
    assert str(caught.value) == 'PATCH nodes/n1: nodes "n1" not found (404 NotFound)'
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("code", "reason", "kind"), [(409, "Conflict", errors.Conflict), (409, "AlreadyExists", errors.AlreadyExists)]
)
def test_a_conflict_is_the_callers(server: Any, replies: Any, connect: Any, code: int, reason: str, kind: Any) -> None:
    server.says(replies.status(code, reason))
    with pytest.raises(kind):
        connect().replace(N1, {"metadata": {"resourceVersion": "1"}})
    assert len(server.requests) == 1


@pytest.mark.parametrize("method", ["create", "patch", "replace", "delete"])
def test_429_is_always_sent_again(server: Any, replies: Any, connect: Any, clock: Any, method: str) -> None:
    server.says(replies.status(429, "TooManyRequests", Retry_After="3"), replies.answer(201))
    getattr(connect(), method)(N1, *([] if method == "delete" else [{}]))
    assert len(server.requests) == 2
    assert clock.slept == [3.0]


def test_retry_after_as_a_date(server: Any, replies: Any, connect: Any, clock: Any) -> None:
    server.says(replies.status(429, Retry_After=formatdate(clock.now + 9, usegmt=True)), replies.answer())
    connect(wall=clock).get(N1)
    assert clock.slept == [9.0]


def test_retry_after_in_the_details(server: Any, replies: Any, connect: Any, clock: Any) -> None:
    server.says(replies.status(429, details={"retryAfterSeconds": 4}), replies.answer())
    connect().get(N1)
    assert clock.slept == [4.0]


@pytest.mark.contract("manners.back-off")
@pytest.mark.parametrize("seconds", [31536000, 1e20, int("9" * 400), float("inf"), float("nan"), -5, True, "9", [9]])
def test_whatever_the_details_ask_for_it_is_five_minutes_at_most(
    server: Any, replies: Any, connect: Any, clock: Any, seconds: Any
) -> None:
    server.says(replies.status(429, details={"retryAfterSeconds": seconds}), replies.answer())
    connect(retries=RetryPolicy(patience=1e9)).get(N1)
    assert 0 < clock.slept[0] <= 301


def check_it_goes_on(client: Client, server: Any, replies: Any) -> None:
    """Check that a client with one connection can send another request."""
    server.says(replies.answer(200, {"kind": "Node"}))
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(client.get(N1)), daemon=True)
    asking.start()
    asking.join(5)
    assert answers == [{"kind": "Node"}]


@pytest.mark.contract("manners.small-answers")
@pytest.mark.parametrize("how", ["length", "chunks", "until closed", "an error"])
def test_an_answer_that_is_too_long_is_not_read(server: Any, replies: Any, connect: Any, how: str) -> None:
    sent = threading.Event()

    def endless(head: bytes, piece: bytes) -> Any:
        def reply(sock: socket.socket, over: threading.Event) -> bool:
            sock.sendall(head)
            try:
                for _piece in range(2000):
                    sock.sendall(piece)
            except OSError:
                return False
            sent.set()
            return False

        return reply

    text = b"x" * 65536
    server.says(
        {
            "length": endless(b"HTTP/1.1 200 OK\r\nContent-Length: 131072000\r\n\r\n", text),
            "chunks": endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + text + b"\r\n"),
            "until closed": endless(b"HTTP/1.1 200 OK\r\n\r\n", text),
            "an error": endless(b"HTTP/1.1 503 No\r\n\r\n", text),
        }[how]
    )
    client = connect(longest_answer=4 << 20, pool_size=1)
    with pytest.raises(errors.UnusableAnswer, match="GET nodes/n1: the answer has more than 4 MiB"):
        client.get(N1)
    assert len(server.requests) == 1  # The reply would be as long again.
    assert not sent.is_set()
    check_it_goes_on(client, server, replies)


@pytest.mark.contract("manners.small-answers")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "GZIP", "identity, gzip", "x" * 500])
def test_nothing_is_inflated(server: Any, replies: Any, connect: Any, encoding: str) -> None:
    server.says(replies.answer(200, gzip.compress(b"{}"), Content_Encoding=encoding))
    client = connect(pool_size=1)
    with pytest.raises(errors.UnusableAnswer, match="GET nodes/n1: the answer is encoded") as caught:
        client.get(N1)
    assert len(str(caught.value)) < 150
    assert server.requests[0].headers["accept-encoding"] == "identity"
    check_it_goes_on(client, server, replies)


def test_an_answer_of_the_longest_length_is_read(server: Any, replies: Any, connect: Any) -> None:
    body = {"text": "x" * 1000}
    server.says(replies.answer(200, body, Content_Encoding="identity"))
    assert connect(longest_answer=len(json.dumps(body))).get(N1) == body


@pytest.mark.parametrize("page_", [{"items": 7}, {"items": [7]}, {"items": {"a": 1}}, {"metadata": [1]}])
def test_an_answer_that_is_not_a_list_is_refused(server: Any, replies: Any, connect: Any, page_: Any) -> None:
    server.says(replies.answer(200, page_))
    with pytest.raises(errors.UnusableAnswer, match="GET nodes: the answer is not a list"):
        connect().list(paths.NODES)


def test_a_list_without_an_end_is_refused(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.answer(200, page(["a"], token="more")))
    with pytest.raises(errors.UnusableAnswer, match="GET nodes: the list has more than 1000 pages"):
        connect().list(paths.NODES)


def test_a_disruption_budget_is_an_answer(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.status(429, "TooManyRequests", details={"causes": [{"reason": "DisruptionBudget"}]}))
    with pytest.raises(errors.TooManyRequests):
        connect().create(paths.eviction("default", "p"), {})
    assert len(server.requests) == 1


FAULTS = ["status_500", "status_503", "half", "reset", "garbage", "silence"]


def fault(replies: Any, name: str) -> Any:
    if name.startswith("status_"):
        return replies.status(int(name[7:]))
    return replies.answer(200, b"<html>login</html>") if name == "garbage" else getattr(replies, name)()


@pytest.mark.parametrize("name", FAULTS)
def test_what_can_be_repeated_is_repeated(server: Any, replies: Any, connect: Any, clock: Any, name: str) -> None:
    client = connect(timeout=0.2)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: client.get(N1),
        lambda: client.patch(N1, {}),
        lambda: client.patch(N1, {}, kind="strategic"),
        lambda: client.replace(N1, {"metadata": {"resourceVersion": "1"}}),
        lambda: client.delete(N1, uid="u"),
        lambda: client.create(paths.NODES, {}, dry_run=True),
    )
    for call in calls:
        server.requests.clear()
        server.says(fault(replies, name), replies.answer(200, {"kind": "Node"}))
        assert call() == {"kind": "Node"}
        assert len(server.requests) == 2
    assert clock.slept == [0.1] * 6


@pytest.mark.parametrize("name", FAULTS)
def test_what_may_be_done_already_is_not_repeated(server: Any, replies: Any, connect: Any, name: str) -> None:
    client = connect(timeout=0.2)
    expected = errors.ServerError if name.startswith("status") else errors.Unreachable
    calls: tuple[Callable[[], Any], ...] = (
        lambda: client.create(paths.NODES, {}),
        lambda: client.patch(N1, [], kind="json"),
        lambda: client.replace(N1, {}),
        lambda: client.delete(N1),
    )
    for call in calls:
        server.requests.clear()
        server.says(fault(replies, name))
        with pytest.raises(expected, match=r"(POST|PATCH|PUT|DELETE) nodes"):
            call()
        assert len(server.requests) == 1


def test_retries_end(server: Any, replies: Any, connect: Any, clock: Any) -> None:
    server.says(replies.status(503, message="no leader"))
    client = connect(retries=RetryPolicy(attempts=4, first=1.0, longest=60.0, patience=60.0))
    with pytest.raises(errors.ServerError, match="no leader"):
        client.get(N1)
    assert len(server.requests) == 4
    assert clock.slept == [0.5, 1.0, 2.0]


def test_a_sleep_that_is_broken_off_ends_the_retries(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.status(503))
    with pytest.raises(errors.ServerError):
        connect(sleep=lambda _seconds: True).get(N1)
    assert len(server.requests) == 1


def test_a_server_that_is_gone_is_unreachable(server: Any, connect: Any, clock: Any) -> None:
    client = connect()
    server.close()
    with pytest.raises(
        errors.Unreachable, match=r"POST configmaps in ns: no answer from http://127.0.0.1:\d+: "
    ) as caught:
        client.create(paths.config_maps("ns"), {})
    assert not caught.value.sent
    assert len(clock.slept) == 5  # The request never reached the server, so even a create is retried.


class Silent:
    """A transport whose server accepts connections, and is silent until each request times out."""

    def __init__(self, clock: Any) -> None:
        self.clock = clock
        self.requests = 0
        self.answers = False

    def send(self, _method: str, _target: str, **_more: Any) -> Response:
        self.requests += 1
        if self.answers:
            return Response(200, b"{}", None, 1)
        self.clock.now += 30.0
        raise errors.Unreachable("timed out", where="GET nodes")


def test_a_server_that_has_never_answered_is_given_up_soon(clock: Any) -> None:
    """So that a command with a wrong address costs seconds; later, the same silence may be an outage."""
    silent = Silent(clock)
    client = Client(Credentials(server="http://away"), timing=Timing(clock.sleep, clock), transport=cast("Any", silent))
    with pytest.raises(errors.Unreachable):
        client.get(N1)
    assert silent.requests == 1
    silent.answers = True
    client.get(N1)
    silent.answers, silent.requests = False, 0
    with pytest.raises(errors.Unreachable):
        client.get(N1)
    assert silent.requests == 6


def test_a_connection_closed_meanwhile_is_replaced(server: Any, connect: Any) -> None:
    client = connect()
    client.get(N1)
    server.drop_connections()
    wait_until(lambda: not server._open)
    client.create(paths.NODES, {})
    assert [request.connection for request in server.requests] == [1, 2]


def test_a_redirect_is_not_followed(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.answer(302, {}, Location="http://127.0.0.1:1/"))
    with pytest.raises(errors.KubeError) as caught:
        connect(credentials={"token": "x"}).get(N1)
    assert caught.value.status == 302


def test_there_are_at_most_as_many_connections_as_allowed(server: Any, connect: Any) -> None:
    client = connect(pool_size=3)
    threads = [threading.Thread(target=lambda: [client.get(N1) for _again in range(5)]) for _again in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.requests) == 40
    assert max(request.connection for request in server.requests) <= 3


def test_401_renews_the_credentials_once(server: Any, replies: Any, connect: Any) -> None:
    tokens = iter(["new"])
    renewed = Credentials(server.url, token="new")
    server.says(replies.status(401), replies.answer())
    client = connect(credentials={"token": "old", "refresh": lambda: next(tokens) and renewed})
    client.create(paths.NODES, {})
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer old", "Bearer new"]


def test_401_again_is_the_callers(server: Any, replies: Any, connect: Any, clock: Any) -> None:
    count = []

    def refresh() -> Credentials:
        count.append(1)
        return Credentials(server.url, token="bad", refresh=refresh)

    server.says(replies.status(401, "Unauthorized"))
    client = connect(credentials={"token": "old", "refresh": refresh})
    for _again in range(3):
        with pytest.raises(errors.Unauthorized):
            client.get(N1)
    assert len(count) == 1  # An exec plugin may prompt the user, so it is not run again immediately.
    assert len(server.requests) == 4
    clock.now += 60
    with pytest.raises(errors.Unauthorized):
        client.get(N1)
    assert len(count) == 2


def test_401_in_many_threads_renews_once(server: Any, replies: Any, connect: Any) -> None:
    count = []

    def refresh() -> Credentials:
        count.append(1)
        return Credentials(server.url, token="new", refresh=refresh)

    client = connect(pool_size=8, credentials={"token": "old", "refresh": refresh})
    server.says(*[replies.status(401)] * 8, replies.answer())
    barrier = threading.Barrier(8)
    failures: list[BaseException] = []

    def work() -> None:
        barrier.wait()
        try:
            client.get(N1)
        except errors.KubeError as exc:
            failures.append(exc)

    threads = [threading.Thread(target=work) for _again in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(count) == 1
    assert len(failures) <= 7


def test_credentials_that_cannot_be_renewed(server: Any, replies: Any, connect: Any) -> None:
    def refresh() -> Credentials:
        raise errors.CredentialsError("the exec plugin failed")

    server.says(replies.status(401))
    with pytest.raises(errors.CredentialsError, match="the exec plugin failed"):
        connect(credentials={"token": "x", "refresh": refresh}).get(N1)


def test_basic_authentication_is_sent(server: Any, connect: Any) -> None:
    connect(credentials={"basic": ("u", "p:ä")}).get(N1)
    assert server.requests[0].headers["authorization"] == "Basic dTpwOsOk"


@pytest.mark.parametrize("url", ["", "no-url", "ftp://x", "https://"])
def test_a_server_must_be_a_url(url: str) -> None:
    with pytest.raises(errors.CredentialsError, match="is not the URL of an API server"):
        Client(Credentials(url)).get(N1)


def test_a_token_is_no_way_into_the_headers(server: Any, connect: Any) -> None:
    with pytest.raises(errors.CredentialsError, match="characters that no token has"):
        connect(credentials={"token": "x\r\nImpersonate-User: root"}).get(N1)


@pytest.mark.contract("manners.no-secret")
def test_the_repr_of_credentials_has_no_secret() -> None:
    text = repr(
        Credentials("https://x", token="s3cret", basic=("u", "s3cret"), key_data=b"s3cret", proxy="http://u:s3cret@p")
    )
    assert "s3cret" not in text


@pytest.mark.parametrize(
    ("date", "seconds"), [("Tue, 14 Nov 2023 22:13:20 GMT", 1_700_000_000.0), ("yesterday", None), (None, None)]
)
def test_the_clock_of_the_server_is_that_of_an_answer(
    server: Any, replies: Any, connect: Any, date: str | None, seconds: float | None
) -> None:
    server.says(replies.answer(200, {}, **({"Date": date} if date else {})))
    assert connect().server_time() == seconds


def test_a_server_that_refuses_does_not_tell_the_time(server: Any, replies: Any, connect: Any) -> None:
    server.says(replies.status(403, "Forbidden", "no"))
    with pytest.raises(errors.Forbidden, match="GET /version"):
        connect().server_time()


def test_the_clock_is_asked_with_renewed_credentials(server: Any, replies: Any, connect: Any) -> None:
    renewed = Credentials(server.url, token="new")
    server.says(replies.status(401), replies.answer(200, {}, Date="Tue, 14 Nov 2023 22:13:20 GMT"))
    assert connect(credentials={"token": "old", "refresh": lambda: renewed}).server_time() == 1_700_000_000.0
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer old", "Bearer new"]
