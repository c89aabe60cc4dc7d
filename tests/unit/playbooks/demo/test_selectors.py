# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from embedded_apiserver.resources import RESOURCES
from embedded_apiserver.selectors import (
    field_matcher,
    label_matcher,
    required_name,
)
from embedded_apiserver.statuses import ApiError

NODES, EVENTS = (next(resource for resource in RESOURCES if resource.name == name) for name in ("nodes", "events"))


def labelled(**labels: str) -> dict[str, Any]:
    return {"metadata": {"name": "n", "labels": labels}}


@pytest.mark.parametrize(
    ("selector", "yes", "no"),
    [
        ("a=1", [{"a": "1"}], [{}, {"a": "2"}]),
        (" a == 1 ", [{"a": "1"}], [{}]),
        ("a!=1", [{}, {"a": "2"}], [{"a": "1"}]),
        ("a in (1, 2),b", [{"a": "2", "b": ""}], [{"a": "2"}, {"a": "3", "b": ""}]),
        ("a notin (1,2)", [{}, {"a": "3"}], [{"a": "1"}]),
        ("!a", [{}], [{"a": ""}]),
        ("a", [{"a": ""}], [{}]),
        ("example.com/a-b_c.d=x", [{"example.com/a-b_c.d": "x"}], [{}]),
        ("a=", [{"a": ""}], [{}, {"a": "1"}]),
    ],
)
def test_a_label_selector_matches_as_in_kubernetes(
    selector: str, yes: list[dict[str, str]], no: list[dict[str, str]]
) -> None:
    matches = label_matcher(selector)
    assert matches is not None
    assert all(matches(labelled(**labels)) for labels in yes)
    assert not any(matches(labelled(**labels)) for labels in no)


def test_a_negative_selector_matches_an_object_without_labels() -> None:
    matches = label_matcher("a!=1")
    assert matches is not None
    assert matches({"metadata": {"name": "n"}})
    assert label_matcher("") is None


@pytest.mark.parametrize("selector", ["a in (1", "a in 1", "=1", "a b", "a/b/c", "a=b c", "a>1", ","])
def test_label_selectors_that_make_no_sense_are_refused(selector: str) -> None:
    with pytest.raises(ApiError) as caught:
        label_matcher(selector)
    assert caught.value.code == 400


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("metadata.name=n", True),
        ("metadata.name!=n", False),
        ("spec.unschedulable=false", True),
        ("spec.unschedulable=true,metadata.name=n", False),
    ],
)
def test_a_field_selector_matches_as_in_kubernetes(selector: str, expected: bool) -> None:
    matches = field_matcher(NODES, selector)
    assert matches is not None
    assert matches({"metadata": {"name": "n"}, "spec": {}}) is expected


def test_events_are_selected_by_their_own_fields() -> None:
    event = {"metadata": {"name": "e"}, "involvedObject": {"kind": "Node", "name": "n"}, "source": {"component": "c"}}
    for selector in ("involvedObject.kind=Node,involvedObject.name=n", "source=c", "involvedObject.namespace="):
        matches = field_matcher(EVENTS, selector)
        assert matches is not None
        assert matches(event)


@pytest.mark.parametrize("selector", ["spec.podCIDR=x", "metadata.namespace=x", "name"])
def test_unknown_fields_are_refused(selector: str) -> None:
    with pytest.raises(ApiError) as caught:
        field_matcher(NODES, selector)
    assert caught.value.code == 400


def test_a_selector_of_one_name_is_recognised() -> None:
    assert required_name(NODES, "spec.unschedulable=true,metadata.name=n") == "n"
    assert required_name(NODES, "metadata.name!=n") == ""
    assert required_name(NODES, "") == ""
