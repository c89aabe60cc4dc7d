# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our side: a node with the agent, as operators and tests see it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Conflict
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map, config_maps, events
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    next_id,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ConfigStatus,
    read_condition,
    read_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    NAMESPACE_BUNDLES,
)
from support.conformance.payloads import document, shareable
from support.conformance.wait import until
from support.machines import Node, Testbed
from support.session.patience import LONGEST_WAIT

__all__ = ["Answer", "OurNode"]

STATE = "/var/lib/configok"
METRICS = "127.0.0.1:9917"
LONG = "10m"
SHORT = "3s"
# Runs hundreds of times: bash starts ten times faster than Python.
_FETCH = (
    f"exec 3<>/dev/tcp/{METRICS.replace(':', '/')} && "
    "printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3"
)
_GAUGE = "configok_node_config_"
_GAUGES = tuple(f"{_GAUGE}{name}" for name in ("assigned{", "active{", "last_known_good{", "error "))


class Answer(NamedTuple):
    """The node's report: the ConfigOK condition, and the structured status."""

    condition: Mapping[str, Any]
    status: ConfigStatus

    @property
    def words(self) -> str:
        """The condition in one line."""
        return f"{self.condition['status']}, {self.condition['message']}: {self.condition['reason']}"


def _expected_metrics(
    assigned: ConfigSource | None, active: ConfigSource | None, good: ConfigSource | None, *, error: bool
) -> list[str]:
    """Return the expected value of OurNode.metrics()."""
    sources = {"assigned": assigned, "active": active, "last_known_good": good}
    lines = [f"{_GAUGE}error {int(error)}"]
    for name, source in sources.items():
        path = "local" if source is None else config_map(source.namespace, source.name)
        labels = f'node_config_source="{path}",node_config_uid="{"" if source is None else source.uid}"'
        lines.append(f"{_GAUGE}{name}{{{labels}}} 1")
    return sorted(lines)


class OurNode:
    """A provisioned node; sources are assigned to it, and its answers are awaited."""

    side = "configok"

    def __init__(self, bed: Testbed, machine: Node) -> None:
        self.bed = bed
        self.machine = machine
        self.client = bed.client
        self.values = shareable(yaml.safe_load(machine.read("/etc/configok/init/kubelet.yaml")))

    def starts(self) -> int:
        """Return how often the kubelet was started since this boot."""
        return self.machine.kubelet_starts()

    # The operator

    def publish(
        self,
        changes: Mapping[str, Any] | None = None,
        *,
        text: str | None = None,
        trial: str = LONG,
        threshold: int = 1,
        others: Mapping[str, str] | None = None,
    ) -> ConfigSource:
        """Publish a bundle: the node's own values with changes, or a text. others: documents of other components."""
        written = document({**self.values, **(changes or {})}) if text is None else text
        body = build_bundle("pool", {"kubelet": written, **(others or {})}, trial=Trial.of(trial, threshold))
        return self.create(body)

    def create(self, body: Mapping[str, Any]) -> ConfigSource:
        """Create a ConfigMap, or get the existing one of this name."""
        try:
            created = self.client.create(config_maps(NAMESPACE_BUNDLES), dict(body))
        except Conflict:
            created = self.client.get(config_map(NAMESPACE_BUNDLES, body["metadata"]["name"]))
        metadata = created["metadata"]
        return ConfigSource(metadata["namespace"], metadata["name"], metadata["uid"])

    def delete(self, source: ConfigSource) -> None:
        """Delete a bundle from the cluster."""
        self.client.delete(config_map(source.namespace, source.name))

    def recreate(self, source: ConfigSource) -> ConfigSource:
        """Delete a bundle and publish it again: the same name, a different uid."""
        existing = self.client.get(config_map(source.namespace, source.name))
        self.delete(source)
        kept = {key: existing["metadata"][key] for key in ("namespace", "name", "labels", "annotations")}
        return self.create({**{key: existing[key] for key in ("immutable", "data")}, "metadata": kept})

    def assign(self, source: ConfigSource | None, *, forget_bad: bool = False) -> int:
        """Assign a config source, or the init config; return the assignment's id."""
        return self.annotate(None if source is None else source.encode(), forget_bad=forget_bad)

    def annotate(self, text: str | None, *, forget_bad: bool = False) -> int:
        """Write any text as config source, together with the next id, in one PATCH."""
        node = self._node()
        annotations = node["metadata"].get("annotations") or {}
        status = read_status(node)
        number = next_id(annotations, status.assignment if status is not None else 0)
        values = {ANNOTATION_CONFIG_SOURCE: text, ANNOTATION_ASSIGNMENT: Assignment(number, forget_bad).encode()}
        self.client.patch(node_path(self.machine.name), {"metadata": {"annotations": values}})
        return number

    # The node's reports

    def _node(self) -> dict[str, Any]:
        return self.client.get(node_path(self.machine.name))

    def says(self) -> Answer | None:
        """Return the node's current report."""
        node = self._node()
        status, condition = read_status(node), read_condition(node)
        return None if status is None or condition is None else Answer(condition, status)

    def answered(self, assignment: int, causes: Iterable[str] | str, timeout: float = LONGEST_WAIT) -> Answer:
        """Wait until the node has answered an assignment with one of these causes."""
        expected = {causes} if isinstance(causes, str) else set(causes)

        def look() -> Answer | None:
            report = self.says()
            right = report is not None and report.status.assignment == assignment and report.status.cause in expected
            return report if right else None

        return until(f"assignment {assignment} is answered with {sorted(expected)}", look, timeout, self.says)

    def expect(
        self,
        assignment: int,
        cause: str,
        *,
        assigned: ConfigSource | None,
        active: ConfigSource | None,
        good: ConfigSource | None,
        timeout: float = LONGEST_WAIT,
    ) -> Answer:
        """Wait for the answer, and check assigned, active and last-known-good, as the ancestor's own tests did.

        Both the status and the metrics are checked.
        """
        report = self.answered(assignment, cause, timeout)
        status = report.status
        seen = (status.assigned, status.active, status.last_known_good)
        assert seen == (assigned, active, good), f"{report.words}; {status}"
        expected = _expected_metrics(assigned, active, good, error=report.condition["status"] != "True")
        until("the metrics say the same", lambda: expected == self.metrics(), 20, lambda: (expected, self.metrics()))
        return report

    def until_event(self, reason: str, source: ConfigSource) -> None:
        """Wait for an Event on the Node with this reason that names the source."""

        def look() -> bool:
            sent = self.client.get(f"{events('default')}?fieldSelector=involvedObject.name={self.machine.name}")
            return any(event["reason"] == reason and source.uid in event["message"] for event in sent["items"])

        until(f"an Event {reason} names {source.uid}", look)

    def promoted(self, source: ConfigSource, timeout: float = LONGEST_WAIT) -> Answer:
        """Wait until a source is last-known-good."""

        def look() -> Answer | None:
            report = self.says()
            good = report is not None and report.status.last_known_good == source and not report.status.in_trial
            return report if good else None

        return until(f"{source.name} is last-known-good", look, timeout, self.says)

    def reset(self) -> None:
        """Bring the node to the start of every scenario: the init config, healthy."""
        self.answered(self.assign(None), "Init", timeout=120.0)

    def on(self, source: ConfigSource) -> Answer:
        """Assign a good config and wait until the node reports it as in use."""
        return self.answered(self.assign(source), "Good")

    def settled(self, source: ConfigSource) -> Answer:
        """Assign a good config with a short trial and wait until it is last-known-good."""
        self.on(source)
        return self.promoted(source)

    # The node's files

    def reads(self) -> dict[str, Any]:
        """Return the values of the file that the kubelet reads."""
        config: dict[str, Any] = yaml.safe_load(self.machine.read(f"{STATE}/components/kubelet/config.yaml"))
        return config

    def live(self) -> dict[str, Any]:
        """Return the config that the kubelet itself reports. Raises KubeError while it does not serve."""
        config: dict[str, Any] = self.client.get(f"{node_path(self.machine.name)}/proxy/configz")["kubeletconfig"]
        return config

    def uses(self, **values: Any) -> None:
        """Check values of the file that the kubelet reads, and wait until the kubelet reports them."""
        config = self.reads()
        assert {name: config.get(name) for name in values} == values
        until(f"the kubelet runs with {values}", lambda: values.items() <= self.live().items(), 30, self.live)

    def agent(self, *arguments: str, check: bool = True) -> str:
        """Run a command of the agent on the node; return its output."""
        done = self.machine.run(["configok-agent", *arguments], check=check)
        return str(done.stdout)

    def metrics(self) -> list[str]:
        """Return the current values of the series that the ancestor had too, sorted."""
        lines = str(self.machine.run(["bash", "-c", _FETCH], check=False).stdout).splitlines()
        return sorted(line for line in lines if line.startswith(_GAUGES))

    def restart_agent(self) -> None:
        """Restart the agent and wait until systemd reports that it runs."""
        self.machine.run(["systemctl", "restart", "configok-agent"])

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory of the state."""
        return str(self.machine.run(["ls", "-A", f"{STATE}/{directory}"]).stdout).split()

    def until_starts(self, number: int, timeout: float = LONGEST_WAIT) -> None:
        """Wait until the kubelet was started this many times."""
        until(f"the kubelet was started {number} times", lambda: self.starts() >= number, timeout, self.starts)

    def pause_until_quiet(self, seconds: float = 2.0) -> None:
        """Wait until the kubelet has not been started for some seconds."""
        since, before = time.monotonic(), self.starts()
        while time.monotonic() - since < seconds:
            time.sleep(0.3)
            now = self.starts()
            if now != before:
                since, before = time.monotonic(), now
