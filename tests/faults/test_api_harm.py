# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API misbehaves in each phase: the real agent completes the change, reports the truth, and restarts nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, pack
from faults.invariants import Condition, Expected
from faults.ledger import Ledger
from faults.process_node import DEADLY, ProcessNode
from support.agents.node import COLLECTION
from support.api.fault_proxy import FaultProxy, Harm, Rule
from support.api.servers import Embedded

pytestmark = pytest.mark.quick
WHERE = "real processes"
LASTS = 2.0
THRESHOLD = 1

HARMS = {
    "API away": Harm("refuse"),
    "API hangs": Harm("hang"),
    "API slow": Harm("slow"),
    "API answers 401": Harm("status", 401),
    "API answers 403": Harm("status", 403),
    "API answers 409": Harm("status", 409),
    "API answers 410": Harm("status", 410),
    "API answers 429 with Retry-After": Harm("status", 429, "1"),
    "API answers 500": Harm("status", 500),
    "half a body": Harm("half"),
    "garbage instead of JSON": Harm("garbage"),
    "an answer of 64 MB": Harm("large"),
}


class Phase(NamedTuple):
    """The request with which a phase begins. to: the name of the assigned config."""

    to: str
    begins: Callable[[str, str, str], bool]


def _patch_with(words: str) -> Callable[[str, str, str], bool]:
    def begins(method: str, _path: str, body: str) -> bool:
        return method == "PATCH" and words in body

    return begins


PHASES = {
    "before": Phase("next", lambda _method, _path, _body: True),
    "fetching": Phase("next", lambda method, path, _body: method == "GET" and "/configmaps/" in path),
    "adopting": Phase("next", _patch_with("adopting (UID")),
    "trial": Phase("next", _patch_with("all checks passed")),
    "rolled back": Phase("deadly", _patch_with("using last-known-good (UID")),
}


@pytest.fixture
def proxied(tmp_path: Path, embedded_api: Embedded) -> Iterator[tuple[ProcessNode, FaultProxy]]:
    """A node on "good"; its agent uses the API through the proxy, its kubelet does not."""
    archive = tmp_path / ARCHIVE
    archive.write_bytes(pack(COLLECTION))
    kubeconfig = embedded_api.node_kubeconfig("n1")
    proxy = FaultProxy(kubeconfig, str(tmp_path / "proxy.kubeconfig"))
    node = ProcessNode.prepared(tmp_path / "n1", archive, embedded_api.client(), kubeconfig, proxy.kubeconfig)
    try:
        node.until_condition(Condition("True", "using current (init)"))
        node.assign(node.publish("next", trial=Trial(0.1, THRESHOLD)))
        node.until("the end of the trial", lambda: node.last_known_good() == "next")
        yield node, proxy
    finally:
        node.remove()
        proxy.stop()


def expected(to: str) -> Expected:
    """Return the expectation after the assignment of "next" or "deadly"."""
    crashes = to == "deadly"
    rolled_back = Condition("False", "using last-known-good (UID: good)")
    adopted = Condition("True", "using current (UID: next)")
    needed = THRESHOLD + 2 if crashes else 1
    return Expected(
        valid=frozenset({"good", to}),
        runs=frozenset({"good" if crashes else to}),
        good=frozenset({"good" if crashes else to}),
        starts=(needed, needed),
        conditions=frozenset({rolled_back if crashes else adopted}),
        doomed=frozenset({"deadly"}) if crashes else frozenset(),
        doomed_starts=THRESHOLD + 1 if crashes else 0,
    )


@pytest.mark.parametrize("phase", PHASES)
def test_the_api_does_harm(ledger: Ledger, proxied: tuple[ProcessNode, FaultProxy], every: int, phase: str) -> None:
    """The API misbehaves for two seconds, from a request of each phase on."""
    node, proxy = proxied
    to, begins = PHASES[phase]
    stride = min(every, 6)
    for harm in list(HARMS)[list(PHASES).index(phase) % stride :: stride]:
        with ledger.case(WHERE, harm, phase) as case:
            _settle(node, to)
            node.begin()
            source = _publish(node, to)
            proxy.rule = rule = Rule(HARMS[harm], partial(_begins_with, source.uid, begins), LASTS)
            if phase == "before":
                proxy.cut()
            node.assign(source)
            node.until("the harm is over", rule.is_over)
            [condition] = expected(to).conditions
            node.until_condition(condition)
            node.until("last-known-good", lambda: node.last_known_good() in expected(to).good)
            case.check(expected(to), node.observe())
            case.holds("I5", bool(rule.hits), "no request was harmed: the case proves nothing")
        proxy.rule = None


def _settle(node: ProcessNode, to: str) -> None:
    """Name the running config "good" from here on, and the others "old"."""
    node.rename("deadly", "older")
    if to != "deadly" or "good" not in node.uids.values():
        node.rename("good", "older")
        node.rename("next", "good")


def _publish(node: ProcessNode, to: str) -> ConfigSource:
    if to == "deadly":
        return node.publish("deadly", trial=Trial(60, THRESHOLD), **DEADLY)
    return node.publish("next", trial=Trial(0.1, THRESHOLD))


def _begins_with(uid: str, begins: Callable[[str, str, str], bool], method: str, path: str, body: str) -> bool:
    """Return whether the request belongs to this assignment, not to the previous one."""
    return begins(method, path, body) and (method != "PATCH" or uid in body)


def test_retry_after_is_obeyed(ledger: Ledger, proxied: tuple[ProcessNode, FaultProxy]) -> None:
    """The time between a 429 and the next request for the same object is measured."""
    node, proxy = proxied
    asked = 4.0
    with ledger.case(WHERE, "API answers 429 with Retry-After", "fetching", "of 4 s") as case:
        _settle(node, "next")
        node.begin()
        proxy.rule = rule = Rule(Harm("status", 429, f"{asked:g}"), PHASES["fetching"].begins, asked - 0.2)
        node.assign(_publish(node, "next"))
        node.until_condition(Condition("True", "using current (UID: next)"))
        node.until("last-known-good", lambda: node.last_known_good() == "next")
        case.check(expected("next"), node.observe())
        fetches = [at for at, what in proxy.seen if at > rule.hits[0][0] and "/configmaps/" in what]
        ledger.figure("seconds waited after Retry-After: 4", fetches[0] - rule.hits[0][0], "s", least=asked)
