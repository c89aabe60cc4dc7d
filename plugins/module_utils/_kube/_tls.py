# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS to an API server from credentials. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import os
import ssl

from ._credentials_types import Credentials
from ._errors import CredentialsError

__all__ = ["ssl_context"]


def ssl_context(credentials: Credentials) -> ssl.SSLContext:
    """Return the TLS context for credentials; raise CredentialsError where a file cannot be used."""
    try:
        cadata = credentials.ca_data.decode("ascii") if credentials.ca_data else None
        context = ssl.create_default_context(cafile=None if cadata else credentials.ca_file, cadata=cadata)
    except (OSError, ValueError) as exc:
        raise CredentialsError(f"the CA {credentials.ca_file or '(inline)'} cannot be used: {exc}") from exc
    # Python 3.13 refuses CAs without an authority key id, which clusters have and every other client accepts.
    context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
    if not credentials.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if credentials.cert_file or credentials.cert_data:
        _load_client_certificate(context, credentials)
    return context


def _load_client_certificate(context: ssl.SSLContext, credentials: Credentials) -> None:
    if not credentials.key_file and not credentials.key_data:
        raise CredentialsError(f"the client certificate {credentials.cert_file or '(inline)'} has no key")
    try:
        if not credentials.cert_data and not credentials.key_data and credentials.cert_file:
            context.load_cert_chain(credentials.cert_file, credentials.key_file, password=_no_password)
            return
        import tempfile  # half a megabyte, and most nodes have files

        # The ssl module reads certificates only from files: a private directory for the moment of reading.
        with tempfile.TemporaryDirectory(prefix="configok-") as directory:
            cert = credentials.cert_file
            if credentials.cert_data:
                cert = _private_file(directory, "cert", credentials.cert_data)
            key = credentials.key_file
            if credentials.key_data:
                key = _private_file(directory, "key", credentials.key_data)
            context.load_cert_chain(str(cert), key, password=_no_password)
    except (OSError, ValueError) as exc:
        names = " and ".join(name or "(inline)" for name in (credentials.cert_file, credentials.key_file))
        raise CredentialsError(f"the client certificate and key {names} cannot be used: {exc}") from exc


def _private_file(directory: str, name: str, data: bytes) -> str:
    path = os.path.join(directory, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(data)
    return path


def _no_password() -> str:
    """Answer for an encrypted key: without this OpenSSL would ask on the terminal and hang a daemon."""
    raise ValueError("the key is encrypted")
