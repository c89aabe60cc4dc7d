# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemon tells systemd that it still runs, for as long as it does."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._notify import Notifications, Wakeup
from ansible_collections.configok.node.plugins.module_utils._agent._watchdog import Watchdog


class Manager:
    """The service manager's end of the socket."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)

    def messages(self) -> list[bytes]:
        """Return what has arrived."""
        messages = []
        try:
            while True:
                messages.append(self.socket.recv(100))
        except BlockingIOError:
            return messages


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(str(tmp_path / "notify"))
    yield manager
    manager.socket.close()


@pytest.fixture
def notifications() -> Iterator[Notifications]:
    notifications = Notifications()
    yield notifications
    notifications.close()


def test_a_message_is_sent_in_each_third_of_the_time(
    tmp_path: Path, manager: Manager, notifications: Notifications
) -> None:
    environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "60000", "WATCHDOG_PID": "7"}
    watchdog = Watchdog(environment, pid=lambda: 7)
    assert watchdog.interval == pytest.approx(0.02)
    assert watchdog.wait(notifications, 0.1) is Wakeup.TIMEOUT
    assert 2 <= len(manager.messages()) <= 6


def test_each_wait_begins_with_a_message_and_ends_with_a_notification(
    tmp_path: Path, manager: Manager, notifications: Notifications
) -> None:
    watchdog = Watchdog({"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "180000000"})
    notifications.notify()
    assert watchdog.wait(notifications, None) is Wakeup.NOTIFIED
    assert watchdog.wait(notifications, 0.0) is Wakeup.TIMEOUT
    assert manager.messages() == [b"WATCHDOG=1"] * 2


def test_an_abstract_address_is_understood(notifications: Notifications) -> None:
    name = f"configok-watchdog-{os.getpid()}"
    manager = Manager(f"\0{name}")
    Watchdog({"NOTIFY_SOCKET": f"@{name}", "WATCHDOG_USEC": "180000000"}).wait(notifications, 0.0)
    assert manager.messages() == [b"WATCHDOG=1"]
    manager.socket.close()


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"WATCHDOG_USEC": "180000000"},
        {"NOTIFY_SOCKET": "/run/there"},
        {"NOTIFY_SOCKET": "/run/there", "WATCHDOG_USEC": "٣٣"},
        {"NOTIFY_SOCKET": "/run/there", "WATCHDOG_USEC": "180000000", "WATCHDOG_PID": "8"},
    ],
    ids=["no systemd", "no socket", "no watchdog", "no number in ASCII", "another process"],
)
def test_nothing_is_sent_if_systemd_does_not_watch_this_process(
    environment: dict[str, str], notifications: Notifications
) -> None:
    watchdog = Watchdog(environment, pid=lambda: 7)
    assert watchdog.interval == float("inf")
    assert watchdog.wait(notifications, 0.0) is Wakeup.TIMEOUT


def test_a_manager_that_does_not_listen_changes_nothing(tmp_path: Path, notifications: Notifications) -> None:
    watchdog = Watchdog({"NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "180000000"})
    assert watchdog.wait(notifications, 0.0) is Wakeup.TIMEOUT
