# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands for dnf and rpm, run against programs that keep a database and record their calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._dnf import Dnf, dnf_source_files
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import Host, HostError

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
DNF = """#!/bin/sh
echo "dnf $*" >> "$DB/calls"
directory= verb=
for word; do
  case "$word" in
  --downloaddir=*) directory=${word#*=} ;;
  list|install|upgrade|downgrade|reinstall|makecache) verb=$word ;;
  esac
done
case "$verb" in
list) for version in 1.34.8-1.1 1.34.9-1.1; do echo "$word.x86_64 $version kubernetes"; done ;;
install|upgrade|downgrade|reinstall)
  if [ -n "$directory" ]; then
    name=${word%%-*} version=${word#*-}
    present=$(cat "$DB/installed/$name" 2>/dev/null)
    [ "$verb" = upgrade ] && [ "$version" \\< "$present" ] && exit 0
    [ -e "$DB/gone-$version" ] && { echo "Error: No match for argument" >&2; exit 1; }
    echo "$name $version" > "$directory/$word.x86_64.rpm"
  else
    for word; do
      case "$word" in *.rpm) read -r name version < "$word"; echo "$version" > "$DB/installed/$name" ;; esac
    done
  fi ;;
esac
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "programs"
    (tmp_path / "installed").mkdir()
    programs.mkdir()
    for name, text in (("rpm", RPM), ("dnf", DNF)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
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
    (root / "gone-1.34.9-1.1").touch()
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
