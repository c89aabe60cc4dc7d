# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives are verified, unpacked next to each other, and switched by a link."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import tarfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host import _archives
from ansible_collections.configok.node.plugins.module_utils._machine_host._archives import (
    Archive,
    Archives,
    full_version,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._files import Changes
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import (
    CommandResult,
    Host,
    HostError,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import (
    KEPT,
    HostState,
    begin_change,
    load_state,
    save_state,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._packages import (
    WantedPackage,
    WantedPackages,
    change_packages,
)

HOME = "usr/local/lib/configok-machine"


class QuietHost(Host):
    """A host whose commands all succeed and print nothing."""

    def run(self, command: Sequence[str], *, text: str = "", timeout: float = 0) -> CommandResult:
        del command, text, timeout
        return CommandResult(0, "", "")


def put(root: Path, component: str, version: str, content: bytes) -> Archive:
    """Put an archive where the role copies it."""
    digest = hashlib.sha256(content).hexdigest()
    file = root / KEPT.lstrip("/") / digest
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return Archive(component, version, digest)


def script(text: str) -> bytes:
    return f"#!{text}".encode()


def tar_of(*members: tuple[str, bytes], link: tuple[str, str] | None = None) -> bytes:
    """Return a compressed tar: the same bytes every time, since the names of tests are made of them."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o4755
            archive.addfile(info, io.BytesIO(data))
        if link:
            info = tarfile.TarInfo(link[0])
            info.type, info.linkname = tarfile.SYMTYPE, link[1]
            archive.addfile(info)
    return gzip.compress(buffer.getvalue(), mtime=0)


def program(root: Path, name: str) -> bytes:
    """Return what a program in /usr/local/bin is, through its links."""
    target = os.readlink(root / "usr/local/bin" / name)
    return (root / target.lstrip("/")).read_bytes()


def test_an_update_is_a_switch_and_the_version_before_stays(tmp_path: Path) -> None:
    archives = [put(tmp_path, "kubelet", version, script(version)) for version in ("1.34.8", "1.34.9")]
    manager = Archives(Host(str(tmp_path)), archives)
    for archive in archives:
        manager.keep("kubelet", archive.full_version)
        manager.install({"kubelet": archive.full_version}, [])
        assert manager.installed("kubelet") == archive.full_version
        assert program(tmp_path, "kubelet") == script(archive.version)
    assert {version for _component, version in manager.kept()} == {archive.full_version for archive in archives}
    # A rollback needs no archive.
    for archive in archives:
        (tmp_path / KEPT.lstrip("/") / archive.sha256).unlink()
    manager.keep("kubelet", archives[0].full_version)
    manager.install({"kubelet": archives[0].full_version}, [])
    assert program(tmp_path, "kubelet") == script("1.34.8")


def test_a_damaged_archive_is_not_unpacked(tmp_path: Path) -> None:
    archive = put(tmp_path, "kubelet", "1.34.9", b"good")
    (tmp_path / KEPT.lstrip("/") / archive.sha256).write_bytes(b"damaged")
    manager = Archives(Host(str(tmp_path)), [archive])
    with pytest.raises(HostError, match="nothing was unpacked"):
        manager.keep("kubelet", archive.full_version)
    assert not (tmp_path / HOME).exists()


def test_a_missing_archive_is_named(tmp_path: Path) -> None:
    manager = Archives(Host(str(tmp_path)), [Archive("kubelet", "1.34.9", "0" * 64)])
    with pytest.raises(HostError, match=r"archive of kubelet 1\.34\.9-00000000 is not on the host"):
        manager.keep("kubelet", "1.34.9-00000000")
    with pytest.raises(HostError, match=r"no archive of kubelet 1\.35\.0 is listed"):
        manager.keep("kubelet", "1.35.0")


def members_of(*members: tuple[str, str | bytes | None]) -> bytes:
    """Return a tar of members in this order. A text is the target of a link, None is a directory."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.mode = 0o755
            member.type = tarfile.REGTYPE if isinstance(content, bytes) else tarfile.DIRTYPE
            if isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
            member.size = len(content) if isinstance(content, bytes) else 0
            archive.addfile(member, io.BytesIO(content) if isinstance(content, bytes) else None)
    return buffer.getvalue()


def hard_link(name: str, target: str, *before: tuple[str, str | bytes | None]) -> bytes:
    buffer = io.BytesIO(members_of(*before))
    with tarfile.open(fileobj=buffer, mode="a") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = tarfile.LNKTYPE, target
        archive.addfile(member)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        members_of(("a/b/c/x", "../../.."), ("a/b/c/x/" + "../" * 4 + "outside", b"x")),
        members_of(("a/../b", b"x")),
        members_of(("a", None), ("a/..", None)),
        members_of(("x", "y"), ("x", b"x")),
        members_of(("x", "y"), ("./x/z", b"x")),
        members_of(("./x", "y"), ("x//z", None)),
        members_of(("a/x", ".."), ("l", "a/x/../..")),
        hard_link("h", "x/../../outside", ("x", b"x")),
        hard_link("h", "x/y", ("x", "..")),
        hard_link("h", "a/b/up", ("a/b/up", "../..")),
    ],
)
@pytest.mark.parametrize("has_filter", [True, False])
def test_a_member_does_not_lead_through_a_link_or_upwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, has_filter: bool
) -> None:
    if not has_filter:  # as in Python 3.11.2 of Debian 12
        monkeypatch.delattr(tarfile, "tar_filter", raising=False)
    archive = put(tmp_path, "kubelet", "1", content)
    with pytest.raises(HostError, match="not a file inside of it: nothing was unpacked"):
        Archives(Host(str(tmp_path)), [archive]).keep("kubelet", archive.full_version)
    home = tmp_path / HOME / "kubelet/.partial"
    assert [path for path in tmp_path.rglob("*") if path.name == "outside"] == []
    assert list(home.iterdir()) == []


def test_links_that_stay_inside_are_unpacked(tmp_path: Path) -> None:
    content = members_of(("lib/kubelet", b"#!x"), ("bin/kubelet", "../lib/kubelet"), ("lib/deep/up", "../.."))
    archive = put(tmp_path, "kubelet", "1", content)
    Archives(Host(str(tmp_path)), [archive]).keep("kubelet", archive.full_version)
    assert (tmp_path / HOME / "kubelet" / archive.full_version / "bin/kubelet").read_bytes() == b"#!x"


def test_an_archive_that_grows_beyond_bounds_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    member = tarfile.TarInfo("kubelet")
    member.size = 1 << 40
    archive = put(tmp_path, "kubelet", "1", gzip.compress(member.tobuf() + bytes(2048)))
    with pytest.raises(HostError, match="would take more than 8 GiB: nothing was unpacked"):
        Archives(Host(str(tmp_path)), [archive]).keep("kubelet", archive.full_version)


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archives, "_MOST_MEMBERS", 10)
    archive = put(tmp_path, "kubelet", "1", members_of(*((f"d{number}", None) for number in range(11))))
    with pytest.raises(HostError, match="has more than 10 files: nothing was unpacked"):
        Archives(Host(str(tmp_path)), [archive]).keep("kubelet", archive.full_version)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("place", [0.2, 0.5, 0.9, 1.0])
def test_a_broken_archive_is_an_error_of_the_host(
    tmp_path: Path, compress: Callable[[bytes], bytes], place: float
) -> None:
    whole = compress(
        members_of(("kubelet", random.Random(1).randbytes(50_000)), ("b", random.Random(2).randbytes(50_000)))
    )
    cut = int(len(whole) * place) - 1
    for content in (whole[:cut], whole[:cut] + b"\xff" * 40 + whole[cut + 40 :]):
        archive = put(tmp_path, "kubelet", "1", content)
        # The declared checksum would be that of another archive, so not all damage is noticed here.
        with suppress(HostError):
            Archives(Host(str(tmp_path)), [archive]).keep("kubelet", archive.full_version)


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
        manager.keep("containerd", archive.full_version)
    assert manager.kept() == {}
    assert not (tmp_path / "outside").exists()


def test_an_archive_that_ends_early_is_not_unpacked(tmp_path: Path) -> None:
    noise = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(200))
    archive = put(tmp_path, "containerd", "1.7.24", tar_of(("bin/containerd", noise))[:3000])
    manager = Archives(Host(str(tmp_path)), [archive])
    with pytest.raises(HostError, match=r"the archive of containerd 1\.7\.24-\w+ cannot be unpacked"):
        manager.keep("containerd", archive.full_version)
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
        put(tmp_path, "runc", "1.2.3", script("r")),
        put(tmp_path, "cni", "1.6.2", tar_of(("./bridge", b"b"))),
    ]
    manager = Archives(Host(str(tmp_path)), archives)
    for archive in archives[:2]:
        manager.keep(archive.component, archive.full_version)
    manager.install({archive.component: archive.full_version for archive in archives[:2]}, ["runc", "cni"])
    assert sorted(os.listdir(tmp_path / "usr/local/bin")) == ["containerd", "ctr", "kubelet", "runc", "x"]
    assert os.listdir(tmp_path / "opt/cni/bin") == ["bridge"]
    assert (tmp_path / HOME / "containerd/current/bin/ctr").stat().st_mode & 0o7777 == 0o755
    assert manager.remove(sorted(manager.all_installed())) == []
    assert os.listdir(tmp_path / "usr/local/bin") == []
    assert os.listdir(tmp_path / "opt/cni/bin") == []
    assert not (tmp_path / HOME).exists()


def versions_of(*archives: Archive) -> WantedPackages:
    return WantedPackages(tuple(WantedPackage(item.component, item.full_version, ("kubelet",)) for item in archives))


def change(root: Path, *archives: Archive, listed: Sequence[Archive] = (), action: str = "update") -> Changes:
    """Bring a host to these archives, as the module does."""
    host, changes = QuietHost(str(root)), Changes()
    state = load_state(host) or HostState("w1", created=True)
    state.in_progress = False
    if action != "rollback":
        begin_change(host, state, action, str(archives))
    manager = Archives(host, listed or archives)
    change_packages(host, state, manager, versions_of(*archives), changes, action=action)
    save_state(host, state)
    return changes


@pytest.mark.parametrize("link", [False, True])
def test_a_program_of_the_users_own_is_not_replaced(tmp_path: Path, link: bool) -> None:
    own = tmp_path / "usr/local/bin/kubelet"
    own.parent.mkdir(parents=True)
    if link:
        own.symlink_to("/opt/own/kubelet")
    else:
        own.write_text("own")
    archive = put(tmp_path, "kubelet", "1.34.9", script("k"))
    manager = Archives(Host(str(tmp_path)), [archive])
    with pytest.raises(HostError, match="is not a link of this provider"):
        change(tmp_path, archive)
    with pytest.raises(HostError, match="is not a link of this provider"):
        manager.install({"kubelet": archive.full_version}, [])
    assert manager.installed("kubelet") == "", "nothing is switched"
    assert own.is_symlink() if link else own.read_text() == "own"
    own.unlink()
    assert change(tmp_path, archive).changed
    assert program(tmp_path, "kubelet") == script("k")


def test_a_killed_switch_is_completed(tmp_path: Path) -> None:
    archive = put(tmp_path, "kubelet", "1.34.9", script("k"))
    change(tmp_path, archive)
    (tmp_path / "usr/local/bin/kubelet").unlink()
    for leftover in ("kubelet/.current.configok-new", "kubelet/current.configok-new"):
        (tmp_path / HOME / leftover).symlink_to("x")
    change(tmp_path, archive)
    assert program(tmp_path, "kubelet") == script("k")
    change(tmp_path, put(tmp_path, "kubelet", "1.34.10", script("l")))
    assert program(tmp_path, "kubelet") == script("l")


def test_a_new_archive_of_the_same_version_is_installed_and_rolled_back(tmp_path: Path) -> None:
    first, second = (put(tmp_path, "runc", "1.2.3", script(text)) for text in ("r1", "r2"))
    change(tmp_path, first)
    assert change(tmp_path, second).changed
    assert program(tmp_path, "runc") == script("r2")
    assert not change(tmp_path, second).changed
    # What a rollback declares is of no account: the record says what was there.
    assert change(tmp_path, second, action="rollback").changed
    assert program(tmp_path, "runc") == script("r1")


def test_archives_that_are_neither_in_use_nor_needed_are_removed(tmp_path: Path) -> None:
    for number in range(4):
        change(tmp_path, put(tmp_path, "kubelet", f"1.34.{number}", script(str(number))))
    assert len(os.listdir(tmp_path / KEPT.lstrip("/"))) == 2
    assert len(Archives(Host(str(tmp_path)), []).kept()) == 2


def test_a_checksum_may_have_capitals(tmp_path: Path) -> None:
    archive = put(tmp_path, "kubelet", "1.34.9", script("k"))
    capitals = archive._replace(sha256=archive.sha256.upper())
    assert capitals.full_version == archive.full_version
    assert full_version([capitals], "kubelet", "1.34.9") == archive.full_version
    assert full_version([capitals], "kubelet", "1.34.8") == "1.34.8"
    change(tmp_path, capitals)
    assert program(tmp_path, "kubelet") == script("k")


@pytest.mark.parametrize(
    "content", [b"\x28\xb5\x2f\xfd zstd", gzip.compress(b"#! not a tar file", mtime=0), b"PK\x03\x04", b""]
)
def test_what_is_neither_a_program_nor_a_tar_file_is_refused(tmp_path: Path, content: bytes) -> None:
    archive = put(tmp_path, "containerd", "1.7.24", content)
    manager = Archives(Host(str(tmp_path)), [archive])
    with pytest.raises(HostError, match="neither a program nor a tar file"):
        manager.keep("containerd", archive.full_version)
    assert manager.kept() == {}
