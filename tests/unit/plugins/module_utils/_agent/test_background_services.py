# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service manager in the background: nobody waits long for it, and no answer is taken for another question's."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._components import UnitQueries
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import ServiceManagerError
from ansible_collections.configok.node.plugins.module_utils._agent._state._health import Unit
from support.agents.background import ErrandOnTheBench, Hangs


class Services:
    """A service manager that hangs while it is told to; restarts: those that it took up."""

    def __init__(self) -> None:
        self.hangs = False
        self.refuses = False
        self.restarts: list[str] = []

    def unit(self, component: str) -> Unit:
        self._answer()
        return Unit(f"{component}.service", "active")

    def restart(self, component: str) -> None:
        self._answer()
        self.restarts.append(component)

    def _answer(self) -> None:
        if self.hangs:
            raise Hangs
        if self.refuses:
            raise ServiceManagerError("refused")


def bench() -> tuple[Services, UnitQueries, list[float]]:
    services, waited = Services(), list[float]()
    return services, UnitQueries(services, ["kubelet"], lambda: ErrandOnTheBench(waited.append)), waited


def test_an_answer_in_time_is_passed_on() -> None:
    services, background, waited = bench()
    assert background.unit("kubelet").state == "active"
    background.restart("kubelet")
    assert (services.restarts, waited) == (["kubelet"], [])
    services.refuses = True
    for call in (background.unit, background.restart):
        with pytest.raises(ServiceManagerError, match="refused"):
            call("kubelet")


def test_a_late_answer_about_a_unit_is_still_one() -> None:
    services, background, waited = bench()
    services.hangs = True
    with pytest.raises(ServiceManagerError, match="not answered about kubelet yet"):
        background.unit("kubelet")
    assert waited == [1.0]
    services.hangs = False
    assert background.unit("kubelet").state == "active"


@pytest.mark.parametrize("refuses", [False, True], ids=["was taken up", "was refused"])
def test_the_end_of_a_late_restart_is_not_taken_for_the_next_one(refuses: bool) -> None:
    services, background, _waited = bench()
    services.hangs = True
    with pytest.raises(ServiceManagerError, match="not answered about kubelet yet"):
        background.restart("kubelet")
    services.hangs, services.refuses = False, refuses
    background._restarts["kubelet"].wait(0.0)  # it ends, and nobody looks
    services.restarts.clear()
    services.refuses = False
    background.restart("kubelet")
    assert services.restarts == ["kubelet"]


def test_a_restart_that_hangs_is_not_asked_for_twice() -> None:
    services, background, waited = bench()
    services.hangs = True
    for _time in range(2):
        with pytest.raises(ServiceManagerError, match="not answered about kubelet yet"):
            background.restart("kubelet")
    assert max(waited) == 1.0
