# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``prestart`` and ``poststop``, called by the component's own unit.

``prestart`` decides which config the component reads, at each start of the component. It works without the
daemon and without the API server. It imports nothing heavy and waits for nothing but the store's lock. A failure of its
own never keeps a component from starting: the component's file is complete at every moment.

``poststop`` records how the component ended, so that crashes can be counted.
"""

from __future__ import annotations

from collections.abc import Mapping

from ._adoption_and_rollback import Transactions
from ._agent_configuration import AgentConfiguration
from ._interfaces import Clock
from ._log import DAMAGED, START_REFUSED, log
from ._notify import notify_agent
from ._state.active_config import must_refuse_start
from ._state.node_state import NodeState
from ._state.start_history import End, Start, append_start, decode_startups, encode_startups, record_end
from ._store._durable_files import PRESTART_WAIT, DurableFiles, LockTimeout, locked
from ._store._rendered_files import init_config_hash
from ._store._state_reader import read_node_state
from ._store._store import Store, digest
from ._validation._validator import is_known_fatal

EXIT_REFUSED = 78  # EX_CONFIG, the one exit code that the unit's wrapper lets count


def prestart(
    configuration: AgentConfiguration,
    component: str,
    environ: Mapping[str, str],
    clock: Clock,
    *,
    store: Store | None = None,
) -> int:
    """Decide, switch the files, record the start; return 0, or 78 to refuse the start. Never raises.

    environ: systemd's variables (INVOCATION_ID). A start is refused only if nothing but an init config is usable, and
    this version of the component is known to die with it.
    """
    try:
        code = _prestart(configuration, component, environ, clock, store)
    except Exception as error:  # noqa: BLE001 - the contract: a failure of the agent never blocks a start
        log.error("prestart failed, the component starts with what it has: %r", error, extra={"component": component})
        code = 0
    notify_agent(configuration.run_directory)
    return code


def _prestart(
    configuration: AgentConfiguration, component: str, environ: Mapping[str, str], clock: Clock, store: Store | None
) -> int:
    if component not in configuration.components:
        log.error("the agent's config does not know this component", extra={"component": component})
        return 0
    store = store or Store(configuration.state_directory, now=clock.now)
    try:
        return _decide(configuration, component, environ, clock, store)
    except LockTimeout as error:
        log.warning("the start is left to poststop: %s", error, extra={"component": component})
        _leave_start(configuration, component, _start(store, component, environ, clock))
        return 0


def _decide(
    configuration: AgentConfiguration, component: str, environ: Mapping[str, str], clock: Clock, store: Store
) -> int:
    with locked(store.lock, wait=PRESTART_WAIT):
        state = read_node_state(configuration, store, clock)
        transactions = Transactions(configuration, store, clock)
        if state.active.fallback_reason:
            transactions.roll_back(state)
        else:
            transactions.switch(state, state.active_record)
        for name in store.damaged:
            log.error("%s was damaged and set aside", name, extra={"file": name, "message_id": DAMAGED})
        fatal = _init_config_is_fatal(configuration, store, state, component)
        refused = must_refuse_start(state.active, init_is_fatal=fatal)
        if not refused:
            version = state.tracking_versions[component]
            start = _start(store, component, environ, clock)
            store.write_startups(component, version, append_start(state.startups[component], start))
    if refused:
        log.error(
            "refused: the component would not run with the init config",
            extra={"component": component, "message_id": START_REFUSED},
        )
        return EXIT_REFUSED
    return 0


def _init_config_is_fatal(configuration: AgentConfiguration, store: Store, state: NodeState, component: str) -> bool:
    """Return whether the init config is known to be fatal; one that was never validated is not."""
    if state.active_record.source is not None:
        return False
    configured = configuration.components[component]
    findings = store.read_findings(component, state.tracking_versions[component])
    version = store.known_version(component, configured.version)
    return is_known_fatal(findings, init_config_hash(configured, store), version)


def _start(store: Store, component: str, environ: Mapping[str, str], clock: Clock) -> Start:
    data = store.read_config(component)
    return Start(
        invocation=environ.get("INVOCATION_ID", ""),
        boot_id=clock.boot_id(),
        since_boot=clock.since_boot(),
        time=clock.now(),
        config="" if data is None else digest(data),
    )


def _leave_start(configuration: AgentConfiguration, component: str, start: Start) -> None:
    """Leave a start that could not be recorded to poststop: without it, a crash would not count."""
    DurableFiles(configuration.run_directory).write(f"{component}.start", encode_startups([start]))


def _read_left_start(configuration: AgentConfiguration, component: str) -> Start | None:
    data = DurableFiles(configuration.run_directory).read(f"{component}.start")
    return None if data is None else next(iter(decode_startups(data)), None)


_WAIT = 0.5  # seconds; a crash whose end is not recorded does not count


def poststop(
    configuration: AgentConfiguration,
    component: str,
    environ: Mapping[str, str],
    clock: Clock,
    *,
    store: Store | None = None,
) -> int:
    """Record the end of the invocation; return 0. Never raises.

    environ: systemd's variables for ExecStopPost: INVOCATION_ID, SERVICE_RESULT, EXIT_CODE, EXIT_STATUS. It also runs
    after a failed ExecStartPre: then no start is recorded or no EXIT_CODE is set, and no crash is counted.
    """
    try:
        _poststop(configuration, component, environ, clock, store)
    except LockTimeout as error:
        log.warning("the end was not recorded: %s", error, extra={"component": component})
    except Exception as error:  # noqa: BLE001 - the contract: a failure of the agent never blocks a restart
        log.error("poststop failed: %r", error, extra={"component": component})
    notify_agent(configuration.run_directory)
    return 0


def _poststop(
    configuration: AgentConfiguration, component: str, environ: Mapping[str, str], clock: Clock, store: Store | None
) -> None:
    store = store or Store(configuration.state_directory, now=clock.now)
    end = End(
        result=environ.get("SERVICE_RESULT", ""),
        exit_code=environ.get("EXIT_CODE", ""),
        exit_status=environ.get("EXIT_STATUS", ""),
        since_boot=clock.since_boot(),
        time=clock.now(),
    )
    invocation, boot_id = environ.get("INVOCATION_ID", ""), clock.boot_id()
    with locked(store.lock, wait=_WAIT):
        version = store.tracking_version(component, configuration.components[component].version)
        startups = store.read_startups(component, version)
        changed = record_end(startups, invocation, boot_id, end)
        if changed is None:
            left = _read_left_start(configuration, component)
            changed = None if left is None else record_end(append_start(startups, left), invocation, boot_id, end)
        if changed is not None:
            store.write_startups(component, version, changed)
