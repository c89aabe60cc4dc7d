# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring ComponentOptions to one form, so that two documents which ask for the same are equal, and classify changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import ConfigError
from .._codec.plain_values import head_values
from .._flags._flag_set import known_flags
from .._flags._pflag import parse_flag_value
from .._scalars.duration import format_duration, parse_duration
from .._scalars.field_path import Path
from .._scalars.numbers import parse_bool
from ._document import Options, OptionsFile, flag_texts, read_options
from ._facts import file_flags

REMOVED = "(removed)"
"""The effective value of a flag that is to be removed; absent is what the init manifest has."""

WithDefaults = Callable[[Any], Mapping[str, Any]]
"""Returns a document with the defaults of its kind."""


def effective_options(data: Mapping[str, Any], with_defaults: WithDefaults) -> dict[str, Any]:
    """Return decoded ComponentOptions with typed values of flags, and with the defaults of the documents in files."""
    options = read_options(data)
    flags = {flag: _effective_flag(options.component, flag, value) for flag, value in options.flags.items()}
    files = {file.name: _effective_file(file, with_defaults) for file in options.files}
    return {
        **head_values(data),
        "component": options.component,
        **({"flags": flags} if flags else {}),
        **({"files": files} if files else {}),
    }


def _effective_flag(component: str, flag: str, value: Any) -> Any:
    if value is None:
        return REMOVED
    known = known_flags(component)
    try:
        texts = flag_texts(component, flag, value)
        if known is None or flag not in known.flags:
            return texts[-1] if len(texts) == 1 else texts
        parsed = parse_flag_value(known.flags[flag].form, texts or [""])
        if known.flags[flag].form == "looseMap":  # a key without a value is switched on
            return {key: text or "true" for key, text in parsed.items()}
        return format_duration(parse_duration(parsed)) if known.flags[flag].form == "duration" else parsed
    except ConfigError:
        return value  # what is wrong with it is a finding


def _effective_file(file: OptionsFile, with_defaults: WithDefaults) -> dict[str, Any]:
    named = {"flag": file.flag} if file.flag else {}
    if file.content is None:
        return {**named, "path": file.path}
    return {**named, "content": with_defaults(file.content) if isinstance(file.content, Mapping) else file.content}


def class_of_change(path: Path, minor: int, configs: Sequence[Mapping[str, Any]]) -> str:
    """Return the class of disruption of a change at a path of two effective documents: live or restart.

    Only another content of a file that both have is taken without a restart, and only by some flags.
    """
    if len(configs) != 2 or path[:1] != ("files",) or path[2:3] != ("content",):
        return "restart"
    before, after = map(read_options, configs)
    old, new = (_file(options, str(path[1])) for options in (before, after))
    if old is None or new is None or old.flag != new.flag or None in (old.content, new.content):
        return "restart"
    if path[3:4] == ("anonymous",) or _fixed_authorizers(old.content) != _fixed_authorizers(new.content):
        return "restart"  # the API server refuses to reload these
    named = file_flags(after.component).get(new.flag)
    rows = [row for row in (named.reloads if named is not None else ()) if row[0] <= minor]
    if not rows:
        return "restart"
    _since, how, switch = rows[-1]
    return how if not switch or _is_on(after, switch) else "restart"


def _file(options: Options, name: str) -> OptionsFile | None:
    return next((file for file in options.files if file.name == name), None)


def _fixed_authorizers(content: Any) -> list[Any]:
    """Return the types of the authorizers that stay while the API server runs: all but webhooks."""
    items = content.get("authorizers") if isinstance(content, Mapping) else None
    types = [item.get("type") for item in (items if isinstance(items, list) else ()) if isinstance(item, Mapping)]
    return [str(name) for name in types if name != "Webhook"]


def _is_on(options: Options, switch: str) -> bool:
    value = options.flags.get(switch)
    return value is True or (isinstance(value, str) and parse_bool(value) is True)
