# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which CertificateSigningRequest is that of a new machine: made with another library, damaged, and hostile."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._cluster._certificate_request import (
    Requester,
    Subject,
    read_subject,
    refuse_request,
    request_state,
    with_approval,
)
from ansible_collections.configok.node.plugins.module_utils._cluster._der import DerError
from support.api.bootstrap import certificate_request, request_pem

REQUESTER = Requester("worker-1", "system:bootstrap:cfgk07", "system:bootstrappers:configok")
KEY = ec.generate_private_key(ec.SECP256R1())
PEM = request_pem(key=KEY)


def encoded(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


def asked(pem: bytes = PEM, **spec: Any) -> dict[str, Any]:
    """Return a request as the API server stores it."""
    identity = {"username": REQUESTER.user, "groups": [REQUESTER.group, "system:authenticated"]}
    return certificate_request("node-csr-x", pem, **{**identity, **spec})


def test_the_request_of_the_machine_is_approved() -> None:
    assert refuse_request(asked(), REQUESTER) == ""
    assert refuse_request(asked(usages=["key encipherment", "digital signature", "client auth"]), REQUESTER) == ""


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"signerName": "kubernetes.io/kube-apiserver-client"}, "its signer is 'kubernetes.io/kube-apiserver-client'"),
        ({"signerName": None}, "its signer is 'None'"),
        ({"username": "system:bootstrap:cfgk08"}, "it is of 'system:bootstrap:cfgk08'"),
        ({"username": "system:bootstrap:cfgk07 "}, "it is of"),
        ({"groups": ["system:bootstrappers"]}, "not in the group system:bootstrappers:configok"),
        ({"groups": None}, "not in the group"),
        ({"usages": ["digital signature", "server auth"]}, "its usages are"),
        ({"usages": ["digital signature", "client auth", "server auth"]}, "its usages are"),
        ({"usages": ["client auth"]}, "its usages are"),
        ({"usages": ["client auth", "client auth", "digital signature"]}, "its usages are"),
        ({"usages": None}, "its usages are 'None'"),
        ({"usages": "client auth"}, "its usages are"),
        ({"usages": [{}, []]}, "its usages are"),
        ({"request": None}, "missing or too large"),
        ({"request": "A" * 100_000}, "missing or too large"),
        ({"request": "!"}, "not PEM in base64"),
        ({"request": encoded(b"\xff\xfe")}, "not PEM in base64"),
        ({"request": encoded(b"")}, "not one PEM block"),
        ({"request": encoded(PEM + PEM)}, "not PEM in base64"),
        ({"request": encoded(b"x\n" + PEM)}, "not one PEM block"),
        ({"request": encoded(PEM.replace(b"CERTIFICATE REQUEST", b"CERTIFICATE"))}, "not one PEM block"),
    ],
)
def test_other_requests_are_left_alone(changes: dict[str, Any], why: str) -> None:
    assert why in refuse_request(asked(**changes), REQUESTER)


OU = x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "x")
SECOND_NAME = x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes-admin")


@pytest.mark.parametrize(
    ("pem", "why"),
    [
        (request_pem("system:node:worker-2"), "it is for 'system:node:worker-2' instead of system:node:worker-1"),
        (request_pem("system:node:worker-1 "), "it is for"),
        (request_pem("worker-1"), "it is for 'worker-1'"),
        (request_pem("system:node:worker-1\nx\x1b[31m"), "it is for 'system:node:worker-1 x [31m'"),
        (request_pem(organizations=["system:masters"]), "its organizations are 'system:masters'"),
        (request_pem(organizations=["system:nodes", "system:masters"]), "its organizations are"),
        (request_pem(organizations=["system:nodes", "system:nodes"]), "its organizations are"),
        (request_pem(organizations=[]), "its organizations are ''"),
        (request_pem(further=[OU]), "more than a common name and organizations"),
        (request_pem(further=[SECOND_NAME]), "2 common names"),
        (request_pem(names=["worker-1"]), "alternative names, extensions or other attributes"),
    ],
)
def test_other_subjects_are_left_alone(pem: bytes, why: str) -> None:
    assert why in refuse_request(asked(pem), REQUESTER)


def test_an_empty_request_is_left_alone() -> None:
    requests: list[dict[str, Any]] = [{}, {"spec": None}, {"spec": {}}]
    for request in requests:
        assert refuse_request(request, REQUESTER)


def test_attributes_other_than_extensions_are_left_alone() -> None:
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([]))
    builder = builder.add_attribute(x509.oid.AttributeOID.CHALLENGE_PASSWORD, b"secret")
    pem = builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    with pytest.raises(DerError, match="other attributes"):
        read_subject(encoded(pem))


def test_what_openssl_and_go_write_is_read_alike() -> None:
    """One relative name may hold several attributes; the strings may be printable or UTF-8."""
    attributes = [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes", x509.name._ASN1Type.PrintableString),
        x509.NameAttribute(NameOID.COMMON_NAME, "system:node:n1", x509.name._ASN1Type.UTF8String),
    ]
    name = x509.Name([x509.RelativeDistinguishedName(attributes)])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(KEY, hashes.SHA256())
    pem = request.public_bytes(serialization.Encoding.PEM)
    assert read_subject(encoded(pem)) == Subject("system:node:n1", ("system:nodes",))
    crlf = pem.replace(b"\n", b"\r\n")
    assert read_subject(encoded(crlf)) == Subject("system:node:n1", ("system:nodes",))


DER = base64.b64decode(b"".join(PEM.splitlines()[1:-1]))


@given(st.integers(0, len(DER) - 1), st.integers(0, 255))
def test_a_damaged_request_is_refused_or_says_the_same(place: int, octet: int) -> None:
    """Whatever octet is changed, the subject that is read is in the octets."""
    damaged = DER[:place] + bytes([octet]) + DER[place + 1 :]
    body = base64.encodebytes(damaged)
    pem = b"-----BEGIN CERTIFICATE REQUEST-----\n" + body + b"-----END CERTIFICATE REQUEST-----\n"
    with contextlib.suppress(DerError):
        subject = read_subject(encoded(pem))
        assert subject.common_name.encode() in damaged
        # Anything that is approved is what the other library reads.
        if not refuse_request(asked(pem), REQUESTER):
            with contextlib.suppress(ValueError):
                read = x509.load_pem_x509_csr(pem).subject.rfc4514_string()
                assert read == "CN=system:node:worker-1,O=system:nodes"


@given(st.one_of(st.none(), st.text(), st.binary().map(encoded), st.integers(), st.lists(st.text())))
def test_any_request_is_read_or_refused(request: object) -> None:
    with contextlib.suppress(DerError):
        read_subject(request)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, "pending"),
        ({}, "pending"),
        ({"conditions": [{"type": "Approved"}]}, "approved"),
        ({"conditions": [{"type": "Approved"}], "certificate": "eA=="}, "issued"),
        ({"conditions": [{"type": "Denied"}]}, "denied"),
        ({"conditions": [{"type": "Approved"}, {"type": "Failed"}]}, "failed"),
    ],
)
def test_how_far_a_request_is(status: dict[str, Any] | None, expected: str) -> None:
    assert request_state({"status": status}) == expected


def test_an_approval_keeps_what_is_there() -> None:
    request: dict[str, Any] = {"metadata": {"resourceVersion": "7"}, "status": {"conditions": [{"type": "Other"}]}}
    approved = with_approval(request, "worker-1")
    assert approved["metadata"] == request["metadata"]
    assert [condition["type"] for condition in approved["status"]["conditions"]] == ["Other", "Approved"]
    assert "worker-1" in approved["status"]["conditions"][1]["message"]
    assert request["status"]["conditions"] == [{"type": "Other"}]
