#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the effective values of two component configs."""

from __future__ import annotations

DOCUMENTATION = r"""
module: component_config_diff
short_description: Compare two configs of a Kubernetes component, and report what the change requires of a node
version_added: 0.1.0
description:
  - Compares the effective values of two component configs field by field. Defaults are filled in, so a default that is
    written out is not a difference, and neither are C(60s) and C(1m).
  - Reports for every field what changing it requires of a node, from a restart to a drain, the removal of a state file
    or a reboot.
  - Compares two pools or two clusters as well.
  - With O(from_version), reports what happens to one config when its component moves to another Kubernetes minor, as
    before an upgrade.
  - Needs no cluster and no component. It runs where the files are, mostly on the controller.
author:
  - the configok.node authors (@configok)
extends_documentation_fragment:
  - configok.node.attributes
  - configok.node.attributes.info_module
  - configok.node.release_data
attributes:
  diff_mode:
    support: full
    details:
      - Shows both effective configs as text, without secrets.
  platform:
    support: full
    platforms: posix
requirements:
  - PyYAML
options:
  before:
    description:
      - The first config. Without O(before.files) and O(before.content), the defaults of the component.
    type: dict
    suboptions: &side
      files:
        description:
          - Files that are layers of one config, lowest first, as M(configok.node.component_config) takes them.
        type: list
        elements: path
      content:
        description:
          - The config itself, as text.
        type: str
      kubernetes_version:
        description:
          - The Kubernetes version of the component that reads it, for its defaults, for example V(1.31) or V(v1.31.4).
          - The default is the version of the other config, else the newest version that this release knows.
        type: str
  after:
    description:
      - The second config. Without O(after.files) and O(after.content), the defaults of the component.
    type: dict
    suboptions: *side
  files:
    description:
      - The files of the config whose upgrade is compared, as O(before.files) takes them. All documents of a single file
        are compared, as a kubeadm file has them.
      - For O(from_version).
    type: list
    elements: path
  content:
    description: The config itself, as text, instead of O(files).
    type: str
  from_version:
    description:
      - The Kubernetes version that the component has now, for example V(1.31). Write it in quotes.
      - The config is then compared with itself. The result has the defaults that change, the fields that are new or
        gone, the feature gates that are switched, locked or removed, the values that mean something else, and what
        O(to_version) refuses.
    type: str
  to_version:
    description:
      - The Kubernetes version that the component will have. It may also be the older one, for a downgrade.
      - The default is the newest version that this release knows.
    type: str
  flags:
    description:
      - The flags that the component runs with, one word of the command line each, without the program. They win over
        the config where the component lets them. Flags that O(to_version) does not have, or whose values it refuses,
        are reported.
      - For O(from_version).
    type: list
    elements: str
  disruption_overrides:
    description:
      - Your own classes of what changing a field requires of a node, by field path, for all fields below it too.
      - From the lightest to the heaviest, the classes are V(none), V(live), V(restart), V(restart-clients),
        V(restart-pods-new-only), V(restart-may-evict), V(restart-may-reject), V(restart-containers),
        V(restart-allocatable), V(restart-crash-risk), V(coordinate), V(drain), V(drain+state), V(reboot),
        V(stop-static-pods) and V(replace).
    type: dict
    default: {}
seealso:
  - module: configok.node.component_config
"""

EXAMPLES = r"""
- name: Compare a pool's config with the base that all pools share
  configok.node.component_config_diff:
    before:
      files: [layers/base.yaml]
    after:
      files: [layers/base.yaml, layers/workers.yaml]
      kubernetes_version: "1.35"
  delegate_to: localhost
  register: compared

- name: Show it
  ansible.builtin.debug:
    msg: "{{ compared.lines }}"

- name: See what an upgrade changes for a config that stays as it is
  configok.node.component_config_diff:
    files: [files/kubelet.yaml]
    from_version: "1.31"
    to_version: "1.36"
    flags: [--node-ip=192.0.2.7]
  delegate_to: localhost
  register: upgrade

- name: Stop before an upgrade to a version that refuses the config
  ansible.builtin.assert:
    that: upgrade.valid
    fail_msg: "{{ upgrade.lines | join('\n') }}"

- name: Compare for nodes on which maxPods is only changed while they are drained
  configok.node.component_config_diff:
    after:
      files: [files/kubelet.yaml]
    disruption_overrides:
      maxPods: drain
"""

RETURN = r"""
changed:
  description: Whether the two differ. Nothing is changed.
  returned: always
  type: bool
  sample: true
field_changes:
  description: The fields that differ, in the order of their paths.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The path of the field.
      type: str
      sample: cpuManagerPolicy
    before:
      description: Its first value, default included, as short JSON. Null if it has none. Secrets are not shown.
      type: str
      sample: '"none"'
    after:
      description: Its second value, likewise.
      type: str
      sample: '"static"'
    disruption:
      description: The class of what the change requires of a node.
      type: str
      sample: drain+state
    meaning:
      description: The meaning of the class.
      type: str
      sample: drain, stop kubelet, remove the state file, change, start, uncordon
    note:
      description: Further notes about changing this field.
      type: str
      sample: the kubelet exits when the policy differs from the checkpoint's
    state_file:
      description: The state file that has to be removed, below the kubelet's root directory.
      type: str
      sample: cpu_manager_state
    peer:
      description: The component that has to follow the change.
      type: str
      sample: kube-proxy
    condition:
      description: When the class applies, if the configs do not show it.
      type: str
      sample: flexvolume in use
    place:
      description:
        - The file and line of the new value, in the layer that set it last. Empty for a default.
      type: str
      sample: layers/workers.yaml:4
    cause:
      description:
        - Why the value changes with the version. V(default), the default is another one. V(new), the field is new, with
          its default. V(gone), the field is gone. V(read), the config sets a field that the old version did not know.
      returned: with O(from_version)
      type: str
      sample: default
    kind:
      description: The kind of the document.
      returned: with O(from_version)
      type: str
      sample: KubeletConfiguration
    value_meaning:
      description: What a release changed about the new value, such as C(0) for I(eventRecordQPS). For two configs.
      returned: if a release up to the newer version changed it
      type: str
      sample: "meaning: eventRecordQPS: 0: up to 1.36: 5 events a second; from 1.37 on: no limit"
gate_changes:
  description:
    - The feature gates that change, in the order of their names. Those that the config or a flag sets, if their stage,
      default or lock changes, and all others that are switched on or off by the version.
    - Only for a component whose config or O(flags) can set feature gates.
  returned: with O(from_version)
  type: list
  elements: dict
  contains:
    gate:
      description: The name of the gate.
      type: str
      sample: NodeSwap
    setting:
      description: The value that the config or a flag sets, null without one.
      type: bool
      sample: true
    before:
      description: Its stage, its default and whether it is locked, in the old version. Empty if that does not have it.
      type: str
      sample: Beta, on
    after:
      description: The same in the new version. V(gone) if it has been removed.
      type: str
      sample: GA, on, locked
    was_on:
      description: Whether the old version has it on, with the setting.
      type: bool
      sample: true
    is_on:
      description: Whether the new version has it on, with the setting.
      type: bool
      sample: true
    refusal:
      description: Why the new version refuses the setting, empty if it does not.
      type: str
      sample: "the gate is locked: only true is allowed"
    place:
      description: The file and line of the setting, or the flag.
      type: str
      sample: files/kubelet.yaml:7
    components:
      description: The components that act on the gate, C(all) for each of them. Empty if they are not known.
      type: list
      elements: str
      sample: [kube-apiserver, kubelet]
flag_changes:
  description: The flags of O(flags) that change.
  returned: with O(from_version)
  type: list
  elements: dict
  contains:
    name:
      description: The flag without dashes.
      type: str
      sample: pod-infra-container-image
    refused:
      description: Whether the new version refuses it.
      type: bool
      sample: true
    reason:
      description: What happens to it.
      type: str
      sample: Kubernetes 1.35 and newer do not have it
meaning_changes:
  description:
    - The values, feature gates and flags that mean something else from a release on, and the fields that have an effect
      only on one side because their feature gate is off on the other.
  returned: with O(from_version)
  type: list
  elements: dict
  contains:
    note:
      description: The name of the change, V(gate) for a field whose feature gate is switched.
      type: str
      sample: events-without-limit
    since:
      description: The first version with the new meaning.
      type: str
      sample: "1.37"
    subject:
      description: The path of the field or gate, or the flag with its dashes.
      type: str
      sample: eventRecordQPS
    value:
      description: Its value as short JSON, null without one. Secrets are not shown.
      type: str
      sample: "0"
    before:
      description: What it means before that version.
      type: str
      sample: 5 events a second
    after:
      description: What it means from that version on.
      type: str
      sample: no limit
    keep:
      description: What keeps the old state, empty if that is not known.
      type: str
      sample: 5 keeps what the node does today
    condition:
      description: What the host must be like for the change to apply, empty for any host.
      type: str
      sample: the host has cgroup v2
    kind:
      description: The kind of the document.
      type: str
      sample: KubeletConfiguration
    place:
      description: The file and line of the value, or the flag. Empty if nothing sets it.
      type: str
      sample: files/kubelet.yaml:3
notes:
  description: What the versions change for the component, whatever the config holds.
  returned: with O(from_version)
  type: list
  elements: dict
  contains:
    note:
      description: The name of the change.
      type: str
      sample: log-endpoints
    since:
      description: The first version with the new state.
      type: str
      sample: "1.37"
    subject:
      description: What changes.
      type: str
      sample: log endpoints
    before:
      description: The state before that version.
      type: str
      sample: any HTTP method
    after:
      description: The state from that version on.
      type: str
      sample: read-only endpoints take GET only
findings:
  description:
    - What is wrong with the config in the new version, and was not in the old one, as M(configok.node.component_config)
      returns it.
  returned: with O(from_version)
  type: list
  elements: dict
  sample: []
valid:
  description: Whether the new version refuses nothing that the old one takes.
  returned: with O(from_version)
  type: bool
  sample: false
not_judged:
  description:
    - What the data do not have of a version, and why, as M(configok.node.component_config) returns it. A change that
      rests on it may be missing.
  returned: success
  type: list
  elements: dict
  sample: []
disruption:
  description: The heaviest class of all, null if nothing differs.
  returned: success
  type: str
  sample: drain+state
lines:
  description: The same as human-readable lines.
  returned: success
  type: list
  elements: str
  sample:
    - 'cpuManagerPolicy: "none" -> "static"  [drain and remove cpu_manager_state]  (layers/workers.yaml:4)'
    - "overall: drain+state: drain, stop kubelet, remove the state file, change, start, uncordon"
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.config_files import (
    fail_on_file_errors,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import load_file
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.secrets import redact
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import Comparison, compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import Config, load
from ansible_collections.configok.node.plugins.module_utils._componentconfig.option_check import OPTION_CHECK
from ansible_collections.configok.node.plugins.module_utils._componentconfig.upgrade import Upgrade, upgrade
from ansible_collections.configok.node.plugins.module_utils._operations.config_layers import read_layers
from ansible_collections.configok.node.plugins.module_utils._operations.release_data import using_release_data
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all

_SIDE: dict[str, Any] = {
    "type": "dict",
    "options": {
        "files": {"type": "list", "elements": "path"},
        "content": {"type": "str"},
        "kubernetes_version": {"type": "str"},
    },
    "mutually_exclusive": [("files", "content")],
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "before": _SIDE,
    "after": _SIDE,
    "files": {"type": "list", "elements": "path"},
    "content": {"type": "str"},
    "from_version": {"type": "str"},
    "to_version": {"type": "str"},
    "flags": {"type": "list", "elements": "str"},
    "disruption_overrides": {"type": "dict", "default": {}},
    "release_data": {"type": "path"},
}


def configs_of(parameters: dict[str, Any]) -> tuple[list[Config | None], tuple[str, str]]:
    """Return both configs, None for a side without files, and their versions. Raises OSError and ConfigError."""
    before, after = (parameters[name] or {} for name in ("before", "after"))
    sides = {"before": before, "after": after}
    layers = [read_layers(side.get("files"), side.get("content"), name) for name, side in sides.items()]
    configs = [load(side) if side else None for side in layers]
    old, new = (side.get("kubernetes_version") or "" for side in (before, after))
    return configs, (old or new, new or old)


def result_of(comparison: Comparison) -> dict[str, Any]:
    """Return the module's result."""
    return {
        "changed": bool(comparison.changes),
        "field_changes": [{**change.as_dict(), "place": change.source} for change in comparison.changes],
        "disruption": comparison.heaviest,
        "not_judged": sanitize_all([cause.as_dict() for cause in comparison.not_judged]),
        "lines": sanitize_all(comparison.lines),
    }


def upgrade_of(parameters: dict[str, Any]) -> Upgrade:
    """Return the upgrade of the config. Raises OSError and ConfigError."""
    layers = read_layers(parameters["files"], parameters["content"])
    if not layers:
        raise ConfigError("from_version needs files or content")
    config = load_file(*layers[0]) if len(layers) == 1 else load(layers)
    versions = parameters["from_version"], parameters["to_version"] or ""
    flags, overrides = parameters["flags"] or (), parameters["disruption_overrides"]
    return upgrade(config, *versions, flags=flags, overrides=overrides, arguments=OPTION_CHECK)


def upgrade_result(result: Upgrade) -> dict[str, Any]:
    """Return the module's result for an upgrade."""
    answer = result.as_dict()
    for key in ("findings", "lines"):
        answer[key] = sanitize_all(answer[key])
    return {"changed": bool(result), **answer}


def main() -> None:
    """Compare the configs."""
    module = AnsibleModule(
        argument_spec=ARGUMENTS,
        supports_check_mode=True,
        mutually_exclusive=[
            ("files", "content"),
            *((name, side) for name in ("files", "content", "from_version") for side in ("before", "after")),
        ],
        required_by=dict.fromkeys(("files", "content", "to_version", "flags"), "from_version"),
    )
    with fail_on_file_errors(module), using_release_data(module.params["release_data"]):
        effective: tuple[dict[str, Any], dict[str, Any]]
        if module.params["from_version"] is not None:
            upgraded = upgrade_of(module.params)
            result, effective = upgrade_result(upgraded), upgraded.effective
        else:
            (before, after), versions = configs_of(module.params)
            comparison = compare(before, after, versions, module.params["disruption_overrides"])
            result, effective = result_of(comparison), comparison.effective
        if module._diff:
            texts = [encode(redact(dict(sorted(data.items())))) for data in effective]
            shown = {"before_header": "before", "before": texts[0], "after_header": "after", "after": texts[1]}
            result["diff"] = sanitize_all(shown)
        module.exit_json(**result)


if __name__ == "__main__":
    main()
