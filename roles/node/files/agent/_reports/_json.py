# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a report as JSON."""

from __future__ import annotations

from .._componentconfig.findings import Level
from .._output import json_text
from . import Report

__all__ = ["write_json"]


def write_json(report: Report) -> str:
    """Return one JSON object: the verdicts, versions, skipped files, findings, what was not judged, and the scope."""
    answer = {
        "valid": not report.has_failed,
        "versions": list(report.versions),
        "files": [
            {
                "file": file.name,
                "valid": not any(map(report.is_failing, file.findings)),
                "verdict": report.verdict_of(file).value,
            }
            for file in report.files
        ],
        "skipped": list(report.skipped),
        "findings": [finding.as_dict() for finding in report.findings if finding.level is not Level.NOT_JUDGED],
        "not_judged": [cause.as_dict() for cause in report.not_judged],
        "scope": list(report.scope),
    }
    return json_text(answer, indent=2) + "\n"
