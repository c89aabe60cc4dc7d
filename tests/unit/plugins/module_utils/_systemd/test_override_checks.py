# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What systemd says of an override, before it is in place and after."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import read_unit_start
from ansible_collections.configok.node.plugins.module_utils._systemd.unit_checks import (
    Verification,
    command_faults,
    override_faults,
    why_not_verified,
)

DROP_IN = "/tmp/x/kubelet.service.d/zz-configok.conf"
OLD = "dbus.service: Unit configures an option that is obsolete"
REFUSED = "Unit kubelet.service has a bad unit file setting."


@pytest.mark.parametrize(
    ("before", "after", "faults"),
    [
        ((0, ()), (0, ()), []),
        ((0, (OLD,)), (0, (OLD,)), []),
        ((1, (OLD,)), (1, (OLD,)), []),  # of another unit
        ((1, ("Unknown option --man=no",)), (1, ("Unknown option --man=no",)), []),
        ((0, ()), (0, (f"{DROP_IN}:4: Failed to parse, ignoring: 5x",)), ["line 4: Failed to parse"]),
        ((0, (OLD,)), (1, (OLD, f"{DROP_IN}:1: Invalid section header")), ["line 1: Invalid section header"]),
        ((0, ()), (1, (REFUSED,)), [REFUSED]),
        ((0, ()), (1, ()), ["systemd-analyze verify ended with exit code 1"]),
        ((1, ()), (1, (REFUSED,)), []),  # nothing that is known to be about the override
        ((1, ()), (1, (f"{DROP_IN}:3: Unbalanced quoting, ignoring: --token=x",)), ["line 3: Unbalanced quoting"]),
    ],
)  # fmt: skip
def test_what_is_new_with_the_override_is_about_it(
    before: tuple[int, tuple[str, ...]], after: tuple[int, tuple[str, ...]], faults: list[str]
) -> None:
    assert override_faults(Verification(*before), Verification(*after), DROP_IN) == faults


@pytest.mark.parametrize(
    ("code", "reason"),
    [(0, ""), (1, ""), (127, "systemd-analyze is not installed"), (124, "systemd-analyze did not end in time")],
)
def test_a_systemd_that_gives_no_verdict_is_named(code: int, reason: str) -> None:
    assert why_not_verified(Verification(code, ())) == reason


UNIT = "[Service]\nExecStart=/usr/bin/kubelet $ARGS \\\n --config=/c --name=%i\n"
SHOWN = (
    "{{ path=/usr/bin/kubelet ; argv[]={} ; ignore_errors=no ; start_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }}"
)


@pytest.mark.parametrize(
    "argv",
    ["/usr/bin/kubelet $ARGS --config=/c --name=n1", '/usr/bin/kubelet "\\$ARGS" --config=/c --name=n1'],
)
def test_the_command_of_the_files_is_the_one_that_systemd_has_loaded(argv: str) -> None:
    start = read_unit_start([UNIT], [], specifiers={"i": "n1"})
    assert command_faults({"ExecStart": SHOWN.format(argv), "LoadError": ""}, start) == []


@pytest.mark.parametrize(
    "argv", ["/usr/bin/kubelet", "/usr/bin/kubelet $ARGS --config=/other --name=n1", "/usr/bin/kubelet --v=2 \\"]
)
def test_another_command_is_a_fault_that_shows_no_argument(argv: str) -> None:
    start = read_unit_start([UNIT], [], specifiers={"i": "n1"})
    [fault] = command_faults({"ExecStart": SHOWN.format(argv)}, start)
    assert fault == "the command that systemd has loaded differs from that of its files"


@pytest.mark.parametrize("line", ["/usr/bin/kubelet 'a b'", "/usr/bin/kubelet a\\\\", "'/opt/my kubelet' a", "/k %q"])
def test_a_command_that_systemd_may_print_in_another_way_is_not_compared(line: str) -> None:
    start = read_unit_start([f"[Service]\nExecStart={line}\n"], [])
    assert command_faults({"ExecStart": SHOWN.format("/x y")}, start) == []


@pytest.mark.parametrize("error", ["", '""', ' ""'])
def test_a_load_error_is_a_fault(error: str) -> None:
    start = read_unit_start([UNIT], [])
    assert command_faults({"LoadError": error}, start) == []
    reported = 'org.freedesktop.systemd1.BadUnitSetting "Unit has a bad unit file setting."'
    assert command_faults({"LoadError": reported}, start) == [f"systemd reports {reported}"]
