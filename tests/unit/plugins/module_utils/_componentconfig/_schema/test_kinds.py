# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All kinds of the data: every field with a value of its type, of another type, and outside its versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._registry import rule_checked_fields
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import (
    Kind,
    fact_at,
    find_kind,
    kinds,
    prune,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import known_minors
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding

NEWEST = known_minors()[-1]
GOOD: dict[str, Any] = {
    "string": "x",
    "bool": True,
    "int32": 3,
    "int64": 3,
    "int": 3,
    "float": 0.5,
    "duration": "5m30s",
    "durationOrNanoseconds": "5s",
    "quantity": "100Mi",
    "time": "2026-01-31T12:00:00Z",
    "bytes": "YWJj",
    "any": {"free": [1]},
    "objectMeta": {"name": "x"},
    "object": {},
}
BAD: dict[str, Any] = {
    "string": 5,
    "enum": 5,
    "bool": "true",
    "int32": 2**31,
    "int64": "3",
    "int": 1.5,
    "float": "0.5",
    "duration": "5 minutes",
    "durationOrNanoseconds": True,
    "quantity": "100Mib",
    "time": "yesterday",
    "bytes": "***",
    "objectMeta": "x",
    "object": "x",
}
Step = tuple[str, Mapping[str, Any]]


def leaves(fields: Mapping[str, Any], above: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    for name, field in fields.items():
        yield (*above, (name, field))
        yield from leaves(field.get("fields", {}), (*above, (name, field)))


def good(field: Mapping[str, Any], minor: int) -> Any:
    kind = fact_at(field, "type", minor)
    enum = fact_at(field, "enum", minor)
    scalar = kind[kind.index("<") + 1 : -1] if "<" in kind else kind
    if scalar.startswith("list<"):
        value: Any = ["x"]
    else:
        value = next((value for value in enum if value), "") if enum else GOOD[scalar]
    return [value] if kind.startswith("list<") else {"a": value} if kind.startswith("map<") else value


def bad(field: Mapping[str, Any], minor: int) -> Any:
    kind = fact_at(field, "type", minor)
    return "x" if "<" in kind else BAD[kind]


def document(kind: Kind, steps: tuple[Step, ...], value: Any, minor: int) -> dict[str, Any]:
    for index in range(len(steps) - 1, -1, -1):
        name, field = steps[index]
        if index < len(steps) - 1:
            outer = fact_at(field, "type", minor)
            value = [value] if outer.startswith("list<") else {"a": value} if outer.startswith("map<") else value
        value = {name: value}
    return {**value, "apiVersion": kind.api_version, "kind": kind.kind}


def findings_of(data: dict[str, Any], minor: int, *rules: str) -> list[Finding]:
    findings = check(json.dumps(data), versions=[f"1.{minor}"])
    old_name = ("kind", "warning")  # the component reads it
    return [finding for finding in findings if finding.rule in rules and (finding.rule, finding.level) != old_name]


def span(kind: Kind, steps: tuple[Step, ...]) -> tuple[int, int]:
    since = max(kind.since, *(field.get("since", 0) for _name, field in steps))
    last = min(kind.last or NEWEST, *(field.get("last", NEWEST) for _name, field in steps))
    return since, last


ROOT = Path(__file__).resolve().parents[6]


def test_every_kind_of_the_schema_is_known() -> None:
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "schema").glob("*.*.json")]
    named = {(row["apiVersion"], row["kind"]) for row in documents if row["component"] != "machines"}
    assert {(kind.api_version, kind.kind) for kind in kinds()} == named


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind}-{kind.api_version}")
def test_a_minimal_document_has_no_type_faults_and_only_in_its_versions(kind: Kind) -> None:
    data = {"apiVersion": kind.api_version, "kind": kind.kind}
    assert findings_of(data, kind.since, "type", "enum", "unknown-field", "kind") == []
    if kind.since > known_minors()[0]:
        assert [finding.level for finding in findings_of(data, kind.since - 1, "kind")] == ["component"]
    if kind.last is not None:
        assert findings_of(data, kind.last, "kind") == []
        assert [finding.level for finding in findings_of(data, kind.last + 1, "kind")] == ["component"]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind}-{kind.api_version}")
def test_every_field_is_accepted_in_its_minors_alone(kind: Kind) -> None:
    for steps in leaves(kind.fields):
        field = steps[-1][1]
        path = ".".join(name for name, _field in steps)
        if path in ("apiVersion", "kind"):
            continue
        since, last = span(kind, steps)
        for minor in sorted({since, last}):
            data = document(kind, steps, good(field, minor), minor)
            assert findings_of(data, minor, "type", "enum", "unknown-field") == [], path
        if fact_at(field, "type", since) != "any":
            # Up to 1.31 the egress selections are read with scalars as text.
            strict = last if kind.kind == "EgressSelectorConfiguration" else since
            findings = findings_of(document(kind, steps, bad(field, strict), strict), strict, "type")
            assert [finding.level for finding in findings] == ["component"], path
        # Null means absent, except for a duration that is not a pointer: Go reads it from an empty text.
        refused = fact_at(field, "type", since) == "duration" and "nullable" not in field
        findings = findings_of(document(kind, steps, None, since), since, "type", "enum", "unknown-field")
        assert [finding.rule for finding in findings] == ["type"] * refused, path
        if since > kind.since:
            findings = findings_of(document(kind, steps, good(field, since), since), since - 1, "unknown-field")
            assert len(findings) == 1, path
            assert f"from Kubernetes 1.{since}" in findings[0].message
        if last < (kind.last or NEWEST):
            findings = findings_of(document(kind, steps, good(field, last), last), last + 1, "unknown-field")
            assert len(findings) == 1, path
            assert f"up to Kubernetes 1.{last}" in findings[0].message


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind}-{kind.api_version}")
def test_values_outside_a_list_of_values_are_refused(kind: Kind) -> None:
    gated = rule_checked_fields(kind)
    for steps in leaves(kind.fields):
        field = steps[-1][1]
        path = ".".join(name for name, _field in steps)
        since, _last = span(kind, steps)
        if fact_at(field, "enum", since) and path not in gated:
            wrong: Any = "no such value"
            if fact_at(field, "type", since).startswith("list<"):
                wrong = [wrong]
            findings = findings_of(document(kind, steps, wrong, since), since, "enum")
            assert [finding.level for finding in findings] == [field.get("enumLevel", "component")], path
            assert "must be one of" in findings[0].message


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind}-{kind.api_version}")
def test_what_says_nothing_is_pruned(kind: Kind) -> None:
    head = {"apiVersion": kind.api_version, "kind": kind.kind}
    for steps in leaves(kind.fields):
        field = steps[-1][1]
        since, _last = span(kind, steps)
        outer = [fact_at(parent, "type", since) for _name, parent in steps[:-1]]
        if steps[-1][0] not in head and all(type_name == "object" for type_name in outer):
            assert prune(document(kind, steps, None, since)).get(steps[-1][0]) is None
            is_kept = prune(document(kind, steps, [] if "list" in fact_at(field, "type", since) else {}, since)) != head
            assert is_kept is any("nullable" in step or "default" in step for _name, step in steps)


def test_a_kind_with_an_unknown_name_is_not_found() -> None:
    assert find_kind("v1", "Pod") is None
    assert find_kind(None, ["x"]) is None
