# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look up which flags of a static-Pod component a bundle may set, and which name a file of what kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast


class NamedFile(NamedTuple):
    """The file that a flag names: its kind, "" for a text of another form, and how another content is taken.

    reloads: rows of the first minor, the class of disruption, and the flag that must be on for it or "".
    """

    kind: str
    reloads: tuple[tuple[int, str, str], ...]

    @property
    def is_reloaded(self) -> bool:
        """Whether some release takes another content without a restart."""
        return any(disruption != "restart" for _since, disruption, _switch in self.reloads)


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    from .._data._component_options import OPTIONS  # a node with a kubelet alone does not need it

    return cast("dict[str, Any]", json.loads(OPTIONS))


def bundle_flags(component: str) -> frozenset[str]:
    """Return the flags that a bundle may set unless a node denies them, by schema/control_plane_options.json."""
    return frozenset(_data().get(component, {}).get("bundle", ()))


@cache
def path_flags(component: str) -> Mapping[str, bool]:
    """Return the flags that name a path other than a file which the component reads, and whether it writes there."""
    return cast("dict[str, bool]", _data().get(component, {}).get("paths", {}))


@cache
def file_flags(component: str) -> Mapping[str, NamedFile]:
    """Return the flags that name a file which the component reads, {} for a component that is not known."""
    rows = _data().get(component, {}).get("files", {})
    return {flag: NamedFile(row.get("kind", ""), _reloads(row.get("reload", ()))) for flag, row in rows.items()}


def _reloads(rows: Any) -> tuple[tuple[int, str, str], ...]:
    return tuple((since, how, "".join(switch)) for since, how, *switch in rows)
