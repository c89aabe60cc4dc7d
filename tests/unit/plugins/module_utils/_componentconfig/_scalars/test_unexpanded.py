# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that another program replaces first."""

from __future__ import annotations

import time

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._unexpanded import (
    is_unexpanded,
    without_unexpanded_parts,
)


@pytest.mark.parametrize(
    "text",
    [
        "${SNAP_DATA}/certs/ca.crt",
        "a${X}b",
        "${NODE_IP:-${OTHER}}",
        "${{ inputs.version }}",
        "$(hostname)",
        "$(HOST_IP)",
        "$(ip addr (x))",
        "`hostname -f`",
        "$NODE_IP",
        "/var/$NAME/ca.crt",
        "a,$b",
        "{{ jinja }}",
        "{{max_pods}}",
        "{{- .Values.x -}}",
        "{% if a %}b",
        "<%= @ip %>",
        "kubelet-%i",
        "%H",
        "/run/%n/x",
    ],
)
def test_a_variable_a_command_or_a_template_is_unexpanded(text: str) -> None:
    assert is_unexpanded(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "^[a-z]+$",
        "^$",
        "(foo|bar)$",
        "$6$rounds=5000$abc$ABCdef",
        "pa$word",
        "10%",
        "memory.available<5%",
        "5%,nodefs.available<10%",
        "/a%2Fb%20c",
        "http://a/%E2%82%AC",
        "user '%s' and %d",
        '{"a":{"b":{}}}',
        "{'a': {'b': 1}}",
        "a < b > c",
        "node-role.kubernetes.io/worker=",
        "the field `x` of `y`",
        "$",
        "100 $ each",
        None,
        7,
        True,
        ["${A}"],
        {"a": "${A}"},
    ],
)
def test_other_values_with_such_signs_are_not(text: object) -> None:
    assert not is_unexpanded(text)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a=b,c=${X},d=e", "a=b,d=e"),
        ("${X:-a,b},c", "c"),
        ("{{ a | join(',') }},b=c", "b=c"),
        ("${X}", ""),
        ("a,b", "a,b"),
        ("", ""),
    ],
)
def test_the_parts_of_a_list_without_a_variable_are_left(text: str, rest: str) -> None:
    assert without_unexpanded_parts(text) == rest


@pytest.mark.parametrize("piece", ["${", "$(", "{{", "{%", "<%", "${a{b}", "$(a(b)", "$a", "%i", "`", "{{a}", "}"])
def test_hostile_text_takes_no_time(piece: str) -> None:
    began = time.monotonic()
    is_unexpanded(piece * 100_000)
    without_unexpanded_parts(piece * 100_000)
    assert time.monotonic() - began < 15
