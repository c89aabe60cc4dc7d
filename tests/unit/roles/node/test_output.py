# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests log lines: with numeric levels for journald, with named levels on a terminal, always one line each."""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from support.fuzz.hostile import FORGED, unsafe_texts

Entry = Callable[[str], ModuleType]


def logger_with(handler: logging.Handler) -> logging.Logger:
    """Return a separate logger with one handler."""
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger


@pytest.mark.contract("journal.structured")
def test_a_record_is_one_line_with_fields(entry: Entry) -> None:
    stream = io.StringIO()
    log = logger_with(entry("_log_handlers").LineHandler(stream, prefixed=False))
    log.warning("two\nlines", extra={"uid": "abc", "reason": 'said "no" twice', "empty": "", "count": 3})
    assert stream.getvalue() == 'warning: two lines uid=abc reason="said \\"no\\" twice" empty="" count=3\n'


@pytest.mark.contract("shown.sanitized")
def test_a_message_cannot_forge_a_line(entry: Entry, capsys: pytest.CaptureFixture[str]) -> None:
    """A forged line appears neither on a terminal, nor in the journal, whose entries have one line for each field."""
    stream = io.StringIO()
    sent: list[dict[str, str]] = []
    output, handlers = entry("_output"), entry("_log_handlers")
    lines = handlers.LineHandler(stream, prefixed=True)
    logger_with(lines).warning("the API says %s", FORGED, extra={"reason": FORGED, "count": 3})

    def send(fields: dict[str, str]) -> bool:
        sent.append(fields)
        return True

    logger_with(handlers.JournaldHandler(send, lines)).info(FORGED, extra={"uid": FORGED})
    output.complain(f"cannot be read: {FORGED}")
    output.show(f"two\nlines {FORGED.replace(chr(10), '')}")
    shown = capsys.readouterr()
    assert unsafe_texts([stream.getvalue(), sent, shown.out, shown.err]) == []
    assert "\n" not in "".join(sent[0].values())
    assert [text.count("\n") for text in (stream.getvalue(), shown.err, shown.out)] == [1, 1, 2]


def test_nothing_is_a_command_for_a_pipeline(entry: Entry, capsys: pytest.CaptureFixture[str]) -> None:
    output, command = entry("_output"), "##vso[task.prependpath]/tmp"
    output.complain(command)
    output.show(command)
    output.show_json({"value": command})
    shown = capsys.readouterr()
    assert "##vso[" not in shown.out + shown.err
    assert json.loads(shown.out.splitlines()[1]) == {"value": command}


def test_levels_are_written_as_journald_reads_them(entry: Entry) -> None:
    stream = io.StringIO()
    log = logger_with(entry("_log_handlers").LineHandler(stream, prefixed=True))
    for write in (log.debug, log.info, log.warning, log.error, log.critical):
        write("x")
    assert stream.getvalue() == "<7>x\n<6>x\n<4>x\n<3>x\n<2>x\n"


@pytest.mark.contract("journal.structured")
def test_journald_is_known_by_its_stream(entry: Entry, tmp_path: Path) -> None:
    for prefix in ("", "<6>"):
        with (tmp_path / "log").open("w+") as stream:
            status = os.fstat(stream.fileno())
            named = f"{status.st_dev}:{status.st_ino}" if prefix else "1:2"
            log = logger_with(logging.NullHandler())
            entry("_log_handlers").configure(log, stream, {"JOURNAL_STREAM": named})
            log.info("x")
            stream.seek(0)
            assert stream.read() == (f"{prefix}x\n" if prefix else "info: x\n")


def test_a_closed_stream_is_not_an_error(entry: Entry) -> None:
    stream = io.StringIO()
    stream.close()
    logger_with(entry("_log_handlers").LineHandler(stream, prefixed=False)).info("x")


def test_journald_gets_the_line_and_each_field(entry: Entry) -> None:
    sent: list[dict[str, str]] = []
    stream = io.StringIO()
    handlers = entry("_log_handlers")

    def send(fields: dict[str, str]) -> bool:
        sent.append(fields)
        return len(sent) == 1

    log = logger_with(handlers.JournaldHandler(send, handlers.LineHandler(stream, prefixed=True)))
    fields = {"component": "kubelet", "uid": "abc", "assignment": 7, "message_id": "0" * 32}
    for _again in range(2):
        log.error("rolled\nback", extra=fields)
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
    handlers = entry("_log_handlers")

    def send(fields: dict[str, str]) -> bool:
        sent.append(fields)
        return True

    lines = handlers.LineHandler(stream, prefixed=True)
    logger_with(handlers.JournaldHandler(send, lines)).error("m" * 100_000, extra={"uid": "u" * 100_000})
    assert max(len(value) for value in sent[0].values()) == 8 * 1024
    logger_with(lines).error("m" * 100_000)
    assert len(stream.getvalue()) < 9 * 1024
