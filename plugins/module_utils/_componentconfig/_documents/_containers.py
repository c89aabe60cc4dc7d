# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what a document of another kind holds: configs as fragments or as text, and flags."""

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from .._codec._embedding import EmbeddedFlag, EmbeddedFlags, Embedding
from .._codec.document import Document
from .._codec.plain_values import HEAD_FIELDS, head_values
from .._flags._flags_in_files import container_flags
from .._scalars._unexpanded import UNEXPANDED, is_unexpanded
from .._scalars.field_path import Path, value_at
from ..findings import RULE_UNKNOWN_FIELD, Finding, Level
from .recognition import (
    KUBERNETES,
    container_rows,
    doubtful_document,
    names_component_config,
    names_container,
    parts_of,
)

TextReader = Callable[[str, str, bool], "list[Document]"]
"""Returns the documents of a text in a file. Takes the text, the file, and whether it is a patch, which needs no
apiVersion."""

_BLOCK = re.compile(r"[:\s]\|[-+0-9]*[ \t]*(?:#.*)?$")
_HEAD_LINES = tuple(re.compile(rf"(?mi)(?:^|[{{,])[ \t]*\"?{name}\"?[ \t]*:") for name in HEAD_FIELDS)
_CONFIG_PATH = re.compile(r"kube|k3s|rke2")
_CONFIG_NAME = re.compile(r"(?i)kube|k3s|rke2|conf|policy|ya?ml|json")
_LAST_COMMA = re.compile(r",(?=\s*[}\]])")
_KUBEADM_PATCH = re.compile(
    r"/(?:kubeletconfiguration|kube-apiserver|kube-controller-manager|kube-scheduler)[^/]*\.json$"
)
_DASHES = "--"
RULE_TOOL_FIELD = "tool-field"
"""The rule that a tool reserves a field of the config for itself."""


class _Lines:
    """The lines of a file, and those of the fields of a document in it."""

    def __init__(self, document: Document, text: str) -> None:
        self.texts = text.split("\n")
        self._document = document
        self._groups: dict[int, dict[Path, list[tuple[Path, int]]]] = {}

    def below(self, path: Path) -> Sequence[tuple[Path, int]]:
        """Return the paths at and below a path, without its length, and their lines."""
        length = len(path)
        if length not in self._groups:
            groups: dict[Path, list[tuple[Path, int]]] = {}
            for other, line in self._document.lines.items():
                if len(other) >= length:
                    groups.setdefault(other[:length], []).append((other[length:], line))
            self._groups[length] = groups
        return self._groups[length].get(path, ())


class _Place(NamedTuple):
    """A value in an outer document, what the table says of it, and how texts in it are read."""

    outer: Document
    tool: str
    part: Mapping[str, Any]
    path: Path
    value: Any
    lines: _Lines
    read: TextReader

    def line(self) -> int | None:
        return self.outer.line_of(self.path)


def contents_of(document: Document, text: str, read: TextReader) -> Iterator[Document]:
    """Yield the documents that a document of another kind holds, and one for its flags; nothing if it has neither.

    Some of them may be outer documents themselves. What is not understood is a document with a finding. text: of the
    file. read: reads the texts in it.
    """
    lines = _Lines(document, text)
    for row in container_rows(document):
        for at, part in parts_of(row):
            for path, value in _values_at(document.data, at.split("."), ()):
                place = _Place(document, row["tool"], part, path, value, lines, read)
                yield from _FORMS[part["form"]](place)


def _values_at(value: Any, names: Sequence[str], path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the values at a path of the table, with their paths; null counts as absent."""
    if not names:
        if value is not None:
            yield path, value
        return
    name, rest = names[0], names[1:]
    if not isinstance(value, dict):
        return
    if name == "*":
        for key, item in value.items():
            yield from _values_at(item, rest, (*path, key))
    elif not name.endswith("[]"):
        yield from _values_at(value.get(name), rest, (*path, name))
    else:
        items = value.get(name[:-2])
        for index, item in enumerate(items if isinstance(items, list) else ()):
            yield from _values_at(item, rest, (*path, name[:-2], index))


def _inner_document(place: _Place, data: dict[str, Any], embedding: Embedding) -> Document:
    """Return the document at a place, whose paths begin there."""
    outer = place.outer
    own_place = outer.embedding.place if outer.embedding is not None else ()
    keys = {key: name for name, key in embedding.keys.items()}

    def inner(path: Path) -> Path:
        return tuple(keys.get(part, part) if isinstance(part, str) else part for part in path)

    lines = {
        path: line
        for path, line in ((inner(path), line) for path, line in place.lines.below(place.path))
        if not embedding.is_partial or value_at(data, path) is not None
    }
    lines.setdefault((), place.line() or 1)
    whole = own_place + place.path
    findings = tuple(finding for finding in outer.findings if finding.path[: len(whole)] == whole)
    return outer._replace(
        data=data, lines=lines, findings=findings, embedding=embedding._replace(place=whole), flags=()
    )


def _fragment(place: _Place) -> Iterator[Document]:
    part = place.part
    keys = {key: name for name, key in part.get("renamed", {}).items()}
    if "under" in part:  # a single field
        keys[part["under"]] = str(place.path[-1])
        place = place._replace(path=place.path[:-1], value={part["under"]: place.value})
    if not isinstance(place.value, dict):
        yield from _wrong_type(place, "a mapping")
        return
    api_version, kind = part["kind"].split(" ")
    value, findings = _known_fields(place)
    value = {key: _as_texts(item) if key in part.get("quantities", ()) else item for key, item in value.items()}
    value = _renamed({key: item for key, item in value.items() if key not in HEAD_FIELDS}, part.get("renamed", {}))
    for own in part.get("own", ()):
        value = _without(value, own.split("."))
    if part.get("partial"):
        value = _without_empty(value)  # the tool's own objects are written out, with nothing in them
    data = {"apiVersion": api_version, "kind": kind, **_over(part.get("base", {}), value)}
    is_partial = bool(part.get("partial"))
    document = _inner_document(
        place,
        data,
        Embedding(
            place.tool,
            keys=keys,
            implies_version=is_partial,
            is_partial=is_partial,
            tool_fields=frozenset(part.get("base", {})) - value.keys(),
        ),
    )
    yield document._replace(findings=(*document.findings, *findings))


def _known_fields(place: _Place) -> tuple[dict[str, Any], list[Finding]]:
    """Return the fields of a fragment that its tool knows, and a finding for each that it does not know or refuses."""
    allowed = place.part.get("fields", place.value)
    findings = [
        place.outer.locate(Finding((*place.path, key), message, rule, Level.POLICY))
        for key in place.value
        for message, rule in _objections(place, key, allowed)
    ]
    return {key: value for key, value in place.value.items() if key in allowed}, findings


def _objections(place: _Place, key: str, allowed: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield what a tool has against a field of a fragment, as the message and the rule."""
    if key not in allowed:
        yield f"{place.tool} has no such field", RULE_UNKNOWN_FIELD
    elif key in place.part.get("protected", ()):
        yield f"{place.tool} sets this field itself, and refuses another value", RULE_TOOL_FIELD


def _as_texts(value: Any) -> Any:
    """Return a value with texts for its numbers: the tool reads both as quantities."""
    if isinstance(value, dict):
        return {key: _as_texts(item) for key, item in value.items()}
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a fragment with the keys of its kind instead of the tool's."""
    if not names or not isinstance(value, dict):
        return value
    return {names.get(key, key): _renamed(item, names) for key, item in value.items()}


def _without(value: Any, names: Sequence[str]) -> Any:
    if not isinstance(value, dict) or names[0] not in value:
        return value
    kept = dict(value)
    if len(names) == 1:
        del kept[names[0]]
    else:
        kept[names[0]] = _without(value[names[0]], names[1:])
    return kept


def _without_empty(value: Any) -> Any:
    """Return a fragment without objects that set nothing."""
    if not isinstance(value, dict):
        return value
    return {key: _without_empty(item) for key, item in value.items() if item != {}}


def _over(base: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a fragment over what its tool sets; a null of the fragment stays one."""
    merged = {**base, **value}
    for key, item in base.items():
        if isinstance(item, dict) and isinstance(value.get(key), dict):
            merged[key] = _over(item, value[key])
    return merged


def _document(place: _Place) -> Iterator[Document]:
    value = place.value
    if not isinstance(value, dict):
        yield from _wrong_type(place, "a mapping")
        return
    if "kind" in place.part and not any(head_values(value).values()):
        value = {**dict(zip(HEAD_FIELDS, place.part["kind"].split(" "))), **value}
    yield _inner_document(place, value, Embedding(place.tool, is_whole_document=True))


def _text(place: _Place) -> Iterator[Document]:
    if not isinstance(place.value, str):
        yield from _wrong_type(place, "a text")
        return
    is_patch = bool(place.part.get("patch"))
    if "\n" not in place.value.strip() and is_unexpanded(place.value):
        if not _CONFIG_NAME.search(f"{place.path[-1]} {place.value}"):
            return  # a password, or a name
        yield doubtful_document(place.outer, _name_of(place), UNEXPANDED, place.path)
        return
    has_head = all(line.search(place.value) for line in _HEAD_LINES[is_patch:])
    if not (has_head or names_component_config(place.value) or names_container(place.value)):
        return
    line = place.line() or 1
    is_block = line <= len(place.lines.texts) and _BLOCK.search(place.lines.texts[line - 1]) is not None

    def moved(number: int | None) -> int:
        return line + (number or 1) if is_block else line

    own = tuple(finding for finding in place.outer.findings if finding.path == place.path)
    for document in place.read(place.value, place.outer.file, is_patch):
        if is_patch:
            document = _as_patch(document, place)
        yield document._replace(
            lines={path: moved(number) for path, number in document.lines.items()},
            findings=(*own, *(finding._replace(line=moved(finding.line)) for finding in document.findings)),
            flags=tuple(_moved_flags(flags, moved) for flags in document.flags),
        )


def _moved_flags(flags: EmbeddedFlags, moved: Callable[[int | None], int]) -> EmbeddedFlags:
    return flags._replace(pairs=tuple(pair._replace(line=moved(pair.line)) for pair in flags.pairs))


def _as_patch(document: Document, place: _Place) -> Document:
    """Return a document as a part of what its tool writes, without the tool's own fields."""
    data = document.data
    for own in place.part.get("own", ()):
        data = _without(data, own.split("."))
    embedding = (document.embedding or Embedding())._replace(tool=place.tool, is_partial=True)
    return document._replace(data=data, embedding=embedding)


def _files(place: _Place) -> Iterator[Document]:
    """Yield what a list of files to write holds: each with a path, a content, and perhaps an encoding."""
    value = place.value
    if not isinstance(value, dict):
        return
    path = str(value.get("path", ""))
    encoding = str(value.get("encoding") or "")
    if encoding not in ("", "text/plain"):
        if _CONFIG_PATH.search(path):
            yield doubtful_document(place.outer, "a file", f"its content is in {encoding}", (*place.path, "content"))
        return
    content = value.get("content")
    if isinstance(content, str) and _KUBEADM_PATCH.search(path):
        content = _LAST_COMMA.sub("", content)  # kubeadm reads its patches as YAML, whatever their names
    if content is not None:
        yield from _text(place._replace(path=(*place.path, "content"), value=content))


def _flags(place: _Place) -> Iterator[Document]:
    form, value = place.part["flags"], place.value
    if form in ("map", "gates") and not isinstance(value, dict):
        yield from _wrong_type(place, "a mapping")
        return
    if form == "gates":
        settings = ",".join(f"{gate}={_scalar_text(item)}" for gate, item in value.items())
        pairs = [_pair(place, "feature-gates", settings, place.path)]
    elif form == "map":
        pairs = [
            _pair(place, name, item, path)
            for name, items in value.items()
            for item, path in _each(items, (*place.path, name))
        ]
    else:
        pairs = []
        for item, path in _each(value, place.path):
            text = _scalar_text(item) or ""
            for word in _words(text) if form == "words" else [text]:
                name, equals, rest = word.removeprefix(_DASHES).partition("=")
                if form == "list":  # a sign at the end of the name says where the tool adds the value
                    name = name.rstrip("+-")
                pairs.append(_pair(place, name, rest if equals else None, path))
    yield from _flags_document(place, place.part["component"], pairs)


def _words(text: str) -> list[str]:
    """Return the words of an item that the tool puts into a variable of a unit: systemd takes the quotes out."""
    try:
        return shlex.split(text)
    except ValueError:  # an open quote
        return [text]


def _each(value: Any, path: Path) -> list[tuple[Any, Path]]:
    """Return the items of a list with their paths; another value is the only item."""
    return [(item, (*path, index)) for index, item in enumerate(value)] if isinstance(value, list) else [(value, path)]


def _command(place: _Place) -> Iterator[Document]:
    """Yield the flags of a container whose program is a component."""
    container = place.value if isinstance(place.value, dict) else {}
    for component, arguments in container_flags(container, place.path):
        pairs = [
            _pair(place, argument.name, argument.value, argument.path)._replace(error=argument.error)
            for argument in arguments
        ]
        yield from _flags_document(place, component, pairs)


def _pair(place: _Place, name: str, value: Any, path: Path) -> EmbeddedFlag:
    own = place.outer.embedding.place if place.outer.embedding is not None else ()
    return EmbeddedFlag(name, _scalar_text(value), own + path, place.outer.line_of(path))


def _scalar_text(value: Any) -> str | None:
    """Return a scalar as the text of a flag, None for none."""
    if value is None or isinstance(value, (dict, list)):
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _flags_document(place: _Place, component: str, pairs: Sequence[EmbeddedFlag]) -> Iterator[Document]:
    """Yield a document that only has the flags of a component."""
    if pairs:
        flags = EmbeddedFlags(component, tuple(pairs), place.outer.file)
        yield place.outer._replace(data={}, findings=(), lines={}, embedding=None, flags=(flags,), is_validated=False)


def _opaque(place: _Place) -> Iterator[Document]:
    yield doubtful_document(place.outer, _name_of(place), place.part["why"], place.path)


def _wrong_type(place: _Place, expected: str) -> Iterator[Document]:
    yield doubtful_document(place.outer, _name_of(place), f"it is not {expected}", place.path)


def _name_of(place: _Place) -> str:
    if place.tool == KUBERNETES:
        return f"a part of a {place.outer.head['kind']}"
    return f"a part of a file of {place.tool}"


_FORMS: Mapping[str, Callable[[_Place], Iterator[Document]]] = {
    "fragment": _fragment,
    "text": _text,
    "document": _document,
    "files": _files,
    "flags": _flags,
    "command": _command,
    "opaque": _opaque,
}
