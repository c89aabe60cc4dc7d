# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config is charged only with what it causes: the host is checked before a restart, and after a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import Bench

NO_RUNTIME = "the container runtime does not answer at unix:///run/containerd/containerd.sock: connection refused"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A node with a kubelet."""
    return Bench(tmp_path)


def marks(bench: Bench) -> list[str]:
    return list(bench.store.read_bad_configs("kubelet", "v1.35.0"))


@pytest.mark.contract("host.before-restart", "condition.host-not-ready")
def test_nothing_is_restarted_on_a_host_on_which_any_restart_would_fail(bench: Bench) -> None:
    good = bench.good_node()
    starts, requests = bench.starts(), len(bench.api.requests)
    bench.host_problem = NO_RUNTIME
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(900)
    assert bench.words == (
        "Unknown",
        f"using current (UID: {good.uid})",
        f"(UID: {source.uid}) waits for this host: {NO_RUNTIME}",
    )
    assert bench.status.cause == "HostNotReady"
    assert (bench.starts(), bench.reads(), marks(bench)) == (starts, "maxPods: 120\n", [])
    assert len(bench.api.requests) - requests <= 4, "the bundle, the status and a heartbeat"
    bench.host_problem = ""
    bench.run(25)
    assert bench.words == ("True", f"using current (UID: {source.uid})", "all checks passed")
    assert bench.starts() == starts + 1


@pytest.mark.contract("host.before-restart")
def test_the_init_config_waits_for_the_host_too(bench: Bench) -> None:
    good = bench.good_node()
    bench.host_problem = NO_RUNTIME
    bench.assign(None)
    bench.run(60)
    assert bench.words == ("Unknown", f"using current (UID: {good.uid})", f"(init) waits for this host: {NO_RUNTIME}")
    bench.host_problem = ""
    bench.run(25)
    assert bench.words[1] == "using current (init)"


@pytest.mark.contract("host.before-restart")
def test_what_restarts_nothing_waits_for_no_host(bench: Bench) -> None:
    bench.good_node()
    bench.host_problem = NO_RUNTIME
    source = bench.publish("# the same values\nmaxPods: 120\n")
    bench.assign(source)
    bench.run(5)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")


@pytest.mark.contract("host.before-restart")
def test_another_assignment_is_checked_for_itself(bench: Bench) -> None:
    good = bench.good_node()
    bench.host_problem = NO_RUNTIME
    bench.assign(bench.publish("maxPods: 130\n"))
    bench.run(60)
    bench.assign(good)
    bench.run(5)
    assert bench.words == ("True", f"using current (UID: {good.uid})", "all checks passed")


@pytest.mark.contract("host.deadline")
def test_a_host_that_gives_no_answer_holds_up_the_adoption_alone(bench: Bench) -> None:
    good = bench.good_node()
    bench.host_problem = "hangs"
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(10)
    assert bench.words == (
        "Unknown",
        f"using current (UID: {good.uid})",
        f"(UID: {source.uid}) waits for this host: the check of the host has no answer after 5s",
    )
    bench.host_problem = ""
    bench.run(25)
    assert bench.words[0] == "True"


@pytest.mark.contract("host.nothing-to-protect")
def test_a_failing_component_gets_the_new_config_and_a_failure_does_not_mark_it_bad(bench: Bench) -> None:
    good = bench.good_node()
    bench.processes["kubelet"].mood = "sick"
    bench.host_problem = NO_RUNTIME
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(10)
    assert bench.condition_messages[-1] == f"adopting (UID: {source.uid})"
    bench.run(130)
    bench.processes["kubelet"].mood = ""
    bench.run(5)
    assert bench.words == (
        "Unknown",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {source.uid}) failed, the cause may lie elsewhere: before its adoption, kubelet: healthz: 500",
    )
    assert (bench.status.cause, marks(bench)) == ("Suspect", [])


@pytest.mark.contract("host.nothing-to-protect")
def test_a_component_that_fails_leaves_the_others_protected(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ["kubelet", "kube-proxy"])
    good = bench.good_node()
    starts = bench.starts()
    bench.processes["kube-proxy"].mood = "sick"
    bench.host_problems = {"kubelet": NO_RUNTIME}
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(60)
    assert bench.words == (
        "Unknown",
        f"using current (UID: {good.uid})",
        f"(UID: {source.uid}) waits for this host: {NO_RUNTIME}",
    )
    assert bench.starts() == starts
    bench.host_problems = {"kube-proxy": "the kubeconfig cannot be read"}
    bench.run(25)
    assert bench.condition_messages[-1] == f"adopting (UID: {source.uid})", "what fails already has nothing to lose"


@pytest.mark.contract("host.nothing-to-protect")
def test_a_stopped_unit_gets_the_new_config_whatever_its_host_lacks(bench: Bench) -> None:
    bench.good_node()
    bench.stop("kubelet")
    bench.host_problem = NO_RUNTIME
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(10)
    assert bench.reads() == "maxPods: 130\n"
    assert bench.words == (
        "Unknown",
        f"current (UID: {source.uid}) not in use",
        "kubelet.service is stopped by an administrator",
    )


@pytest.mark.contract("host.nothing-to-protect")
def test_a_component_whose_program_cannot_be_executed_is_failing(bench: Bench) -> None:
    bench.good_node()
    bench.crash("kubelet", status="203")
    bench.run(0.5)
    bench.processes["kubelet"].next = None  # it waits for its next start, which would fail as well
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(130)
    bench.start("kubelet")
    bench.run(5)
    doubt = "before its adoption, kubelet.service is starting"
    assert bench.words[2] == f"current (UID: {source.uid}) failed, the cause may lie elsewhere: {doubt}"
    assert (bench.status.cause, marks(bench)) == ("Suspect", [])


@pytest.mark.contract("host.nothing-to-protect")
def test_a_component_that_fails_under_a_config_on_trial_has_nothing_to_lose_either(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: sick\n", trial=Trial(600.0, 3)))
    bench.run(60)
    source = bench.publish("mood: deadly\n", trial=Trial(600.0, 0))
    bench.assign(source)
    bench.run(20)
    assert (bench.status.cause, marks(bench)) == ("Suspect", [])
    bench.run(180)  # tried again while last-known-good is healthy, it is at fault
    assert (bench.status.cause, marks(bench)) == ("CrashLoop", [source.uid])


@pytest.mark.contract("host.nothing-to-protect")
def test_a_component_that_has_just_been_started_is_not_failing(bench: Bench) -> None:
    bench.good_node()
    bench.blind = True
    crashing = bench.publish("mood: deadly\n", trial=Trial(60.0, 0))
    bench.assign(crashing)
    bench.reboot()
    bench.blind = False
    bench.run(30)
    assert bench.words[2] == f"current (UID: {crashing.uid}) crashed 1 times during its trial"
    assert marks(bench) == [crashing.uid]


@pytest.mark.contract("host.nothing-to-protect")
def test_a_component_in_a_crash_loop_is_failing_although_it_has_just_been_started(bench: Bench) -> None:
    bench.good_node()
    bench.crash("kubelet")
    bench.run(1.1)
    crashing = bench.publish("mood: deadly\n", trial=Trial(60.0, 0))
    bench.assign(crashing)
    bench.run(30)
    assert (bench.status.cause, marks(bench)) == ("Suspect", [])


@pytest.mark.contract("host.nothing-to-protect")
def test_a_config_that_repairs_a_component_is_on_trial_like_any_other(bench: Bench) -> None:
    bench.good_node()
    bench.processes["kubelet"].mood = "sick"
    bench.run(5)
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(1)
    bench.processes["kubelet"].mood = ""
    bench.run(10)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    bench.processes["kubelet"].mood = "sick"
    bench.run(35)
    bench.processes["kubelet"].mood = ""
    bench.run(5)
    assert marks(bench) == [source.uid]


@pytest.mark.contract("host.after-a-failure")
@pytest.mark.parametrize("is_agent_alive", [True, False])
def test_a_crash_loop_on_a_host_that_fails_any_restart_does_not_mark_the_config_bad(
    bench: Bench, is_agent_alive: bool
) -> None:
    good = bench.good_node()
    source = bench.publish("mood: deadly\n", trial=Trial(60.0, 8))
    bench.assign(source)
    bench.run(1)
    bench.host_problem = NO_RUNTIME  # from right after the adoption on
    bench.run(6)
    bench.run(15, agent=is_agent_alive)
    bench.host_problem = ""
    bench.run(10)
    assert bench.words == (
        "Unknown",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {source.uid}) failed, the cause may lie elsewhere: {NO_RUNTIME}",
    )
    assert marks(bench) == []
    bench.run(180)  # tried again on a sound host, it is at fault
    assert bench.words[2] == f"current (UID: {source.uid}) crashed 9 times during its trial"
    assert marks(bench) == [source.uid]


@pytest.mark.contract("host.after-a-failure")
def test_a_failure_is_acquitted_when_the_host_is_seen_to_be_sick_after_it(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("mood: deadly\n", trial=Trial(60.0, 0))
    bench.assign(source)
    bench.run(0.3)
    bench.host_problem = NO_RUNTIME
    bench.processes["kubelet"].mood = "sick"
    bench.run(8)
    bench.host_problem = bench.processes["kubelet"].mood = ""
    bench.run(5)
    assert (bench.status.cause, marks(bench)) == ("Suspect", [])


@pytest.mark.contract("host.after-a-failure")
def test_a_host_that_was_sick_before_the_config_was_healthy_excuses_nothing(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 3))
    bench.assign(source)
    bench.run(0.2)
    bench.processes["kubelet"].mood = "sick"
    bench.host_problem = NO_RUNTIME
    bench.run(20)
    bench.host_problem = bench.processes["kubelet"].mood = ""
    bench.run(20)
    assert bench.words[0] == "True"
    bench.processes["kubelet"].mood = "sick"
    bench.run(35)
    bench.processes["kubelet"].mood = ""
    bench.run(5)
    assert marks(bench) == [source.uid]


@pytest.mark.contract("host.after-a-failure")
@pytest.mark.parametrize("restarts_agent", [False, True])
def test_a_host_that_was_sick_for_a_while_within_the_trial_excuses_nothing_after_it(
    bench: Bench, restarts_agent: bool
) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 3))
    bench.assign(source)
    bench.run(20)
    bench.processes["kubelet"].mood, bench.host_problem = "sick", NO_RUNTIME
    bench.run(15)
    if restarts_agent:
        bench.restart_agent()
        assert bench.node_state().active_record.doubt == NO_RUNTIME
    bench.processes["kubelet"].mood = bench.host_problem = ""
    bench.run(25)
    assert bench.words[0] == "True"
    bench.processes["kubelet"].mood = "sick"
    bench.run(35)
    bench.processes["kubelet"].mood = ""
    bench.run(5)
    assert marks(bench) == [source.uid]


@pytest.mark.contract("host.before-restart")
def test_hosts_are_checked_only_if_that_is_configured(bench: Bench) -> None:
    kubelet = bench.configuration.components["kubelet"]._replace(host_checks=False)
    bench.configure(components={"kubelet": kubelet})
    bench.good_node()
    bench.host_problem = NO_RUNTIME
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(5)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
