#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derive the data of a Kubernetes release that this version of the collection does not know."""

from __future__ import annotations

DOCUMENTATION = r"""
module: release_data
short_description: Derive the data of a Kubernetes release that is newer than the collection
version_added: 0.1.0
description:
  - Asks the binaries of a release for its feature gates and flags, and writes them to a file that
    other modules and the playbooks take as C(release_data), for example M(configok.node.component_config) and
    M(configok.node.rollout).
  - A binary is run only if its file has the given SHA-256. It is asked for its version and its help, and how it refuses
    settings of feature gates. Each answer has ten seconds. It never runs as a component.
  - Also makes a draft from the metrics and the C(/configz) of a running component. A draft is used only after a person
    has accepted how it differs from the newest release that the collection knows.
  - Refuses a release that the collection knows. The data add a release; they change none.
  - Needs no cluster. It runs where the binaries are, mostly on the controller, which must be able to run them.
author:
  - the configok.node authors (@configok)
extends_documentation_fragment:
  - configok.node.attributes
attributes:
  check_mode:
    support: full
    details:
      - The binaries are run in check mode too. The file is not written.
  diff_mode:
    support: none
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
requirements:
  - PyYAML
  - timeout of GNU coreutils or BusyBox, for O(binaries)
options:
  binaries:
    description:
      - Programs of one release, each component once.
      - kubelet, kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy and kubeadm are understood.
    type: list
    elements: dict
    suboptions:
      path:
        description: The file of the program.
        type: path
        required: true
      sha256:
        description: The SHA-256 that the file must have, as the release publishes it.
        type: str
        required: true
  gates:
    description:
      - Names of feature gates to ask the binaries for, too.
      - Help has alpha and beta gates only. GA and deprecated gates that the newest known release has are asked for
        anyway. A gate that is new and deprecated at once has to be named here, or be in O(metrics).
    type: list
    elements: str
    default: []
  metrics:
    description:
      - A file with the text of C(/metrics) of a running component, for a draft. Fetch it with C(kubectl get --raw).
    type: path
  configz:
    description:
      - A file with the JSON of C(/configz) of a kubelet that runs with an empty config, for a draft. Fetch it with
        C(kubectl get --raw).
    type: path
  kubernetes_version:
    description:
      - The version of the running component, if there is neither a binary nor O(metrics) to say it.
    type: str
    default: ''
  accept:
    description:
      - The hash of a difference that you have looked at, as RV(hash) returns it. The data are written as accepted if
        theirs is the same, and the module fails if it is another one.
    type: str
    default: ''
  accepted_by:
    description: The name of the person that accepts the difference. Needed with O(accept).
    type: str
    default: ''
  dest:
    description:
      - The file to write. It stays as it is if it has the same data, whatever their date.
      - Without it, the data are only returned.
    type: path
seealso:
  - module: configok.node.component_config
  - module: configok.node.component_config_diff
  - module: configok.node.config_bundle
  - module: configok.node.rollout
  - module: configok.node.machines
  - module: configok.node.cluster_diff
"""

EXAMPLES = r"""
- name: Derive the data of a release on the day it comes out
  configok.node.release_data:
    binaries:
      - path: /opt/kubernetes/1.38.0/kubelet
        sha256: "{{ lookup('ansible.builtin.file', 'kubelet.sha256') }}"
    dest: /etc/configok/release-1.38.yaml
  register: release

- name: Show what it changes
  ansible.builtin.debug:
    msg: "{{ release.lines }}"

- name: Validate a config for it
  configok.node.component_config:
    files: [kubelet.yaml]
    kubernetes_versions: ["1.38"]
    release_data: /etc/configok/release-1.38.yaml

- name: Make a draft from a kubelet that runs already
  configok.node.release_data:
    metrics: kubelet-metrics.txt  # kubectl get --raw /api/v1/nodes/NAME/proxy/metrics
    configz: kubelet-configz.json  # kubectl get --raw /api/v1/nodes/NAME/proxy/configz
    kubernetes_version: "1.38"
  register: draft

- name: Write it, after a person has looked at its difference
  configok.node.release_data:
    metrics: kubelet-metrics.txt
    configz: kubelet-configz.json
    kubernetes_version: "1.38"
    accept: "{{ accepted_hash }}"
    accepted_by: alice
    dest: /etc/configok/release-1.38.yaml
"""

RETURN = r"""
release:
  description: The release.
  returned: success
  type: str
  sample: "1.38"
text:
  description: The data, as the text of the file.
  returned: success
  type: str
is_draft:
  description: Whether a running component is among the sources, so that a person has to accept the difference.
  returned: success
  type: bool
  sample: false
differences:
  description: How the release differs from the newest one that the collection knows.
  returned: success
  type: list
  elements: dict
  contains:
    subject:
      description: V(gate), V(flag) or V(field).
      type: str
      sample: gate
    name:
      description: The name of the gate, the component and the flag, or the kind and the field.
      type: str
      sample: NodeSwap
    kind:
      description: V(gone), V(new) or V(changed).
      type: str
      sample: gone
    before:
      description: Its state in the newest known release, empty if it does not have it.
      type: str
      sample: GA, on, locked
    after:
      description: Its state in this release, empty if it does not have it.
      type: str
      sample: ''
hash:
  description: The hash of the difference, for O(accept).
  returned: success
  type: str
lines:
  description: The differences as human-readable lines.
  returned: success
  type: list
  elements: str
  sample:
    - "Kubernetes 1.38 and 1.37: 1 gone, 0 new, 0 changed"
    - "gate NodeSwap: gone, was GA, on, locked"
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.config_files import (
    fail_on_file_errors,
    write_config,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.derive import (
    KnownBinary,
    Running,
    candidates,
    derive,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.difference import difference
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.file_format import (
    ReleaseData,
    has_same_values,
    read,
    write,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.overlay import (
    accept,
    check_minor,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.probe import (
    TIMED_OUT,
    Answer,
    Binary,
    Candidates,
    probe_binary,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.running_component import (
    parse_configz,
    parse_metrics,
    version_in_metrics,
)
from ansible_collections.configok.node.plugins.module_utils._host.isolated_program import (
    isolated,
    verified_copy,
    without_network,
)
from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._operations.config_layers import read_layers
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all

_TIMEOUT = 10  # seconds that a binary has for each answer; it needs 0.1
_KILLED = 137  # what timeout(1) returns after SIGKILL

ARGUMENTS: dict[str, dict[str, Any]] = {
    "binaries": {
        "type": "list",
        "elements": "dict",
        "options": {"path": {"type": "path", "required": True}, "sha256": {"type": "str", "required": True}},
    },
    "gates": {"type": "list", "elements": "str", "default": []},
    "metrics": {"type": "path"},
    "configz": {"type": "path"},
    "kubernetes_version": {"type": "str", "default": ""},
    "accept": {"type": "str", "default": ""},
    "accepted_by": {"type": "str", "default": ""},
    "dest": {"type": "path"},
}


def text_of(path: str | None) -> str:
    """Return the text of a file, "" for no file. Raises OSError."""
    return "".join(text.decode("utf-8", "replace") for _name, text in read_layers([path], None)) if path else ""


def running_of(parameters: dict[str, Any]) -> Running:
    """Return what a running component says. Raises OSError, ConfigError."""
    metrics, configz = text_of(parameters["metrics"]), text_of(parameters["configz"])
    return Running(
        version_in_metrics(metrics),
        parse_metrics(metrics) if parameters["metrics"] else None,
        parse_configz(configz) if parameters["configz"] else None,
    )


def ask(module: AnsibleModule, path: str, sha256: str, candidates_at: Callable[[int], Candidates]) -> Binary:
    """Return what a binary says of itself. Raises OSError, ConfigError."""
    with tempfile.TemporaryDirectory(dir=module.tmpdir) as directory:
        program = verified_copy(path, sha256, directory)
        prefix = without_network()
        if module.run_command([*prefix, "true"])[0] != 0:
            prefix = []  # not allowed here; a binary that ends at once has no use for a network
        limit = ["timeout", "-s", "KILL", str(_TIMEOUT)]

        def asked(minor: int) -> Candidates:
            check_minor(minor, path)
            return candidates_at(minor)

        def run(arguments: Sequence[str]) -> Answer:
            code, out, err = module.run_command([*limit, *isolated(program, arguments, prefix)])
            return Answer(TIMED_OUT if code == _KILLED else code, out + err)

        return probe_binary(run, asked)


def data_of(module: AnsibleModule) -> tuple[ReleaseData, str]:
    """Return the data and the text of their file. Raises OSError, ConfigError, UnusableInput."""
    parameters = module.params
    running = running_of(parameters)
    asked = partial(candidates, running, parameters["gates"])
    known = [
        KnownBinary(ask(module, binary["path"], binary["sha256"], asked), binary["sha256"].strip().lower())
        for binary in parameters["binaries"] or ()
    ]
    data = derive(known, running, time.strftime("%Y-%m-%d", time.gmtime()), parameters["kubernetes_version"])
    check_minor(data.minor, "what the sources say")
    text = write(data)
    if parameters["accept"]:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        text = accept(text, parameters["accept"], parameters["accepted_by"], now)
    return read(text), text


def written(module: AnsibleModule, data: ReleaseData, text: str) -> bool:
    """Write the file unless it has the same data, and return whether anything changes. Raises OSError, ConfigError."""
    dest = module.params["dest"]
    if not dest:
        return False
    try:
        present = read(text_of(dest), dest)
    except (FileNotFoundError, ConfigError):
        present = ReleaseData(0)
    is_same_state = (present.acceptance is None) == (data.acceptance is None)
    return not (is_same_state and has_same_values(present, data)) and write_config(module, dest, text)


def main() -> None:
    """Derive the data."""
    module = AnsibleModule(
        argument_spec=ARGUMENTS,
        supports_check_mode=True,
        required_one_of=[("binaries", "metrics", "configz")],
    )
    with fail_on_file_errors(module):
        if module.params["accept"] and not module.params["accepted_by"]:
            raise UnusableInput("accept needs accepted_by, the name of the person who has reviewed the difference")
        data, text = data_of(module)
        changes = difference(data)
        module.exit_json(
            changed=written(module, data, text),
            release=changes.release,
            text=text,
            is_draft=data.is_draft,
            differences=[change._asdict() for change in changes.changes],
            hash=changes.digest,
            lines=sanitize_all(changes.lines),
        )


if __name__ == "__main__":
    main()
