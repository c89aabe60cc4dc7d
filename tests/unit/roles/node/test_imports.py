# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what the agent's commands load: the hooks must be quick, the daemon small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.plugin_utils._pack import sources

COLLECTION = Path(__file__).resolve().parents[4]
# Each module costs several ms and some hundred kB, or imports one that does.
HEAVY = {
    "argparse",
    "bz2",
    "dataclasses",
    "datetime",
    "email",
    "http",
    "inspect",
    "logging",
    "lzma",
    "pathlib",
    "random",
    "shutil",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "traceback",
    "urllib",
    "urllib3",
    "yaml",
    "zipfile",
}
ENGINE = "configok_agent._componentconfig."
NOT_THE_ENGINE = {  # tables, phrases, plain values and Go's durations, which import nothing else
    f"{ENGINE}{name}"
    for name in (
        "_codec",
        "_codec.plain_values",
        "_flags",
        "_flags.kubelet_flags",
        "_options",
        "_scalars",
        "_scalars.duration",
        "_schema",
        "_schema.path_fields",
        "instance_fields",
    )
}
# What the daemon reports of the node's own configs is without secrets.
REDACTION = {f"{ENGINE}{name}" for name in ("_scalars.field_path", "_scalars.secrets")}
SHOW = "import sys; sys.path.insert(0, sys.argv.pop(1)); {}; print(*sorted(sys.modules), sep='\\n')"
URLLIB3 = "from configok_agent._lean_imports import import_urllib3; import_urllib3()"
DAEMON = f"import configok_agent.__main__; {URLLIB3}; import configok_agent._run"
COMMAND = "from configok_agent.__main__ import main; assert main(sys.argv[1:]) == 0"


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the compiled agent."""
    directory = tmp_path_factory.mktemp("agent")
    for name, content in sources(COLLECTION).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory


def loaded(agent: Path, statement: str, *arguments: str) -> set[str]:
    """Return the names of all modules after a statement, in a fresh interpreter."""
    command = [sys.executable, "-I", "-c", SHOW.format(statement), str(agent), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 0, ended.stderr
    return set(ended.stdout.split())


def engine(modules: set[str]) -> set[str]:
    """Return the modules that belong to the config engine."""
    return {name for name in modules if name.startswith(ENGINE)} - NOT_THE_ENGINE


@pytest.mark.parametrize("hook", ["prestart", "poststop"])
def test_a_hook_loads_nothing_heavy(agent: Path, tmp_path: Path, hook: str) -> None:
    (tmp_path / "init.yaml").write_text("{}\n")
    configuration = tmp_path / "agent.yaml"
    configuration.write_text(
        json.dumps(
            {
                "apiVersion": "agent.config.configok.dev/v1alpha1",
                "kind": "AgentConfiguration",
                "nodeName": "n1",
                "kubeconfig": "/nowhere",
                "stateDirectory": str(tmp_path / "state"),
                "runDirectory": str(tmp_path / "run"),
                "components": {"kubelet": {"version": "v1.35.0", "initConfig": str(tmp_path / "init.yaml")}},
                "trust": {"mode": "require", "pools": ["workers"], "keys": ["not read here"]},
            }
        )
    )
    # The first prestart switches the file and logs that; the hooks after it have nothing to log, as a rule.
    loaded(agent, COMMAND, f"--config={configuration}", "prestart", "kubelet")
    modules = loaded(agent, COMMAND, f"--config={configuration}", hook, "kubelet")
    assert "configok_agent._agent._hooks" in modules
    assert modules & HEAVY == set()
    assert engine(modules) == set()
    assert not any(name.startswith(("configok_agent._kube", "configok_agent._trust")) for name in modules)


@pytest.mark.contract("manners.idle")
def test_the_daemon_never_loads_the_engine(agent: Path) -> None:
    modules = loaded(agent, DAEMON)
    assert {"configok_agent._agent._controller", "urllib3"} <= modules
    assert engine(modules) == REDACTION


def test_the_daemon_of_a_control_plane_never_loads_the_engine(agent: Path) -> None:
    files = ("_static_pod_services", "_served_node_probe", "_reload_proof")
    pods = ", ".join(f"configok_agent._agent.{file}" for file in files)
    modules = loaded(agent, f"{DAEMON}; import {pods}")
    assert "configok_agent._agent._manifest_note" in modules
    assert engine(modules) == REDACTION


@pytest.mark.contract("manners.idle")
def test_the_daemon_loads_nothing_for_nothing(agent: Path) -> None:
    """inspect costs one megabyte with its imports, http.server and tempfile half a megabyte each."""
    costly = {
        "argparse",
        "dataclasses",
        "http.server",
        "importlib.metadata",
        "inspect",
        "shutil",
        "tempfile",
        "zipfile",
    }
    assert loaded(agent, DAEMON) & costly == set()
    decoder = "configok_agent._componentconfig._codec"
    modules = loaded(agent, f"{DAEMON}; from {decoder}.plain_values import decode_values; decode_values('a: b', 'x')")
    assert f"{decoder}.yaml_text" in modules
    assert modules & costly == set(), "the daemon decodes configs that are YAML"


def test_the_version_of_a_package_is_still_known_to_urllib3(agent: Path) -> None:
    asks = "import urllib3.http2 as h, yaml; print(getattr(h, 'version', len)('urllib3'))"
    modules = loaded(agent, f"{URLLIB3}; {asks}; import importlib.metadata; assert importlib.metadata.distribution")
    assert {"urllib3", "importlib.metadata"} <= modules
