# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Log lines: for journald with levels, for people with names, always one line each."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from support.fuzz.hostile import FORGED, unsafe_texts

Entry = Callable[[str], ModuleType]


@pytest.mark.contract("journal.structured")
def test_one_line_with_fields(entry: Entry) -> None:
    stream = io.StringIO()
    journal = entry("_output").StreamJournal(stream, prefixed=False)
    journal("warning", "two\nlines", uid="abc", reason='said "no" twice', empty="", count=3)
    assert stream.getvalue() == 'warning: two lines uid=abc reason="said \\"no\\" twice" empty="" count=3\n'


@pytest.mark.contract("shown.sanitized")
def test_nothing_forges_a_line(entry: Entry, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither on a terminal, nor in the journal, where the fields of one entry are lines as well."""
    stream = io.StringIO()
    sent: list[dict[str, str]] = []
    output = entry("_output")
    output.StreamJournal(stream, prefixed=True)("warning", f"the API says {FORGED}", reason=FORGED, count=3)

    def send(fields: dict[str, str]) -> bool:
        sent.append(fields)
        return True

    output.NativeJournal(send, output.StreamJournal(stream, prefixed=True))("info", FORGED, uid=FORGED)
    output.complain(f"cannot be read: {FORGED}")
    output.show(f"two\nlines {FORGED.replace(chr(10), '')}")
    shown = capsys.readouterr()
    assert unsafe_texts([stream.getvalue(), sent, shown.out, shown.err]) == []
    assert "\n" not in "".join(sent[0].values())
    assert [text.count("\n") for text in (stream.getvalue(), shown.err, shown.out)] == [1, 1, 2]


def test_levels_as_journald_reads_them(entry: Entry) -> None:
    stream = io.StringIO()
    journal = entry("_output").StreamJournal(stream, prefixed=True)
    for level in ("debug", "info", "notice", "warning", "error", "critical"):
        journal(level, "x")
    assert stream.getvalue() == "<7>x\n<6>x\n<5>x\n<4>x\n<3>x\n<2>x\n"


@pytest.mark.contract("journal.structured")
def test_journald_is_known_by_its_stream(entry: Entry, tmp_path: Path) -> None:
    for prefix in ("", "<6>"):
        with (tmp_path / "log").open("w+") as stream:
            found = os.fstat(stream.fileno())
            named = f"{found.st_dev}:{found.st_ino}" if prefix else "1:2"
            entry("_output").journal_for(stream, {"JOURNAL_STREAM": named})("info", "x")
            stream.seek(0)
            assert stream.read() == (f"{prefix}x\n" if prefix else "info: x\n")


def test_a_stream_that_is_gone_is_no_fault(entry: Entry) -> None:
    stream = io.StringIO()
    stream.close()
    entry("_output").StreamJournal(stream, prefixed=False)("info", "x")


def test_journald_gets_the_line_and_each_field(entry: Entry) -> None:
    sent: list[dict[str, str]] = []
    stream = io.StringIO()
    output = entry("_output")

    def send(fields: dict[str, str]) -> bool:
        sent.append(fields)
        return len(sent) == 1

    journal = output.NativeJournal(send, output.StreamJournal(stream, prefixed=True))
    for _again in range(2):
        journal("error", "rolled\nback", component="kubelet", uid="abc", assignment=7, message_id="0" * 32)
    line = "rolled back component=kubelet uid=abc assignment=7"
    assert sent[0] == {
        "MESSAGE": line,
        "PRIORITY": "3",
        "SYSLOG_IDENTIFIER": "configok-agent",
        "CONFIGOK_COMPONENT": "kubelet",
        "CONFIGOK_UID": "abc",
        "CONFIGOK_ASSIGNMENT": "7",
        "MESSAGE_ID": "0" * 32,
    }
    assert stream.getvalue() == f"<3>{line}\n"  # the second one, which journald did not get


def test_lines_and_fields_are_bounded(entry: Entry) -> None:
    sent: list[dict[str, str]] = []
    stream = io.StringIO()
    output = entry("_output")

    def send(fields: dict[str, str]) -> bool:
        sent.append(fields)
        return True

    output.NativeJournal(send, output.StreamJournal(stream, prefixed=True))("error", "m" * 100_000, uid="u" * 100_000)
    assert max(len(value) for value in sent[0].values()) == 8 * 1024
    output.StreamJournal(stream, prefixed=True)("error", "m" * 100_000)
    assert len(stream.getvalue()) < 9 * 1024
