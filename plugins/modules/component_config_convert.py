#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert a component config to another version of its kind."""

from __future__ import annotations

DOCUMENTATION = r"""
module: component_config_convert
short_description: Convert the config file of a Kubernetes component to another version of its kind
version_added: 0.1.0
description:
  - Converts a config between the versions of its kind, for example that of kube-scheduler from V(v1beta2) to V(v1),
    those of kubeadm from V(v1beta2) to V(v1beta4), or a file of kube-apiserver from V(v1alpha1) to V(v1).
  - The behaviour of the component stays the same. If a default of the other version differs, the present value is
    written out. Each value that cannot be kept is reported with the reason.
  - A file may hold several documents, as those of kubeadm do. All of the API group are converted, the others stay as
    they are.
  - C(ComponentOptions) become the C(extraArgs) of kubeadm's C(ClusterConfiguration) in one of its versions.
  - The result is rewritten from the data, without comments.
  - Needs no cluster and no component. It runs where the files are, mostly on the controller.
author:
  - the configok.node authors (@configok)
extends_documentation_fragment:
  - configok.node.content
  - configok.node.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - Shows the documents before and after, without secrets.
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
requirements:
  - PyYAML
options:
  file:
    description:
      - The file to convert.
      - Exactly one of O(file) and O(content) is needed.
    type: path
  api_version:
    description:
      - The version to convert to, alone or with its API group, for example V(v1) or
        V(kubescheduler.config.k8s.io/v1).
    type: str
    required: true
  kubernetes_versions:
    description:
      - The Kubernetes versions that have to read the result, for example V(1.31) or V(v1.31.4). Write them in quotes.
      - Versions before 1.20 are errors.
      - It is an error if one of them does not read O(api_version).
    type: list
    elements: str
    default: []
  fail_on_loss:
    description:
      - Whether it is an error if something cannot be kept.
    type: bool
    default: true
  dest:
    description:
      - A file to write the result to, which may be O(file). A new file can be read by its owner only.
      - Without it the result is returned only, and nothing is changed.
    type: path
seealso:
  - module: configok.node.component_config
  - module: configok.node.component_config_diff
"""

EXAMPLES = r"""
- name: Convert the config of kube-scheduler before an upgrade to 1.28, which no longer reads v1beta2
  configok.node.component_config_convert:
    content: |
      apiVersion: kubescheduler.config.k8s.io/v1beta2
      kind: KubeSchedulerConfiguration
      profiles:
        - schedulerName: default-scheduler
          plugins:
            score:
              disabled:
                - name: NodeAffinity
    api_version: v1
    kubernetes_versions: ["1.27", "1.28"]
  delegate_to: localhost
  register: converted

- name: Show the result, and what was done
  ansible.builtin.debug:
    msg: "{{ converted.text }}{{ converted.lines | join('\n') }}"
"""

RETURN = r"""
text:
  description:
    - The converted config as YAML. Empty if it holds a secret, which only O(dest) then has; RV(lines) say so.
  returned: always
  type: str
  sample: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
documents:
  description: The converted config as data, a mapping for each document, without secrets.
  returned: always
  type: list
  elements: dict
  sample:
    - apiVersion: kubescheduler.config.k8s.io/v1
      kind: KubeSchedulerConfiguration
losses:
  description: The values that cannot be kept.
  returned: always
  type: list
  elements: dict
  contains:
    kind:
      description: The kind of the document.
      type: str
      sample: KubeSchedulerConfiguration
    path:
      description: The path of the field, in the document as it was.
      type: str
      sample: profiles[0].plugins.score.enabled[0]
    value:
      description: The previous value, as short JSON. Secrets are not shown.
      type: str
      sample: '{"name": "SelectorSpread", "weight": 3}'
    why:
      description: Why it cannot be kept, or where it belongs now.
      type: str
      sample: "the plugin is gone: PodTopologySpread spreads by default"
not_judged:
  description:
    - What could not be judged of O(kubernetes_versions) and why, as M(configok.node.component_config) returns it.
  returned: always
  type: list
  elements: dict
  sample: []
lines:
  description:
    - The conversions and the losses as human-readable lines.
    - If RV(text) is withheld because of a secret, a line says so, and names the fields.
  returned: always
  type: list
  elements: str
  sample:
    - >-
      KubeSchedulerConfiguration: kubescheduler.config.k8s.io/v1beta2 -> kubescheduler.config.k8s.io/v1, read by
      Kubernetes 1.25 and newer
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.config_files import (
    fail_on_file_errors,
    write_config,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode_all
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.secrets import redact
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import ConvertedFile, convert
from ansible_collections.configok.node.plugins.module_utils._operations.config_layers import read_layers
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all

ARGUMENTS: dict[str, dict[str, Any]] = {
    "file": {"type": "path"},
    "content": {"type": "str"},
    "api_version": {"type": "str", "required": True},
    "kubernetes_versions": {"type": "list", "elements": "str", "default": []},
    "fail_on_loss": {"type": "bool", "default": True},
    "dest": {"type": "path"},
}


def converted_file(parameters: dict[str, Any]) -> ConvertedFile:
    """Convert the config as the options require. Raises OSError and ConfigError."""
    ((name, source),) = read_layers([parameters["file"]], parameters["content"])
    return convert(source, parameters["api_version"], file=name, versions=parameters["kubernetes_versions"])


def result_of(converted: ConvertedFile, dest: str | None) -> dict[str, Any]:
    """Return the module's result, without the text if it holds a secret; dest has it then, if given."""
    answer = converted.as_dict(f"only {dest} gets it" if dest else "give dest to write it to a file")
    return {"changed": False, **answer, "lines": sanitize_all(answer["lines"])}


def main() -> None:
    """Convert the config."""
    module = AnsibleModule(
        argument_spec=ARGUMENTS,
        supports_check_mode=True,
        mutually_exclusive=[("file", "content")],
        required_one_of=[("file", "content")],
    )
    with fail_on_file_errors(module):
        converted = converted_file(module.params)
        result = result_of(converted, module.params["dest"])
        if module._diff:
            before, after = (encode_all(redact(documents)) for documents in (converted.before, converted.after))
            result["diff"] = {"before": before, "after": after}
        if converted.losses and module.params["fail_on_loss"]:
            lost = "\n".join(line for line in result["lines"] if line.startswith("lost: "))
            module.fail_json(
                msg=f"Not everything can be kept. With fail_on_loss: false this is lost:\n{lost}", **result
            )
        if module.params["dest"]:
            result["changed"] = write_config(module, module.params["dest"], converted.text)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
