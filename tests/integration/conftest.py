# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API servers as fixtures: `api` runs a test on the embedded server and again on the real one.

Where the real one cannot be had, the summary says in one line what was not run and why; with CONFIGOK_REQUIRE_REAL=1
that is a failure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from support.api.servers import ApiServer, Embedded, Real, Unavailable, start_embedded, start_real
from support.session.unavailable import leave_out

_NOT_RUN: dict[str, list[str]] = {}
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def _real_or_why(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real | Unavailable]:
    """The real server, started once; or the reason why there is none."""
    try:
        server = start_real(tmp_path_factory.mktemp("real"))
    except Unavailable as problem:
        yield problem
        return
    yield server
    server.stop()


@pytest.fixture
def real_api(_real_or_why: Real | Unavailable, request: pytest.FixtureRequest) -> Real:
    """kube-apiserver with etcd, one for the whole session: use names of your own."""
    if not isinstance(_real_or_why, Real):
        _NOT_RUN.setdefault(str(_real_or_why), []).append(request.node.nodeid)
        leave_out(_real_or_why)
    return _real_or_why


@pytest.fixture(scope="session")
def _shared_embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    server = start_embedded(tmp_path_factory.mktemp("embedded"))
    yield server
    server.stop()


@pytest.fixture
def embedded_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """An embedded server for this test alone, with its hooks."""
    server = start_embedded(tmp_path_factory.mktemp("embedded"))
    yield server
    server.stop()


@pytest.fixture(params=["embedded", "real"])
def api(request: pytest.FixtureRequest) -> ApiServer:
    """Both servers, one after the other; each is shared by the session: use names of your own (see `unique`)."""
    name = "_shared_embedded" if request.param == "embedded" else "real_api"
    server = request.getfixturevalue(name)
    assert isinstance(server, ApiServer)
    return server


@pytest.fixture
def unique() -> str:
    """A name that no other test uses."""
    return f"t{next(_NUMBERS):04d}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for why, tests in _NOT_RUN.items():
        terminalreporter.write_line(f"NOT RUN on the real API server: {len(tests)} tests, because {why}", yellow=True)
