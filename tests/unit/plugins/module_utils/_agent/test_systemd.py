# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The states that systemctl reports; outputs as systemd 252 writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult, ServiceManagerError
from ansible_collections.configok.node.plugins.module_utils._agent._service_managers import (
    PROPERTIES,
    Systemd,
    parse_unit,
)

ACTIVE = """\
Restart=always
MainPID=1327
Result=success
ActiveState=active
SubState=running
LoadState=loaded
UnitFileState=enabled
ActiveEnterTimestampMonotonic=98217433
InvocationID=3c6b1f8f6b6f4a6e9d6bb38ab8f27e5e
"""


def show(**changes: str) -> str:
    properties = dict(line.split("=", 1) for line in ACTIVE.splitlines())
    properties.update(changes)
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def test_an_active_unit_is_parsed() -> None:
    unit = parse_unit("kubelet.service", ACTIVE, asleep=2.0)
    assert unit.state == "active"
    assert unit.invocation == "3c6b1f8f6b6f4a6e9d6bb38ab8f27e5e"
    assert unit.pid == 1327
    assert unit.active_since == pytest.approx(100.217433)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"ActiveState": "reloading", "SubState": "reload"}, "active"),
        ({"ActiveState": "activating", "SubState": "start-pre", "MainPID": "0"}, "starting"),
        ({"ActiveState": "activating", "SubState": "auto-restart", "Result": "exit-code"}, "starting"),
        ({"ActiveState": "deactivating", "SubState": "stop-sigterm"}, "starting"),
        ({"ActiveState": "inactive", "SubState": "dead"}, "stopped"),
        ({"ActiveState": "inactive", "SubState": "dead", "Job": "4711"}, "starting"),
        # Stopped by an administrator, with a failing exit code.
        ({"ActiveState": "failed", "SubState": "failed", "Result": "exit-code"}, "stopped"),
        ({"ActiveState": "failed", "SubState": "failed", "Result": "start-limit-hit"}, "failed"),
        ({"ActiveState": "failed", "SubState": "failed", "Result": "exit-code", "Restart": "no"}, "failed"),
        ({"ActiveState": "inactive", "LoadState": "masked", "UnitFileState": "masked"}, "masked"),
        ({"LoadState": "masked", "UnitFileState": "masked-runtime"}, "masked"),
        ({"ActiveState": "inactive", "LoadState": "not-found", "UnitFileState": ""}, "missing"),
    ],
)
def test_the_states_of_systemd_are_reduced_to_ours(changes: Mapping[str, str], state: str) -> None:
    unit = parse_unit("kubelet.service", show(**changes))
    assert unit.state == state
    assert (unit.active_since is not None) == (state == "active")


def test_an_answer_without_a_state_is_an_error() -> None:
    with pytest.raises(ServiceManagerError, match=r"kubelet\.service"):
        parse_unit("kubelet.service", "")


class Recorded:
    """A command runner that answers `show` with a text, and records all calls."""

    def __init__(self, text: str, error: str = "") -> None:
        self.text = text
        self.error = error
        self.calls: list[tuple[str, ...]] = []

    def __call__(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        assert argv[:3] == ("systemctl", "--no-pager", "--no-ask-password")
        self.calls.append(tuple(argv[3:]))
        if self.error:
            return CommandResult(1, "", self.error)
        return CommandResult(0, self.text if argv[3] == "show" else "", "")


def test_unit_asks_for_all_properties_of_the_components_unit() -> None:
    runner = Recorded(ACTIVE)
    assert Systemd({"kubelet": "k.service"}, runner).unit("kubelet").name == "k.service"
    assert runner.calls == [("show", "--property=" + ",".join(PROPERTIES), "--", "k.service")]


@pytest.mark.contract("restart.no-block", "adopt.stopped-unit")
@pytest.mark.parametrize(
    ("text", "verb"),
    [
        (ACTIVE, "try-restart"),
        (show(ActiveState="inactive"), "try-restart"),  # it does nothing to an inactive unit
        (show(ActiveState="failed", Result="start-limit-hit"), "restart"),
    ],
)
def test_restart_never_waits_and_never_starts_what_was_stopped(text: str, verb: str) -> None:
    runner = Recorded(text)
    Systemd({"kubelet": "kubelet.service"}, runner).restart("kubelet")
    assert runner.calls[-1] == (verb, "--no-block", "--", "kubelet.service")


def test_a_refusal_of_systemctl_is_reported_in_one_sentence() -> None:
    runner = Recorded("", error="Failed to get properties: Connection timed out\n")
    with pytest.raises(ServiceManagerError) as caught:
        Systemd({"kubelet": "kubelet.service"}, runner).unit("kubelet")
    assert str(caught.value) == (
        "systemctl show kubelet.service failed: Failed to get properties: Connection timed out"
    )


@pytest.mark.contract("adopt.shutdown")
@pytest.mark.parametrize("active", ["inactive", "failed", "deactivating"])
def test_while_the_system_shuts_down_nothing_is_known(active: str) -> None:
    class ShuttingDown(Recorded):
        state = "stopping"

        def __call__(self, argv: Sequence[str], **options: Any) -> CommandResult:
            result = super().__call__(argv, **options)
            return CommandResult(0, f"SystemState={self.state}\n", "") if "--property=SystemState" in argv else result

    runner = ShuttingDown(show(ActiveState=active))
    with pytest.raises(ServiceManagerError, match="the system shuts down"):
        Systemd({"kubelet": "kubelet.service"}, runner).unit("kubelet")
    runner.state = "degraded"
    assert Systemd({"kubelet": "kubelet.service"}, runner).unit("kubelet").state != "active"
    runner.text = ACTIVE
    runner.calls.clear()
    assert Systemd({"kubelet": "kubelet.service"}, runner).unit("kubelet").state == "active"
    assert len(runner.calls) == 1  # nothing more is asked about a running unit


@pytest.mark.contract("adopt.no-reboot")
@pytest.mark.parametrize("active", ["active", "inactive", "failed", "activating", "deactivating"])
def test_systemd_is_asked_for_a_units_state_and_its_restart_and_for_nothing_else(active: str) -> None:
    runner = Recorded(show(ActiveState=active))
    systemd = Systemd({"kubelet": "kubelet.service"}, runner)
    systemd.unit("kubelet")
    systemd.restart("kubelet")
    assert {call[0] for call in runner.calls} <= {"show", "try-restart", "restart"}
    assert all(call[-1] == "kubelet.service" for call in runner.calls if call[0] != "show")
