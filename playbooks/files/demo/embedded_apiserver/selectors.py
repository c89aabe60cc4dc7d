# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Label and field selectors of the embedded API server. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Callable

from .resources import Resource
from .statuses import bad_request

__all__ = ["Matcher", "field_matcher", "field_value", "label_matcher", "required_name"]

Matcher = Callable[[Mapping[str, Any]], bool]

_KEY = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_SET = re.compile(rf"\s*({_KEY})\s+(in|notin)\s*\(([^()]*)\)\s*")
_EQUAL = re.compile(rf"\s*({_KEY})\s*(==|=|!=)\s*({_VALUE})\s*")
_EXISTS = re.compile(rf"\s*(!?)\s*({_KEY})\s*")
_VALUE_ONLY = re.compile(_VALUE)


def _label_requirement(text: str) -> Callable[[Mapping[str, str]], bool]:
    match = _SET.fullmatch(text)
    if match:
        key, operator = match.group(1), match.group(2)
        values = frozenset(value.strip() for value in match.group(3).split(","))
        if all(_VALUE_ONLY.fullmatch(value) for value in values):
            if operator == "in":
                return lambda labels: key in labels and labels[key] in values
            return lambda labels: labels.get(key) not in values
    match = _EQUAL.fullmatch(text)
    if match:
        key, operator, value = match.groups()
        if operator == "!=":
            return lambda labels: labels.get(key) != value
        return lambda labels: key in labels and labels[key] == value
    match = _EXISTS.fullmatch(text)
    if match:
        key, absent = match.group(2), bool(match.group(1))
        return lambda labels: (key in labels) != absent
    raise bad_request(f'unable to parse requirement: "{text}" is not a label requirement')


def label_matcher(selector: str) -> Matcher | None:
    """Return a predicate over objects for `a=b,c in (d,e),!f`; None for an empty selector. Raises ApiError 400."""
    if not selector.strip():
        return None
    parts = re.findall(r"[^,(]*(?:\([^()]*\)[^,(]*)?(?:,|$)", selector)
    requirements = [_label_requirement(part.rstrip(",")) for part in parts if part.strip(", ")]
    if not requirements or "".join(parts) != selector:
        raise bad_request(f'unable to parse requirement: "{selector}" is not a label selector')

    def matches(item: Mapping[str, Any]) -> bool:
        labels = item["metadata"].get("labels") or {}
        return all(requirement(labels) for requirement in requirements)

    return matches


def field_value(item: Mapping[str, Any], field: str) -> str:
    """Return a selectable field's value, as in the real server's selectable set: absent means empty, or `false`."""
    if field == "source":
        source: Mapping[str, Any] = item.get("source") or {}
        return str(source.get("component") or item.get("reportingComponent") or "")
    value: Any = item
    for part in field.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if field == "spec.unschedulable":
        return "true" if value else "false"
    return "" if value is None else str(value)


def _field_terms(resource: Resource, selector: str) -> list[tuple[str, str, bool]]:
    terms: list[tuple[str, str, bool]] = []
    for part in selector.split(","):
        if not part.strip():
            continue
        match = re.fullmatch(r"\s*([^=!\s]+)\s*(!=|==|=)(.*)", part)
        if match is None:
            raise bad_request(f'invalid selector: "{selector}"; can\'t understand "{part}"')
        field, operator, value = match.group(1), match.group(2), match.group(3).strip()
        supported = ("metadata.name",) + (("metadata.namespace",) if resource.namespaced else ()) + resource.fields
        if field not in supported:
            raise bad_request(
                f'Unable to find "{resource.api_version}, Resource={resource.name}" that match label selector "", '
                f'field selector "{selector}": field label not supported: {field}'
            )
        terms.append((field, value, operator != "!="))
    return terms


def field_matcher(resource: Resource, selector: str) -> Matcher | None:
    """Return a predicate for `metadata.name=a,spec.unschedulable!=true`, None if that is empty. Raises ApiError 400."""
    terms = _field_terms(resource, selector)
    if not terms:
        return None
    return lambda item: all((field_value(item, field) == value) == is_equal for field, value, is_equal in terms)


def required_name(resource: Resource, selector: str) -> str:
    """Return the only name that a field selector allows, or "": for the index of watches, and for RBAC."""
    for field, value, is_equal in _field_terms(resource, selector):
        if field == "metadata.name" and is_equal:
            return value
    return ""
