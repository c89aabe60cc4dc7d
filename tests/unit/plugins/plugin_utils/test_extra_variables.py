# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of the extra variables are checked as ansible-playbook has read them, each -e separately."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ansible import context
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.utils.context_objects import CLIArgs

from ansible_collections.configok.node.plugins.plugin_utils._extra_variables import unknown_variables

FindErrors = Callable[..., list[str]]


@pytest.fixture
def errors_of(monkeypatch: pytest.MonkeyPatch) -> FindErrors:
    """Return a function that returns the errors of a run with these extra variables."""

    def find(*extra_vars: str) -> list[str]:
        monkeypatch.setattr(context, "CLIARGS", CLIArgs({"extra_vars": extra_vars}))
        loader = DataLoader()
        loader.set_basedir("/where/the/playbook/is")
        return unknown_variables(loader)

    return find


def test_a_misspelt_and_misplaced_key_is_an_error_with_a_suggestion(
    errors_of: FindErrors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pool.yml").write_text("pool: workers\nselector: a\nmaxUnavialable: 1\nwaves: [100%]\n")
    assert errors_of("@pool.yml", "team=x") == [
        "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?",
        "waves: unknown key of the pool file: did you mean policy.waves?",
    ]


@pytest.mark.parametrize(
    "extra_vars",
    [
        (),
        ("pool=workers", "selector=a", "team=x"),
        ('{"pool": "workers", "layers": ["a"]}', "kubeconfig=x context=y", '{"soak": 1}'),
        ('{"pool": "workers", "team": "x", "awx_job_id": 7}',),
        ("[1]",),
    ],
)
def test_known_variables_and_the_users_own_variables_pass(errors_of: FindErrors, extra_vars: tuple[str, ...]) -> None:
    assert errors_of(*extra_vars) == []


def test_an_input_that_cannot_be_read_twice_is_left_to_the_loader(errors_of: FindErrors) -> None:
    with pytest.raises(AnsibleError):
        errors_of("@/no/such/pipe")


def test_every_form_of_an_extra_variable_is_checked(errors_of: FindErrors) -> None:
    for form in ("nodeTimout=5m", '{"nodeTimout": "5m"}', "{nodeTimout: 5m}"):
        (error,) = errors_of("pool=workers", form)
        assert error == "nodeTimout: unknown key of the pool file: did you mean policy.nodeTimeout?"
