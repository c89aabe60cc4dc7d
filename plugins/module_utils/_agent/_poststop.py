# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``poststop``: how the component ended, from which a crash loop is counted. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping

from ._basis._configuration import AgentConfiguration
from ._basis._ports import Clock, Journal
from ._storage._lock import Locked, locked
from ._storage._store import Store
from ._storage._tracking import End, with_end
from ._system._nudge import nudge

__all__ = ["poststop"]

_WAIT = 0.5  # seconds; an end that is not written down is a crash that does not count


def poststop(
    configuration: AgentConfiguration, component: str, environ: Mapping[str, str], clock: Clock, journal: Journal
) -> int:
    """Write down the end of the invocation; return 0. Never raises.

    environ: systemd's variables for ExecStopPost: INVOCATION_ID, SERVICE_RESULT, EXIT_CODE, EXIT_STATUS. It also runs
    when an ExecStartPre failed: then no start was written down, or no EXIT_CODE is set, and nothing counts.
    """
    try:
        _poststop(configuration, component, environ, clock)
    except Locked as error:
        journal("warning", f"the end was not written down: {error}", component=component)
    except Exception as error:  # noqa: BLE001 - the contract: never block a restart by a fault of the agent's own
        journal("error", f"poststop failed: {error!r}", component=component)
    nudge(configuration.run_directory)
    return 0


def _poststop(configuration: AgentConfiguration, component: str, environ: Mapping[str, str], clock: Clock) -> None:
    store = Store(configuration.state_directory, now=clock.now)
    end = End(
        result=environ.get("SERVICE_RESULT", ""),
        exit_code=environ.get("EXIT_CODE", ""),
        exit_status=environ.get("EXIT_STATUS", ""),
        since_boot=clock.since_boot(),
        time=clock.now(),
    )
    with locked(store.lock, wait=_WAIT):
        version = store.component_version(component, configuration.components[component].version)
        startups = store.read_startups(component, version)
        changed = with_end(startups, environ.get("INVOCATION_ID", ""), clock.boot_id(), end)
        if changed is not None:
            store.write_startups(component, version, changed)
