# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a pool file, and what a misspelt or misplaced key was meant to be. Pure. Private to configok.node."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["KEYS", "suggestion", "unknown_variables"]

# By the path of a mapping, "" for the pool file itself, the keys that it may have.
KEYS: Mapping[str, tuple[str, ...]] = {
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
    ),
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
    ),
    "policy.canary": ("count", "cover", "labels", "soak"),
}
# What else the playbooks take, and what stands in extra variables without being the user's.
_PLAYBOOK_VARIABLES = ("component", "pool_directory", "kubeconfig", "context", "rollout_lease_duration", "to_revision")
_CONTROLLER_PREFIXES = ("awx_", "tower_")
_FOREIGN_PREFIXES = ("ansible_", *_CONTROLLER_PREFIXES)
_ALIKE = 0.8  # difflib's ratio; a transposed pair of letters in a word of six has 0.83


def suggestion(name: str, path: str = "") -> str:
    """Return the path of the key that name was probably meant to be, "" where it is like none.

    path: of the mapping that name stands in, whose own keys come first.
    """
    places = sorted(KEYS, key=lambda place: place != path)
    for place in places:
        if name in KEYS[place] and place != path:
            return _join(place, name)
    for place in places:
        keys = {key.lower(): key for key in KEYS[place]}
        alike = difflib.get_close_matches(name.lower(), keys, 1, _ALIKE)
        if alike:
            return _join(place, keys[alike[0]])
    return ""


def unknown_variables(groups: Iterable[Sequence[str]]) -> list[str]:
    """Return a sentence for each extra variable that a rollout would ignore by mistake.

    groups: the names of the extra variables, one group for each -e. In the group with the pool every name must be
    known, except in a controller (AWX), which has one group for everything: there, as in all other groups, a name is
    the user's own unless it is like a key of the pool file.
    """
    errors = []
    for group in groups:
        names = [name for name in group if not name.startswith(_FOREIGN_PREFIXES)]
        has_pool = "pool" in names
        from_controller = any(name.startswith(_CONTROLLER_PREFIXES) for name in group)
        for name in sorted(set(names) - set(KEYS[""]) - set(_PLAYBOOK_VARIABLES)):
            meant = suggestion(name)
            if meant and (has_pool or _is_distinctive(meant)):
                errors.append(f"{name[:100]}: unknown key of the pool file: did you mean {meant}?")
            elif has_pool and not from_controller:
                errors.append(
                    f"{name[:100]}: unknown key of the pool file: "
                    f"it has {', '.join(KEYS[''])}; give variables of your own with another -e"
                )
    return errors


def _is_distinctive(path: str) -> bool:
    """Return whether a name like this key hardly is a variable of the user's own: not count, soak or labels."""
    return path.rpartition(".")[2].lower() != path.rpartition(".")[2]


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
