# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source for ansible-rulebook: its options, its errors, and how it ends."""

from __future__ import annotations

import asyncio
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from support.api.fleet_by_hand import FleetByHand
from support.api.servers import Embedded, start_embedded

SOURCE = Path(__file__).resolve().parents[3] / "extensions/eda/plugins/event_source/nodes.py"
PAGE = SOURCE.parents[4] / "docs/events.md"
PLUGIN = runpy.run_path(str(SOURCE))


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Embedded]:
    server = start_embedded(tmp_path)
    yield server
    server.stop()


def run(args: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the source until its first event, then cancel it as ansible-rulebook does; return its events."""

    async def first() -> list[dict[str, Any]]:
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        source = asyncio.create_task(PLUGIN["main"](queue, args))
        event = asyncio.create_task(queue.get())
        await asyncio.wait((source, event), return_when=asyncio.FIRST_COMPLETED)
        source.cancel()
        event.cancel()
        try:
            await source
        except asyncio.CancelledError:
            return [event.result(), *(queue.get_nowait() for _more in range(queue.qsize()))]
        return []

    return asyncio.run(first())


def test_events_are_plain_dictionaries_and_the_source_can_be_cancelled(api: Embedded) -> None:
    with api.client() as client:
        fail_a_node(client)
    [event] = run({"kubeconfig": api.admin_kubeconfig, "cluster": "east", "eda_feedback_queue": object()})
    assert (event["kind"], event["node"], event["cluster"]) == ("config_failed", "workers-n1", "east")


def fail_a_node(client: Client) -> None:
    fleet = FleetByHand(client, "workers")
    fleet.report(fleet.add("n1"), "False")


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({"kubecfg": "x"}, "kubecfg: no such option; there are api_key"),
        ({"quiet": "soon"}, "quiet"),
        ({"silent_after": -1}, "silent_after is -1.0: it is a number of seconds from 0 on"),
        ({"quiet": "nan"}, "quiet is nan"),
        ({"kubeconfig": "/nonexistent"}, "/nonexistent"),
    ],
)
def test_what_the_source_cannot_use_is_one_sentence(args: dict[str, Any], problem: str) -> None:
    with pytest.raises(PLUGIN["SourceError"]) as caught:
        run(args)
    assert problem in str(caught.value)
    assert str(caught.value).startswith("configok.node.nodes: ")
    assert "\n" not in str(caught.value)


def test_every_option_is_documented() -> None:
    documented = yaml.safe_load(PLUGIN["DOCUMENTATION"])["options"]
    assert {name: (option["type"], option.get("default")) for name, option in documented.items()} == {
        name: (option["type"].replace("path", "str"), option.get("default", True if name == "validate_certs" else None))
        for name, option in PLUGIN["_SPEC"].items()
    }
    table = PAGE.read_text().split("## Options")[1]
    assert [name for name in documented if f"`{name}`" not in table] == []


def test_every_kind_of_event_is_on_the_page() -> None:
    kinds = PLUGIN["EventStream"].__module__.rpartition(".")[0] + ".event"
    names = [kind.value for kind in __import__(kinds, fromlist=["Kind"]).Kind]
    assert [name for name in names if f"`{name}`" not in PAGE.read_text()] == []
