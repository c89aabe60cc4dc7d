# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`configok-restore` puts a prepared manifest in place if no agent has confirmed the options in time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._restore_timer import ArmedTimer, RestoreTimer
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store, digest

SCRIPT = Path(__file__).resolve().parents[4] / "roles/node/files/configok-restore"
PAST, FUTURE = 0, 2**40
BOOT = Path("/proc/sys/kernel/random/boot_id")


class Node:
    """A node with one manifest on trial."""

    def __init__(self, root: Path) -> None:
        self.state, self.run_directory = root / "state", root / "run"
        self.manifest, self.prepared = root / "m.yaml", root / ".prepared-m.yaml"
        self.manifest.write_text("next")
        self.prepared.write_text("before")
        self.timer = RestoreTimer(Store(str(self.state), now=lambda: ""), "kube-apiserver")

    def arm(
        self, *, deadline: int = PAST, seconds: int = FUTURE, boot_id: str = "", written: str = "next"
    ) -> ArmedTimer:
        boot_id = boot_id or BOOT.read_text().strip()
        manifest, prepared = str(self.manifest), str(self.prepared)
        armed = ArmedTimer(deadline, seconds, boot_id, digest(written.encode()), manifest, prepared, "u1")
        self.timer.arm(armed)
        return armed

    def run(self) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([SCRIPT, self.state, self.run_directory], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done


@pytest.fixture
def node(tmp_path: Path) -> Node:
    if not BOOT.exists():
        pytest.skip("no Linux kernel here")
    return Node(tmp_path)


def test_past_the_deadline_the_manifest_before_is_in_place_and_the_agent_is_notified(node: Node) -> None:
    armed = node.arm()
    assert "no agent has confirmed the options of" in node.run().stdout
    assert (node.manifest.read_text(), node.prepared.exists()) == ("before", False)
    assert node.timer.restored() == armed
    assert node.run().stdout == "", "once"
    node.timer.forget_restored()
    assert (node.timer.restored(), node.timer.armed()) == (None, None)


def test_another_boot_restarts_the_time(node: Node) -> None:
    node.arm(deadline=FUTURE, seconds=PAST, boot_id="another")
    node.run()
    assert node.manifest.read_text() == "before"


@pytest.mark.parametrize(
    "armed",
    [
        {"deadline": FUTURE},
        {"deadline": PAST, "seconds": FUTURE, "boot_id": "another"},
        {"written": "by another program"},
    ],
)
def test_in_time_or_after_another_write_nothing_is_restored(node: Node, armed: dict[str, Any]) -> None:
    node.arm(**armed)
    assert node.run().stdout == ""
    assert (node.manifest.read_text(), node.timer.restored()) == ("next", None)


@pytest.mark.parametrize("text", ["", "soon\n1\nb\nh\n/m\n/p\nu\n", "1\n"])
def test_a_damaged_file_restores_nothing(node: Node, text: str) -> None:
    node.arm()
    (node.state / "components/kube-apiserver/armed").write_text(text)
    subprocess.run([SCRIPT, node.state], capture_output=True, check=False)
    assert node.manifest.read_text() == "next"
    assert node.timer.armed() is None


def test_without_a_prepared_manifest_nothing_is_removed(node: Node) -> None:
    node.arm()
    node.prepared.unlink()
    node.run()
    assert node.manifest.read_text() == "next"


def test_a_confirmed_deadline_moves(node: Node) -> None:
    armed = node.arm(deadline=100, seconds=100)
    node.timer.confirm(10.0, armed.boot_id)
    assert node.timer.armed() == armed, "a write for each probe is too many"
    node.timer.confirm(50.0, armed.boot_id)
    assert node.timer.armed() == armed._replace(deadline=150)
    node.timer.confirm(5.0, "another")
    assert node.timer.armed() == armed._replace(deadline=105, boot_id="another")


def test_a_disarmed_timer_leaves_no_file(node: Node) -> None:
    node.arm()
    node.timer.disarm()
    assert (node.timer.armed(), node.prepared.exists()) == (None, False)
    node.timer.disarm()
    node.timer.confirm(0.0, "boot")
    assert node.timer.armed() is None


def test_the_unit_says_which_boot_it_is(node: Node) -> None:
    """In a container, /proc has the id of the host's boot."""
    node.arm(deadline=FUTURE, seconds=PAST, boot_id="0f-1e")
    subprocess.run([SCRIPT, node.state], env={"PATH": os.defpath, "CONFIGOK_BOOT_ID": "0f1e"}, check=True)
    assert node.manifest.read_text() == "next"


def test_a_note_that_cannot_be_written_does_not_keep_the_manifest_from_coming_back(node: Node, tmp_path: Path) -> None:
    node.arm()
    link = tmp_path / "bin/ln"
    link.parent.mkdir()
    link.write_text("#!/bin/sh\nexit 1\n")
    link.chmod(0o755)
    environment = {"PATH": f"{link.parent}:{os.defpath}"}
    done = subprocess.run([SCRIPT, node.state], env=environment, capture_output=True, text=True, check=True)
    assert "no note for the agent" in done.stderr
    assert node.manifest.read_text() == "before"


@pytest.mark.parametrize(("lines", "is_held"), [(f"kubeadm\n{FUTURE}\n", True), ("kubeadm\n0\n", False), ("x", False)])
def test_nothing_is_restored_while_another_program_holds_the_manifests(node: Node, lines: str, is_held: bool) -> None:
    node.run_directory.mkdir()
    (node.run_directory / "hold").write_text(lines)
    node.arm()
    node.run()
    assert node.manifest.read_text() == ("next" if is_held else "before")
