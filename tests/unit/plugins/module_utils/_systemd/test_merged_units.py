# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of a merged unit are reported: each of them would prevent a rollback."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import read_unit_start
from ansible_collections.configok.node.plugins.module_utils._systemd.unit_checks import (
    MERGED_PROPERTIES,
    merged_faults,
)
from support.configs.unit_layouts import TARGET

GOOD = {
    "ExecStart": "{ path=/usr/bin/kubelet ; argv[]=/usr/bin/kubelet $CONFIG ; ignore_errors=no ; pid=0 }",
    "LoadError": "",
    "LoadState": "loaded",
    "NeedDaemonReload": "no",
    "Restart": "always",
    "RestartPreventExitStatus": "",
    "RestartUSec": "5s",
    "StartLimitIntervalUSec": "0",
}
UNIT = "[Service]\nExecStartPre=/sbin/modprobe br_netfilter\nExecStart=/usr/bin/kubelet $CONFIG\n"
OURS = """\
[Service]
ExecStartPre=+/bin/sh -c 'timeout 5 /usr/bin/python3 -I /x/configok-agent.pyz prestart kubelet; [ $$? -ne 78 ]'
ExecStopPost=-+/bin/sh -c 'exec timeout 5 /usr/bin/python3 -I /x/configok-agent.pyz poststop kubelet'
"""


def refusals(
    *more: str, running: str | None = None, file: str = f"CONFIG=--config={TARGET}\n", **shown: str
) -> list[str]:
    texts = [UNIT, OURS, *more]
    return merged_faults("kubelet", {**GOOD, **shown}, texts, read_unit_start(texts, [file]), TARGET, running)


def test_a_correct_unit_is_accepted() -> None:
    assert GOOD.keys() == set(MERGED_PROPERTIES)
    assert refusals() == []
    assert refusals(running=TARGET) == []


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("LoadState", "not-found", "LoadState is not-found, not loaded"),
        ("NeedDaemonReload", "yes", "NeedDaemonReload is yes, not no"),
        ("Restart", "on-failure", "Restart is on-failure, not always"),
        ("RestartPreventExitStatus", "1", "RestartPreventExitStatus is 1"),
        ("StartLimitIntervalUSec", "10s", "StartLimitIntervalSec is not 0"),
        ("RestartUSec", "1min 1s", "RestartSec is 1min 1s, more than 60s"),
        ("RestartUSec", "infinity", "RestartSec is infinity"),
        ("LoadError", 'x.BadUnitSetting "bad"', "systemd reports x.BadUnitSetting"),
        (
            "ExecStart",
            "{ path=/k ; argv[]=/k --v=2 ; ignore_errors=no }",
            "the command that systemd has loaded differs",
        ),
    ],
)
def test_each_property_counts(key: str, value: str, sentence: str) -> None:
    [refusal] = refusals(**{key: value})
    assert sentence in refusal


@pytest.mark.parametrize("span", ["0", "100ms", "1min", "59s 999ms"])
def test_a_bounded_pause_is_good(span: str) -> None:
    assert refusals(RestartUSec=span) == []


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("ExecStartPre=/bin/true", "prestart is not the last ExecStartPre="),
        ("ExecStartPre=", "prestart is not the last ExecStartPre="),
        ("ExecStartPre=\nExecStartPre=+/x prestart kubelet-two", "prestart is not the last ExecStartPre="),
        ("ExecStopPost=", "poststop is not in ExecStopPost="),
        ("ExecStart=\nExecStart=/usr/bin/kubelet --config=/etc/k.yaml", f"it reads /etc/k.yaml, not {TARGET}"),
        ("ExecStart=\nExecStart=/usr/bin/kubelet", "it reads no config"),
    ],
)
def test_a_drop_in_behind_ours_may_undo_it(more: str, sentence: str) -> None:
    [refusal] = refusals(f"[Service]\n{more}\n", ExecStart="")
    assert sentence in refusal


def test_a_variable_that_another_file_sets_later_is_found() -> None:
    assert refusals(file=f"CONFIG=--config={TARGET}\nCONFIG=--config=/other\n") == [f"it reads /other, not {TARGET}"]


def test_a_process_that_reads_a_different_config_is_detected() -> None:
    assert refusals(running="/etc/k.yaml") == ["when it started through the agent, systemd made it read /etc/k.yaml"]
    assert refusals(running="") == ["when it started through the agent, systemd made it read no config"]
