# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes whether an API server serves this node as the instance before it did.

``/readyz`` stays 200 with a wrong client CA, authorizer, webhook or set of admission plugins, which cost a cluster its
nodes. So the instance is asked what a kubelet asks: to read its own Node, and to patch its status, as a dry run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._kube import api_paths as paths
from .._kube.api_errors import KubeError
from ._instance_addresses import API_SERVER
from ._instance_client import InstanceClients
from ._log import log
from ._state.health import ProbeResult
from ._store._durable_files import LOCK_WAIT, LockTimeout, locked
from ._store._store import Store

_NOTE = "served"
_QUESTIONS: Mapping[str, Callable[[Any, str], Any]] = {
    "GET of its Node": lambda client, node: client.get(paths.node(node), metadata_only=True),
    "PATCH of its Node's status": lambda client, node: client.patch(
        paths.node_status(node), {}, kind="strategic", dry_run=True, metadata_only=True
    ),
}


class ServedNodeProbe:
    """Compares what an API server's own instance answers with what worked before."""

    def __init__(self, node_name: str, clients: InstanceClients, store: Store) -> None:
        """Ask for a Node. store: keeps what has worked, for the agent that is started next."""
        self._node_name = node_name
        self._clients = clients
        self._store = store
        self._worked: set[str] | None = None  # None: not read yet

    def __call__(self, url: str) -> ProbeResult | None:
        """Return a failure if the instance refuses what one served before, None otherwise.

        url: any address of the instance. What has never worked on this node is not judged. Raises OSError.
        """
        if self._worked is None:
            worked = self._store.read_note(API_SERVER, _NOTE).get("worked")
            self._worked = set(map(str, worked)) if isinstance(worked, list) else set()
        answers = self._ask(url)
        works = {question for question, problem in answers.items() if not problem}
        if not works <= self._worked:
            self._worked |= works
            self._write(self._worked)
        for question, problem in answers.items():
            if problem and question in self._worked:
                return ProbeResult(False, f"the {question} worked before, and fails now: {problem}")
        return None

    def _write(self, worked: set[str]) -> None:
        """Keep what has worked, so that an agent that is started during a trial knows it."""
        try:
            with locked(self._store.lock, wait=LOCK_WAIT):
                self._store.write_note(API_SERVER, _NOTE, {"worked": sorted(worked)})
        except (OSError, LockTimeout) as error:
            log.warning("what the API server serves was not recorded: %s", error)

    def _ask(self, url: str) -> dict[str, str]:
        """Return what is wrong with each answer, "" for nothing."""
        client = self._clients.at(url)
        answers = {}
        for question, ask in _QUESTIONS.items():
            try:
                ask(client, self._node_name)
                answers[question] = ""
            except KubeError as error:
                answers[question] = str(error)
        return answers
