#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do one step of a provider's role on the host of a machine."""

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_host
short_description: Do one step of a provider's role on the host of a machine
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Installs a kubelet and its container runtime at exact versions, writes their files, starts them and waits until the
    kubelet is healthy, or takes all of that off the host again.
  - The roles of the providers use it. It also is a building block for a provider of your own.
  - It keeps a record in C(/var/lib/configok-machine), with the packages in use and those before them, so that an update
    can be rolled back without a network, and so that a reset leaves what was there before.
  - Run it on the host, as root. A step may be repeated at any time, also after a run that was killed.
extends_documentation_fragment:
  - configok.node.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - The texts of O(bootstrap_kubeconfig) and O(secret_contents) are not shown.
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
    details:
      - Needs Linux with systemd, and the package manager of O(manager).
options:
  step:
    description:
      - V(plan) says what O(action) would do with the packages, and why it cannot be done. It changes nothing.
      - V(install) brings the packages to their versions. The packages that are replaced are fetched first, so that they
        can be put back. Then the kubelet is stopped if a version changes.
      - V(write) writes O(files) and O(bootstrap_kubeconfig). A host that was a node before keeps its own files.
      - V(start) loads O(kernel_modules), sets O(kernel_settings), removes flags that the kubelet does not have, starts
        O(units) and waits until the kubelet is healthy.
      - V(reset) stops the kubelet and its pods, and removes everything that was not there before.
    type: str
    choices: [plan, install, write, start, reset]
    required: true
  action:
    description:
      - What the steps are part of. With V(rollback), the packages return to their versions before the last update, and
        the files to what they were.
      - V(replace) is V(delete) and then V(create) on the same host. Only V(step=plan) knows it.
    type: str
    choices: [create, update, replace, rollback, delete]
    default: update
  rollout:
    description:
      - The rollout that O(action) is part of. A rollback undoes an update of the same rollout only, so that an update
        that failed before it reached the host undoes nothing.
      - Without it, a rollback undoes the last update, which O(step=install) tells from another one by what it declares.
    type: str
    default: ""
  machine:
    description: The name of the machine and of its Node. A host that is another machine is refused.
    type: str
    required: true
  manager:
    description: What installs packages.
    type: str
    choices: [apt, dnf, archives]
    required: true
  packages:
    description: The packages that have a version.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: The package; with O(manager=archives) the component.
        type: str
        required: true
      version:
        description:
          - The version of the software, or the whole version of the package. V(1.34.9) is the package V(1.34.9-1.1).
          - Empty means the one that is installed, or the newest.
        type: str
        default: ""
      units:
        description: The units that must restart when the package changes.
        type: list
        elements: str
        default: []
  extra_packages:
    description: More packages, of any version.
    type: list
    elements: str
    default: []
  hold:
    description: Whether upgrades of the host leave O(packages) alone.
    type: bool
    default: true
  source:
    description: The source of packages, as apt or dnf write it. Empty means those that the host has.
    type: str
    default: ""
  source_key:
    description: The key that signs O(source), armored.
    type: str
    default: ""
  archives:
    description: The archives of components, which are in C(/var/lib/configok-machine/packages) under their checksums.
    type: list
    elements: dict
    default: []
    suboptions:
      component:
        description: What the archive holds.
        type: str
        choices: [kubelet, containerd, runc, cni]
        required: true
      version:
        description: Its version.
        type: str
        required: true
      sha256:
        description: Its checksum. Nothing is unpacked from an archive with another one.
        type: str
        required: true
  files:
    description: The files to write.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Where the file is.
        type: path
        required: true
      content:
        description: The text of the file, unless O(secret_contents) has it.
        type: str
        default: ""
      mode:
        description: Its permissions, in octal digits.
        type: str
        default: "0644"
      restarts:
        description: The units that must restart when the file changes.
        type: list
        elements: str
        default: []
      has_flags:
        description: Whether it holds flags of the kubelet, of which those are left out that the kubelet does not have.
        type: bool
        default: false
  secret_contents:
    description:
      - The texts of those O(files) that may hold secrets, by path. They are neither logged nor shown in a diff.
    type: dict
    default: {}
  file_fields:
    description:
      - The declared fields that O(files) are made of, for V(step=plan). A host that was a node before keeps its own
        files, so there the plan warns that they have no effect.
    type: list
    elements: str
    default: []
  changed_file_fields:
    description:
      - Those fields that O(action) would change, for V(step=plan). On a host that was a node before, that is refused.
      - A name that begins with C(Cluster.) is the path of a field of the Cluster.
    type: list
    elements: str
    default: []
  bootstrap_kubeconfig:
    description: The text of a kubeconfig with which a kubelet without credentials asks for a certificate.
    type: str
    default: ""
  kubelet:
    description: The path of the kubelet.
    type: path
    default: /usr/bin/kubelet
  units:
    description: The units to start, in this order.
    type: list
    elements: str
    default: [containerd, kubelet]
  kernel_modules:
    description: Kernel modules to load. One that the kernel does not have is left out.
    type: list
    elements: str
    default: []
  kernel_settings:
    description: Kernel parameters to set, with their values. One that the kernel does not have is left out.
    type: dict
    default: {}
  timeout:
    description: Until when the kubelet has to be healthy, in seconds.
    type: int
    default: 180
  lacks_node:
    description:
      - Whether the cluster has no Node of the machine. A kubelet that runs already is then restarted, since it
        registers its Node only when it starts.
    type: bool
    default: false
seealso:
  - module: configok.node.component_unit_info
"""

EXAMPLES = r"""
- name: See whether the kubelet can be updated
  configok.node.machine_host:
    step: plan
    action: update
    machine: worker-1
    manager: apt
    packages:
      - name: kubelet
        version: 1.34.9
        units: [kubelet]
  register: plan

- name: Update it
  configok.node.machine_host:
    step: install
    action: update
    machine: worker-1
    manager: apt
    packages:
      - name: kubelet
        version: 1.34.9
        units: [kubelet]
  when: plan.refusals | length == 0

- name: Start it and wait until it is healthy
  configok.node.machine_host:
    step: start
    machine: worker-1
    manager: apt

- name: Take the node off the host
  configok.node.machine_host:
    step: reset
    action: delete
    machine: worker-1
    manager: apt
"""

RETURN = r"""
refusals:
  description: Why O(action) cannot be done, one sentence each. Empty if it can.
  returned: with O(step=plan)
  type: list
  elements: str
  sample: ["no source of packages offers kubelet 1.34.9: there is 1.34.8-1.1"]
versions:
  description: The versions that would be installed, by package.
  returned: with O(step=plan)
  type: dict
  sample: {kubelet: 1.34.9-1.1}
owns_layout:
  description: Whether the files of the node are those of this module. They are not on a host that was a node before.
  returned: with O(step=write)
  type: bool
  sample: true
remarks:
  description: What is worth knowing, one sentence each, for example flags that were removed.
  returned: success
  type: list
  elements: str
  sample: []
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._machine_host import (
    Apt,
    Archive,
    Archives,
    Changes,
    Dnf,
    FileFields,
    Host,
    HostError,
    HostFile,
    MachineHost,
    PackageManager,
    StartOptions,
    WantedPackage,
    WantedPackages,
    full_version,
)
from ansible_collections.configok.node.plugins.module_utils._text import sanitize

PACKAGE: dict[str, dict[str, Any]] = {
    "name": {"type": "str", "required": True},
    "version": {"type": "str", "default": ""},
    "units": {"type": "list", "elements": "str", "default": []},
}
ARCHIVE: dict[str, dict[str, Any]] = {
    "component": {"type": "str", "choices": ["kubelet", "containerd", "runc", "cni"], "required": True},
    "version": {"type": "str", "required": True},
    "sha256": {"type": "str", "required": True},
}
FILE: dict[str, dict[str, Any]] = {
    "path": {"type": "path", "required": True},
    "content": {"type": "str", "default": ""},
    "mode": {"type": "str", "default": "0644"},
    "restarts": {"type": "list", "elements": "str", "default": []},
    "has_flags": {"type": "bool", "default": False},
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "step": {"type": "str", "choices": ["plan", "install", "write", "start", "reset"], "required": True},
    "action": {"type": "str", "choices": ["create", "update", "replace", "rollback", "delete"], "default": "update"},
    "rollout": {"type": "str", "default": ""},
    "machine": {"type": "str", "required": True},
    "manager": {"type": "str", "choices": ["apt", "dnf", "archives"], "required": True},
    "packages": {"type": "list", "elements": "dict", "default": [], "options": PACKAGE},
    "extra_packages": {"type": "list", "elements": "str", "default": []},
    "hold": {"type": "bool", "default": True},
    "source": {"type": "str", "default": "", "no_log": True},
    "source_key": {"type": "str", "default": "", "no_log": False},
    "archives": {"type": "list", "elements": "dict", "default": [], "options": ARCHIVE},
    "files": {"type": "list", "elements": "dict", "default": [], "options": FILE},
    "secret_contents": {"type": "dict", "default": {}, "no_log": True},
    "file_fields": {"type": "list", "elements": "str", "default": []},
    "changed_file_fields": {"type": "list", "elements": "str", "default": []},
    "bootstrap_kubeconfig": {"type": "str", "default": "", "no_log": True},
    "kubelet": {"type": "path", "default": "/usr/bin/kubelet"},
    "units": {"type": "list", "elements": "str", "default": ["containerd", "kubelet"]},
    "kernel_modules": {"type": "list", "elements": "str", "default": []},
    "kernel_settings": {"type": "dict", "default": {}},
    "timeout": {"type": "int", "default": 180},
    "lacks_node": {"type": "bool", "default": False},
}


def _manager(host: Host, params: dict[str, Any]) -> PackageManager:
    if params["manager"] == "apt":
        return Apt(host)
    if params["manager"] == "dnf":
        return Dnf(host)
    return Archives(host, _archives(params))


def _archives(params: dict[str, Any]) -> list[Archive]:
    return [Archive(**archive) for archive in params["archives"]]


def _wanted(params: dict[str, Any]) -> WantedPackages:
    return WantedPackages(
        tuple(
            WantedPackage(
                item["name"],
                full_version(_archives(params), item["name"], item["version"]),
                tuple(item["units"]),
            )
            for item in params["packages"]
        ),
        extra=tuple(params["extra_packages"]),
        hold=params["hold"],
        source=params["source"],
        key=params["source_key"],
    )


def _run(machine: MachineHost, params: dict[str, Any]) -> Changes:
    """Run a step that changes the host. Raises HostError."""
    if params["step"] == "install":
        return machine.install(_wanted(params))
    if params["step"] == "write":
        secrets = params["secret_contents"]
        files = [
            HostFile(
                item["path"],
                str(secrets.get(item["path"], item["content"])),
                int(item["mode"], 8),
                tuple(item["restarts"]),
                item["has_flags"],
            )
            for item in params["files"]
        ]
        return machine.write(files, params["bootstrap_kubeconfig"], params["kubelet"])
    if params["step"] == "start":
        settings = {name: str(value) for name, value in params["kernel_settings"].items()}
        options = StartOptions(
            params["kubelet"],
            params["units"],
            params["kernel_modules"],
            settings,
            params["timeout"],
            params["lacks_node"],
        )
        return machine.start(options)
    return machine.reset()


def main() -> None:
    """Do one step."""
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    params = module.params
    host = Host()
    machine = MachineHost(
        host,
        params["machine"],
        _manager(host, params),
        check=module.check_mode,
        action=params["action"],
        rollout=params["rollout"],
    )
    try:
        if params["step"] == "plan":
            fields = FileFields(params["file_fields"], params["changed_file_fields"])
            preview = machine.plan(params["action"], _wanted(params), fields)
            module.exit_json(
                changed=False,
                refusals=[sanitize(sentence) for sentence in preview.refusals],
                versions=preview.versions,
                remarks=[sanitize(sentence) for sentence in preview.warnings],
            )
        changes = _run(machine, params)
    except HostError as error:
        module.fail_json(msg=sanitize(error))
    except OSError as error:
        module.fail_json(msg=sanitize(f"the host could not be changed: {error}"))
    remarks = [sanitize(sentence) for sentence in changes.warnings]
    module.exit_json(changed=changes.changed, diff=changes.diff, remarks=remarks, owns_layout=changes.owns_layout)


if __name__ == "__main__":
    main()
