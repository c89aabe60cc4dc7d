# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a report as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from .._agent import AGENT_VERSION
from .._componentconfig.findings import Finding, Level
from .._output import json_text
from . import Report

__all__ = ["write_sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/configok/node"
_BASE = "%SRCROOT%"


def write_sarif(report: Report) -> str:
    """Return a log with one run: a rule for each rule that was broken, a result for each finding."""
    findings = list(report.findings)
    rules = sorted({finding.rule for finding in findings})
    driver = {
        "name": "configok-agent",
        "version": AGENT_VERSION,
        "informationUri": _HOME,
        "rules": [_rule(rule) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(report, finding, rules.index(finding.rule)) for finding in findings],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: str) -> dict[str, Any]:
    text = {"text": f"The check {rule} of Kubernetes component configs"}
    return {"id": rule, "shortDescription": text, "fullDescription": text, "help": text}


def _result(report: Report, finding: Finding, rule_index: int) -> dict[str, Any]:
    # SARIF's own word for a rule that could not be applied; such a result has no level.
    is_open = finding.level is Level.NOT_JUDGED and not report.is_failing(finding)
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "kind": "notApplicable" if is_open else "fail",
        "level": "none" if is_open else "error" if report.is_error(finding) else "warning",
        "message": {"text": finding.text},
        "locations": [{"physicalLocation": _location(report, finding)}],
        "properties": {"level": finding.level.value, "kubernetesVersions": list(finding.versions)},
    }


def _location(report: Report, finding: Finding) -> dict[str, Any]:
    path = report.path_of(finding.file)
    if path.startswith("/"):
        artifact = {"uri": "file://" + quote(path)}
    else:
        artifact = {"uri": quote(path), "uriBaseId": _BASE}
    return {"artifactLocation": artifact, "region": {"startLine": finding.line or 1}}
