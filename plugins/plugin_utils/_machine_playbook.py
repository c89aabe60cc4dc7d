# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Change the hosts of Machines with the roles of their providers, over the user's own connection.

Private to configok.node.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._foreign import load_json
from ansible_collections.configok.node.plugins.module_utils._machines._objects.providers import runs_playbooks
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import PROVIDER_API_VERSION
from ansible_collections.configok.node.plugins.module_utils._operations._machines import HostAnswer, HostRequest
from ansible_collections.configok.node.plugins.module_utils._rollout import RebootFailed
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.inventory_hosts import (
    InventoryHost,
    find_host,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict
from ansible_collections.configok.node.plugins.module_utils._text import sanitize
from ansible_collections.configok.node.plugins.plugin_utils._host_playbook import HostPlaybook
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookStopped,
    locate_playbook,
    missing_playbooks,
)

__all__ = ["MachinePlaybook"]

_PLAYBOOK = "configok.node.machine"
_EXIT_CODE = "non-zero return code"  # Ansible's sentence about a command, which says less than the command
_MAX_SENTENCE = 1000
_MAX_SENTENCES = 20
_MAX_VERSION = 128
_MAX_LOCAL_CONFIG = 1_000_000
_SECONDS_OF_A_PLAN = 300.0  # for the hosts of one batch of forks; a plan only looks


class MachinePlaybook(HostPlaybook):
    """Changes hosts with the collection's playbook, and with those of the user for the provider External."""

    LONGEST_END = 30.0
    _positions: Mapping[str, Sequence[int]] | None = None  # of the hosts of the inventory, by names and addresses

    def plan(self, requests: Sequence[HostRequest]) -> Mapping[str, HostAnswer]:
        """Ask the providers about all changes in one run of the playbook, and return their answers by machine."""
        answers: dict[str, HostAnswer] = {}
        asked: dict[str, HostRequest] = {}
        for request in requests:
            if runs_playbooks(request.provider):
                answers[request.name] = HostAnswer(refusals=tuple(self._missing_playbooks(request)))
                continue
            try:
                host, _is_new = self._host_of(request)
            except RebootFailed as error:
                answers[request.name] = HostAnswer(refusals=(str(error),))
                continue
            if host in asked:
                other = asked[host].name
                answers[request.name] = HostAnswer(refusals=(f"its host {host} is that of Machine {other}, too",))
            else:
                asked[host] = request
        if asked:
            answers.update(self._ask(asked))
        return answers

    def change(self, request: HostRequest) -> HostAnswer:
        """Change the host of one machine. Blocks until it has ended; a change that has begun is not stopped."""
        with self._counted():
            try:
                if self._stop.is_set() or request.should_stop():
                    return HostAnswer("the run was interrupted", not_begun=True)
                return self._change_external(request) if runs_playbooks(request.provider) else self._change(request)
            except PlaybookStopped:
                return HostAnswer("the run was interrupted")
            except RebootFailed as error:
                return HostAnswer(str(error))

    def _ask(self, asked: Mapping[str, HostRequest]) -> dict[str, HostAnswer]:
        options = replace(self._options, arguments=(*self._options.arguments, "--check"))
        timeout = _SECONDS_OF_A_PLAN * (1 + len(asked) // 5)
        with tempfile.TemporaryDirectory(prefix="configok-") as results:
            try:
                result = self._run(
                    _PLAYBOOK,
                    options,
                    variables=self._variables("plan", asked, results),
                    timeout=timeout,
                    should_stop=self._stop.is_set,
                )
            except PlaybookStopped:
                return {request.name: HostAnswer(refusals=("the run was interrupted",)) for request in asked.values()}
            answers = {request.name: _read_answer(results, request.name) for request in asked.values()}
        _verdict, reason = result.verdict(timeout)
        for host, request in asked.items():
            answer = answers[request.name]
            if answer is None or answer.failure:
                unreachable = f"its host {host} cannot be reached" if host in result.unreachable else ""
                if unreachable and request.planned == "delete":
                    unreachable += f"; if it is gone for good, delete its Node with kubectl delete node {request.name}"
                failure = unreachable or (answer.failure if answer else "") or reason or "its provider did not answer"
                answers[request.name] = HostAnswer(refusals=(failure,))
        if any(answer is None for answer in answers.values()) or result.failed:
            self._show_tail(result)
        return {name: answer for name, answer in answers.items() if answer is not None}

    def _change(self, request: HostRequest) -> HostAnswer:
        host, _is_new = self._host_of(request)
        with tempfile.TemporaryDirectory(prefix="configok-") as results:
            result = self._run(
                _PLAYBOOK,
                self._options,
                variables=self._variables(request.action, {host: request}, results),
                timeout=request.timeout,
                should_stop=self._stop.is_set,
            )
            answer = _read_answer(results, request.name)
        verdict, reason = result.verdict(request.timeout)
        if verdict is GateVerdict.PASS:
            return answer or HostAnswer()
        self._show_tail(result)
        failure = (answer.failure if answer else "") or reason
        return HostAnswer(failure=failure, warnings=answer.warnings if answer else ())

    def _change_external(self, request: HostRequest) -> HostAnswer:
        """Run the user's playbook; for a new host, install the agent afterwards."""
        if request.action not in ("create", "delete"):
            return HostAnswer("the provider External cannot change a host in place")
        fields = request.machine["provider"]
        playbook = locate_playbook(str(fields.get(request.action) or ""), self._directory)
        variables: dict[str, Any] = {
            "machine_action": request.action,
            "machine": request.machine,
            "machine_cluster": request.cluster,
            "machine_kubelet_config": request.kubelet_config,
        }
        if request.action == "create":
            variables["machine_bootstrap_kubeconfig"] = request.bootstrap_kubeconfig
        result = self._run(
            playbook, self._options, variables=variables, timeout=request.timeout, should_stop=self._stop.is_set
        )
        verdict, reason = result.verdict(request.timeout)
        if verdict is not GateVerdict.PASS:
            self._show_tail(result)
            return HostAnswer(f"playbook {sanitize(playbook, 200)}: {reason}")
        if request.action == "create" and fields.get("provision", True):
            return self._change(request)
        return HostAnswer()

    def _missing_playbooks(self, request: HostRequest) -> list[str]:
        fields = request.machine["provider"]
        names = ("delete",) if request.planned == "delete" else ("create", "delete")
        playbooks = {f"spec.providerConfig.{name}": str(fields.get(name) or "") for name in names}
        if request.planned == "create":
            playbooks.pop("spec.providerConfig.delete")
        return [
            *(f"{name}: is missing: a playbook is needed" for name, path in playbooks.items() if not path),
            *missing_playbooks(playbooks, self._directory),
        ]

    def _host_of(self, request: HostRequest) -> tuple[str, bool]:
        """Return the inventory name of a machine's host, and whether it is to be added. Raises RebootFailed.

        The addresses that a Node reports count only if its Machine declares none: a kubelet could name another host.
        """
        declared = str(request.machine["provider"].get("address") or "")
        addresses = (declared,) if declared else request.addresses
        alike = self._hosts_like(request.name, addresses)
        own = [host for host in alike if host.node_name in ("", request.name)]
        if own:
            return find_host(request.name, addresses, own), False
        other = next((host for host in alike if host.name == request.name), None)
        if other is not None:
            raise RebootFailed(f"the inventory says that its host {other.name} is that of Node {other.node_name}")
        return request.name, True

    def _hosts_like(self, name: str, addresses: Sequence[str]) -> list[InventoryHost]:
        """Return the hosts of the inventory that have this name, as a host or as a Node, or one of these addresses."""
        hosts = self._inventory()
        if self._positions is None:
            positions: dict[str, list[int]] = {}
            for position, host in enumerate(hosts):
                for text in {host.name, host.node_name, host.address} - {""}:
                    positions.setdefault(text, []).append(position)
            self._positions = positions
        matching = {position for text in {name, *addresses} for position in self._positions.get(text, ())}
        alike = [hosts[position] for position in sorted(matching)]
        return [host for host in alike if name in (host.name, host.node_name) or host.address in addresses]

    def _variables(self, action: str, asked: Mapping[str, HostRequest], results: str) -> dict[str, Any]:
        hosts = {}
        for host, request in asked.items():
            _name, is_new = self._host_of(request)
            hosts[host] = {
                "machine": _with_absolute_paths(request, self._directory),
                "role": request.provider.role,
                "kubelet_config": request.kubelet_config,
                "planned_action": request.planned,
                "add": _connection(request) if is_new else None,
            }
        first = next(iter(asked.values()))
        variables = {
            "machine_action": action,
            "machine_hosts": hosts,
            "machine_cluster": first.cluster,
            "machine_results": results,
        }
        if action == "create":
            variables["machine_bootstrap_kubeconfig"] = first.bootstrap_kubeconfig
        return variables


def _with_absolute_paths(request: HostRequest, directory: str) -> Mapping[str, Any]:
    """Return the machine, with the local files of our providers as paths that every module and lookup finds."""
    if request.provider.api_version != PROVIDER_API_VERSION:
        return request.machine

    def absolute(path: str) -> str:
        return os.path.abspath(os.path.join(directory, os.path.expanduser(path)))

    fields = dict(request.machine["provider"])
    if fields.get("archives"):
        fields["archives"] = [{**archive, "path": absolute(str(archive["path"]))} for archive in fields["archives"]]
    packages = fields.get("packages") or {}
    key = str(packages.get("key") or "")
    if key and "BEGIN PGP" not in key:
        fields["packages"] = {**packages, "key": absolute(key)}
    return {**request.machine, "provider": fields}


def _connection(request: HostRequest) -> dict[str, Any]:
    """Return how to connect to a host that the inventory does not have."""
    fields = request.machine["provider"]
    connection = {"ansible_host": str(fields.get("address") or next(iter(request.addresses), "") or request.name)}
    if fields.get("port"):
        connection["ansible_port"] = fields["port"]
    if fields.get("user"):
        connection["ansible_user"] = fields["user"]
    return connection


def _read_answer(directory: str, machine: str) -> HostAnswer | None:
    """Return the answer that the playbook has written for a machine, None without one."""
    with suppress(OSError, ValueError):
        value = load_json(Path(directory, f"{machine}.json").read_text(encoding="utf-8"))
        if isinstance(value, dict):
            failure = _sentence(value.get("failure") or "")
            last = next((line for line in reversed(str(value.get("errors") or "").splitlines()) if line.strip()), "")
            if failure and last:
                failure = _sentence(last) if failure == _EXIT_CODE else f"{failure}: {_sentence(last)}"
            task = _sentence(value.get("task") or "")
            return HostAnswer(
                f"{failure} (task {task!r})" if failure and task else failure,
                _sentences(value.get("refusals")),
                _sentences(value.get("warnings")),
                str(value.get("local_config") or "")[:_MAX_LOCAL_CONFIG],
                versions=_versions(value.get("versions")),
            )
    return None


def _versions(value: Any) -> tuple[tuple[str, str], ...]:
    items = list(value.items())[:_MAX_SENTENCES] if isinstance(value, dict) else []
    return tuple((sanitize(package, _MAX_VERSION), sanitize(version, _MAX_VERSION)) for package, version in items)


def _sentences(value: Any) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value] if value else []
    return tuple(_sentence(text) for text in texts[:_MAX_SENTENCES])


def _sentence(value: Any) -> str:
    text = " ".join(str(value).split())
    return sanitize(text, _MAX_SENTENCE).rstrip(".")
