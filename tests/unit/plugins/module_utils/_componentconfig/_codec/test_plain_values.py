# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Equal data have the same canonical bytes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import canonical


def test_the_canonical_form_is_sorted_and_compact() -> None:
    assert (
        canonical({"b": [1, 1.0, 1.5, True, None], "a": "\u00e9"}) == '{"a":"\u00e9","b":[1,1,1.5,true,null]}'.encode()
    )


@pytest.mark.parametrize("data", [float("nan"), {"a": float("inf")}, {1: 2}])
def test_what_json_cannot_hold(data: Any) -> None:
    with pytest.raises(ConfigError, match=r".+"):
        canonical(data)
