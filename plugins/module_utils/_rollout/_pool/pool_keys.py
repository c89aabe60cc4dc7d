# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The extra variables of a run: keys of its file, and what a user may have meant. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ..._nodeconfig.strict_mapping import suggest_key
from .pool_file import pool_keys

# The variables of all playbooks, and prefixes of extra variables that are not the user's.
_PLAYBOOK_VARIABLES = ("kubeconfig", "context", "release_data", "rollout_lease_duration", "rollout_wait_timeout")
_CONTROLLER_PREFIXES = ("awx_", "tower_")
_FOREIGN_PREFIXES = ("ansible_", *_CONTROLLER_PREFIXES)


class FileKeys(NamedTuple):
    """The keys of a file that a user gives with -e @file.

    what: a key of it, for messages. marker: the key that every such file has. keys: by the path of the mapping.
    variables: others that the playbook takes, which belong in another -e.
    """

    what: str
    marker: str
    keys: Mapping[str, tuple[str, ...]]
    variables: tuple[str, ...]


POOL_FILE: Final = FileKeys(
    "key of the pool file",
    "pool",
    pool_keys(),
    (
        *_PLAYBOOK_VARIABLES,
        *("clusters", "cluster_canary", "cluster_operation", "cluster_waves"),
        *("component", "pool_directory", "signing_passphrase", "to_revision"),
    ),
)
MACHINE_VARIABLES: Final = FileKeys(
    "variable of configok.node.machines",
    "machine_files",
    {
        "": (
            "machine_files",
            "machine_cluster",
            "machine_selector",
            "machine_rollout",
            "machine_preflight",
            "machine_allow_not_judged",
            "policy",
            "change_cause",
        ),
        **{path: keys for path, keys in POOL_FILE.keys.items() if path.startswith("policy")},
    },
    (*_PLAYBOOK_VARIABLES, "dest", "machine_directory"),
)


def find_unknown_variables(groups: Iterable[Sequence[str]], file: FileKeys = POOL_FILE) -> list[str]:
    """Return a sentence for each extra variable that a rollout would ignore by mistake.

    groups: the names of the extra variables, one group for each -e. In the group with the file, every name must be
    known, except in a controller (AWX), which has a single group. There, as in all other groups, a name is the user's
    own unless it resembles a key of the file.
    """
    errors = []
    for group in groups:
        names = [name for name in group if not name.startswith(_FOREIGN_PREFIXES)]
        has_file = file.marker in names
        from_controller = any(name.startswith(_CONTROLLER_PREFIXES) for name in group)
        for name in sorted(set(names) - set(file.keys[""]) - set(file.variables)):
            suggestion = suggest_key(name, "", file.keys)
            if suggestion and (has_file or _is_distinctive(suggestion)):
                errors.append(f"{name[:100]}: unknown {file.what}: did you mean {suggestion}?")
            elif has_file and not from_controller:
                errors.append(
                    f"{name[:100]}: unknown {file.what}: "
                    f"it has {', '.join(file.keys[''])}; give variables of your own with another -e"
                )
    return errors


def find_unknown_keys(names: Iterable[str]) -> list[str]:
    """Return a sentence for each name that is neither a key of a pool file nor a variable of the playbooks."""
    errors = []
    for name in sorted(set(names) - set(POOL_FILE.keys[""]) - set(POOL_FILE.variables)):
        suggestion = suggest_key(name, "", POOL_FILE.keys)
        advice = f"did you mean {suggestion}?" if suggestion else f"it has {', '.join(POOL_FILE.keys[''])}"
        errors.append(f"{name[:100]}: unknown key of the pool file: {advice}")
    return errors


def _is_distinctive(path: str) -> bool:
    """Return whether a user would hardly give an own variable this key's name, unlike count, soak or labels."""
    name = path.rpartition(".")[2]
    return name.lower() != name or "_" in name
