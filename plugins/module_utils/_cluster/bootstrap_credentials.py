# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials with which a new node's kubelet joins the cluster: for the time of its creation, and no longer."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from .._kube.api_client import Client
from .._kube.api_errors import AlreadyExists, Forbidden, KubeError, NotFound, Unauthorized
from .._kube.api_paths import SELF_SUBJECT_ACCESS_REVIEWS, SUBJECT_ACCESS_REVIEWS, node, secret
from .._kube.api_paths import secrets as secrets_of
from .._text import sanitize
from . import ClusterRefused
from ._bootstrap_objects import (
    BOOTSTRAP_LIFETIME,
    BOOTSTRAPPERS_GROUP,
    TOKEN_IDS,
    TOKEN_NAMESPACE,
    BootstrapToken,
    bootstrap_kubeconfig,
    new_token,
    secret_name,
    token_secret,
)
from ._certificate_request import Requester
from ._csr_approval import CsrApprover
from .authorities import SETUP, cluster_ca

__all__ = ["ASK_FOR_CERTIFICATE", "BOOTSTRAP_LIFETIME", "MAY_NOT_ASK", "BootstrapCredentials", "is_allowed"]

ASK_FOR_CERTIFICATE = {"group": "certificates.k8s.io", "resource": "certificatesigningrequests", "verb": "create"}
MAY_NOT_ASK = f"the group {BOOTSTRAPPERS_GROUP} may not create CertificateSigningRequests: {SETUP}"
_POLL = 1.0  # s
_TOKEN_VISIBLE = 10.0  # s until every API server knows a new token
# A kubelet without a certificate asks for one at once: a Node that was there before, and is Ready, needs none.
_NO_REQUEST = 10.0  # s

# The ids that this process uses now. Another process has others, unless one of them was killed.
_ids_lock = threading.Condition()
_ids_in_use: set[str] = set()


class BootstrapCredentials:
    """A bootstrap token for the kubelet of one machine, and the approval of its certificate, as a context manager.

    In the block, a thread approves the request of exactly this machine. Leave the block when the Node is registered
    (wait_for_node): the kubelet needs the token until it has its certificate. Then the token is deleted; it expires by
    itself if that fails, or if the process is killed.
    """

    def __init__(
        self,
        client: Client,
        *,
        machine: str,
        endpoint: str = "",
        lifetime: float = BOOTSTRAP_LIFETIME,
        sleep: Callable[[float], object] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """endpoint: the URL of the API server for nodes, "" for that of the client. lifetime: of the token, seconds."""
        self._client = client
        self._machine = machine
        self._endpoint = endpoint or client.server
        self._lifetime = lifetime
        self._sleep = sleep
        self._monotonic = monotonic
        self._wall = wall
        self._token: BootstrapToken | None = None
        self._secret_uid = ""
        self._created = ""  # when the API server has created the token
        self._kubeconfig = ""
        self._approver: CsrApprover | None = None
        self._before: Mapping[str, Any] | None = None

    @property
    def kubeconfig(self) -> str:
        """The kubeconfig with the token: a secret."""
        if not self._kubeconfig:
            raise RuntimeError("there are no bootstrap credentials outside of the block")
        return self._kubeconfig

    def __enter__(self) -> BootstrapCredentials:
        """Create the token, and check that the API server accepts it. Raises ClusterRefused and KubeError."""
        ca_certificate = cluster_ca(self._client)
        self._before = self._client.find(node(self._machine))
        self._token = _take_id()
        try:
            self._create_secret(self._token)
            self._check_token(self._token)
            requester = Requester(self._machine, self._token.user, BOOTSTRAPPERS_GROUP)
            self._approver = CsrApprover(self._client, requester, self._created)
            self._approver.start()
        except BaseException:
            self._end()
            raise
        self._kubeconfig = bootstrap_kubeconfig(self._endpoint, ca_certificate, self._token)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        """End the approval, and delete the token."""
        self._end()

    def wait_for_node(self, timeout: float, should_stop: Callable[[], bool] = lambda: False) -> str:
        """Wait until the kubelet has registered its Node; return why it has not, "" if it has.

        A Node that was there before counts when its kubelet reports again. Raises KubeError other than those that
        pass.
        """
        approver = self._approver
        if approver is None:
            raise RuntimeError("there are no bootstrap credentials outside of the block")
        start = self._monotonic()
        problem = ""
        while True:
            waited = self._monotonic() - start
            try:
                problem = ""
                current = self._client.find(node(self._machine))
            except (Forbidden, Unauthorized):
                raise
            except KubeError as error:
                problem = f"; {sanitize(error, 300)}"
            else:
                if _has_joined(
                    self._before,
                    current,
                    needs_certificate=approver.has_request and not approver.is_issued,
                    waited=waited,
                ):
                    return ""
            if waited >= timeout or should_stop():
                ended = "the run was stopped" if waited < timeout else f"after {timeout:.0f} s"
                return (
                    f"the Node {self._machine} is not registered ({ended}): {approver.describe()}{problem}; "
                    f"see the kubelet's journal on the host, and whether it reaches {self._endpoint}"
                )
            self._sleep(_POLL)

    def _create_secret(self, token: BootstrapToken) -> None:
        """Create the Secret of a token. Raises KubeError and ClusterRefused without the token in it."""
        self._token = token
        try:
            created = self._create_with_free_id(token)
        except Forbidden as error:
            raise ClusterRefused(f"{_without(token, error)}: {SETUP}") from None
        except KubeError as error:
            if token.secret in str(error):
                raise ClusterRefused(_without(token, error)) from None
            raise
        metadata = created.get("metadata") or {}
        self._secret_uid = str(metadata.get("uid") or "")
        self._created = str(metadata.get("creationTimestamp") or "")

    def _create_with_free_id(self, token: BootstrapToken) -> dict[str, Any]:
        """Create the Secret; change to another id while one is taken by another process."""
        for _each in TOKEN_IDS:
            with contextlib.suppress(AlreadyExists):
                return self._create(token)
            token = self._token = _change_id(token)
        # All are taken, in all likelihood by runs that were killed; a runner cannot read Secrets to find out. At worst,
        # the creation of a machine in another run fails, and is tried again by the next run.
        for token_id in TOKEN_IDS:
            if token_id == token.token_id or _claim_id(token_id):
                with contextlib.suppress(NotFound):
                    self._client.delete(secret(TOKEN_NAMESPACE, secret_name(token_id)))
                if token_id != token.token_id:
                    _release_id(token_id)
        return self._create(token)

    def _create(self, token: BootstrapToken) -> dict[str, Any]:
        body = token_secret(token, self._machine, self._wall(), self._lifetime)
        return self._client.create(secrets_of(TOKEN_NAMESPACE), body)

    def _check_token(self, token: BootstrapToken) -> None:
        """Raise ClusterRefused unless the API server accepts the token, and lets it ask for a certificate."""
        credentials = self._client.anonymous_credentials()._replace(token=token.text)
        start = self._monotonic()
        with Client(credentials) as client:
            while True:
                try:
                    if not is_allowed(client, ASK_FOR_CERTIFICATE):
                        raise ClusterRefused(MAY_NOT_ASK)
                    return
                except Unauthorized:
                    if self._monotonic() - start < _TOKEN_VISIBLE:
                        self._sleep(_POLL / 4)
                        continue
                    raise ClusterRefused(
                        f"the API server {self._client.server} does not accept bootstrap tokens: start kube-apiserver "
                        "with --enable-bootstrap-token-auth=true"
                    ) from None

    def _end(self) -> None:
        """End the thread, and delete the token. What cannot be deleted expires."""
        self._kubeconfig = ""
        try:
            if self._approver is not None:
                self._approver.stop()
        finally:
            token, self._token = self._token, None
            if token is not None:
                try:
                    if self._secret_uid:
                        with contextlib.suppress(KubeError):
                            path = secret(TOKEN_NAMESPACE, secret_name(token.token_id))
                            self._client.delete(path, uid=self._secret_uid)
                finally:
                    self._secret_uid = ""
                    _release_id(token.token_id)


def is_allowed(client: Client, attributes: Mapping[str, str], subject: Mapping[str, Any] | None = None) -> bool:
    """Return what an access review answers, about the client's own identity or about a subject. Raises KubeError."""
    path = SUBJECT_ACCESS_REVIEWS if subject else SELF_SUBJECT_ACCESS_REVIEWS
    kind = "SubjectAccessReview" if subject else "SelfSubjectAccessReview"
    spec = {"resourceAttributes": dict(attributes), **(subject or {})}
    review = client.create(path, {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec})
    return bool((review.get("status") or {}).get("allowed"))


def _without(token: BootstrapToken, error: KubeError) -> str:
    return sanitize(error).replace(token.secret, "...")


def _has_joined(
    before: Mapping[str, Any] | None, current: Mapping[str, Any] | None, *, needs_certificate: bool, waited: float
) -> bool:
    """Return whether the kubelet has joined. before: its Node before the creation began, if there was one."""
    if current is None:
        return False
    if before is None or before["metadata"].get("uid") != current["metadata"].get("uid"):
        return True
    if needs_certificate:
        return False
    heartbeats, ready = _heartbeats(current)
    return heartbeats != _heartbeats(before)[0] or (ready and waited >= _NO_REQUEST)


def _heartbeats(item: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
    """Return when a kubelet has reported each of its conditions, and whether the Node is Ready."""
    conditions = {
        str(condition.get("type")): condition
        for condition in (item.get("status") or {}).get("conditions") or ()
        # Once a Node is lost, the cluster writes the others, and configok-agent writes ConfigOK.
        if condition.get("status") in ("True", "False") and condition.get("type") != "ConfigOK"
    }
    ready = conditions.get("Ready", {}).get("status") == "True"
    return {kind: str(condition.get("lastHeartbeatTime")) for kind, condition in conditions.items()}, ready


def _take_id() -> BootstrapToken:
    """Return a token with an id that this process does not use; wait until one is free."""
    with _ids_lock:
        while True:
            free = [token_id for token_id in TOKEN_IDS if token_id not in _ids_in_use]
            if free:
                token_id = secrets.choice(free)
                _ids_in_use.add(token_id)
                return new_token(token_id)
            _ids_lock.wait()


def _change_id(token: BootstrapToken) -> BootstrapToken:
    """Return the token with the next id that this process does not use, or the same if there is none."""
    with _ids_lock:
        start = TOKEN_IDS.index(token.token_id)
        for token_id in (*TOKEN_IDS[start + 1 :], *TOKEN_IDS[:start]):
            if token_id not in _ids_in_use:
                _ids_in_use.remove(token.token_id)
                _ids_in_use.add(token_id)
                return token._replace(token_id=token_id)
    return token


def _claim_id(token_id: str) -> bool:
    """Return whether this process did not use the id; it does now."""
    with _ids_lock:
        if token_id in _ids_in_use:
            return False
        _ids_in_use.add(token_id)
        return True


def _release_id(token_id: str) -> None:
    with _ids_lock:
        _ids_in_use.discard(token_id)
        _ids_lock.notify()
