# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""pool_check: checks the extra variables as ansible-playbook has read them, each -e separately."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from ansible import context
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.task import Task
from ansible.template import Templar
from ansible.utils.context_objects import CLIArgs

from ansible_collections.configok.node.plugins.action import pool_check

Act = Callable[..., dict[str, Any]]


@pytest.fixture
def act(monkeypatch: pytest.MonkeyPatch) -> Act:
    """Return a function that runs the action plugin with these extra variables."""

    def run(*extra_vars: str) -> dict[str, Any]:
        monkeypatch.setattr(context, "CLIARGS", CLIArgs({"extra_vars": extra_vars}))
        loader = DataLoader()
        loader.set_basedir("/where/the/playbook/is")
        task = Task()
        task.action = "configok.node.pool_check"
        task.args = {}
        plugin = pool_check.ActionModule(
            task=task,
            connection=mock.Mock(),
            play_context=None,
            loader=loader,
            templar=Templar(loader=loader),
            shared_loader_obj=None,
        )
        result: dict[str, Any] = plugin.run(task_vars={})
        return result

    return run


def test_a_misspelt_and_misplaced_key_is_an_error_with_a_suggestion(
    act: Act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pool.yml").write_text("pool: workers\nselector: a\nmaxUnavialable: 1\nwaves: [100%]\n")
    result = act("@pool.yml", "team=x")
    assert result["failed"] is True
    assert result["errors"] == [
        "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?",
        "waves: unknown key of the pool file: did you mean policy.waves?",
    ]
    assert result["msg"] == "; ".join(result["errors"])


@pytest.mark.parametrize(
    "extra_vars",
    [
        (),
        ("pool=workers", "selector=a", "team=x"),
        ('{"pool": "workers", "layers": ["a"]}', "kubeconfig=x context=y", '{"soak": 1}'),
        ('{"pool": "workers", "team": "x", "awx_job_id": 7}',),
        ("@/no/such/pipe",),
        ("[1]",),
    ],
)
def test_what_is_known_and_what_is_the_user_s_own_passes(act: Act, extra_vars: tuple[str, ...]) -> None:
    assert act(*extra_vars).get("failed") is None


def test_every_form_of_an_extra_variable_is_looked_at(act: Act) -> None:
    for form in ("nodeTimout=5m", '{"nodeTimout": "5m"}', "{nodeTimout: 5m}"):
        (error,) = act("pool=workers", form)["errors"]
        assert error == "nodeTimout: unknown key of the pool file: did you mean policy.nodeTimeout?"
