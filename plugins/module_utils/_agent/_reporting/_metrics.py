# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's metrics in the Prometheus text format. Private to configok.node.

Pure: what is known goes in, text comes out. The four ``configok_node_config_*`` gauges are those that the kubelet had
for its dynamic configuration, without the labels for what a bundle does not have: its ConfigMap is immutable, and no
key of it is chosen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ..._nodeconfig._assignment import ConfigSource
from .._agent_configuration import AgentConfiguration
from .._counters import BUCKETS, Counters
from .._log import log
from .._state._desired_state import DesiredState
from .._state._node_state import NodeState
from ._status_writer import RunReport, write_report

__all__ = ["CONTENT_TYPE", "Gauges", "MetricsFile", "MetricsOutput", "MetricsPublisher", "gauges", "render_metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Gauges(NamedTuple):
    """How it is now. A source is None for the local config; error: whether ConfigOK tells of one."""

    assigned: ConfigSource | None = None
    active: ConfigSource | None = None
    last_known_good: ConfigSource | None = None
    error: bool = False


def render_metrics(gauges: Gauges, tally: Counters, *, agent_version: str) -> str:
    """Return the exposition: always every series, each once."""
    errors = [({"operation": name}, number) for name, number in tally.errors.items()]
    restarts = [({"component": name}, number) for name, number in tally.restarts.items()]
    return "".join(
        (
            _source("assigned", "The config that is assigned to this node.", gauges.assigned),
            _source("active", "The config that this node uses.", gauges.active),
            _source("last_known_good", "The config that this node falls back to.", gauges.last_known_good),
            _one(
                "gauge",
                "configok_node_config_error",
                "1 if ConfigOK tells of an error, 0 if it is True, adopting or opted out.",
                int(gauges.error),
            ),
            _one("counter", "configok_node_config_adoptions_total", "Configs taken into use.", tally.adoptions),
            _one(
                "counter",
                "configok_node_config_refusals_total",
                "Assigned configs that were refused before a component was touched.",
                tally.refusals,
            ),
            _one("counter", "configok_node_config_rollbacks_total", "Ways back to last-known-good.", tally.rollbacks),
            _adoption_seconds(tally),
            _family(
                "counter", "configok_node_component_restarts_total", "Restarts that the agent asked for.", restarts
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


def _adoption_seconds(tally: Counters) -> str:
    """Return the histogram: over a fleet its buckets add up, which a summary's quantiles do not."""
    name = "configok_node_config_adoption_seconds"
    series: list[tuple[str, dict[str, str], float]] = []
    total = 0
    for bound, number in zip((*(f"{bound:g}" for bound in BUCKETS), "+Inf"), tally.adoption_buckets):
        total += number
        series.append((f"{name}_bucket", {"le": bound}, total))
    series += [(f"{name}_sum", {}, round(tally.adoption_seconds, 3)), (f"{name}_count", {}, total)]
    return _head("histogram", name, "Seconds from the fetch of a config until its components were healthy.") + "".join(
        _line(*one) for one in series
    )


def _one(kind: str, name: str, text: str, value: float) -> str:
    return _family(kind, name, text, [({}, value)])


def _family(kind: str, name: str, text: str, series: Iterable[tuple[dict[str, str], float]]) -> str:
    return _head(kind, name, text) + "".join(_line(name, labels, value) for labels, value in series)


def _head(kind: str, name: str, text: str) -> str:
    return f"# HELP {name} {text}\n# TYPE {name} {kind}\n"


def _line(name: str, labels: dict[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escape(text)}"' for label, text in labels.items())
    return f"{name}{{{inside}}} {value:.12g}\n" if inside else f"{name} {value:.12g}\n"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


_MODE = 0o644  # for node_exporter, which has a user of its own
_TEMPORARY = ".new"  # the collector reads what ends with .prom


class MetricsFile:
    """Replaces the file as a whole. That it cannot is said once, and harms nothing."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._trouble = ""

    def show(self, text: str) -> bool:
        """Write; return whether it is written. Nothing is synced: it is written anew when the agent starts."""
        temporary = self._path + _TEMPORARY
        try:
            self._unlink(temporary)  # of an agent that was killed
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
            with open(descriptor, "wb") as stream:
                os.fchmod(descriptor, _MODE)
                stream.write(text.encode())
            os.rename(temporary, self._path)
        except OSError as error:
            self._complain(error)
            return False
        self._trouble = ""
        return True

    def close(self) -> None:
        """Remove the file: an agent that was stopped says nothing, and no metric says what was so long ago."""
        try:
            self._unlink(self._path)
        except OSError as error:
            self._complain(error)

    @staticmethod
    def _unlink(path: str) -> None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass

    def _complain(self, error: OSError) -> None:
        trouble = error.strerror or str(error)
        if trouble != self._trouble:
            self._trouble = trouble
            log.warning("the metrics cannot be written to %s: %s", self._path, trouble)


_NO_ERROR = ("", "Adopting", "OptedOut")  # causes with which ConfigOK is Unknown without anything being wrong


class MetricsOutput(Protocol):
    """Where the metrics can be had: a file, a port."""

    def show(self, text: str) -> bool:
        """Show this from now on; return whether it is shown. Never raises."""

    def close(self) -> None:
        """Show nothing any more. Never raises."""


def gauges(local: NodeState, wish: DesiredState | None, report: RunReport) -> Gauges:
    """Return how it is now. wish: None while the API has not answered; then what was answered last counts."""
    answered = local.records.answered
    good = local.records.last_known_good
    status, cause = ("", "") if report.condition is None else (report.condition.status, report.condition.cause)
    return Gauges(
        assigned=answered.source if wish is None else wish.source,
        active=local.active_record.source,
        last_known_good=None if good is None else good.source,
        error=answered.outcome is not None if not status else status != "True" and cause not in _NO_ERROR,
    )


class MetricsPublisher:
    """Keeps it up to date."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        tally: Counters,
        sinks: list[MetricsOutput],
        *,
        agent_version: str,
    ) -> None:
        self._run_directory = configuration.run_directory
        self._tally = tally
        self._sinks = sinks
        self._shown = [""] * len(sinks)
        self._agent_version = agent_version
        self._report: RunReport | None = None
        self._trouble = ""

    def show(self, local: NodeState, wish: DesiredState | None, report: RunReport) -> None:
        """Show what has changed since the last time."""
        if self._sinks:
            text = render_metrics(gauges(local, wish, report), self._tally, agent_version=self._agent_version)
            for index, sink in enumerate(self._sinks):
                if self._shown[index] != text and sink.show(text):
                    self._shown[index] = text
        self.report(report)

    def report(self, report: RunReport) -> None:
        """Show the report alone, while nothing else is known."""
        if report != self._report:
            self._write(report)

    def _write(self, report: RunReport) -> None:
        try:
            write_report(self._run_directory, report)
        except OSError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                log.warning("the report for status cannot be written: %s", error)
            return
        self._report = report
        self._trouble = ""

    def close(self) -> None:
        """The agent is being stopped: its metrics go with it."""
        for sink in self._sinks:
            sink.close()
