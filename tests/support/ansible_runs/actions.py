# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs action plugins in this process, as a task would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from ansible import context
from ansible.modules import copy
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.task import Task
from ansible.template import Templar
from ansible.utils.context_objects import CLIArgs

from ansible_collections.configok.node.plugins.action import (
    cluster_diff,
    config_bundle,
    machines,
    rollout,
    rollout_report,
)
from ansible_collections.configok.node.plugins.modules import cluster_diff as cluster_diff_module
from ansible_collections.configok.node.plugins.modules import config_bundle as config_bundle_module
from ansible_collections.configok.node.plugins.modules import rollout_report as rollout_report_module
from support.ansible_runs.modules import run_module

__all__ = ["run_cluster_diff", "run_config_bundle", "run_machines", "run_rollout", "run_rollout_report"]


def run_rollout(
    arguments: Mapping[str, Any],
    *,
    variables: Mapping[str, Any] | None = None,
    extra_vars: Sequence[str] = (),
    check: bool = False,
    diff: bool = False,
) -> dict[str, Any]:
    """Return the result of the action rollout.

    variables: those of the play. extra_vars: the values of -e, from which Ansible has made variables.
    """
    return _run(rollout, arguments, variables, extra_vars, check=check, diff=diff)


def run_machines(
    arguments: Mapping[str, Any],
    *,
    variables: Mapping[str, Any] | None = None,
    extra_vars: Sequence[str] = (),
    check: bool = False,
    diff: bool = False,
) -> dict[str, Any]:
    """Return the result of the action machines; the parameters are those of run_rollout."""
    return _run(machines, arguments, variables, extra_vars, check=check, diff=diff)


def run_config_bundle(arguments: Mapping[str, Any], *, check: bool = False) -> dict[str, Any]:
    """Return the result of the module config_bundle, which its action runs."""
    return _run(config_bundle, arguments, None, (), check=check, diff=False, module=config_bundle_module)


def run_cluster_diff(arguments: Mapping[str, Any], *, check: bool = False) -> dict[str, Any]:
    """Return the result of the module cluster_diff, which its action runs."""
    return _run(cluster_diff, arguments, None, (), check=check, diff=False, module=cluster_diff_module)


def run_rollout_report(arguments: Mapping[str, Any], *, check: bool = False) -> dict[str, Any]:
    """Return the result of the action rollout_report, with its module and that of Ansible's copy."""
    return _run(rollout_report, arguments, None, (), check=check, diff=True, module=rollout_report_module)


def _run(
    action: ModuleType,
    arguments: Mapping[str, Any],
    variables: Mapping[str, Any] | None,
    extra_vars: Sequence[str],
    *,
    check: bool,
    diff: bool,
    module: ModuleType | None = None,
) -> dict[str, Any]:
    """Run an action. module: which it runs, in this process."""
    loader = DataLoader()
    loader.set_basedir(str(Path(str(action.__file__)).parent))  # the playbook's directory, which is never the user's
    task = Task()
    task.action = f"configok.node.{action.__name__.rpartition('.')[2]}"
    task.args = dict(arguments)
    task.check_mode = check
    task.diff = diff
    known = dict(variables or {})
    plugin = action.ActionModule(
        task=task,
        connection=mock.Mock(transport="local", become=None),
        play_context=None,
        loader=loader,
        templar=Templar(loader=loader, variables=known),
        shared_loader_obj=None,
    )
    plugin._load_name = task.action  # as the loader sets it
    if module is not None:
        main = module.main
        plugin._execute_module = lambda **_options: run_module(main, plugin._task.args, check=check, diff=diff)
        plugin._copy = lambda options, _variables: _copy(options, check=check)
    with mock.patch.object(context, "CLIARGS", CLIArgs({"extra_vars": tuple(extra_vars)})):
        result: dict[str, Any] = plugin.run(task_vars=known)
    return result


def _copy(options: Mapping[str, Any], *, check: bool) -> dict[str, Any]:
    """Return the result of Ansible's copy. In check mode its action compares, and calls no module for a new content."""
    source, dest = Path(options["src"]), Path(options["dest"])
    if check and not (dest.is_file() and dest.read_bytes() == source.read_bytes()):
        return {"changed": True}
    arguments = {name: value for name, value in options.items() if value is not None}
    return run_module(copy.main, arguments, check=check)
