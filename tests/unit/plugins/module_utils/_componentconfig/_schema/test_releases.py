# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes versions and sets of them."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._releases import (
    minor_names,
    parse_minor,
)


@pytest.mark.parametrize(
    "text", ["1.27", "v1.27", "1.27.3", "v1.27.3-gke.100", "1.27+", "v1.27.0-alpha.1+abc", " 1.27 "]
)
def test_minor(text: str) -> None:
    assert parse_minor(text) == 27


@pytest.mark.parametrize("text", ["1.२७", "2.27", "1.1000", "1", "x1.27"])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ConfigError, match="not a Kubernetes version"):
        parse_minor(text)


@pytest.mark.parametrize(
    ("minors", "text"), [([], ""), ([27], "1.27"), ([20, 21, 22, 31], "1.20 to 1.22, 1.31"), ([3, 1, 3], "1.1, 1.3")]
)
def test_names(minors: list[int], text: str) -> None:
    assert minor_names(minors) == text
