# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that sign bundles with a key."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  signing_key:
    description:
      - The file of the key that signs. A private key, or a public key (C(.pub)) or certificate (C(-cert.pub)) whose
        private key is in C(ssh-agent) or next to it.
      - Keys in PKCS#11 and FIDO2 tokens are used through C(ssh-agent).
    type: path
  signing_passphrase:
    description:
      - The passphrase of O(signing_key), if it is encrypted. It is not the PIN of a token.
    type: str
"""
