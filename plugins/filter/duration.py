# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter duration."""

from __future__ import annotations

DOCUMENTATION = r"""
name: duration
short_description: Turn a duration of a component config into seconds, and seconds into a duration
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Reads durations as component configs have them, such as V(90s), V(1m30s) or V(500ms), exactly as Kubernetes does,
    and returns seconds.
  - Writes a number of seconds as such a duration.
options:
  _input:
    description: A duration as text, or a number of seconds.
    type: raw
    required: true
"""

EXAMPLES = r"""
- name: Give critical pods a third of the time
  ansible.builtin.debug:
    msg:
      - "{{ '1m30s' | configok.node.duration }}"
      - "{{ 90 | configok.node.duration }}"
      - "{{ ('1m30s' | configok.node.duration / 3) | configok.node.duration }}"
  # => [90.0, "1m30s", "30s"]
"""

RETURN = r"""
_value:
  description: Seconds for text, text for seconds.
  type: raw
"""

from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.duration import (
    format_duration,
    parse_duration,
)


def duration(value: Any) -> float | str:
    """Return text as seconds, seconds as text; raise AnsibleFilterError for another type."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise AnsibleFilterError(f"duration needs text or a number of seconds, not {type(value).__name__}")
    try:
        if isinstance(value, str):
            return parse_duration(value)
        text = format_duration(value)
        parse_duration(text)  # refuses what is too long for Kubernetes
    except (ConfigError, ValueError, OverflowError) as error:
        raise AnsibleFilterError(f"duration: {error}") from error
    return text


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, Any]:
        """Return the filters by name."""
        return {"duration": duration}
