# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a unit as systemd merged it starts through the agent, for ever. Private to configok.node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ._start import Start, config_flag, path_of
from ._unit_text import assigned

__all__ = ["PROPERTIES", "faults"]

PROPERTIES = (
    "LoadState",
    "NeedDaemonReload",
    "Restart",
    "RestartPreventExitStatus",
    "RestartUSec",
    "StartLimitIntervalUSec",
)
"""Of systemctl show."""

_LONGEST_PAUSE = 60.0  # seconds between an end of the component and its next start, in which nobody goes back
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s|min|h|d|w|month|y)")
_UNITS = {
    "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "month": 2.6e6, "y": 3.2e7,
}  # fmt: skip


def faults(
    component: str, shown: Mapping[str, str], texts: Sequence[str], start: Start, target: str, running: str | None
) -> list[str]:
    """Return what is wrong with a merged unit, as parts of a sentence; nothing where it is as it must be.

    shown: PROPERTIES. texts: of the unit and all its drop-ins, ours too. target: the file that the component has to
    read. running: the one that it was told to read when it started through the agent, None where it has not yet.
    """
    found = []
    for key, wanted in (("LoadState", "loaded"), ("NeedDaemonReload", "no"), ("Restart", "always")):
        if shown.get(key) != wanted:
            found.append(f"{key} is {shown.get(key) or 'not told'}, not {wanted}")
    if shown.get("StartLimitIntervalUSec") != "0":
        found.append("StartLimitIntervalSec is not 0: systemd would give up, and nobody would go back")
    pause = _seconds(shown.get("RestartUSec", ""))
    if pause is None or pause > _LONGEST_PAUSE:
        found.append(f"RestartSec is {shown.get('RestartUSec') or 'not told'}, more than {_LONGEST_PAUSE:.0f}s")
    if shown.get("RestartPreventExitStatus"):
        found.append(f"RestartPreventExitStatus is {shown['RestartPreventExitStatus']}: such an end would be the last")
    hooks = [_calls(line, "prestart", component) for line in assigned(texts, "Service", "ExecStartPre")]
    if not hooks or not hooks[-1]:
        found.append("the agent's prestart is not the last ExecStartPre=")
    if not any(_calls(line, "poststop", component) for line in assigned(texts, "Service", "ExecStopPost")):
        found.append("the agent's poststop is not in ExecStopPost=")
    flag = config_flag(start)
    if flag is None or path_of(start, flag.value) != target:
        found.append(f"it reads {flag.value if flag else 'no config'}, not {target}")
    if running is not None and running != target:
        found.append(f"when it started through the agent, systemd told it to read {running or 'no config'}")
    return found


def _calls(line: str, hook: str, component: str) -> bool:
    return re.search(rf"\s{hook} {re.escape(component)}(?![-\w])", line) is not None


def _seconds(span: str) -> float | None:
    """Return the seconds in a time span as systemctl prints it, None for what is none ("infinity", too)."""
    parts = _SPAN.findall(span)
    if span == "0":
        return 0.0
    return sum(float(number) * _UNITS[unit] for number, unit in parts) if parts else None
