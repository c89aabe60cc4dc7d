# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a ComponentOptions document: its flags as the component gets them, and the files that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .. import ConfigError
from .._flags._flag_findings import Argument
from .._flags._flag_set import known_flags
from .._flags._pflag import FORMS, REPEATABLE
from .._scalars.field_path import Path
from ._facts import NamedFile, file_flags

DIRECTORY = "/etc/kubernetes/configok"
"""Where a node has the files of its static-Pod components; each has a folder of its own there."""

_MAPS = frozenset(("map", "mapBool", "looseMap", "stringToString", "vmodule"))
_JOINED = frozenset(("list", "intList", "map", "mapBool", "looseMap", "vmodule"))
"""The forms of flags whose items are one value with commas between. Each item of any other repeatable flag is a use."""

_LISTS = ("list", "intList", "array")
_FIRST_WINS = "vmodule"
"""The form of a map whose order counts: the first pattern that fits a file decides."""


class OptionsFile(NamedTuple):
    """One entry of `files`.

    name: its key. flag: the one that names it, "" for a file that another one names. content: a decoded document or a
    text, None for a file that is on each node. path: where the component finds it.
    """

    name: str
    flag: str
    content: Any
    path: str

    @property
    def field(self) -> Path:
        """The path of the entry in the document."""
        return ("files", self.name)


class Options(NamedTuple):
    """What a document says: the component, its flags by their names with dashes, and its files.

    A flag is None if it is to be removed. spellings: the key of each flag as it is written. repeated: keys that name a
    flag which an earlier key names.
    """

    component: str
    flags: Mapping[str, Any]
    files: tuple[OptionsFile, ...]
    spellings: Mapping[str, str]
    repeated: tuple[str, ...] = ()

    def field_of(self, flag: str) -> Path:
        """Return the path of a flag in the document."""
        return ("flags", self.spellings[flag])

    @property
    def removed(self) -> frozenset[str]:
        """The flags that are taken away from the manifest."""
        return frozenset(name for name, value in self.flags.items() if value is None)

    def file_of(self, flag: str) -> OptionsFile | None:
        """Return the file that a flag names, None without one."""
        return next((file for file in self.files if file.flag == flag), None)


def read_options(data: Mapping[str, Any]) -> Options:
    """Return what a decoded document says. What has a wrong type is left out: the check of types finds it."""
    component = data.get("component")
    component = component if isinstance(component, str) else ""
    flags, spellings, repeated = dict[str, Any](), dict[str, str](), list[str]()
    for key, value in _mapping(data.get("flags")).items():
        name = key.replace("_", "-")
        if name in flags:
            repeated.append(key)
            continue
        flags[name], spellings[name] = value, key
    files = tuple(
        _file(component, name, entry)
        for name, entry in _mapping(data.get("files")).items()
        if isinstance(entry, Mapping)
    )
    return Options(component, flags, files, spellings, tuple(repeated))


def _mapping(value: Any) -> dict[str, Any]:
    return {key: item for key, item in value.items() if isinstance(key, str)} if isinstance(value, dict) else {}


def _file(component: str, name: str, entry: Mapping[str, Any]) -> OptionsFile:
    flag, path, content = entry.get("flag"), entry.get("path"), entry.get("content")
    named = flag.replace("_", "-") if isinstance(flag, str) else ""
    where = path if isinstance(path, str) and path else f"{DIRECTORY}/{component}/{name}"
    return OptionsFile(name, named or flag_of_kind(component, content), content, where)


def plugin_paths(options: Options) -> Iterator[tuple[Path, str]]:
    """Yield the paths that an AdmissionConfiguration of a document names, each with its own path in the document.

    A relative one begins at the directory of the file that names it.
    """
    for file in options.files:
        content = file.content if isinstance(file.content, Mapping) else {}
        plugins = content.get("plugins") if content.get("kind") == "AdmissionConfiguration" else None
        for index, plugin in enumerate(plugins if isinstance(plugins, list) else ()):
            path = plugin.get("path") if isinstance(plugin, Mapping) else None
            if isinstance(path, str) and path:
                yield (*file.field, "content", "plugins", index, "path"), path


def node_files(options: Options) -> Iterator[tuple[Path, str, NamedFile]]:
    """Yield the files on each node that options of valid types name: where, the path in the container, and what it is.

    A file is named by `path`, or as the value of its flag.
    """
    known = file_flags(options.component)
    for file in options.files:
        if file.content is None:
            yield (*file.field, "path"), file.path, known.get(file.flag, NamedFile("", ()))
    for flag, value in sorted(options.flags.items()):
        if value is not None and flag in known:
            for text in flag_texts(options.component, flag, value):
                yield from ((options.field_of(flag), path, known[flag]) for path in text.split(",") if path[:1] == "/")


def flag_of_kind(component: str, content: Any) -> str:
    """Return the only flag of a component that names files of a document's kind, "" if none or several do.

    If some of several flags were dropped by a release, only the others count.
    """
    kind = content.get("kind") if isinstance(content, Mapping) else None
    names = [flag for flag, file in file_flags(component).items() if file.kind and file.kind == kind]
    known = known_flags(component)
    lasting = [flag for flag in names if known is not None and known.flags[flag].last is None]
    names = lasting or names
    return names[0] if len(names) == 1 else ""


def flag_texts(component: str, flag: str, value: Any) -> list[str]:
    """Return the values of a flag's uses on a command line, in their order, for a value other than None.

    Maps that have the same keys and values give the same text.
    Raises ConfigError for a value of a type that the flag cannot have; what the text may be is not checked.
    """
    known = known_flags(component)
    form = known.flags[flag].form if known is not None and flag in known.flags else ""
    is_list, is_map = form in REPEATABLE, form in _MAPS
    if isinstance(value, Mapping):
        if form and not is_map:
            raise ConfigError("must not be a mapping")
        keys = list(value) if form == _FIRST_WINS else sorted(value)
        pairs = [f"{key}={_scalar(value[key])}" for key in keys]
        return pairs if form == "stringToString" else [",".join(pairs)]
    if isinstance(value, list):
        if form and not is_list:
            raise ConfigError("must not be a list")
        items = [_scalar(item) for item in value]
        if form not in _JOINED and form:
            return items
        if any("," in item for item in items):
            raise ConfigError("an item must not have a comma")
        return [",".join(items)]
    return [_scalar(value)]


def list_items(component: str, flag: str, uses: Sequence[str]) -> tuple[str, ...] | None:
    """Return the items of the values of a flag's uses, None for a flag that is not a list, and for invalid values."""
    known = known_flags(component)
    form = known.flags[flag].form if known is not None and flag in known.flags else ""
    if form not in _LISTS:
        return None
    try:
        return tuple(map(str, FORMS[form](uses)))
    except ConfigError:
        return None


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e21
        return str(int(value) if is_whole else value)
    raise ConfigError("must hold texts, numbers and true or false only")


def flag_arguments(options: Options) -> Iterator[Argument]:
    """Yield the flags that a document sets, with the flags of its files. One of a wrong type has an error."""
    for flag, value in options.flags.items():
        path = options.field_of(flag)
        if value is None:
            continue
        try:
            for text in flag_texts(options.component, flag, value):
                yield Argument(path, flag, text)
        except ConfigError as error:
            yield Argument(path, flag, "", str(error))
    for file in options.files:
        if file.flag:
            yield Argument(file.field, file.flag, file.path)
