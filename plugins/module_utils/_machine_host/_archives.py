# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives with binaries, as the projects release them.

Each version has a directory of its own, and `current` is a link to the one in use: a switch is one rename. A version
here ends with the first digits of its archive's checksum, so that a new archive of a version is a new version.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import shutil
import tarfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import dropwhile
from typing import NamedTuple

try:
    from lzma import LZMAError
except ImportError:  # a Python without it reads no xz
    LZMAError = EOFError  # type: ignore[assignment, misc]  # it stands in for the class that is missing

from ._host_access import Host, HostError
from ._host_state import KEPT
from ._package_manager import HostFile, PackageManager

_HOME = "/usr/local/lib/configok-machine"
_BINARIES = "/usr/local/bin"
_PLUGINS = "/opt/cni/bin"
_COMPONENTS = ("kubelet", "containerd", "runc", "cni")
_MOST_MEMBERS = 100_000
_MOST_BYTES = 8 << 30  # of the files in an archive; the server binaries of Kubernetes have 2
_DIGITS = 8  # of a checksum, in a version
_PROGRAM = (b"\x7fELF", b"#!")  # how a file begins that Linux executes
_PLACES = ("bin", "sbin", ".", "kubernetes/node/bin", "kubernetes/server/bin")  # of programs in an archive
_CONTAINERD_PATH = "/etc/systemd/system/containerd.service"
_CONTAINERD_UNIT = f"""[Unit]
Description=containerd container runtime
Documentation=https://containerd.io
After=network.target local-fs.target

[Service]
ExecStartPre=-/sbin/modprobe overlay
ExecStart={_BINARIES}/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
"""


class Archive(NamedTuple):
    """An archive of one component; its file is kept under the name of its checksum, in lower case."""

    component: str
    version: str
    sha256: str

    @property
    def full_version(self) -> str:
        """The version with the first digits of the checksum."""
        return f"{self.version}-{self.sha256[:_DIGITS].lower()}"


def full_version(archives: Iterable[Archive], component: str, version: str) -> str:
    """Return the version of a component with its checksum; as it is if no archive of it is listed."""
    matching = [archive for archive in archives if (archive.component, archive.version) == (component, version)]
    return matching[-1].full_version if matching else version


def archive_units(archives: Sequence[Archive]) -> list[HostFile]:
    """Return the unit of the runtime, which an archive does not bring along."""
    if not any(archive.component == "containerd" for archive in archives):
        return []
    return [HostFile(_CONTAINERD_PATH, _CONTAINERD_UNIT, restarts=("containerd",))]


class Archives(PackageManager):
    """Components from archives, which are listed: no source has to be read, and nothing upgrades a binary.

    Each is authenticated by its checksum, which is declared. No host has these components from the start.
    """

    name = "archives"
    source_paths = (_CONTAINERD_PATH,)

    def __init__(self, host: Host, archives: Sequence[Archive]) -> None:
        self._host = host
        self._archives = [archive._replace(sha256=archive.sha256.lower()) for archive in archives]

    def source_files(self, source: str, key: str) -> Sequence[HostFile]:
        """Return the files that make the components known to systemd."""
        return archive_units(self._archives)

    def installed(self, package: str) -> str:
        """Return the version in use, "" for none."""
        try:
            target = os.readlink(self._host.path(f"{_HOME}/{package}/current"))
        except OSError:
            return ""
        return os.path.basename(target)

    def all_installed(self) -> Collection[str]:
        """Return the components that are installed."""
        return {component for component in _COMPONENTS if self.installed(component)}

    def offered(self, package: str) -> Sequence[str]:
        """Return the versions of the listed archives."""
        return [archive.full_version for archive in self._archives if archive.component == package]

    @contextmanager
    def previewed(self, files: Sequence[HostFile], *, everything: bool = False) -> Iterator[Archives]:
        """Return itself: the archives are listed."""
        yield self

    def kept(self) -> Mapping[tuple[str, str], str]:
        """Return the unpacked versions."""
        return {
            (component, name): f"{_HOME}/{component}/{name}"
            for component in _COMPONENTS
            for name in self._host.names(f"{_HOME}/{component}")
            if not name.startswith(".") and not os.path.islink(self._host.path(f"{_HOME}/{component}/{name}"))
        }

    def keep(self, package: str, version: str) -> None:
        """Verify an archive and unpack it. Raises HostError, also for a program of the user's in the way."""
        if (package, version) not in self.kept():
            self._unpack(package, version)
        self._refuse_conflicts(package, version)

    def _unpack(self, package: str, version: str) -> None:
        """Unpack an archive. Raises HostError before anything is unpacked."""
        matching = (item for item in self._archives if (item.component, item.full_version) == (package, version))
        archive = next(matching, None)
        if archive is None:
            raise HostError(f"no archive of {package} {version} is listed, and the host has not kept it")
        file = self._host.path(f"{KEPT}/{archive.sha256}")
        try:
            digest = _sha256(file)
        except FileNotFoundError:
            raise HostError(f"the archive of {package} {version} is not on the host: {file} is missing") from None
        if digest != archive.sha256:
            raise HostError(
                f"the archive of {package} {version} has the checksum {digest}, and {archive.sha256} is declared: "
                "nothing was unpacked"
            )
        is_tar = _is_tar(file)
        if not is_tar and not _is_program(file):
            raise HostError(
                f"the archive of {package} {version} is neither a program nor a tar file, plain or compressed with "
                "gzip, bzip2 or xz: nothing was unpacked"
            )
        home = self._host.path(f"{_HOME}/{package}")
        os.makedirs(home, exist_ok=True)
        scratch = f"{home}/.partial"
        shutil.rmtree(scratch, ignore_errors=True)
        os.mkdir(scratch, 0o755)
        if is_tar:
            try:
                _unpack(file, scratch)
            except _BROKEN as error:
                raise HostError(f"the archive of {package} {version} cannot be unpacked: {error}") from error
        else:
            shutil.copyfile(file, f"{scratch}/{package}")
            os.chmod(f"{scratch}/{package}", 0o755)
        os.sync()
        os.rename(scratch, f"{home}/{version}")

    def forget(self, package: str, version: str) -> None:
        """Remove an unpacked version, and its archive."""
        directory = self.kept().get((package, version))
        if directory:
            shutil.rmtree(self._host.path(directory))
        digits = version.rpartition("-")[2]
        for name in self._host.names(KEPT):
            if digits and name.startswith(digits):
                self._host.remove(f"{KEPT}/{name}")

    def repair(self) -> None:
        """Remove what was unpacked in part, and link the programs of what is in use."""
        for component in _COMPONENTS:
            shutil.rmtree(self._host.path(f"{_HOME}/{component}/.partial"), ignore_errors=True)
            if self.installed(component):
                self._link_programs(component)

    def download(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Verify and unpack extra components; the others are kept already."""
        for component in extra:
            self.keep(component, self.offered(component)[-1])

    def new_packages(self, packages: Mapping[str, str], extra: Sequence[str]) -> Collection[str]:
        """Return the components that an installation of these would add to the host."""
        return {component for component in (*packages, *extra) if not self.installed(component)}

    def install(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Switch to these versions; the newest of extra is unpacked first."""
        versions = dict(packages)
        for component in extra:
            versions[component] = self.offered(component)[-1]
            self.keep(component, versions[component])
        for component, version in versions.items():
            self._refuse_conflicts(component, version)
        for component, version in versions.items():
            self._link(version, f"{_HOME}/{component}/current")
            self._link_programs(component)

    def held(self) -> Collection[str]:
        """Return all components: nothing upgrades a binary."""
        return _COMPONENTS

    def release(self, packages: Sequence[str]) -> None:
        """Do nothing: nothing upgrades a binary."""

    def remove(self, packages: Sequence[str]) -> Sequence[str]:
        """Remove these components with all their versions."""
        for component in packages:
            shutil.rmtree(self._host.path(f"{_HOME}/{component}"), ignore_errors=True)
            self._remove_links(component)
        if not self._host.names(_HOME) and self._host.exists(_HOME):
            os.rmdir(self._host.path(_HOME))
        return []

    def _programs(self, component: str, version: str) -> Iterator[tuple[str, str]]:
        """Yield the links of a version's programs, and their targets."""
        directory = _PLUGINS if component == "cni" else _BINARIES
        for inside in _PLACES:
            for name in self._host.names(f"{_HOME}/{component}/{version}/{inside}"):
                if component in ("kubelet", "runc") and name != component:
                    continue
                file = self._host.path(f"{_HOME}/{component}/{version}/{inside}/{name}")
                if os.path.isfile(file) and os.access(file, os.X_OK):
                    yield f"{directory}/{name}", os.path.normpath(f"{_HOME}/{component}/current/{inside}/{name}")

    def _is_foreign(self, link: str) -> bool:
        path = self._host.path(link)
        return self._host.exists(link) and not (os.path.islink(path) and os.readlink(path).startswith(f"{_HOME}/"))

    def _refuse_conflicts(self, component: str, version: str) -> None:
        """Raise HostError if a program of the version would replace one that is not ours."""
        foreign = next((link for link, _target in self._programs(component, version) if self._is_foreign(link)), "")
        if foreign:
            raise HostError(f"{foreign} exists and is not a link of this provider: remove it first")

    def _link_programs(self, component: str) -> None:
        for link, target in self._programs(component, "current"):
            if not self._is_foreign(link):
                self._link(target, link)
        self._remove_links(component)

    def _remove_links(self, component: str) -> None:
        """Remove the links of programs that the component no longer has."""
        directory = _PLUGINS if component == "cni" else _BINARIES
        for name in self._host.names(directory):
            path = self._host.path(f"{directory}/{name}")
            target = os.readlink(path) if os.path.islink(path) else ""
            if target.startswith(f"{_HOME}/{component}/") and not os.path.exists(self._host.path(target)):
                os.unlink(path)

    def _link(self, target: str, link: str) -> None:
        """Make or replace a link in one step."""
        path = self._host.path(link)
        if os.path.islink(path) and os.readlink(path) == target:
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.configok-new")
        if os.path.lexists(temporary):  # of a run that was killed
            os.unlink(temporary)
        os.symlink(target, temporary)
        os.replace(temporary, path)


_BROKEN = (EOFError, LZMAError, OSError, tarfile.TarError, zlib.error)


def _is_tar(path: str) -> bool:
    try:
        return tarfile.is_tarfile(path)
    except _BROKEN:
        return False


def _is_program(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4).startswith(_PROGRAM)


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _unpack(file: str, directory: str) -> None:
    """Unpack an archive of files, directories and links that stay inside it. Raises HostError for any other."""
    with tarfile.open(file) as archive:
        members = list(_bounded(archive))
        links = {posixpath.normpath(member.name) for member in members if member.issym()}
        for member in members:
            if not _is_inside(member, links):
                raise HostError(
                    f"the archive has {member.name}, which is not a file inside of it: nothing was unpacked"
                )
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mode &= 0o755
        # The members are checked above; the parameter filter is newer than Python 3.9.
        if hasattr(tarfile, "tar_filter"):
            archive.extractall(directory, members, filter="tar")
        else:
            archive.extractall(directory, members)


def _bounded(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members. Raises HostError, before it reads on, if they are too large or too many."""
    rest = _MOST_BYTES
    for number, member in enumerate(archive, 1):
        rest -= member.size
        if rest < 0:
            raise HostError(f"the archive would take more than {_MOST_BYTES >> 30} GiB: nothing was unpacked")
        if number > _MOST_MEMBERS:
            raise HostError(f"the archive has more than {_MOST_MEMBERS} files: nothing was unpacked")
        yield member


def _is_inside(member: tarfile.TarInfo, links: Collection[str]) -> bool:
    """Return whether a member, and what it links to, is where its name says: below the directory, through no link."""
    path = posixpath.normpath(member.name)
    if member.issym():
        return _is_plain(member.name, links) and _stays_inside(posixpath.dirname(path), member.linkname)
    if member.islnk():
        # A link to a symbolic link would be one in another directory, from where it leads elsewhere.
        targets = (member.name, member.linkname)
        return all(_is_plain(name, links) and posixpath.normpath(name) not in links for name in targets)
    return (member.isfile() or member.isdir()) and _is_plain(member.name, links) and path not in links


def _is_plain(name: str, links: Collection[str]) -> bool:
    """Return whether a name is relative, has no "..", and leads through no link."""
    parts = posixpath.normpath(name).split("/")
    leads_through = any("/".join(parts[:depth]) in links for depth in range(1, len(parts)))
    return not name.startswith("/") and ".." not in name.split("/") and not leads_through


def _stays_inside(directory: str, target: str) -> bool:
    """Return whether a symbolic link in a directory leads to what is inside: up first, and then only down."""
    parts = [part for part in target.split("/") if part not in ("", ".")]
    down = list(dropwhile(lambda part: part == "..", parts))
    levels = len([part for part in directory.split("/") if part not in ("", ".")])
    return not target.startswith("/") and ".." not in down and len(parts) - len(down) <= levels
