# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands for dnf and rpm, run with dnf 4 itself in a root directory of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._dnf import Dnf
from ansible_collections.configok.node.plugins.module_utils._machine_host._files import Changes
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import Host, HostError
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import HostState
from ansible_collections.configok.node.plugins.module_utils._machine_host._packages import (
    WantedPackage,
    WantedPackages,
    change_packages,
    preview_packages,
)

PROGRAMS = ("dnf", "rpm", "rpmbuild", "createrepo_c")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)}: not installed (packages dnf, rpm, createrepo-c)"),
    pytest.mark.skipif(os.geteuid() != 0, reason="rpm installs packages as root only"),
]
OLD, NEW = "1.33.5-3.el9_4", "1.34.9-3.el9_4"  # as releases of RHEL are spelled
SPEC = """Name: kubelet
Version: {version}
Release: {release}
Summary: A program
License: MIT
BuildArch: noarch
Requires: kubernetes-cni
%description
A program.
%package -n kubernetes-cni
Summary: Plugins
%description -n kubernetes-cni
Plugins.
%install
mkdir -p %{{buildroot}}/srv
echo {version} > %{{buildroot}}/srv/kubelet
%files
/srv/kubelet
%files -n kubernetes-cni
"""
UNREACHABLE = "[elsewhere]\nname=Elsewhere\nbaseurl=http://127.0.0.1:9/\nretries=1\ntimeout=5\n"


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a repository for each minor."""
    top = tmp_path_factory.mktemp("rpm")
    for name_version in (OLD, NEW):
        version, _dash, release = name_version.partition("-")
        (top / "kubelet.spec").write_text(SPEC.format(version=version, release=release))
        target = top / version[:4]
        build = ["rpmbuild", "-bb", f"--define=_topdir {top}/build", f"--define=_rpmdir {target}", "kubelet.spec"]
        for command in (build, ["createrepo_c", "-q", str(target)]):
            subprocess.run(command, cwd=top, check=True, capture_output=True)
    return top


@pytest.fixture
def dnf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dnf:
    programs = tmp_path / "programs"
    for directory in (programs, tmp_path / "etc/yum.repos.d", tmp_path / "etc/dnf"):
        directory.mkdir(parents=True)
    (tmp_path / "etc/dnf/dnf.conf").write_text("[main]\nexcludepkgs=\nbest=True\n")
    commands = {"dnf": f"--installroot={tmp_path} --releasever=9", "rpm": f"--root {tmp_path}"}
    for name, options in commands.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {shutil.which(name)} {options} "$@"\n')
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return Dnf(Host(str(tmp_path)))


def declared(repositories: Path, version: str) -> WantedPackages:
    source = f"[kubernetes]\nname=Kubernetes\nbaseurl=file://{repositories}/{version[:4]}/\ngpgcheck=0\n"
    return WantedPackages((WantedPackage("kubelet", version, ()),), source=source)


def test_a_minor_goes_up_held_and_down_without_a_source(dnf: Dnf, repositories: Path, tmp_path: Path) -> None:
    assert dnf.unusable() == ""
    host, state = Host(str(tmp_path)), HostState("w1", created=True)
    program = tmp_path / "srv/kubelet"
    for version in (OLD, NEW):
        machine_packages = declared(repositories, version.partition("-")[0])
        changes, refusals = preview_packages(state, dnf, machine_packages, rollback=False)
        assert refusals == []
        assert [change.after for change in changes] == [version]
        change_packages(host, state, dnf, machine_packages, Changes())
        state.in_progress = False
        assert dnf.installed("kubelet") == version
        assert program.read_text().strip() == version.partition("-")[0]
    assert state.packages == {"kubelet": "", "kubernetes-cni": ""}
    assert state.held == ["kubelet"]
    assert (tmp_path / "etc/dnf/dnf.conf").read_text() == "[main]\nexcludepkgs=kubelet\nbest=True\n"
    assert sorted(dnf.kept()) == [("kubelet", OLD), ("kubelet", NEW)]
    (tmp_path / "etc/yum.repos.d/elsewhere.repo").write_text(UNREACHABLE)
    change_packages(host, state, dnf, declared(repositories, "1.33.5"), Changes(), action="rollback")
    assert dnf.installed("kubelet") == OLD
    assert program.read_text().strip() == "1.33.5"
    assert dnf.remove(["kubelet"]) == []
    assert dnf.installed("kubelet") == ""


def test_what_a_source_does_not_have_is_refused(dnf: Dnf, repositories: Path) -> None:
    changes, refusals = preview_packages(None, dnf, declared(repositories, "1.34.10"), rollback=False)
    assert changes == []
    assert refusals == [f"no source of packages offers kubelet 1.34.10: there is {NEW}"]
    (_none, refusals) = preview_packages(
        None, dnf, WantedPackages((WantedPackage("kubelet", "", ()),), source=UNREACHABLE), rollback=False
    )
    assert refusals[0].startswith("dnf could not read the source of packages: Error: Failed to download metadata")


def test_a_package_that_is_not_kept_is_fetched_up_and_down(dnf: Dnf, repositories: Path, tmp_path: Path) -> None:
    (source,) = dnf.source_files(declared(repositories, NEW).source, "")
    other = declared(repositories, OLD).source.replace("[kubernetes]", "[other]")
    for name, text in (("configok-machine", source.content), ("other", other)):
        (tmp_path / f"etc/yum.repos.d/{name}.repo").write_text(text)
    for version in (NEW, OLD, NEW):
        dnf.keep("kubelet", version)
        dnf.install({"kubelet": version}, [])
        dnf.forget("kubelet", version)
        dnf.keep("kubelet", version)  # installed, and kept again
        dnf.forget("kubelet", version)
        assert dnf.installed("kubelet") == version
    with pytest.raises(HostError, match=r"dnf could not download kubelet-1\.0-1"):
        dnf.keep("kubelet", "1.0-1")
