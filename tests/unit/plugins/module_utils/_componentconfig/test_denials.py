# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of denied fields name fields that exist, and a hostile document never breaks the comparison."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._denials import (
    denials,
    own_values,
    unknown_fields,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._denied_fields import (
    DENIED_FIELDS,
    EVERYTHING,
    MAXIMA,
    DenyPolicy,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._kinds._schema import kinds

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}


@pytest.mark.parametrize("kind", sorted(DENIED_FIELDS))
def test_every_denied_field_exists(kind: str) -> None:
    assert kind in {one.kind for one in kinds()}
    assert unknown_fields(DENIED_FIELDS[kind], kind) == []
    assert unknown_fields(MAXIMA.get(kind, ()), kind) == []


def test_credentials_and_the_api_servers_files_are_denied_as_a_whole() -> None:
    for one in kinds():
        if one.component == "kube-apiserver" or one.kind == "CredentialProviderConfig":
            assert DenyPolicy().patterns(one.kind) == EVERYTHING
    assert {"clientConnection", "extenders"} == set(DenyPolicy().patterns("KubeSchedulerConfiguration"))


def test_values_of_its_own_are_the_init_config_under_the_instance_config() -> None:
    init, instance = {**HEAD, "maxPods": 1, "readOnlyPort": 1}, {"maxPods": 2}
    assert own_values("KubeletConfiguration", init, instance) == {**HEAD, "maxPods": 2, "readOnlyPort": 1}
    assert own_values("KubeProxyConfiguration", init, instance) == {"maxPods": 2}
    assert own_values("KubeletConfiguration", ["odd"], None) == {}


_ODD: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x509", "a", "verbosity"]), inner),
    max_leaves=8,
)
_FIELDS = st.sampled_from(["authentication", "logging", "staticPodPath", "evictionHard", "registerWithTaints", "x"])


@given(st.dictionaries(_FIELDS, _ODD), st.dictionaries(_FIELDS, _ODD))
def test_odd_documents_are_compared_without_a_fault(document: dict[str, Any], own: dict[str, Any]) -> None:
    found = list(denials({**HEAD, **document}, DenyPolicy(), {**HEAD, **own}, 35))
    assert {problem.rule for problem in found} <= {"denied"}
    assert list(denials({**HEAD, **document}, DenyPolicy(), {**HEAD, **document}, 35)) == [], "all are its own values"
