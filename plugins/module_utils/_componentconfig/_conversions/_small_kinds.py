# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert kinds whose versions differ in a field or two: kubectl's preferences, the migration of controller leaders.

From kubectl/pkg/config and controller-manager/pkg/leadermigration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._schema._kinds import Kind
from ._field_moves import Loss, LossHint, rename

__all__ = ["SMALL_HINTS", "convert_leader_migration", "convert_preference"]

SMALL_HINTS: Mapping[str, Mapping[str, LossHint]] = {
    "LeaderMigrationConfiguration": {
        "resourceLock": LossHint("the version always locks with leases", ("leases",)),
    },
    "Preference": {
        "credentialPluginPolicy": LossHint("the version runs every credential plugin", ("AllowAll",)),
    },
}

_RENAMED = (
    ("overrides", "defaults"),
    ("defaults.*.flags", "options"),
    ("aliases.*.flags", "options"),
)
"""The names of fields in kubectl's v1alpha1 and v1beta1; top-level ones first."""


def convert_preference(data: dict[str, Any], source: Kind, target: Kind, losses: list[Loss]) -> None:
    """Rename the fields that kubectl.config.k8s.io/v1beta1 renamed."""
    if source.version == "v1alpha1":
        for old, new in _RENAMED:
            rename(data, old, new)
    else:
        for old, new in reversed(_RENAMED):
            *parents, last = old.split(".")
            rename(data, ".".join((*parents, new)), last)


def convert_leader_migration(data: dict[str, Any], source: Kind, target: Kind, losses: list[Loss]) -> None:
    """Write the lock that v1 always uses, if the target version has a field for it."""
    if "resourceLock" in target.fields and "resourceLock" not in source.fields:
        data["resourceLock"] = "leases"
