# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AgentConfiguration of a node in a directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["configured"]


def configured(directory: Path, **options: Any) -> Path:
    """Return the AgentConfiguration of a node with its directories below this one. kubelet: more settings of it."""
    for name in ("state", "run"):
        (directory / name).mkdir()
    configuration = directory / "agent.yaml"
    configuration.write_text(
        json.dumps(
            {
                "apiVersion": "agent.config.configok.dev/v1alpha1",
                "kind": "AgentConfiguration",
                "nodeName": "n1",
                "kubeconfig": "/k",
                "stateDirectory": str(directory / "state"),
                "runDirectory": str(directory / "run"),
                "components": {"kubelet": {"version": "v1.35.0", **options.pop("kubelet", {})}},
                **options,
            }
        )
    )
    return configuration
