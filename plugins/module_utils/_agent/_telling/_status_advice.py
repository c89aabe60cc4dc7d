# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens next on a node, and what a person can do about it, in a sentence each. Private to configok.node.

Pure: takes what describe() returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["count_of", "what_comes_next", "what_to_do"]

_WENT_BACK = ("CrashLoop", "NotHealthy", "KnownBad")


def count_of(crashes: int) -> str:
    """Return so many crashes, for people."""
    return f"{crashes} crash" if crashes == 1 else f"{crashes} crashes"


def what_comes_next(found: Mapping[str, Any]) -> str:
    """Return what the agent does from here, if nobody does anything."""
    using, outcome = found["using"], found["assignment"]["outcome"]
    if not found["dynamicConfig"]:
        return "nothing: the local config stays"
    if found["faults"]:
        return "nothing, until the agent can use its own files; what runs stays"
    if using["left"]:
        return f"the next start of a component goes back to last-known-good: current is {using['left']}"
    if found["inTrial"]:
        left = max(0.0, using["trialDuration"] - using["healthySeconds"])
        return (
            f"after at most {left:.0f} more healthy seconds it is last-known-good; "
            f"{count_of(using['crashLoopThreshold'] + 1)}, or no health, and the node goes back"
        )
    if not found["daemon"]["running"]:
        return "nothing until the agent runs; a crash loop in a trial still goes back"
    if _is_stopped(found):
        return "the unit's next start reads this config"
    if outcome is not None and outcome["suspect"]:
        return "it stays on last-known-good, which fails as well: the cause may lie elsewhere"
    if outcome is not None:
        return "what runs stays, until another config is assigned"
    if found["assignment"]["source"] != using["source"] and found["assignment"]["id"]:
        return "the assigned config is fetched and checked; what runs stays until then"
    report = found["daemon"]["report"]
    if report is not None and report["apiTrouble"]:
        return "the API is asked again, with growing pauses; nothing that runs is changed"
    return "nothing, until another config is assigned"


def what_to_do(found: Mapping[str, Any]) -> list[str]:
    """Return what an operator can do at this node or in the cluster; nothing where nothing is wrong.

    A command stands on a line of its own where it is long.
    """
    outcome = found["assignment"]["outcome"]
    advice = []
    if not found["daemon"]["running"]:
        advice.append("start the agent: systemctl start configok-agent")
    elif _is_stopped(found):
        advice.append("start the unit that is stopped; where it is masked, unmask it first")
    if outcome is not None and outcome["suspect"]:
        units = ", ".join(component["unit"] for component in found["components"].values())
        advice.append(f"look at what the component says: journalctl -u {units}")
    if outcome is not None and outcome["kind"] in _WENT_BACK:
        advice.append(f"have it tried again, once the cause is gone:\nconfigok-agent forget-bad {outcome['uid']}")
    elif outcome is not None:
        advice.append(
            "publish a config that validates, and assign that; "
            "or assign this one with forget_bad, once what it needs is on this host"
        )
    if found["faults"]:
        advice.append(f"give the agent its files back: root:root and mode 0700, writable, {found['stateDirectory']}")
    if found["damaged"]:
        advice.append(f"look at *.corrupt-* in {found['stateDirectory']}, and remove them")
    return advice


def _is_stopped(found: Mapping[str, Any]) -> bool:
    report = found["daemon"]["report"]
    return bool(report and report["configOK"] and report["configOK"]["cause"] == "UnitStopped")
