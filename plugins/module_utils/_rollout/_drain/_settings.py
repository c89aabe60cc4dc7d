# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read how a policy drains and reboots nodes, changes hosts, and what it forbids. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from ..._componentconfig.disruption import disruption_classes
from ..._nodeconfig.durations import setting_duration
from ..._nodeconfig.strict_mapping import StrictFields, boolean
from .._pool_values import setting, text, texts

REBOOT: Final = "reboot"
REPLACE: Final = "replace"
_RESTART = "restart"
_DRAIN = "drain"
_HARMLESS = ("none", "live")
WITH_DRAIN = (_DRAIN, "drain+state", REBOOT, REPLACE)


def _limit(value: Any) -> float:
    seconds = setting_duration(value)
    if not seconds:
        raise ValueError("0 would wait without an end: a node that is not drained in time must free its slot")
    return seconds


def _host_limit(value: Any) -> float:
    seconds = setting_duration(value)
    if not seconds:
        raise ValueError("0 would wait without an end: a host that is not changed in time must free its slot")
    return seconds


def _whole_seconds(value: Any) -> int:
    return math.ceil(setting_duration(value))


@dataclass(frozen=True)
class DrainSettings:
    """How nodes are drained, as the options of kubectl drain; times in seconds.

    timeout: after which a drain fails. grace_period: for each pod, None for the pod's own. force: evict pods without a
    controller, which nothing creates again. delete_empty_dir_data: evict pods that have an emptyDir.
    """

    timeout: float = setting(_limit, 600.0)
    grace_period: int | None = setting(_whole_seconds, None)
    force: bool = setting(boolean, False)
    delete_empty_dir_data: bool = setting(boolean, False)


@dataclass(frozen=True)
class RebootSettings:
    """Whether and how nodes are rebooted. timeout: seconds; playbook: the user's own, "" for the collection's."""

    allowed: bool = setting(boolean, False)
    timeout: float = setting(_limit, 600.0)
    playbook: str = setting(text, "")


@dataclass(frozen=True)
class HostSettings:
    """How long a provider may take to change the host of a machine; timeout: seconds."""

    timeout: float = setting(_host_limit, 900.0)


def parse_forbid(fields: StrictFields, key: str) -> tuple[str, ...]:
    """Return the classes of disruption in a list of a policy; errors are collected in the fields. key: of the list."""
    names = fields.get(key, texts, ())
    allowed = [name for name in disruption_classes() if name not in _HARMLESS]
    for name in names:
        if name not in allowed:
            fields.error(key, name, f"{name[:60]!r} must be one of {', '.join(allowed)}")
    return names


def forbidding_class(name: str, forbid: tuple[str, ...]) -> str:
    """Return the forbidden class because of which a class is forbidden, "" if it is allowed.

    `drain` forbids all classes that need a drain, and `restart` all that need a restart.
    """
    if name in forbid:
        return name
    if _DRAIN in forbid and name in WITH_DRAIN:
        return _DRAIN
    return _RESTART if _RESTART in forbid and name not in _HARMLESS else ""
