# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node to test the agent on: time, service manager, API and components are fakes; the hooks and the files are real.

Components behave as their config says: a file with ``mood: deadly`` crashes shortly after each start, ``mood: sick``
runs and never becomes healthy, ``mood: hangs`` runs and does not answer probes, ``mood: invalid`` does not validate,
``mood: waits`` names a runtime that does not answer, and ``mood: doubted`` crashes with a host that is sick from the
adoption on.
"""

from __future__ import annotations

import copy
import itertools
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._agent_context import AgentContext, ComponentCommands
from ansible_collections.configok.node.plugins.module_utils._agent._controller import Controller
from ansible_collections.configok.node.plugins.module_utils._agent._counters import Counters
from ansible_collections.configok.node.plugins.module_utils._agent._hooks import poststop, prestart
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import (
    CommandResult,
    CommandRunner,
    Task,
)
from ansible_collections.configok.node.plugins.module_utils._agent._reporting._metrics import MetricsOutput
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit, UnitState
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs, NodeState
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validate_on_node import (
    is_same_on_node,
    probed_values,
)
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    CommandCheck,
    DocumentValidation,
)
from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import annotations_of
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError, NotFound
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import Assignment, ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
)
from support.agents.background import Hangs, InlineTask
from support.agents.log_lines import LogLine, record_log

NODE = "n1"
NAMESPACE = "configok-system"
CRASH_AFTER = 0.3
RESTART_DELAY = 1.0
STARTS_IN = 0.5  # seconds from the start of a component until it is healthy


class FakeClock:
    """Time that passes only when a test advances it."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.boot = "boot-1"
        self.passed = 0.0

    def since_boot(self) -> float:
        return self.seconds

    def boot_id(self) -> str:
        return self.boot

    def now(self) -> str:
        wall = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=int(self.passed))
        return wall.strftime("%Y-%m-%dT%H:%M:%SZ")

    def advance(self, seconds: float) -> None:
        self.seconds += seconds
        self.passed += seconds

    def jump(self, seconds: float) -> None:
        """Move the wall clock by seconds; the time since boot stays."""
        self.passed += seconds

    def reboot(self) -> None:
        self.boot = f"boot-{int(self.boot[5:]) + 1}"
        self.seconds = 5.0


class FakeApi:
    """One Node and some ConfigMaps; each request fails with ``down``, and gets no answer while ``hanging``."""

    def __init__(self) -> None:
        self.node: dict[str, Any] = {"metadata": {"name": NODE, "uid": str(uuid.uuid4()), "annotations": {}}}
        self.config_maps: dict[str, dict[str, Any]] = {}
        self.requests: list[str] = []
        self.patches: list[dict[str, Any]] = []
        self.event_reasons: list[str] = []
        self.down: KubeError | None = None
        self.hanging = False

    def get(self, path: str, **_query: Any) -> dict[str, Any]:
        self._request(f"GET {path}")
        name = path.rsplit("/", 1)[1]
        if name not in self.config_maps:
            raise NotFound(
                f'configmaps "{name}" not found', status=404, reason="NotFound", where=f"GET configmaps/{name}"
            )
        return copy.deepcopy(self.config_maps[name])

    def patch(self, path: str, body: dict[str, Any], *, kind: str) -> dict[str, Any]:
        self._request(f"PATCH {path}")
        assert (path, kind) == (f"/api/v1/nodes/{NODE}/status", "strategic")
        self.patches.append(body)
        self.node["metadata"]["annotations"].update(body["metadata"]["annotations"])
        return self.node

    def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self._request(f"POST {path}")
        self.event_reasons.append(body["reason"])
        return body

    def _request(self, what: str) -> None:
        if self.hanging:
            raise Hangs
        self.requests.append(what)
        if self.down is not None:
            raise self.down


class Process:
    """A component's unit and process, run by a service manager like systemd."""

    def __init__(self) -> None:
        self.state: UnitState = "stopped"
        self.invocation = ""
        self.started = 0.0
        self.mood = ""
        self.next: tuple[float, Callable[[], None]] | None = None
        self.starts = 0
        self.refused = 0


class Bench:
    """A node and its agent. run() lets time pass; the agent acts only within it."""

    def __init__(
        self,
        directory: Path,
        components: Sequence[str] = ("kubelet",),
        *,
        init: str | None = "maxPods: 110\n",
        instance: str = "",
        root_directory: str = "",
        check_command: tuple[str, ...] = (),
        messages: Callable[[str], str] | None = None,
        run_command: CommandRunner | None = None,
        **settings: Any,
    ) -> None:
        self.clock = FakeClock()
        self.api = FakeApi()
        self.directory = directory
        self.log: list[LogLine] = record_log([])
        self.processes = {name: Process() for name in components}
        self.validated: list[str] = []
        self.argv: tuple[str, ...] = ("/usr/bin/component",)  # of every process
        self.host: list[dict[str, Any]] = []  # what validation finds wrong with the host
        self.host_problem = ""  # what would make any start of a component fail; "hangs": the host gives no answer
        self.host_problems: dict[str, str] = {}  # the same for single components
        self.checked: list[str] = []
        self.check_code = 0
        self.node_files = ""  # a hash of the files on the node that documents name
        self.messages = messages  # the last message of a component in an invocation
        self.run_command = run_command  # what the agent runs besides a component's own commands
        self.restarts: list[str] = []
        self.refuse_restarts = False
        self.version_of: Callable[[str], str] | None = None  # the version that a component reports
        self.blind = False  # the agent has not read its Node yet: the API was unreachable when it started
        self.cycles = 0
        self._numbers = itertools.count(1)
        self.ids = itertools.count(1)
        configured = {}
        for name in components:
            paths: dict[str, Any] = {"init_config": "", "instance_config": ""}
            for kind, text in (("init_config", init), ("instance_config", instance)):
                if text:
                    path = directory / "etc" / f"{name}-{kind}.yaml"
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(text)
                    paths[kind] = str(path)
            configured[name] = self.component_configuration(name)._replace(
                **paths, root_directory=root_directory, check_command=check_command
            )
        self.settings: dict[str, Any] = {
            "node_name": NODE,
            "kubeconfig": "/nowhere",
            "components": configured,
            "state_directory": str(directory / "state"),
            "run_directory": str(directory / "run"),
            **settings,
        }
        self.configuration = AgentConfiguration(**self.settings)
        self.store = Store(self.configuration.state_directory, now=self.clock.now)
        self.metrics_outputs: list[MetricsOutput] = []
        self.daemon = self.new_daemon()
        for name in components:
            self.start(name)

    def component_configuration(self, name: str) -> ComponentConfiguration:
        """Return what the agent's config says of a component, without its configs."""
        return ComponentConfiguration(name=name, unit=f"{name}.service", version="v1.35.0")

    def new_daemon(self) -> Controller:
        """Return an agent that was just started."""
        return Controller(self.new_context(), self.metrics_outputs)

    def new_context(self) -> AgentContext:
        """Return the context of an agent that was just started."""
        self.counters = Counters(list(self.configuration.components))
        self.agent_store = self.new_agent_store()
        return AgentContext(
            configuration=self.configuration,
            store=self.agent_store,
            clock=self.clock,
            counters=self.counters,
            api=self.api,
            services=self,
            prober=self._probe_component,
            host_prober=self._probe_host,
            commands=ComponentCommands(
                validate=self._validate_alone,
                validate_document=self._validate_document,
                check=CommandCheck(self.check),
                probed_values=self.probed_values,
                version=lambda name: "" if self.version_of is None else self.version_of(name),
                command_line=lambda _pid: self.argv,
                last_message=self.messages,
                run=self.run_command,
            ),
            new_task=self.new_task,
            agent_version="0.1.0",
        )

    def new_agent_store(self) -> Store:
        """Return the store of an agent that was just started."""
        return Store(self.configuration.state_directory, now=self.clock.now)

    def hook_store(self, hook: str) -> Store | None:
        """Return the store for one run of a hook, or None if the hook opens its own."""
        return None

    def node_state(self) -> NodeState:
        """Return the snapshot of the node's own files as the agent reads them now."""
        return self.daemon.read_state()

    def new_task(self) -> Task:
        """Return a task for work that may hang."""
        return InlineTask()

    def configure(self, **settings: Any) -> None:
        """Change the agent's own config, and restart the agent."""
        self.settings.update(settings)
        self.configuration = AgentConfiguration(**self.settings)
        self.restart_agent()

    def restart_agent(self) -> None:
        """Stop the agent cleanly and start it again."""
        self.daemon.close()
        self.daemon = self.new_daemon()

    # The interfaces that the agent calls

    def validate(
        self,
        component: str,
        text: str,
        version: str,
        *,
        as_bundle: bool,
        host_only: bool = False,
        inputs: object = None,
    ) -> list[dict[str, Any]]:
        return [*([] if host_only else self._validate(component, text)), *(self.host if as_bundle else [])]

    def _validate_alone(self, component: str, text: str, version: str) -> Sequence[Mapping[str, Any]]:
        return self.validate(component, text, version, as_bundle=False)

    def _validate_document(
        self, component: str, text: str, version: str, *, inputs: NodeInputs, present: str | None, host_only: bool
    ) -> DocumentValidation:
        findings = self.validate(component, text, version, as_bundle=True, host_only=host_only, inputs=inputs)
        is_same = present is not None and is_same_on_node(text, present, inputs, version)
        return DocumentValidation(findings, is_same, self.node_files)

    def _validate(self, component: str, text: str) -> list[dict[str, Any]]:
        self.validated.append(component)
        if "mood: invalid" in text or '"mood": "invalid"' in text:
            return [{"path": "mood", "message": "must not be invalid", "level": "component"}]
        return []

    def check(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        """Run the component's own check, with a CommandRunner's signature."""
        self.checked.append(argv[-1])
        if "mood: rejected" in Path(argv[-1]).read_text():
            return CommandResult(1, "", "Error: I would not run with this\n")
        return CommandResult(self.check_code, "", "")

    def probed_values(self, path: str, version: str, inputs: NodeInputs) -> Mapping[str, Any]:
        """Return the answer of ``configok-agent addresses``."""
        return probed_values(decode(Path(path).read_bytes(), file=path), inputs, version)

    def _probe_component(self, component: str, effective: Mapping[str, Any], unit: Unit) -> ProbeResult:
        """Call probe(), which a test may have replaced since the agent was started."""
        return self.probe(component, effective, unit)

    def _probe_host(self, component: str, values: Mapping[str, Any], flags: Mapping[str, str], version: str) -> str:
        if self.host_problem == "hangs":
            raise Hangs
        problem = self.host_problem or self.host_problems.get(component, "")
        is_sick = values.get("mood") == "waits" or b"doubted" in (self.store.read_config(component) or b"")
        return problem or ("bench: no runtime" if is_sick else "")

    def probe(self, component: str, effective: Mapping[str, Any], unit: Unit) -> ProbeResult:
        process = self.processes[component]
        assert process.state == "active"
        if effective.get("mood") == "hangs" or process.mood == "hangs":
            raise Hangs
        if effective.get("mood") == "sick" or process.mood == "sick":
            return ProbeResult(False, "healthz: 500")
        if self.clock.since_boot() - process.started < STARTS_IN:
            return ProbeResult(False, "healthz: connection refused")
        return ProbeResult(True)

    def unit(self, component: str) -> Unit:
        process = self.processes[component]
        return Unit(f"{component}.service", process.state, process.invocation, 1, process.started)

    def restart(self, component: str) -> bool:
        self.restarts.append(component)
        if not self.refuse_restarts:
            self._later(component, 0.05, lambda: self._restart(component))
        return True

    # The service manager

    def _later(self, component: str, seconds: float, what: Callable[[], None]) -> None:
        self.processes[component].next = (self.clock.since_boot() + seconds, what)

    def _restart(self, component: str) -> None:
        self.stop(component, state="starting")
        self.start(component)

    def start(self, component: str) -> None:
        """Run prestart as ExecStartPre, then start the component."""
        process = self.processes[component]
        process.invocation = f"i{next(self._numbers)}"
        process.state = "starting"
        environ = {"INVOCATION_ID": process.invocation}
        code = prestart(self.configuration, component, environ, self.clock, store=self.hook_store("prestart"))
        if code:
            assert code == 78
            process.refused += 1
            self._stopped(component, {"SERVICE_RESULT": "exit-code"})
            self._later(component, RESTART_DELAY, lambda: self.start(component))
            return
        process.state = "active"
        process.started = self.clock.since_boot()
        process.starts += 1
        process.next = None
        text = self.reads(component)
        if "deadly" in text or "doubted" in text:
            self._later(component, CRASH_AFTER, lambda: self.crash(component))

    def stop(self, component: str, *, state: UnitState = "stopped") -> None:
        """Stop the component, as an administrator or a restart does."""
        self.processes[component].next = None
        self._stopped(component, {"SERVICE_RESULT": "success", "EXIT_CODE": "exited", "EXIT_STATUS": "0"})
        self.processes[component].state = state

    def crash(self, component: str, *, result: str = "exit-code", code: str = "exited", status: str = "1") -> None:
        """End the process by itself; the service manager starts it again after RESTART_DELAY."""
        self.processes[component].state = "starting"
        self._stopped(component, {"SERVICE_RESULT": result, "EXIT_CODE": code, "EXIT_STATUS": status})
        self._later(component, RESTART_DELAY, lambda: self.start(component))

    def _stopped(self, component: str, environ: Mapping[str, str]) -> None:
        invocation = {"INVOCATION_ID": self.processes[component].invocation}
        variables = {**invocation, **environ}
        poststop(self.configuration, component, variables, self.clock, store=self.hook_store("poststop"))

    def reboot(self) -> None:
        """Cut the power and boot the machine again: first the components start, then the agent."""
        self.clock.advance(30)
        self.clock.reboot()
        for name in self.processes:
            self.start(name)
        self.daemon = self.new_daemon()

    # Time

    def run(self, seconds: float, *, agent: bool = True) -> None:
        """Let time pass. agent: whether the agent runs."""
        end = self.clock.since_boot() + seconds
        for _round in range(10_000):
            due = self._cycle() if agent else float("inf")
            now = self.clock.since_boot()
            happens = [process.next for process in self.processes.values() if process.next is not None]
            first = min(happens, key=lambda event: event[0], default=(float("inf"), lambda: None))
            to = min(end, max(due, now + 0.001), first[0])
            self.clock.advance(max(0.0, to - now))
            if first[0] <= to:
                for process in self.processes.values():
                    if process.next is first:
                        process.next = None
                first[1]()
            elif to >= end:
                if agent:
                    self._cycle()
                return
        raise AssertionError("the daemon does not come to rest")

    def _cycle(self) -> float:
        self.cycles += 1
        return self.daemon.reconcile(None if self.blind else annotations_of(self.api.node))

    # The control side

    def publish(
        self, text: str = "", *, trial: Trial | None = None, uid: str = "", documents: Mapping[str, str] | None = None
    ) -> ConfigSource:
        """Publish a bundle and return its source. text: the same document for every component."""
        documents = documents or dict.fromkeys(self.processes, text)
        bundle = build_bundle("pool", documents, trial=trial or Trial(60.0, 3))
        uid = uid or str(uuid.uuid4())
        bundle["metadata"]["uid"] = uid
        self.api.config_maps[bundle["metadata"]["name"]] = bundle
        return ConfigSource(NAMESPACE, bundle["metadata"]["name"], uid)

    def assign(
        self,
        source: ConfigSource | None,
        *,
        id: int = 0,
        forget_bad: bool = False,
        confirm_after: float | None = None,
    ) -> int:
        """Assign a config source (None: the init config) under the next id, or under id; return the id."""
        id = id or next(self.ids)
        annotations = self.api.node["metadata"]["annotations"]
        annotations.pop(ANNOTATION_CONFIG_SOURCE, None)
        if source is not None:
            annotations[ANNOTATION_CONFIG_SOURCE] = source.encode()
        annotations[ANNOTATION_ASSIGNMENT] = Assignment(id, forget_bad, confirm_after).encode()
        return id

    def good_node(self, text: str = "maxPods: 120\n") -> ConfigSource:
        """Let the node adopt a config that passes its trial; return its source."""
        source = self.publish(text, trial=Trial(5.0, 3))
        self.assign(source)
        self.run(30)
        assert self.status.last_known_good == source
        return source

    # What a test observes

    def reads(self, component: str = "kubelet") -> str:
        """Return the config that the component would read now."""
        return (self.directory / "state" / "components" / component / "config.yaml").read_text()

    @property
    def condition(self) -> dict[str, str]:
        """The ConfigOK condition as written last."""
        condition = self.api.patches[-1]["status"]["conditions"][0]
        return {key: condition[key] for key in ("status", "message", "reason")}

    @property
    def words(self) -> tuple[str, str, str]:
        """Status, message and reason as written last."""
        condition = self.condition
        return condition["status"], condition["message"], condition["reason"]

    @property
    def condition_messages(self) -> list[str]:
        """The messages of all writes, in order."""
        return [patch["status"]["conditions"][0]["message"] for patch in self.api.patches]

    @property
    def status(self) -> ConfigStatus:
        """The structured status as written last."""
        return ConfigStatus.parse(self.api.patches[-1]["metadata"]["annotations"][ANNOTATION_CONFIG_STATUS])

    def starts(self, component: str = "kubelet") -> int:
        """Return how often the component was started."""
        return self.processes[component].starts
