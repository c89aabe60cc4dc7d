# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An inventory of the machines of a cluster: from Machine files, from the cluster's Nodes, or from both."""

from __future__ import annotations

DOCUMENTATION = r"""
name: machines
short_description: Machines of a cluster, from Machine files, from its Nodes, or from both
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Makes a host of each Machine that files declare, of each Node of a cluster, or of both joined by name.
  - >-
    Its groups are C(pool_<name>), C(version_<version>) (of the kubelet), C(zone_<zone>), C(cluster_<name>) and
    C(provider_<kind>); of a host with a Node also C(ready) or C(not_ready), and C(config_ok_true), C(config_ok_false)
    or C(config_ok_unknown), where a Node without the condition is unknown. A Machine with C(state=Absent) is in the
    group C(absent). With O(label_groups), there are groups C(label_<key>_<value>) too. Characters other than letters,
    digits and underscores become underscores.
  - >-
    Its variables are C(node_name), C(ansible_host), C(ansible_user) and C(ansible_port) if they are known, C(machine)
    (what a file declares) and C(node) (what the cluster observes). What a file declares comes before what a Node
    reports. The defaults of a provider are not variables, so C(group_vars) can set a user and a port.
  - >-
    A Node or a Machine whose name is that of the controller or of a group, such as C(localhost) or C(ready), is left
    out with a warning. So is a group of O(groups) or O(keyed_groups) with the name of a host.
  - The file's name must end with C(machines.inventory.yml) or C(machines.inventory.yaml).
  - >-
    A kubelet reports its own addresses, versions and some labels. Such values are never templates, and an address that
    is not one is ignored, but a hostile node can report the address of another machine. Where that matters, declare the
    addresses in Machine files.
  - >-
    A host of another source of the inventory stays as that source has it, in whatever order they are read. A Node that
    reports its name keeps the name of the Node, and a Node that has its name adds groups and variables, but none that
    begins with C(ansible_). Both are warnings.
extends_documentation_fragment:
  - configok.node.kube
  - constructed
  - inventory_cache
options:
  plugin:
    description: Must be V(configok.node.machines).
    type: str
    required: true
    choices:
      - configok.node.machines
  source:
    description:
      - Where hosts come from.
      - V(nodes) are the Nodes of the cluster.
      - V(files) are the Machines in O(machine_files); the API server is not asked.
      - >-
        V(both) joins them by name. Without selectors, a Machine without a Node is in the group C(without_node), and a
        Node without a Machine in the group C(without_machine).
    type: str
    choices:
      - nodes
      - files
      - both
    default: nodes
  machine_files:
    description:
      - Files with Machines, and directories of such files. Not for O(source=nodes).
      - Paths are relative to the directory of the inventory file.
    type: list
    elements: str
    default: []
  machine_selector:
    description: A label selector for the Machines in O(machine_files), as C(kubectl) takes it. Not for O(source=nodes).
    type: str
    default: ""
  cluster:
    description:
      - The name of the cluster. Nodes are in its group C(cluster_<name>), and only its Machines are read from files.
      - The default is the only cluster of O(machine_files), if there is one.
    type: str
    default: ""
  label_selector:
    description: A label selector for Nodes, which the API server evaluates. Not for O(source=files).
    type: str
    default: ""
  field_selector:
    description:
      - A field selector for Nodes, which the API server evaluates, such as V(spec.unschedulable=false).
      - Not for O(source=files).
    type: str
    default: ""
  label_groups:
    description:
      - The keys of labels whose values become groups, such as V(example.com/disk), which makes the group
        C(label_example_com_disk_ssd) of all hosts with this label and the value C(ssd). A label without a value makes
        the group C(label_<key>).
      - The labels of a host are those of its Machine, of its C(nodeLabels), and of its Node. If they differ, the
        Machine counts, because a kubelet can change labels of its own Node.
    type: list
    elements: str
    default: []
  host_name:
    description:
      - The name of a host in the inventory.
      - V(name) is the name of the Machine and its Node, V(hostname) is the Node's address of type Hostname, V(address)
        is the address that is connected to.
      - A name that is unknown, that would be that of two hosts, or that another source of the inventory has, is
        replaced by the name of the Node.
    type: str
    choices:
      - name
      - hostname
      - address
    default: name
  addresses:
    description:
      - The types of a Node's addresses that may become C(ansible_host), the best first.
    type: list
    elements: str
    choices:
      - InternalIP
      - ExternalIP
      - Hostname
    default:
      - InternalIP
      - ExternalIP
      - Hostname
  kubeconfig:
    description:
      - The kubeconfig to connect with. Several paths, separated as in E(PATH), are merged as C(kubectl) does.
      - Paths are relative to the directory of the inventory file.
      - The default is E(K8S_AUTH_KUBECONFIG), then E(KUBECONFIG), then C(~/.kube/config), then the service account of
        the Pod in which it runs.
    type: str
notes:
  - >-
    Only Nodes are cached, for their selectors and their cluster, whose kubeconfig, context and server are from the
    options or from the environment. Machine files are read each time. Cached Nodes pass the checks of fresh ones. A
    directory in O(cache_connection) that others own or may write is refused.
  - >-
    A page of Nodes is reduced as it arrives. 5,000 Nodes take about two seconds, without the time that O(compose),
    O(groups) and O(keyed_groups) take for their expressions.
seealso:
  - module: configok.node.config_status_info
    description: Shows the config status of the same Nodes.
"""

EXAMPLES = r"""
# east.machines.inventory.yml: the Nodes of the current context
plugin: configok.node.machines

---
# The workers of one cluster, with groups by label (label_example_com_disk_ssd) and by architecture (arch_amd64)
plugin: configok.node.machines
kubeconfig: east.kubeconfig
cluster: east
label_selector: pool=workers
label_groups: [example.com/disk]
keyed_groups:
  - key: node.architecture
    prefix: arch
  # A label under a prefix of your own
  - key: node.labels['example.com/disk'] | default('')
    prefix: disk
compose:
  ansible_user: "'root'"
groups:
  on_arm: node.architecture == 'arm64'

---
# The Machines that files declare, without asking a cluster
plugin: configok.node.machines
source: files
machine_files: [machines]
machine_selector: pool=workers

---
# Both, joined by name: what is missing is in the groups without_node and without_machine
plugin: configok.node.machines
source: both
machine_files: [machines]
kubeconfig: east.kubeconfig
groups:
  # Without a Machine or a Node, a host is not in this group. A Machine without a version leaves that of its Node alone.
  outdated: machine.kubelet_version != '' and machine.kubelet_version != node.kubelet_version

---
# The Nodes, read again after ten minutes
plugin: configok.node.machines
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/configok-inventory
cache_timeout: 600
"""

import gc
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.module_utils.basic import missing_required_lib
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable

try:  # since ansible-core 2.19, a text is a template only if it is marked as one
    from ansible.template import trust_as_template as _trust_as_template  # noqa: F401 - its existence is the answer
except ImportError:
    from ansible.utils.unsafe_proxy import wrap_var as _untrusted
else:

    def _untrusted(value: Any) -> Any:
        """Return a value whose texts are not templates."""
        return value


from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    cluster_identity,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    BadRequest,
    KubeError,
    MissingLibrary,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES
from ansible_collections.configok.node.plugins.module_utils._machines import MachinesError
from ansible_collections.configok.node.plugins.module_utils._machines._objects.selectors import select
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Machine
from ansible_collections.configok.node.plugins.module_utils._machines.inventory import (
    InventoryHost,
    InventorySettings,
    cached_facts,
    inventory_hosts,
    node_facts,
    reduced_node,
)
from ansible_collections.configok.node.plugins.module_utils._operations.machine_files import machine_catalog
from ansible_collections.configok.node.plugins.module_utils._text import first_names, sanitize
from ansible_collections.configok.node.plugins.plugin_utils._inventory_sources import (
    OtherSources,
    SafeInventory,
    unsafe_directory,
)

_SUFFIXES = ("machines.inventory.yml", "machines.inventory.yaml")
_MAX_MESSAGE = 4096
_NAMES_SHOWN = 5


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """The inventory plugin machines."""

    NAME = "configok.node.machines"
    inventory: Any

    def verify_file(self, path: str) -> bool:
        """Return whether the plugin is responsible for a file."""
        return bool(super().verify_file(path)) and path.endswith(_SUFFIXES)

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Add the hosts. Raises AnsibleParserError with one sentence."""
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        try:
            self._load_cache()
            with _no_garbage_collection():
                self._add_hosts(path, cache)
        except MissingLibrary as error:
            raise AnsibleParserError(missing_required_lib(error.library)) from error
        except BadRequest as error:
            raise AnsibleParserError(f"{self._selectors()}: {sanitize(error, _MAX_MESSAGE)}") from error
        except (KubeError, MachinesError) as error:
            raise AnsibleParserError(sanitize(error, _MAX_MESSAGE)) from error

    def _add_hosts(self, path: str, cache: bool) -> None:
        source = self.get_option("source")
        self._check_options(source)
        machines, cluster = self._machines(path) if source != "nodes" else ([], self.get_option("cluster"))
        nodes = self._nodes(path, cache) if source != "files" else []
        is_filtered = any(self.get_option(name) for name in ("label_selector", "field_selector", "machine_selector"))
        settings = InventorySettings(
            host_name=self.get_option("host_name"),
            addresses=self.get_option("addresses"),
            cluster=cluster,
            is_joined=source == "both" and not is_filtered,
            label_groups=self.get_option("label_groups"),
        )
        hosts, warnings = inventory_hosts(machines, nodes, settings)
        for warning in warnings:
            self.display.warning(warning)
        others = OtherSources.of(self.inventory, self.display)
        hosts = [fitting for host in hosts if (fitting := others.fit(host)) is not None]
        self.inventory = SafeInventory(self.inventory, {host.name for host in hosts}, others, self.display)
        for host in hosts:
            self._add_host(host)

    def _check_options(self, source: str) -> None:
        """Raise MachinesError for an option that the source would ignore."""
        ignored = {"nodes": ("machine_files", "machine_selector"), "files": ("label_selector", "field_selector")}
        for name in ignored.get(source, ()):
            if self.get_option(name):
                what = "Machines are read" if source == "nodes" else "a cluster is asked"
                raise MachinesError(f"{name} has no effect with source {source}: no {what}; set source to both")

    def _machines(self, path: str) -> tuple[list[Machine], str]:
        """Return the Machines of the files, and the name of their cluster. Raises MachinesError."""
        directory, cluster = os.path.dirname(os.path.abspath(path)), self.get_option("cluster")
        files = [os.path.join(directory, os.path.expanduser(file)) for file in self.get_option("machine_files")]
        if not files:
            raise MachinesError("machine_files is missing: name files, or directories of files, with Machines")
        catalog = machine_catalog(files)
        names = sorted(catalog.clusters)
        if cluster and cluster not in names:
            raise MachinesError(f"machine_files have no Cluster {cluster}, but {first_names(names, _NAMES_SHOWN)}")
        if not cluster and names[1:] and self.get_option("source") == "both":
            raise MachinesError(
                f"machine_files have several Clusters ({first_names(names, _NAMES_SHOWN)}): set cluster"
            )
        cluster = cluster or (names[0] if len(names) == 1 else "")
        machines = [machine for machine in catalog.machines if cluster in ("", machine.cluster)]
        return select(machines, self.get_option("machine_selector")), cluster

    def _nodes(self, path: str, cache: bool) -> list[dict[str, Any]]:
        """Return the facts of the Nodes, from the cache if there is one. Raises KubeError."""
        params = {name: self.get_option(name) for name in KUBE_ARGUMENT_SPEC}
        selectors = {name: self.get_option(name) for name in ("label_selector", "field_selector")}
        directory = os.path.dirname(os.path.abspath(path))
        if params["kubeconfig"]:
            paths = [os.path.join(directory, os.path.expanduser(part)) for part in params["kubeconfig"].split(":")]
            params["kubeconfig"] = ":".join(paths)
        is_cached = self.get_option("cache")
        # A file, environment or kubeconfig that names another cluster or other Nodes must not get the answers
        # for those before.
        asked = json.dumps([selectors, cluster_identity(params)], default=str)
        key = f"{self.get_cache_key(path)}_{hashlib.sha256(asked.encode()).hexdigest()[:10]}"
        if is_cached and cache:
            cached = cached_facts(self.cache.get(key))
            if cached is not None:
                return cached
        with client_from_params(params) as client:
            # Not from the API server's cache: many versions then ignore the size of a page, and a quarter of a
            # gigabyte arrives at once.
            listing = client.list(
                NODES,
                label_selector=selectors["label_selector"] or None,
                field_selector=selectors["field_selector"] or None,
                transform=reduced_node,
            )
        if is_cached:
            self.cache[key] = json.dumps(listing.items)  # Ansible copies what it caches; a text costs nothing
        return [node_facts(node) for node in listing.items]

    def _load_cache(self) -> None:
        """Load the cache plugin. Raises MachinesError for a directory of files that others may write."""
        self.load_cache_plugin()
        plugin = getattr(self._cache, "_plugin", None)
        path = getattr(plugin, "_cache_dir", "")
        if not self.get_option("cache") or not path:
            return  # it is not used, or not one of files
        if os.stat(path).st_uid == os.geteuid() and not os.listdir(path):
            os.chmod(path, 0o700)  # Ansible has just made it, with the umask of the user
        problem = unsafe_directory(path)
        if problem:
            raise MachinesError(f"cache_connection: {problem}: name a directory that only you may write")

    def _selectors(self) -> str:
        selectors = {name: self.get_option(name) for name in ("label_selector", "field_selector")}
        named = " and ".join(f"{name} {value!r}" for name, value in selectors.items() if value)
        return f"the API server refuses {named}" if named else "the API server refuses the request"

    def _add_host(self, host: InventoryHost) -> None:
        name = self.inventory.begin(host)
        variables = {key: _untrusted(value) for key, value in host.variables.items()}
        # Not set_variable of the inventory: it tags each text with its origin, which takes more time than all the rest.
        target = self.inventory.get_host(name)
        for key, value in variables.items():
            target.set_variable(key, value)
        for group in host.groups:
            self.inventory.add_child(self.inventory.add_group(group), name)
        strict = self.get_option("strict")
        if self.get_option("compose"):
            self._set_composite_vars(self.get_option("compose"), variables, name, strict=strict)
        if self.get_option("groups"):
            self._add_host_to_composed_groups(self.get_option("groups"), variables, name, strict=strict)
        if self.get_option("keyed_groups"):
            self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, name, strict=strict)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Collect no garbage meanwhile: pages of Nodes have no cycles, and looking for some doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
