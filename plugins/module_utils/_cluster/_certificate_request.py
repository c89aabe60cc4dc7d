# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides on the CertificateSigningRequest of a new node's kubelet. Pure.

Closed by default: what a kubelet does not ask for in its bootstrap is a reason to leave a request alone. The API
server has checked the signature of the request with the key in it when the request was created.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from .._text import sanitize
from ._der import (
    CONTEXT_0,
    INTEGER,
    OBJECT_IDENTIFIER,
    PRINTABLE_STRING,
    SEQUENCE,
    SET,
    UTF8_STRING,
    DerError,
    Element,
    content,
    elements,
)

KUBELET_CLIENT_SIGNER: Final = "kubernetes.io/kube-apiserver-client-kubelet"
NODES_GROUP: Final = "system:nodes"

_COMMON_NAME = bytes((0x55, 0x04, 0x03))  # 2.5.4.3
_ORGANIZATION = bytes((0x55, 0x04, 0x0A))  # 2.5.4.10
# Since Kubernetes 1.27, kubelets with an elliptic key do not ask for key encipherment.
_USAGES = ({"digital signature", "client auth"}, {"digital signature", "key encipherment", "client auth"})
_MAX_REQUEST = 64 * 1024  # characters; that of a kubelet has some 700
_PEM_BEGIN = "-----BEGIN CERTIFICATE REQUEST-----"
_PEM_END = "-----END CERTIFICATE REQUEST-----"
_LONGEST = 100  # characters of a name that others chose, in a sentence


class Requester(NamedTuple):
    """The identity of a bootstrap token, and the machine that the token is for."""

    machine: str
    user: str
    group: str


class Subject(NamedTuple):
    """What a certificate is asked for."""

    common_name: str
    organizations: tuple[str, ...]


RequestState = Literal["pending", "approved", "denied", "failed", "issued"]


def refuse_request(request: Mapping[str, Any], requester: Requester) -> str:
    """Return why this CertificateSigningRequest is not to be approved, "" if it is exactly that of the machine."""
    spec = request.get("spec") or {}
    if spec.get("signerName") != KUBELET_CLIENT_SIGNER:
        return f"its signer is {_shown(spec.get('signerName'))} instead of {KUBELET_CLIENT_SIGNER}"
    if spec.get("username") != requester.user:
        return f"it is of {_shown(spec.get('username'))}, not of {requester.user}"
    if requester.group not in (spec.get("groups") or ()):
        return f"its user is not in the group {requester.group}"
    usages = spec.get("usages")
    if not isinstance(usages, list) or len(set(map(str, usages))) != len(usages) or {*map(str, usages)} not in _USAGES:
        return f"its usages are {_shown(usages)}, which are not those of a kubelet's client certificate"
    try:
        subject = read_subject(spec.get("request"))
    except DerError as error:
        return f"it is not the request of a kubelet: {error}"
    expected = f"system:node:{requester.machine}"
    if subject.common_name != expected:
        return f"it is for {_shown(subject.common_name)} instead of {expected}"
    if subject.organizations != (NODES_GROUP,):
        return f"its organizations are {_shown(', '.join(subject.organizations))} instead of {NODES_GROUP}"
    return ""


def request_state(request: Mapping[str, Any]) -> RequestState:
    """Return how far a CertificateSigningRequest is."""
    status = request.get("status") or {}
    conditions = {str(condition.get("type")) for condition in status.get("conditions") or ()}
    if "Denied" in conditions:
        return "denied"
    if "Failed" in conditions:
        return "failed"
    if status.get("certificate"):
        return "issued"
    return "approved" if "Approved" in conditions else "pending"


def with_approval(request: Mapping[str, Any], machine: str) -> dict[str, Any]:
    """Return the CertificateSigningRequest as it is written to approve it."""
    status = dict(request.get("status") or {})
    approval = {
        "type": "Approved",
        "status": "True",
        "reason": "ConfigokMachine",
        "message": f"approved by configok.node: the machine {machine} is being created",
    }
    return {**request, "status": {**status, "conditions": [*(status.get("conditions") or ()), approval]}}


def read_subject(encoded: object) -> Subject:
    """Return the subject of a PKCS #10 request, as it is in spec.request: PEM in base64. Raises DerError.

    A request is refused that asks for more than a subject with one name and organizations: other attributes of the
    subject, alternative names, extensions.
    """
    body, _algorithm, _signature = _exactly(3, content(_only(elements(_pem_content(encoded))), SEQUENCE))
    version, name, key, attributes = _exactly(4, content(body, SEQUENCE))
    if content(version, INTEGER) != b"\x00":
        raise DerError("its version is unknown")
    content(key, SEQUENCE)
    if content(attributes, CONTEXT_0):
        raise DerError("it asks for alternative names, extensions or other attributes")
    return _subject(content(name, SEQUENCE))


def _subject(name: bytes) -> Subject:
    common_names, organizations = [], []
    for relative_name in elements(name):
        for attribute in elements(content(relative_name, SET)):
            kind, value = _exactly(2, content(attribute, SEQUENCE))
            identifier = content(kind, OBJECT_IDENTIFIER)
            if identifier == _COMMON_NAME:
                common_names.append(_text(value))
            elif identifier == _ORGANIZATION:
                organizations.append(_text(value))
            else:
                raise DerError("its subject has more than a common name and organizations")
    if len(common_names) != 1:
        raise DerError(f"its subject has {len(common_names)} common names")
    return Subject(common_names[0], tuple(organizations))


def _text(value: Element) -> str:
    if value.tag not in (UTF8_STRING, PRINTABLE_STRING):
        raise DerError("a name is not in UTF-8")
    try:
        return value.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DerError("a name is not in UTF-8") from error


def _only(values: Sequence[Element]) -> Element:
    if len(values) != 1:
        raise DerError("it is not one request")
    return values[0]


def _exactly(count: int, data: bytes) -> list[Element]:
    values = elements(data)
    if len(values) != count:
        raise DerError(f"a sequence has {len(values)} values instead of {count}")
    return values


def _pem_content(encoded: object) -> bytes:
    if not isinstance(encoded, str) or len(encoded) > _MAX_REQUEST:
        raise DerError("it is missing or too large")
    try:
        pem = base64.b64decode(encoded, validate=True).decode("ascii")
        lines = [line.strip() for line in pem.split("\n") if line.strip()]
        if lines[:1] == [_PEM_BEGIN] and lines[-1:] == [_PEM_END]:
            return base64.b64decode("".join(lines[1:-1]), validate=True)
    except ValueError as error:
        raise DerError("it is not PEM in base64") from error
    raise DerError("it is not one PEM block")


def _shown(value: object) -> str:
    """Return a value that others chose, for a sentence."""
    return repr(sanitize(str(value), _LONGEST))
