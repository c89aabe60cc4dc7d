# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives are verified, unpacked next to each other, and switched by a link."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._archives import Archive, Archives
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import Host, HostError
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import KEPT

HOME = "usr/local/lib/configok-machine"


def put(root: Path, component: str, version: str, content: bytes) -> Archive:
    """Put an archive where the role copies it."""
    digest = hashlib.sha256(content).hexdigest()
    file = root / KEPT.lstrip("/") / digest
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return Archive(component, version, digest)


def tar_of(*members: tuple[str, bytes], link: tuple[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o4755
            archive.addfile(info, io.BytesIO(data))
        if link:
            info = tarfile.TarInfo(link[0])
            info.type, info.linkname = tarfile.SYMTYPE, link[1]
            archive.addfile(info)
    return buffer.getvalue()


def program(root: Path, name: str) -> bytes:
    """Return what a program in /usr/local/bin is, through its links."""
    target = os.readlink(root / "usr/local/bin" / name)
    return (root / target.lstrip("/")).read_bytes()


def test_an_update_is_a_switch_and_the_version_before_stays(tmp_path: Path) -> None:
    archives = [put(tmp_path, "kubelet", version, version.encode()) for version in ("1.34.8", "1.34.9")]
    manager = Archives(Host(str(tmp_path)), archives)
    for version in ("1.34.8", "1.34.9"):
        manager.keep("kubelet", version)
        manager.install({"kubelet": version}, [])
        assert manager.installed("kubelet") == version
        assert program(tmp_path, "kubelet") == version.encode()
    assert {version for _component, version in manager.kept()} == {"1.34.8", "1.34.9"}
    # A rollback needs no archive.
    for archive in archives:
        (tmp_path / KEPT.lstrip("/") / archive.sha256).unlink()
    manager.keep("kubelet", "1.34.8")
    manager.install({"kubelet": "1.34.8"}, [])
    assert program(tmp_path, "kubelet") == b"1.34.8"


def test_a_damaged_archive_is_not_unpacked(tmp_path: Path) -> None:
    archive = put(tmp_path, "kubelet", "1.34.9", b"good")
    (tmp_path / KEPT.lstrip("/") / archive.sha256).write_bytes(b"damaged")
    manager = Archives(Host(str(tmp_path)), [archive])
    with pytest.raises(HostError, match="nothing was unpacked"):
        manager.keep("kubelet", "1.34.9")
    assert not (tmp_path / HOME).exists()


def test_a_missing_archive_is_named(tmp_path: Path) -> None:
    manager = Archives(Host(str(tmp_path)), [Archive("kubelet", "1.34.9", "0" * 64)])
    with pytest.raises(HostError, match=r"archive of kubelet 1\.34\.9 is not on the host"):
        manager.keep("kubelet", "1.34.9")
    with pytest.raises(HostError, match=r"no archive of kubelet 1\.35\.0 is listed"):
        manager.keep("kubelet", "1.35.0")


@pytest.mark.parametrize(
    "content",
    [
        tar_of(("../outside", b"x")),
        tar_of(("/outside", b"x")),
        tar_of(("a/../../outside", b"x")),
        tar_of(link=("bin/link", "../../../etc/shadow")),
        tar_of(link=("bin/link", "/etc/shadow")),
        tar_of(link=("bin/link", "x/y/../../..")),
        tar_of(("bin/link/x", b"x"), link=("bin/link", ".")),
    ],
)
def test_an_archive_cannot_reach_outside(tmp_path: Path, content: bytes) -> None:
    archive = put(tmp_path, "containerd", "1.7.24", content)
    manager = Archives(Host(str(tmp_path)), [archive])
    with pytest.raises(HostError, match="not a file inside of it"):
        manager.keep("containerd", "1.7.24")
    assert manager.kept() == {}
    assert not (tmp_path / "outside").exists()


def test_an_archive_that_ends_early_is_not_unpacked(tmp_path: Path) -> None:
    noise = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(200))
    archive = put(tmp_path, "containerd", "1.7.24", tar_of(("bin/containerd", noise))[:3000])
    manager = Archives(Host(str(tmp_path)), [archive])
    with pytest.raises(HostError, match=r"the archive of containerd 1\.7\.24 cannot be unpacked"):
        manager.keep("containerd", "1.7.24")
    assert manager.kept() == {}


def test_programs_of_all_components_are_found_and_removed(tmp_path: Path) -> None:
    archives = [
        put(
            tmp_path, "containerd", "1.7.24", tar_of(("bin/containerd", b"c"), ("bin/ctr", b"t"), link=("bin/x", "ctr"))
        ),
        put(
            tmp_path,
            "kubelet",
            "1.34.9",
            tar_of(("kubernetes/node/bin/kubelet", b"k"), ("kubernetes/node/bin/kubeadm", b"")),
        ),
        put(tmp_path, "runc", "1.2.3", b"r"),
        put(tmp_path, "cni", "1.6.2", tar_of(("./bridge", b"b"))),
    ]
    manager = Archives(Host(str(tmp_path)), archives)
    for archive in archives[:2]:
        manager.keep(archive.component, archive.version)
    manager.install({"containerd": "1.7.24", "kubelet": "1.34.9"}, ["runc", "cni"])
    assert sorted(os.listdir(tmp_path / "usr/local/bin")) == ["containerd", "ctr", "kubelet", "runc", "x"]
    assert os.listdir(tmp_path / "opt/cni/bin") == ["bridge"]
    assert (tmp_path / HOME / "containerd/current/bin/ctr").stat().st_mode & 0o7777 == 0o755
    assert manager.remove(sorted(manager.all_installed())) == []
    assert os.listdir(tmp_path / "usr/local/bin") == []
    assert os.listdir(tmp_path / "opt/cni/bin") == []
    assert not (tmp_path / HOME).exists()


def test_a_program_of_the_users_own_is_not_replaced(tmp_path: Path) -> None:
    own = tmp_path / "usr/local/bin/kubelet"
    own.parent.mkdir(parents=True)
    own.write_text("own")
    manager = Archives(Host(str(tmp_path)), [put(tmp_path, "kubelet", "1.34.9", b"k")])
    manager.keep("kubelet", "1.34.9")
    with pytest.raises(HostError, match="is not a link of this provider"):
        manager.install({"kubelet": "1.34.9"}, [])
    assert own.read_text() == "own"
