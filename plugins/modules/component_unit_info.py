#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Report how systemd starts the components of a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: component_unit_info
short_description: Report how systemd starts the components of a node, and where they read their config
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Reads the units of components with their drop-ins and environment files, and expands their command lines as systemd
    does, to determine which config file each component reads and how to make it read another one.
  - The drop-in O(drop_in) is disregarded, so that the result is the same before and after the role
    P(configok.node.node#role) has installed it. RV(components[].faults) reports whether the unit with it is correct.
  - Run it on the node, as root.
extends_documentation_fragment:
  - configok.node.attributes
  - configok.node.attributes.info_module
attributes:
  platform:
    support: full
    platforms: posix
    details:
      - Needs Linux with systemd.
options:
  components:
    description: The components to inspect.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: The component, as the keys of bundles name it.
        type: str
        required: true
      unit:
        description: Its systemd unit. The default is its name with C(.service).
        type: str
      config:
        description: The file that the component reads, if it should not be detected. Empty means none.
        type: str
      config_variable:
        description: The variable of the unit to override, if it should not be detected.
        type: str
      exec_start:
        description: The new command line of the unit, if it should not be detected.
        type: str
  overrides:
    description:
      - Texts of the drop-in O(drop_in) that systemd is to verify before they are put in place. Each is verified with
        its unit, from a temporary directory.
    type: list
    elements: dict
    default: []
    version_added: 0.1.0
    suboptions:
      unit:
        description: The unit.
        type: str
        required: true
      text:
        description: The drop-in.
        type: str
        required: true
  drop_in:
    description: The name of the drop-in through which components start.
    type: str
    default: zz-configok.conf
  state_directory:
    description: Where the agent keeps its files. A component must read C(components/NAME/config.yaml) there.
    type: path
    default: /var/lib/configok
seealso:
  - module: configok.node.agent_archive
"""

EXAMPLES = r"""
- name: See how the kubelet starts
  configok.node.component_unit_info:
    components:
      - name: kubelet
  register: units

- name: Say which file it reads
  ansible.builtin.debug:
    msg: "{{ units.components[0].config }}"

- name: Fail unless it starts through the agent
  ansible.builtin.assert:
    that: units.components[0].faults | length == 0
    fail_msg: "{{ units.components[0].faults | join('; ') }}"
"""

RETURN = r"""
components:
  description: The facts about each component, in the order of O(components).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The component.
      type: str
      sample: kubelet
    unit:
      description: Its unit.
      type: str
      sample: kubelet.service
    active:
      description: Whether the unit is active.
      type: bool
      sample: true
    config:
      description: The file that the component reads without the drop-in, empty if it reads none.
      type: str
      sample: /var/lib/kubelet/config.yaml
    variable:
      description: The variable that makes the component read another file when the last environment file sets it.
      type: str
      sample: KUBELET_CONFIG_ARGS
    exec_start:
      description: The command line to set instead, if no variable holds C(--config) and nothing else.
      type: str
      sample: ""
    kubeconfig:
      description: The value of C(--kubeconfig), empty if it is not set.
      type: str
      sample: /etc/kubernetes/kubelet.conf
    hostname_override:
      description: The value of C(--hostname-override), empty if it is not set.
      type: str
      sample: ""
    agent_options:
      description: Fields of the component in the AgentConfiguration that follow from its flags.
      type: dict
      sample: {rootDirectory: /data/kubelet}
    flags_only:
      description: Whether it reads no config file and has only flags.
      type: bool
      sample: false
    version_command:
      description: A command that prints the component's version, empty if none is known.
      type: list
      elements: str
      sample: [/usr/bin/kubelet, --version]
    made_directory:
      description: Whether the directory of the drop-in does not exist, or was created for it.
      type: bool
      sample: false
    refusals:
      description: Why the component cannot be provisioned, as sentences. Empty if it can.
      type: list
      elements: str
      sample: []
    faults:
      description:
        - What prevents the unit, as systemd has merged it now, from starting through the agent and from rolling back by
          itself. Empty on a provisioned node.
      type: list
      elements: str
      sample: [Restart is on-failure, not always]
drop_ins:
  description: All drop-ins of the name O(drop_in) that are on the node.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The drop-in.
      type: str
      sample: /etc/systemd/system/kubelet.service.d/zz-configok.conf
    directory:
      description: Its directory.
      type: str
      sample: /etc/systemd/system/kubelet.service.d
    unit:
      description: The unit that it belongs to.
      type: str
      sample: kubelet.service
    active:
      description: Whether the unit is active.
      type: bool
      sample: true
    made_directory:
      description: Whether its directory was created for it, and is removed with it.
      type: bool
      sample: false
overrides:
  description: What systemd says of O(overrides), in their order.
  returned: success
  type: list
  elements: dict
  contains:
    unit:
      description: The unit.
      type: str
      sample: kubelet.service
    faults:
      description: What systemd does not accept, as parts of a sentence. Empty if it accepts the drop-in.
      type: list
      elements: str
      sample: ["line 7: Failed to parse RestartSec= value, ignoring: 5x"]
    not_verified:
      description: Why it was not verified, empty if it was.
      type: str
      sample: systemd-analyze is not installed
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._operations.component_units import (
    ComponentUnits,
    NoSystemd,
    SystemctlFailed,
)
from ansible_collections.configok.node.plugins.module_utils._text import sanitize, sanitize_all

COMPONENT: dict[str, dict[str, Any]] = {
    "name": {"type": "str", "required": True},
    "unit": {"type": "str"},
    "config": {"type": "str"},
    "config_variable": {"type": "str"},
    "exec_start": {"type": "str"},
}
OVERRIDE: dict[str, dict[str, Any]] = {
    "unit": {"type": "str", "required": True},
    "text": {"type": "str", "required": True},
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "components": {"type": "list", "elements": "dict", "default": [], "options": COMPONENT},
    "overrides": {"type": "list", "elements": "dict", "default": [], "options": OVERRIDE},
    "drop_in": {"type": "str", "default": "zz-configok.conf"},
    "state_directory": {"type": "path", "default": "/var/lib/configok"},
}


def _sanitized(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts with sentences that are safe to show; the rest is data, which the role compares and writes."""
    return {**facts, "refusals": sanitize_all(facts["refusals"]), "faults": sanitize_all(facts["faults"])}


def _sanitized_override(verdict: dict[str, Any]) -> dict[str, Any]:
    return {**verdict, "faults": sanitize_all(verdict["faults"]), "not_verified": sanitize(verdict["not_verified"])}


def main() -> None:
    """Report how the components start."""
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    params = module.params

    def run(argv: Any) -> tuple[int, str, str]:
        code, out, err = module.run_command(list(argv), environ_update={"LC_ALL": "C"})
        return code, out, err

    try:
        units = ComponentUnits(run, drop_in=params["drop_in"], state_directory=params["state_directory"])
        components = [_sanitized(units.inspect(request)) for request in params["components"]]
        drop_ins = units.drop_ins()
        overrides = [
            _sanitized_override(units.verify(override["unit"], override["text"])) for override in params["overrides"]
        ]
    except (NoSystemd, SystemctlFailed) as error:
        module.fail_json(msg=sanitize(error))
    module.exit_json(changed=False, components=components, drop_ins=drop_ins, overrides=overrides)


if __name__ == "__main__":
    main()
