# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the size of what Ansible sends for one task of each module, in kB, as JSON.

    ANSIBLE_COLLECTIONS_PATH=build/collections python tools/payload_sizes.py

Ansible-core packs the payloads itself, compressed as it is by default. It runs in a process of its own, because its
loader of collections works only where nothing else has imported one.
"""

from __future__ import annotations

import json
from pathlib import Path

from ansible.executor.module_common import modify_module
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader, module_loader
from ansible.template import Templar

MODULES = Path(__file__).resolve().parent.parent / "plugins/modules"
# With a path to the interpreter, Ansible does not look for one.
TASK_VARIABLES = {"ansible_python_interpreter": "/usr/bin/python3"}


def payload_size(name: str) -> float:
    """Return the size of a module's payload in kB."""
    module = module_loader.find_plugin_with_context(f"configok.node.{name}")
    payload = modify_module(
        module_name=module.resolved_fqcn,
        module_path=module.plugin_resolved_path,
        module_args={},
        templar=Templar(loader=DataLoader(), variables=TASK_VARIABLES),
        task_vars=TASK_VARIABLES,
        module_compression="ZIP_DEFLATED",
    )
    return round(len(payload.b_module_data) / 1000, 1)


if __name__ == "__main__":
    init_plugin_loader()
    print(json.dumps({path.stem: payload_size(path.stem) for path in sorted(MODULES.glob("[!_]*.py"))}))
