# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execute one wave: watch, evaluate and assign its nodes until the window says how it ended.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .._componentconfig._scalars._wording import first_names
from .._kube._api_errors import CredentialsError, KubeError, Unauthorized, Unreachable
from .._kube._parallel import run_parallel
from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._untrusted import sanitize
from . import ApiUnavailable
from . import _transitions as transitions
from ._gate import Attempt, GateResult, Verdict, evaluate
from ._node_access import MAX_CONNECTIONS, NodeAssignment, assign_node, read_nodes
from ._node_view import NodeView, describe_drift
from ._node_watcher import NodeWatcher
from ._outage import MAX_OUTAGE
from ._plan import Target
from ._record import DRIFTED, FailedNode, FailureKind
from ._rendering import NAMES_SHOWN
from ._revisions import missing_bundle
from ._session import RunSession
from ._window import (
    FAILED,
    GONE,
    IN_FLIGHT,
    PASSED,
    SOAKING,
    UNKNOWN,
    WAITING,
    NodeState,
    Progress,
    WaveOutcome,
    Window,
    WindowStep,
)

__all__ = ["WaveExecutor", "WaveJob"]

_LONGEST_WAIT = 1.0  # seconds between two rounds without an event
_BATCH_SIZE = MAX_CONNECTIONS  # nodes that are assigned before their availability is checked again
_BUNDLE_CHECK_INTERVAL = 5.0  # seconds
_SOAK_SAVE_INTERVAL = 30.0  # seconds
_RUNNER_ERRORS = (CredentialsError, Unauthorized, Unreachable)  # not a node's fault: they end the run
_FAILURE_KIND: Mapping[NodeState, FailureKind] = {FAILED: "failed", UNKNOWN: "unknown", GONE: "gone"}


@dataclass(frozen=True)
class WaveJob:
    """What a wave has to do.

    targets: what each node is assigned, in the order in which the nodes move. position: in the record's waves; None for
    a rollback, of which only the end is recorded. bundle: what is checked to exist while the wave moves, None for no
    check. lookahead: how many nodes beyond those of a step are recorded as possibly assigned with it.

    possibly_assigned: nodes that an earlier run may have assigned already. not_ready_at_start: nodes that were not
    Ready when the wave began. passed_in: nodes of earlier waves, which may still fail, each with the name of its wave.
    expected_sources: what each node that needs no move is assigned, including those of passed_in. soaked_before: for
    how many seconds nodes had soaked when an earlier run ended. forget_bad: nodes that refused the config are assigned
    it again.
    """

    name: str
    targets: Mapping[str, ConfigSource | None]
    soak: float
    node_timeout: float
    position: int | None = None
    bundle: Target | None = None
    lookahead: int = 0
    possibly_assigned: Collection[str] = ()
    not_ready_at_start: Collection[str] = ()
    passed_in: Mapping[str, str] = field(default_factory=dict)
    expected_sources: Mapping[str, ConfigSource | None] = field(default_factory=dict)
    soaked_before: Mapping[str, int] = field(default_factory=dict)
    forget_bad: bool = False


class _Change(NamedTuple):
    """A change of a node's state that is still to be reported."""

    state: NodeState | FailureKind
    text: str


class WaveExecutor:
    """The control loop of one wave. watcher: has delivered its first list."""

    def __init__(self, session: RunSession, watcher: NodeWatcher, window: Window, job: WaveJob) -> None:
        self._session = session
        self._watcher = watcher
        self._window = window
        self._job = job
        self._attempts: dict[str, Attempt] = {}
        self._changed_nodes: set[str] = set()
        self._unconfirmed: set[str] = set()  # assigned, and the watch has not shown the assignment yet
        self._last_seen: dict[str, NodeView] = {}  # the last views of deleted nodes
        self._late_failures: dict[str, FailedNode] = {}
        self._drifted_nodes: dict[str, FailedNode] = {}
        self._changes: list[_Change] = []
        self._soaking_reported = False
        self._blind_since: float | None = None
        self._soak_saved_at = self._now()
        self._bundle_checked_at = float("-inf")

    def failed_nodes(self) -> dict[str, FailedNode]:
        """Return the nodes that have not succeeded so far, including late failures of earlier waves."""
        unsuccessful = {
            name: FailedNode(name, _FAILURE_KIND[state], self._job.name, self._window.reason(name))
            for name, state in self._window.unsuccessful().items()
        }
        return {**self._drifted_nodes, **self._late_failures, **unsuccessful}

    def soaked_seconds(self) -> dict[str, int]:
        """Return for how many whole seconds each attempted node has soaked, 0 for a node that does not soak."""
        now = self._now()
        return {
            name: int(min(now - attempt.good_since, attempt.soak))
            if attempt.good_since is not None and self._window.state(name) in (SOAKING, PASSED)
            else 0
            for name, attempt in self._attempts.items()
        }

    def save_soak(self) -> None:
        """Record for how long the nodes have soaked, so that the next run need not wait for it again."""
        if self._job.position is None:
            return
        self._session.write_transition(
            lambda record, _now: transitions.save_soak(record, self.soaked_seconds()),
        )

    def execute(self) -> WindowStep:
        """Move the wave until the window says how it ended. Raises RolloutError, KubeError."""
        for view in self._watcher.sorted_nodes():  # changes since the last wave count before anything else
            self._check_passed_node(view)
        wait = 0.0
        while True:
            self._session.keep_lock()
            outages = self._session.outage.count
            self._process_events(wait)
            if self._is_blind():
                wait = _LONGEST_WAIT
                continue
            self._evaluate_attempts()
            problem = self._bundle_problem()
            if problem:
                self._report_changes()
                return WindowStep(outcome=WaveOutcome.PAUSE, reason=problem)
            step = self._window.next_step(self._now(), _BATCH_SIZE)
            self._report_changes()
            if step.to_assign and not self._assign_unless_changed(step.to_assign, outages):
                wait = 0.0
                continue
            if step.outcome is not None:
                return step
            self._report_and_save_soak()
            wait = 0.0 if step.to_assign else self._seconds_until_due()

    def _now(self) -> float:
        return self._session.node_clock.monotonic()

    def _assign_unless_changed(self, names: tuple[str, ...], outages: int) -> bool:
        """Record and assign these nodes. Return False, and assign none, when other nodes became unavailable meanwhile.

        outages: the number of outages when these nodes were chosen.
        """
        unavailable = self._window.unavailable
        position = self._job.position
        if position is not None:
            failed_nodes, lookahead = self.failed_nodes(), self._job.lookahead
            self._session.write_transition(
                lambda record, now: transitions.before_assigning(
                    record, position, names, failed_nodes, lookahead=lookahead, now=now
                )
            )
        self._process_events(0.0)
        if self._session.outage.count != outages or self._is_blind() or self._window.unavailable - unavailable:
            self._window.take_back_assignments(names)
            return False
        self._assign(names)
        self._report_changes()
        return True

    def _assign(self, names: tuple[str, ...]) -> None:
        def assign(name: str) -> NodeAssignment:
            view = self._watcher.nodes.get(name)
            if view is None or view.deleting:
                return NodeAssignment(None)
            return assign_node(
                self._session.client,
                view,
                self._job.targets[name],
                possibly_assigned=name in self._job.possibly_assigned,
                forget_bad=self._job.forget_bad,
            )

        assigned = []
        threads = self._session.node_clock
        for name, result in run_parallel(assign, names, workers=MAX_CONNECTIONS, threads=threads):
            if isinstance(result, _RUNNER_ERRORS):
                raise result
            if isinstance(result, KubeError):
                self._record_result(name, GateResult(Verdict.UNKNOWN, f"it could not be assigned: {result}"))
            elif result.view is None:
                self._record_result(name, GateResult(Verdict.GONE, "the Node was deleted"))
            else:
                self._start_attempt(name, result.view, result)
                assigned += [name] if result.changed else []
        if assigned:
            self._report(f"assigned {first_names(sorted(assigned), NAMES_SHOWN)}")

    def _start_attempt(self, name: str, view: NodeView, assignment: NodeAssignment) -> None:
        soaked = self._job.soaked_before.get(name, 0)
        was_ready = view.ready is True if assignment.changed else name not in self._job.not_ready_at_start
        self._attempts[name] = Attempt(
            node_uid=view.uid,
            source=self._job.targets[name],
            assignment=assignment.assignment,
            assigned_at=self._now(),
            was_ready=was_ready,
            timeout=self._job.node_timeout,
            soak=self._job.soak,
            good_since=None if assignment.changed or not soaked else self._now() - soaked,
        )
        self._changed_nodes.add(name)
        if assignment.changed:
            self._unconfirmed.add(name)

    def _seconds_until_due(self) -> float:
        """Return how long to wait for an event before the next attempt must be evaluated."""
        now = self._now()
        due = [self._attempts[name].next_check_at - now for name in self._open_attempts()]
        return max(0.0, min([_LONGEST_WAIT, *due]))

    def _process_events(self, wait: float) -> None:
        for event in self._watcher.take_events(wait):
            if event.error is not None:
                self._report(f"the watch of the nodes is interrupted, and tried again: {event.error}")
            elif event.view is not None:
                self._process_view(event.view, was_deleted=event.type == "DELETED")

    def _process_view(self, view: NodeView, *, was_deleted: bool) -> None:
        if was_deleted:
            self._last_seen[view.name] = view
        self._window.set_unavailable(view.name, not was_deleted and view.ready is not True)
        attempt = self._attempts.get(view.name)
        if attempt is not None and (
            was_deleted or view.uid != attempt.node_uid or view.assigned_id >= attempt.assignment
        ):
            self._unconfirmed.discard(view.name)
        if attempt is not None and self._window.state(view.name) in (IN_FLIGHT, SOAKING):
            self._changed_nodes.add(view.name)
        elif not was_deleted:
            self._check_passed_node(view)

    def _is_blind(self) -> bool:
        """Return whether the nodes cannot be observed; then none is evaluated or assigned, and time stands still.

        Raises ApiUnavailable when that lasts too long.
        """
        now = self._now()
        if self._watcher.error is not None:
            if self._blind_since is None:
                self._blind_since = now
            if now - self._blind_since > MAX_OUTAGE:
                raise ApiUnavailable(
                    f"the nodes could not be watched for {MAX_OUTAGE:.0f}s ({self._watcher.error}): nothing else is "
                    "assigned, and what is assigned goes on by itself; run it again to go on"
                ) from self._watcher.error
            return True
        if self._blind_since is not None:
            seconds = now - self._blind_since
            self._blind_since = None
            self._report(f"the nodes are watched again after {seconds:.0f}s")
            self._window.delay_by(seconds)
            self._attempts.update({name: self._attempts[name].delayed_by(seconds) for name in self._open_attempts()})
        return False

    def _check_passed_node(self, view: NodeView) -> None:
        """Record a node that had passed and has failed since, or is assigned another config."""
        passed = view.name in self._attempts and self._window.state(view.name) == PASSED
        if not passed and view.name not in self._job.expected_sources:
            return
        source = self._attempts[view.name].source if passed else self._job.expected_sources[view.name]
        self._record_drift(view, describe_drift(view, source))
        if not passed and view.name not in self._job.passed_in:
            return
        status = view.status
        if view.config_ok != "False" or status is None or not view.has_answered(source):
            return
        if view.name in self._late_failures:
            return
        reason = f"it had passed, then failed: {sanitize(status.error or status.cause, 1024)}"
        if passed:
            self._record_result(view.name, GateResult(Verdict.FAIL, reason))
        else:
            wave = self._job.passed_in[view.name]
            self._late_failures[view.name] = FailedNode(view.name, "failed", wave, reason)
            self._window.late_failure(view.name, reason)
            self._changes.append(_Change(FAILED, f"{view.name}: {reason}"))

    def _record_drift(self, view: NodeView, reason: str) -> None:
        if not reason:
            self._drifted_nodes.pop(view.name, None)
        elif view.name not in self._drifted_nodes:
            self._drifted_nodes[view.name] = FailedNode(view.name, DRIFTED, self._job.name, reason)
            self._changes.append(_Change(DRIFTED, f"{view.name}: {reason}"))

    def _evaluate_attempts(self) -> None:
        now = self._now()
        due = [name for name in self._open_attempts() if self._attempts[name].next_check_at <= now]
        self._read_unconfirmed([name for name in due if name in self._unconfirmed])
        for name in self._open_attempts():
            is_due = name in self._changed_nodes or self._attempts[name].next_check_at <= now
            if name in self._unconfirmed or not is_due:
                continue
            self._changed_nodes.discard(name)
            view, last_seen = self._watcher.nodes.get(name), self._last_seen.get(name)
            result = evaluate(view, self._attempts[name], now, last_seen=last_seen)
            self._attempts[name] = self._attempts[name].with_result(result)
            self._record_result(name, result)

    def _read_unconfirmed(self, names: list[str]) -> None:
        """Read nodes whose time is up although the watch has not shown their assignment yet."""
        if not names:
            return
        views = read_nodes(self._session.client, names, threads=self._session.node_clock)
        self._unconfirmed.difference_update(names)
        for name, view in views.items():
            if view is None:
                self._watcher.nodes.pop(name, None)
            else:
                self._watcher.nodes[name] = view

    def _record_result(self, name: str, result: GateResult) -> None:
        if self._window.record(name, result):
            state = self._window.state(name)
            text = name if state in (SOAKING, PASSED) else f"{name}: {result.reason}"
            self._changes.append(_Change(state, text))

    def _report_changes(self) -> None:
        changes, self._changes = self._changes, []
        for state, text in changes:
            if state not in (SOAKING, PASSED):
                self._report(f"{'NO VERDICT' if state == UNKNOWN else state.upper()}: {text}")
        soak = f", soaking {self._job.soak:g}s" if self._job.soak else ""
        for reported_state, phrase in ((SOAKING, f"ConfigOK{soak}"), (PASSED, "passed")):
            names = sorted(text for state, text in changes if state == reported_state)
            if names:
                self._report(f"{phrase}: {first_names(names, NAMES_SHOWN)}")

    def _report_and_save_soak(self) -> None:
        counts = self._window.counts
        if not self._soaking_reported and counts[SOAKING] and not counts[WAITING] and not counts[IN_FLIGHT]:
            self._soaking_reported = True
            if self._job.position is not None:
                failed_nodes = self.failed_nodes()
                self._session.write_transition(
                    lambda record, now: transitions.mark_soaking(record, failed_nodes, now=now)
                )
        now = self._now()
        if counts[SOAKING] and now - self._soak_saved_at > max(_SOAK_SAVE_INTERVAL, self._job.soak / 10):
            self._soak_saved_at = now
            self.save_soak()

    def _bundle_problem(self) -> str:
        """Return why the bundle can no longer be assigned, "" while it can. Checks it now and then."""
        now = self._now()
        if self._job.bundle is None or now - self._bundle_checked_at < _BUNDLE_CHECK_INTERVAL:
            return ""
        self._bundle_checked_at = now
        return missing_bundle(self._session.direct_client, self._job.bundle)

    def _open_attempts(self) -> list[str]:
        return [name for name in self._attempts if self._window.state(name) in (IN_FLIGHT, SOAKING)]

    def _report(self, line: str) -> None:
        counts = dict(self._window.counts)
        self._session.report(Progress(self._job.name, f"{self._job.name}: {line}", len(self._job.targets), counts))
