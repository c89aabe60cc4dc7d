# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests and the files that they name on the disk, interrupted at every step."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._manifest_files import (
    ManifestChanged,
    ManifestFiles,
)
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import Disk
from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_options import read_options
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import Manifest, read_manifest
from ansible_collections.configok.node.plugins.module_utils._static_pods.rendered_manifest import (
    RenderedManifest,
    render,
)
from support.agents.lossy_disk import LossyDisk, PowerLost
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import AUDIT_POLICY, component_options

FILE = "kube-apiserver.yaml"
INIT = read_manifest(manifest_bytes(kubeadm_pod("kube-apiserver")), FILE)


class Node:
    """The folder of manifests and the directory of options of a node."""

    def __init__(self, root: Path) -> None:
        self.folder, self.options = root / "manifests", root / "configok"
        self.folder.mkdir(parents=True)
        (self.folder / FILE).write_bytes(INIT.source)
        (self.folder / FILE).chmod(0o600)

    def rendered(self, ttl: str = "1h") -> RenderedManifest:
        files = {"audit.yaml": {"content": AUDIT_POLICY}, "text": {"flag": "token-auth-file", "content": ttl}}
        options = read_options(component_options({"event-ttl": ttl}, files))
        return render(INIT, options, root=str(self.options))

    def assert_is_whole(self, *allowed: Manifest) -> None:
        """Assert that the manifest is one of those allowed, and that each file that it names is whole."""
        names = [path.name for path in self.folder.iterdir() if not path.name.startswith(".")]
        assert names == [FILE]
        source = (self.folder / FILE).read_bytes()
        assert source in [manifest.source for manifest in allowed]
        rendered = self.rendered()
        if source == rendered.manifest.source:
            for name, content in rendered.files.items():
                assert Path(rendered.directory, name).read_bytes() == content


@pytest.fixture
def new_node(tmp_path: Path) -> Callable[[], Node]:
    count = iter(range(10_000))
    return lambda: Node(tmp_path / str(next(count)))


def test_the_files_are_there_before_the_manifest_that_names_them(new_node: Callable[[], Node]) -> None:
    node = new_node()
    rendered = node.rendered()
    before = os.umask(0o077)  # as the agent's unit has it
    try:
        ManifestFiles(str(node.folder)).replace(rendered, before=INIT.digest)
    finally:
        os.umask(before)
    node.assert_is_whole(rendered.manifest)
    assert (node.folder / FILE).stat().st_mode & 0o777 == 0o600
    directory = Path(rendered.directory)
    assert [path.stat().st_mode & 0o777 for path in (directory, *directory.iterdir())] == [0o755, 0o644, 0o644]


def steps_of(new_node: Callable[[], Node]) -> int:
    disk, node = LossyDisk(), new_node()
    ManifestFiles(str(node.folder), disk).replace(node.rendered(), before=INIT.digest)
    return disk.steps


@pytest.mark.parametrize("undo", [False, True])
def test_a_power_cut_at_any_step_leaves_a_whole_manifest(new_node: Callable[[], Node], undo: bool) -> None:
    steps = steps_of(new_node)
    assert steps > 12
    for step in range(steps):
        node = new_node()
        rendered = node.rendered()
        files = ManifestFiles(str(node.folder), LossyDisk(step, power=True, undo=undo))
        with pytest.raises(PowerLost):
            files.replace(rendered, before=INIT.digest)
        node.assert_is_whole(INIT, rendered.manifest)
        after = ManifestFiles(str(node.folder))
        after.remove_leftovers()
        after.replace(rendered, before=read_manifest(after.read(FILE) or b"", FILE).digest)
        node.assert_is_whole(rendered.manifest)
        assert [path.name for path in node.folder.iterdir()] == [FILE]


def test_a_full_disk_at_any_step_leaves_the_manifest_as_it_is(new_node: Callable[[], Node]) -> None:
    steps = steps_of(new_node)
    for step in range(steps - 1):  # the last one makes the rename durable
        node = new_node()
        with pytest.raises(OSError, match="No space left on device"):
            ManifestFiles(str(node.folder), LossyDisk(step)).replace(node.rendered(), before=INIT.digest)
        node.assert_is_whole(INIT)


def test_a_manifest_that_another_program_changed_is_left_alone(new_node: Callable[[], Node]) -> None:
    node = new_node()
    files = ManifestFiles(str(node.folder))
    (node.folder / FILE).write_bytes(b"another")
    with pytest.raises(ManifestChanged, match="was changed or removed by another program"):
        files.replace(node.rendered(), before=INIT.digest)
    assert (node.folder / FILE).read_bytes() == b"another"
    assert not node.options.exists()
    (node.folder / FILE).unlink()
    with pytest.raises(ManifestChanged):
        files.replace(node.rendered(), before=INIT.digest)
    assert list(node.folder.iterdir()) == []


class KubeadmDisk(Disk):
    """Has kubeadm write the manifest while the files of options are written."""

    def __init__(self, manifest: Path) -> None:
        self._manifest = manifest

    def sync(self, path: str) -> None:
        super().sync(path)
        self._manifest.write_bytes(b"of kubeadm")


def test_a_manifest_that_another_program_changes_meanwhile_is_left_alone(new_node: Callable[[], Node]) -> None:
    node = new_node()
    files = ManifestFiles(str(node.folder), KubeadmDisk(node.folder / FILE))
    with pytest.raises(ManifestChanged):
        files.replace(node.rendered(), before=INIT.digest)
    assert [(path.name, path.read_bytes()) for path in node.folder.iterdir()] == [(FILE, b"of kubeadm")]


def test_only_directories_that_nothing_names_are_removed(new_node: Callable[[], Node]) -> None:
    node = new_node()
    files = ManifestFiles(str(node.folder))
    first, second, third = (node.rendered(ttl) for ttl in ("1h", "2h", "3h"))
    (node.folder / "a-folder").mkdir()  # which the kubelet ignores
    before = INIT
    for rendered in (first, second, third):
        files.replace(rendered, before=before.digest)
        before = rendered.manifest
    files.remove_directories(str(node.options / "kube-apiserver"))
    left = {path.name for path in (node.options / "kube-apiserver").iterdir()}
    assert left == {third.options_hash}
    files.remove_directories(str(node.options / "kube-scheduler"))
