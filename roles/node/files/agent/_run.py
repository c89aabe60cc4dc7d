# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""run: the daemon with its real surroundings."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from ._agent import AGENT_VERSION
from ._agent._agent_configuration import AgentConfiguration
from ._agent._agent_context import AgentContext, ComponentCommands
from ._agent._app import App
from ._agent._background import BackgroundTask
from ._agent._counters import Counters
from ._agent._host_probes import start_problem
from ._agent._interfaces import ServiceManager
from ._agent._notify import Notifications
from ._agent._probes import HealthProber
from ._agent._reporting._crash_messages import LastMessages
from ._agent._reporting._metrics import MetricsFile, MetricsOutput
from ._agent._service_managers import Systemd
from ._agent._store._durable_files import DAEMON_LOCK, LockTimeout, locked
from ._agent._store._store import Store
from ._agent._system_clock import SystemClock
from ._agent._validation._own_check import OwnCheck
from ._agent._validation._validator import AddressesCommand, ValidateCommand, ValidateDocumentCommand
from ._kube.api_client import Client
from ._kube.api_errors import KubeError
from ._kube.credentials import from_kubeconfig
from ._kube.retry import ONCE, RetryPolicy
from ._kube.transport import ClientSettings, Timing
from ._output import complain
from ._processes import run_command
from ._version_command import ComponentVersions

if TYPE_CHECKING:  # control-plane nodes alone have an API server
    from ._agent._reload_proof import ReloadProof

__all__ = ["run"]

_KUBELET = "kubelet"
_TIMEOUT = 10.0  # seconds of silence
_PROBE_TIMEOUT = 2.0
_LONGEST_ANSWER = 4 << 20  # bytes: a bundle has one MiB at most
_RETRIES = RetryPolicy(attempts=2, longest=2.0, patience=5.0)  # few: the daemon has a back-off of its own


def run(configuration: AgentConfiguration, path: str) -> int:
    """Run the daemon until SIGTERM or SIGINT, and return the exit code. path: the configuration's. Raises OSError.

    On SIGHUP, the daemon reads its own config again, and replaces itself if more than the trust policy has changed.
    """
    starts_again = False
    try:
        with locked(os.path.join(configuration.run_directory, DAEMON_LOCK), wait=0):
            notifications = Notifications(configuration.run_directory)
            try:
                starts_again = _run(configuration, path, notifications)
            finally:
                notifications.close()
    except LockTimeout:
        complain(f"another configok-agent runs on {configuration.run_directory} already")
        return 1
    except KubeError as error:
        complain(str(error))
        return 1
    if starts_again:
        program = _program()
        os.execv(program[0], [*program, f"--config={path}", "run"])
    return 0


def _run(configuration: AgentConfiguration, path: str, notifications: Notifications) -> bool:
    """Run the daemon; return whether it is to start again, because its own config has changed."""
    stop, reload = threading.Event(), threading.Event()

    def receive(number: int, _frame: FrameType | None) -> None:
        (reload if number == signal.SIGHUP else stop).set()

    notifications.notify_of_signals()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, receive)
    clock = SystemClock()
    store = Store(configuration.state_directory, now=clock.now)
    credentials = from_kubeconfig(configuration.kubeconfig)
    user_agent = f"configok-agent/{AGENT_VERSION}"
    settings = ClientSettings(
        pool_size=2, timeout=_TIMEOUT, longest_answer=_LONGEST_ANSWER, user_agent=user_agent, retries=_RETRIES
    )
    client = Client(credentials, settings, Timing(sleep=stop.wait))
    impatient = Client(credentials, settings._replace(pool_size=1, timeout=_PROBE_TIMEOUT, retries=ONCE))
    live = None
    if configuration.configz:
        from ._agent._probes import LiveConfigProbe  # an option that is off by default

        live = LiveConfigProbe(run_command, [*_program(), f"--config={path}", "compare"])
    served = reloaded = None
    if any(part.manifest for part in configuration.components.values()):
        from ._agent._instance_client import InstanceClients  # control-plane nodes alone have an API server
        from ._agent._reload_proof import ReloadProof
        from ._agent._served_node_probe import ServedNodeProbe

        probe_settings = settings._replace(pool_size=1, timeout=_PROBE_TIMEOUT, retries=ONCE)
        instances = InstanceClients(credentials, lambda instance: Client(instance, probe_settings))
        served = ServedNodeProbe(configuration.node_name, instances, store)
        reloaded = ReloadProof(store, clock, instances)
    program = _program()
    supervisors = _supervisors(configuration, store, clock, [*program, f"--config={path}"], reloaded)
    context = AgentContext(
        configuration=configuration,
        store=store,
        clock=clock,
        counters=Counters(list(configuration.components)),
        api=client,
        services=supervisors.services,
        prober=HealthProber(
            configuration, clock, impatient, timeout=_PROBE_TIMEOUT, live=live, served=served, reloaded=reloaded
        ),
        host_prober=start_problem,
        commands=ComponentCommands(
            validate=ValidateCommand(run_command, [*program, "validate", "--limited"]),
            validate_document=ValidateDocumentCommand(
                run_command, [*program, f"--config={path}", "validate-document", "--limited"]
            ),
            check=OwnCheck(run_command, configuration.run_directory),
            probed_values=AddressesCommand(run_command, [*program, "addresses", "--limited"]),
            version=supervisors.version,
            last_message=LastMessages(configuration.components, store, run_command),
            run=run_command,
        ),
        new_task=partial(BackgroundTask, notifications.task_done),
        agent_version=AGENT_VERSION,
    )
    app = App(context, notifications, _metrics_sinks(configuration))
    gc.freeze()  # what is there by now stays: the collector of garbage need not look through it every time
    return app.run(stop, reload)


class _Supervisors(NamedTuple):
    """What starts the components of this node, and says which version each has."""

    services: ServiceManager
    version: Callable[[str], str]


def _supervisors(
    configuration: AgentConfiguration,
    store: Store,
    clock: SystemClock,
    argv: Sequence[str],
    reloaded: ReloadProof | None,
) -> _Supervisors:
    """Return systemd and, if a component has a manifest, the kubelet. argv: the agent's command with its options."""
    units = {name: part.unit for name, part in configuration.components.items() if not part.manifest}
    systemd = Systemd(units, run_command)
    versions = ComponentVersions(configuration, run_command)
    pods = {name: part for name, part in configuration.components.items() if part.manifest}
    if not pods:
        return _Supervisors(systemd, versions)
    from ._agent._static_pod_services import ServiceManagers, StaticPods  # control-plane nodes alone have some

    can_show_reload = reloaded.can_show if reloaded is not None else lambda: False
    kubelet = Systemd({_KUBELET: units.get(_KUBELET, f"{_KUBELET}.service")}, run_command)
    static_pods = StaticPods(
        pods,
        store,
        clock,
        run_command,
        [*argv, "static-pod"],
        can_show_reload=can_show_reload,
        restart_kubelet=partial(kubelet.restart, _KUBELET),
    )
    services: dict[str, ServiceManager] = {**dict.fromkeys(units, systemd), **dict.fromkeys(pods, static_pods)}
    return _Supervisors(
        ServiceManagers(services),
        lambda component: static_pods.version(component) if component in pods else versions(component),
    )


def _metrics_sinks(configuration: AgentConfiguration) -> list[MetricsOutput]:
    sinks: list[MetricsOutput] = []
    if configuration.metrics.file:
        sinks.append(MetricsFile(configuration.metrics.file))
    if configuration.metrics.address:
        from ._agent._reporting._metrics_server import MetricsServer  # few nodes want it, and memory is short

        host, _colon, port = configuration.metrics.address.rpartition(":")
        server = MetricsServer((host.strip("[]"), int(port)))
        server.start()
        sinks.append(server)
    return sinks


def _program() -> list[str]:
    # The archive, or the directory it was unpacked to: Python runs both.
    return [sys.executable, "-I", os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
