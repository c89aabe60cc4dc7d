# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The health of one component, from probe to probe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._agent._state.health import (
    Health,
    HealthyTime,
    ProbeResult,
    after_probe,
    has_failed,
    healthy_time,
    is_healthy,
    new_health,
    next_probe_in,
)
from support.fuzz.settings import fuzz


def see(health: Health, now: float, ok: bool, invocation: str = "i1") -> Health:
    return after_probe(health, ProbeResult(ok, "" if ok else "refused"), invocation=invocation, now=now, settling=0.5)


def test_a_final_failure_needs_no_other() -> None:
    refused = ProbeResult(False, "it refuses the file", is_final=True)
    health = after_probe(new_health(0.0), refused, invocation="i1", now=1.0, settling=0.5)
    assert has_failed(health, now=1.0, timeout=300.0, threshold=3)
    assert not has_failed(see(health, 2.0, False), now=2.0, timeout=300.0, threshold=3), "what is seen last counts"


@pytest.mark.contract("probe.settling")
def test_healthy_means_ok_for_the_settling_time() -> None:
    health = see(new_health(0.0), 1.0, True)
    assert not is_healthy(health)
    assert next_probe_in(health, now=1.0, settling=0.5, interval=10.0) == 0.5
    assert is_healthy(see(health, 1.5, True))
    assert not is_healthy(see(see(health, 1.2, False), 1.5, True))


@pytest.mark.contract("probe.health-timeout")
def test_a_component_that_is_never_healthy_fails_by_time_not_by_probes() -> None:
    health = new_health(0.0)
    for now in range(100):
        health = see(health, float(now), False)
        assert not has_failed(health, now=float(now), timeout=120.0, threshold=3)
    assert has_failed(health, now=120.0, timeout=120.0, threshold=3)


@pytest.mark.contract("probe.unhealthy-threshold")
def test_a_component_that_was_healthy_fails_by_consecutive_probes() -> None:
    health = see(see(new_health(0.0), 1.0, True), 2.0, True)
    health = see(see(health, 12.0, False), 22.0, False)
    assert not has_failed(health, now=22.0, timeout=120.0, threshold=3)
    assert has_failed(see(health, 32.0, False), now=32.0, timeout=120.0, threshold=3)
    well = see(see(health, 32.0, True), 33.0, True)
    assert not has_failed(see(well, 43.0, False), now=43.0, timeout=120.0, threshold=3)


def test_another_invocation_has_to_prove_itself() -> None:
    health = see(see(new_health(0.0), 1.0, True), 2.0, True)
    assert not is_healthy(see(health, 3.0, True, "i2"))
    restarted = see(health, 3.0, False, "i2")
    assert restarted.failures == 0


@pytest.mark.contract("trial.sums-health")
def test_only_seconds_of_one_healthy_invocation_count() -> None:
    well = see(see(new_health(0.0), 1.0, True), 2.0, True)
    later = see(well, 12.0, True)
    begun, seconds = healthy_time(HealthyTime(), {"a": well}, limit=20.0)
    assert (begun.until, seconds) == (2.0, 0.0)
    assert healthy_time(begun, {"a": later}, limit=20.0) == (HealthyTime(12.0, {"a": "i1"}), 10.0)
    assert healthy_time(begun, {"a": later}, limit=5.0)[1] == 5.0
    crashed = see(see(later, 13.0, True, "i2"), 14.0, True, "i2")
    assert healthy_time(begun, {"a": crashed}, limit=20.0) == (HealthyTime(14.0, {"a": "i2"}), 0.0)
    assert healthy_time(begun, {"a": see(later, 13.0, False)}, limit=20.0) == (HealthyTime(), 0.0)
    assert healthy_time(begun, {}, limit=20.0) == (HealthyTime(), 0.0)


def test_seconds_count_in_which_all_components_are_healthy_whenever_each_is_probed() -> None:
    def well(*times: float) -> Health:
        health = new_health(0.0)
        for now in times:
            health = see(health, now, True)
        return health

    time, total = HealthyTime(), 0.0
    for a, b in [((1, 2), (3, 4)), ((1, 2, 12), (3, 4)), ((1, 2, 12), (3, 4, 13)), ((1, 2, 12, 22), (3, 4, 13))]:
        time, seconds = healthy_time(time, {"a": well(*a), "b": well(*b)}, limit=20.0)
        total += seconds
    assert (time.until, total) == (13.0, 9.0), "since both are healthy, at 4"


@fuzz(100)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["i1", "i2"]), st.floats(0.01, 30.0)), max_size=40))
def test_counted_seconds_never_exceed_the_time_that_passed(looks: list[tuple[bool, str, float]]) -> None:
    health, now, counted = new_health(0.0), 0.0, 0.0
    time = HealthyTime()
    for ok, invocation, pause in looks:
        now += pause
        health = see(health, now, ok, invocation)
        time, seconds = healthy_time(time, {"a": health}, limit=1000.0)
        counted += seconds
        assert next_probe_in(health, now=now, settling=0.5, interval=10.0) > 0
        assert is_healthy(health) <= ok
    assert counted <= now + 1e-6
