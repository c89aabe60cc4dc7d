# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An issuer of OpenID tokens: without one, an API server takes no AuthenticationConfiguration that names it."""

from __future__ import annotations

import http.server
import json
import ssl
import threading
from typing import Any

from .pki import Authority

__all__ = ["RELOADS_SINCE", "Issuer"]

RELOADS_SINCE = 30
"""The minor of Kubernetes since which an API server reads such a file again."""


class Issuer:
    """Answers the requests of discovery, until it is stopped."""

    def __init__(self, authority: Authority, address: str = "127.0.0.1") -> None:
        """Serve at an address of this machine."""
        self._server = http.server.ThreadingHTTPServer((address, 0), _Discovery)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue_files("issuer", "issuer", addresses=[address]))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://{address}:{self._server.server_port}"
        self.ca = authority.ca_file.read_text()
        vars(self._server)["url"] = self.url
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def document(self, prefix: str, minor: int, *, url: str = "") -> dict[str, Any]:
        """Return an AuthenticationConfiguration whose users have a prefix. url: of another issuer."""
        version = "v1" if minor >= 34 else "v1beta1"
        issued = {"url": url or self.url, "audiences": ["configok"], "certificateAuthority": self.ca}
        mappings = {"username": {"claim": "sub", "prefix": prefix}}
        head = {"apiVersion": f"apiserver.config.k8s.io/{version}", "kind": "AuthenticationConfiguration"}
        return {**head, "jwt": [{"issuer": issued, "claimMappings": mappings}]}

    def stop(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()


class _Discovery(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = vars(self.server)["url"]
        keys = {"keys": []} if self.path == "/keys" else {"issuer": url, "jwks_uri": f"{url}/keys"}
        body = json.dumps({**keys, "id_token_signing_alg_values_supported": ["RS256"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Write nothing."""
