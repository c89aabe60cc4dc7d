# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a report as workflow commands, of which GitHub Actions makes annotations."""

from __future__ import annotations

from .._componentconfig.findings import Finding, Level
from .._text import sanitize
from . import Report

__all__ = ["write_github"]

_OF_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_OF_PROPERTIES = {**_OF_MESSAGES, **str.maketrans({":": "%3A", ",": "%2C"})}


def write_github(report: Report) -> str:
    """Return an `::error` or `::warning` for each finding, a `::notice` for what was not judged."""
    return "".join(_annotation(report, finding) + "\n" for finding in report.findings)


def _annotation(report: Report, finding: Finding) -> str:
    properties = {
        "file": report.path_of(finding.file),
        "line": str(finding.line or 1),
        "title": f"{finding.rule} [{finding.level}]",
    }
    listed = ",".join(f"{name}={value.translate(_OF_PROPERTIES)}" for name, value in properties.items())
    is_notice = finding.level is Level.NOT_JUDGED and not report.is_failing(finding)
    command = "notice" if is_notice else "error" if report.is_error(finding) else "warning"
    return sanitize(f"::{command} {listed}::{finding.text.translate(_OF_MESSAGES)}")
