# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The confirmation: the agent says again, at the end of the soak, that the assigned config is good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._state.records import Confirmation
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from support.agents.bench import Bench

pytestmark = pytest.mark.usefixtures("no_fsync")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.run(5)
    return bench


def assign(bench: Bench, *, after: float, text: str = "maxPods: 120\n", trial: float = 600.0) -> ConfigSource:
    source = bench.publish(text, trial=Trial(trial, 3))
    bench.assign(source, confirm_after=after)
    return source


def until_true(bench: Bench, source: ConfigSource) -> float:
    """Run until ConfigOK is True for a source; return the seconds since boot."""
    for _step in range(1000):
        bench.run(0.1)
        if bench.words[:2] == ("True", f"using current (UID: {source.uid})"):
            return bench.clock.since_boot()
    raise AssertionError(f"it says {bench.words}")


def statuses(bench: Bench, since: int) -> list[tuple[str, bool]]:
    """Return the cause of each write since then, and whether it confirms."""
    texts = [patch["metadata"]["annotations"]["configok.dev/config-status"] for patch in bench.api.patches[since:]]
    return [(status.cause, bool(status.confirmed)) for status in map(ConfigStatus.parse, texts)]


@pytest.mark.contract("confirm.after-the-soak", "confirm.four-writes")
def test_the_assignment_is_confirmed_once_its_config_was_good_for_the_soak(bench: Bench) -> None:
    written = len(bench.api.patches)
    source = assign(bench, after=120.0, trial=60.0)
    until_true(bench, source)
    bench.run(119)
    assert bench.status.confirmed == 0
    bench.run(2)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    assert bench.status.confirmed == bench.status.assignment == 1
    bench.run(300)
    adopting, good, trial_ended, confirmed = statuses(bench, written)
    assert [adopting, good, trial_ended, confirmed] == [
        ("Adopting", False),
        ("Good", False),
        ("Good", False),
        ("Good", True),
    ]


@pytest.mark.contract("confirm.after-the-soak")
def test_without_a_soak_the_first_true_confirms(bench: Bench) -> None:
    written = len(bench.api.patches)
    until_true(bench, assign(bench, after=0.0))
    assert statuses(bench, written) == [("Adopting", False), ("Good", True)]


@pytest.mark.contract("confirm.after-the-soak")
def test_an_assignment_that_asks_for_none_is_not_confirmed(bench: Bench) -> None:
    source = bench.publish("maxPods: 120\n")
    bench.assign(source)
    bench.run(300)
    assert bench.status.confirmed == 0


@pytest.mark.contract("confirm.after-the-soak")
def test_what_the_node_uses_already_is_confirmed_without_a_restart(bench: Bench) -> None:
    source, starts = bench.good_node(), bench.starts()
    id = bench.assign(source, confirm_after=30.0)
    bench.run(29)
    assert (bench.status.assignment, bench.status.confirmed) == (id, 0)
    bench.run(3)
    assert bench.status.confirmed == id
    assert bench.starts() == starts
    id = bench.assign(None, confirm_after=30.0)
    bench.run(40)
    assert (bench.status.active, bench.status.confirmed) == (None, id)


@pytest.mark.contract("confirm.probes-again")
def test_a_component_that_hangs_at_the_end_of_the_soak_is_not_confirmed(bench: Bench) -> None:
    until_true(bench, assign(bench, after=60.0))
    bench.run(55)
    bench.processes["kubelet"].mood = "hangs"
    bench.run(20)
    assert bench.status.confirmed == 0


@pytest.mark.contract("confirm.begins-again")
def test_a_component_that_was_started_again_begins_its_soak_again(bench: Bench) -> None:
    until_true(bench, assign(bench, after=60.0))
    bench.run(40)
    bench.crash("kubelet")
    bench.run(50)
    assert (bench.words[0], bench.status.confirmed) == ("True", 0)
    bench.run(20)
    assert bench.status.confirmed == 1


@pytest.mark.contract("confirm.survives-a-restart")
def test_an_agent_that_is_restarted_counts_on(bench: Bench) -> None:
    until_true(bench, assign(bench, after=60.0))
    bench.run(20)
    bench.restart_agent()
    bench.run(20, agent=False)
    bench.run(15)
    assert bench.status.confirmed == 0
    bench.run(8)
    assert bench.status.confirmed == 1


@pytest.mark.contract("confirm.survives-a-restart")
def test_an_agent_that_was_away_at_the_end_of_the_soak_confirms_when_it_is_back(bench: Bench) -> None:
    until_true(bench, assign(bench, after=60.0))
    bench.run(300, agent=False)
    bench.daemon = bench.new_daemon()
    bench.run(3)
    assert bench.status.confirmed == 1


@pytest.mark.contract("confirm.begins-again")
def test_after_a_reboot_the_soak_begins_again(bench: Bench) -> None:
    until_true(bench, assign(bench, after=60.0))
    bench.run(50)
    bench.reboot()
    bench.run(50)
    assert bench.status.confirmed == 0
    bench.run(20)
    assert bench.status.confirmed == 1


@pytest.mark.contract("confirm.rereads-the-store")
def test_an_agent_that_was_frozen_while_its_node_rolled_back_confirms_nothing(bench: Bench) -> None:
    """The hooks roll back without the agent, which then reads its store before it says anything."""
    until_true(bench, assign(bench, after=60.0))
    for _crash in range(5):
        bench.run(2, agent=False)
        bench.crash("kubelet")
    bench.run(60, agent=False)
    assert "maxPods: 110" in bench.reads()
    written = len(bench.api.patches)
    bench.run(30)
    assert bench.words[:2] == ("False", "using last-known-good (init)")
    assert not any(confirms for _cause, confirms in statuses(bench, written))


@pytest.mark.contract("confirm.after-the-soak")
def test_a_confirmation_that_could_not_be_written_is_written_later(bench: Bench) -> None:
    until_true(bench, assign(bench, after=60.0))
    bench.api.down = Unreachable("no route to host")
    bench.run(100)
    bench.api.down = None
    bench.run(60)
    assert bench.status.confirmed == 1


@pytest.mark.contract("confirm.begins-again")
@pytest.mark.parametrize("trial", [5.0, 600.0])
def test_a_config_that_fails_within_the_soak_is_not_confirmed(bench: Bench, trial: float) -> None:
    until_true(bench, assign(bench, after=60.0, trial=trial))
    bench.run(20)
    bench.processes["kubelet"].mood, written = "sick", len(bench.api.patches)
    bench.run(35)
    bench.processes["kubelet"].mood = ""
    bench.run(30)
    assert {cause for cause, _confirms in statuses(bench, written)} & {"Failing", "NotHealthy"}
    assert bench.status.confirmed == 0


@pytest.mark.contract("confirm.four-writes")
@pytest.mark.parametrize("trial", [35.0, 59.0])
def test_a_trial_that_ends_shortly_before_is_reported_with_the_confirmation(bench: Bench, trial: float) -> None:
    written = len(bench.api.patches)
    source = assign(bench, after=60.0, trial=trial)
    bench.run(100)
    assert statuses(bench, written) == [("Adopting", False), ("Good", False), ("Good", True)]
    assert (bench.status.last_known_good, bench.status.in_trial) == (source, False)


def test_the_end_of_a_trial_does_not_wait_long_for_a_confirmation_that_does_not_come(bench: Bench) -> None:
    source = assign(bench, after=60.0, trial=50.0)
    bench.run(57)
    bench.crash("kubelet")
    bench.run(30)
    assert (bench.status.confirmed, bench.status.last_known_good) == (0, source)


def test_while_it_soaks_the_component_is_probed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    probes: list[float] = []
    probe = bench.probe

    def count(*arguments: Any) -> Any:
        probes.append(bench.clock.since_boot())
        return probe(*arguments)

    source = bench.good_node()
    monkeypatch.setattr(bench, "probe", count)
    bench.assign(source, confirm_after=60.0)
    bench.run(65)
    assert 5 <= len(probes) <= 10
    assert bench.status.confirmed
    probes.clear()
    bench.run(60)
    assert not probes


@pytest.mark.contract("confirm.begins-again")
def test_a_config_that_is_tried_again_confirms_its_assignment(bench: Bench) -> None:
    bench.good_node()
    bench.processes["kubelet"].mood = "sick"
    bench.run(35)
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 3))
    id = bench.assign(source, confirm_after=60.0)
    bench.run(130)
    bench.processes["kubelet"].mood = ""
    bench.run(5)
    assert (bench.status.cause, bench.status.confirmed) == ("Suspect", 0)
    assert bench.node_state().records.answered.confirmation == Confirmation(60.0), "it begins again"
    bench.run(120)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    bench.run(70)
    assert (bench.status.assignment, bench.status.confirmed) == (id, id)


@pytest.mark.contract("confirm.begins-again")
def test_a_mark_that_is_taken_back_leaves_the_assignment_to_be_confirmed(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 3))
    id = bench.assign(source, confirm_after=60.0)
    bench.run(0.3)
    bench.processes["kubelet"].mood = "sick"  # for a cause that the agent does not see
    bench.run(125)
    assert list(bench.store.read_bad_configs("kubelet", "v1.35.0")) == [source.uid]
    bench.run(125)
    assert list(bench.store.read_bad_configs("kubelet", "v1.35.0")) == [], "last-known-good fails as well"
    bench.processes["kubelet"].mood = ""
    bench.run(150)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    bench.run(70)
    assert (bench.status.assignment, bench.status.confirmed) == (id, id)
