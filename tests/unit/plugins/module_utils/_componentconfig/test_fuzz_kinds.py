# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of every kind and version, made from the data: decoding loses nothing, and checks are reproducible."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import canonical
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._defaults import apply_defaults
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._type_check import check_types
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import Kind, kinds, prune
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.objects import broken_configs, configs, minors_of
from support.fuzz.settings import fuzz

EVERY_KIND = pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind} {kind.api_version}")


@EVERY_KIND
@fuzz(3)
@given(st.data())
def test_every_object_is_unchanged_by_a_round_trip(kind: Kind, data: st.DataObject) -> None:
    minor = data.draw(st.sampled_from(minors_of(kind)))
    config = data.draw(configs(kind, minor))
    before = deepcopy(config)

    # Encoding and decoding it returns the same data, and the same text the second time.
    text = encode(config)
    document = decode(text)
    assert (document.data, document.findings) == (config, ())
    assert encode(document.data) == text

    # It has the types of its version: only rules have findings, the same twice.
    assert check_types(config, kind, minor, is_json=False).findings == []
    findings = check(text, versions=[f"1.{minor}"])
    assert check(document, versions=[f"1.{minor}"]) == findings
    refusals = {finding.rule for finding in findings if finding.is_refusal}  # an old name of a kind is a warning
    assert not refusals & {"type", "enum", "unknown-field", "kind", "duplicate"}

    # Its resolved form has them too, and stays the same if resolved again or pruned first.
    resolved = apply_defaults(config, kind, minor)
    assert check_types(resolved, kind, minor, is_json=False).findings == []
    assert apply_defaults(resolved, kind, minor) == resolved
    pruned = prune(config)
    assert prune(pruned) == pruned
    assert canonical(prune(apply_defaults(pruned, kind, minor))) == canonical(prune(resolved))
    assert config == before


@EVERY_KIND
@fuzz(2)
@given(st.data())
def test_every_broken_object_has_the_same_findings_twice(kind: Kind, data: st.DataObject) -> None:
    """A value of a wrong type, or an unknown field: findings, defaults and pruning are the same the second time."""
    minor = data.draw(st.sampled_from(minors_of(kind)))
    config = data.draw(broken_configs(kind, minor))
    text = encode(config)
    assert decode(text).data == config
    assert check(text, versions=[f"1.{minor}"]) == check(text, versions=[f"1.{minor}"])
    resolved = apply_defaults(config, kind, minor)
    assert apply_defaults(resolved, kind, minor) == resolved
    assert prune(prune(config)) == prune(config)
