# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Approves the CertificateSigningRequest of one new node's kubelet, in a thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from .._kube.api_client import Client
from .._kube.api_errors import Conflict, KubeError, NotFound
from .._kube.api_paths import CERTIFICATE_REQUESTS, certificate_approval, certificate_request
from .._kube.watch import watch
from .._text import sanitize
from ._certificate_request import (
    KUBELET_CLIENT_SIGNER,
    Requester,
    refuse_request,
    request_state,
    with_approval,
)

_MAX_ATTEMPTS = 5  # at an approval that others write at the same time
_MAX_REFUSED = 10  # requests that are remembered for a message
_JOIN = 10.0  # s


class CsrApprover:
    """Watches the requests for kubelets' certificates, and approves the one of the machine.

    One key gets a certificate: a second request of the same token with another key is left alone, because a token that
    has leaked is all that it takes to make one. Requests of other identities are left alone, and those of an earlier
    token with the same id. An approver of the cluster may be faster; that is as good.
    """

    def __init__(self, client: Client, requester: Requester, since: str = "") -> None:
        """since: when the token was created, as the API server writes it."""
        self._client = client
        self._requester = requester
        self._since = since
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"approve-{requester.machine}", daemon=True)
        self._lock = threading.Lock()
        self._request = ""  # spec.request of the one that fits
        self._state = ""
        self._name = ""
        self._refused: dict[str, str] = {}
        self._error = ""

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(_JOIN)

    @property
    def has_request(self) -> bool:
        """Return whether the kubelet has asked for its certificate."""
        return bool(self._request)

    @property
    def is_issued(self) -> bool:
        """Return whether the kubelet has its certificate."""
        return self._state == "issued"

    def describe(self) -> str:
        """Return what is known of the machine's request, in a few words for the end of a sentence."""
        with self._lock:
            refused = [f"CertificateSigningRequest {name} was left alone: {why}" for name, why in self._refused.items()]
            if not self._request:
                what = "its kubelet has not asked for a certificate"
            elif self._state in ("denied", "failed"):
                what = f"CertificateSigningRequest {self._name} of its kubelet was {self._state}"
            elif self._state == "approved":
                what = (
                    f"CertificateSigningRequest {self._name} of its kubelet is approved and not signed: "
                    f"the cluster needs a signer for {KUBELET_CLIENT_SIGNER}, such as kube-controller-manager"
                )
            elif self._state == "issued":
                what = "its kubelet has a certificate, and has not registered the Node"
            else:
                what = f"CertificateSigningRequest {self._name} of its kubelet is not approved"
            return "; ".join([what, *refused, *([self._error] if self._error else [])])

    def _run(self) -> None:
        events = watch(
            self._client,
            CERTIFICATE_REQUESTS,
            field_selector=f"spec.signerName={KUBELET_CLIENT_SIGNER}",
            stop=self._stop,
        )
        for event in events:
            if event.type == "ERROR":
                self._error = sanitize(event.error, 300)
            elif event.type in ("ADDED", "MODIFIED") and event.object is not None:
                self.handle(event.object)

    def handle(self, request: Mapping[str, Any]) -> None:
        """Approve this request if it is that of the machine."""
        if (request.get("spec") or {}).get("username") != self._requester.user:
            return
        # Both times are of the API server, in UTC; a request of this token cannot be older than the token.
        if str((request.get("metadata") or {}).get("creationTimestamp") or "") < self._since:
            return
        try:
            self._handle(request)
        except KubeError as error:
            self._error = sanitize(error, 300)

    def _handle(self, request: Mapping[str, Any]) -> None:
        for _attempt in range(_MAX_ATTEMPTS):
            if not self._fits(request) or request_state(request) != "pending":
                return
            name = str(request["metadata"]["name"])
            try:
                approved = self._client.replace(
                    certificate_approval(name), with_approval(request, self._requester.machine)
                )
            except NotFound:
                return
            except Conflict:
                current = self._client.find(certificate_request(name))
                if current is None:
                    return
                request = current
                continue
            self._fits(approved)
            return

    def _fits(self, request: Mapping[str, Any]) -> bool:
        """Return whether this is the request of the machine, and take note of it."""
        name = str(request["metadata"]["name"])
        why = refuse_request(request, self._requester)
        with self._lock:
            text = str((request.get("spec") or {}).get("request"))
            if not why and self._request not in ("", text):
                why = f"{self._name} with another key came first"
            if why:
                if len(self._refused) < _MAX_REFUSED:
                    self._refused[sanitize(name, 100)] = why
                return False
            self._request, self._name, self._state = text, sanitize(name, 100), request_state(request)
            return True
