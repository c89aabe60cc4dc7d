# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two configs are one to the component that reads them, so that it needs no restart.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._codec._plain_values import canonical
from ._compare import differences, effective_diff
from ._drop_ins import effective_with_drop_ins
from ._exceptions import ConfigError
from ._schema._kinds import Kind, find_kind
from ._schema._releases import known_minors

__all__ = ["same_config"]


def same_config(old: Any, new: Any, minor: int | None, drop_ins: Sequence[Any] = ()) -> bool:
    """Return whether a component makes the same of two decoded configs; False when that is not certain.

    Defaults and nullability decide, field by field: `maxPods: 110` and `clusterDNS: []` are what a kubelet does anyway,
    while `evictionHard: {}` switches a default off. The answer holds for the component of this minor and of every later
    one that the data know, because the file stays when the component is upgraded. None stands for an unknown version:
    then all minors must agree.

    drop_ins: decoded, lowest first; a kubelet must make the same of the two with them too. One may be where another
    field has its default from, so that a default written out is not the default any more.
    """
    if _plainly_same(old, new):
        return True
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return False
    head = [(data.get("apiVersion"), data.get("kind")) for data in (old, new)]
    kind = find_kind(*head[0])
    if kind is None or head[0] != head[1]:
        return False
    minors = [known for known in known_minors() if minor is None or known >= minor]
    if not minors or (minor is not None and minor < min(minors)):
        return False
    if not _plainly_same(*(_unknown(data, kind.fields) for data in (old, new))):
        return False
    if any(effective_diff(old, new, (at, at)) for at in minors):
        return False
    return kind.component != "kubelet" or not drop_ins or _same_with(drop_ins, old, new, kind, minors)


def _same_with(drop_ins: Sequence[Any], old: Any, new: Any, kind: Kind, minors: Sequence[int]) -> bool:
    if not all(isinstance(one, dict) for one in drop_ins):
        return False
    return not any(
        differences(
            effective_with_drop_ins(old, drop_ins, kind, at), effective_with_drop_ins(new, drop_ins, kind, at), kind, at
        )
        for at in minors
    )


def _plainly_same(old: Any, new: Any) -> bool:
    try:
        return canonical(old) == canonical(new)
    except ConfigError:
        return False  # dates and the like, which JSON cannot hold


def _unknown(data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an object that the data know at no minor: what they mean is not known either."""
    result: dict[str, Any] = {}
    for key, value in data.items():
        field = fields.get(key)
        if field is None:
            result[key] = value
        elif "fields" in field:
            is_object = not str(field.get("type")).startswith("map<")
            below = [
                (place, _unknown(item, field["fields"]))
                for place, item in _objects(value, is_object=is_object)
                if isinstance(item, dict)
            ]
            if any(unknown for _place, unknown in below):
                result[key] = below
    return result


def _objects(value: Any, *, is_object: bool) -> list[tuple[Any, Any]]:
    """Return the objects in a field's value, each with its place: one object, or those of a list or map."""
    if isinstance(value, list):
        return list(enumerate(value))
    if isinstance(value, dict) and not is_object:
        return list(value.items())
    return [(None, value)]
