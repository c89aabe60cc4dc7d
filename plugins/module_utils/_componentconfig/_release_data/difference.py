# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare release data with the newest release that the collection ships: what is gone, new or has another default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .._flags._flag_set import flag_set
from .._schema.releases import minor_name, newest_minor
from ..findings import show
from ._changes import Change, digest_of, field_changes, gate_changes
from .file_format import ReleaseData


class Difference(NamedTuple):
    """How a release differs from the newest shipped one. digest: the hash that a person accepts."""

    release: str
    base: str
    changes: tuple[Change, ...]
    digest: str

    @property
    def lines(self) -> list[str]:
        """The changes as human-readable lines, with their number."""
        counts = {kind: sum(change.kind == kind for change in self.changes) for kind in ("gone", "new", "changed")}
        head = f"Kubernetes {self.release} and {self.base}: " + ", ".join(f"{n} {kind}" for kind, n in counts.items())
        return [head, *map(str, self.changes)]


def difference(data: ReleaseData) -> Difference:
    """Return how a release differs from the newest one that is shipped, in the layers that the data have."""
    base = newest_minor()
    changes = (*gate_changes(data, base), *_flag_changes(data, base), *field_changes(data, base))
    return Difference(minor_name(data.minor), minor_name(base), changes, digest_of(data))


def _flag_changes(data: ReleaseData, base: int) -> Iterator[Change]:
    for component, flags in sorted(data.flags.values.items()):
        shipped = flag_set(component)
        if shipped is None:
            continue  # there is nothing to compare with
        known = {name for name, flag in shipped.flags.items() if flag.known_at(base)}
        for name in sorted(known ^ set(flags)):
            if name in known:
                yield Change("flag", f"{component} --{name}", "gone", "a flag", "")
            else:
                default = flags[name].default
                shown = f"{flags[name].type or 'bool'}" + (f", default {show(default)}" if default is not None else "")
                yield Change("flag", f"{component} --{name}", "new", "", shown)
