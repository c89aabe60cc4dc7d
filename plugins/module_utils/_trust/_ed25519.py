# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verifies Ed25519 signatures (RFC 8032) without a library.

Verification handles public data only: keys, messages and signatures that the API server shows to every node. So it need
not take constant time, and does not. Nothing here may be used to sign.

A signature is valid if S*B = R + k*A without cofactor, as OpenSSH and OpenSSL have it. It is computed as
S*B + k*(-A) in one pass over both numbers (Straus), each in signed windows (NAF) of 5 bits, and compared with R as it
is encoded, so that only the canonical encoding of R passes.
"""

from __future__ import annotations

import hashlib

KEY_BYTES = 32
SIGNATURE_BYTES = 64

# The curve -x^2 + y^2 = 1 + d*x^2*y^2 over the integers modulo P; its base point has order L (RFC 8032, section 5.1).
_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_1 = pow(2, (_P - 1) // 4, _P)
_BASE = (
    15112221349535400772501151409588531511454012693041857206046113283949847762202,
    46316835694926478169428394003475163141307993866256225615783033603165251855960,
)
_WINDOW = 5

# A point as (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z; and prepared for an addition: (Y-X, Y+X, 2*d*T, 2*Z).
_Point = tuple[int, int, int, int]


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a signature is valid. Refuses every encoding that is not canonical, and keys of small order."""
    if len(public_key) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    point = _decode_point(public_key)
    s = int.from_bytes(signature[32:], "little")
    if point is None or s >= _L or _has_small_order(point):
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    k = int.from_bytes(digest, "little") % _L
    x, y = point
    return _encode_point(_add_multiples(s, _BASE, k, (_P - x, y))) == signature[:32]


def _decode_point(encoded: bytes) -> tuple[int, int] | None:
    """Return x and y, or None for bytes that are not the canonical encoding of a point (RFC 8032, section 5.1.3)."""
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= _P:
        return None
    # x^2 = u/v; the candidate of its root is u * v^3 * (u * v^7)^((P - 5) / 8).
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * v**3 * pow(u * v**7, (_P - 5) // 8, _P) % _P
    if (v * x * x - u) % _P:
        x = x * _SQRT_MINUS_1 % _P
        if (v * x * x - u) % _P:
            return None
    if x == 0 and sign:
        return None
    return (_P - x if x & 1 != sign else x), y


def _encode_point(point: _Point) -> bytes:
    x, y, z, _t = point
    inverse = pow(z, -1, _P)
    return (y * inverse % _P | (x * inverse % _P & 1) << 255).to_bytes(32, "little")


def _has_small_order(point: tuple[int, int]) -> bool:
    """Return whether 8 times the point is the neutral element: such a key accepts signatures made without a secret."""
    x, y = point
    multiple = (x, y, 1, 0)
    for _doubling in range(3):
        multiple = _double(multiple)
    return multiple[0] == 0


def _double(point: _Point) -> _Point:
    """Return twice the point, without T, which a further doubling does not need."""
    x, y, z, _t = point
    a, b = x * x, y * y
    h = a + b
    e = (h - (x + y) ** 2) % _P
    g = (a - b) % _P
    f = (2 * z * z + g) % _P
    return e * f % _P, g * h % _P, f * g % _P, 0


def _double_with_t(point: _Point) -> _Point:
    x, y, z, _t = point
    a, b = x * x, y * y
    h = (a + b) % _P
    e = (h - (x + y) ** 2) % _P
    g = (a - b) % _P
    f = (2 * z * z + g) % _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _add(point: _Point, prepared: _Point) -> _Point:
    x, y, z, t = point
    y_minus_x, y_plus_x, t_2d, z_2 = prepared
    a = (y - x) * y_minus_x
    b = (y + x) * y_plus_x
    c = t * t_2d
    d = z * z_2
    e, f, g, h = (b - a) % _P, (d - c) % _P, (d + c) % _P, (b + a) % _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _prepare(point: _Point) -> _Point:
    x, y, z, t = point
    return y - x, y + x, 2 * _D * t % _P, 2 * z


def _odd_multiples(point: tuple[int, int]) -> list[_Point]:
    """Return 1, 3, 5, ... times the point, prepared for an addition."""
    x, y = point
    multiple: _Point = (x, y, 1, x * y % _P)
    twice = _prepare(_double_with_t(multiple))
    multiples = [_prepare(multiple)]
    for _multiple in range((1 << _WINDOW - 2) - 1):
        multiple = _add(multiple, twice)
        multiples.append(_prepare(multiple))
    return multiples


def _signed_digits(number: int) -> dict[int, int]:
    """Return the odd digits of the number by their position: number = sum of digit * 2**position."""
    digits = {}
    position = 0
    while number:
        zeros = (number & -number).bit_length() - 1
        number >>= zeros
        position += zeros
        digit = number & (1 << _WINDOW) - 1
        if digit >> _WINDOW - 1:
            digit -= 1 << _WINDOW
        digits[position] = digit
        number -= digit
    return digits


def _add_multiples(m: int, p: tuple[int, int], n: int, q: tuple[int, int]) -> _Point:
    """Return m*p + n*q."""
    terms: dict[int, list[_Point]] = {}
    for number, point in ((m, p), (n, q)):
        multiples = _odd_multiples(point)
        for position, digit in _signed_digits(number).items():
            y_minus_x, y_plus_x, t_2d, z_2 = multiples[abs(digit) >> 1]
            term = (y_minus_x, y_plus_x, t_2d, z_2) if digit > 0 else (y_plus_x, y_minus_x, -t_2d, z_2)
            terms.setdefault(position, []).append(term)
    total: _Point = (0, 1, 1, 0)
    for position in range(max(terms, default=-1), -1, -1):
        if position in terms:
            total = _double_with_t(total)
            for term in terms[position]:
                total = _add(total, term)
        else:
            total = _double(total)
    return total
