# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An event source of Event-Driven Ansible: what happens to the config of nodes, and to rollouts."""

from __future__ import annotations

DOCUMENTATION = r"""
module: nodes
short_description: Receive an event when a node joins a pool, fails or drifts, and when a rollout pauses or ends
description:
  - Watches the Nodes of a cluster, and the records of all pools. It only reads.
  - Each event comes once while the source runs. After a start, there is one for each node that is not fine, and for
    each rollout that is paused or halted.
options:
  kubeconfig:
    description: The path of a kubeconfig, by default E(K8S_AUTH_KUBECONFIG), E(KUBECONFIG) or C(~/.kube/config). In
      a Pod without one, its service account.
    type: str
  context:
    description: A context of the kubeconfig.
    type: str
  host:
    description: The URL of the API server, instead of a kubeconfig.
    type: str
  api_key:
    description: A bearer token.
    type: str
  ca_cert:
    description: The path of the CA certificate of the API server.
    type: str
  validate_certs:
    description: Whether the certificate of the API server is verified.
    type: bool
    default: true
  client_cert:
    description: The path of a client certificate.
    type: str
  client_key:
    description: The path of its key.
    type: str
  tls_server_name:
    description: The name in the certificate of the API server, if it is not that of the URL.
    type: str
  request_timeout:
    description: How many seconds the API server may be silent.
    type: int
    default: 30
  label_selector:
    description: Only nodes with these labels. All pools are followed.
    type: str
  cluster:
    description: A name for the cluster, which each event then has as C(cluster).
    type: str
  quiet:
    description: Nodes that join or drift are collected until none has come for this number of seconds.
    type: float
    default: 5
  longest:
    description: The longest time that nodes are collected, in seconds.
    type: float
    default: 30
  silent_after:
    description: An agent that has written nothing for this number of seconds is silent. By default, an agent writes
      every ten minutes.
    type: float
    default: 1800
"""

EXAMPLES = r"""
- name: Bring nodes that have joined a pool to its config
  hosts: localhost
  sources:
    - configok.node.nodes:
        kubeconfig: /etc/configok/kubeconfig
  rules:
    - name: Reconcile the pool
      condition: event.kind == "nodes_joined" and event.reconcile == true
      action:
        run_job_template:
          name: configok reconcile
          organization: Default
          include_events: false
          job_args:
            extra_vars:
              pool_file: "{{ event.pool }}"
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

_COLLECTIONS = Path(__file__).absolute().parents[6]  # ansible_collections, which holds this collection

try:
    import ansible_collections.configok.node.plugins.module_utils._operations._events
except ImportError:  # ansible-rulebook runs this file, and knows nothing of the collections
    # Not with Ansible's own loader: its path hook keeps ansible-rulebook from running the files of its other plugins.
    sys.path.append(str(_COLLECTIONS.parent))
    import ansible_collections

    if str(_COLLECTIONS) not in ansible_collections.__path__:  # it is that of the Python package ansible
        ansible_collections.__path__.append(str(_COLLECTIONS))

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    EXPECTED_ERRORS,
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._operations._events.event_stream import (
    EventSettings,
    EventStream,
)

_LONGEST_WAIT = 1.0  # seconds: a cancelled source ends within this time
_SPEC: dict[str, dict[str, Any]] = {
    **{name: option for name, option in KUBE_ARGUMENT_SPEC.items() if name != "connections"},
    "label_selector": {"type": "str"},
    "cluster": {"type": "str"},
    "quiet": {"type": "float", "default": 5.0},
    "longest": {"type": "float", "default": 30.0},
    "silent_after": {"type": "float", "default": 1800.0},
}


class SourceError(Exception):
    """Raised with one sentence, which ansible-rulebook shows."""


def read_options(args: dict[str, Any]) -> dict[str, Any]:
    """Return the options with their types and defaults. Raises SourceError."""
    options_set = {name: value for name, value in args.items() if not name.startswith("eda_")}
    unknown = sorted(set(options_set) - set(_SPEC))
    if unknown:
        raise SourceError(
            f"configok.node.nodes: {', '.join(unknown)}: no such option; there are {', '.join(sorted(_SPEC))}"
        )
    checked = ArgumentSpecValidator(_SPEC).validate(options_set)
    if checked.error_messages:
        raise SourceError(f"configok.node.nodes: {'; '.join(checked.error_messages)}")
    options: dict[str, Any] = checked.validated_parameters
    for name in ("quiet", "longest", "silent_after"):
        if not options[name] >= 0:
            raise SourceError(f"configok.node.nodes: {name} is {options[name]}: it is a number of seconds from 0 on")
    return {"connections": None, **options}


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Put each event on the queue, until the source is cancelled. Raises SourceError."""
    options = read_options(args)
    named = {"cluster": options["cluster"]} if options["cluster"] else {}
    settings = EventSettings(options["quiet"], options["longest"], options["silent_after"])
    loop = asyncio.get_running_loop()
    try:
        client = client_from_params(options)
        with client, EventStream(client, settings, selector=options["label_selector"] or "") as stream:
            while True:
                for event in await loop.run_in_executor(None, stream.take, _LONGEST_WAIT):
                    await queue.put({**event.to_dict(), **named})
    except EXPECTED_ERRORS as error:
        raise SourceError(f"configok.node.nodes: {error}") from error
