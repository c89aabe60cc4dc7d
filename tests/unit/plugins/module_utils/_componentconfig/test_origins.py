# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every field has its layer of origin, and the layers that it overrides."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import merge
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import value_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import merge_documents, origins_of
from support.fuzz.settings import fuzz

VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
)
LAYERS = st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), min_size=1, max_size=4)


def test_origins_are_human_readable_lines_and_data() -> None:
    base = decode("maxPods: 110\nevictionHard:\n  memory.available: 1Gi\n", file="base.yaml")
    site = decode("maxPods: 60\nclusterDNS: [10.0.0.10]\n", file="site.yaml")
    pool = decode("# more\nmaxPods: 200\n", file="pool.yaml")
    layers = [base, site, pool]
    origins = origins_of(layers, merge_documents(layers).data)
    assert [str(origin) for origin in origins] == [
        "maxPods: 200 (pool.yaml:2), not 60 (site.yaml:1), 110 (base.yaml:1)",
        'evictionHard[memory.available]: "1Gi" (base.yaml:3)',
        'clusterDNS: ["10.0.0.10"] (site.yaml:2)',
    ]
    assert origins[0].as_dict() == {
        "path": "maxPods",
        "value": "200",
        "file": "pool.yaml",
        "line": 2,
        "overrides": [
            {"value": "60", "file": "site.yaml", "line": 1},
            {"value": "110", "file": "base.yaml", "line": 1},
        ],
    }


def test_secrets_are_not_shown() -> None:
    layers = [decode("token: abcdef\n", file="a"), decode("token: ghijkl\n", file="b")]
    (origin,) = origins_of(layers, merge_documents(layers).data)
    assert str(origin) == "token: (a secret, not shown) (b:1), not (a secret, not shown) (a:1)"


@fuzz(300)
@given(LAYERS)
def test_the_layer_that_is_named_holds_the_value(data: list[dict[str, Any]]) -> None:
    layers = [decode(json.dumps(layer), file=str(number)) for number, layer in enumerate(data)]
    merged = merge_documents(layers).data
    origins = origins_of(layers, merged)
    for winner in origins:
        assert value_at(merged, winner.path) == winner.value
        for origin in (winner, *winner.overrides):
            held = value_at(data[int(origin.file)], origin.path)
            assert (merge([held]) if isinstance(held, dict) else held) == origin.value
        assert sorted([int(origin.file) for origin in (winner, *winner.overrides)], reverse=True) == [
            int(origin.file) for origin in (winner, *winner.overrides)
        ]
    assert (not origins) == (not merged)
