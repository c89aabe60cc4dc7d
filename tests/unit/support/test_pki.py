# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests' authority issues what Python 3.13 accepts, seen with any Python."""

from __future__ import annotations

import ssl
from pathlib import Path

from support.api.pki import Authority


def test_its_certificates_are_strictly_valid(tmp_path: Path) -> None:
    """Both sides verify as Python 3.13 does by default: with authority key identifiers, for one."""
    authority = Authority(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.verify_mode = ssl.CERT_REQUIRED
    server.load_cert_chain(*authority.issue_files("server", "server", addresses=["127.0.0.1", "localhost"]))
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.load_cert_chain(*authority.issue_files("n1", "system:node:n1", ["system:nodes"]))
    for context in (server, client):
        context.load_verify_locations(authority.ca_file)
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname="localhost"),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for _flight in range(3):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    assert [bool(end.getpeercert()) for end in ends] == [True, True]
