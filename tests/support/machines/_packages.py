# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A signed apt repository for bare machines, in the cache: Kubernetes' packages and what they need of Debian's.

It has the kubelet in three versions, each of which installs, enables and starts a unit as Kubernetes' own packages do:
the one that this machine has; the next one, from $KUBEBUILDER_ASSETS_NEXT or the same binary with another version
string; and one that does not start. The container runtime is Debian's, in two revisions. Debian has no CRI-O: the
package cri-o is containerd under the names of CRI-O, its unit, its socket and its directories.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from support.api.binaries import Unavailable, cache_directory, find, release_of

from ._commands import CommandFailed, run
from ._tree import tree

__all__ = ["Repository", "repository"]

_NEEDED = (
    *("containerd", "runc", "containernetworking-plugins", "iptables", "ebtables", "conntrack", "ethtool", "socat"),
    *("python3-yaml", "python3-urllib3", "python3-apt"),
)
_DEPENDS = "conntrack, ebtables, ethtool, iproute2, iptables, mount, socat, util-linux"
_UNIT = """[Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
"""
# As debhelper writes them for a package with a unit.
_SCRIPTS = {
    "postinst": """#!/bin/sh
set -e
if [ "$1" = configure ]; then
  deb-systemd-helper unmask kubelet.service >/dev/null || true
  if deb-systemd-helper --quiet was-enabled kubelet.service; then
    deb-systemd-helper enable kubelet.service >/dev/null || true
  else
    deb-systemd-helper update-state kubelet.service >/dev/null || true
  fi
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
    if [ -n "$2" ]; then action=restart; else action=start; fi
    deb-systemd-invoke "$action" kubelet.service >/dev/null || true
  fi
fi
""",
    "prerm": """#!/bin/sh
set -e
if [ -d /run/systemd/system ] && [ "$1" = remove ]; then
  deb-systemd-invoke stop kubelet.service >/dev/null || true
fi
""",
    "postrm": """#!/bin/sh
set -e
if [ -d /run/systemd/system ] && [ "$1" = remove ]; then systemctl --system daemon-reload >/dev/null || true; fi
if [ "$1" = purge ]; then deb-systemd-helper purge kubelet.service >/dev/null || true; fi
""",
}
_BROKEN = """#!/bin/sh
if [ "$1" = --version ]; then echo "Kubernetes v{version}"; exit 0; fi
echo "kubelet {version}: this build of the tests does not start" >&2
exit 1
"""
_CRIO = "1.20.0-1.1"
_CRIO_UNIT = """[Unit]
Description=containerd under the names of CRI-O

[Service]
ExecStart=/usr/bin/containerd --config /usr/share/crio/config.toml
Delegate=yes
KillMode=process
Restart=always

[Install]
WantedBy=multi-user.target
"""
_CRIO_CONFIG = """version = 2
root = "/var/lib/containers"
state = "/run/crio/state"
[grpc]
  address = "/run/crio/crio.sock"
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
"""
_MINUTES = 60.0


class Repository(NamedTuple):
    """A repository. directory: what a web server has to serve; kubelets, runtimes: the versions of the packages.

    kubelets: this machine's, the next one, and the one that does not start; runtimes: of containerd, the older first.
    notes: what is not as its name says. key: armored.
    """

    directory: Path
    key: str
    kubelets: tuple[str, str, str]
    runtimes: tuple[str, str]
    notes: tuple[str, ...]


def repository(distribution: str) -> Repository:
    """Return the repository of a distribution, built if it is missing. Raises Unavailable."""
    for program in ("apt-get", "dpkg-deb", "gpg"):
        if shutil.which(program) is None:
            raise Unavailable(f"{program} was not found on PATH: no packages can be made for bare machines")
    kubelets = _kubelets()
    identity = [Path(__file__).read_text(), *(f"{path} {path.stat().st_mtime_ns}" for path in kubelets)]
    digest = hashlib.sha256("\n".join(identity).encode()).hexdigest()[:12]
    parent = cache_directory() / "packages"
    parent.mkdir(parents=True, exist_ok=True)
    directory = parent / f"{distribution}-{digest}"
    with (parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not directory.exists():
            with tempfile.TemporaryDirectory(dir=parent, prefix=".new-") as work:
                try:
                    _build(Path(work), distribution, kubelets)
                except (CommandFailed, subprocess.TimeoutExpired) as problem:
                    raise Unavailable(f"the packages for bare machines could not be made: {problem}") from problem
                Path(work, "repository").rename(directory)
    facts = json.loads((directory / "facts.json").read_text())
    return Repository(
        directory,
        (directory / "key.asc").read_text(),
        (facts["kubelets"][0], facts["kubelets"][1], facts["kubelets"][2]),
        (facts["runtimes"][0], facts["runtimes"][1]),
        tuple(facts["notes"]),
    )


def _kubelets() -> list[Path]:
    """Return this machine's kubelet, and the next one if the user has named one."""
    following = os.environ.get("KUBEBUILDER_ASSETS_NEXT")
    return [find("kubelet"), *([Path(following) / "kubelet"] if following else [])]


def _build(work: Path, distribution: str, kubelets: Sequence[Path]) -> None:
    """Write the repository into a directory of this name in `work`."""
    files = work / "repository"
    files.mkdir()
    notes: list[str] = []
    runtimes = _fetch(work, files, distribution, notes)
    first = release_of(kubelets[0])
    if len(kubelets) > 1:
        following, second = kubelets[1], release_of(kubelets[1])
    else:
        second = _increment(first)
        following = work / "kubelet"
        following.write_bytes(kubelets[0].read_bytes().replace(f"v{first}".encode(), f"v{second}".encode()))
        following.chmod(0o755)
        notes.append(
            f"kubelet {second} is {first} with another version string: KUBEBUILDER_ASSETS_NEXT can name a real one"
        )
    broken, last = work / "broken", _increment(second)
    broken.write_text(_BROKEN.format(version=last))
    broken.chmod(0o755)
    versions = [
        _package(work, files, program, release)
        for program, release in ((kubelets[0], first), (following, second), (broken, last))
    ]
    _package_crio(work, files)
    notes.append("cri-o is containerd under the names of CRI-O, which Debian does not have")
    _index(work, files)
    facts = {"kubelets": versions, "runtimes": runtimes, "notes": notes}
    (files / "facts.json").write_text(json.dumps(facts))
    files.chmod(0o755)


def _increment(release: str) -> str:
    """Return the next patch release, which has the same length. Raises Unavailable if there is none."""
    minor, _dot, patch = release.rpartition(".")
    following = f"{minor}.{int(patch) + 1}"
    if len(following) != len(release):
        raise Unavailable(f"no version of the same length follows {release}: name a kubelet in KUBEBUILDER_ASSETS_NEXT")
    return following


def _fetch(work: Path, files: Path, distribution: str, notes: list[str]) -> list[str]:
    """Download what a bare machine lacks, and both revisions of containerd; return these."""
    bare = tree(distribution, "bare")
    mirror = (bare / "etc/apt/sources.list").read_text().split()[1].rstrip("/")
    (work / "sources.list").write_text(
        f"deb {mirror} {distribution} main\ndeb {mirror}-security {distribution}-security main\n"
    )
    for part in ("state/lists/partial", "cache/archives/partial"):
        (work / part).mkdir(parents=True)
    options = [
        f"-oDir::Etc::SourceList={work}/sources.list",
        "-oDir::Etc::SourceParts=-",
        f"-oDir::State={work}/state",
        f"-oDir::State::Status={bare}/var/lib/dpkg/status",  # what the machine has already
        f"-oDir::Cache={work}/cache",
        "-oAPT::Sandbox::User=root",
        "-oDebug::NoLocking=1",
        "-qq",
    ]
    run(["apt-get", *options, "update"], timeout=5 * _MINUTES)
    install = ["--yes", "--download-only", "--no-install-recommends", "install", *_NEEDED]
    run(["apt-get", *options, *install], timeout=10 * _MINUTES)
    for package in (work / "cache/archives").glob("*.deb"):
        package.rename(files / re.sub(r"_\d+%3a", "_", package.name))  # as in an archive: without the epoch
    listed = run(["apt-cache", *options[:-1], "madison", "containerd"]).stdout
    known = list(dict.fromkeys(line.split("|")[1].strip() for line in listed.splitlines()))  # newest first
    if len(known) > 1:
        download = ["apt-get", *options, "download", f"containerd={known[1]}"]
        run(["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", str(files), *download], timeout=5 * _MINUTES)
        return [known[1], known[0]]
    # A revision before the only one, with the same content.
    (package,) = files.glob("containerd_*.deb")
    older = _revision_before(known[0])
    run(["dpkg-deb", "--raw-extract", str(package), str(work / "containerd")], timeout=_MINUTES)
    control = work / "containerd/DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {older}", control.read_text()))
    run(["dpkg-deb", "-Znone", "--build", str(work / "containerd"), str(files)], timeout=_MINUTES)
    notes.append(f"containerd {older} is {known[0]} with another revision: {distribution} has only one")
    return [older, known[0]]


def _revision_before(version: str) -> str:
    """Return the version of a revision before this one; neither begins with the other.

    Raises Unavailable for a version without a number at its end that has one before it.
    """
    match = re.fullmatch(r"(.*?)([1-9][0-9]*)", version)
    if match is None:
        raise Unavailable(f"containerd {version} has no revision before it: its version does not end with a number")
    return f"{match[1]}{int(match[2]) - 1}"


def _package(work: Path, files: Path, program: Path, release: str) -> str:
    """Build the package of a kubelet; return its version."""
    version = f"{release}-1.1"
    root = work / f"kubelet-{release}"
    control = root / "DEBIAN"
    (root / "usr/bin").mkdir(parents=True)
    (root / "lib/systemd/system").mkdir(parents=True)
    control.mkdir()
    (control / "control").write_text(_control("kubelet", version, _DEPENDS))
    for name, text in _SCRIPTS.items():
        (control / name).write_text(text)
        (control / name).chmod(0o755)
    (root / "lib/systemd/system/kubelet.service").write_text(_UNIT)
    shutil.copy2(program, root / "usr/bin/kubelet")
    run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(root), str(files)], timeout=_MINUTES)
    return version


def _package_crio(work: Path, files: Path) -> None:
    """Build the package that stands for CRI-O."""
    root = work / "cri-o"
    for path, text in {
        "DEBIAN/control": _control("cri-o", _CRIO, "containerd, runc"),
        "lib/systemd/system/crio.service": _CRIO_UNIT,
        "usr/share/crio/config.toml": _CRIO_CONFIG,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(root), str(files)], timeout=_MINUTES)


def _control(package: str, version: str, depends: str) -> str:
    architecture = run(["dpkg", "--print-architecture"]).stdout.strip()
    return (
        f"Package: {package}\nVersion: {version}\nArchitecture: {architecture}\nSection: admin\nPriority: optional\n"
        f"Maintainer: configok.node authors <tests@configok.test>\nDepends: {depends}\n"
        f"Description: {package} for tests\n"
    )


def _index(work: Path, files: Path) -> None:
    """Write the index of all packages, and sign it with a key of its own."""
    stanzas = []
    for package in sorted(files.glob("*.deb")):
        control = run(["dpkg-deb", "--field", str(package)]).stdout.rstrip()
        place = f"Filename: ./{package.name}\nSize: {package.stat().st_size}\nSHA256: {_digest(package)}\n"
        stanzas.append(f"{control}\n{place}")
    index = files / "Packages"
    index.write_text("\n".join(stanzas))
    (files / "Release").write_text(
        "Origin: configok.node\nLabel: tests\nSuite: tests\n"
        f"Date: {run(['date', '--utc', '+%a, %d %b %Y %T UTC']).stdout}"
        f"SHA256:\n {_digest(index)} {index.stat().st_size} Packages\n"
    )
    # A short path: gpg's agent has a socket in it.
    with tempfile.TemporaryDirectory(prefix="gpg-") as home:
        gpg = ["gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
        try:
            run([*gpg, "--quick-generate-key", "configok.node tests", "ed25519", "sign", "never"])
            run([*gpg, "--clearsign", "--output", str(files / "InRelease"), str(files / "Release")])
            run([*gpg, "--armor", "--output", str(files / "key.asc"), "--export"])
        finally:
            run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
