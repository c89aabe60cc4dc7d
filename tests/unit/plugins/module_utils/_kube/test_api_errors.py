# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_errors as errors
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (400, "BadRequest", errors.BadRequest),
        (401, "Unauthorized", errors.Unauthorized),
        (403, "Forbidden", errors.Forbidden),
        (404, "NotFound", errors.NotFound),
        (409, "AlreadyExists", errors.AlreadyExists),
        (409, "Conflict", errors.Conflict),
        (410, "Expired", errors.Gone),
        (413, "RequestEntityTooLarge", errors.TooLarge),
        (422, "Invalid", errors.Invalid),
        (429, "TooManyRequests", errors.TooManyRequests),
        (500, "InternalError", errors.ServerError),
        (501, "", errors.NotImplementedByServer),
        (503, "ServiceUnavailable", errors.ServerError),
        (406, "NotAcceptable", errors.KubeError),
        (301, "", errors.KubeError),
    ],
)
def test_each_status_has_its_type(code: int, reason: str, kind: type[errors.KubeError]) -> None:
    body = json.dumps({"kind": "Status", "code": code, "reason": reason, "message": "so it is"}).encode()
    error = errors.error_for(code, body, where="PATCH nodes/n1")
    assert error.__class__ is kind
    assert (error.status, error.reason, error.message, error.where) == (code, reason, "so it is", "PATCH nodes/n1")


def test_a_sentence_names_the_object() -> None:
    body = json.dumps({"reason": "NotFound", "message": 'nodes "n1" not found'}).encode()
    error = errors.error_for(404, body, where="PATCH nodes/n1")
    assert str(error) == 'PATCH nodes/n1: nodes "n1" not found (404 NotFound)'
    assert str(errors.Unreachable("no answer", where="GET nodes/n1")) == "GET nodes/n1: no answer"


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b'"text"', b"\xff\xfe", b'{"details": 3}', b'{"details": {"causes": 7}}']
)
def test_any_body_becomes_an_error(body: bytes) -> None:
    error = errors.error_for(502, body, where="GET nodes/n1")
    assert error.__class__ is errors.ServerError
    assert error.message


def test_a_page_of_a_proxy_is_cut_to_one_short_line() -> None:
    error = errors.error_for(502, b"<html>\n\n  <b>Bad</b>\x20gateway " + b"x" * 5000, where="GET nodes")
    assert error.message.startswith("<html> <b>Bad</b> gateway x")
    assert len(error.message) == 300
    assert error.message.endswith("...")


def test_details_tell_when_to_retry_and_why() -> None:
    details = {"retryAfterSeconds": 9, "causes": [{"reason": "DisruptionBudget"}, {"message": "x"}, 7]}
    body = json.dumps({"message": "no", "details": details}).encode()
    error = errors.error_for(429, body, where="POST pods/p/eviction in default")
    assert (error.retry_after, error.causes) == (9.0, ("DisruptionBudget", ""))
    assert errors.error_for(429, body, where="x", retry_after=2.0).retry_after == 2.0


def test_a_status_in_a_watch_has_its_own_code() -> None:
    gone = errors.error_of_status({"code": 410, "reason": "Expired", "message": "too old"}, where="WATCH nodes")
    assert gone.__class__ is errors.Gone
    assert errors.error_of_status({"code": "?"}, where="WATCH nodes").__class__ is errors.ServerError


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (paths.NODES, "nodes"),
        (paths.node("n1"), "nodes/n1"),
        (paths.node_status("n1") + "?dryRun=All", "nodes/n1/status"),
        (paths.namespace("configok-system"), "namespaces/configok-system"),
        (paths.config_map("configok-system", "pool-1a2b"), "configmaps/pool-1a2b in configok-system"),
        (paths.lease("kube-node-lease", "n1"), "leases/n1 in kube-node-lease"),
        (paths.cluster_role("configok:runner"), "clusterroles/configok:runner"),
        (paths.eviction("default", "p"), "pods/p/eviction in default"),
        ("/version", "/version"),
        ("/api", "/api"),
    ],
)
def test_a_path_has_a_human_readable_description(path: str, words: str) -> None:
    assert paths.describe(path) == words


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".", "..", "a?b", "a b", "a%2fb", "-a", "a\n", "a" * 254, "ä"])
def test_a_name_cannot_leave_its_place(name: str) -> None:
    with pytest.raises(errors.Invalid, match="is not a name"):
        paths.node(name)
    with pytest.raises(errors.Invalid):
        paths.config_map(name, "x")


def test_paths_are_those_of_the_api() -> None:
    assert paths.config_map("ns", "c") == "/api/v1/namespaces/ns/configmaps/c"
    assert paths.leases("ns") == "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
    assert paths.role_binding("ns", "b") == "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/rolebindings/b"


def test_errors_and_paths_are_cheap_to_import() -> None:
    """prestart has 150 ms in total."""
    code = (
        "import sys\n"
        f"from {errors.__package__} import api_errors, api_paths, credentials\n"
        "print(sorted({'ssl', 'socket', 'urllib3', 'yaml', 'email', 'urllib.parse', 'ansible'} & set(sys.modules)))"
    )
    where = str(Path(errors.__file__).parents[6])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {where!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
