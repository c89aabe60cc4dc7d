# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config path of components, and how to override it, for common units."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._systemd._exec_start import (
    UnsupportedUnit,
    config_flag,
    find_override,
    path_of,
    read_unit_start,
)
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
def test_a_unit_that_is_not_understood_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UnsupportedUnit, match=sentence):
        read_unit_start([text], [])


def test_a_variable_that_is_unset_counts_for_nothing() -> None:
    unset = "[Service]\nUnsetEnvironment=KUBELET_CONFIG_ARGS\n"
    text = "[Service]\nEnvironment=KUBELET_CONFIG_ARGS=--config=/a\nExecStart=/usr/bin/kubelet $KUBELET_CONFIG_ARGS\n"
    assert find_override(read_unit_start([text], []), TARGET).variable == "KUBELET_CONFIG_ARGS"
    assert find_override(read_unit_start([text, unset], []), TARGET).exec_start.endswith(f" --config={TARGET}")
    with pytest.raises(UnsupportedUnit, match="no --config would reach the component"):
        find_override(read_unit_start([text, unset], []), TARGET, variable="NOT_THERE")
