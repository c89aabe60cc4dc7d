# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the metrics in the Prometheus text format, and publishes them with the run report.

The four ``configok_node_config_*`` gauges are those that the kubelet had for its dynamic configuration, without the
labels for a ConfigMap's resource version and key: a bundle is immutable, and used as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.config_status import Cause
from .._agent_context import AgentContext
from .._counters import BUCKETS, Counters
from .._log import log
from .._state.desired_state import DesiredState
from .._state.node_state import NodeState
from .status_writer import RunReport, write_report

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Gauges(NamedTuple):
    """The values of the gauges.

    A source is None for the local config. error: whether ConfigOK reports an error. crashes: by component.
    """

    assigned: ConfigSource | None = None
    active: ConfigSource | None = None
    last_known_good: ConfigSource | None = None
    error: bool = False
    crashes: Mapping[str, int] = {}


def render_metrics(gauges: Gauges, counters: Counters, *, agent_version: str) -> str:
    """Return the exposition. Every series is in it from the beginning, also before its first event."""
    errors = [({"operation": name}, number) for name, number in counters.errors.items()]
    restarts = [({"component": name}, number) for name, number in counters.restarts.items()]
    crashes = [({"component": name}, gauges.crashes.get(name, 0)) for name in counters.restarts]
    return "".join(
        (
            _source("assigned", "The config that is assigned to this node.", gauges.assigned),
            _source("active", "The config that this node uses.", gauges.active),
            _source("last_known_good", "The config that this node falls back to.", gauges.last_known_good),
            _single(
                "gauge",
                "configok_node_config_error",
                "1 if ConfigOK reports an error, 0 if it is True, adopting or opted out.",
                int(gauges.error),
            ),
            _single("counter", "configok_node_config_adoptions_total", "Configs taken into use.", counters.adoptions),
            _single(
                "counter",
                "configok_node_config_refusals_total",
                "Assigned configs that were refused before a component was touched.",
                counters.refusals,
            ),
            _single(
                "counter", "configok_node_config_rollbacks_total", "Rollbacks to last-known-good.", counters.rollbacks
            ),
            _adoption_seconds(counters),
            _family(
                "counter", "configok_node_component_restarts_total", "Restarts that the agent asked for.", restarts
            ),
            _family(
                "gauge",
                "configok_node_component_crashes",
                "Crashes since the node's boot, or the later adoption or rollback.",
                crashes,
            ),
            _family(
                "counter",
                "configok_node_sync_errors_total",
                "Requests to the API that failed, by what they were for.",
                errors,
            ),
            _family("gauge", "configok_agent_build_info", "The agent's version.", [({"version": agent_version}, 1)]),
        )
    )


def _source(record: str, text: str, source: ConfigSource | None) -> str:
    labels = {"node_config_source": "local", "node_config_uid": ""}
    if source is not None:
        path = f"/api/v1/namespaces/{source.namespace}/configmaps/{source.name}"
        labels = {"node_config_source": path, "node_config_uid": source.uid}
    return _family("gauge", f"configok_node_config_{record}", text, [(labels, 1)])


def _adoption_seconds(counters: Counters) -> str:
    """Return the histogram: its buckets can be added up over a fleet, unlike the quantiles of a summary."""
    name = "configok_node_config_adoption_seconds"
    series: list[tuple[str, dict[str, str], float]] = []
    total = 0
    for bound, number in zip((*(f"{bound:g}" for bound in BUCKETS), "+Inf"), counters.adoption_buckets):
        total += number
        series.append((f"{name}_bucket", {"le": bound}, total))
    series += [(f"{name}_sum", {}, round(counters.adoption_seconds, 3)), (f"{name}_count", {}, total)]
    return _head("histogram", name, "Seconds from the fetch of a config until its components were healthy.") + "".join(
        _sample(*sample) for sample in series
    )


MetricType = Literal["gauge", "counter", "histogram"]


def _single(kind: MetricType, name: str, text: str, value: float) -> str:
    return _family(kind, name, text, [({}, value)])


def _family(kind: MetricType, name: str, text: str, series: Iterable[tuple[Mapping[str, str], float]]) -> str:
    return _head(kind, name, text) + "".join(_sample(name, labels, value) for labels, value in series)


def _head(kind: MetricType, name: str, text: str) -> str:
    return f"# HELP {name} {text}\n# TYPE {name} {kind}\n"


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    pairs = ",".join(f'{label}="{_escape(text)}"' for label, text in labels.items())
    return f"{name}{{{pairs}}} {value:.12g}\n" if pairs else f"{name} {value:.12g}\n"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


_MODE = 0o644  # for node_exporter, which runs as another user
_TEMPORARY = ".new"  # the collector reads only names that end with .prom


class MetricsFile:
    """Writes the metrics to a file for node_exporter's textfile collector. A failure is logged once."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._last_error = ""

    def update(self, text: str) -> bool:
        """Replace the file; return whether that worked. It is not synced: the next start writes it again."""
        temporary = self._path + _TEMPORARY
        try:
            self._unlink(temporary)  # left by an agent that was killed
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
            with open(descriptor, "wb") as stream:
                os.fchmod(descriptor, _MODE)
                stream.write(text.encode())
            os.rename(temporary, self._path)
        except OSError as error:
            self._log_once(error)
            return False
        self._last_error = ""
        return True

    def close(self) -> None:
        """Remove the file: a stopped agent publishes no outdated metrics."""
        try:
            self._unlink(self._path)
        except OSError as error:
            self._log_once(error)

    @staticmethod
    def _unlink(path: str) -> None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass

    def _log_once(self, error: OSError) -> None:
        message = error.strerror or str(error)
        if message != self._last_error:
            self._last_error = message
            log.warning("the metrics cannot be written to %s: %s", self._path, message)


_CAUSES_WITHOUT_ERROR = ("", Cause.ADOPTING, Cause.OPTED_OUT)  # ConfigOK is Unknown with these, but nothing is wrong


class MetricsOutput(Protocol):
    """Publishes the metrics: a file, a port."""

    def update(self, text: str) -> bool:
        """Publish the rendered metrics from now on; return whether that worked. Never raises."""

    def close(self) -> None:
        """Stop publishing. Never raises."""


def current_gauges(state: NodeState, desired: DesiredState | None, report: RunReport) -> Gauges:
    """Return the gauges. desired: None before the API has answered; then the recorded assignment counts."""
    answered = state.records.answered
    last_known_good = state.records.last_known_good
    status, cause = ("", "") if report.condition is None else (report.condition.status, report.condition.cause)
    return Gauges(
        assigned=answered.source if desired is None else desired.source,
        active=state.active_record.source,
        last_known_good=None if last_known_good is None else last_known_good.source,
        error=answered.failure is not None if not status else status != "True" and cause not in _CAUSES_WITHOUT_ERROR,
        crashes=state.crashes,
    )


class MetricsPublisher:
    """Keeps the metrics and the run report up to date."""

    def __init__(self, context: AgentContext, outputs: Sequence[MetricsOutput]) -> None:
        self._run_directory = context.configuration.run_directory
        self._counters = context.counters
        self._outputs = outputs
        self._published = [""] * len(outputs)
        self._agent_version = context.agent_version
        self._report: RunReport | None = None
        self._last_error = ""

    def publish(self, state: NodeState, desired: DesiredState | None, report: RunReport) -> None:
        """Publish the metrics and the run report, each if it has changed. desired: as for current_gauges()."""
        if self._outputs:
            gauges = current_gauges(state, desired, report)
            text = render_metrics(gauges, self._counters, agent_version=self._agent_version)
            for index, output in enumerate(self._outputs):
                if self._published[index] != text and output.update(text):
                    self._published[index] = text
        self.report(report)

    def report(self, report: RunReport) -> None:
        """Write the run report alone, if it has changed."""
        if report == self._report:
            return
        try:
            write_report(self._run_directory, report)
        except OSError as error:
            if str(error) != self._last_error:
                self._last_error = str(error)
                log.warning("the report for status cannot be written: %s", error)
            return
        self._report = report
        self._last_error = ""

    def close(self) -> None:
        """Stop publishing metrics."""
        for output in self._outputs:
            output.close()
