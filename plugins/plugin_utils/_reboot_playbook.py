# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reboot the machine of a Node with a playbook, over the user's own connection. Private to configok.node."""

from __future__ import annotations

import threading
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
    PlaybookStopped,
    locate_playbook,
    run_playbook,
)

__all__ = ["RebootPlaybook", "inventory_hosts"]

_OWN_PLAYBOOK = "configok.node.reboot"
_MAX_VALUE = 255  # characters of a host's name or address
_LONGEST_END = 20.0  # seconds that a playbook has to end


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


class RebootPlaybook:
    """Reboots machines with the collection's playbook, or the user's own. Safe for several threads.

    playbook: of the policy, "" for the collection's; directory: what its path is relative to. options: of the present
    run. hosts: returns those of the inventory; is called once, for the first reboot. show: gets the last lines of the
    output of a playbook that does not pass. run: runs a playbook.
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
        self._playbook = locate_playbook(playbook or _OWN_PLAYBOOK, directory)
        self._options = options
        self._read_hosts = hosts
        self._hosts: tuple[InventoryHost, ...] | None = None
        self._show = show
        self._run = run
        self._stop = threading.Event()
        self._state = threading.Condition()
        self._running = 0

    def close(self) -> None:
        """End the playbooks that run, and wait until they have ended: they must not outlive the present run.

        A machine that has begun to reboot is not stopped.
        """
        self._stop.set()
        with self._state:
            self._state.wait_for(lambda: not self._running, timeout=_LONGEST_END)

    def __call__(self, request: RebootRequest) -> str:
        """Reboot the machine of a Node. Return why that failed, "" for success."""
        with self._state:
            if self._hosts is None:
                self._hosts = tuple(self._read_hosts())
            self._running += 1
        try:
            return self._reboot(request, self._hosts)
        except PlaybookStopped:
            return "the run was interrupted"
        except RebootFailed as error:
            return str(error)
        finally:
            with self._state:
                self._running -= 1
                self._state.notify_all()

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
        for line in result.tail:
            self._show(line)
        return f"playbook {sanitize(self._playbook, 200)}: {reason}"
