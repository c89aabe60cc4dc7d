# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Explain a flag of a component that runs as a static Pod."""

from __future__ import annotations

from typing import Any

from .. import ConfigError
from .._flags._flag_set import known_flags
from .._flags._flag_values import rules_about
from .._scalars._suggestion import did_you_mean
from .._schema.releases import minor_name
from ._facts import bundle_flags, file_flags

_DENIED = "denied, unless the node's own config allows it (allowedFields)"
_FORMS = {
    "array": "list, one use for each item",
    "certKeyPairs": "list of certificate,key",
    "int32": "int",
    "uint": "int",
    "level": "int",
    "intList": "list of whole numbers",
    "looseMap": "map",
    "map": "map",
    "mapBool": "map of true and false, merged by key",
    "stringToString": "map",
    "tristate": "true, false or raw",
    "vmodule": "map of file patterns and levels",
}


def flag_names(component: str) -> list[str]:
    """Return the names of a component's flags, sorted."""
    known = known_flags(component)
    return sorted(known.flags) if known is not None else []


def flag_facts(component: str, name: str) -> dict[str, Any]:
    """Return the facts about a flag by their label. Raises ConfigError, with a similar name, for an unknown one."""
    known = known_flags(component)
    flag = known.flags.get(name.replace("_", "-")) if known is not None else None
    if known is None or flag is None:
        raise ConfigError(f"{component} has no flag --{name}{did_you_mean(name, flag_names(component))}")
    first = minor_name(flag.since) if flag.since > 20 else "1.20 or earlier"
    named = file_flags(component).get(flag.name)
    reloads = named.reloads if named is not None else ()
    return {
        "type": _FORMS.get(flag.form, flag.form),
        "versions": f"from {first}" + (f" to {minor_name(flag.last)}" if flag.last is not None else ""),
        "allowed": [{"since": minor_name(since or 20), "value": ", ".join(values)} for since, values in flag.values],
        "names_a_file": (named.kind or "a text") if named is not None else "",
        "rules": [{"rule": rule} for rule in rules_about(component, flag.name)],
        "disruption": [
            {"since": minor_name(since), "value": how + (f" with --{switch}" if switch else "")}
            for since, how, switch in reloads
        ]
        or "restart",
        "bundle": "may set it" if flag.name in bundle_flags(component) else _DENIED,
    }
