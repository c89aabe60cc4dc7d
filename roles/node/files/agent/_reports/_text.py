# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a report as human-readable lines, one for each finding, and a summary."""

from __future__ import annotations

from .._componentconfig._findings import Level
from .._componentconfig._scalars._wording import count_of
from .._nodeconfig._untrusted import sanitize_lines
from . import Report

__all__ = ["summary", "write_text"]


def write_text(report: Report) -> str:
    """Return a line for each finding, such as `kubelet.yaml:3: maxPods: -1: must be >= 0 [component]`."""
    return "".join(sanitize_lines(f"{finding} [{finding.level}]") + "\n" for finding in report.findings)


def summary(report: Report) -> str:
    """Return how many files pass and fail, for which versions, and how many were skipped, as one line."""
    total = len(report.files)
    failed = sum(any(map(report.is_failing, file.findings)) for file in report.files)
    versions = "Kubernetes " + ", ".join(report.versions)
    if report.is_version_assumed:
        versions += ", the newest known: choose with --kubernetes-version"
    if not total:
        parts = ["no component config found"]
    elif failed:
        verb = "fails" if failed == 1 else "fail"
        parts = [f"{failed} of {count_of(total, 'file')} {verb}" + _counts(report), versions]
    else:
        parts = [count_of(total, "file") + (" passes" if total == 1 else " pass") + _counts(report), versions]
    if report.skipped:
        parts.append(f"{count_of(len(report.skipped), 'file')} without component config skipped")
    return "; ".join(parts)


def _counts(report: Report) -> str:
    """Return the number of findings of each level, " (2 component, 1 warning)"; "" without findings."""
    levels = [finding.level for finding in report.findings for _each in range(finding.omitted or 1)]
    counts = [f"{levels.count(level)} {level}" for level in Level if level in levels]
    return f" ({', '.join(counts)})" if counts else ""
