# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the server of a gate is reached: its address, certificates and token. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from ..._nodeconfig.strict_mapping import StrictFields, boolean
from .._pool_values import required_text, setting, take_settings

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _variable(value: Any) -> str:
    # The value is not shown: it may be the token itself.
    if not isinstance(value, str) or not _VARIABLE.match(value):
        raise ValueError("must be the name of an environment variable, which holds the token")
    return value


def _url(value: Any) -> str:
    url = _url_with_query(value)
    if urlsplit(url).query:
        raise ValueError("must be the address of the server, without a query")
    return url.rstrip("/")


def _url_with_query(value: Any) -> str:
    # Never shown as a whole: a URL may hold a password.
    line = required_text(value)
    parts = _split(line)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be a URL such as https://prometheus.example.com:9090")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a password: give a token with tokenFile or tokenVariable")
    if parts.fragment or not line.isascii() or not line.isprintable() or " " in line:
        raise ValueError("must be a URL of printable ASCII characters without spaces and without a fragment")
    return line


def _split(line: str) -> SplitResult | None:
    try:
        parts = urlsplit(line)
        parts.port  # noqa: B018 - raises ValueError for one that is not a number
    except ValueError:
        return None
    return parts


@dataclass(frozen=True)
class ServerAccess:
    """How a server is reached. ca_cert, token_file: paths. token_variable: the environment variable with the token."""

    url: str
    ca_cert: str = setting(required_text, "")
    validate_certs: bool = setting(boolean, True)
    token_file: str = setting(required_text, "")
    token_variable: str = setting(_variable, "")


def parse_access(fields: StrictFields, *, allow_query: bool = False) -> ServerAccess:
    """Return the access in the fields of a gate; errors are collected in them. allow_query: of the URL."""
    url = fields.require("url", _url_with_query if allow_query else _url, "")
    access = take_settings(ServerAccess, fields, url=url)
    if access.token_file and access.token_variable:
        fields.error("tokenVariable", None, "give either tokenFile or tokenVariable, not both")
    if access.ca_cert and not access.validate_certs:
        fields.error("caCert", None, "has no effect with validateCerts: false")
    server = urlsplit(access.url)
    key = "tokenFile" if access.token_file else "tokenVariable" if access.token_variable else ""
    if key and server.scheme == "http" and server.hostname not in _LOOPBACK:
        fields.error(key, None, "needs a URL with https: over http, anyone on the network path could read the token")
    return access
