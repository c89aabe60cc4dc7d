# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ancestor itself, if a comparison is useful: the same kubelet, on another node."""

from __future__ import annotations

import time
from typing import Any

import pytest

from support.conformance.ancestor import AncestorNode
from support.conformance.payloads import BOGUS, FAIL_PARSE, INVALID, document
from support.conformance.wait import Never, stays, until

LOAD_ERROR = "failed to load config"
VALIDATE_ERROR = "failed to validate config"


def _settle(node: AncestorNode, name: str) -> None:
    """Assign a good config, and set the clock back until it is last-known-good."""
    node.assign(name)
    node.until_active(name)
    node.trial_over()
    until("it is last-known-good", lambda: name in node.record("last-known-good"))


def test_an_invalid_config_costs_a_restart(ancestor: AncestorNode, case: Any) -> None:
    bad = ancestor.publish(INVALID)
    with case("E1", ancestor) as seen:
        ancestor.assign(bad)
        ancestor.until_error(VALIDATE_ERROR)
        assert seen.restarts >= 1
        seen.say("a restart of the kubelet to detect that a config does not validate")


def test_recover_to_last_known_good(ancestor: AncestorNode, case: Any) -> None:
    good, bad = ancestor.publish({"maxPods": 122}), ancestor.publish(text=FAIL_PARSE)
    with case("E2", ancestor) as seen:
        _settle(ancestor, good)
        before = ancestor.starts()
        ancestor.assign(bad)
        ancestor.until_error(LOAD_ERROR)
        assert ancestor.name_of("active") == good
        ancestor.assign(good)
        ancestor.until_active(good)
        assert ancestor.starts() - before == 2
        seen.say("2 restarts: one to detect that it does not parse, one to return")


def test_edits_in_place(ancestor: AncestorNode, case: Any) -> None:
    name = ancestor.publish({"maxPods": 126})
    with case("E6", ancestor) as seen:
        ancestor.assign(name)
        ancestor.until_active(name)
        before = ancestor.starts()
        ancestor.edit(name, {"data": {"kubelet": FAIL_PARSE}})
        ancestor.until_error(LOAD_ERROR)
        assert ancestor.starts() - before == 1
        seen.say("1 restart of every kubelet that uses the ConfigMap, to detect that it does not parse")


def test_an_edit_of_the_metadata(ancestor: AncestorNode, case: Any) -> None:
    name = ancestor.publish({"maxPods": 147})
    with case("F9", ancestor) as seen:
        ancestor.assign(name)
        ancestor.until_active(name)
        before = ancestor.starts()
        ancestor.edit(name, {"metadata": {"annotations": {"note": "1"}}})
        until("the kubelet is restarted", lambda: ancestor.starts() > before)
        seen.say("an annotation on the ConfigMap: 1 restart of every kubelet that uses it")


def test_errors_while_the_config_map_is_gone(ancestor: AncestorNode, case: Any) -> None:
    name = ancestor.publish({"maxPods": 130})
    with case("E9", ancestor) as seen:
        ancestor.assign(name)
        ancestor.until_active(name)
        ancestor.delete(name)
        ancestor.until_error("failed to sync: failed to download config")
        seen.say("an error as soon as the ConfigMap is gone")


@pytest.mark.parametrize("name", BOGUS)
def test_a_config_that_kills_becomes_last_known_good(ancestor: AncestorNode, case: Any, name: str) -> None:
    good = ancestor.publish({"maxPods": 133})
    _settle(ancestor, good)
    crashing = ancestor.publish(BOGUS[name])
    with case(f"F1 {name}", ancestor) as seen:
        ancestor.assign(crashing)
        until("it is the assigned one", lambda: crashing in ancestor.record("assigned"))

        def promoted() -> bool:
            ancestor.trial_over()
            time.sleep(0.5)
            return crashing in ancestor.record("last-known-good")

        try:
            until("it is promoted", promoted, 90)
        except Never:
            # A bad cipher suite crashes the kubelet so early that this is a race, which the crash loop wins in the end.
            assert seen.restarts >= 2
            seen.say("it keeps crashing; whether it is promoted is a race with the crash")
            return
        before = ancestor.starts()
        until("it keeps crashing", lambda: ancestor.starts() >= before + 2, 90)
        seen.say("becomes last-known-good, and keeps crashing: no rollback through the API")


def test_a_damaged_record(ancestor: AncestorNode, case: Any) -> None:
    name = ancestor.publish({"maxPods": 134})
    with case("F3", ancestor) as seen:
        ancestor.assign(name)
        ancestor.until_active(name)
        for record in ("assigned", "last-known-good"):
            ancestor.machine.write(f"/var/lib/kubelet/dynamic/store/meta/{record}", "damaged{")
        ancestor.machine.run(["systemctl", "restart", "kubelet"])
        before = ancestor.starts()
        until("it ends at every start", lambda: ancestor.starts() >= before + 2, 90)
        seen.say("the kubelet ends at every start, until the files on the node are removed")


def test_unassign_while_in_error(ancestor: AncestorNode, case: Any) -> None:
    with case("F4", ancestor) as seen:
        ancestor.assign("no-such-config-map")
        ancestor.until_error("failed to sync: failed to download config")
        ancestor.assign(None)
        stays("the error is still reported", lambda: "failed to sync" in str(ancestor.config().get("error")), 30)
        seen.say("30 s after it is unassigned, the error is still reported")


def test_unknown_fields(ancestor: AncestorNode, case: Any) -> None:
    name = ancestor.publish({"maxPodz": 110})
    with case("F14", ancestor) as seen:
        ancestor.assign(name)
        ancestor.until_active(name)
        seen.say("a misspelt field is accepted, with a warning in the log")


def test_feature_gates_leak(ancestor: AncestorNode, case: Any) -> None:
    local = "/var/lib/kubelet/config.yaml"
    original = ancestor.machine.read(local)
    values = {**ancestor.values, "featureGates": {"CustomCPUCFSQuotaPeriod": True}}
    try:
        ancestor.machine.write(local, document(values))
        ancestor.machine.run(["systemctl", "restart", "kubelet"])
        name = ancestor.publish({"cpuCFSQuotaPeriod": "50ms"})
        with case("F13", ancestor) as seen:
            ancestor.assign(name)
            ancestor.until_active(name)
            seen.say("a value that needs a feature gate is accepted, because the replaced file had turned the gate on")
    finally:
        ancestor.machine.write(local, original)


def test_a_unit_that_restarts_on_failure(ancestor: AncestorNode, case: Any) -> None:
    unit = "/etc/systemd/system/kubelet.service.d/99-on-failure.conf"
    name = ancestor.publish({"maxPods": 144})
    try:
        ancestor.machine.write(unit, "[Service]\nRestart=on-failure\n", mode=0o644)
        ancestor.machine.run(["systemctl", "daemon-reload"])
        with case("G10", ancestor) as seen:
            ancestor.assign(name)
            until("the kubelet has exited", lambda: _is_down(ancestor))
            stays("the kubelet stays down", lambda: _is_down(ancestor), 15)
            seen.say("with Restart=on-failure, a valid config stops the kubelet permanently: it exits with 0")
    finally:
        ancestor.machine.run(["rm", "-f", unit])
        ancestor.machine.run(["systemctl", "daemon-reload"])


def _is_down(node: AncestorNode) -> bool:
    return str(node.machine.run(["systemctl", "is-active", "kubelet"], check=False).stdout).strip() == "inactive"
