# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the two sides of a comparison of clusters: live Nodes, or files of Machines."""

from __future__ import annotations

from typing import Any

from .._kube.api_client import Client
from .._kube.api_errors import Forbidden, Gone, NotFound
from .._kube.api_paths import NODES, config_map
from .._machines import MachinesError
from .._machines._changes.config_inputs import ConfigInputs
from .._machines._changes.observe import observe
from .._machines._changes.types import ObservedMachine
from .._machines._comparison import Member, member_of_machine, member_of_node
from .._machines._objects.selectors import select
from .._machines._objects.types import Machine, MachineCatalog
from .._nodeconfig.assignment import ConfigSource
from .._nodeconfig.bundle import Bundle, InvalidBundle
from .._rollout._nodes.node_view import NodeView, node_view
from .._rollout._record.record_store import read_record
from .._text import first_names
from ._pool_nodes import last_bundle, read_pool_nodes

_PAGE = 500
_NAMES_SHOWN = 5


def read_live_side(client: Client, selector: str) -> list[Member]:
    """Return the Nodes that a label selector matches, with the configs that they use. Raises KubeError."""
    try:
        nodes = _read_nodes(client, selector)
    except Gone:  # the list took longer than the API server keeps its beginning
        nodes = _read_nodes(client, selector)
    in_use = read_pool_nodes(client, [view for _machine, view in nodes])
    inputs = ConfigInputs(bundles=in_use.bundles, local_configs=in_use.local_configs)
    return [member_of_node(machine, inputs) for machine, _view in nodes]


def _read_nodes(client: Client, selector: str) -> list[tuple[ObservedMachine, NodeView]]:
    """Read Nodes page by page: thousands of whole Nodes are more than a gigabyte."""
    pages = client.pages(NODES, label_selector=selector or None, limit=_PAGE)
    return [(observe(node), node_view(node)) for page in pages for node in page]


def read_declared_side(client: Client | None, catalog: MachineCatalog, cluster: str, selector: str) -> list[Member]:
    """Return the Machines of a cluster that a label selector matches.

    client: of the cluster that has their bundles, None to compare configs by name only. cluster: "" for the only one.
    Raises MachinesError, RolloutError, KubeError.
    """
    name = _cluster_name(catalog, cluster)
    machines = [
        machine
        for machine in select(catalog.machines, selector)
        if machine.cluster == name and machine.state != "Absent"
    ]
    sources: dict[Any, ConfigSource | None] = {}
    bundles = {}
    for machine in machines:
        key = (machine.pool, machine.config_source)
        if key not in sources:
            sources[key], documents = _read_source(client, machine)
            if sources[key] is not None and documents:
                bundles[sources[key]] = documents
    inputs = ConfigInputs(bundles={source: documents for source, documents in bundles.items() if source is not None})
    return [
        member_of_machine(machine, sources[machine.pool, machine.config_source], inputs, catalog.cluster_of(machine))
        for machine in machines
    ]


def _cluster_name(catalog: MachineCatalog, cluster: str) -> str:
    """Return the name of a Cluster of the files, "" for the only one of their Machines. Raises MachinesError."""
    known = sorted(catalog.clusters)
    if cluster and cluster not in known:
        raise MachinesError(
            f"machine_files have no Cluster {cluster}, but {first_names(known, _NAMES_SHOWN) or 'none at all'}: correct"
            " machine_cluster"
        )
    names = [cluster] if cluster else sorted({machine.cluster for machine in catalog.machines})
    if len(names) > 1:
        raise MachinesError(f"the files declare Machines of {', '.join(names)}: choose one with machine_cluster")
    return names[0] if names else ""


def _read_source(client: Client | None, machine: Machine) -> tuple[ConfigSource | None, dict[str, str]]:
    """Return the config source of a Machine and its documents, as far as they can be read."""
    reference = machine.config_source
    if machine.pool:
        bundle_of_pool = None if client is None else last_bundle(read_record(client, machine.pool))
        if bundle_of_pool is None:
            state = "" if client is None else ", which has no complete rollout"
            return ConfigSource("", f"pool {machine.pool}{state}", ""), {}
        namespace, name = bundle_of_pool
        if not name:
            return None, {}
    elif reference is not None:
        namespace, name = reference.namespace, reference.name
    else:
        return None, {}
    try:
        bundle = None if client is None else Bundle.from_config_map(client.get(config_map(namespace, name)))
    except (NotFound, Forbidden, InvalidBundle):
        bundle = None
    if bundle is None:
        return ConfigSource(namespace, name, ""), {}
    return bundle.source, dict(bundle.documents)
