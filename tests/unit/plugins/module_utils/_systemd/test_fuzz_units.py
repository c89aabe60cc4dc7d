# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any unit with its drop-ins and environment files is parsed, or refused with an error message.

If it is parsed, the override makes the component read our file.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import (
    UnsupportedUnit,
    config_flag,
    expand_arguments,
    find_override,
    last_flag,
    parse_command,
    path_of,
    read_unit_start,
)
from ansible_collections.configok.node.plugins.module_utils._systemd.unit_checks import (
    MERGED_PROPERTIES,
    merged_faults,
    refuse_start,
)
from ansible_collections.configok.node.plugins.module_utils._systemd.unit_file import (
    UnbalancedQuotes,
    environment_files,
    last_value_of,
    parse_environment_file,
    read_variables,
    split_relaxed,
    split_words,
    values_of,
)
from support.fuzz.hostile import TEXTS, lines_of, parse_twice
from support.fuzz.settings import fuzz

TARGET = "/var/lib/configok/components/kubelet/config.yaml"
WORDS = (
    "/usr/bin/kubelet",
    " ",
    "  ",
    "\t",
    "\\\n",
    "$ARGS",
    "${ARGS}",
    "$$",
    "%%",
    '"',
    "'",
    "\\",
    "\\x20",
    "\\u00e9",
)
FLAGS = (
    "--config=/etc/k.yaml",
    "--config",
    "/etc/k.yaml",
    "--v=2",
    "--",
    "-",
    "@",
    ":",
    "+",
    "!",
    "|",
    ";",
    "--config=",
)
COMMANDS = lines_of((*WORDS, *FLAGS))
UNITS = lines_of(
    (
        *("[Unit]\n", "[Service]\n", "[Install", "\n", "# ", "; ", "\\\n", "=", " "),
        *("ExecStart=", "ExecStart=\n", "ExecStart=/usr/bin/kubelet $ARGS\n", "ExecStart=/usr/bin/kubelet --v=2\n"),
        *("Environment=", 'Environment="ARGS=--config=/etc/k.yaml"\n', "EnvironmentFile=-/etc/default/kubelet\n"),
        *(
            "UnsetEnvironment=",
            "UnsetEnvironment=ARGS\n",
            "WorkingDirectory=/srv\n",
            "ExecStartPre=",
            "Restart=always\n",
        ),
        *WORDS,
        *FLAGS,
    )
)
FILES = lines_of(
    ("ARGS", "ARGS=--config=/etc/f.yaml\n", "=", "\n", "\r\n", "#", "'", '"', "\\", "\\\n", " ", "export A=1\n")
)


@fuzz(150)
@given(COMMANDS)
def test_words(line: str) -> None:
    outcome = parse_twice(split_words, line, refused=UnbalancedQuotes)
    for word in outcome.value or ():
        assert 0 <= word.start < word.end <= len(line.replace("\\\n", "  "))
    parse_twice(split_relaxed, line)


@fuzz(150)
@given(COMMANDS, st.dictionaries(st.sampled_from(["ARGS", "OTHER"]), TEXTS))
def test_commands(line: str, known: dict[str, str]) -> None:
    outcome = parse_twice(parse_command, line, refused=ValueError)
    if outcome.error is None:
        given_arguments = parse_twice(expand_arguments, outcome.value, known, {}).value
        assert all(0 <= argument.word < len(outcome.value.words) for argument in given_arguments)


@fuzz(100)
@given(st.lists(st.sampled_from(FLAGS) | TEXTS, max_size=8), TEXTS)
def test_flags(argv: list[str], name: str) -> None:
    flag = parse_twice(last_flag, argv, name).value
    assert flag is None or (flag.first <= flag.last < len(argv) and argv[flag.last].endswith(flag.value))


@fuzz(150)
@given(FILES)
def test_environment_files(text: str) -> None:
    variables = parse_twice(parse_environment_file, text).value
    assert all(name.isidentifier() and name.isascii() for name in variables)


@fuzz(150)
@given(st.lists(UNITS, max_size=3), st.lists(FILES, max_size=2))
def test_environments(texts: list[str], files: list[str]) -> None:
    variables = parse_twice(read_variables, texts, files, {}).value
    assert all(isinstance(value, str) for value in variables.values())
    parse_twice(environment_files, texts, {})
    for value in parse_twice(values_of, texts, "Service", "ExecStart").value:
        assert value == value.strip()


@fuzz(100)
@given(st.lists(UNITS, min_size=1, max_size=3), st.lists(FILES, max_size=2), COMMANDS | st.just(""))
def test_whole_units(texts: list[str], files: list[str], exec_start: str) -> None:
    outcome = parse_twice(read_unit_start, texts, files, exec_start, refused=UnsupportedUnit)
    if outcome.error is not None:
        return
    start = outcome.value
    assert start.directory.startswith("/")
    argv = [argument.text for argument in start.arguments]
    assert all(parse_twice(refuse_start, "kubelet.service", texts, start, argv).value)
    merged = parse_twice(
        merged_faults, "kubelet", dict.fromkeys(MERGED_PROPERTIES, exec_start), texts, start, TARGET, None
    ).value
    assert merged, "nothing of ours is in it, so something is wrong"
    setting = parse_twice(find_override, start, TARGET, refused=UnsupportedUnit)
    if setting.error is not None:
        return
    if setting.value.variable:
        ours = f"{setting.value.variable}=--config={TARGET}\n"
        overridden = read_unit_start(texts, [*files, ours], exec_start)
    else:
        drop_in = f"[Service]\nExecStart=\nExecStart={setting.value.exec_start}\nRestartSec=5s\n"
        assert last_value_of([drop_in], "Service", "RestartSec") == "5s"
        overridden = read_unit_start([*texts, drop_in], files)
        if config_flag(start) is None:
            added = f"--config={TARGET}"
            assert [argument.text for argument in overridden.arguments] == [*argv, added]
    flag = config_flag(overridden)
    assert flag is not None
    assert path_of(overridden, flag.value) == TARGET
