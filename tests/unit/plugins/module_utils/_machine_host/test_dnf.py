# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands for dnf and rpm, run against programs that keep a database and record their calls."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._dnf import Dnf, dnf_source_files
from ansible_collections.configok.node.plugins.module_utils._machine_host._files import Changes
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import Host, HostError
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import HostState
from ansible_collections.configok.node.plugins.module_utils._machine_host._packages import (
    WantedPackage,
    WantedPackages,
    change_packages,
    preview_packages,
)

# A package file holds its name and its version; the database is a directory with a file for each package.
RPM = """#!/bin/sh
echo "rpm $*" >> "$DB/calls"
case "$1 $2" in
"-q --qf") [ -e "$DB/installed/$4" ] || exit 1; echo "(none):$(cat "$DB/installed/$4")" ;;
"-qa --qf") ls "$DB/installed" ;;
"-qp --qf") sed 's/ / (none):/' "$4" ;;
"-e --test")
  for name; do
    [ "$name" != needed ] || { echo "needed is needed by (installed) other-1"; exit 1; }
  done ;;
"-e "*) shift; for name; do rm "$DB/installed/$name"; done ;;
esac
"""
# As dnf does, it knows what the files of its repositories lead to, and fails if it cannot read one that is enabled.
DNF = f"""#!{sys.executable}
import configparser, fnmatch, os, pathlib, shutil, sys

database = pathlib.Path(os.environ["DB"])
with open(database / "calls", "a") as record:
    print("dnf", *sys.argv[1:], file=record)
words = [word for word in sys.argv[1:] if not word.startswith("-")]
options = [word.partition("=")[::2] for word in sys.argv[1:] if word.startswith("--")]
values = dict(options)
settings = dict(value.partition("=")[::2] for option, value in options if option == "--setopt")
if "--version" in values:
    print((database / "version").read_text())
    sys.exit()
repositories = configparser.ConfigParser(interpolation=None)
repositories.read(pathlib.Path(settings.get("reposdir", database / "etc/yum.repos.d")).glob("*.repo"))
enabled = set(repositories.sections())
for option, value in options:
    named = set(fnmatch.filter(repositories.sections(), value))
    enabled = enabled - named if option == "--disablerepo" else enabled | named if option == "--enablerepo" else enabled
available = {{}}
for section in sorted(enabled):
    directory = pathlib.Path(repositories[section]["baseurl"].replace("file://", ""))
    if not directory.is_dir():
        sys.exit(f"Error: Failed to download metadata for repo '{{section}}'")
    available.update((file.name[:-4], file) for file in sorted(directory.glob("*.rpm")))
verb, *names = words
if verb == "list":
    for name_version in available:
        name, _dash, version = name_version.partition("-")
        if name in names:
            print(f"{{name}}.x86_64 {{version}} kubernetes")
for name in names if verb in ("install", "upgrade", "downgrade", "reinstall") else []:
    file = pathlib.Path(name) if name.endswith(".rpm") else available.get(name)
    if file is None:
        sys.exit(f"Error: No match for argument: {{name}}")
    package, version = file.read_text().split()
    place = database / "installed" / package
    present = place.read_text().strip() if place.exists() else ""
    if verb == "upgrade" and version < present:
        continue
    if "--downloaddir" in values:
        shutil.copy(file, f"{{values['--downloaddir']}}/{{name}}.x86_64.rpm")
    else:
        place.write_text(f"{{version}}\\n")
"""
HOSTS_OWN = "etc/yum.repos.d/host.repo"


def offer(root: Path, source: str, *versions: str) -> str:
    """Add kubelets to a source, and return its section for the file of a repository."""
    directory = root / "sources" / source
    directory.mkdir(parents=True, exist_ok=True)
    for version in versions:
        (directory / f"kubelet-{version}.rpm").write_text(f"kubelet {version}\n")
    return f"[{source}]\nbaseurl=file://{directory}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "programs"
    for directory in (tmp_path / "installed", programs, tmp_path / "etc/yum.repos.d"):
        directory.mkdir(parents=True)
    for name, text in (("rpm", RPM), ("dnf", DNF)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "version").write_text("4.14.0")
    (tmp_path / HOSTS_OWN).write_text(offer(tmp_path, "host", "1.34.8-1.1", "1.34.9-1.1"))
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("DB", str(tmp_path))
    return tmp_path


@pytest.fixture
def dnf(root: Path) -> Dnf:
    return Dnf(Host(str(root)))


def calls(root: Path, program: str) -> list[str]:
    return [line for line in (root / "calls").read_text().splitlines() if line.startswith(program)]


def test_versions_are_read(dnf: Dnf) -> None:
    assert dnf.unusable() == ""
    assert dnf.installed("kubelet") == ""
    assert dnf.offered("kubelet") == ["1.34.8-1.1", "1.34.9-1.1"]


def test_a_source_is_previewed_without_a_change_of_the_host(dnf: Dnf, root: Path) -> None:
    (root / HOSTS_OWN).unlink()
    before = sorted(root.rglob("*"))
    with dnf.previewed(dnf.source_files(offer(root, "kubernetes", "1.35.0-1.1"), "KEY")) as preview:
        assert preview.offered("kubelet") == ["1.35.0-1.1"]
        (directory,) = {Path(call.partition("reposdir=")[2].split()[0]).parent for call in calls(root, "dnf")}
        (repository,) = (directory / "repositories").iterdir()
        assert f"gpgkey=file://{directory}/RPM-GPG-KEY-configok-machine\n" in repository.read_text()
        assert (directory / "RPM-GPG-KEY-configok-machine").read_text() == "KEY\n"
    assert not directory.exists()
    assert dnf.offered("kubelet") == []
    shutil.rmtree(root / "sources/kubernetes")
    (root / "calls").unlink()
    assert sorted(root.rglob("*")) == [path for path in before if "sources/kubernetes" not in str(path)]


def test_a_source_that_cannot_be_read_is_refused(dnf: Dnf, root: Path) -> None:
    files = dnf.source_files(f"[kubernetes]\nbaseurl=file://{root}/absent/\n", "")
    problem = r"dnf could not read the source of packages: Error: Failed .*'kubernetes'"
    with pytest.raises(HostError, match=problem), dnf.previewed(files):
        pass


def test_a_new_minor_is_planned_and_installed_from_its_source(dnf: Dnf, root: Path) -> None:
    host = Host(str(root))
    (root / "run/systemd/system").mkdir(parents=True)
    (root / HOSTS_OWN).unlink()
    for version in ("1.33.5", "1.34.9"):
        source = offer(root, version[:4], f"{version}-1.1")
        declared = WantedPackages((WantedPackage("kubelet", version, ()),), source=source, key="KEY")
        changes, refusals = preview_packages(HostState("w1"), dnf, declared, rollback=False)
        assert refusals == []
        assert [change.after for change in changes] == [f"{version}-1.1"]
        change_packages(host, HostState("w1"), dnf, declared, Changes())
        assert dnf.installed("kubelet") == f"{version}-1.1"


def test_a_rollback_needs_no_source(dnf: Dnf, root: Path) -> None:
    for version in ("1.34.8-1.1", "1.34.9-1.1"):
        dnf.keep("kubelet", version)
    shutil.rmtree(root / "sources")
    for version in ("1.34.9-1.1", "1.34.8-1.1"):
        dnf.install({"kubelet": version}, [])
        assert dnf.installed("kubelet") == version


def test_dnf_5_is_refused(dnf: Dnf, root: Path) -> None:
    (root / "version").write_text("dnf5 version 5.2.8.1\ndnf5 plugin API version 2.0\n")
    assert dnf.unusable().startswith("the host has dnf 5")


@pytest.mark.parametrize("version", ["1.7.24-3.el9_4", "1:1.34.9-1.1", "1.34.9~rc_1-1%5F"])
def test_a_version_of_any_spelling_is_kept(root: Path, version: str) -> None:
    dnf = Dnf(Host(str(root)))
    Host(str(root)).write(dnf.kept_path("kubelet_x", version), "")
    assert list(dnf.kept()) == [("kubelet_x", version)]
    dnf.forget("kubelet_x", version)
    assert dnf.kept() == {}


def test_a_package_goes_up_and_down_from_kept_files(dnf: Dnf, root: Path) -> None:
    for version in ("1.34.8-1.1", "1.34.9-1.1"):
        dnf.keep("kubelet", version)
        dnf.install({"kubelet": version}, [])
        assert dnf.installed("kubelet") == version
    (root / "calls").unlink()
    dnf.keep("kubelet", "1.34.8-1.1")
    dnf.install({"kubelet": "1.34.8-1.1"}, [])
    assert dnf.installed("kubelet") == "1.34.8-1.1"
    (call,) = calls(root, "dnf")
    assert call.split()[-2:] == ["downgrade", f"{root}/var/lib/configok-machine/packages/kubelet_1.34.8-1.1.rpm"]
    assert "--disableexcludes=all" in call


def test_an_older_package_is_downloaded_by_a_downgrade(dnf: Dnf, root: Path) -> None:
    (root / "installed/kubelet").write_text("1.34.9-1.1\n")
    dnf.keep("kubelet", "1.34.8-1.1")
    dnf.keep("kubelet", "1.34.9-1.1")
    assert sorted(version for _name, version in dnf.kept()) == ["1.34.8-1.1", "1.34.9-1.1"]
    verbs = [call.split()[-2] for call in calls(root, "dnf")]
    assert verbs == ["upgrade", "downgrade", "reinstall"]


def test_a_package_that_is_gone_is_named(dnf: Dnf, root: Path) -> None:
    (root / "sources/host/kubelet-1.34.9-1.1.rpm").unlink()
    with pytest.raises(HostError, match=r"dnf could not download kubelet-1\.34\.9-1\.1: Error: No match for argument"):
        dnf.keep("kubelet", "1.34.9-1.1")


def test_packages_are_held_by_excludes(dnf: Dnf, root: Path) -> None:
    config = root / "etc/dnf/dnf.conf"
    config.parent.mkdir(parents=True)
    config.write_text("[main]\nexcludepkgs=kernel*\nbest=True\n")
    assert dnf.hold(["kubelet", "containerd"]) == ["kubelet", "containerd"]
    assert dnf.hold(["kubelet", "containerd"]) == []
    assert config.read_text() == "[main]\nexcludepkgs=kernel* kubelet containerd\nbest=True\n"
    dnf.release(["kubelet", "containerd"])
    assert config.read_text() == "[main]\nexcludepkgs=kernel*\nbest=True\n"


def test_a_config_without_excludes_gets_them_and_loses_them(dnf: Dnf, root: Path) -> None:
    config = root / "etc/dnf/dnf.conf"
    config.parent.mkdir(parents=True)
    config.write_text("[main]\nbest=True\n")
    dnf.hold(["kubelet"])
    assert config.read_text() == "[main]\nbest=True\nexcludepkgs=kubelet\n"
    dnf.release(["kubelet"])
    assert config.read_text() == "[main]\nbest=True\n"


def test_empty_excludes_leave_the_next_line_alone(dnf: Dnf, root: Path) -> None:
    config = root / "etc/dnf/dnf.conf"
    config.parent.mkdir(parents=True)
    config.write_text("[main]\nexcludepkgs=\nbest=True\n")
    dnf.hold(["kubelet"])
    assert config.read_text() == "[main]\nexcludepkgs=kubelet\nbest=True\n"
    dnf.release(["kubelet"])
    assert config.read_text() == "[main]\nbest=True\n"


def test_what_others_need_stays(dnf: Dnf, root: Path) -> None:
    for name in ("kubelet", "needed"):
        (root / "installed" / name).write_text("1-1\n")
    assert dnf.remove(["absent", "kubelet", "needed"]) == ["needed"]
    assert [path.name for path in (root / "installed").iterdir()] == ["needed"]


def test_the_source_names_its_key() -> None:
    section = "[kubernetes]\nbaseurl=https://example.org/\n"
    key, repository = dnf_source_files(section, "KEY")
    assert key.content == "KEY\n"
    assert repository.content == f"{section}gpgcheck=1\ngpgkey=file://{key.path}\n"
    (own,) = dnf_source_files(f"{section}gpgkey=https://example.org/key\n", "")
    assert own.content == f"{section}gpgkey=https://example.org/key\n"
    assert dnf_source_files("", "KEY") == []
