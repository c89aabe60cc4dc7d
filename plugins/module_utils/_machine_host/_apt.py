# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of Debian."""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ._host_access import CommandResult, Host, HostError
from ._package_manager import HostFile, SystemPackages, names_of
from ._source_texts import apt_source_warnings, has_one_line_entries, has_password, signed_apt_source

KEYRING = "/etc/apt/keyrings/configok-machine.asc"
_PARTS = "/etc/apt/sources.list.d"
_SOURCE = f"{_PARTS}/configok-machine"
_CACHE = "/var/cache/apt/archives"
_OPTIONS = ("-o", "DPkg::Lock::Timeout=120", "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=2")
_KEEP_FILES = ("--force-confdef", "--force-confold")
_KEEP_CONFIG = tuple(word for option in _KEEP_FILES for word in ("-o", f"Dpkg::Options::={option}"))
_POLICY = "/usr/sbin/policy-rc.d"
# An installation must not start the kubelet before its files are right.
_POLICY_TEXT = """#!/bin/sh
# Of configok.node, while it installs packages.
case " $* " in *" kubelet"*) exit 101 ;; esac
exit 0
"""
_REMOVED = re.compile(r"(?:Remv|Purg) (\S+)")
_ADDED = re.compile(r"^Inst (\S+) \(", re.MULTILINE)  # a package that is upgraded has its version before: [1.0]
_LOCKED = re.compile(r"[Cc]ould not get lock|[Uu]nable to (?:lock|acquire)|lock was locked")
_PATIENCE = 120.0  # seconds to wait for another program that holds a lock
_POLL = 2.0


def apt_source_files(source: str, key: str) -> list[HostFile]:
    """Return the files of a source, lines or deb822 stanzas, each of which names the key unless it names one."""
    if not source.strip():
        return []
    text = source.strip() + "\n"
    path = f"{_SOURCE}.list" if has_one_line_entries(text) else f"{_SOURCE}.sources"
    keys = [HostFile(KEYRING, key.strip() + "\n")] if key else []
    mode = 0o600 if has_password(text) else 0o644
    return [*keys, HostFile(path, signed_apt_source(text, KEYRING) if key else text, mode)]


class Apt(SystemPackages):
    """apt and dpkg of a host. preview: options that let apt read other sources without a change of the host."""

    name = "apt"
    source_paths = (KEYRING, f"{_SOURCE}.list", f"{_SOURCE}.sources")
    source_files = staticmethod(apt_source_files)
    source_warnings = staticmethod(apt_source_warnings)

    def __init__(self, host: Host, preview: Sequence[str] = ()) -> None:
        super().__init__(host, ".deb")
        self._options = [*_OPTIONS, *preview]

    def unusable(self) -> str:
        """Return why it cannot be used on this host."""
        if self._host.has("apt-get") and self._host.has("dpkg"):
            return ""
        return "apt-get and dpkg were not found on the host: DebianHost is for Debian and its descendants"

    def installed(self, package: str) -> str:
        """Return the installed version, "" for none."""
        result = self._host.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Version}", package])
        status, _bar, version = result.output.strip().partition("|")
        # ii, hi: installed, or held; iU, iF: unpacked, iH: unpacked in part, both of which repair finishes.
        return version if result.code == 0 and status[1:2] in ("i", "U", "F", "H", "W", "t") else ""

    def all_installed(self) -> Collection[str]:
        """Return the names of all installed packages."""
        return {package for status, package in self._statuses() if status[1:2] not in ("n", "c")}

    def essential(self) -> Collection[str]:
        """Return installed packages that no host is without."""
        lines = self._host.must(["dpkg-query", "-W", "-f", "${Package} ${Essential}\n"], "dpkg-query failed")
        return {words[0] for words in map(str.split, lines.splitlines()) if words[1:] == ["yes"]}

    def offered(self, package: str) -> Sequence[str]:
        """Return the versions that the sources offer, as far as they are known here."""
        output = self._host.run(["apt-cache", *self._options, "madison", package]).output
        rows = [[part.strip() for part in line.split("|")] for line in output.splitlines()]
        return [row[1] for row in rows if len(row) == 3 and row[0] == package and not row[2].endswith("Sources")]

    def is_cached(self, package: str, version: str) -> bool:
        """Return whether the host has the package's file for other reasons."""
        return bool(self._cached(package, version))

    def refresh(self, *, everything: bool) -> None:
        """Read the sources again: our own alone, or everything."""
        options: list[str] = []
        files = [f"{_SOURCE}{suffix}" for suffix in (".list", ".sources") if self._host.exists(f"{_SOURCE}{suffix}")]
        if not everything:
            if not files:
                return
            options = ["-o", f"Dir::Etc::sourcelist={files[0]}", "-o", "Dir::Etc::sourceparts=-"]
            options += ["-o", "APT::Get::List-Cleanup=0"]
        _must_update(self._run(["apt-get", "update", "-q", *self._options, *options]))

    @contextmanager
    def previewed(self, files: Sequence[HostFile], *, everything: bool = False) -> Iterator[Apt]:
        """Return apt as if it had these files of a source, and had read it. Changes nothing.

        everything: read the host's own sources too. Raises HostError if a source cannot be read.
        """
        directory = tempfile.mkdtemp(prefix="configok-apt-")
        try:
            for part in ("lists/partial", "cache/archives/partial", "parts"):
                os.makedirs(os.path.join(directory, part))
            for file in files:
                name = os.path.basename(file.path) if file.path == KEYRING else f"parts/{os.path.basename(file.path)}"
                with open(os.path.join(directory, name), "w", encoding="utf-8") as handle:
                    handle.write(file.content.replace(KEYRING, os.path.join(directory, os.path.basename(KEYRING))))
            for name in self._host.names(_PARTS) if everything else ():
                if not f"{_PARTS}/{name}".startswith(f"{_SOURCE}."):
                    shutil.copyfile(self._host.path(f"{_PARTS}/{name}"), f"{directory}/parts/{name}")
            sources = "/etc/apt/sources.list" if everything else "/dev/null"
            options = ["-o", f"Dir::Etc::sourcelist={sources}", "-o", f"Dir::Etc::sourceparts={directory}/parts"]
            options += ["-o", f"Dir::State::lists={directory}/lists", "-o", f"Dir::Cache={directory}/cache"]
            other = Apt(self._host, options)
            _must_update(self._run(["apt-get", "update", "-q", *other._options]))
            yield other
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def keep(self, package: str, version: str) -> None:
        """Fetch a package into the kept files: from apt's cache, or from the sources."""
        if (package, version) in self.kept():
            return
        scratch = self._scratch()
        cached = self._cached(package, version)
        if cached:
            shutil.copyfile(cached[0], self._host.path(f"{scratch}/{os.path.basename(cached[0])}"))
        else:
            fetch = f'cd "$1" && shift && exec apt-get download -q {" ".join(_OPTIONS)} "$@"'
            specifier = f"{package}={version}"
            result = self._host.run(["sh", "-c", fetch, "sh", self._host.path(scratch), specifier])
            if result.code != 0:
                raise HostError(f"apt could not download {specifier}: {result.complaint()}")
        for name in self._host.names(scratch):
            file = f"{scratch}/{name}"
            fields = self._host.must(
                ["dpkg-deb", "-f", self._host.path(file), "Package", "Version"], f"{name} is not a package"
            )
            if f"Package: {package}\nVersion: {version}" in fields:
                self._accept(file, package, version)
                return
        raise HostError(f"apt downloaded something else than {package} {version}")

    def repair(self) -> None:
        """Finish what an installation that was killed has left undone."""
        self._allow_starts()
        if not self._host.run(["dpkg", "--audit"]).output.strip():
            return
        with self._without_starts():
            missing = []
            # dpkg configures nothing of a package that it has unpacked in part: its file has to be unpacked again.
            for package in self._broken():
                file = self._file_of(package)
                if file:
                    self._must(["dpkg", *_KEEP_FILES, "--unpack", file], f"{package} could not be unpacked again")
                else:
                    missing.append(package)
            if missing:
                self._must(
                    ["apt-get", "install", "-q", "-y", "--no-remove", "--fix-broken", *self._options, *_KEEP_CONFIG],
                    f"apt could not repair {', '.join(missing)}",
                )
            self._must(["dpkg", *_KEEP_FILES, "--configure", "-a"], "dpkg --configure failed")

    def download(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Fetch everything else that an installation of these needs into apt's cache."""
        command = [*self._install_command(packages, extra), "--download-only"]
        result = self._run(command)
        if result.code != 0:
            # The lists of the host's own sources may be missing or old: a dependency is not found without them.
            self._run(["apt-get", "update", "-q", *self._options])
            result = self._run(command)
        if result.code != 0:
            raise HostError(f"apt cannot install {names_of(packages, extra)}: {result.complaint()}")

    def new_packages(self, packages: Mapping[str, str], extra: Sequence[str]) -> Collection[str]:
        """Return the packages that an installation of these would add to the host."""
        what = f"apt cannot install {names_of(packages, extra)}"
        output = self._must([*self._install_command(packages, extra), "--simulate"], what)
        return {name.split(":")[0] for name in _ADDED.findall(output)}

    def install(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Install these packages from kept files, up or down, and the newest of extra."""
        with self._without_starts():
            self._must(self._install_command(packages, extra), f"apt could not install {names_of(packages, extra)}")

    def _install_command(self, packages: Mapping[str, str], extra: Sequence[str]) -> list[str]:
        files = [self._host.path(self.kept_path(package, version)) for package, version in packages.items()]
        # A runtime can conflict with one of the user's, which apt would remove without a question.
        command = ["apt-get", "install", "-q", "-y", "--no-remove", "--no-install-recommends", "--allow-downgrades"]
        return [*command, "--allow-change-held-packages", *self._options, *_KEEP_CONFIG, *files, *extra]

    def _run(self, command: Sequence[str]) -> CommandResult:
        """Run a command; wait for another program that holds a lock, for which apt itself waits in some places only."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            result = self._host.run(command)
            if result.code == 0 or not _LOCKED.search(result.errors) or time.monotonic() > deadline:
                return result
            time.sleep(_POLL)

    def _must(self, command: Sequence[str], what: str) -> str:
        result = self._run(command)
        if result.code != 0:
            raise HostError(f"{what}: {result.complaint()}")
        return result.output

    def _broken(self) -> list[str]:
        """Return the packages that dpkg has unpacked in part."""
        pairs = self._statuses()
        return sorted({package for status, package in pairs if status[1:2] == "H" or status[2:3] == "R"})

    def _statuses(self) -> list[list[str]]:
        """Return the status of each package that dpkg knows, and its name."""
        lines = self._host.must(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Package}\n"], "dpkg-query failed")
        return [line.split("|", 1) for line in lines.splitlines() if "|" in line]

    def _file_of(self, package: str) -> str:
        """Return a file of the package, of any version, "" for none: a change follows to the version that is right."""
        kept = [path for (name, _version), path in self.kept().items() if name == package]
        if kept:
            return self._host.path(kept[-1])
        return next(iter(sorted(glob.glob(self._host.path(f"{_CACHE}/{glob.escape(package)}_*.deb")))), "")

    def _cached(self, package: str, version: str) -> list[str]:
        pattern = f"{glob.escape(package)}_{glob.escape(version.replace(':', '%3a'))}_*.deb"
        return glob.glob(self._host.path(f"{_CACHE}/{pattern}"))

    @contextmanager
    def _without_starts(self) -> Iterator[None]:
        """Keep the scripts of packages from starting the kubelet."""
        if not self._host.exists(_POLICY):
            self._host.write(_POLICY, _POLICY_TEXT, 0o755)
        try:
            yield
        finally:
            self._allow_starts()

    def _allow_starts(self) -> None:
        if self._host.read(_POLICY) == _POLICY_TEXT:
            self._host.remove(_POLICY)

    def held(self) -> Collection[str]:
        """Return the packages that upgrades of the host leave alone."""
        return self._must(["apt-mark", "showhold"], "apt-mark failed").split()

    def hold(self, packages: Sequence[str]) -> Sequence[str]:
        """Keep upgrades of the host away from these packages; return those that were not held before."""
        held = self.held()
        new = [package for package in packages if package not in held]
        if new:
            self._must(["apt-mark", "hold", *new], "apt-mark failed")
        return new

    def release(self, packages: Sequence[str]) -> None:
        """Let upgrades of the host have these packages again."""
        present = [package for package in packages if self.installed(package)]
        if present:
            self._must(["apt-mark", "unhold", *present], "apt-mark failed")

    def remove(self, packages: Sequence[str]) -> Sequence[str]:
        """Remove these packages; return those that stay, because others need them."""
        broken = sorted(set(self._broken()).intersection(packages))
        if broken:  # apt refuses all work as long as it has no file of such a package
            self._must(
                ["dpkg", "--purge", "--force-remove-reinstreq", "--force-depends", *broken],
                "dpkg could not remove packages that it has unpacked in part",
            )
        present = [package for package in packages if self.installed(package) or self._has_config(package)]
        going = set(present)
        while going:
            output = self._must(
                ["apt-get", "purge", "-s", *self._options, "--allow-change-held-packages", *sorted(going)],
                "apt could not plan the removal of packages",
            )
            others = set(_REMOVED.findall(output)) - going
            needed = {package for package in going if others and self._needed_by(package, others)}
            if not others:
                self._must(
                    ["apt-get", "purge", "-q", "-y", *self._options, "--allow-change-held-packages", *sorted(going)],
                    "apt could not remove packages",
                )
                break
            going = going - needed if needed else set()
        return sorted(set(present) - going)

    def _has_config(self, package: str) -> bool:
        result = self._host.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", package])
        return result.code == 0 and result.output[1:2] == "c"

    def _needed_by(self, package: str, others: Collection[str]) -> bool:
        fields = self._host.run(
            ["dpkg-query", "-W", "-f", "${Depends}, ${Pre-Depends}, ", *(name.split(":")[0] for name in sorted(others))]
        ).output
        words = {word.split()[0].split(":")[0] for word in re.split(r"[,|]", fields) if word.split()}
        return package in words


def _must_update(result: CommandResult) -> None:
    # With some failures apt-get update ends with 0, and warns.
    failed = [line for line in result.errors.splitlines() if line.startswith(("E:", "W: Failed to fetch", "W: GPG"))]
    if result.code != 0 or failed:
        raise HostError(f"apt could not read the source of packages: {failed[0][3:] if failed else result.complaint()}")
