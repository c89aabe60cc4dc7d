# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemon: skeleton. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from ._configuration import AgentConfiguration
from ._nudge import Nudges
from ._ports import Clock, Journal, Prober, ServiceManager

__all__ = ["Daemon"]


class Daemon:
    """observe, decide, do."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        client: Any,
        service_manager: ServiceManager,
        prober: Prober,
        judge: Callable[[str, str, str], Sequence[Mapping[str, Any]]],
        clock: Clock,
        journal: Journal,
        *,
        agent_version: str,
        version_of: Optional[Callable[[str], str]] = None,
    ) -> None:
        """judge(component, text, version) -> findings as dicts; version_of(component) -> "v1.35.2" or ""."""

    def run(self, stop: threading.Event, wake: Nudges) -> None:
        """Work until stop is set and wake.set() was called (a signal handler does both)."""
