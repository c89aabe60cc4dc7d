# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reboot the machine of a Node with a playbook, over the user's own connection. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleError

from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import sanitize
from ansible_collections.configok.node.plugins.module_utils._rollout import RebootFailed
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._inventory_hosts import (
    InventoryHost,
    find_host,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._rebooter import RebootRequest
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._answers import GateVerdict
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookOptions,
    PlaybookResult,
    locate_playbook,
    run_playbook,
)

__all__ = ["RebootPlaybook", "inventory_hosts"]

_OWN_PLAYBOOK = "configok.node.reboot"
_MAX_VALUE = 255  # characters of a host's name or address


def inventory_hosts(variables: Mapping[str, Any]) -> list[InventoryHost]:
    """Return the hosts of the inventory of this run. variables: those of a task."""
    all_variables = variables.get("hostvars") or {}
    names: Iterable[str] = (variables.get("groups") or {}).get("all") or ()
    return [
        InventoryHost(str(name), _variable(all_variables, name, "node_name"), _address(all_variables, name))
        for name in names
    ]


def _address(all_variables: Mapping[str, Any], name: str) -> str:
    # Without the variable, some versions of Ansible have the host's name as its address.
    address = _variable(all_variables, name, "ansible_host")
    return "" if address == name else address


def _variable(all_variables: Mapping[str, Any], host: str, name: str) -> str:
    """Return a host's variable, "" for one that is missing, or that cannot be templated without the host's facts."""
    try:
        value = all_variables[host].get(name)
        return value if isinstance(value, str) and len(value) <= _MAX_VALUE else ""
    except (AnsibleError, KeyError):
        return ""


class RebootPlaybook:
    """Reboots machines with the collection's playbook, or the user's own. Safe for several threads.

    playbook: of the policy, "" for the collection's; directory: what its path is relative to. options: of the present
    run. run: runs a playbook. report: called with each line of output.
    """

    def __init__(
        self,
        playbook: str,
        options: PlaybookOptions,
        hosts: Iterable[InventoryHost],
        *,
        directory: str,
        run: Callable[..., PlaybookResult] = run_playbook,
        report: Callable[[str], object] = lambda _line: None,
    ) -> None:
        self._playbook = locate_playbook(playbook or _OWN_PLAYBOOK, directory)
        self._options = options
        self._hosts = tuple(hosts)
        self._run = run
        self._report = report

    def __call__(self, request: RebootRequest) -> str:
        """Reboot the machine of a Node. Return why that failed, "" for success."""
        try:
            host = find_host(request.node, request.addresses, self._hosts)
        except RebootFailed as error:
            return str(error)
        result = self._run(
            self._playbook,
            self._options,
            variables={
                "reboot_host": host,
                "reboot_node": request.node,
                "reboot_boot_id": request.boot_id,
                "reboot_timeout": int(request.timeout),
            },
            timeout=request.timeout,
            limit=(host,),
            report=self._report,
        )
        verdict, reason = result.verdict(request.timeout)
        return "" if verdict is GateVerdict.PASS else f"playbook {sanitize(self._playbook, 200)}: {reason}"
