# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that a config is for, by the Kubernetes minor that they run.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ._values._errors import ComponentConfigError
from ._values._versions import names, parse_minor

__all__ = ["Pool"]

_NAMED = 3


class Pool:
    """The minors that a config is judged for, and which nodes run them."""

    def __init__(self, versions: Iterable[str], nodes: Mapping[str, str], otherwise: int) -> None:
        """versions: Kubernetes versions; nodes: by name, the version of each, which are judged for as well.

        otherwise: the minor where there is neither. Raises ComponentConfigError for a version that is none.
        """
        self._nodes: dict[int, list[str]] = {}
        for node, version in sorted(nodes.items()):
            try:
                self._nodes.setdefault(parse_minor(version), []).append(node)
            except ComponentConfigError as error:
                raise ComponentConfigError(f"node {node}: {error}") from error
        self.minors = sorted({parse_minor(version) for version in versions} | set(self._nodes)) or [otherwise]

    def nodes_of(self, minors: Iterable[int]) -> tuple[str, ...]:
        """The names of the nodes that run one of these minors, sorted."""
        return tuple(sorted(name for minor in set(minors) for name in self._nodes.get(minor, ())))

    def suffix(self, minors: Iterable[int]) -> str:
        """Which minors of the pool a finding holds for and which nodes those are, for its message; "" for all."""
        held = set(minors)
        if held >= set(self.minors):
            return ""
        nodes = self.nodes_of(held)
        more = f" and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else ""
        return f" (Kubernetes {names(held)}" + (f": {', '.join(nodes[:_NAMED])}{more})" if nodes else ")")
