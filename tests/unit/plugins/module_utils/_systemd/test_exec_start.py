# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config path of components, and how to override it, for common units."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import (
    UnsupportedUnit,
    config_flag,
    find_override,
    path_of,
    read_unit_start,
)
from ansible_collections.configok.node.plugins.module_utils._systemd.specifiers import (
    HostNames,
    unit_specifiers,
)
from ansible_collections.configok.node.plugins.module_utils._systemd.unit_file import last_value_of
from support.configs.unit_layouts import LAYOUTS, TARGET, Layout


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_what_is_read_is_found_and_what_is_set_wins(layout: Layout) -> None:
    start = read_unit_start(layout.texts, layout.files)
    flag = config_flag(start)
    assert path_of(start, flag.value if flag else "") == layout.config

    setting = find_override(start, TARGET)
    assert (setting.variable, setting.exec_start) == (layout.variable, layout.exec_start)

    # With the drop-in that the role writes, as systemd merges it.
    drop_in = f"[Service]\nExecStart=\nExecStart={setting.exec_start}\n" if setting.exec_start else "[Service]\n"
    ours = [f"{setting.variable}=--config={TARGET}\n"] if setting.variable else []
    merged = read_unit_start([*layout.texts, drop_in], [*layout.files, *ours])
    assert tuple(argument.text for argument in merged.arguments) == layout.arguments
    assert merged.command.program == start.command.program
    assert merged.command.prefix == start.command.prefix


PLAIN = "[Service]\nExecStart=/usr/bin/kubelet --config=/etc/k.yaml $EXTRA\n"


def test_what_the_user_decides_is_taken_where_it_works() -> None:
    start = read_unit_start([PLAIN], [])
    assert find_override(start, TARGET, variable="EXTRA").variable == "EXTRA"
    line = f"/usr/bin/kubelet --v=4 --config={TARGET}"
    assert find_override(start, TARGET, exec_start=line).exec_start == line


@pytest.mark.parametrize(
    ("decided", "sentence"),
    [
        ({"variable": "NOT_USED"}, "by the variable NOT_USED: it would read /etc/k.yaml"),
        ({"exec_start": "/usr/bin/kubelet --v=2"}, "by this exec_start: no --config would reach the component"),
        ({"exec_start": f"/usr/bin/kubelet --config={TARGET} --config=/x"}, "by this exec_start: it would read /x"),
        ({"exec_start": "/usr/bin/kubelet 'x"}, "cannot be given this exec_start: a quote is not closed"),
    ],
)
def test_what_would_not_win_is_refused(decided: dict[str, str], sentence: str) -> None:
    with pytest.raises(UnsupportedUnit, match=sentence):
        find_override(read_unit_start([PLAIN], []), TARGET, **decided)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[Service]\nType=oneshot\n", "has no ExecStart= lines"),
        ("[Service]\nExecStart=/a\nExecStart=/b\n", "has 2 ExecStart= lines"),
        ("[Service]\nExecStart=/a ; /b\n", "it holds more than one command"),
        ('[Service]\nExecStart=/a "b\n', "a quote is not closed"),
        ("[Service]\nExecStart=-@\n", "it names no program"),
    ],
)
def test_a_unit_that_is_not_understood_is_refused_with_a_reason(text: str, sentence: str) -> None:
    with pytest.raises(UnsupportedUnit, match=sentence):
        read_unit_start([text], [])


SPECIFIERS = unit_specifiers("kubelet-a@pool-x.service", HostNames("n1.example", "6.1", "x86_64", "abc\n", "1-2"))
READ_AS = [
    # a continuation: its end, comments in it, line ends, the byte order mark
    ("/bin/k \\\n  --config=/c \\\n  --v=2 \\\n\nRestart=always\n", ["--config=/c", "--v=2"]),
    ("/bin/k \\\n  --config=/c \\\n  --v=2 \\\n   \t\nRestart=always\n", ["--config=/c", "--v=2"]),
    ("/bin/k \\\r\n  --config=/c \\\r\n  --v=2 \\\r\n\r\nRestart=always\r\n", ["--config=/c", "--v=2"]),
    ("/bin/k \\\n  --config=/c \\\n  --v=2 \\", ["--config=/c", "--v=2"]),
    ("/bin/k --v=2 \\\n\\\n\\\n", ["--v=2"]),
    ("/bin/k \\\n# --a\n  ; --b\n --v=2\nRestart=no\n", ["--v=2"]),
    ("/bin/k \\\n# --a \\\n --v=2\n", ["--v=2"]),
    ("\\\n  /bin/k --v=2\\\n\\\n --x\n", ["--v=2", "--x"]),
    # a backslash that continues nothing
    ("/bin/k --v=2 \\   \nRestart=always\n", ["--v=2", "\\"]),
    ("/bin/k --v=2\\\\\n --x\n", ["--v=2\\"]),
    ("/bin/k a\\ b c\\\\\\\n d\n", ["a\\ b", "c\\", "d"]),
    # quotes and escapes
    ("/bin/k 'a \\\nb' \"c\\\n# d\n  e\"\n", ["a  b", "c   e"]),
    ("/bin/k \\x20 \\q \\u0000 \\101 \\; a;b\n", [" ", "\\q", "\\u0000", "A", ";", "a;b"]),
    # characters that end no line for systemd
    ("/bin/k a\x0bb c\u2028d \x0c\n", ["a\x0bb", "c\u2028d", "\x0c"]),
    # variables
    ("/bin/k $$x $UNSET ${UNSET} $A/b ${A-b} ${A:-b} $\n", ["$x", "", "", "${A:-b}"]),
    ("/bin/k $A ${A} x$A\nEnvironment='A=1 2'\n", ["1", "2", "1 2", "x$A"]),
    ("/bin/k $A\nEnvironment=A=%i\n", ["pool-x"]),
    # specifiers
    ("/bin/k %i %I %p %P %j %J\n", ["pool-x", "pool/x", "kubelet-a", "kubelet/a", "a", "a"]),
    ("/bin/k %n %N %f\n", ["kubelet-a@pool-x.service", "kubelet-a@pool-x", "/pool/x"]),
    ("/bin/k %H %l %v %a %m %b\n", ["n1.example", "n1", "6.1", "x86-64", "abc", "12"]),
    ("/bin/k %t %S %% %q a%\n", ["/run", "/var/lib", "%", "%q", "a%"]),
    # a reset
    ("/bin/k a\nExecStart=\nExecStart=/bin/k b\n", ["b"]),
]  # fmt: skip


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(("text", "arguments"), READ_AS)
def test_a_command_line_reads_as_systemd_reads_it_and_so_does_the_override(
    text: str, arguments: list[str], bom: str
) -> None:
    texts = [f"{bom}[Service]\nExecStart={text}"]
    start = read_unit_start(texts, [], specifiers=SPECIFIERS)
    assert [argument.text for argument in start.arguments] == arguments

    line = find_override(start, TARGET).exec_start
    drop_in = f"[Service]\nExecStart=\nExecStart={line}\nRestartSec=5s\n"
    assert last_value_of([drop_in], "Service", "RestartSec") == "5s", "the next line stays a setting"
    merged = read_unit_start([*texts, drop_in], [], specifiers=SPECIFIERS)
    others = [argument for argument in arguments if not argument.startswith("--config")]
    assert [argument.text for argument in merged.arguments if not argument.text.startswith("--config")] == others
    flag = config_flag(merged)
    assert flag is not None
    assert flag.value == TARGET


@pytest.mark.parametrize(
    "exec_start",
    [
        f"/usr/bin/kubelet --config={TARGET} \\",
        f"/usr/bin/kubelet --config={TARGET} \\\n",
        f"/usr/bin/kubelet --config={TARGET}\nUser=nobody",
        f"/usr/bin/kubelet --config={TARGET} \\\n\nUser=nobody",
        f"\n/usr/bin/kubelet --config={TARGET}",
    ],
)
def test_an_exec_start_that_would_change_the_lines_after_it_is_refused(exec_start: str) -> None:
    with pytest.raises(UnsupportedUnit, match="it must be one line of a unit"):
        find_override(read_unit_start([PLAIN], []), TARGET, exec_start=exec_start)


def test_the_program_and_the_directory_have_specifiers_too() -> None:
    text = "[Service]\nWorkingDirectory=/srv/%i\nExecStart=/opt/%p/kubelet --config=k.yaml\n"
    start = read_unit_start([text], [], specifiers=SPECIFIERS)
    assert start.command.program == "/opt/kubelet-a/kubelet"
    assert path_of(start, "k.yaml") == "/srv/pool-x/k.yaml"


def test_a_variable_that_is_unset_counts_for_nothing() -> None:
    unset = "[Service]\nUnsetEnvironment=KUBELET_CONFIG_ARGS\n"
    text = "[Service]\nEnvironment=KUBELET_CONFIG_ARGS=--config=/a\nExecStart=/usr/bin/kubelet $KUBELET_CONFIG_ARGS\n"
    assert find_override(read_unit_start([text], []), TARGET).variable == "KUBELET_CONFIG_ARGS"
    assert find_override(read_unit_start([text, unset], []), TARGET).exec_start.endswith(f" --config={TARGET}")
    with pytest.raises(UnsupportedUnit, match="no --config would reach the component"):
        find_override(read_unit_start([text, unset], []), TARGET, variable="NOT_THERE")
