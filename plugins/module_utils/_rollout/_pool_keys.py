# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a pool file, and what a user may have meant by another name. Pure. Private to configok.node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._nodeconfig._strict_mapping import MessageForm, suggest_key

__all__ = ["FORM", "POOL_KEYS", "describe_type", "find_unknown_keys", "find_unknown_variables", "not_a_mapping"]

_INDEX = re.compile(r"\[[0-9]+\]")  # a list's entries have the keys of the list
_SERVER_KEYS = ("url", "caCert", "validateCerts", "tokenFile", "tokenVariable")
# The keys of each mapping, by its path; "" is the pool file itself.
POOL_KEYS: Mapping[str, tuple[str, ...]] = {
    "": (
        "pool",
        "selector",
        "layers",
        "documents",
        "trial",
        "policy",
        "kubernetesVersions",
        "disruptionOverrides",
        "changeCause",
        "signing",
    ),
    "signing": ("key", "statementFile", "signatureFiles", "sequence", "floor", "notAfter"),
    "trial": ("trialDuration", "crashLoopThreshold"),
    "policy": (
        "canary",
        "waves",
        "soak",
        "maxUnavailable",
        "failureBudget",
        "nodeTimeout",
        "onFailure",
        "restartDelay",
        "timeToCrash",
        "healthTimeout",
        "maintenanceWindows",
        "approval",
        "revisionHistoryLimit",
        "drain",
        "reboot",
        "host",
        "forbid",
        "gates",
        "playbooks",
    ),
    "policy.canary": ("count", "cover", "labels", "soak"),
    "policy.drain": ("timeout", "gracePeriod", "force", "deleteEmptyDirData"),
    "policy.reboot": ("allowed", "timeout", "playbook"),
    "policy.host": ("timeout",),
    "policy.maintenanceWindows": ("days", "start", "duration", "timezone"),
    "policy.approval": ("before",),
    "policy.gates": ("name", "node", "prometheus", "alerts", "url", "timeout", "interval"),
    "policy.gates.prometheus": ("query", "condition", "nodeLabel", *_SERVER_KEYS),
    "policy.gates.alerts": ("api", "matching", "labels", "watchdog", *_SERVER_KEYS),
    "policy.gates.url": ("status", "matching", *_SERVER_KEYS),
    "policy.playbooks": ("beforeWave", "afterWave", "timeout"),
}
# The other variables of the playbooks, and prefixes of extra variables that are not the user's.
_PLAYBOOK_VARIABLES = (
    "component",
    "pool_directory",
    "kubeconfig",
    "context",
    "rollout_lease_duration",
    "rollout_wait_timeout",
    "signing_passphrase",
    "to_revision",
)
_CONTROLLER_PREFIXES = ("awx_", "tower_")
_FOREIGN_PREFIXES = ("ansible_", *_CONTROLLER_PREFIXES)


def find_unknown_variables(groups: Iterable[Sequence[str]]) -> list[str]:
    """Return a sentence for each extra variable that a rollout would ignore by mistake.

    groups: the names of the extra variables, one group for each -e. In the group with the pool, every name must be
    known, except in a controller (AWX), which has a single group. There, as in all other groups, a name is the user's
    own unless it resembles a key of the pool file.
    """
    errors = []
    for group in groups:
        names = [name for name in group if not name.startswith(_FOREIGN_PREFIXES)]
        has_pool = "pool" in names
        from_controller = any(name.startswith(_CONTROLLER_PREFIXES) for name in group)
        for name in sorted(set(names) - set(POOL_KEYS[""]) - set(_PLAYBOOK_VARIABLES)):
            suggestion = suggest_key(name, "", POOL_KEYS)
            if suggestion and (has_pool or _is_distinctive(suggestion)):
                errors.append(f"{name[:100]}: unknown key of the pool file: did you mean {suggestion}?")
            elif has_pool and not from_controller:
                errors.append(
                    f"{name[:100]}: unknown key of the pool file: "
                    f"it has {', '.join(POOL_KEYS[''])}; give variables of your own with another -e"
                )
    return errors


def find_unknown_keys(names: Iterable[str]) -> list[str]:
    """Return a sentence for each name that is neither a key of a pool file nor a variable of the playbooks."""
    errors = []
    for name in sorted(set(names) - set(POOL_KEYS[""]) - set(_PLAYBOOK_VARIABLES)):
        suggestion = suggest_key(name, "", POOL_KEYS)
        advice = f"did you mean {suggestion}?" if suggestion else f"it has {', '.join(POOL_KEYS[''])}"
        errors.append(f"{name[:100]}: unknown key of the pool file: {advice}")
    return errors


def _is_distinctive(path: str) -> bool:
    """Return whether a user would hardly give an own variable this key's name, unlike count, soak or labels."""
    return path.rpartition(".")[2].lower() != path.rpartition(".")[2]


def describe_type(value: Any) -> str:
    """Return what a value is, for a message."""
    return "nothing" if value is None else type(value).__name__


def not_a_mapping(value: Any) -> str:
    """Return the sentence about a value that must be a mapping."""
    return f"must be a mapping, not {describe_type(value)}"


def _unknown(path: str, names: Sequence[str]) -> Iterable[tuple[str, str]]:
    for name in sorted(names):
        suggestion = suggest_key(name, _INDEX.sub("", path), POOL_KEYS)
        yield name[:100], "unknown field" + (f": did you mean {suggestion}?" if suggestion else "")


FORM = MessageForm(
    file="the pool",
    error=lambda path, _value, sentence: f"{path}: {sentence}",  # a sentence shows the value itself, where it helps
    not_a_mapping=not_a_mapping,
    unknown=_unknown,
)
