# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A release as a user gets it: its artefact installs without a network, and has the agent that is published with it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("cyclonedx", reason="requirements/lint.txt is not installed: make .venv/.lint")

import release

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with the release of this checkout."""
    directory = tmp_path_factory.mktemp("release")
    release.write(release.build(ROOT, uncommitted=True), directory)
    return directory


@pytest.fixture(scope="module")
def home(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's directory in which the artefact is installed, and nothing else."""
    directory = tmp_path_factory.mktemp("home")
    artefact = next(published.glob("*.tar.gz"))
    output = ansible(directory, "ansible-galaxy", "collection", "install", "--offline", str(artefact))
    assert "configok.node:0.1.0 was installed successfully" in output
    return directory


def ansible(home: Path, command: str, *arguments: str, venv: Path = Path(sys.prefix)) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}
    environment |= {"HOME": str(home), "ANSIBLE_COLLECTIONS_PATH": str(home / "collections"), "NO_COLOR": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # ansible-galaxy verify reports caches as added files
    environment |= {"ANSIBLE_HOME": str(home / ".ansible"), "ANSIBLE_LOCALHOST_WARNING": "0"}
    ended = subprocess.run(
        [venv / "bin" / command, *arguments],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_oldest_and_the_newest_ansible_install_it(published: Path, tmp_path: Path, control: Path) -> None:
    artefact = next(published.glob("*.tar.gz"))
    ansible(tmp_path, "ansible-galaxy", "collection", "install", "--offline", str(artefact), venv=control)
    listed = json.loads(ansible(tmp_path, "ansible-doc", "--list", "--json", "configok.node", venv=control))
    assert "configok.node.rollout" in listed


def test_all_modules_have_documentation(home: Path) -> None:
    listed = json.loads(ansible(home, "ansible-doc", "--list", "--json", "configok.node"))
    modules = {path.stem for path in (ROOT / "plugins/modules").glob("[!_]*.py")}
    assert set(listed) == {f"configok.node.{name}" for name in modules}


def test_the_installed_collection_has_the_published_agent(home: Path, published: Path) -> None:
    dest = home / "configok-agent.pyz"
    arguments = ["-c", "local", "-m", "configok.node.agent_archive", "-a", f"dest={dest}", "-o"]
    interpreter = ["-e", f"ansible_python_interpreter={sys.executable}"]
    output = ansible(home, "ansible", "localhost", *arguments, *interpreter)
    result = json.loads(output.split("=>", 1)[1])
    digest = hashlib.sha256((published / "configok-agent.pyz").read_bytes()).hexdigest()
    assert result["sha256"] == digest
    assert hashlib.sha256(dest.read_bytes()).hexdigest() == digest
    assert f"{digest}  configok-agent.pyz\n" in (published / "SHA256SUMS").read_text()
    assert agent(dest, "version", "--sha256") == f"{digest}  {dest}\n"
    agent(dest, "compile")
    assert agent(dest, "version", "--sha256") == f"{digest}  {dest}\n", "run from what was compiled"
    again = ansible(home, "ansible", "localhost", *arguments, *interpreter, "--check")
    assert json.loads(again.split("=>", 1)[1])["sha256"] == digest
    assert json.loads(again.split("=>", 1)[1])["changed"] is False


def agent(archive: Path, *arguments: str) -> str:
    command = [sys.executable, "-I", str(archive), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_installed_files_are_those_of_the_artefact(home: Path) -> None:
    output = ansible(home, "ansible-galaxy", "collection", "verify", "--offline", "configok.node")
    assert "Successfully verified that checksums for 'configok.node:0.1.0' are internally consistent" in output


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not installed")
def test_the_checksums_can_be_signed_as_documented(published: Path, tmp_path: Path) -> None:
    directory = Path(shutil.copytree(published, tmp_path / "release"))
    key, allowed, sums = tmp_path / "key", tmp_path / "allowed_signers", directory / "SHA256SUMS"
    keygen("-q", "-t", "ed25519", "-N", "", "-f", str(key))
    keygen("-q", "-Y", "sign", "-n", "file", "-f", str(key), str(sums))
    public = " ".join(key.with_suffix(".pub").read_text().split()[:2])
    allowed.write_text(f'release@configok.dev namespaces="file" {public}\n')
    verify = ["-Y", "verify", "-f", str(allowed), "-I", "release@configok.dev", "-n", "file", "-s", f"{sums}.sig"]
    assert keygen(*verify, text=sums.read_text()).startswith('Good "file" signature for release@configok.dev')
    with pytest.raises(subprocess.CalledProcessError):
        keygen(*verify, text=sums.read_text().replace("0", "1"))


def keygen(*arguments: str, text: str = "") -> str:
    ended = subprocess.run(["ssh-keygen", *arguments], input=text, capture_output=True, text=True, check=True)
    return ended.stdout
