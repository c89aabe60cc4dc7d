# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any kubeconfig, and any reply of an API server or a proxy, is read, or refused by an error of our own."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._kube import api_client, watch
from ansible_collections.configok.node.plugins.module_utils._kube._retry_after import parse_retry_after
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    CredentialsError,
    KubeError,
    Unreachable,
    error_for,
)
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from support.fuzz.hostile import TEXTS, damaged, json_texts, parse_twice
from support.fuzz.settings import fuzz

SECRET = "s3cret-t0ken"
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "default",
    "clusters": [{"name": "c", "cluster": {"server": "https://h:6443", "certificate-authority-data": "QQ=="}}],
    "users": [{"name": "u", "user": {"client-certificate": "pki/c.pem", "client-key": "pki/c.pem", "token": SECRET}}],
    "contexts": [{"name": "default", "context": {"cluster": "c", "user": "u", "namespace": "n"}}],
}
STATUS = {
    "kind": "Status",
    "code": 409,
    "reason": "AlreadyExists",
    "message": "it is there",
    "details": {"retryAfterSeconds": 3, "causes": [{"field": "f", "message": "m", "reason": "r"}]},
}
EVENT = {"type": "MODIFIED", "object": {"metadata": {"name": "n1", "uid": "u", "resourceVersion": "7"}}}


@fuzz(100)
@given(json_texts(KUBECONFIG))
def test_kubeconfig(text: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "kubelet.conf"
        path.write_bytes(text[:4000].encode("utf-8", "surrogatepass"))
        outcome = parse_twice(from_kubeconfig, str(path), refused=CredentialsError)
    if outcome.error is None:
        assert outcome.value.server
    assert SECRET not in str(outcome.error)
    assert SECRET not in repr(outcome.value)


@fuzz(150)
@given(damaged(json.dumps(STATUS).encode()) | json_texts(STATUS), st.integers(100, 599))
def test_errors(body: bytes | str, status: int) -> None:
    data = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    error = parse_twice(lambda: error_for(status, data, where="GET nodes/n1")).value
    assert isinstance(error, KubeError)
    assert "nodes/n1" in str(error)
    assert len(str(error)) < 2000


@fuzz(150)
@given(damaged(json.dumps(EVENT).encode()) | json_texts(EVENT))
def test_answers_and_lines_of_a_watch(body: bytes | str) -> None:
    data = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    outcome = parse_twice(api_client._decode, data, "GET", "/api/v1/nodes/n1", refused=Unreachable)
    assert outcome.error is not None or isinstance(outcome.value, dict)
    line = parse_twice(watch._parse_event, data, "WATCH nodes", refused=Unreachable)
    assert line.error is not None or isinstance(line.value[1], dict)


@fuzz(150)
@given(TEXTS | st.integers().map(str), st.floats(0, 2e9))
def test_retry_after(value: Any, now: float) -> None:
    seconds = parse_twice(parse_retry_after, value, now).value
    assert seconds is None or seconds >= 0
