# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check certificates in PEM."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^-----BEGIN CERTIFICATE-----[ \t\r]*\n.*?^-----END CERTIFICATE-----", re.DOTALL | re.MULTILINE)


def are_certificates(text: str) -> bool:
    """Return whether the text holds at least one certificate in PEM, and none that cannot be parsed."""
    import ssl  # not at the top: few configs have certificates

    blocks = _BLOCK.findall(text)
    try:
        for block in blocks:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=block)
    except (ssl.SSLError, ValueError):
        return False
    return bool(blocks)
