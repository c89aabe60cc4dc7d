# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a report as JUnit XML: a test suite for each Kubernetes version, a test case for each file."""

from __future__ import annotations

from xml.etree import ElementTree

from .._componentconfig.findings import Finding, not_judged_causes
from .._text import sanitize
from . import FileReport, Report

__all__ = ["write_junit"]


def write_junit(report: Report) -> str:
    """Return the report as XML.

    A failure holds the findings that fail the run, system-out the others. A case without a failure in which something
    was not judged is skipped, with what and why.
    """
    suites = [_suite(report, version) for version in report.versions]
    root = ElementTree.Element("testsuites", {"name": "configok-agent validate", **_totals(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root).decode() + "\n"


def _suite(report: Report, version: str) -> ElementTree.Element:
    cases = [_case(report, file, version) for file in report.files]
    counts = {
        name: str(sum(case.find(element) is not None for case in cases))
        for name, element in (("failures", "failure"), ("skipped", "skipped"))
    }
    attributes = {"name": f"Kubernetes {version}", "tests": str(len(cases)), "errors": "0", **counts}
    suite = ElementTree.Element("testsuite", attributes)
    suite.extend(cases)
    return suite


def _case(report: Report, file: FileReport, version: str) -> ElementTree.Element:
    path = sanitize(report.path_of(file.name))
    case = ElementTree.Element("testcase", classname=path, name=f"{path} (Kubernetes {version})", file=path)
    findings = [finding for finding in file.findings if not finding.versions or version in finding.versions]
    failing = [finding for finding in findings if report.is_failing(finding)]
    others = [finding for finding in findings if not report.is_failing(finding)]
    causes = not_judged_causes(others)
    if failing:
        failure = ElementTree.SubElement(
            case, "failure", type=failing[0].level.value, message=sanitize(f"{failing[0]} [{failing[0].level}]")
        )
        failure.text = _lines(failing)
    elif causes:
        ElementTree.SubElement(case, "skipped", message=sanitize("not judged: " + "; ".join(map(str, causes))))
    if others:
        ElementTree.SubElement(case, "system-out").text = _lines(others)
    return case


def _lines(findings: list[Finding]) -> str:
    return "\n".join(sanitize(f"{finding} [{finding.level}]") for finding in findings)


def _totals(suites: list[ElementTree.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in names}
