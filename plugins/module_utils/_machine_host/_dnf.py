# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of Red Hat's family."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ._host_access import Host, HostError
from ._package_manager import HostFile, SystemPackages, names_of
from ._source_texts import dnf_source_warnings, has_password, signed_dnf_source
from ._versions import compare

_KEY = "/etc/pki/rpm-gpg/RPM-GPG-KEY-configok-machine"
_SOURCE = "/etc/yum.repos.d/configok-machine.repo"
_CONFIG = "/etc/dnf/dnf.conf"
_EXCLUDES = re.compile(r"^(excludepkgs|exclude)[ \t]*=[ \t]*(.*)$", re.MULTILINE)
_SECTION = re.compile(r"^\[([^\]]+)\]", re.MULTILINE)
_EPOCH = re.compile(r"^\(none\):|^0:")
_ESSENTIAL = ("bash", "filesystem", "glibc", "rpm", "setup")
_NO_EXCLUDES = "--disableexcludes=all"
_INSTALL = (_NO_EXCLUDES, "--setopt=install_weak_deps=False")
_NO_SOURCES = "--disablerepo=*"
_UNREADABLE = "dnf could not read the source of packages"
# In dnf's plan: a section, with a row for each package.
_ADDED = re.compile(r"^Installing.*:\n((?: .*\n)*)", re.MULTILINE)
_ROW = re.compile(r"^ (\S+)", re.MULTILINE)


def dnf_source_files(source: str, key: str) -> list[HostFile]:
    """Return the files of a source, sections of which each names the key unless it names one."""
    if not source.strip():
        return []
    text = source.strip() + "\n"
    keys = [HostFile(_KEY, key.strip() + "\n")] if key else []
    mode = 0o600 if has_password(text) else 0o644
    return [*keys, HostFile(_SOURCE, signed_dnf_source(text, _KEY) if key else text, mode)]


class Dnf(SystemPackages):
    """dnf and rpm of a host. preview: options that let dnf read other sources without a change of the host."""

    name = "dnf"
    source_paths = (_KEY, _SOURCE)
    source_files = staticmethod(dnf_source_files)
    source_warnings = staticmethod(dnf_source_warnings)

    def __init__(self, host: Host, preview: Sequence[str] = ()) -> None:
        super().__init__(host, ".rpm")
        self._dnf = ["dnf", "-q", "-y", *preview]

    def unusable(self) -> str:
        """Return why it cannot be used on this host."""
        if not self._host.has("dnf") or not self._host.has("rpm"):
            return "dnf and rpm were not found on the host: RPMHost is for RHEL and its descendants"
        # dnf 5 has neither --disableexcludes nor --downloaddir.
        if self._host.run(["dnf", "--version"]).output.startswith("dnf5"):
            return "the host has dnf 5, and RPMHost works with dnf 4 only, as RHEL and its descendants have it"
        return ""

    def installed(self, package: str) -> str:
        """Return the installed version, "" for none."""
        result = self._host.run(["rpm", "-q", "--qf", "%{EPOCH}:%{VERSION}-%{RELEASE}\n", package])
        lines = result.output.split()
        return _EPOCH.sub("", lines[-1]) if result.code == 0 and lines else ""

    def all_installed(self) -> Collection[str]:
        """Return the names of all installed packages."""
        return set(self._host.must(["rpm", "-qa", "--qf", "%{NAME}\n"], "rpm failed").split())

    def essential(self) -> Collection[str]:
        """Return packages that no host is without."""
        return _ESSENTIAL

    def offered(self, package: str) -> Sequence[str]:
        """Return the versions that the sources offer."""
        command = [*self._dnf, "list", "--showduplicates", _NO_EXCLUDES, package]
        rows = [line.split() for line in self._host.run(command).output.splitlines()]
        versions = [_EPOCH.sub("", row[1]) for row in rows if len(row) == 3 and row[0].rpartition(".")[0] == package]
        return sorted(set(versions))

    def refresh(self, *, everything: bool) -> None:
        """Read the sources again: our own alone, or everything."""
        options = [] if everything else _only(self._host.read(_SOURCE) or "")
        if options or everything:
            self._host.must([*self._dnf, "makecache", *options], _UNREADABLE)

    @contextmanager
    def previewed(self, files: Sequence[HostFile], *, everything: bool = False) -> Iterator[Dnf]:
        """Return dnf as if it had these files of a source, and had read it. Changes nothing.

        Raises HostError if the source cannot be read. everything: with the host's own, which dnf reads when needed.
        """
        if everything:
            yield self
            return
        directory = tempfile.mkdtemp(prefix="configok-dnf-")
        try:
            os.mkdir(f"{directory}/repositories")
            options: list[str] = []
            for file in files:
                inside = os.path.basename(_KEY) if file.path == _KEY else f"repositories/{os.path.basename(file.path)}"
                with open(f"{directory}/{inside}", "w", encoding="utf-8") as handle:
                    handle.write(file.content.replace(_KEY, f"{directory}/{os.path.basename(_KEY)}"))
                options += _only(file.content) if file.path == _SOURCE else []
            options += [f"--setopt=reposdir={directory}/repositories", f"--setopt=cachedir={directory}/cache"]
            other = Dnf(self._host, options)
            self._host.must([*other._dnf, "makecache"], _UNREADABLE)
            yield other
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def keep(self, package: str, version: str) -> None:
        """Fetch a package into the kept files."""
        if (package, version) in self.kept():
            return
        scratch = self._scratch()
        name_version = f"{package}-{version}"
        command = [*self._dnf, _NO_EXCLUDES, f"--downloaddir={self._host.path(scratch)}", "--downloadonly"]
        present = self.installed(package)
        verb = "install" if not present else "reinstall" if present == version else "upgrade"
        result = self._host.run([*command, verb, name_version])
        if present and not self._host.names(scratch):
            result = self._host.run([*command, "downgrade", name_version])
        for name in self._host.names(scratch):
            file = f"{scratch}/{name}"
            fields = self._host.run(
                ["rpm", "-qp", "--qf", "%{NAME} %{EPOCH}:%{VERSION}-%{RELEASE}\n", self._host.path(file)]
            ).output.split()
            if len(fields) == 2 and fields[0] == package and _EPOCH.sub("", fields[1]) == version:
                self._accept(file, package, version)
                return
        raise HostError(f"dnf could not download {name_version}: {result.complaint()}")

    def repair(self) -> None:
        """Do nothing: an rpm transaction that was killed is repeated as a whole."""

    def download(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Fetch everything else that an installation of these needs into dnf's cache."""
        new = self._sort(packages, extra)[0]
        if new:
            what = f"dnf cannot install {names_of(packages, extra)}"
            self._install(["--downloadonly", "install", *new], what, needs_sources=bool(extra))

    def new_packages(self, packages: Mapping[str, str], extra: Sequence[str]) -> Collection[str]:
        """Return the packages that an installation of these would add to the host."""
        new = self._sort(packages, extra)[0]
        added = {*packages, *extra}
        for options in ([], [_NO_SOURCES]) if new else ():
            # With -q it shows no plan.
            plan = self._host.run(["dnf", "--assumeno", *_INSTALL, *options, "install", *new]).output
            added.update(name for section in _ADDED.findall(plan) for name in _ROW.findall(section))
        return {name for name in added if not self.installed(name)}

    def install(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        """Install these packages from kept files, up or down, and the newest of extra."""
        new, older = self._sort(packages, extra)
        names = names_of(packages, extra)
        if new:
            self._install(["install", *new], f"dnf could not install {names}", needs_sources=bool(extra))
        if older:
            self._install(["downgrade", *older], f"dnf could not install {names}", needs_sources=False)

    def _install(self, words: Sequence[str], what: str, *, needs_sources: bool) -> None:
        # dnf reads all sources first and fails with one that it cannot reach. Most rollbacks need none of them.
        if needs_sources or self._host.run([*self._dnf, *_INSTALL, _NO_SOURCES, *words]).code != 0:
            self._host.must([*self._dnf, *_INSTALL, *words], what)

    def _sort(self, packages: Mapping[str, str], extra: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return what is to be installed or upgraded, and what is to be downgraded."""
        new: list[str] = list(extra)
        older: list[str] = []
        for package, version in packages.items():
            file = self._host.path(self.kept_path(package, version))
            present = self.installed(package)
            (older if present and compare(version, present) < 0 else new).append(file)
        return new, older

    def held(self) -> Collection[str]:
        """Return the packages that upgrades of the host leave alone."""
        present = _EXCLUDES.search(self._host.read(_CONFIG) or "")
        return re.split(r"[\s,]+", present[2].strip()) if present else []

    def hold(self, packages: Sequence[str]) -> Sequence[str]:
        """Keep upgrades of the host away from these packages; return those that were not held before."""
        text = self._host.read(_CONFIG) or "[main]\n"
        present = _EXCLUDES.search(text)
        words = re.split(r"[\s,]+", present[2].strip()) if present and present[2].strip() else []
        new = [package for package in packages if package not in words]
        if new:
            self._write_excludes(text, present, [*words, *new])
        return new

    def release(self, packages: Sequence[str]) -> None:
        """Let upgrades of the host have these packages again."""
        text = self._host.read(_CONFIG) or ""
        present = _EXCLUDES.search(text)
        words = re.split(r"[\s,]+", present[2].strip()) if present else []
        left = [word for word in words if word and word not in packages]
        if present and left != words:
            self._write_excludes(text, present, left)

    def _write_excludes(self, text: str, present: re.Match[str] | None, words: Sequence[str]) -> None:
        if present is None:
            text = f"{text.rstrip()}\nexcludepkgs={' '.join(words)}\n"
        elif words:
            text = f"{text[: present.start()]}{present[1]}={' '.join(words)}{text[present.end() :]}"
        else:
            text = text[: present.start()] + text[present.end() :].lstrip("\n")
        self._host.write(_CONFIG, text, self._host.mode(_CONFIG) or 0o644)

    def remove(self, packages: Sequence[str]) -> Sequence[str]:
        """Remove these packages; return those that stay, because others need them."""
        present = [package for package in packages if self.installed(package)]
        if not present:
            return []
        test = self._host.run(["rpm", "-e", "--test", *present])
        going = present
        if test.code != 0:
            needed = set(re.findall(r"is needed by \(installed\) (\S+)", test.output + test.errors))
            if not needed:
                raise HostError(f"rpm could not plan the removal of packages: {test.complaint()}")
            going = [name for name in present if self._host.run(["rpm", "-e", "--test", name]).code == 0]
        if going:
            self._host.must(["rpm", "-e", *going], "rpm could not remove packages")
        return sorted(set(present) - set(going))


def _only(repository: str) -> list[str]:
    """Return the options that leave only the sections of a repository's file, [] for none."""
    sections = [f"--enablerepo={section}" for section in _SECTION.findall(repository)]
    return [_NO_SOURCES, *sections] if sections else []
