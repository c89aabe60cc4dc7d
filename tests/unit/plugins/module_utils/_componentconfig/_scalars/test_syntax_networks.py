# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses as Kubernetes reads them."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._syntax import (
    Url,
    is_cidr,
    is_grpc_target,
    is_ip,
    is_ip_port,
    is_port,
    network,
    split_host_port,
    split_url,
)


@pytest.mark.parametrize("text", ["10.0.0.1", "010.000.0.01", "::", "fd00::1", "::ffff:10.0.0.1"])
def test_an_ip_is_accepted(text: str) -> None:
    assert is_ip(text)


@pytest.mark.parametrize("text", ["", "10.0.0", "10.0.0.256", "host", "fe80::1%eth0", "10.0.0.1/8", " 10.0.0.1"])
def test_text_that_is_not_an_ip_is_refused(text: str) -> None:
    assert not is_ip(text)


def test_a_network_may_have_bits_below_its_mask() -> None:
    assert str(network("10.1.2.3/8")) == "10.0.0.0/8"
    assert str(network("fd00::1/64")) == "fd00::/64"
    assert network("10.0.0.0") is None


@pytest.mark.parametrize("text", ["10.0.0.0/33", "10.0.0.0/255.0.0.0", "host/8", "/8", "10.0.0.0/-1", "fd00::/129"])
def test_text_that_is_not_a_cidr_is_refused(text: str) -> None:
    assert not is_cidr(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a:1", ("a", "1")),
        (":1", ("", "1")),
        ("[::1]:2", ("::1", "2")),
        ("a:", ("a", "")),
        ("a", None),
        ("::1:2", None),
        ("[::1]", None),
        ("[::1]2", None),
        ("a]:1", None),
    ],
)
def test_host_and_port_are_split(text: str, parts: tuple[str, str] | None) -> None:
    assert split_host_port(text) == parts


def test_a_port_is_a_number_within_bounds() -> None:
    assert [is_port(text) for text in ("1", "65535", "0", "65536", "-1", "", "\u0661", "9" * 5000)] == [True] * 2 + [
        False
    ] * 6
    assert is_port("0", 0)
    assert is_ip_port("[::]:1")
    assert not is_ip_port("host:1")
    assert is_ip_port("1.2.3.4:0", 0)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://u@a:1/b?c=d#e", Url("https", "u@a:1", "/b", "c=d", "e")),
        ("unix:///run/a.sock", Url("unix", "", "/run/a.sock", "", "")),
        ("unix://@a", Url("unix", "@a", "", "", "")),
        ("HTTPS://[::1]:1", Url("https", "[::1]:1", "", "", "")),
        ("a/b", Url("", "", "a/b", "", "")),
        ("", Url("", "", "", "", "")),
        ("mailto:a", Url("mailto", "", "a", "", "")),
    ],
)
def test_a_url_is_split(text: str, url: Url) -> None:
    assert split_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "https://a:b",
        "https://a b",
        "https://a/%zz",
        "https://a\n",
        "1:2",
        "https://[::1",
        ":a",
        "https://a\\n",
        "dns://a:1:b",
    ],
)
def test_text_that_is_not_a_url_is_refused(text: str) -> None:
    assert split_url(text) is None


TARGETS = [
    "",
    "a:1",
    "a",
    "::1",
    "ipv4:1.2.3.4:5",
    "[::1]:4317",
    "u@a:1",
    "dns://a:1",
    "unix:///a",
    "UNIX:///a",
    "a:",
    "vsock:1:2",
    "a/b:c",
]
NO_TARGETS = [
    "http://a:1",
    "//a",
    "a b",
    " a",
    "a\x01",
    "a:b:c",
    "unix:a",
    "a:1*",
    "%zz",
    "%41",
    "a\\b",
    "a{b",
    "[::1",
    "a b@c",
]


def test_go_1_26_refuses_colons_in_the_host_of_web_addresses() -> None:
    texts = ("https://a:1:2/b", "dns://a:1:2", "https://[::1]:1", "https://a:1")
    assert all(split_url(text) is not None for text in texts)
    assert [split_url(text, strict_colons=True) is not None for text in texts] == [False, True, True, True]


@pytest.mark.parametrize("text", TARGETS)
def test_a_grpc_target_is_accepted(text: str) -> None:
    assert is_grpc_target(text)


@pytest.mark.parametrize("text", NO_TARGETS)
def test_text_that_is_not_a_grpc_target_is_refused(text: str) -> None:
    assert not is_grpc_target(text)
