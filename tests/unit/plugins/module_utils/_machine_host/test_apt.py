# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of Debian packages, and what apt and dpkg answer in bad moments. The rest is tested on real nodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host import _apt
from ansible_collections.configok.node.plugins.module_utils._machine_host._apt import KEYRING, Apt, apt_source_files
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import (
    CommandResult,
    Host,
    HostError,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import KEPT

STANZA = "Types: deb\nURIs: https://example.org/\nSuites: /\n"


@pytest.mark.parametrize(
    ("source", "key", "written"),
    [
        ("deb https://example.org/ /", "K", f"deb [signed-by={KEYRING}] https://example.org/ /\n"),
        ("deb [arch=amd64] https://e.org/ /", "K", f"deb [signed-by={KEYRING} arch=amd64] https://e.org/ /\n"),
        ("deb [signed-by=/own.asc] https://e.org/ /", "K", "deb [signed-by=/own.asc] https://e.org/ /\n"),
        ("deb [trusted=yes] https://e.org/ /\n", "", "deb [trusted=yes] https://e.org/ /\n"),
        (STANZA, "K", f"{STANZA}Signed-By: {KEYRING}\n"),
        (f"{STANZA}Signed-By: /own.asc", "K", f"{STANZA}Signed-By: /own.asc\n"),
        (STANZA, "", STANZA),
    ],
)
def test_a_source_names_its_key(source: str, key: str, written: str) -> None:
    *keys, file = apt_source_files(source, key)
    assert file.content == written
    assert file.path.endswith(".list" if written.startswith("deb") else ".sources")
    assert [(part.path, part.content) for part in keys] == ([(KEYRING, f"{key}\n")] if key else [])


def test_a_host_with_sources_of_its_own_gets_none() -> None:
    assert apt_source_files(" ", "K") == []


class Answers(Host):
    """A host whose commands answer as listed. answers: by the beginning of the command, in turn."""

    def __init__(self, root: Path, answers: dict[str, list[CommandResult]]) -> None:
        super().__init__(str(root))
        self.answers = answers
        self.calls: list[str] = []

    def run(self, command: Sequence[str], *, text: str = "", timeout: float = 0) -> CommandResult:
        del text, timeout
        line = " ".join(command)
        self.calls.append(line)
        for beginning, answers in self.answers.items():
            if line.startswith(beginning):
                return answers.pop(0) if len(answers) > 1 else answers[0]
        return CommandResult(0, "", "")


LOCKS = (
    "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)\nE: Unable to lock directory",
    "dpkg: error: dpkg frontend lock was locked by another process with pid 7",
    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
)


@pytest.mark.parametrize("message", LOCKS)
def test_a_lock_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    monkeypatch.setattr(_apt, "_POLL", 0.0)
    locked, done = CommandResult(100, "", message), CommandResult(0, "", "")
    host = Answers(tmp_path, {"apt-get update": [locked, done], "apt-mark hold": [locked, locked, done]})
    Apt(host).refresh(everything=True)
    Apt(host).hold(["kubelet"])
    assert [call.split()[1] for call in host.calls] == ["update", "update", "showhold", "hold", "hold", "hold"]


def test_a_lock_that_stays_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_apt, "_POLL", 0.0)
    monkeypatch.setattr(_apt, "_PATIENCE", 0.0)
    host = Answers(tmp_path, {"apt-get update": [CommandResult(100, "", LOCKS[0])]})
    with pytest.raises(HostError, match="held by process 7"):
        Apt(host).refresh(everything=True)


BROKEN = {
    "dpkg --audit": [CommandResult(0, "The following packages are in a mess", "")],
    "dpkg-query -W -f ${db:Status-Abbrev}|${Version} kubelet": [CommandResult(0, "iHR|1.34.8-1.1", "")],
    "dpkg-query -W -f ${db:Status-Abbrev}|${Package}": [CommandResult(0, "ii |bash\niHR|kubelet\niU |runc\n", "")],
}


def test_a_package_that_was_unpacked_in_part_is_unpacked_again(tmp_path: Path) -> None:
    host = Answers(tmp_path, BROKEN)
    host.write(f"{KEPT}/kubelet_1.34.8-1.1.deb", "")
    assert Apt(host).installed("kubelet") == "1.34.8-1.1"
    Apt(host).repair()
    *_queries, unpack, configure = host.calls
    assert unpack.endswith(f"--unpack {tmp_path}{KEPT}/kubelet_1.34.8-1.1.deb")
    assert configure.endswith("--configure -a")
    assert not host.exists("/usr/sbin/policy-rc.d")


def test_a_package_that_was_unpacked_in_part_and_has_no_file_is_fetched(tmp_path: Path) -> None:
    host = Answers(tmp_path, BROKEN)
    Apt(host).repair()
    assert [call for call in host.calls if call.startswith("apt-get install") and "--fix-broken" in call]


def test_a_package_that_was_unpacked_in_part_can_be_removed(tmp_path: Path) -> None:
    host = Answers(tmp_path, BROKEN)
    Apt(host).remove(["kubelet"])
    assert [call for call in host.calls if call.startswith("dpkg --purge") and call.endswith(" kubelet")]


def test_only_packages_that_are_new_are_recorded(tmp_path: Path) -> None:
    plan = (
        "Inst kubelet [1.34.8-1.1] (1.34.9-1.1 local [amd64])\nInst conntrack (1:1.4.7 Debian [amd64])\n"
        "Inst libx:i386 (1 Debian [i386])\nConf kubelet (1.34.9-1.1 local [amd64])\n"
    )
    host = Answers(tmp_path, {"apt-get install": [CommandResult(0, plan, "")]})
    assert set(Apt(host).new_packages({"kubelet": "1.34.9-1.1"}, ["conntrack"])) == {"conntrack", "libx"}


def test_the_hosts_own_sources_are_previewed_too(tmp_path: Path) -> None:
    host = Answers(tmp_path, {})
    host.write("/etc/apt/sources.list.d/debian.sources", STANZA)
    host.write("/etc/apt/sources.list.d/configok-machine.list", "deb http://old/ /\n")
    seen = []
    for everything in (False, True):
        with Apt(host).previewed(apt_source_files(STANZA, ""), everything=everything):
            directory = next(word for word in host.calls[-1].split() if word.startswith("Dir::Etc::sourceparts="))
            seen.append(sorted(path.name for path in Path(directory.partition("=")[2]).iterdir()))
    assert seen == [["configok-machine.sources"], ["configok-machine.sources", "debian.sources"]]
