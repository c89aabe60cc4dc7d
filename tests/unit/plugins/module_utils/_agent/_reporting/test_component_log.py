# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The most informative message of a crashed component in the journal: bounded, without secrets."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._reporting._crash_messages import (
    ComponentLog,
    last_message,
)
from ansible_collections.configok.node.plugins.module_utils._text.redact import redact_text

HEADER = "1122 05:20:00.123456    1234 run.go:72] "
INVOCATION = "0123456789abcdef" * 2


def entries(*messages: object, identifier: str = "kubelet") -> str:
    """Return entries as journalctl writes them with --output=json."""
    return "".join(
        json.dumps({"MESSAGE": message, "SYSLOG_IDENTIFIER": identifier, "__CURSOR": "s=1"}) + "\n"
        for message in messages
    )


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("one", "two"), "two"),
        ((f"E{HEADER}first", f"E{HEADER}second", f"I{HEADER}bye"), "second"),
        ((f"F{HEADER}cannot start", f"E{HEADER}x", "goroutine 1 [running]:", "main.main()"), "cannot start"),
        (("panic: index out of range", "", "goroutine 1 [running]:"), "panic: index out of range"),
        (("Error: unknown flag: --x", "Usage:", "  kubelet [flags]"), "Error: unknown flag: --x"),
        (
            ("cannot run", "goroutine 7 [select]:", "main.(*Server).run(0xc000)", "\t/go/src/main.go:12 +0x1f"),
            "cannot run",
        ),
        (("killed", "/go/src/k8s.io/kubernetes/server.go:269 +0x845", "created by main.main", ""), "killed"),
        ((), ""),
        ((None, [1, 2], "  "), ""),
    ],
)
def test_the_most_informative_message_is_shown(messages: tuple[object, ...], expected: str) -> None:
    assert last_message(entries(*messages)) == expected


def test_the_agents_own_hooks_are_not_the_component() -> None:
    assert last_message(entries("real") + entries("prestart: switched", identifier="configok-agent")) == "real"


def test_output_without_an_entry_gives_no_message() -> None:
    assert last_message("-- No entries --\n[1]\n{\n" + "[" * 100_000) == ""


def test_the_message_is_one_printable_line_of_bounded_length() -> None:
    message = last_message(entries("a\x1b[2J\nb\u202e" + "c" * 1000))
    assert message.isprintable()
    assert message.startswith("a [2J b ")
    assert len(message) == 200


@pytest.mark.contract("manners.no-secret")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("get https://user:hunter2@host/x", "get https://***@host/x"),
        ("Authorization: Bearer abc.def", "Authorization: *** ***"),
        ('bad token="hunter2" in file', "bad token=*** in file"),
        ('err="password: hunter2"', 'err="password: ***'),
        (r'msg="field \"clientSecret\": \"hunter2\" is wrong"', r'msg="field \"clientSecret\": *** is wrong"'),
        ("staticPodURLHeader:map[X-Key:[hunter2]]", "staticPodURLHeader:***"),
        ("a eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl b", "a *** b"),
        ("join abcdef.0123456789abcdef failed", "join *** failed"),
        ("-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----\nx", "***\nx"),
        ("-----BEGIN CERTIFICATE-----\nhunter2", "***"),
        ("key Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MTIz", "key ***"),
        ("failed to load /var/lib/configok/components/kubelet/config.yaml: no such file", None),
        ('"command failed" err="invalid configuration: maxPods -1 must not be negative"', None),
        ("kubelet --bootstrap-password hunter2 --v=2", "kubelet --bootstrap-password *** --v=2"),
        ("-token 'hunter2 x' y", "-token *** y"),
        ('curl -H "X-Auth: hunter2"', 'curl -H "X-Auth: ***'),
        ('bad token="first hunter2', "bad token=***"),
        ("webhook-eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl b", "*** b"),
        ("unknown flag: --authentication-token-webhook", None),
        ("authentication.anonymous.enabled: true", None),
        ("sha e6d3ca41-373b-4aca-9523-9f442ab178c0 is fine", None),
    ],
)
def test_nothing_that_looks_like_a_secret_is_shown(text: str, shown: str | None) -> None:
    assert redact_text(text) == (text if shown is None else shown)
    assert "hunter2" not in last_message(entries(text))


@pytest.mark.parametrize(
    "piece",
    ["token", "token ", 'token="', "--token ", "aB-", "aB1-", "eyJ-", "eyJ.", "auth", "://", "-----BEGIN ", "f(", " "],
)
def test_hostile_text_takes_no_longer_than_its_length(piece: str) -> None:
    """Redaction holds the interpreter's lock, so the whole agent would wait for it."""
    text = piece * (10_000 // len(piece))
    started = time.process_time()
    redact_text(text)
    redact_text(text + "!")
    last_message(entries(text, f"{text})x"))
    assert time.process_time() - started < 0.3


def test_a_message_is_not_cut_within_a_secret() -> None:
    """Redaction shortens the text before a secret, so that the place of the cut would be shown."""
    assert last_message(entries(f"token: {'x' * 560} then Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MTIz")) == "token: *** then"


class Runner:
    """A command runner that answers as journalctl."""

    def __init__(self, code: int, out: str) -> None:
        self.result = CommandResult(code, out, "")
        self.argv: list[str] = []

    def __call__(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        assert timeout <= 10
        self.argv = list(argv)
        return self.result


def test_one_invocation_is_read() -> None:
    runner = Runner(0, entries("boom"))
    assert ComponentLog(runner)(INVOCATION) == "boom"
    assert runner.argv[0] == "journalctl"
    assert runner.argv[-1] == f"_SYSTEMD_INVOCATION_ID={INVOCATION}"


@pytest.mark.parametrize("searches", [True, False], ids=["with a search", "without"])
def test_what_tells_is_searched_for_before_the_last_lines_are_read(searches: bool) -> None:
    """A kubelet that exits logs the reason, and then the traces of all its goroutines: thousands of lines."""

    def run(argv: Sequence[str], *, timeout: float, **_options: object) -> CommandResult:
        patterns = [word.partition("=")[2] for word in argv if word.startswith("--grep=")]
        if not patterns:
            return CommandResult(0, entries("the end", "goroutine 1 [running]:"), "")
        if not searches:
            return CommandResult(1, "", "Compiled without pattern matching support\n")
        lines = [f"F{HEADER}failed to run Kubelet", f"E{HEADER}x"]
        return CommandResult(0, entries(*[line for line in lines if re.match(patterns[0], line)]), "")

    assert ComponentLog(run)(INVOCATION) == ("failed to run Kubelet" if searches else "the end")


@pytest.mark.parametrize("code", [1, 124, 127, -9], ids=["no journal", "hangs", "not installed", "killed"])
def test_a_missing_journal_gives_no_message(code: int) -> None:
    assert ComponentLog(Runner(code, entries("boom")))(INVOCATION) == ""


def test_the_journal_is_not_read_for_an_invalid_invocation_id() -> None:
    runner = Runner(0, entries("boom"))
    assert ComponentLog(runner)("--file=/etc/shadow") == ""
    assert runner.argv == []
