# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemon's surroundings: how its clients behave."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._basis._configuration import AgentConfiguration


@pytest.mark.contract("manners.small-answers")
def test_no_client_of_the_daemon_reads_more_than_4_mib(
    entry: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = entry("_run")
    clients: list[dict[str, Any]] = []
    monkeypatch.setattr(run, "from_kubeconfig", lambda _path: None)
    monkeypatch.setattr(run, "Client", lambda _credentials, **options: clients.append(options))
    monkeypatch.setattr(run, "Daemon", lambda *_arguments, **_options: SimpleNamespace(run=lambda _stop, _wake: None))
    monkeypatch.setattr(run.signal, "signal", lambda _number, _handler: None)
    run._run(AgentConfiguration("n1", "/k", {}), "/etc/agent.yaml", print, SimpleNamespace(set=print))
    assert [options["longest_answer"] for options in clients] == [4 << 20, 4 << 20]
