# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the files of the role node as the role itself would, without Ansible."""

from __future__ import annotations

import json
import os.path
from pathlib import Path
from typing import Any

import jinja2
import yaml

__all__ = ["ROLE", "load", "render"]

ROLE = Path(__file__).resolve().parents[3] / "roles/node"


def load(name: str) -> Any:
    """Return one of the role's YAML files, decoded."""
    return yaml.safe_load((ROLE / name).read_text())


def render(template: str, **variables: Any) -> str:
    """Return a template rendered with the role's defaults and the given overrides."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    environment.filters.update(
        to_json=json.dumps, bool=bool, combine=lambda first, second: {**first, **second}, dirname=os.path.dirname
    )
    inside = load("vars/main.yml")
    program = (
        f"/usr/bin/python3 -I {inside['__node_program_directory']}/configok-agent.pyz --config=/etc/configok/agent.yaml"
    )
    # Facts and expressions, which this does not evaluate.
    pods: dict[str, Any] = {"__node_components": [], "__node_pods": [], "__node_manifest_directories": []}
    known = {**inside, "__node_agent_command": program, **load("defaults/main.yml"), **pods, **variables}
    return environment.from_string((ROLE / "templates" / template).read_text()).render(**known)
