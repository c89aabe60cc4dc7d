# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ed25519 verification agrees with RFC 8032, with an independent library, and refuses what is ambiguous."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._trust._ed25519 import _decode_point, verify
from support.fuzz.settings import fuzz

ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19

# RFC 8032, section 7.1: public key, message, signature. Its message of 1,023 bytes is Wycheproof's test 83.
RFC_8032 = {
    "TEST 1": (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    "TEST 2": (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    "TEST 3": (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    "TEST SHA(abc)": (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
}
WYCHEPROOF = json.loads((Path(__file__).parent / "data/wycheproof_ed25519.json").read_text())
# "acceptable" are signatures that satisfy the equation, by keys that not every verifier takes. This one refuses keys of
# small order, which need no secret, and takes the others as OpenSSH does.
ACCEPTABLE = {"SmallOrderPublicKey": False, "MixedOrderPublicKey": True}
# All points of order 1, 2, 4 and 8, also in encodings that are not canonical.
SMALL_ORDER = [
    *(number.to_bytes(32, "little") for number in (0, 1, PRIME - 1, PRIME, PRIME + 1, 2**255 + 1, 2**256 - 19)),
    *((number | 1 << 255).to_bytes(32, "little") for number in (0, PRIME - 1)),
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
]


def key_pair(seed: bytes = b"\1" * 32) -> tuple[Ed25519PrivateKey, bytes]:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return private, private.public_key().public_bytes_raw()


def library_verifies(public_key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.mark.parametrize(("public_key", "message", "signature"), RFC_8032.values(), ids=RFC_8032)
def test_the_examples_of_rfc_8032_are_verified(public_key: str, message: str, signature: str) -> None:
    assert verify(bytes.fromhex(public_key), bytes.fromhex(message), bytes.fromhex(signature))
    assert not verify(bytes.fromhex(public_key), bytes.fromhex(message) + b"x", bytes.fromhex(signature))


def test_the_verdicts_are_those_of_wycheproof() -> None:
    wrong: list[tuple[Any, ...]] = []
    count = 0
    for group in WYCHEPROOF["testGroups"]:
        for test in group["tests"]:
            count += 1
            valid = test["result"] == "valid"
            if test["result"] == "acceptable":
                valid = ACCEPTABLE[test["flags"][0]]
            public_key, message, signature = map(bytes.fromhex, (group["publicKey"], test["msg"], test["sig"]))
            if verify(public_key, message, signature) != valid:
                wrong.append((test["tcId"], test["comment"], test["result"]))
    assert (wrong, count) == ([], WYCHEPROOF["numberOfTests"])


@pytest.mark.parametrize("public_key", SMALL_ORDER, ids=bytes.hex)
def test_a_key_of_small_order_is_refused(public_key: bytes) -> None:
    """With R neutral and S = 0, one message in at most eight passes the equation, without any secret."""
    neutral = (1).to_bytes(32, "little")
    assert not any(verify(public_key, bytes([number]), neutral + bytes(32)) for number in range(64))
    assert not any(verify(public_key, bytes([number]), bytes(64)) for number in range(64))


def test_a_second_encoding_of_a_key_is_refused() -> None:
    """The only ones: y of P and more, and the sign of an x of 0."""
    small = [y for y in range(19) if _decode_point(y.to_bytes(32, "little"))]
    assert len(small) > 5
    for y in small:
        assert not _decode_point((PRIME + y).to_bytes(32, "little"))
    for y in (1, PRIME - 1):
        assert _decode_point(y.to_bytes(32, "little")) == (0, y)
        assert not _decode_point((y | 1 << 255).to_bytes(32, "little"))


def test_a_second_encoding_of_a_valid_signature_is_refused() -> None:
    private, public_key = key_pair()
    signature = private.sign(b"m")
    s = int.from_bytes(signature[32:], "little")
    assert verify(public_key, b"m", signature)
    for multiple in range(1, (2**256 - s) // ORDER + 1, 3):
        assert not verify(public_key, b"m", signature[:32] + (s + multiple * ORDER).to_bytes(32, "little"))


@pytest.mark.parametrize("length", [0, 31, 32, 63, 65, 128])
def test_a_wrong_length_is_refused(length: int) -> None:
    private, public_key = key_pair()
    signature = private.sign(b"m")
    assert not verify(public_key, b"m", (signature * 2)[:length])
    assert not verify((public_key * 4)[:length] if length != 32 else public_key[:31], b"m", signature)


@fuzz(40)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=300), st.integers(0, 511))
def test_verifies_as_the_library(seed: bytes, message: bytes, bit: int) -> None:
    private, public_key = key_pair(seed)
    signature = private.sign(message)
    assert verify(public_key, message, signature)
    flipped = (int.from_bytes(signature, "big") ^ 1 << bit).to_bytes(64, "big")
    assert not verify(public_key, message, flipped)
    other_key = (int.from_bytes(public_key, "big") ^ 1 << bit % 256).to_bytes(32, "big")
    assert not verify(other_key, message, signature)


@fuzz(60)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=80), st.binary(min_size=64, max_size=64))
def test_what_the_library_refuses_is_refused(public_key: bytes, message: bytes, signature: bytes) -> None:
    """The library takes keys of small order, and so the forgery that is all zeros."""
    assert library_verifies(public_key, message, signature) or not verify(public_key, message, signature)
