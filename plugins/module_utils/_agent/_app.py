# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the agent: watches its Node, and reconciles whenever something may have changed.

One thread watches the Node, background tasks do what may hang, the main thread does everything else.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Sequence

from ._agent_configuration import InvalidConfiguration, load_configuration
from ._agent_context import AgentContext
from ._controller import Controller
from ._log import log
from ._notify import Notifications, Wakeup
from ._reporting._metrics import MetricsOutput
from ._watchdog import Watchdog
from .node_watch import NodeWatch

_MIN_PAUSE = 0.01  # seconds; keeps the agent from spinning, whatever goes wrong


class App:
    """The running agent: the controller, the watch, and the notifications that wake them."""

    def __init__(
        self, context: AgentContext, notifications: Notifications, outputs: Sequence[MetricsOutput] = ()
    ) -> None:
        """Wire the agent. outputs: where the agent's metrics are published."""
        self._context = context
        self._notifications = notifications
        self.controller = Controller(context, outputs)

    def run(self, stop: threading.Event, reload: threading.Event) -> bool:
        """Run until stop is set and a notification arrives (a signal does both).

        reload: set in the same way when the agent's own config may have changed. Return whether the agent must start
        again because of that. The caller holds DAEMON_LOCK, which keeps a second daemon out.
        """
        context, notifications, controller = self._context, self._notifications, self.controller
        watch = NodeWatch(context.configuration.node_name, context.api, notifications.notify, context.counters)
        watch.start()
        watchdog, wakeup = Watchdog(), Wakeup.NOTIFIED
        try:
            while not stop.is_set():
                if reload.is_set():
                    reload.clear()
                    if self._has_new_settings():
                        return True
                    controller.retry_soon()
                if watch.has_recovered():
                    controller.retry_soon()
                # The end of a task says nothing new about units: a query would start another task.
                refresh = wakeup is not Wakeup.TASK_DONE
                due = controller.reconcile(watch.view, watch_error=watch.error, refresh=refresh)
                if watch.ended:
                    raise RuntimeError("the watch of the Node has ended")  # systemd restarts the agent
                gc.collect()  # Python alone would do it rarely, and keep 1 MB after some changes
                pause = max(_MIN_PAUSE, due - context.clock.since_boot())
                wakeup = watchdog.wait(notifications, None if pause == float("inf") else pause)
        finally:
            watch.stop()
            controller.close()
        return False

    def _has_new_settings(self) -> bool:
        """Return whether the agent's own config has changed, except for its trust policy, which is read when needed."""
        configuration = self._context.configuration
        try:
            present = load_configuration(configuration.file)
        except InvalidConfiguration as error:
            log.error("the agent keeps the settings that it has: %s", error)
            return False
        if present._replace(trust=None) == configuration._replace(trust=None):
            return False
        log.info("the agent's own config has changed, the agent starts again")
        return True
