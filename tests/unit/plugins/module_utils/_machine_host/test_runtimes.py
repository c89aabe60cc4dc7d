# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node gets a runtime of another kind; in directories instead of on a real node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._files import Changes
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import (
    CommandResult,
    Host,
    HostError,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import HostState, load_state
from ansible_collections.configok.node.plugins.module_utils._machine_host._packages import (
    WantedPackage,
    WantedPackages,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._runtimes import (
    retire_runtimes,
    undeclared_runtime,
)

KUBELET_ONLY = WantedPackages((WantedPackage("kubelet", "1.34.9", ("kubelet",)),))
WITH_CRIO = WantedPackages((*KUBELET_ONLY.versioned, WantedPackage("cri-o", "1.34.1", ("crio", "kubelet"))))


class RecordingHost(Host):
    """A host whose commands are noted. failing: the command that fails."""

    def __init__(self, root: str, failing: str = "") -> None:
        super().__init__(root)
        self.calls: list[str] = []
        self._failing = failing

    def run(self, command: Sequence[str], *, text: str = "", timeout: float = 0) -> CommandResult:
        del text, timeout
        line = " ".join(command)
        self.calls.append(line)
        return CommandResult(1, "", "refused") if line == self._failing else CommandResult(0, "", "")

    def has(self, program: str) -> bool:
        return program == "ctr"


@pytest.mark.parametrize(
    ("enabled", "units", "retired"),
    [
        (["containerd", "kubelet"], ["crio", "kubelet"], "containerd"),
        (["crio", "kubelet"], ["containerd", "kubelet"], "crio"),
    ],
)
def test_the_other_runtime_is_stopped_with_its_pods(
    tmp_path: Path, enabled: list[str], units: list[str], retired: str
) -> None:
    host = RecordingHost(str(tmp_path))
    (tmp_path / "var/lib/cni/networks").mkdir(parents=True)
    state = HostState("m", created=True, enabled=enabled)
    changes = Changes()
    retire_runtimes(host, state, units, changes, check=False)
    assert changes.changed
    assert host.calls[0] == "systemctl stop kubelet.service"
    assert host.calls[-1] == f"systemctl disable --quiet --now {retired}.service"
    assert not [call for call in host.calls if "images" in call]
    assert not (tmp_path / "var/lib/cni/networks").exists()
    assert state.enabled == ["kubelet"]
    saved = load_state(host)
    assert saved is not None
    assert saved.enabled == ["kubelet"]
    again = Changes()
    retire_runtimes(host, state, units, again, check=False)
    assert not again.changed


def test_a_runtime_of_the_user_is_left_alone(tmp_path: Path) -> None:
    host = RecordingHost(str(tmp_path))
    changes = Changes()
    retire_runtimes(host, HostState("m", created=True, enabled=["crio"]), ["crio"], changes, check=False)
    retire_runtimes(host, HostState("m", created=True), ["crio"], changes, check=False)
    assert not changes.changed
    assert host.calls == []


def test_check_mode_says_what_would_stop(tmp_path: Path) -> None:
    host = RecordingHost(str(tmp_path))
    state = HostState("m", created=True, enabled=["containerd"])
    changes = Changes()
    retire_runtimes(host, state, ["crio"], changes, check=True)
    assert changes.changed
    assert host.calls == []
    assert state.enabled == ["containerd"]


def test_a_runtime_that_cannot_be_stopped_is_still_ours(tmp_path: Path) -> None:
    host = RecordingHost(str(tmp_path), failing="systemctl disable --quiet --now containerd.service")
    state = HostState("m", created=True, enabled=["containerd"])
    with pytest.raises(HostError, match="containerd could not be stopped"):
        retire_runtimes(host, state, ["crio"], Changes(), check=False)
    assert state.enabled == ["containerd"]


@pytest.mark.parametrize(
    ("state", "declared", "refused"),
    [
        (None, KUBELET_ONLY, False),
        (HostState("m", created=True, enabled=["containerd"]), KUBELET_ONLY, False),
        (HostState("m", created=True, enabled=["crio"]), KUBELET_ONLY, True),
        (HostState("m", created=True, enabled=["crio"]), WITH_CRIO, False),
        (HostState("m", created=False, enabled=["crio"]), KUBELET_ONLY, False),
    ],
)
def test_a_node_keeps_a_runtime_that_is_not_declared(
    state: HostState | None, declared: WantedPackages, refused: bool
) -> None:
    assert ("declare versions.containerRuntime" in undeclared_runtime(state, declared)) is refused
