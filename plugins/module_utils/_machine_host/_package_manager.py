# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What package managers have in common."""

from __future__ import annotations

import os
import shutil
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol
from urllib.parse import quote, unquote

from ._host_access import Host
from ._host_state import KEPT


class HostFile(NamedTuple):
    """A file to write. restarts: the units that read it at their start. flags: KUBELET_ARGS lines to filter."""

    path: str
    content: str
    mode: int = 0o644
    restarts: tuple[str, ...] = ()
    has_flags: bool = False


class PackageManager(Protocol):
    """Installs packages at exact versions, from files that stay on the host.

    A method that returns something here is one that not every manager needs. An abstract one has no result: without a
    definition of its own, a manager would do nothing there.
    """

    @property
    def name(self) -> str:
        """Its name for sentences: "apt"."""

    def unusable(self) -> str:
        """Return why it cannot be used on this host, as a sentence; "" if it can."""
        return ""

    def source_files(self, source: str, key: str) -> Sequence[HostFile]:
        """Return the files that make a source of packages known."""

    def source_warnings(self, source: str, key: str) -> Sequence[str]:
        """Return what of a source is not authenticated, one sentence each."""
        return ()

    @property
    def source_paths(self) -> Collection[str]:
        """Return all files that source_files may name."""

    def installed(self, package: str) -> str:
        """Return the installed version, "" for none."""

    def all_installed(self) -> Collection[str]:
        """Return the names of all installed packages."""

    def essential(self) -> Collection[str]:
        """Return installed packages that no host is without, so that none of them came with a machine."""
        return ()

    def offered(self, package: str) -> Sequence[str]:
        """Return the versions that the sources offer, as far as they are known here."""

    def is_cached(self, package: str, version: str) -> bool:
        """Return whether the host has the package's file for other reasons."""
        return False

    def refresh(self, *, everything: bool) -> None:
        """Read the sources again: the one of source_files, or everything. Raises HostError."""
        return

    def previewed(
        self, files: Sequence[HostFile], *, everything: bool = False
    ) -> AbstractContextManager[PackageManager]:
        """Return the manager as if it had these files of a source, and had read it. Changes nothing.

        everything: with the host's own sources, else with these files alone.
        Raises HostError if the source cannot be read.
        """

    def kept(self) -> Mapping[tuple[str, str], str]:
        """Return the files that are kept on the host, by package and version."""

    @abstractmethod
    def keep(self, package: str, version: str) -> None:
        """Fetch a package into the kept files. Raises HostError."""

    @abstractmethod
    def forget(self, package: str, version: str) -> None:
        """Remove a kept file."""

    @abstractmethod
    def repair(self) -> None:
        """Finish what an installation that was killed has left undone. Raises HostError."""

    @abstractmethod
    def download(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Fetch everything else that an installation of these needs, while nothing is stopped. Raises HostError."""

    def new_packages(self, packages: Mapping[str, str], extra: Sequence[str]) -> Collection[str]:
        """Return the packages that an installation of these would add to the host. Raises HostError."""

    @abstractmethod
    def install(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Install these packages from kept files, up or down, and the newest of extra. Raises HostError."""

    def held(self) -> Collection[str]:
        """Return the packages that upgrades of the host leave alone."""

    def hold(self, packages: Sequence[str]) -> Sequence[str]:
        """Keep upgrades of the host away from these packages; return those that were not held before."""
        return ()

    @abstractmethod
    def release(self, packages: Sequence[str]) -> None:
        """Let upgrades of the host have these packages again."""

    def remove(self, packages: Sequence[str]) -> Sequence[str]:
        """Remove these packages; return those that stay, because others need them. Raises HostError."""


def names_of(packages: Mapping[str, str], extra: Sequence[str]) -> str:
    """Return what is to be installed, for a sentence."""
    return ", ".join([*(f"{name} {version}" for name, version in packages.items()), *extra])


class SystemPackages(PackageManager):
    """A package manager of an operating system. It keeps packages as files, named by package and version.

    suffix: of these files.
    """

    def __init__(self, host: Host, suffix: str) -> None:
        self._host = host
        self._suffix = suffix

    def kept(self) -> Mapping[tuple[str, str], str]:
        """Return the files that are kept on the host, by package and version."""
        files = {}
        for name in self._host.names(KEPT):
            if name.endswith(self._suffix) and "_" in name:
                package, _line, version = name[: -len(self._suffix)].rpartition("_")
                files[package, unquote(version)] = f"{KEPT}/{name}"
        return files

    def kept_path(self, package: str, version: str) -> str:
        """Return where a package's file is kept, as the host sees it."""
        escaped = quote(version, safe="").replace("_", "%5F")  # the last _ of the name ends the package
        return f"{KEPT}/{package}_{escaped}{self._suffix}"

    def forget(self, package: str, version: str) -> None:
        """Remove a kept file."""
        self._host.remove(self.kept_path(package, version))

    def _scratch(self) -> str:
        """Return an empty directory for a download, as the host sees it."""
        directory = f"{KEPT}/partial"
        shutil.rmtree(self._host.path(directory), ignore_errors=True)
        os.makedirs(self._host.path(directory), exist_ok=True)
        return directory

    def _accept(self, file: str, package: str, version: str) -> None:
        """Keep a file of the scratch directory. After a power cut, it is whole or missing."""
        with open(self._host.path(file), "rb") as handle:
            os.fsync(handle.fileno())
        os.replace(self._host.path(file), self._host.path(self.kept_path(package, version)))
        shutil.rmtree(self._host.path(f"{KEPT}/partial"), ignore_errors=True)
