# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of the admission policies: what each subject may do, as literals of CEL in the policies. Pure.

Each list of subjects is a text with one line for each subject and pool: "<pool> User <name>" or "<pool> Group <name>",
where "*" is every pool. A ServiceAccount is the user that it has at the API server. In a policy, it is a variable with
a list of strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Any

from .._foreign import load_json
from .._nodeconfig.bundle import MAX_POOL_LENGTH
from .._text import sanitize
from . import ClusterRefused

POOL_LABEL = "poolLabel"
BREAK_GLASS = "breakGlass"
DEFAULT_POOL_LABEL = "node-restriction.kubernetes.io/pool"


class Role(Enum):
    """The roles of subjects; the value is the key of the parameter. All but MACHINES may be limited to pools."""

    RUNNER = "runners"
    PUBLISHER = "publishers"
    ASSIGNER = "assigners"
    MACHINES = "machines"


_POOL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_LABEL = re.compile(
    r"(?=.{1,317}\Z)(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z"
)
_MAX_LINES = 500  # of one list; the API server compares each with each group of a user
_MAX_NAME = 500
_MAX_LIST = 60_000  # characters; CEL has expressions of up to 100,000

# The policies limit what a runner changes of a Node. If these were runners, kubelets or controllers would be limited.
_SYSTEM_USERS = ("system:node:", "system:kube-")
_SYSTEM_GROUPS = frozenset(
    (
        "system:authenticated",
        "system:unauthenticated",
        "system:nodes",
        "system:serviceaccounts",
        "system:serviceaccounts:kube-system",
    )
)


_LISTS = (*(role.value for role in Role), BREAK_GLASS)


def literals(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the expressions of the variables with these parameters. JSON of such texts is CEL, too."""
    lists = {key: parameters.get(key, "").split("\n") for key in _LISTS}
    expressions = {key: [line for line in lines if line] for key, lines in lists.items()}
    values = {**expressions, POOL_LABEL: parameters.get(POOL_LABEL, DEFAULT_POOL_LABEL)}
    return {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}


def read_literals(policy: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters that a policy has; those that are missing or damaged are left out."""
    parameters = {}
    for variable in (policy.get("spec") or {}).get("variables") or ():
        key = variable.get("name")
        try:
            value = load_json(str(variable.get("expression")))
        except ValueError:
            continue
        if key in _LISTS and isinstance(value, list) and all(isinstance(line, str) for line in value):
            parameters[key] = "\n".join(value)
        elif key == POOL_LABEL and isinstance(value, str):
            parameters[key] = value
    return parameters


def _subject_name(subject: Mapping[str, Any]) -> str:
    """Return "User alice", "Group admins" for an RBAC subject; a ServiceAccount as its user."""
    name = str(subject["name"])
    if subject["kind"] == "ServiceAccount":
        return f"User system:serviceaccount:{subject['namespace']}:{name}"
    return f"{subject['kind']} {name}"


def subject_lines(subjects: Sequence[Mapping[str, Any]], option: str) -> str:
    """Return the parameter for these subjects, each with optional pools. Raises ClusterRefused.

    option: its name for messages.
    """
    lines: dict[str, None] = {}
    for subject in subjects:
        name = str(subject["name"])
        where = f"{sanitize(name, 100)!r} in {option}"
        if not name or len(name) > _MAX_NAME or not name.isprintable():
            raise ClusterRefused(
                f"{where} is not a name of a {subject['kind']}: it must have 1 to {_MAX_NAME} printable characters"
            )
        if name in _SYSTEM_GROUPS or (subject["kind"] == "User" and name.startswith(_SYSTEM_USERS)):
            raise ClusterRefused(
                f"{where} must not be named with admission policies, because kubelets or controllers of Kubernetes "
                "are among them: name the identities of your rollouts"
            )
        pools = subject.get("pools")
        if pools is not None and not pools:
            raise ClusterRefused(
                f"{where} has an empty list of pools: name some, or leave the list out for all of them"
            )
        for pool in pools or ["*"]:
            if pool != "*" and not (_POOL.match(pool) and len(pool) <= MAX_POOL_LENGTH):
                raise ClusterRefused(
                    f"pool {sanitize(pool, 100)!r} of {where} must be a DNS label (a-z, 0-9, -) of at most "
                    f"{MAX_POOL_LENGTH} characters"
                )
            lines[f"{pool} {_subject_name(subject)}"] = None
    if len(lines) > _MAX_LINES:
        raise ClusterRefused(
            f"{option} has {len(lines)} pairs of subject and pool, at most {_MAX_LINES} are allowed: name a group"
        )
    text = "\n".join(lines)
    if len(text) > _MAX_LIST:
        raise ClusterRefused(f"{option} has {len(text)} characters, at most {_MAX_LIST} are allowed: name a group")
    return text


def check_pool_label(label: str) -> str:
    """Return the label. Raises ClusterRefused if no Node can have it."""
    if not _LABEL.match(label):
        raise ClusterRefused(
            f"admission_pool_label {sanitize(label, 100)!r} is not the key of a label, such as {DEFAULT_POOL_LABEL}"
        )
    return label


def is_break_glass(user: str, groups: Collection[str], parameters: Mapping[str, str]) -> bool:
    """Return whether the policies let this identity do everything."""
    lines = parameters.get(BREAK_GLASS, "").split("\n")
    return any(f"* {subject}" in lines for subject in (f"User {user}", *(f"Group {group}" for group in groups)))
