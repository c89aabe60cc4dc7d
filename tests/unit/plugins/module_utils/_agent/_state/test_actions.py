# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions that follow from an observation, as a table of pure functions."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._state.actions import (
    Acknowledge,
    Acknowledgement,
    Action,
    Adopt,
    ForgetBad,
    KeepAssigned,
    Observation,
    Pin,
    RecordAnswer,
    RecordCommandLine,
    RecordVersion,
    Refuse,
    Restart,
    SwitchFiles,
    SyncPhase,
    SyncResult,
    Unassign,
    plan,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.active_config import ActiveConfig
from ansible_collections.configok.node.plugins.module_utils._agent._state.desired_state import (
    DesiredKind,
    DesiredState,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import (
    CommandLine,
    ComponentsObservation,
    HostLook,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import (
    ComponentFiles,
    Moment,
    NodeState,
    Records,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    LOCAL_CONFIG,
    AnsweredAssignment,
    AssignmentFailure,
    ConfigRecord,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import BadConfig, End, Start
from ansible_collections.configok.node.plugins.module_utils._agent._state.trial_period import (
    Doubt,
    MarkSuspect,
    Promote,
    RollBack,
    SaveTrial,
    TryAgain,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial

A = ConfigSource("system", "a", "aaaa")
B = ConfigSource("system", "b", "bbbb")
NOW = Moment(100.0, "boot", "2026-01-01T00:00:00Z")
GOOD = ConfigRecord(
    source=A, content_hash="a", trial=Trial(60.0, 3), healthy_seconds=60.0, seen_healthy=True, files={"kubelet": "1"}
)
NEW = ConfigRecord(source=B, content_hash="b", trial=Trial(60.0, 3), files={"kubelet": "2"})
TRIED = NEW._replace(seen_healthy=True, healthy_seconds=10.0)
ANSWERED = AnsweredAssignment("node", 1, A)
NEXT = AnsweredAssignment("node", 2, B)
ADOPT = DesiredState(DesiredKind.ADOPT, NEXT, B)
PREPARED = SyncResult(SyncPhase.PREPARED, NEW, started_at=90.0)
MARK = BadConfig("then", "not healthy within 1m: x", "NotHealthy", name="b", crashes=0, within=60.0, probe="x")
FAILED = AssignmentFailure("CrashLoop", "bbbb", "crashed", crashes=4, boot_id="boot", since_boot=50.0)
CRASHES = [Start("i", "boot", 90.0, "then", "1", End("exit-code", "exited", "1", 91.0, "then"))]


def node(
    current: ConfigRecord | None = GOOD,
    good: ConfigRecord | None = GOOD,
    *,
    answered: AnsweredAssignment = ANSWERED,
    reads: str | None = None,
    active: ActiveConfig | None = None,
    bad: dict[str, BadConfig] | None = None,
    startups: list[Start] | None = None,
) -> NodeState:
    """Return the state of a node that uses current and reads what that says."""
    active = active or ActiveConfig(current or LOCAL_CONFIG, "current")
    config = active.record.files.get("kubelet", "init") if reads is None else reads
    return NodeState(
        Records(current, good, answered, never_written=False),
        active,
        {"kubelet": "v1.35.0"},
        {"kubelet": startups or []},
        bad or {},
        {"kubelet": 0},
        {"kubelet": ComponentFiles(config, is_missing=config == "", init_config="init")},
    )


def observed(state: NodeState, desired: DesiredState | None = None, **more: Any) -> Observation:
    """Return an observation made before the components are checked."""
    return Observation(NOW, state, desired=desired, health_timeout=60.0, **more)


def observation(**more: Any) -> ComponentsObservation:
    """Return the observation of healthy components, with changes."""
    well: dict[str, Any] = {
        "healthy": True,
        "failed": "",
        "detail": "",
        "within": 60.0,
        "stopped": "",
        "seconds": 1.0,
        "healthy_for": 99.0,
        "states": {"kubelet": "healthy"},
    }
    return ComponentsObservation(**{**well, **more})


def adopted(record: ConfigRecord) -> ConfigRecord:
    """Return a record as it is adopted now for the assignment NEXT."""
    return record._replace(assignment=2, node_uid="node", adopted_at=NOW.time, boot_id="boot", since_boot=100.0)


def acknowledged(uid: str | None, *, pending: bool = False) -> Acknowledgement:
    """Return an acknowledgement of the assignment NEXT with a deadline of 101 s."""
    return Acknowledgement(uid, 2, pending, 101.0)


KEEP = DesiredState(DesiredKind.KEEP, ANSWERED, A)
DOUBTED = FAILED._replace(doubt="last-known-good failed as well")
SUSPECT_NEXT = NEXT.with_failure(DOUBTED._replace(suspect=True))

CONFIG: dict[str, tuple[Observation, list[Action]]] = {
    "nothing is known of the API": (observed(node()), []),
    "all is as it should be": (observed(node(), KEEP), []),
    "a bad config is in use": (
        observed(node(NEW, active=ActiveConfig(GOOD, "last-known-good", "bad")), ADOPT, new_versions={"kubelet": "v2"}),
        [RollBack()],
    ),
    "a crash loop": (observed(node(NEW, active=ActiveConfig(GOOD, "last-known-good", "CrashLoop", 4))), [RollBack()]),
    "a new version comes before the assignment": (
        observed(node(), ADOPT, new_versions={"kubelet": "v2"}),
        [RecordVersion("kubelet", "v2")],
    ),
    "a node that opted out": (
        observed(node(), ADOPT, dynamic_config=False, sync=PREPARED),
        [SwitchFiles(LOCAL_CONFIG)],
    ),
    "a node that opted out and reads its init config": (
        observed(node(LOCAL_CONFIG, reads="init"), ADOPT, dynamic_config=False),
        [],
    ),
    "a switch was cut short": (observed(node(reads="0"), KEEP), [SwitchFiles(GOOD)]),
    "a file is missing": (observed(node(reads=""), KEEP), [SwitchFiles(GOOD)]),
    "a file is missing and the record is damaged: the next start mends it": (
        observed(node(None, reads="", active=ActiveConfig(GOOD, "last-known-good", "unreadable"))),
        [],
    ),
    "a record is damaged, and a static Pod has no hook": (
        observed(node(None, active=ActiveConfig(GOOD, "last-known-good", "unreadable")), has_static_pods=True),
        [RollBack()],
    ),
    "the answer is on disk before anything is fetched": (
        observed(node(), ADOPT, sync=PREPARED),
        [RecordAnswer(NEXT)],
    ),
    "the bundle is not there yet": (
        observed(node(answered=NEXT), ADOPT, sync=SyncResult(SyncPhase.PREPARING)),
        [],
    ),
    "a rejected bundle": (
        observed(node(answered=NEXT), ADOPT, sync=SyncResult(SyncPhase.REJECTED, rejection="kubelet: no")),
        [Refuse(NEXT, AssignmentFailure("InvalidConfig", "bbbb", "kubelet: no", time=NOW.time))],
    ),
    "a bundle that no trusted signer vouches for": (
        observed(node(answered=NEXT), ADOPT, sync=SyncResult(SyncPhase.UNTRUSTED, rejection="not signed")),
        [Refuse(NEXT, AssignmentFailure("Untrusted", "bbbb", "not signed", time=NOW.time))],
    ),
    "a bad bundle": (
        observed(node(bad={"bbbb": MARK}), ADOPT),
        [Refuse(NEXT, AssignmentFailure("KnownBad", "bbbb", MARK.reason, time="then"))],
    ),
    "a bad bundle that is to be tried again": (
        observed(node(bad={"bbbb": MARK}), ADOPT._replace(is_new=True, forget_bad=True)),
        [ForgetBad("bbbb")],
    ),
    "adopting is reported first": (
        observed(node(answered=NEXT), ADOPT, sync=PREPARED),
        [Acknowledge(adopted(NEW))],
    ),
    "another acknowledgement does not count": (
        observed(node(answered=NEXT), ADOPT, sync=PREPARED, acknowledged=acknowledged("aaaa")),
        [Acknowledge(adopted(NEW))],
    ),
    "the report is waited for": (
        observed(node(answered=NEXT), ADOPT, sync=PREPARED, acknowledged=acknowledged("bbbb", pending=True)),
        [],
    ),
    "but not for long": (
        observed(
            node(answered=NEXT),
            ADOPT,
            sync=PREPARED,
            acknowledged=acknowledged("bbbb", pending=True)._replace(until=100.0),
        ),
        [Adopt(adopted(NEW), B, 90.0)],
    ),
    "then it is adopted": (
        observed(node(answered=NEXT), ADOPT, sync=PREPARED, acknowledged=acknowledged("bbbb")),
        [Adopt(adopted(NEW), B, 90.0)],
    ),
    "nothing while the host is looked at": (observed(node(answered=NEXT), ADOPT, sync=PREPARED, host=None), []),
    "nothing while any restart would fail": (
        observed(node(answered=NEXT), ADOPT, sync=PREPARED, host=HostLook("no runtime")),
        [],
    ),
    "a component that fails already has nothing to lose": (
        observed(
            node(answered=NEXT),
            ADOPT,
            sync=PREPARED,
            acknowledged=acknowledged("bbbb"),
            host=HostLook("", "kubelet: 500"),
        ),
        [Adopt(adopted(NEW._replace(doubt="before its adoption, kubelet: 500")), B, 90.0)],
    ),
    "neither has one that fails under a config on trial": (
        observed(
            node(TRIED._replace(source=A, content_hash="x"), answered=NEXT),
            ADOPT,
            sync=PREPARED,
            acknowledged=acknowledged("bbbb"),
            host=HostLook("", "kubelet: 500"),
        ),
        [Adopt(adopted(NEW._replace(doubt="before its adoption, kubelet: 500")), B, 90.0)],
    ),
    "the same content under another uid": (
        observed(node(answered=NEXT), ADOPT, sync=PREPARED._replace(record=GOOD._replace(source=B))),
        [Pin(GOOD._replace(source=B, assignment=2, node_uid="node"), B, in_trial=False)],
    ),
    "the config in use is assigned again": (
        observed(node(), DesiredState(DesiredKind.KEEP, NEXT._replace(source=A), A, is_new=True)),
        [KeepAssigned(NEXT._replace(source=A))],
    ),
    "the config in use is assigned again and was bad": (
        observed(node(bad={"aaaa": MARK}), DesiredState(DesiredKind.KEEP, NEXT, A, is_new=True, forget_bad=True)),
        [ForgetBad("aaaa")],
    ),
    "a damaged record of the config in use is written again": (
        observed(node(None, active=ActiveConfig(GOOD, "last-known-good", "unreadable")), KEEP),
        [KeepAssigned(ANSWERED)],
    ),
    "an unassignment is reported first": (
        observed(node(), DesiredState(DesiredKind.UNASSIGN, AnsweredAssignment("node", 2), is_new=True)),
        [Acknowledge(LOCAL_CONFIG)],
    ),
    "then it is done": (
        observed(
            node(),
            DesiredState(DesiredKind.UNASSIGN, AnsweredAssignment("node", 2), is_new=True),
            acknowledged=acknowledged(None),
        ),
        [Unassign(AnsweredAssignment("node", 2))],
    ),
    "a lost assignment is remembered": (
        observed(node(), DesiredState(DesiredKind.LOST, AnsweredAssignment("other", 0))),
        [RecordAnswer(AnsweredAssignment("other", 0))],
    ),
    "an invalid assignment with an id is answered": (
        observed(node(), DesiredState(DesiredKind.INVALID, AnsweredAssignment("node", 2), cause="no")),
        [RecordAnswer(AnsweredAssignment("node", 2))],
    ),
    "an invalid assignment without an id is not": (
        observed(node(), DesiredState(DesiredKind.INVALID, AnsweredAssignment("node"), cause="no")),
        [],
    ),
    "a stale assignment changes nothing": (observed(node(), DesiredState(DesiredKind.STALE, ANSWERED, stale_id=1)), []),
    "a failed assignment changes nothing": (
        observed(node(), DesiredState(DesiredKind.FAILED, NEXT.with_failure(FAILED), B)),
        [],
    ),
}

COMPONENTS: dict[str, tuple[Observation, ComponentsObservation, list[Action]]] = {
    "all are well": (observed(node(), KEEP), observation(), []),
    "one reads another config than it should": (
        observed(node()),
        observation(restarts_due={"kubelet": "1"}),
        [Restart("kubelet", "1")],
    ),
    "a command line comes before a trial": (
        observed(node(TRIED), unsaved_trial=50.0),
        observation(new_command_lines={"kubelet": CommandLine(("kubelet",), {})}),
        [RecordCommandLine("kubelet", CommandLine(("kubelet",), {}))],
    ),
    "the first health of a trial": (observed(node(NEW)), observation(), [SaveTrial(is_first_health=True)]),
    "seconds of a trial": (observed(node(TRIED), unsaved_trial=30.0), observation(), []),
    "many seconds of a trial": (
        observed(node(TRIED._replace(trial=Trial(600.0, 3))), unsaved_trial=60.0),
        observation(),
        [SaveTrial()],
    ),
    "the end of a trial": (
        observed(node(TRIED), unsaved_trial=50.0),
        observation(),
        [Promote(TRIED._replace(healthy_seconds=60.0))],
    ),
    "a trial without a component on this node": (
        observed(node(NEW._replace(files={"other": "3"}), reads="init")),
        observation(),
        [Promote(NEW._replace(files={"other": "3"}, healthy_seconds=60.0, seen_healthy=True))],
    ),
    "a trial whose unit is stopped": (
        observed(node(TRIED), unsaved_trial=50.0),
        observation(stopped="kubelet.service"),
        [],
    ),
    "a trial whose config is not read": (
        observed(node(TRIED), unsaved_trial=50.0),
        observation(not_read="by a flag"),
        [],
    ),
    "a trial that fails": (
        observed(node(TRIED)),
        observation(healthy=False, failed="kubelet", detail="kubelet: 500"),
        [
            RollBack(
                AssignmentFailure(
                    "NotHealthy", "bbbb", "kubelet: 500", within=60.0, time=NOW.time, boot_id="boot", since_boot=100.0
                ),
                "kubelet",
            )
        ],
    ),
    "a failure after the trial": (observed(node()), observation(healthy=False, failed="kubelet", detail="x"), []),
    "a promotion that was cut short": (observed(node(GOOD, LOCAL_CONFIG)), observation(), [Promote(GOOD)]),
    "the first health after a rollback": (
        observed(node(GOOD._replace(seen_healthy=False), GOOD)),
        observation(),
        [SaveTrial(is_first_health=True)],
    ),
    "last-known-good fails too": (
        observed(node(answered=NEXT.with_failure(FAILED))),
        observation(healthy=False, failed="kubelet", detail="x"),
        [MarkSuspect(DOUBTED._replace(suspect=True))],
    ),
    "last-known-good crashes too": (
        observed(node(answered=NEXT.with_failure(FAILED), startups=CRASHES * 4)),
        observation(),
        [MarkSuspect(DOUBTED._replace(suspect=True))],
    ),
    "a suspect that still crashes": (observed(node(answered=SUSPECT_NEXT, startups=CRASHES)), observation(), []),
    "a suspect that is well again": (
        observed(node(answered=SUSPECT_NEXT)),
        observation(),
        [MarkSuspect(DOUBTED._replace(since_boot=100.0))],
    ),
    "a failure in the trial on a sick host": (
        observed(node(NEW), host_problem="no runtime"),
        observation(healthy=False, failed="kubelet", detail="kubelet: 500"),
        [
            RollBack(
                AssignmentFailure(
                    "NotHealthy",
                    "bbbb",
                    "kubelet: 500",
                    within=60.0,
                    time=NOW.time,
                    boot_id="boot",
                    since_boot=100.0,
                    doubt="no runtime",
                ),
                "kubelet",
            )
        ],
    ),
    "a sick host in the trial": (
        observed(node(NEW), host_problem="no runtime"),
        observation(healthy=False),
        [Doubt("no runtime")],
    ),
    "a sick host that is known": (
        observed(node(NEW._replace(doubt="no name")), host_problem="no runtime"),
        observation(healthy=False),
        [],
    ),
    "a sick host after a rollback": (
        observed(node(answered=NEXT.with_failure(FAILED)), host_problem="no runtime"),
        observation(healthy=False),
        [MarkSuspect(FAILED._replace(doubt="no runtime"))],
    ),
    "a config in doubt, once last-known-good is healthy": (
        observed(node(answered=NEXT.with_failure(DOUBTED))),
        observation(),
        [TryAgain(NEXT._replace(retried=True))],
    ),
    "a config in doubt while last-known-good recovers": (
        observed(node(answered=NEXT.with_failure(DOUBTED))),
        observation(healthy_for=59.0),
        [],
    ),
    "a config in doubt that was tried again": (
        observed(node(answered=NEXT.with_failure(DOUBTED)._replace(retried=True))),
        observation(),
        [],
    ),
    "a failure that is the config's": (observed(node(answered=NEXT.with_failure(FAILED))), observation(), []),
    "a node that opted out has no trial": (observed(node(NEW), dynamic_config=False), observation(), []),
}


@pytest.mark.parametrize("situation", CONFIG)
def test_what_is_done_for_the_config(situation: str) -> None:
    observation, actions = CONFIG[situation]
    assert plan(observation) == actions
    assert plan(observation) == actions, "it is pure"


@pytest.mark.parametrize("situation", COMPONENTS)
def test_what_is_done_for_the_components(situation: str) -> None:
    observation, components, actions = COMPONENTS[situation]
    assert plan(observation._replace(components=components)) == actions


@pytest.mark.parametrize("situation", CONFIG)
def test_one_change_at_a_time(situation: str) -> None:
    assert len(plan(CONFIG[situation][0])) <= 1
