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
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import (
    HostState,
    SystemChanges,
    load_state,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._packages import (
    WantedPackage,
    WantedPackages,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._runtimes import (
    switch_runtime,
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


def node(runtime: str, *, enabled: Sequence[str] = (), absent: Sequence[str] = ()) -> HostState:
    system = SystemChanges(enabled=list(enabled))
    return HostState("m", created=True, runtime=runtime, system=system, absent_before=list(absent))


@pytest.mark.parametrize(
    ("former", "directory", "following"),
    [("containerd", "/var/lib/containerd", "crio"), ("crio", "/etc/crio", "containerd")],
)
def test_the_former_runtime_is_stopped_with_its_pods(
    tmp_path: Path, former: str, directory: str, following: str
) -> None:
    host = RecordingHost(str(tmp_path))
    (tmp_path / "var/lib/cni/networks").mkdir(parents=True)
    state = node(former, enabled=[former, "kubelet"], absent=[directory, "/var/lib/cni"])
    changes = Changes()
    switch_runtime(host, state, [following, "kubelet"], changes, check=False)
    assert changes.changed
    assert host.calls[0] == "systemctl stop kubelet.service"
    assert host.calls[-1] == f"systemctl disable --quiet --now {former}.service"
    assert not [call for call in host.calls if "images" in call]
    assert not (tmp_path / "var/lib/cni/networks").exists()
    assert state.system.enabled == ["kubelet"]
    saved = load_state(host)
    assert saved is not None
    assert saved.runtime == following
    again = Changes()
    switch_runtime(host, saved, [following, "kubelet"], again, check=False)
    assert not again.changed


def test_a_runtime_of_the_user_loses_the_pods_and_keeps_running(tmp_path: Path) -> None:
    host = RecordingHost(str(tmp_path))
    state = node("containerd")
    switch_runtime(host, state, ["crio", "kubelet"], Changes(), check=False)
    assert [call for call in host.calls if call.startswith("ctr")]
    assert not [call for call in host.calls if "disable" in call]
    assert state.runtime == "crio"


@pytest.mark.parametrize("units", [["containerd", "kubelet"], ["kubelet"]])
def test_the_first_or_the_same_runtime_stops_nothing(tmp_path: Path, units: list[str]) -> None:
    for runtime in ("", "containerd"):
        host = RecordingHost(str(tmp_path))
        state = node(runtime)
        changes = Changes()
        switch_runtime(host, state, units, changes, check=False)
        assert not changes.changed
        assert host.calls == []
        assert state.runtime == (runtime or ("containerd" if "containerd" in units else ""))


def test_check_mode_says_what_would_stop(tmp_path: Path) -> None:
    host = RecordingHost(str(tmp_path))
    state = node("containerd")
    changes = Changes()
    switch_runtime(host, state, ["crio"], changes, check=True)
    assert changes.changed
    assert host.calls == []
    assert state.runtime == "containerd"


def test_a_runtime_that_cannot_be_stopped_is_tried_again(tmp_path: Path) -> None:
    host = RecordingHost(str(tmp_path), failing="systemctl disable --quiet --now containerd.service")
    state = node("containerd", absent=["/var/lib/containerd"])
    with pytest.raises(HostError, match="containerd could not be stopped"):
        switch_runtime(host, state, ["crio"], Changes(), check=False)
    assert state.runtime == "containerd"


@pytest.mark.parametrize(
    ("state", "declared", "refused"),
    [
        (None, KUBELET_ONLY, False),
        (node("containerd"), KUBELET_ONLY, False),
        (node("crio"), KUBELET_ONLY, True),
        (node("crio"), WITH_CRIO, False),
        (HostState("m"), KUBELET_ONLY, False),
    ],
)
def test_a_node_keeps_a_runtime_that_is_not_declared(
    state: HostState | None, declared: WantedPackages, refused: bool
) -> None:
    assert ("declare versions.containerRuntime" in undeclared_runtime(state, declared)) is refused
