#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate a component config, or the one that layers merge to."""

from __future__ import annotations

DOCUMENTATION = r"""
module: component_config
short_description: Merge and validate the config file of a Kubernetes component
version_added: 0.1.0
description:
  - Reads a component config, or merges several files as layers of one, and reports all errors in it, for every
    Kubernetes version that it has to run on.
  - Knows the kinds and fields of the kubelet, kube-proxy, kube-scheduler, kube-controller-manager, the files of
    kube-apiserver, kubeadm and kubectl, and the validation rules of the components that read them, including checks
    that the kubelet makes only at startup.
  - All documents of a kubeadm file are validated, each as its kind, and so are the configs in a ConfigMap, such as
    C(kubelet-config) and C(kubeadm-config) in C(kube-system), and in the files of tools such as kind, Cluster API,
    OpenShift, Talos or cloud-init. Of any other file, components read the first document only.
  - Needs no cluster and no component. It runs where the files are, mostly on the controller.
author:
  - the configok.node authors (@configok)
extends_documentation_fragment:
  - configok.node.content
  - configok.node.attributes
  - configok.node.attributes.info_module
  - configok.node.release_data
attributes:
  platform:
    support: full
    platforms: posix
requirements:
  - PyYAML
  - cel-expr-python 0.1.3 or newer, only to check CEL expressions in files of the API server
options:
  files:
    description:
      - Files that are layers of one config, lowest first; a single file is validated as it is.
      - They are merged as the kubelet merges its drop-in directory from Kubernetes 1.32 on. Objects and maps are merged
        by key, lists and other values are replaced, and null resets a field to its default.
      - One of O(files) and O(content) is needed, unless O(drop_in_directory) is given.
    type: list
    elements: path
  drop_in_directory:
    description:
      - The kubelet's drop-in directory (C(--config-dir)). Its files are read, merged and validated as the kubelet of
        each version does it, over the kubelet's own file, which is then the only one of O(files), or O(content).
        Without one, they are merged over a config that sets nothing.
      - Only files that end in C(.conf) count, also those in subdirectories. Each needs C(apiVersion) and C(kind).
      - There is no such directory before Kubernetes 1.28.
    type: path
  component:
    description:
      - The component that will read the config, for example V(kubelet). It is then an error if this component does not
        read the kind.
      - Leave it out, or write V(kubeadm), to validate all documents of a kubeadm file. Leave it out to validate the
        configs in a ConfigMap.
    type: str
  kubernetes_versions:
    description:
      - The Kubernetes versions for which the config must be valid, for example V(1.31) or V(v1.31.4). Write them in
        quotes, since YAML reads 1.30 as the number 1.3. Versions before 1.20 are errors. Of a version whose data are
        not whole yet, RV(not_judged) says what could not be judged.
      - The default, without O(nodes), is the newest version that this release knows.
    type: list
    elements: str
    default: []
  nodes:
    description:
      - The nodes that the config is for, a mapping of node name to Kubernetes version. The config must be valid for
        these versions too; findings that affect only some nodes name them.
    type: dict
    default: {}
  flags:
    description:
      - The flags of the component that reads the config, without the program, for example
        V(--feature-gates=DRADeviceBindingConditions=true). An empty list says that it has none.
      - A rule on a feature gate of the command line then refuses the config, or holds. Without this option such rules
        are warnings, since the config does not say which gates are on.
      - The kubelet's flags win over its config. kube-proxy and kube-scheduler ignore most flags next to a config.
      - For C(ComponentOptions), those of the manifest. Without them, how the options fit to other flags is not judged.
      - Flags that the component does not have, values that it refuses, and gates that it does not know, are errors. A
        value with an unexpanded variable is not judged. Not for files of several documents.
    type: list
    elements: str
  os:
    description:
      - The operating system of the nodes. Rules of the other one do not hold, and fields that only the component on the
        other one reads get a warning.
    type: str
    choices: [linux, windows]
    default: linux
  bundle:
    description:
      - Whether the config is for a bundle, which many nodes share and can read.
      - Policy then refuses secrets, relative paths, and fields whose value only one node can have.
    type: bool
    default: true
  denied_fields:
    description:
      - Field paths that policy refuses, with all fields below them, for example V(staticPodPath) or
        V(authentication.*).
    type: list
    elements: str
    default: []
  drop_ins:
    description:
      - Whether to return the layers also as drop-ins for the kubelet's C(--config-dir), each with C(apiVersion) and
        C(kind), instead of the one merged file. The kubelet's own file must then hold nothing but these two fields.
      - Policy refuses layers that a kubelet of one of these versions would merge differently from the single file.
        There is no such directory before Kubernetes 1.28, and before 1.32 a null or a zero does not always take
        effect.
    type: bool
    default: false
  host:
    description:
      - Whether to check the config also against the host that this task runs on. Then run it on the node.
      - Checks what the kubelet checks only at startup, such as swap, kernel flags, CPUs, memory, NUMA nodes, the
        version of cgroups, cgroups that must exist, the cgroup driver of the container runtime, the delay of a shutdown
        that logind allows, files that the config names, and state files that were written under another policy; for
        kube-proxy, checks its kubeconfig.
      - Needs O(component).
    type: bool
    default: false
  root_directory:
    description:
      - Where the kubelet of this host keeps its state; only used with O(host).
    type: path
    default: /var/lib/kubelet
  container_runtime_endpoint:
    description:
      - The container runtime's socket on this host, if a flag of the kubelet names it instead of the config; only used
        with O(host).
    type: str
    default: ''
  fail_on:
    description:
      - V(component) fails if the component itself would refuse the config.
      - V(policy) also fails if only policy refuses it.
      - V(not_judged) also fails if something could not be judged, see RV(not_judged).
      - V(never) only reports.
    type: str
    choices: [component, policy, not_judged, never]
    default: policy
seealso:
  - module: configok.node.config_bundle
"""

EXAMPLES = r"""
- name: Merge the layers of a pool and validate the result for all versions in the pool
  configok.node.component_config:
    component: kubelet
    files:
      - layers/base.yaml
      - layers/workers.yaml
    kubernetes_versions: ["1.33", "1.35"]
  delegate_to: localhost
  register: kubelet_config

- name: Validate it for the nodes of a pool that is being upgraded
  configok.node.component_config:
    component: kubelet
    files: [layers/base.yaml]
    nodes:
      node-1: v1.31.14
      node-2: v1.36.3

- name: Write the layers as drop-ins instead of one file
  configok.node.component_config:
    component: kubelet
    files: [layers/base.yaml, layers/workers.yaml]
    kubernetes_versions: ["1.35"]
    drop_ins: true
  register: layered

- name: Validate a drop-in directory with the file below it
  configok.node.component_config:
    files: [kubelet.yaml]
    drop_in_directory: kubelet.conf.d
    kubernetes_versions: ["1.33", "1.36"]

- name: Show their names, and the layer of each field
  ansible.builtin.debug:
    msg: "{{ layered.drop_ins | map(attribute='name') + layered.provenance | map(attribute='file') }}"

- name: Validate all documents of a kubeadm file, for the version that is being upgraded to
  configok.node.component_config:
    files: [kubeadm.yaml]
    kubernetes_versions: ["1.36"]
    bundle: false

- name: Validate the kubelet config that kubeadm has put into the cluster
  configok.node.component_config:
    files: [kubelet-config.yaml]  # kubectl -n kube-system get configmap kubelet-config -o yaml
    bundle: false

- name: Validate a file of the API server, which runs with a feature gate
  configok.node.component_config:
    component: kube-apiserver
    files: [authentication.yaml]
    kubernetes_versions: ["1.31"]
    flags: [--feature-gates=AnonymousAuthConfigurableEndpoints=true]
    bundle: false

- name: Only report the errors
  configok.node.component_config:
    component: kubelet
    content: |
      apiVersion: kubelet.config.k8s.io/v1beta1
      kind: KubeletConfiguration
      maxPods: -1
    fail_on: never
  register: validated

- name: Show it
  ansible.builtin.debug:
    msg: "{{ validated.lines }}"

- name: Check a config against its node as well
  configok.node.component_config:
    component: kubelet
    content: |
      apiVersion: kubelet.config.k8s.io/v1beta1
      kind: KubeletConfiguration
      failSwapOn: false
      failCgroupV1: false
      reservedSystemCPUs: "0"
    kubernetes_versions: ["1.31"]
    host: true
"""

RETURN = r"""
valid:
  description:
    - Whether neither the component nor policy refuses the config, as far as it was judged; RV(not_judged) has the rest.
  returned: always
  type: bool
  sample: false
lines:
  description: The findings as human-readable lines.
  returned: always
  type: list
  elements: str
  sample:
    - "content:3: maxPods: -1: must be >= 0"
findings:
  description: All findings, including warnings, in the order of the lines.
  returned: always
  type: list
  elements: dict
  contains:
    file:
      description: The file; with several layers, the one that sets the value.
      type: str
      sample: layers/base.yaml
    line:
      description: The line in it, if it is known.
      type: int
      sample: 3
    path:
      description: The path of the field.
      type: str
      sample: evictionHard[memory.available]
    value:
      description: The value, as short JSON. Secrets are not shown.
      type: str
      sample: "-1"
    message:
      description: The error, and what is allowed.
      type: str
      sample: must be >= 0
    level:
      description: V(component), V(policy), V(not-judged) or V(warning).
      type: str
      sample: component
    rule:
      description: The name of the check.
      type: str
      sample: max-pods
    versions:
      description: The Kubernetes minors that the finding affects.
      type: list
      elements: str
      sample: ["1.33", "1.35"]
    nodes:
      description: The nodes of O(nodes) that the finding affects.
      type: list
      elements: str
      sample: []
not_judged:
  description:
    - What could not be judged, one entry for each cause, because the data of a release are not whole or the input was
      not understood. Neither valid nor refused.
  returned: always
  type: list
  elements: dict
  contains:
    what:
      description: What was not judged.
      type: str
      sample: fields, defaults, gates, flags and rules of Kubernetes 1.38
    why:
      description: The cause.
      type: str
      sample: the data of this release are not whole, and it is judged as 1.37
    count:
      description: How often it occurs.
      type: int
      sample: 1
    versions:
      description: The Kubernetes minors that it affects.
      type: list
      elements: str
      sample: ["1.38"]
    places:
      description: Where, each with C(file), C(line) and C(path).
      type: list
      elements: dict
      sample: [{file: kubelet.yaml, line: null, path: ""}]
scope:
  description: What is left out by design.
  returned: always
  type: list
  elements: str
  sample: [the host]
config:
  description:
    - The merged config as data, without secrets. Empty if a file cannot be read as a config.
    - The first document of a file with several ones.
  returned: always
  type: dict
  sample:
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
documents:
  description:
    - All documents as data, without secrets, in the order of the file. One, unless a kubeadm file or a ConfigMap has
      several. Empty if a file cannot be read as a config.
  returned: always
  type: list
  elements: dict
  sample:
    - apiVersion: kubeadm.k8s.io/v1beta4
      kind: InitConfiguration
    - apiVersion: kubeadm.k8s.io/v1beta4
      kind: ClusterConfiguration
provenance:
  description: For each field of RV(config), in its order, the layer that sets it.
  returned: always
  type: list
  elements: dict
  contains:
    path:
      description: The path of the field. A list is one field.
      type: str
      sample: maxPods
    value:
      description: Its value as short JSON. Secrets are not shown.
      type: str
      sample: "200"
    file:
      description: The layer.
      type: str
      sample: layers/workers.yaml
    line:
      description: The line in it.
      type: int
      sample: 3
    overrides:
      description: The values of lower layers, the next lower first, each with C(value), C(file) and C(line).
      type: list
      elements: dict
      sample: [{value: "110", file: layers/base.yaml, line: 3}]
drop_ins:
  description: The layers as drop-ins, lowest first. Empty without O(drop_ins), and if a layer holds a secret.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: The name of the file. Names sort as the layers do.
      type: str
      sample: 20-workers.conf
    layer:
      description: The layer that it is from.
      type: str
      sample: layers/workers.yaml
    text:
      description: The file as YAML.
      type: str
      sample: |
        apiVersion: kubelet.config.k8s.io/v1beta1
        kind: KubeletConfiguration
        maxPods: 200
text:
  description:
    - The merged config as YAML, with all documents.
    - Empty if it holds a secret, or if a file cannot be read as a config.
  returned: always
  type: str
  sample: |
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.config_files import fail_on_file_errors
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.secrets import redact
from ansible_collections.configok.node.plugins.module_utils._componentconfig.drop_ins import DropIn
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import (
    Finding,
    finding_lines,
    judged,
    not_judged_causes,
    refusing_levels,
    scope_of,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import Config
from ansible_collections.configok.node.plugins.module_utils._operations.config_check import (
    check_directory,
    check_layers,
)
from ansible_collections.configok.node.plugins.module_utils._operations.release_data import using_release_data
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all

ARGUMENTS: dict[str, dict[str, Any]] = {
    "files": {"type": "list", "elements": "path"},
    "content": {"type": "str"},
    "drop_in_directory": {"type": "path"},
    "component": {"type": "str"},
    "kubernetes_versions": {"type": "list", "elements": "str", "default": []},
    "nodes": {"type": "dict", "default": {}},
    "flags": {"type": "list", "elements": "str"},
    "os": {"type": "str", "choices": ["linux", "windows"], "default": "linux"},
    "bundle": {"type": "bool", "default": True},
    "denied_fields": {"type": "list", "elements": "str", "default": []},
    "drop_ins": {"type": "bool", "default": False},
    "host": {"type": "bool", "default": False},
    "root_directory": {"type": "path", "default": "/var/lib/kubelet"},
    "container_runtime_endpoint": {"type": "str", "default": ""},
    "fail_on": {"type": "str", "choices": ["component", "policy", "not_judged", "never"], "default": "policy"},
    "release_data": {"type": "path"},
}


def result_of(config: Config | None, findings: list[Finding], drop_ins: list[DropIn]) -> dict[str, Any]:
    """Return the module's result."""
    documents = [document.data for document in config.documents if document.is_validated] if config is not None else []
    shown = redact(documents)
    files = [{"name": drop_in.name, "layer": drop_in.layer, "text": drop_in.text} for drop_in in drop_ins]
    return {
        "changed": False,
        "valid": not any(finding.is_refusal for finding in findings),
        "findings": sanitize_all([finding.as_dict() for finding in judged(findings)]),
        "not_judged": sanitize_all([cause.as_dict() for cause in not_judged_causes(findings)]),
        "lines": sanitize_all(finding_lines(findings)),
        "config": redact(config.data if config is not None else {}),
        "documents": shown,
        "provenance": [origin.as_dict() for origin in config.origins()] if config is not None else [],
        "drop_ins": files if all(redact(file) == file for file in files) else [],
        "text": config.text if config is not None and shown == documents else "",
    }


def main() -> None:
    """Validate the config."""
    module = AnsibleModule(
        argument_spec=ARGUMENTS,
        supports_check_mode=True,
        mutually_exclusive=[("files", "content")],
        required_one_of=[("files", "content", "drop_in_directory")],
        required_if=[("host", True, ["component"])],
    )
    with fail_on_file_errors(module), using_release_data(module.params["release_data"]):
        check_input = check_layers if module.params["drop_in_directory"] is None else check_directory
        config, findings, drop_ins = check_input(module.params)
        result = result_of(config, findings, drop_ins)
    result["scope"] = scope_of(knows_flags=module.params["flags"] is not None, checks_host=module.params["host"])
    levels = refusing_levels(module.params["fail_on"].replace("_", "-"))
    failing = [finding for finding in findings if finding.level in levels]
    if failing:
        is_refused = any(finding.is_refusal for finding in failing)
        beginning = "The config is refused:" if is_refused else "The config was not judged as a whole:"
        shown = [finding for finding in findings if finding.is_refusal or finding in failing]
        module.fail_json(msg="\n".join(sanitize_all([beginning, *finding_lines(shown)])), **result)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
