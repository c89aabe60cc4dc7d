# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config source annotation: valid NodeConfigSources, and the causes of refusals."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    ConfigSource,
    InvalidConfigSource,
)
from support.fuzz.settings import fuzz

UID = "5f1c6dd2-8d3c-4d7a-9e57-0c6c0b1c2a11"
GOOD = {"configMap": {"namespace": "configok-system", "name": "workers-0123456789", "uid": UID}}


def without(part: str) -> dict[str, object]:
    return {"configMap": {key: value for key, value in GOOD["configMap"].items() if key != part}}


def replaced(part: str, value: object) -> dict[str, object]:
    return {"configMap": {**GOOD["configMap"], part: value}}


@pytest.mark.contract("source.annotation")
def test_round_trip_is_stable() -> None:
    source = ConfigSource.parse(json.dumps(GOOD))
    assert source == ConfigSource("configok-system", "workers-0123456789", UID)
    assert ConfigSource.parse(source.encode()) == source
    assert json.loads(source.encode()) == GOOD


@pytest.mark.contract("source.correct", "source.invalid")
@pytest.mark.parametrize(
    ("value", "cause"),
    [
        ({}, "exactly one subfield must be non-nil, but all were nil"),
        ({"configMap": None}, "exactly one subfield must be non-nil, but all were nil"),
        ({**GOOD, "secret": {}}, "exactly one subfield must be non-nil, but 2 were: configMap, secret"),
        ({"secret": {}}, "unknown subfield 'secret', only configMap is known"),
        ([], "it must be a JSON object"),
        ("x", "it must be a JSON object"),
        ({"configMap": "x"}, "configMap must be a JSON object"),
        (without("namespace"), "configMap.namespace must be set"),
        (without("name"), "configMap.name must be set"),
        (without("uid"), "configMap.uid must be set"),
        (replaced("uid", ""), "configMap.uid must be set"),
        (replaced("uid", 5), "configMap.uid must be set"),
        (replaced("uid", "../../etc/passwd"), "configMap.uid must be 36 hexadecimal digits and hyphens"),
        (replaced("uid", UID + "\n"), "configMap.uid must be 36 hexadecimal digits and hyphens"),
        (replaced("namespace", "../baz"), "configMap.namespace must be a DNS label"),
        (replaced("name", "../bar"), "configMap.name must be a DNS subdomain"),
        (replaced("kubeletConfigKey", "kubelet"), "unknown field configMap.kubeletConfigKey"),
    ],
)
def test_what_is_refused_and_why(value: object, cause: str) -> None:
    with pytest.raises(InvalidConfigSource) as caught:
        ConfigSource.parse(json.dumps(value))
    assert str(caught.value) == f"invalid NodeConfigSource, {cause}"


@pytest.mark.contract("source.invalid")
@pytest.mark.parametrize("text", ["", "{", "nonsense", "[" * 100000, '{"configMap":'])
def test_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidConfigSource, match=r"^invalid NodeConfigSource, it is not JSON"):
        ConfigSource.parse(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["configMap", "name", "uid", "namespace"]), inner),
    max_leaves=10,
)


@fuzz(100)
@given(json_values)
def test_any_json_is_a_source_or_a_cause(value: object) -> None:
    try:
        source = ConfigSource.from_dict(value)
    except InvalidConfigSource as error:
        cause = str(error)
    else:
        assert ConfigSource.parse(source.encode()) == source
        return
    assert cause.startswith("invalid NodeConfigSource, ")


@fuzz(100)
@given(st.text())
def test_any_text_is_a_source_or_a_cause(text: str) -> None:
    with pytest.raises(InvalidConfigSource):
        ConfigSource.parse(text)
