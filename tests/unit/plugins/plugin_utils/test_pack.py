# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive is reproducible, has only the files for nodes, and runs."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._agent import AGENT_VERSION
from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, pack, sources

COLLECTION = Path(__file__).resolve().parents[4]


def test_the_version_is_the_collections() -> None:
    assert yaml.safe_load((COLLECTION / "galaxy.yml").read_text())["version"] == AGENT_VERSION


def test_the_same_source_is_packed_to_the_same_bytes(tmp_path: Path) -> None:
    for part in ("plugins/module_utils", "roles/node/files/agent"):
        shutil.copytree(COLLECTION / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    newer = tmp_path / "roles/node/files/agent/__main__.py"
    newer.touch()
    newer.chmod(0o600)
    assert pack(tmp_path) == pack(COLLECTION)
    newer.write_text(newer.read_text() + "# changed\n")
    assert pack(tmp_path) != pack(COLLECTION)


def test_what_is_in_it() -> None:
    names = zipfile.ZipFile(io.BytesIO(pack(COLLECTION))).namelist()
    assert {"__main__.py", "configok_agent/__init__.py", "configok_agent/__main__.py"} <= set(names)
    assert "configok_agent/_componentconfig/_data/__init__.py" in names
    assert not any(name.endswith("/_pack.py") for name in names)
    assert "configok_agent/_kube/user_credentials.py" not in names
    assert {name.split("/")[1] for name in names if name.count("/") > 1} == {
        "_agent",
        "_componentconfig",
        "_foreign",
        "_host",
        "_kube",
        "_nodeconfig",
        "_static_pods",
        "_systemd",
        "_text",
        "_reports",
        "_trust",
    }


def test_nothing_in_it_needs_the_control_side() -> None:
    for name, content in sources(COLLECTION).items():
        assert b"import kubernetes" not in content, name
        assert b"from ansible" not in content, name
        assert b"import ansible" not in content, name


def test_a_collection_that_is_not_whole_is_not_packed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="not whole"):
        pack(tmp_path)


def test_it_runs(tmp_path: Path) -> None:
    archive = tmp_path / ARCHIVE
    archive.write_bytes(pack(COLLECTION))
    ended = subprocess.run(
        [sys.executable, "-I", str(archive), "version"], capture_output=True, text=True, check=False, timeout=30
    )
    assert (ended.returncode, ended.stdout) == (0, f"configok-agent {AGENT_VERSION}\n"), ended.stderr


def pip_files() -> dict[str, Path]:
    """Return the files that pip installs, by name."""
    tomllib = pytest.importorskip("tomllib")
    settings = tomllib.loads((COLLECTION / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["version"] == AGENT_VERSION
    assert settings["project"]["scripts"] == {"configok-agent": "configok_agent.__main__:start"}
    setuptools = settings["tool"]["setuptools"]
    installed = {}
    for package in setuptools["packages"]:
        root = max((name for name in setuptools["package-dir"] if f"{package}.".startswith(f"{name}.")), key=len)
        directory = COLLECTION / Path(setuptools["package-dir"][root], *package[len(root) :].split("."))
        installed.update({f"{package.replace('.', '/')}/{path.name}": path for path in directory.glob("*.py")})
    return installed


def test_pip_installs_the_same_files() -> None:
    installed = set(pip_files())
    packed = {name for name in sources(COLLECTION) if "/" in name}
    # Written by pack(), or for the control side.
    assert packed - installed == {"configok_agent/__init__.py", "configok_agent/_build.py"}
    assert installed - packed == {
        "configok_agent/_componentconfig/declared_kinds.py",
        "configok_agent/_foreign/evaluation.py",
        "configok_agent/_foreign/_evaluator.py",
        "configok_agent/_foreign/patterns.py",
        "configok_agent/_kube/parallel.py",
        "configok_agent/_kube/user_credentials.py",
        "configok_agent/_machine_kinds/__init__.py",
        "configok_agent/_machine_kinds/_data.py",
        "configok_agent/_machine_kinds/_rules.py",
        "configok_agent/_machine_kinds/kinds.py",
        "configok_agent/_systemd/exec_start.py",
        "configok_agent/_systemd/specifiers.py",
        "configok_agent/_systemd/unit_checks.py",
        "configok_agent/_trust/signature_list.py",
    }


def test_what_pip_installs_knows_the_kinds_of_machines(tmp_path: Path) -> None:
    for name, path in pip_files().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, tmp_path / name)
    machine = "apiVersion: machines.configok.dev/v1alpha1\nkind: Machine\nmetadata: {name: a}\nspec: {podCIDR: x}\n"
    (tmp_path / "machine.yaml").write_text(machine)
    command = [sys.executable, "-m", "configok_agent", "validate", "--skip-unknown", "machine.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "spec.podCIDR" in done.stdout
    explain = [sys.executable, "-m", "configok_agent", "explain", "Machine", "spec.pool"]
    assert "spec.pool, of Machine" in subprocess.check_output(explain, cwd=tmp_path, text=True)
