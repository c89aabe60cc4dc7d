# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent on a control plane, for the components that are static Pods."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import read_condition, read_status
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import NAMESPACE_BUNDLES
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from support.ansible_runs.playbooks import PlaybookRun
from support.session.patience import LONGEST_WAIT

from ._commands import CommandFailed
from ._control_plane import MANIFESTS, ControlPlane
from ._node import Node

__all__ = ["ControlPlaneAgent"]

_COMMAND = "/usr/local/bin/configok-agent"
_CONFIG = "/etc/configok/agent.yaml"
_UNIT = "configok-agent.service"
_SETTINGS = {"healthTimeout": "300s", "probeInterval": "1s"}


class ControlPlaneAgent:
    """The agent of a control plane's node, as the role installs it, with the credentials of the kubelet."""

    def __init__(
        self, control_plane: ControlPlane, components: Mapping[str, Mapping[str, Any]], node: Node | None = None
    ) -> None:
        """Provision a node, by default the first.

        components: those that are static Pods, and what the agent's config says of each.
        """
        self.control_plane = control_plane
        self._node = node or control_plane.node
        self._client = control_plane.client
        variables = {
            "node_components": [
                {"name": "kubelet"},
                *({"name": name, "agent_options": dict(fields)} for name, fields in components.items()),
            ],
            "node_agent_options": _SETTINGS,
        }
        control_plane.write_host_variables(
            variables, node=self._node
        )  # as users have them: extra variables win over all others
        self.provision()

    def provision(self, **variables: Any) -> PlaybookRun:
        """Run the playbook provision, with other variables than before. Raises CommandFailed."""
        return self._checked(self.control_plane.play("provision", variables, node=self._node))

    def remove(self) -> PlaybookRun:
        """Run the playbook remove, whatever the node uses. Raises CommandFailed."""
        return self._checked(self.control_plane.play("remove", {"cluster_force": True}, node=self._node))

    def _checked(self, run: PlaybookRun) -> PlaybookRun:
        if run.code != 0:
            raise CommandFailed(f"the playbook ended with {run.code}: {run.output[-4000:]}")
        return run

    def configure(self, **settings: Any) -> None:
        """Change settings of the agent, which starts again with them."""
        self._node.write(_CONFIG, json.dumps({**json.loads(self._node.read(_CONFIG)), **settings}))
        self._node.run(["systemctl", "restart", _UNIT])

    def start(self) -> None:
        """Start the daemon."""
        self._node.run(["systemctl", "start", _UNIT])

    def kill(self) -> None:
        """End the daemon, if it is there, without a chance to clean up, and keep it from starting again."""
        for words in (["kill", "--signal=KILL"], ["stop"]):
            self._node.run(["systemctl", *words, _UNIT], check=False)

    def assign(self, options: Mapping[str, Mapping[str, Any]] | None, trial: Trial | None = None) -> int:
        """Publish options, by component, and assign them, or the init config for None; return the assignment's id."""
        source = None
        if options is not None:
            documents = {name: json.dumps(document) for name, document in options.items()}
            stored = self._client.create(
                paths.config_maps(NAMESPACE_BUNDLES), build_bundle("control-plane", documents, trial=trial)
            )
            metadata = stored["metadata"]
            source = ConfigSource(metadata["namespace"], metadata["name"], metadata["uid"])
        (done,) = assign_nodes(self._client, source, names=[self._node.name])
        assert not done.error, done.error
        return int(done.assignment)

    def wait_answer(self, assignment: int, status: str, reason: str = "") -> dict[str, Any]:
        """Wait until ConfigOK answers an assignment with a status, and with a text in its reason; return it."""

        def condition() -> dict[str, Any] | None:
            try:
                node = self._client.get(paths.node(self._node.name))
            except KubeError:
                return None  # the API server is what changes
            present, answered = read_condition(node), read_status(node)
            if present is None or answered is None or answered.assignment != assignment:
                return None
            return present if present["status"] == status and reason in present["reason"] else None

        answer: dict[str, Any] = self._node.wait(
            f"ConfigOK {status} for {assignment}", condition, 3 * LONGEST_WAIT, poll=0.5
        )
        return answer

    def wait_answered(self, assignment: int, *, in_trial: bool) -> None:
        """Wait until the node answers an assignment in its trial, or after it."""

        def has_answered() -> bool:
            try:
                status = read_status(self._client.get(paths.node(self._node.name)))
            except KubeError:
                return False
            return status is not None and status.assignment == assignment and status.in_trial is in_trial

        self._node.wait(f"answer to {assignment}", has_answered, timeout=120, poll=0.5)

    def write_manifest(self, component: str, text: bytes) -> None:
        """Replace a manifest as another program does."""
        temporary = f"{MANIFESTS}/.{component}"
        self._node.write(temporary, text.decode())
        self._node.run(["mv", temporary, f"{MANIFESTS}/{component}.yaml"])

    def status(self) -> dict[str, Any]:
        """Return what `configok-agent status` says."""
        return dict(json.loads(self.command("status", "--json")))

    def command(self, *words: str) -> str:
        """Run a command of `configok-agent`, and return what it prints. Raises CommandFailed."""
        return str(self._node.run([_COMMAND, *words]).stdout)

    def log(self) -> str:
        """Return what the daemon has logged."""
        return str(self._node.run(["journalctl", "--no-pager", "-u", _UNIT]).stdout)
