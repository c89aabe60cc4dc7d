# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_errors as errors
from ansible_collections.configok.node.plugins.module_utils._kube._retry_after import parse_retry_after
from ansible_collections.configok.node.plugins.module_utils._kube.retry import (
    RetryPolicy,
    backoff_delay,
    is_transient,
    wait_before_retry,
)

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.contract("manners.back-off")
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        (" 7 ", 7.0),
        ("-1", None),
        ("1.5", None),
        ("²", None),
        ("soon", None),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30.0),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0.0),
        ("Tue, 99 Nov 2023 22:00:00 GMT", None),
        ("300", 300.0),
        ("301", 300.0),
        ("31536000", 300.0),
        ("9" * 400, 300.0),
        ("9" * 5000, 300.0),
        ("1e20", None),
        ("nan", None),
        ("inf", None),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 300.0),
        ("Tue, 14 Nov 99999 22:13:50 GMT", None),
        ("Tue, 14 Nov 2023 22:13:50 -9999999999", None),
        ("x" * 60_000, None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    ("failures", "jitter", "pause"),
    [(0, 0.0, 0.5), (1, 0.0, 0.5), (1, 1.0, 1.0), (2, 1.0, 2.0), (3, 0.5, 3.0), (6, 1.0, 20.0), (10_000, 1.0, 20.0)],
)
def test_backoff_doubles_to_a_ceiling(failures: int, jitter: float, pause: float) -> None:
    assert backoff_delay(failures, first=1.0, longest=20.0, jitter=jitter) == pause


BUDGET = errors.TooManyRequests("no", status=429, causes=("DisruptionBudget",))


@pytest.mark.parametrize(
    ("error", "if_idempotent", "if_not"),
    [
        (errors.TooManyRequests("slow down", status=429), True, True),
        (BUDGET, False, False),
        (errors.Unreachable("refused", sent=False), True, True),
        (errors.Unreachable("half a body"), True, False),
        (errors.Unreachable("distrust", sent=False, transient=False), False, False),
        (errors.ServerError("x", status=500), True, False),
        (errors.ServerError("x", status=503), True, False),
        (errors.ServerError("x", status=504), True, False),
        (errors.NotImplementedByServer("x", status=501), False, False),
        (errors.KubeError("request timeout", status=408), True, False),
        (errors.KubeError("not acceptable", status=406), False, False),
        (errors.BadRequest("x", status=400), False, False),
        (errors.Unauthorized("x", status=401), False, False),
        (errors.Forbidden("x", status=403), False, False),
        (errors.NotFound("x", status=404), False, False),
        (errors.Conflict("x", status=409), False, False),
        (errors.AlreadyExists("x", status=409), False, False),
        (errors.Gone("x", status=410), False, False),
        (errors.TooLarge("x", status=413), False, False),
        (errors.Invalid("x", status=422), False, False),
        (errors.CredentialsError("x"), False, False),
    ],
)
def test_what_is_sent_again(error: errors.KubeError, if_idempotent: bool, if_not: bool) -> None:
    assert is_transient(error, idempotent=True) is if_idempotent
    assert is_transient(error, idempotent=False) is if_not


POLICY = RetryPolicy(attempts=4, first=1.0, longest=8.0, patience=20.0)


@pytest.mark.parametrize(
    ("retry_after", "attempt", "waited", "jitter", "pause"),
    [
        (None, 1, 0.0, 0.0, 0.5),
        (None, 2, 0.0, 0.0, 1.0),
        (None, 3, 0.0, 0.0, 2.0),
        (None, 4, 0.0, 0.0, None),  # as often as allowed
        (5.0, 1, 0.0, 0.0, 5.0),  # never earlier than asked
        (5.0, 1, 0.0, 0.5, 5.5),  # nor all at once
        (0.0, 1, 0.0, 0.0, 0.5),
        (21.0, 1, 0.0, 0.0, None),  # longer than the limit
        (5.0, 2, 16.0, 0.0, None),
        (4.0, 2, 16.0, 0.0, 4.0),
    ],
)
def test_how_long_is_waited(
    retry_after: float | None, attempt: int, waited: float, jitter: float, pause: float | None
) -> None:
    error = errors.TooManyRequests("slow down", status=429, retry_after=retry_after)
    assert wait_before_retry(POLICY, error, attempt=attempt, waited=waited, idempotent=False, jitter=jitter) == pause


def test_what_is_not_transient_is_never_waited_for() -> None:
    error = errors.Conflict("x", status=409, retry_after=1.0)
    assert wait_before_retry(POLICY, error, attempt=1, waited=0.0, idempotent=True, jitter=0.0) is None
