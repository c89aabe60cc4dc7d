# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate authority for tests: elliptic keys, made in milliseconds."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["Authority", "private_key_pem"]

_CA_USAGE = x509.KeyUsage(
    digital_signature=True,
    key_cert_sign=True,
    crl_sign=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


def private_key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the key as PEM, unencrypted."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


class Authority:
    """Issues certificates for servers and users; its own is `ca_file`."""

    def __init__(self, directory: Path) -> None:
        """Make a new authority with its files in `directory`."""
        self.directory = directory
        self.ca_file = directory / "ca.crt"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "configok-tests")])
        certificate = (
            self._builder(self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_CA_USAGE, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        directory.mkdir(parents=True, exist_ok=True)
        self.ca_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def write_key(self) -> Path:
        """Write the authority's own key, for a controller that signs requests, and return the path."""
        path = self.directory / "ca.key"
        path.touch(mode=0o600)
        path.write_bytes(private_key_pem(self._key))
        return path

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, not_after: datetime.datetime | None = None
    ) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.timezone.utc)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(minutes=5))
            .not_valid_after(not_after or now + datetime.timedelta(days=2))
            # Python 3.13 demands both: VERIFY_X509_STRICT is in its default contexts.
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )

    def issue(
        self,
        common_name: str,
        organizations: Sequence[str] = (),
        addresses: Sequence[str] = (),
        *,
        not_after: datetime.datetime | None = None,
    ) -> tuple[bytes, bytes]:
        """Certificate and key as PEM; with `addresses` (names or IPs) for a server, else for a client.

        not_after: when it expires, in two days by default; also in the past, for one that has expired.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization) for organization in organizations]
        subject = x509.Name([*names, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        usage = ExtendedKeyUsageOID.SERVER_AUTH if addresses else ExtendedKeyUsageOID.CLIENT_AUTH
        builder = self._builder(subject, key, not_after).add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if addresses:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_name(address) for address in addresses]), False
            )
        certificate = builder.sign(self._key, hashes.SHA256())
        return certificate.public_bytes(serialization.Encoding.PEM), private_key_pem(key)

    def sign(self, request: bytes) -> bytes:
        """Return the client certificate for a request, both PEM, as the signer for kubelets makes it."""
        asked = x509.load_pem_x509_csr(request)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(asked.subject)
            .issuer_name(self._name)
            .public_key(asked.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=5))
            .not_valid_after(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=2))
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return certificate.public_bytes(serialization.Encoding.PEM)

    def issue_files(
        self, stem: str, common_name: str, organizations: Sequence[str] = (), addresses: Sequence[str] = ()
    ) -> tuple[Path, Path]:
        """Issue a certificate as issue() does, into `<stem>.crt` and `<stem>.key` of the authority's directory."""
        certificate, key = self.issue(common_name, organizations, addresses)
        paths = self.directory / f"{stem}.crt", self.directory / f"{stem}.key"
        paths[0].write_bytes(certificate)
        paths[1].touch(mode=0o600)
        paths[1].write_bytes(key)
        return paths


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)
