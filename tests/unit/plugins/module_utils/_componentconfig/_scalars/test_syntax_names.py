# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names as Kubernetes allows them."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._syntax import (
    is_dns_label,
    is_dns_name,
    is_extended_resource,
    is_label_key,
    is_label_value,
)


@pytest.mark.parametrize(
    ("text", "label", "name"),
    [
        ("a", True, True),
        ("a-1", True, True),
        ("a.b", False, True),
        ("a" * 63, True, True),
        ("a" * 64, False, True),
        ("a." * 126 + "a", False, True),
        ("a." * 127 + "a", False, False),
        ("", False, False),
        ("A", False, False),
        ("-a", False, False),
        ("a-", False, False),
        ("a..b", False, False),
        ("a\n", False, False),
    ],
)
def test_a_dns_name_consists_of_labels(text: str, label: bool, name: bool) -> None:
    assert is_dns_label(text) is label
    assert is_dns_name(text) is name


def test_a_wildcard_is_accepted_as_the_first_label_alone() -> None:
    assert is_dns_name("*.a.b", wildcard=True)
    assert not is_dns_name("*.a.b")
    assert not is_dns_name("*", wildcard=True)
    assert not is_dns_name("a.*.b", wildcard=True)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("a", True),
        ("a.b/C_d.e-f", True),
        ("a/b/c", False),
        ("/b", False),
        ("A/b", False),
        ("a/", False),
        ("a b", False),
    ],
)
def test_a_label_key_is_a_name_with_an_optional_prefix(text: str, good: bool) -> None:
    assert is_label_key(text) is good


def test_a_label_value_is_empty_or_a_short_name() -> None:
    assert [is_label_value(text) for text in ("", "A_b.c", "a" * 63, "a" * 64, "-a", "a/b")] == [True] * 3 + [False] * 3


def test_an_extended_resource_is_not_of_kubernetes() -> None:
    assert is_extended_resource("example.com/gpu")
    for text in ("cpu", "kubernetes.io/a", "a.kubernetes.io/b", "requests.a/b", "a b/c", ""):
        assert not is_extended_resource(text)
