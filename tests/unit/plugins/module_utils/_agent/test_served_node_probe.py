# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server that refuses its own node is not healthy, although it says that it is ready."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._instance_client import InstanceClients
from ansible_collections.configok.node.plugins.module_utils._agent._served_node_probe import ServedNodeProbe
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, Unauthorized
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials

URL = "https://10.0.0.1:6443/readyz"


class Instance:
    """An API server as its clients see it."""

    def __init__(self) -> None:
        self.servers: list[Credentials] = []
        self.refused: dict[str, Exception] = {}
        self.asked: list[tuple[str, str, bool]] = []

    def client(self, credentials: Credentials) -> Instance:
        self.servers.append(credentials)
        return self

    def get(self, path: str, **_options: Any) -> dict[str, Any]:
        return self._answer("GET", path, dry_run=True)

    def patch(self, path: str, _body: Any, *, dry_run: bool, **_options: Any) -> dict[str, Any]:
        return self._answer("PATCH", path, dry_run=dry_run)

    def _answer(self, verb: str, path: str, *, dry_run: bool) -> dict[str, Any]:
        self.asked.append((verb, path, dry_run))
        if verb in self.refused:
            raise self.refused[verb]
        return {}


@pytest.fixture
def instance() -> Instance:
    return Instance()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path), now=lambda: "now")


def new_probe(instance: Instance, store: Store) -> ServedNodeProbe:
    """Return the probe of an agent that was just started."""
    credentials = Credentials("https://balancer", source="/k", refresh=lambda: Credentials("https://balancer"))
    return ServedNodeProbe("n1", InstanceClients(credentials, instance.client), store)


@pytest.fixture
def probe(instance: Instance, store: Store) -> ServedNodeProbe:
    return new_probe(instance, store)


def test_the_instance_is_asked_and_not_the_load_balancer(instance: Instance, probe: ServedNodeProbe) -> None:
    assert probe(URL) is None
    assert probe(URL) is None
    (asked,) = instance.servers
    assert (asked.server, asked.source, asked.refresh) == ("https://10.0.0.1:6443", None, None)
    assert instance.asked[:2] == [("GET", "/api/v1/nodes/n1", True), ("PATCH", "/api/v1/nodes/n1/status", True)]


@pytest.mark.parametrize(("verb", "error"), [("GET", Unauthorized("no")), ("PATCH", Forbidden("no"))])
def test_what_worked_before_must_work(instance: Instance, probe: ServedNodeProbe, verb: str, error: Exception) -> None:
    assert probe(URL) is None
    instance.refused[verb] = error
    for _probe in range(2):
        result = probe(URL)
        assert result is not None
        assert not result.ok
        assert verb in result.detail
        assert "worked before, and fails now: no" in result.detail
    del instance.refused[verb]
    assert probe(URL) is None


def test_what_has_never_worked_is_not_judged(instance: Instance, probe: ServedNodeProbe) -> None:
    """A node may have no right to patch."""
    instance.refused["PATCH"] = Forbidden("no")
    assert probe(URL) is None
    assert probe(URL) is None


def test_an_agent_that_is_started_during_a_trial_knows_what_worked_before(
    instance: Instance, probe: ServedNodeProbe, store: Store
) -> None:
    instance.refused["PATCH"] = Forbidden("no")
    assert probe(URL) is None
    instance.refused = {"GET": Unauthorized("no"), "PATCH": Forbidden("no")}
    result = new_probe(instance, store)(URL)
    assert result is not None
    assert result.detail == "the GET of its Node worked before, and fails now: no"


def test_what_works_is_written_once(
    instance: Instance, probe: ServedNodeProbe, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    probe(URL)
    path = Path(store.files.path("components/kube-apiserver/served.json"))
    path.unlink()
    probe(URL)
    assert not path.exists()
    path.parent.rmdir()
    path.parent.write_text("a file")
    assert new_probe(instance, store)(URL) is None, "what cannot be written is expected by this agent alone"
    assert "what the API server serves was not recorded" in caplog.text


def test_what_has_failed_once_is_still_what_worked_before(instance: Instance, probe: ServedNodeProbe) -> None:
    """A crash, or another manifest between two failures, changes nothing of what is expected."""
    probe(URL)
    instance.refused["GET"] = Unauthorized("no")
    assert all(probe(URL) is not None for _probe in range(3))
