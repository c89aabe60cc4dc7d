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
from . import RELOADED_FILES
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
    before, after = (without_reloaded(read_options(config), minor) for config in configs)
    old, new = (_file(options, str(path[1])) for options in (before, after))
    is_live = old is not None and old == new and _is_reloaded(before, old, minor)
    return "live" if is_live else "restart"


def without_reloaded(options: Options, minor: int) -> Options:
    """Return options with only that part of each file which a component of a minor does not take while it runs.

    Two that are equal then differ by a reload, if at all.
    """
    files = (
        file._replace(content=_without_reloaded(file.content)) if _is_reloaded(options, file, minor) else file
        for file in options.files
    )
    return options._replace(files=tuple(files))


def _is_reloaded(options: Options, file: OptionsFile, minor: int) -> bool:
    """Return whether a component takes another content of a file while it runs, and shows that by a metric."""
    if not isinstance(file.content, Mapping) or file.flag not in RELOADED_FILES:
        return False
    named = file_flags(options.component).get(file.flag)
    rows = [row for row in (named.reloads if named is not None else ()) if row[0] <= minor]
    if not rows:
        return False
    _since, how, switch = rows[-1]
    return how == "live" and (not switch or _is_on(options, switch))


def _without_reloaded(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the API server refuses to reload: anonymous requests, and all authorizers but webhooks."""
    kept = {key: content[key] for key in ("kind", "anonymous") if key in content}
    items = content.get("authorizers")
    types = [item.get("type") for item in (items if isinstance(items, list) else ()) if isinstance(item, Mapping)]
    return {**kept, "authorizers": [str(name) for name in types if name != "Webhook"]}


def _file(options: Options, name: str) -> OptionsFile | None:
    return next((file for file in options.files if file.name == name), None)


def _is_on(options: Options, switch: str) -> bool:
    value = options.flags.get(switch)
    return value is True or (isinstance(value, str) and parse_bool(value) is True)
