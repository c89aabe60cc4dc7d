#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How systemd starts the components of a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: component_unit_info
short_description: Find out how systemd starts the components of a node, and from where they read their config
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Reads the units of components with their drop-ins and environment files, and expands their command lines as systemd
    does, to learn which config file each component reads and how to let it read another one.
  - The drop-in O(drop_in) is looked through, so that the answer is the same before and after the role
    P(configok.node.node#role) has put it there. Whether the unit with it is as it must be is said apart.
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
    description: The components to look at.
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
        description: The file that the component reads, where it should not be found out. Empty means none.
        type: str
      config_variable:
        description: The variable of the unit to set anew, where that should not be found out.
        type: str
      exec_start:
        description: The command line to give the unit, where that should not be found out.
        type: str
  drop_in:
    description: The name of the drop-in through which components start.
    type: str
    default: zz-configok.conf
  state_directory:
    description: Where the agent keeps its files. A component is to read C(components/NAME/config.yaml) there.
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
  description: What was found out, in the order of O(components).
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
      description: The file that the component reads without the drop-in, empty where it reads none.
      type: str
      sample: /var/lib/kubelet/config.yaml
    variable:
      description: The variable to set, in an environment file that comes last, to let the component read another file.
      type: str
      sample: KUBELET_CONFIG_ARGS
    exec_start:
      description: The command line to give the unit instead, where no variable holds C(--config) and nothing else.
      type: str
      sample: ""
    kubeconfig:
      description: The value of C(--kubeconfig), empty where it is not given.
      type: str
      sample: /etc/kubernetes/kubelet.conf
    hostname_override:
      description: The value of C(--hostname-override), empty where it is not given.
      type: str
      sample: ""
    agent_options:
      description: Fields of the component in the AgentConfiguration that follow from its flags.
      type: dict
      sample: {rootDirectory: /data/kubelet}
    flags_only:
      description: Whether it is given no config file, only flags.
      type: bool
      sample: false
    version_command:
      description: A command that says the component's version, empty where it is not known to have one.
      type: list
      elements: str
      sample: [/usr/bin/kubelet, --version]
    made_directory:
      description: Whether the directory of the drop-in does not exist, or was made for it.
      type: bool
      sample: false
    refusals:
      description: Why the component cannot be provisioned, as sentences. Empty where it can.
      type: list
      elements: str
      sample: []
    faults:
      description:
        - What keeps the unit, as systemd has merged it now, from starting through the agent and from falling back by
          itself. Empty on a node that is provisioned.
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
      description: Whether its directory was made for it, and goes with it.
      type: bool
      sample: false
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible._component_units import (
    ComponentUnits,
    NoSystemd,
    SystemctlFailed,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._untrusted import sanitize, sanitize_all

COMPONENT: dict[str, dict[str, Any]] = {
    "name": {"type": "str", "required": True},
    "unit": {"type": "str"},
    "config": {"type": "str"},
    "config_variable": {"type": "str"},
    "exec_start": {"type": "str"},
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "components": {"type": "list", "elements": "dict", "default": [], "options": COMPONENT},
    "drop_in": {"type": "str", "default": "zz-configok.conf"},
    "state_directory": {"type": "path", "default": "/var/lib/configok"},
}


def _shown(found: dict[str, Any]) -> dict[str, Any]:
    """Return what was found with its sentences fit to show; the rest is data, which others compare and write."""
    return {**found, "refusals": sanitize_all(found["refusals"]), "faults": sanitize_all(found["faults"])}


def main() -> None:
    """Look, tell."""
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    params = module.params

    def run(argv: Any) -> tuple[int, str, str]:
        code, out, err = module.run_command(list(argv), environ_update={"LC_ALL": "C"})
        return code, out, err

    try:
        units = ComponentUnits(run, drop_in=params["drop_in"], state_directory=params["state_directory"])
        components = [_shown(units.look(asked)) for asked in params["components"]]
        drop_ins = units.drop_ins()
    except (NoSystemd, SystemctlFailed) as error:
        module.fail_json(msg=sanitize(error))
    module.exit_json(changed=False, components=components, drop_ins=drop_ins)


if __name__ == "__main__":
    main()
