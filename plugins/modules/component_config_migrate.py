#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Move a component from its flags to a file."""

from __future__ import annotations

DOCUMENTATION = r"""
module: component_config_migrate
short_description: Move a Kubernetes component from command line flags to a config file
version_added: 0.1.0
author:
  - the configok.node authors (@configok)
description:
  - Converts a component's flags, together with the config file that it reads, to one file with the same effective
    config, and reports the flags that must stay, each with the reason.
  - Reads the command line of the component's process on a node, or of its unit if it does not run, and the files that
    it names. With O(flags) it needs no node.
  - A flag that the component does not have, or whose value it refuses, is an error. A flag with an unexpanded variable
    in its value, such as C(${NODE_IP}), stays and is not judged.
  - Keeps the behaviour of the component. If a flag's default differs from the file's, the file states it; if the file
    cannot express a flag, the flag stays.
  - Changes nothing, and writes no file. Knows the kubelet, kube-proxy and kube-scheduler. For etcd, kube-apiserver and
    kube-controller-manager, which read no config file, it returns C(ComponentOptions) with what a bundle may set, and
    the other flags stay in the manifest.
extends_documentation_fragment:
  - configok.node.attributes
  - configok.node.attributes.info_module
attributes:
  diff_mode:
    support: full
    details:
      - Shows the present effective config and that of the result, with all defaults. They differ only where
        RV(findings) report it.
  platform:
    support: full
    platforms: posix
    details:
      - Without O(flags) it needs Linux with systemd.
requirements:
  - PyYAML
options:
  component:
    description: The component to move.
    type: str
    default: kubelet
  unit:
    description: Its systemd unit. The default is O(component) with C(.service).
    type: str
  flags:
    description:
      - Its flags, one word of the command line each, instead of those of a unit on the node.
      - Write words with C(<) or a colon in quotes.
    type: list
    elements: str
  content:
    description: The text of the config file that O(flags) name with C(--config).
    type: str
  directory:
    description: The component's working directory, where relative paths of O(flags) begin.
    type: path
    default: /
  kubernetes_version:
    description:
      - The version of the component that will read the file, for example V(1.31). Write it in quotes.
      - A version before 1.20 is an error.
      - The default is the version that the component reports, and with O(flags) the newest version that this release
        knows.
    type: str
  path:
    description: Where the file will be. The default is its present path, for a kubelet C(/var/lib/kubelet/config.yaml).
    type: path
  fail_on:
    description:
      - V(component) fails if a flag can neither stay nor be expressed, or the component would refuse the file.
      - V(policy) also fails if the file holds something that a bundle may not hold.
      - V(not_judged) also fails if something could not be judged, see RV(not_judged).
      - V(never) only reports.
    type: str
    choices: [component, policy, not_judged, never]
    default: component
seealso:
  - module: configok.node.component_config
  - module: configok.node.component_unit_info
"""

EXAMPLES = r"""
- name: See what flags would become
  configok.node.component_config_migrate:
    kubernetes_version: "1.33"
    flags:
      - --max-pods=64
      - --eviction-hard=memory.available<200Mi
      - --node-ip=192.0.2.7
  delegate_to: localhost
  register: migrated

- name: Show it
  ansible.builtin.debug:
    msg: "{{ migrated.lines }}"
"""

RETURN = r"""
valid:
  description: Whether neither the component nor policy refuses the result.
  returned: always
  type: bool
  sample: true
config:
  description:
    - The config file as YAML, without values that belong to one node. Empty if there cannot be one, or if it would
      hold a secret.
  returned: always
  type: str
  sample: |
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    maxPods: 64
flags:
  description: The flags that stay, in their order after C(--config).
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: The flag without dashes.
      type: str
      sample: node-ip
    words:
      description: The words for a command line.
      type: list
      elements: str
      sample: [--node-ip=192.0.2.7]
    reason:
      description: Why it stays.
      type: str
      sample: its value belongs to this node, and the file has no field for it
    of_node:
      description: Whether its value belongs to one node.
      type: bool
      sample: true
left:
  description: The flags that are removed.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: The flag without dashes.
      type: str
      sample: max-pods
    field:
      description: The field that has its value now, empty if it is no longer needed.
      type: str
      sample: maxPods
    reason:
      description: Why it is removed.
      type: str
      sample: it is maxPods now
instance_config:
  description: Fields whose values belong to this node, for its instance config.
  returned: always
  type: dict
  sample: {providerID: example://node-7}
findings:
  description: The findings about the flags and the file, as M(configok.node.component_config) returns them.
  returned: always
  type: list
  elements: dict
  sample: []
not_judged:
  description: What could not be judged and why, as M(configok.node.component_config) returns it.
  returned: always
  type: list
  elements: dict
  sample: []
lines:
  description: All of this as human-readable lines.
  returned: always
  type: list
  elements: str
  sample:
    - "--max-pods goes: it is maxPods now"
"""

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.config_files import fail_on_file_errors
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.kubelet_flags import parse_flags
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.secrets import redact
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import (
    judged,
    not_judged_causes,
    refusing_levels,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.migrate import Migration, migrate
from ansible_collections.configok.node.plugins.module_utils._host.component_process import (
    StartedComponent,
    read_started,
)
from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._operations.component_units import (
    ComponentUnits,
    NoSystemd,
    Runner,
    SystemctlFailed,
)
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all

ARGUMENTS: dict[str, dict[str, Any]] = {
    "component": {"type": "str", "default": "kubelet"},
    "unit": {"type": "str"},
    "flags": {"type": "list", "elements": "str"},
    "content": {"type": "str"},
    "directory": {"type": "path", "default": "/"},
    "kubernetes_version": {"type": "str"},
    "path": {"type": "path"},
    "fail_on": {"type": "str", "choices": ["component", "policy", "not_judged", "never"], "default": "component"},
}
VERSION_PREFIX = "Kubernetes "


class StartUnknown(UnusableInput):
    """The command line or the version of a component is unknown; the message is one sentence without its full stop."""


def plan_migration(parameters: Mapping[str, Any], run: Runner) -> Migration:
    """Return the migration that the module's parameters ask for.

    Raises OSError, ConfigError, UnusableInput, SystemctlFailed.
    """
    version = parameters["kubernetes_version"] or ""
    if parameters["flags"] is not None:
        content = parameters["content"]
        argv = (parameters["component"], *parameters["flags"])
        config = None if content is None else (dict(parse_flags(argv)).get("config") or "content", content)
        started = StartedComponent(argv, parameters["directory"], config, ())
    else:
        started = started_component(parameters, run)
        version = version or program_version(started.argv[0], run)
        if not version:
            raise StartUnknown(f"{started.argv[0]} does not report its version: give kubernetes_version")
    return migrate(
        parameters["component"],
        started.argv,
        version=version,
        config=started.config,
        drop_ins=started.drop_ins,
        directory=started.directory,
        path=parameters["path"] or "",
    )


def started_component(parameters: Mapping[str, Any], run: Runner) -> StartedComponent:
    """Return how systemd starts the component here. Raises OSError, UnusableInput, SystemctlFailed."""
    try:
        units = ComponentUnits(run, drop_in="zz-configok.conf", state_directory="/var/lib/configok")
    except NoSystemd:
        raise StartUnknown("This machine does not run systemd, so it has no unit to read: give flags instead") from None
    unit = parameters["unit"] or f"{parameters['component']}.service"
    argv, directory = units.command_line(unit)
    if not argv:
        raise StartUnknown(f"{unit} starts no process here with a readable command line: give flags instead")
    return read_started(argv, directory)


def program_version(program: str, run: Runner) -> str:
    """Return the version that a program prints, or "" if it prints none."""
    code, out, _err = run([program, "--version"])
    return out.strip()[len(VERSION_PREFIX) :] if code == 0 and out.startswith(VERSION_PREFIX) else ""


def migration_result(migration: Migration, *, diff: bool) -> dict[str, Any]:
    """Return the module's result."""
    result: dict[str, Any] = {
        "changed": False,
        "valid": not any(finding.is_refusal for finding in migration.findings),
        "config": migration.shown_text,
        "flags": [
            {"name": flag.name, "words": list(flag.shown_words), "reason": flag.reason, "of_node": flag.is_of_node}
            for flag in migration.flags
        ],
        "left": [flag._asdict() for flag in migration.dropped],
        "instance_config": redact(dict(migration.instance_config)),
        "findings": sanitize_all([finding.as_dict() for finding in judged(migration.findings)]),
        "not_judged": sanitize_all([cause.as_dict() for cause in not_judged_causes(migration.findings)]),
        "lines": sanitize_all(migration.lines),
    }
    if diff:
        before, after = (encode(redact(dict(sorted(data.items())))) for data in (migration.before, migration.after))
        result["diff"] = {"before_header": "today", "before": before, "after_header": "migrated", "after": after}
    return result


def main() -> None:
    """Migrate the component."""
    module = AnsibleModule(
        argument_spec=ARGUMENTS,
        supports_check_mode=True,
        mutually_exclusive=[("flags", "unit")],
        required_by={"content": "flags"},
    )

    def run(argv: Any) -> tuple[int, str, str]:
        code, out, err = module.run_command(list(argv), environ_update={"LC_ALL": "C"})
        return code, out, err

    with fail_on_file_errors(module):
        try:
            migration = plan_migration(module.params, run)
        except SystemctlFailed as error:
            module.fail_json(msg=f"{error}.")
        result = migration_result(migration, diff=module._diff)
        levels = refusing_levels(module.params["fail_on"].replace("_", "-"))
        refused = sanitize_all([str(finding) for finding in migration.findings if finding.level in levels])
        if refused:
            module.fail_json(msg="The component cannot be moved as it is:\n" + "\n".join(refused), **result)
        module.exit_json(**result)


if __name__ == "__main__":
    main()
