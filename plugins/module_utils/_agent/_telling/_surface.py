# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be seen of the daemon on the node itself: its metrics, and its report for ``status``. Private to
configok.node.

Needs no API, and writes only what has changed.
"""

from __future__ import annotations

from typing import Protocol

from .._basis._configuration import AgentConfiguration
from .._basis._ports import Journal
from .._basis._tally import Tally
from .._deciding._local import Local
from .._deciding._wish import Wish
from ._metrics import Gauges, render
from ._report import Report, write_report

__all__ = ["MetricsSink", "Surface", "gauges"]

_NO_ERROR = ("", "Adopting", "OptedOut")  # causes with which ConfigOK is Unknown without anything being wrong


class MetricsSink(Protocol):
    """Where the metrics can be had: a file, a port."""

    def show(self, text: str) -> bool:
        """Show this from now on; return whether it is shown. Never raises."""

    def close(self) -> None:
        """Show nothing any more. Never raises."""


def gauges(local: Local, wish: Wish | None, report: Report) -> Gauges:
    """Return how it is now. wish: None while the API has not answered; then what was answered last counts."""
    answered = local.snapshot.answered
    good = local.snapshot.last_known_good
    status, cause = ("", "") if report.condition is None else (report.condition.status, report.condition.cause)
    return Gauges(
        assigned=answered.source if wish is None else wish.source,
        active=local.current.source,
        last_known_good=None if good is None else good.source,
        error=answered.outcome is not None if not status else status != "True" and cause not in _NO_ERROR,
    )


class Surface:
    """Keeps it up to date."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        tally: Tally,
        journal: Journal,
        sinks: list[MetricsSink],
        *,
        agent_version: str,
    ) -> None:
        self._run_directory = configuration.run_directory
        self._tally = tally
        self._journal = journal
        self._sinks = sinks
        self._shown = [""] * len(sinks)
        self._agent_version = agent_version
        self._report: Report | None = None
        self._trouble = ""

    def show(self, local: Local, wish: Wish | None, report: Report) -> None:
        """Show what has changed since the last time."""
        if self._sinks:
            text = render(gauges(local, wish, report), self._tally, agent_version=self._agent_version)
            for index, sink in enumerate(self._sinks):
                if self._shown[index] != text and sink.show(text):
                    self._shown[index] = text
        self.report(report)

    def report(self, report: Report) -> None:
        """Show the report alone, while nothing else is known."""
        if report != self._report:
            self._write(report)

    def _write(self, report: Report) -> None:
        try:
            write_report(self._run_directory, report)
        except OSError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._journal("warning", f"the report for status cannot be written: {error}")
            return
        self._report = report
        self._trouble = ""

    def close(self) -> None:
        """The agent is being stopped: its metrics go with it."""
        for sink in self._sinks:
            sink.close()
