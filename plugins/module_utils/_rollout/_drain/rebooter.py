# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reboot a node over the user's own connection, and wait until it is back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..._kube.api_client import Client
from ..._kube.api_paths import node
from ..._nodeconfig.durations import describe_duration
from .. import RebootFailed
from .._nodes.node_list import find_node
from .._nodes.node_view import NodeView, node_view
from ..timing import Clock
from ._settings import RebootSettings

_POLL = 2.0  # seconds between two looks at the Node
_STEP = 1.0  # seconds after which the wait notices that it should stop


@dataclass(frozen=True)
class RebootRequest:
    """The machine to reboot.

    addresses: of its Node; boot_id: as its Node reports it; timeout: seconds. should_stop: returns whether to
    give up waiting; a reboot that has begun is not interrupted.
    """

    node: str
    addresses: tuple[str, ...]
    boot_id: str
    timeout: float
    should_stop: Callable[[], bool] = field(default=lambda: False, compare=False)


# Reboots a machine and waits until it can be reached again. Returns why that failed, "" for success.
RunReboot = Callable[[RebootRequest], str]


class Rebooter:
    """Reboots nodes; safe for many threads, each with a node of its own.

    client: should survive outages of the API server. run: reboots a machine, usually by a playbook. clock: measures the
    timeout. report: shows a line to the user.
    """

    def __init__(
        self,
        client: Client,
        settings: RebootSettings,
        clock: Clock,
        run: RunReboot,
        *,
        report: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._client = client
        self._settings = settings
        self._clock = clock
        self._run = run
        self._report = report

    def reboot(self, name: str, should_stop: Callable[[], bool] = lambda: False) -> None:
        """Reboot a node and wait until its Node reports another boot id and is Ready.

        should_stop: ends the wait, not a reboot that has begun. Raises RebootFailed, KubeError.
        """
        if not self._settings.allowed:
            raise RebootFailed("policy.reboot.allowed does not allow a reboot")
        timeout = self._settings.timeout
        deadline = self._clock.monotonic() + timeout
        item = self._client.find(node(name))
        if item is None:
            raise RebootFailed("the Node was deleted")
        boot_id = node_view(item).system.boot_id
        if not boot_id:
            raise RebootFailed("its Node reports no boot id, so that a reboot could not be confirmed")
        addresses = (item.get("status") or {}).get("addresses") or ()
        self._report(f"rebooting {name}")
        texts = tuple(str(address.get("address", "")) for address in addresses)
        failure = self._run(RebootRequest(name, texts, boot_id, timeout, should_stop))
        view = self._view(name)
        if failure and view.system.boot_id in ("", boot_id):
            raise RebootFailed(f"it was not rebooted: {failure}")
        while view.system.boot_id in ("", boot_id) or view.ready is not True:
            if should_stop():
                raise RebootFailed("the wait for its reboot was interrupted")
            if self._clock.monotonic() >= deadline:
                state = (
                    "its Node still reports the boot before"
                    if view.system.boot_id in ("", boot_id)
                    else "it is not Ready"
                )
                raise RebootFailed(f"{state}, {describe_duration(timeout)} after its reboot was begun")
            self._wait(should_stop)
            view = self._view(name)
        self._report(f"rebooted {name}")

    def _view(self, name: str) -> NodeView:
        view = find_node(self._client, name)
        if view is None:
            raise RebootFailed("the Node was deleted while it was rebooted")
        return view

    def _wait(self, should_stop: Callable[[], bool]) -> None:
        until = self._clock.monotonic() + _POLL
        while not should_stop() and self._clock.monotonic() < until:
            self._clock.sleep(_STEP)
