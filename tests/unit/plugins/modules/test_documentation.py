# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation of every module matches its options and results."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.action.machines import ARGUMENT_SPEC as MACHINES_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.action.rollout import ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.action.show import ARGUMENT_SPEC as SHOW_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.action.simulation import ARGUMENT_SPEC as SIMULATION_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.doc_fragments import kube, nodes, run
from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import KUBE_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import NODES_ARGUMENT_SPEC
from ansible_collections.configok.node.plugins.plugin_utils._rollout_action import RUN_ARGUMENT_SPEC
from support.ansible_runs.module_documentation import documented_options

PACKAGE = "ansible_collections.configok.node.plugins"
NAMES = [
    "bundle_prune",
    "cluster_access",
    "config_bundle",
    "config_source",
    "config_status_info",
    "kubeadm_sync",
    "machine_export",
    "rollout",
    "rollout_control",
    "rollout_forget",
    "rollout_history_info",
    "rollout_report",
    "simulation",
]
ACTIONS = {
    "machines": MACHINES_ARGUMENT_SPEC,
    "rollout": ARGUMENT_SPEC,
    "show": SHOW_ARGUMENT_SPEC,
    "simulation": SIMULATION_ARGUMENT_SPEC,
}


def module(name: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.modules.{name}")


def compare(documents: dict[str, Any], taken: dict[str, Any], where: str) -> None:
    assert sorted(documents) == sorted(taken), where
    for name, option in taken.items():
        for key in ("type", "default", "choices", "elements"):
            assert documents[name].get(key) == option.get(key), f"{where}.{name}: {key}"
        assert bool(documents[name].get("required")) == bool(option.get("required")), f"{where}.{name}: required"
        compare(documents[name].get("suboptions", {}), option.get("options", {}), f"{where}.{name}")


@pytest.mark.parametrize("name", [*NAMES, "cluster_diff", "config_signature", "machines", "show"])
def test_the_documentation_says_what_the_module_takes(name: str) -> None:
    loaded = module(name)
    taken = ACTIONS[name] if name in ACTIONS else loaded.argument_spec()
    compare(documented_options(loaded), taken, name)


@pytest.mark.parametrize("name", NAMES)
def test_every_module_says_all_attributes_and_belongs_to_the_action_group(name: str) -> None:
    text = yaml.safe_load(module(name).DOCUMENTATION)
    fragments = set(text["extends_documentation_fragment"])
    assert {"configok.node.attributes", "configok.node.attributes.actiongroup_configok"} <= fragments
    if "configok.node.attributes.info_module" not in fragments:
        assert {"check_mode", "diff_mode", "idempotent"} <= set(text["attributes"])
    group = yaml.safe_load((Path(__file__).parents[4] / "meta/runtime.yml").read_text())["action_groups"]["configok"]
    assert name in group


def test_fragments_and_specs_name_the_same_options() -> None:
    for fragment, spec in ((kube, KUBE_ARGUMENT_SPEC), (nodes, NODES_ARGUMENT_SPEC), (run, RUN_ARGUMENT_SPEC)):
        options = yaml.safe_load(fragment.ModuleDocFragment.DOCUMENTATION)["options"]
        compare(options, spec, fragment.__name__)


@pytest.mark.parametrize("name", NAMES)
def test_main_is_a_page(name: str) -> None:
    lines = Path(str(module(name).__file__)).read_text().splitlines()
    if "def main() -> None:" in lines:
        body = lines[lines.index("def main() -> None:") :]
        assert body.index('if __name__ == "__main__":') <= 45
