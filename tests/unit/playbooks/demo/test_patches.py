# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from embedded_apiserver.patches import (
    json_patch,
    merge_patch,
    strategic_merge_patch,
)
from embedded_apiserver.statuses import ApiError

# RFC 7386, appendix A: original, patch, result.
RFC_7386 = [
    ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'),
    ('{"a":"b"}', '{"a":null}', "{}"),
    ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
    ('{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'),
    ('{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'),
    ('{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'),
    ('["a","b"]', '["c","d"]', '["c","d"]'),
    ('{"a":"b"}', '["c"]', '["c"]'),
    ('{"a":"foo"}', "null", "null"),
    ('{"a":"foo"}', '"bar"', '"bar"'),
    ('{"e":null}', '{"a":1}', '{"e":null,"a":1}'),
    ("[1,2]", '{"a":"b","c":null}', '{"a":"b"}'),
    ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
]


@pytest.mark.parametrize(("original", "patch", "result"), RFC_7386)
def test_merge_patch(original: str, patch: str, result: str) -> None:
    assert merge_patch(json.loads(original), json.loads(patch)) == json.loads(result)


def node(**types: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": key, "status": value} for key, value in types.items()]}}


@pytest.mark.parametrize(
    ("original", "patch", "result"),
    [
        (node(A="1", B="2"), node(B="3"), node(A="1", B="3")),
        (node(A="1"), node(B="2"), node(B="2", A="1")),
        ({}, node(B="2"), node(B="2")),
        ({"spec": {"taints": [1, 2]}}, {"spec": {"taints": [3]}}, {"spec": {"taints": [3]}}),
        ({"metadata": {"finalizers": ["a"]}}, {"metadata": {"finalizers": ["b", "a"]}}, None),
        ({"a": {"b": 1}}, {"a": {"b": None, "c": None}}, {"a": {}}),
        ({"a": {"b": 1}}, {"a": {"$patch": "replace", "c": 1}}, {"a": {"c": 1}}),
        ({"a": {"b": 1}}, {"a": {"$patch": "delete"}}, {"a": {}}),
        ({"a": 1}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    ],
)
def test_strategic_merge_patch(original: Any, patch: Any, result: Any) -> None:
    before = copy.deepcopy((original, patch))
    merged = strategic_merge_patch(original, patch, kind="Node")
    if result is None:
        assert sorted(merged["metadata"]["finalizers"]) == ["a", "b"]
    else:
        assert merged == result
    assert (original, patch) == before


def test_conditions_merge_in_nodes_only() -> None:
    assert strategic_merge_patch(node(A="1"), node(B="2"), kind="ConfigMap") == node(B="2")


@pytest.mark.parametrize(
    "patch",
    [
        {"status": {"$setElementOrder/conditions": [{"type": "A"}]}},
        {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}},
        {"status": {"$retainKeys": ["a"]}},
        {"new": {"$patch": "delete"}},
        {"status": {"conditions": [{"type": "New", "deep": {"$patch": "replace"}}]}},
    ],
)
def test_unsupported_directives_are_refused(patch: Any) -> None:
    with pytest.raises(ApiError) as caught:
        strategic_merge_patch(node(A="1"), patch, kind="Node")
    assert caught.value.code == 501


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"status": {"conditions": [{"status": "1"}]}}, 500),
        ({"status": {"conditions": [{"type": "A", "$patch": "merge"}]}}, 400),
        ({"status": {"conditions": ["A"]}}, 400),
        ({"status": {"$patch": "what"}}, 400),
    ],
)
def test_strategic_patches_that_make_no_sense_are_refused(patch: Any, code: int) -> None:
    with pytest.raises(ApiError) as caught:
        strategic_merge_patch(node(A="1"), patch, kind="Node")
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("operations", "result"),
    [
        ([{"op": "add", "path": "/c", "value": 1}], {"a": {"b": [1, 2]}, "c": 1}),
        ([{"op": "add", "path": "/a/b/-", "value": 3}], {"a": {"b": [1, 2, 3]}}),
        ([{"op": "add", "path": "/a/b/0", "value": 0}], {"a": {"b": [0, 1, 2]}}),
        ([{"op": "remove", "path": "/a/b/0"}], {"a": {"b": [2]}}),
        ([{"op": "replace", "path": "/a/b", "value": None}], {"a": {"b": None}}),
        ([{"op": "move", "from": "/a/b", "path": "/x~1y~0"}], {"a": {}, "x/y~": [1, 2]}),
        ([{"op": "copy", "from": "/a/b/1", "path": "/c"}], {"a": {"b": [1, 2]}, "c": 2}),
        ([{"op": "test", "path": "/a/b/1", "value": 2}], {"a": {"b": [1, 2]}}),
        ([{"op": "replace", "path": "", "value": {}}], {}),
    ],
)
def test_a_json_patch_is_applied_to_a_copy(operations: Any, result: Any) -> None:
    original = {"a": {"b": [1, 2]}}
    assert json_patch(original, operations) == result
    assert original == {"a": {"b": [1, 2]}}


@pytest.mark.parametrize(
    ("operations", "code"),
    [
        ({}, 400),
        ([{"op": "add"}], 400),
        ([{"op": "add", "path": "/x"}], 422),
        ([{"op": "what", "path": "/x"}], 422),
        ([{"op": "add", "path": "x", "value": 1}], 422),
        ([{"op": "remove", "path": "/x"}], 422),
        ([{"op": "replace", "path": "/x", "value": 1}], 422),
        ([{"op": "add", "path": "/a/b/7", "value": 1}], 422),
        ([{"op": "remove", "path": "/a/b/-"}], 422),
        ([{"op": "test", "path": "/a/b/0", "value": 9}], 422),
        ([{"op": "add", "path": "/a/b/0/c", "value": 9}], 422),
    ],
)
def test_json_patch_refuses(operations: Any, code: int) -> None:
    with pytest.raises(ApiError) as caught:
        json_patch({"a": {"b": [1, 2]}}, operations)
    assert caught.value.code == code
