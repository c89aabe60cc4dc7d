# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter local_fields."""

from __future__ import annotations

DOCUMENTATION = r"""
name: local_fields
short_description: Pick the fields of a component config that stay with the node
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Returns those fields of a component config that a bundle may not set by default, since they amount to root on
    the node, cut it off or belong to it alone.
  - A node that moves from its init config to a bundle keeps them as its instance config.
  - Relative paths become absolute ones with O(directory), since the instance config is in another directory.
positional: component
options:
  _input:
    description:
      - A component config, as text (YAML or JSON) or decoded.
      - A text is decoded as Kubernetes does it. Ansible's own P(ansible.builtin.from_yaml#filter) reads some values
        differently, for example V(y), V(1:20) and dates.
    type: raw
    required: true
  component:
    description:
      - The name of the component.
      - It is used if the config has no C(kind). An unknown kind has no such fields.
    type: str
    required: true
  directory:
    description: The directory of the file that the config is from.
    type: str
    default: ""
  options:
    description:
      - The fields of the component in the AgentConfiguration. C(additionalDeniedFields) and C(allowedFields)
        say what else a bundle may not set on this node, and what it may.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Show what a kubelet's config holds for this node alone
  ansible.builtin.debug:
    msg: "{{ {'maxPods': 110, 'staticPodPath': '/etc/kubernetes/manifests'} | configok.node.local_fields('kubelet') }}"
  # => {"staticPodPath": "/etc/kubernetes/manifests"}

- name: Show it for the text of a config
  ansible.builtin.debug:
    msg: "{{ 'registerNode: n' | configok.node.local_fields('kubelet') }}"
  # => {"registerNode": false}

- name: Show it for a config with a path relative to its directory
  ansible.builtin.debug:
    msg: "{{ {'staticPodPath': 'manifests'} | configok.node.local_fields('kubelet', directory='/etc/kubernetes') }}"
  # => {"staticPodPath": "/etc/kubernetes/manifests"}
"""

RETURN = r"""
_value:
  description: The fields, nested as they were.
  type: dict
"""

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import decode_values
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import MAIN_KINDS
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.path_fields import resolve_paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denials import select_denied_fields
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy


def local_fields(
    config: Any, component: str, directory: str = "", options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the fields of a config, text or decoded, that no bundle may set on this node, paths made absolute."""
    if isinstance(config, str):
        config = _decode(config)
    if not isinstance(config, Mapping):
        raise AnsibleFilterError(f"local_fields needs a component config, not {type(config).__name__}")
    kind = str(config.get("kind") or MAIN_KINDS.get(component, ""))
    if directory:
        config = resolve_paths(config, kind, directory)
    own = options or {}
    policy = DenyPolicy(
        additional=tuple(own.get("additionalDeniedFields") or ()),
        allowed=tuple(own.get("allowedFields") or ()),
    )
    if policy.denies_kind(kind):
        return {}  # no bundle ever holds such a config, so nothing has to be kept over one
    return select_denied_fields(config, policy, kind)


def _decode(text: str) -> Any:
    try:
        return decode_values(text, "the component config")
    except ConfigError as error:
        raise AnsibleFilterError(f"local_fields: {error}") from error


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, Any]:
        """Return the filters by name."""
        return {"local_fields": local_fields}
