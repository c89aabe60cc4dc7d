# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats of `configok-agent validate --output`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

Entry = Callable[[str], ModuleType]
VERSIONS = ("1.31", "1.36")


@pytest.fixture
def make_report(entry: Entry) -> Callable[..., Any]:
    """Return a function that makes a report of a file with two findings, or of others."""
    findings, reports = entry("_componentconfig.findings"), entry("_reports")

    def finding(message: str, level: str, **fields: Any) -> Any:
        fields = {"file": "a.yaml", "versions": VERSIONS, **fields}
        return findings.Finding(("maxPods",), message, "max-pods", findings.Level(level), **fields)

    def make(*rows: dict[str, Any], name: str = "a.yaml", fail_on: str = "policy", **fields: Any) -> Any:
        made = [finding(**{"message": "is wrong", "level": "component", "file": name, **row}) for row in rows]
        file = reports.FileReport(name, tuple(made))
        return reports.Report((file,), VERSIONS, findings.refusing_levels(fail_on), **fields)

    return make


@pytest.fixture
def write(entry: Entry) -> Callable[[str, Any], str]:
    """Return a function that writes a report in a format."""
    return lambda name, report: str(entry("_reports").writer_of(name)(report))


def test_text_is_a_line_for_each_finding(make_report: Any, write: Any, entry: Entry) -> None:
    report = make_report({"line": 3, "value": "-1"}, {"level": "warning", "message": "is odd\x1b[1m"})
    assert write("text", report).splitlines() == [
        "a.yaml:3: maxPods: -1: is wrong [component]",
        "a.yaml: maxPods: is odd [1m [warning]",
    ]
    summary = entry("_reports._text").summary
    assert summary(report) == "1 of 1 file fails (1 component, 1 warning); Kubernetes 1.31, 1.36"
    assert summary(make_report(is_version_assumed=True)) == (
        "1 file passes; Kubernetes 1.31, 1.36, the newest known: choose with --kubernetes-version"
    )
    nothing = make_report()._replace(files=(), skipped=("x", "y"))
    assert summary(nothing) == "no component config found; 2 files without component config skipped"
    more = make_report({"level": "warning", "omitted": 20}, {"level": "policy"}, fail_on="component")
    assert summary(more) == "1 file passes (1 policy, 20 warning); Kubernetes 1.31, 1.36"


OPEN = {"level": "not-judged", "message": "gates of Kubernetes 1.38", "why": "no data"}


def test_text_has_one_line_for_each_cause_and_its_places_if_asked(make_report: Any, write: Any, entry: Entry) -> None:
    report = make_report({**OPEN, "line": 3}, {**OPEN, "line": 5}, {"level": "warning"})
    causes = ["a.yaml: maxPods: is wrong [warning]", "not judged: gates of Kubernetes 1.38: no data (2 places)"]
    assert write("text", report).splitlines() == causes
    assert write("text", report._replace(is_verbose=True)).splitlines() == [
        "a.yaml:3: maxPods: gates of Kubernetes 1.38: no data [not-judged]",
        "a.yaml:5: maxPods: gates of Kubernetes 1.38: no data [not-judged]",
        *causes,
    ]
    summary = entry("_reports._text").summary
    assert summary(report) == "1 file is not judged in part (2 not-judged, 1 warning); Kubernetes 1.31, 1.36"
    two = report._replace(files=(*report.files, *make_report().files, *make_report({}).files))
    assert summary(two).startswith("3 files: 1 fail, 1 pass, 1 not judged in part (")


def test_what_was_not_judged_fails_a_run_only_if_asked(make_report: Any) -> None:
    assert not make_report(OPEN).has_failed
    assert make_report(OPEN, fail_on="not-judged").has_failed
    assert make_report(OPEN, fail_on="warning").has_failed
    assert not make_report({"level": "warning"}, fail_on="not-judged").has_failed


def test_every_format_shows_what_was_not_judged_as_neither_passed_nor_failed(make_report: Any, write: Any) -> None:
    report = make_report({**OPEN, "line": 3, "versions": ("1.36",)}, scope=("the host",))
    answer = json.loads(write("json", report))
    assert answer["valid"] is True
    assert answer["files"] == [{"file": "a.yaml", "valid": True, "verdict": "not judged"}]
    assert answer["findings"] == []
    assert answer["scope"] == ["the host"]
    place = {"file": "a.yaml", "line": 3, "path": "maxPods"}
    what, why = OPEN["message"], OPEN["why"]
    assert answer["not_judged"] == [{"what": what, "why": why, "count": 1, "versions": ["1.36"], "places": [place]}]
    (line,) = write("github", report).splitlines()
    assert line.startswith("::notice file=a.yaml,line=3,")
    assert line.endswith(f"::maxPods: {what}: {why}")
    root = ElementTree.fromstring(write("junit", report))
    assert root.get("failures") == "0"
    assert root.get("skipped") == "1"
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == f"not judged: {what}: {why}"
    (result,) = json.loads(write("sarif", report))["runs"][0]["results"]
    assert (result["kind"], result["level"]) == ("notApplicable", "none")


def test_json_has_all_of_it(make_report: Any, write: Any) -> None:
    answer = json.loads(write("json", make_report({"line": 3, "value": "-1"}, skipped=("x.yaml",))))
    (finding,) = answer.pop("findings")
    assert answer == {
        "valid": False,
        "versions": ["1.31", "1.36"],
        "files": [{"file": "a.yaml", "valid": False, "verdict": "fails"}],
        "skipped": ["x.yaml"],
        "not_judged": [],
        "scope": [],
    }
    assert finding == {
        "file": "a.yaml",
        "line": 3,
        "path": "maxPods",
        "value": "-1",
        "message": "is wrong",
        "level": "component",
        "rule": "max-pods",
        "versions": ["1.31", "1.36"],
        "nodes": [],
    }


def test_github_annotations_are_escaped(make_report: Any, write: Any) -> None:
    report = make_report({"line": 3, "message": "50%\r\nof a: b, c"}, {"level": "warning"}, name="a:b,c%.yaml")
    assert write("github", report).splitlines() == [
        "::error file=a%3Ab%2Cc%25.yaml,line=3,title=max-pods [component]::maxPods: 50%25%0D%0Aof a: b, c",
        "::warning file=a%3Ab%2Cc%25.yaml,line=1,title=max-pods [warning]::maxPods: is wrong",
    ]


@pytest.mark.parametrize(
    ("level", "fail_on", "command"),
    [
        ("component", "never", "error"),
        ("policy", "policy", "error"),
        ("policy", "component", "warning"),
        ("warning", "policy", "warning"),
        ("warning", "warning", "error"),
    ],
)
def test_an_error_is_what_the_component_refuses_or_what_fails(
    make_report: Any, write: Any, level: str, fail_on: str, command: str
) -> None:
    report = make_report({"level": level}, fail_on=fail_on)
    assert write("github", report).startswith(f"::{command} ")
    (result,) = json.loads(write("sarif", report))["runs"][0]["results"]
    assert result["level"] == command


def test_junit_has_a_case_for_each_file_and_version(make_report: Any, write: Any) -> None:
    report = make_report({"message": 'is <"&wrong', "versions": ("1.31",)}, {"level": "warning"}, name="ä&.yaml")
    text = write("junit", report)
    assert text.isascii()
    root = ElementTree.fromstring(text)
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "2", "1", "0")
    old, new = root
    assert [(suite.tag, suite.get("name"), suite.get("failures")) for suite in root] == [
        ("testsuite", "Kubernetes 1.31", "1"),
        ("testsuite", "Kubernetes 1.36", "0"),
    ]
    (case,) = old
    assert (case.get("name"), case.get("file")) == ("ä&.yaml (Kubernetes 1.31)", "ä&.yaml")
    failure, output = case
    assert failure.get("message") == failure.text == 'ä&.yaml: maxPods: is <"&wrong [component]'
    assert output.text == "ä&.yaml: maxPods: is wrong [warning]"
    assert [part.tag for part in new[0]] == ["system-out"]


def test_sarif_has_rules_results_and_relative_uris(make_report: Any, write: Any) -> None:
    report = make_report({"line": 3}, {"level": "warning"}, name="/src/configs/a b.yaml", directory="/src")
    log = json.loads(write("sarif", report))
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["max-pods"]
    assert all(rule[key]["text"] for rule in driver["rules"] for key in ("shortDescription", "fullDescription", "help"))
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"], second["level"]) == ("max-pods", 0, "error", "warning")
    assert first["message"]["text"] == "maxPods: is wrong"
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "configs/a%20b.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3},
            }
        }
    ]
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


@pytest.mark.parametrize(
    ("name", "directory", "path"),
    [
        ("./configs//a.yaml", "/src", "configs/a.yaml"),
        ("/src/a.yaml", "/src", "a.yaml"),
        ("/src/a.yaml", "/", "src/a.yaml"),
        ("/srcs/a.yaml", "/src", "/srcs/a.yaml"),
        ("-", "/src", "stdin"),
    ],
)
def test_paths_are_relative_to_the_working_directory(make_report: Any, name: str, directory: str, path: str) -> None:
    assert make_report(directory=directory).path_of(name) == path


@pytest.mark.parametrize("name", ["text", "json", "github", "junit", "sarif"])
def test_a_report_without_findings_is_well_formed(make_report: Any, write: Any, name: str) -> None:
    for report in (make_report(), make_report()._replace(files=())):
        text = write(name, report)
        if name in ("text", "github"):
            assert text == ""
        elif name == "junit":
            assert ElementTree.fromstring(text).get("failures") == "0"
        else:
            json.loads(text)


@pytest.mark.parametrize("name", ["text", "json", "github", "junit", "sarif"])
def test_no_format_shows_a_secret(entry: Entry, write: Any, name: str) -> None:
    text = (
        "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
        "- resources: [secrets]\n  providers:\n  - aescbc: {keys: [{name: k, secret: aHVudGVyMg==}]}\n"
    )
    findings = entry("_componentconfig.check").check(text, file="e.yaml", versions=["1.36"])
    reports, levels = entry("_reports"), tuple(entry("_componentconfig.findings").Level)
    report = reports.Report((reports.FileReport("e.yaml", tuple(findings)),), ("1.36",), levels)
    written = write(name, report)
    assert "secret" in written
    assert "aHVudGVyMg" not in written


@pytest.mark.parametrize("name", ["text", "json", "github", "junit", "sarif"])
@pytest.mark.parametrize("command", ["##vso[task.prependpath]/tmp/evil", "##[error]no", "##VSO[x]y"])
def test_no_format_has_a_command_for_a_pipeline(make_report: Any, write: Any, name: str, command: str) -> None:
    row = {"message": f"{command} is wrong", "value": command}
    text = write(name, make_report(row, name=f"{command}.yaml"))
    assert not re.search(r"##(vso)?\[", text, re.IGNORECASE)
    assert "vso" in text or "[error]" in text or "VSO" in text
    if name == "json":
        assert json.loads(text)["findings"][0]["message"] == f"{command} is wrong"
