# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a report as human-readable lines, one for each finding or cause, and a summary."""

from __future__ import annotations

from .._componentconfig.findings import Level, Verdict
from .._text import count_of, sanitize_lines
from . import Report

__all__ = ["summary", "write_text"]


def write_text(report: Report) -> str:
    """Return a line for each finding, such as `kubelet.yaml:3: maxPods: -1: must be >= 0 [component]`.

    What was not judged is one line for each cause; a verbose report has each place of it before that.
    """
    shown = [finding for finding in report.findings if report.is_verbose or finding.level is not Level.NOT_JUDGED]
    lines = [f"{finding} [{finding.level}]" for finding in shown]
    lines += [f"not judged: {cause}" for cause in report.not_judged]
    return "".join(sanitize_lines(line) + "\n" for line in lines)


def summary(report: Report) -> str:
    """Return how many files pass and fail, for which versions, and how many were skipped, as one line."""
    versions = "Kubernetes " + ", ".join(report.versions)
    if report.is_version_assumed:
        versions += ", the newest known: choose with --kubernetes-version"
    parts = [_verdicts(report) + _counts(report), versions] if report.files else ["no component config found"]
    if report.skipped:
        parts.append(f"{count_of(len(report.skipped), 'file')} without component config skipped")
    return "; ".join(parts)


def _verdicts(report: Report) -> str:
    """Return "1 file passes", "1 of 2 files fails", "3 files: 1 fails, 2 not judged in part" and the like."""
    verdicts = [report.verdict_of(file) for file in report.files]
    total, failed, partly = len(verdicts), verdicts.count(Verdict.FAILS), verdicts.count(Verdict.NOT_JUDGED)
    files = count_of(total, "file")
    if failed and not partly:
        return f"{failed} of {files} " + ("fails" if failed == 1 else "fail")
    if not partly:
        return files + (" passes" if total == 1 else " pass")
    if partly == total:
        return f"{files} " + ("is" if total == 1 else "are") + " not judged in part"
    passed = total - failed - partly
    counts = ((failed, "fail"), (passed, "pass"), (partly, "not judged in part"))
    return f"{files}: " + ", ".join(f"{number} {words}" for number, words in counts if number)


def _counts(report: Report) -> str:
    """Return the number of findings of each level, " (2 component, 1 warning)"; "" without findings."""
    levels = [finding.level for finding in report.findings for _each in range(finding.omitted or 1)]
    counts = [f"{levels.count(level)} {level}" for level in Level if level in levels]
    return f" ({', '.join(counts)})" if counts else ""
