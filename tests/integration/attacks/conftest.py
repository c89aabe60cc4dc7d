# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One fleet for all attacks: two nodes without signatures and deny lists, two with both, on a real API server.

The rows go to build/attacks.jsonl, as they are measured; docs/security.md has a table of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from support.api.clusters import prepare
from support.api.servers import Real, Unavailable, start_real
from support.attacks.recorder import Recorder, summary
from support.attacks.world import World, start_world
from support.session.terminal import say
from support.session.unavailable import leave_out
from support.session.workers import close_with

_RECORDER = Recorder(Path(__file__).resolve().parents[3] / "build/attacks.jsonl")


def pytest_configure(config: pytest.Config) -> None:
    _RECORDER.say = partial(say, config)


@pytest.fixture(scope="session")
def attacked_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """A real API server for the attacks alone: admission policies would hold for the whole cluster."""
    try:
        server = start_real(tmp_path_factory.mktemp("attacked"))
    except Unavailable as problem:
        leave_out(problem)
    _RECORDER.apiserver = server.version
    with server.client() as admin:
        prepare(admin)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def world(attacked_api: Real, archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The fleet, the signers' keys and the attackers' identities."""
    with start_world(attacked_api, archive, tmp_path_factory.mktemp("keys")) as started:
        yield started


@pytest.fixture
def attacks() -> Recorder:
    """The recorder of all attempts."""
    return _RECORDER


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _RECORDER.rows:
        close_with(session.config, summary(_RECORDER.rows))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _RECORDER.rows:
        terminalreporter.write_line(summary(_RECORDER.rows))
