# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real etcd is asked for its members, its status and its alarms, and gives its data."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import urllib3
from ports import free_ports

from ansible_collections.configok.node.plugins.module_utils._agent._etcd_gateway import (
    EtcdError,
    EtcdGateway,
)
from support.api.binaries import Unavailable, find
from support.session.unavailable import leave_out

GATEWAY = EtcdGateway("", "", "")


class Etcd:
    """A member, by the flags of its manifest, with a quota of 64 MiB."""

    def __init__(self, directory: Path, name: str = "n1") -> None:
        try:
            self._program = find("etcd")
        except Unavailable as problem:
            leave_out(problem)
        self.directory = directory
        self.name = name
        self.url, self.peer = (f"http://127.0.0.1:{port}" for port in free_ports(2))

    @property
    def entry(self) -> str:
        """The member in the list of all members."""
        return f"{self.name}={self.peer}"

    @contextmanager
    def running(self, cluster: str = "") -> Iterator[str]:
        """Run it until the end of the block; yield its URL. cluster: the list of all members, by default it alone."""
        flags = [
            f"--name={self.name}",
            f"--data-dir={self.directory}",
            f"--listen-client-urls={self.url}",
            f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls={self.peer}",
            f"--initial-advertise-peer-urls={self.peer}",
            f"--initial-cluster={cluster or self.entry}",
            f"--quota-backend-bytes={64 << 20}",
        ]
        words = [str(self._program), *flags]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                yield self.url
            finally:
                process.terminate()

    def wait(self) -> None:
        """Wait until it can read what the members agree on."""
        retries = urllib3.Retry(100, backoff_factor=0.1, backoff_max=0.5, status_forcelist=[503])
        urllib3.PoolManager().request("GET", f"{self.url}/health", retries=retries)

    def restore(self, snapshot: Path, cluster: str) -> None:
        """Restore a snapshot with the words of the runbook."""
        words = [
            *("snapshot", "restore", str(snapshot), f"--data-dir={self.directory}", f"--name={self.name}"),
            *(f"--initial-advertise-peer-urls={self.peer}", f"--initial-cluster={cluster}"),
        ]
        subprocess.run([str(find("etcdctl")), *words], check=True, capture_output=True, env={"ETCDCTL_API": "3"})


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of one member."""
    etcd = Etcd(tmp_path_factory.mktemp("etcd"))
    with etcd.running() as url:
        etcd.wait()
        yield url


def ask(url: str, path: str, **body: bytes) -> bytes:
    fields = {name: base64.b64encode(value).decode() for name, value in body.items()}
    return urllib3.PoolManager().request("POST", f"{url}{path}", body=json.dumps(fields).encode()).data


def put(url: str, value: bytes) -> bytes:
    return ask(url, "/v3/kv/put", key=b"key", value=value)


def test_the_members_and_what_one_says_of_itself(url: str) -> None:
    (member,) = GATEWAY.members(url)
    own, status = GATEWAY.status(url)
    assert (member.id, member.name, member.urls, member.is_learner) == (own, "n1", (url,), False)
    assert (status.leader, status.problem) == (own, "")
    assert status.last_entry > 0
    assert status.size > 0


def test_a_snapshot_is_the_data_with_their_hash(url: str, tmp_path: Path) -> None:
    value = b"0123456789abcdef" * 65536
    put(url, value)
    stream = io.BytesIO()
    GATEWAY.snapshot(url, stream)
    saved = stream.getvalue()
    assert len(saved) % 512 == 32
    assert value in saved


def saved(etcd: Etcd, file: Path) -> Path:
    """Save a snapshot of a member with one key, which has another value later."""
    with etcd.running() as url:
        etcd.wait()
        put(url, b"before")
        with file.open("wb") as stream:
            GATEWAY.snapshot(url, stream)
        put(url, b"after")
    return file


def test_a_snapshot_of_the_agent_is_restored(tmp_path: Path) -> None:
    etcd = Etcd(tmp_path / "data")
    snapshot = saved(etcd, tmp_path / "etcd.db")
    etcd.directory.rename(tmp_path / "data.damaged")
    etcd.restore(snapshot, etcd.entry)
    with etcd.running() as url:
        etcd.wait()
        assert base64.b64encode(b"before") in ask(url, "/v3/kv/range", key=b"key")
        assert GATEWAY.members(url)[0].name == "n1"


def test_a_snapshot_is_restored_on_three_members(tmp_path: Path) -> None:
    """With one list of all members, which none of their manifests has if they joined one after the other."""
    snapshot = saved(Etcd(tmp_path / "data"), tmp_path / "etcd.db")
    members = [Etcd(tmp_path / name, name) for name in ("n1", "n2", "n3")]
    cluster = ",".join(member.entry for member in members)
    with ExitStack() as stack:
        for member in members:
            member.restore(snapshot, cluster)
            stack.enter_context(member.running())  # with the list of a first node
        for member in members:
            member.wait()
            assert base64.b64encode(b"before") in ask(member.url, "/v3/kv/range", key=b"key")
        assert {member.name for member in GATEWAY.members(members[0].url)} == {"n1", "n2", "n3"}
        assert len({GATEWAY.status(member.url)[1].leader for member in members}) == 1


def test_an_alarm_is_seen(url: str) -> None:
    assert GATEWAY.alarms(url) == ()
    while b"exceeded" not in put(url, b"x" * 1000000):
        pass
    assert GATEWAY.alarms(url) == ("NOSPACE",)


def test_a_server_that_is_not_etcd_or_is_not_there_gives_one_sentence(url: str) -> None:
    (port,) = free_ports(1)
    with pytest.raises(EtcdError, match=re.escape(f"http://127.0.0.1:{port}: connection refused")):
        GATEWAY.status(f"http://127.0.0.1:{port}")
    with pytest.raises(EtcdError, match=r"https://127\.0\.0\.1:[0-9]+: the CA /nowhere cannot be used"):
        EtcdGateway("/nowhere", "/nowhere", "/nowhere").status(url.replace("http:", "https:"))
