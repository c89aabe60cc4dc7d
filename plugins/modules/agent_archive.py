#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin agent_archive."""

from __future__ import annotations

DOCUMENTATION = r"""
module: agent_archive
short_description: Install the agent on a node
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Packs C(configok-agent.pyz) on the controller, from the collection itself, and copies it to the target.
  - The same collection always gives the same bytes, so nothing is copied if nothing has changed.
  - The role P(configok.node.node#role) does this and all other steps that a node needs.
extends_documentation_fragment:
  - configok.node.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
    details:
      - An archive has no readable difference.
  idempotent:
    support: full
  platform:
    support: full
    platforms: posix
    details:
      - Packs on the controller. The agent itself needs Linux with Python 3.9 or newer.
options:
  dest:
    description:
      - Where to put it. The directory must exist, and only root should be able to write to it.
    type: path
    default: /usr/local/lib/configok/configok-agent.pyz
  mode:
    description: The permissions of the file.
    type: raw
    default: "0755"
  owner:
    description: The owner of the file.
    type: str
  group:
    description: The group of the file.
    type: str
"""

EXAMPLES = r"""
- name: Install the agent on the node
  configok.node.agent_archive:

- name: Install it elsewhere, for inspection
  configok.node.agent_archive:
    dest: /opt/configok-agent.pyz

- name: Compute the SHA-256 that every node's agent should have
  configok.node.agent_archive:
    dest: /tmp/configok-agent.pyz
  check_mode: true
  delegate_to: localhost
  run_once: true
  register: archive # archive.sha256
"""

RETURN = r"""
dest:
  description: Where the archive is.
  returned: success
  type: str
  sample: /usr/local/lib/configok/configok-agent.pyz
checksum:
  description: SHA-1 of the archive.
  returned: success
  type: str
  sample: 6e642bb8dd5c2e027bf21dd923337cbb4214f827
sha256:
  description:
    - SHA-256 of the archive, also in check mode. The file C(SHA256SUMS) of a release has it, and
      C(configok-agent version --sha256) prints it on a node.
  returned: success
  type: str
  sample: 5cbb0e60ff29ca4df0b7ef2cd5cfe6cabad7f17884a0bfff83cc46ff8d054247
agent_version:
  description: The agent's version.
  returned: success
  type: str
  sample: 0.1.0
"""
