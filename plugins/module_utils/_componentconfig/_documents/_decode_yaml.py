# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML to builder events, with libyaml where it is there.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .._values._scalars import resolve
from ._findings import DecodeError

if TYPE_CHECKING:
    from ._document_builder import Builder

__all__ = ["parse_yaml"]

_PREFIX = "tag:yaml.org,2002:"
_TAGGED: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
_TAGS = frozenset(("str", "int", "float", "bool", "null", "map", "seq"))


def _line(mark: Any) -> int:
    return int(mark.line) + 1 if mark is not None else 1


def _at_tab(text: str, mark: Any) -> bool:
    lines = text.split("\n", mark.line + 1)
    return bool(mark.line < len(lines) and lines[mark.line].strip(" ").startswith("\t"))


def _events(yaml: Any, text: str, builder: Builder) -> Iterator[Any]:
    """The parser's events; whatever it raises becomes a DecodeError."""
    line = 1
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        try:
            while loader.check_event():
                event = loader.get_event()
                line = _line(event.start_mark)
                yield event
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "syntax error"
        if mark is not None and _at_tab(text, mark):
            problem += " (YAML allows no tabs for indentation)"
        raise builder.fail(_line(mark) if mark is not None else line, f"not valid YAML: {problem}") from error
    except yaml.YAMLError as error:
        raise builder.fail(line, f"not valid YAML: {str(error).splitlines()[0]}") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise builder.fail(line, "not valid YAML: a character or number that cannot be read") from error


def _scalar(event: Any, builder: Builder) -> None:
    line = _line(event.start_mark)
    text: str = event.value
    tag: str | None = event.tag
    plain = event.style in (None, "") and event.implicit[0]
    if tag in (None, "!"):
        value = resolve(text) if plain and tag is None else text
    else:
        value = _tagged(str(tag), text, line, builder)
    builder.scalar(value, line, event.anchor, plain_text=text if plain else None)


def _tagged(tag: str, text: str, line: int, builder: Builder) -> Any:
    name = tag[len(_PREFIX) :] if tag.startswith(_PREFIX) else ""
    _check_tag(tag, line, builder)
    if name in _TAGGED:
        value = resolve(text)
        if type(value) not in _TAGGED[name]:
            raise builder.fail(line, f"the tag !!{name} does not fit its value", "tag", path=builder.place)
        return value
    return text


def _check_tag(tag: str | None, line: int, builder: Builder) -> None:
    if tag not in (None, "!") and not (str(tag).startswith(_PREFIX) and str(tag)[len(_PREFIX) :] in _TAGS):
        builder.note(line, builder.place, None, "YAML tags other than the basic ones are not allowed", "tag")


def _first_document(yaml: Any, text: str, builder: Builder) -> Iterator[Any]:
    """The events of the first document. What stands after it is noted; it is not read, and need not be YAML."""
    ended = more = 0
    try:
        for event in _events(yaml, text, builder):
            if ended and isinstance(event, yaml.DocumentStartEvent):
                more = _line(event.start_mark)
                break
            if isinstance(event, yaml.DocumentEndEvent):
                ended = _line(event.end_mark)
            yield event
    except DecodeError as error:
        if not ended:
            raise
        more = error.finding.line or ended
    if more:
        builder.note(more, (), None, "a second document follows; only the first one is read", "documents")


def parse_yaml(text: str, builder: Builder) -> None:
    """Feed the first document of a YAML text to a builder; raises DecodeError through it, ImportError without PyYAML.

    Go's decoder reads the first document and ignores the rest: a second one is a finding, and is not looked at.
    """
    import yaml  # not at the top: whoever decodes JSON only, or nothing, does not need it

    for event in _first_document(yaml, text, builder):
        line = _line(event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            if event.version not in (None, (1, 1)):
                raise builder.fail(line, "YAML 1.1 is the only version that Kubernetes reads")
        elif isinstance(event, yaml.ScalarEvent):
            _scalar(event, builder)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            _check_tag(event.tag, line, builder)
            builder.open({} if isinstance(event, yaml.MappingStartEvent) else [], line, event.anchor)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            builder.close()
        elif isinstance(event, yaml.AliasEvent):
            builder.alias(str(event.anchor), line)
