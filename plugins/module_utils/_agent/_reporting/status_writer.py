# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the structured status and writes it to the Node; writes the run report for ``status``.

The run report is a small file in the run directory, which does not outlast a reboot. It is for ``status`` alone, which
leaves lines empty if it is missing or damaged.
"""

from __future__ import annotations

import json
import random as _random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..._foreign import load_json
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import node_status
from ..._kube.retry import Backoff, is_transient
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.config_ok import ConfigOk, status_patch
from ..._nodeconfig.config_status import Cause, ComponentState, ComponentStatus, ConfigStatus
from .._agent_configuration import AgentConfiguration
from .._agent_context import AgentContext
from .._log import CONDITION, log
from .._state.node_state import NodeState
from .._state.records import ConfigRecord, FieldCodec
from .._state.verdict import build_status, config_label
from .._store._durable_files import DurableFiles
from .._store._store import UNKNOWN_VERSION, Store, digest
from .._trust_settings import TrustSettings, trust_status
from .._validation._init_config_drift import InitConfigDrift
from .._validation._node_inputs import LocalConfigHash
from .._validation._shadowed_fields import overridden_fields

_FILE = "report.json"


class RunReport(NamedTuple):
    """What the daemon alone knows; times are RFC 3339, "" if there is none."""

    agent_version: str = ""
    pid: int = 0
    started_at: str = ""
    condition: ConfigOk | None = None  # the latest ConfigOK
    written: bool = False  # whether the Node has it
    written_at: str = ""  # the last write
    api_error: str = ""  # why the API cannot be reached now

    def to_dict(self) -> dict[str, Any]:
        """Return the report as ``status --json`` shows it."""
        condition = None if self.condition is None else self.condition._asdict()
        return {**_DAEMON.encode(self), "configOK": condition, **_WRITE.encode(self)}


# The fields before and after the condition, in the order of the file and of ``status --json``.
_DAEMON = FieldCodec(RunReport, {"agent_version": "agentVersion", "pid": "pid", "started_at": "startedAt"})
_WRITE = FieldCodec(RunReport, {"written": "written", "written_at": "writtenAt", "api_error": "apiTrouble"})
_CONDITION = FieldCodec(ConfigOk)


def write_report(run_directory: str, report: RunReport) -> None:
    """Replace the run report. Raises OSError."""
    DurableFiles(run_directory).write(_FILE, json.dumps(report.to_dict(), indent=1).encode() + b"\n")


def read_report(run_directory: str) -> RunReport | None:
    """Return the run report, None if it is missing or damaged."""
    try:
        value = load_json(DurableFiles(run_directory).read(_FILE) or b"null")
        condition = value["configOK"]
        return RunReport(
            **_DAEMON.decode(value),
            **_WRITE.decode(value),
            condition=None if condition is None else ConfigOk(**_CONDITION.decode(condition)),
        )
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


class StatusBuilder:
    """Builds the structured status from the node's state, its store, and its own configs.

    drift: of the init configs from their originals. init_provided: whether any component has an init config.
    """

    def __init__(self, configuration: AgentConfiguration, store: Store, *, agent_version: str) -> None:
        self._configuration = configuration
        self._store = store
        self._agent_version = agent_version
        self._ignored: tuple[str | None, tuple[str, ...]] = (None, ())  # the uid of a bundle, and its ignored keys
        self._local_config = LocalConfigHash(configuration)
        self._trust = TrustSettings(configuration)
        self.drift = InitConfigDrift(configuration)
        components = configuration.components.values()
        self.init_provided = any(part.init_config or part.manifest for part in components)  # or an init manifest

    def build(
        self,
        verdict: ConfigOk,
        state: NodeState,
        *,
        assignment: int,
        assigned: ConfigSource | None,
        active: ConfigRecord,
        states: Mapping[str, ComponentState],
    ) -> ConfigStatus:
        """Return the status that goes with a verdict.

        assignment, assigned: the id that this answers, and its source. active: the record in use, or about to be.
        states: of the components.
        """
        return build_status(
            verdict,
            state,
            assignment=assignment,
            assigned=assigned,
            active=active,
            components={name: self._component(name, active, state, states) for name in self._configuration.components},
            agent_version=self._agent_version,
            ignored=self._ignored_keys(active),
            local_config=self._local_config.current(),
            trust=trust_status(self._trust, self._store, state.records, active),
        )

    def _component(
        self, name: str, active: ConfigRecord, state: NodeState, states: Mapping[str, ComponentState]
    ) -> ComponentStatus:
        version = state.tracking_versions.get(name, "")
        config = active.files.get(name) or digest(self._store.read_config(name) or b"")
        drifted = self.drift.drifted_origin(name)
        return ComponentStatus(
            version="" if version == UNKNOWN_VERSION else version,
            config=config[:10],
            state=states.get(name, "unknown"),
            note=f"{drifted} has changed since it became the init config" if drifted else "",
            shadowed=overridden_fields(self._store, name, config, version),
        )

    def _ignored_keys(self, active: ConfigRecord) -> tuple[str, ...]:
        """Return the keys of the bundle in use for components that this node does not run."""
        if active.source is None:
            return ()
        if self._ignored[0] != active.uid:
            bundle = self._store.read_checkpoint(active.source)
            keys = () if bundle is None else tuple(sorted(set(bundle.documents) - set(self._configuration.components)))
            self._ignored = (active.uid, keys)
        return self._ignored[1]

    def label(self, active: ConfigRecord) -> str:
        """Return the value of the Node's label configok.dev/config: the bundle's name, "init" or "default"."""
        return config_label(active, init_provided=self.init_provided)


# Seconds between two writes about the same config: a component that flaps costs no more than a kubelet's own Lease.
MIN_INTERVAL = 10.0


class NodeReport(NamedTuple):
    """All that is written to the Node: the condition ConfigOK, the structured status, and the label."""

    verdict: ConfigOk
    status: ConfigStatus
    label: str


def without_healthy_states(report: NodeReport) -> NodeReport:
    """Return a report without the states of components that do not fail: no transition follows from these."""
    components = {
        name: component if component.state == "failing" else component._replace(state="")
        for name, component in report.status.components.items()
    }
    return report._replace(status=report.status._replace(components=components))


def report_patch(report: NodeReport, condition_status: str, *, now: str) -> dict[str, Any]:
    """Return the PATCH of the Node's status that writes a report.

    condition_status: the status of ConfigOK on the Node, "" if it is not known. now: RFC 3339.
    """
    patch = status_patch(report.verdict, report.status, report.label, now=now)
    if report.verdict.status == condition_status:  # the Node keeps the time of the last transition
        del patch["status"]["conditions"][0]["lastTransitionTime"]
    return patch


def only_ends_trial(before: NodeReport | None, after: NodeReport) -> bool:
    """Return whether nothing is new in a report but the end of a trial. States of healthy components do not count."""
    if before is None:
        return False
    ended = before.status._replace(in_trial=after.status.in_trial, last_known_good=after.status.last_known_good)
    return without_healthy_states(before._replace(status=ended)) == without_healthy_states(after)


def _subject(report: NodeReport | None) -> tuple[object, ...]:
    """Return what a report is about. While that stays the same, changes of a component are what is reported."""
    if report is None:
        return ()
    status, adopting = report.status, report.verdict.cause == Cause.ADOPTING
    return (
        status.assignment,
        status.assigned,
        status.active,
        status.last_known_good,
        status.in_trial,
        status.confirmed,
        adopting,
    )


class StatusWriter:
    """Writes each transition of the status with one PATCH, and retries with backoff until it is written.

    A status about another assignment or config is written at once. Of the transitions about the same one within
    MIN_INTERVAL, only the last is written, and none if the Node already has its status: those are in the journal alone.
    """

    def __init__(
        self,
        context: AgentContext,
        *,
        random: Callable[[], float] = _random.random,
    ) -> None:
        """Begin without a report. random: returns a number from 0 to 1, for the jitter of heartbeats and retries."""
        self._node_name = context.configuration.node_name
        self._api = context.api
        self._clock = context.clock
        self._counters = context.counters
        self._task = context.new_task()
        self._interval = context.configuration.heartbeat_interval
        self._random = random
        self._backoff = Backoff(first=1.0, longest=60.0, random=random)
        self.latest: NodeReport | None = None  # written or not
        self._sending: NodeReport | None = None
        self._written: NodeReport | None = None
        self._condition_status = ""  # of ConfigOK on the Node, "" if it is not known
        self._heartbeat = 0.0  # when the next one is due, in seconds since boot
        self._not_before = 0.0  # when the next report about the same config may be written
        self.error = ""  # why the last write failed, "" after one that succeeded
        self.written_at = ""  # RFC 3339, of the last write
        self._schedule_heartbeat(self._clock.since_boot())

    @property
    def is_written(self) -> bool:
        """Whether the Node has the latest report."""
        return self.latest is not None and self.latest == self._written

    def accept_existing(self, annotation: str | None, report: NodeReport) -> None:
        """Accept a report as written if the Node has its status already, so that a restarted agent writes nothing.

        annotation: the Node's status annotation, None without one.
        """
        if self._written is None and annotation is not None and annotation == report.status.encode():
            self._written = self.latest = report
            self._condition_status = report.verdict.status

    def reset(self) -> None:
        """Begin again for another Node object, to which nothing has been reported yet."""
        self.mark_lost()
        self.latest = None

    def mark_lost(self) -> None:
        """Write the latest report again: the Node has lost it, for example because it was restored."""
        self._task.abandon()  # its request was made for the Node as it was before
        self._sending = None
        self._written = None
        self._condition_status = ""

    def update(self, verdict: ConfigOk, status: ConfigStatus, label: str) -> None:
        """Take a report, which advance() writes when it is due. label: from StatusBuilder.label()."""
        latest = NodeReport(verdict.shortened(), status, label)
        if _subject(latest) != _subject(self.latest):
            self._backoff.reset()
        if latest != self.latest:
            write = log.info if verdict.status == "True" else log.warning
            fields = {
                "status": verdict.status,
                "reason": verdict.reason,
                "cause": verdict.cause,
                "uid": "init" if status.active is None else status.active.uid,
                "assignment": status.assignment,
                "message_id": CONDITION,
            }
            write("%s", verdict.message, extra=fields)
        self.latest = latest

    def retry_soon(self, within: float) -> None:
        """Write what is not written yet within this many seconds, since the API answers again."""
        self._backoff.hurry(self._clock.since_boot(), within)

    @property
    def is_sending(self) -> bool:
        """Whether a write has no answer yet."""
        return self._sending is not None and not self._task.done

    def advance(self, *, hold_heartbeat: bool = False) -> None:
        """Start the write that is due, of an unwritten report or a heartbeat, and collect its answer.

        hold_heartbeat: whether a heartbeat waits, since the next report may differ.
        """
        if self._sending is None:
            if self.latest is None or self._clock.since_boot() < self.due or (hold_heartbeat and self.is_written):
                return
            self._send(self.latest)
        if self._task.done:
            self._collect()

    def _send(self, report: NodeReport) -> None:
        self._sending = report
        patch = report_patch(report, self._condition_status, now=self._clock.now())
        self._task.start(partial(self._api.patch, node_status(self._node_name), patch, kind="strategic"))

    def _collect(self) -> None:
        sent, self._sending = self._sending, None
        try:
            self._task.result()
        except KubeError as error:
            transient = is_transient(error, idempotent=True)
            self._backoff.failed(self._clock.since_boot(), error.retry_after, transient=transient)
            self._counters.errors["status"] += 1
            self.error = str(error)
            log.warning("the status was not written: %s", error)
            return
        self._backoff.reset()
        self.error = ""
        self.written_at = self._clock.now()
        self._written = sent
        self._condition_status = "" if sent is None else sent.verdict.status
        self._not_before = self._clock.since_boot() + MIN_INTERVAL
        self._schedule_heartbeat(self._clock.since_boot())

    def _schedule_heartbeat(self, now: float) -> None:
        self._heartbeat = now + self._interval * (0.8 + 0.4 * self._random())

    @property
    def due(self) -> float:
        """When advance() has something to do next, in seconds since boot."""
        if self.latest is None or self._sending is not None:
            return float("inf")  # the end of a request wakes the daemon
        if self.latest == self._written:
            return max(self._heartbeat, self._backoff.until)
        is_news = _subject(self.latest) != _subject(self._written)
        return self._backoff.until if is_news else max(self._not_before, self._backoff.until)
