# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reboot the machine of a Node with a playbook, over the user's own connection. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleError

from ansible_collections.configok.node.plugins.module_utils._rollout import RebootFailed
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.inventory_hosts import (
    InventoryHost,
    find_host,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.rebooter import RebootRequest
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict
from ansible_collections.configok.node.plugins.module_utils._text import sanitize
from ansible_collections.configok.node.plugins.plugin_utils._host_playbook import HostPlaybook
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookOptions,
    PlaybookResult,
    PlaybookStopped,
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
        # ansible-core before 2.19 returns a template that needs an undefined variable as it is.
        return value if isinstance(value, str) and len(value) <= _MAX_VALUE and "{{" not in value else ""
    except (AnsibleError, KeyError):
        return ""


class RebootPlaybook(HostPlaybook):
    """Reboots machines with the collection's playbook, or the user's own.

    playbook: of the policy, "" for the collection's. The other parameters are those of HostPlaybook.
    """

    def __init__(
        self,
        playbook: str,
        options: PlaybookOptions,
        hosts: Callable[[], Iterable[InventoryHost]],
        *,
        directory: str,
        show: Callable[[str], object] = lambda _line: None,
        run: Callable[..., PlaybookResult] = run_playbook,
    ) -> None:
        super().__init__(options, hosts, directory=directory, show=show, run=run)
        self._playbook = locate_playbook(playbook or _OWN_PLAYBOOK, directory)

    def __call__(self, request: RebootRequest) -> str:
        """Reboot the machine of a Node. Return why that failed, "" for success."""
        with self._counted():
            try:
                return self._reboot(request, self._inventory())
            except PlaybookStopped:
                return "the run was interrupted"
            except RebootFailed as error:
                return str(error)

    def _reboot(self, request: RebootRequest, hosts: Iterable[InventoryHost]) -> str:
        host = find_host(request.node, request.addresses, hosts)
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
            should_stop=lambda: self._stop.is_set() or request.should_stop(),
        )
        verdict, reason = result.verdict(request.timeout)
        if verdict is GateVerdict.PASS:
            return ""
        self._show_tail(result)
        return f"playbook {sanitize(self._playbook, 200)}: {reason}"
