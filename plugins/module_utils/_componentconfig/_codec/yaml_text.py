# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read and write YAML 1.1 as Kubernetes does.

Kubernetes reads it through sigs.k8s.io/yaml (go-yaml v2): `on`, `no` and `y` are booleans, `017` is octal, `1:30` and a
date are strings, `1_000` is a number.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Union

from .. import ConfigError
from ..findings import InvalidConfig

if TYPE_CHECKING:
    from ._builder import Builder

Scalar = Union[None, bool, int, float, str]

_CONSTANTS: dict[str, Scalar] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_CONSTANTS.update({word: True for base in ("y", "yes", "true", "on") for word in (base, base.title(), base.upper())})
_CONSTANTS.update({word: False for base in ("n", "no", "false", "off") for word in (base, base.title(), base.upper())})
_CONSTANTS.update(dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan))
_CONSTANTS.update({word: math.inf for base in (".inf", ".Inf", ".INF") for word in (base, "+" + base)})
_CONSTANTS.update({"-" + base: -math.inf for base in (".inf", ".Inf", ".INF")})

_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def _integer(text: str) -> int | None:
    if len(text) > 70 or not _INTEGER.fullmatch(text):
        return None
    digits = text.lstrip("+-").lower()
    if digits.startswith(("0x", "0b", "0o")) or not digits.startswith("0"):
        value = int(digits, 0)
    else:
        value = int(digits, 8)
    value = -value if text.startswith("-") else value
    return value if -(2**63) <= value < 2**64 else None


def resolve_scalar(text: str) -> Scalar:
    """Return the value of a plain (unquoted, untagged) scalar, infinite and not-a-number floats among them."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    plain = text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return integer
    if _FLOAT.fullmatch(plain):
        number = float(plain)
        return text if math.isinf(number) else number
    return text


_PREFIX = "tag:yaml.org,2002:"
_TAGGED: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
_TAGS = frozenset(("str", "int", "float", "bool", "null", "map", "seq"))


def _line(mark: Any) -> int:
    return int(mark.line) + 1 if mark is not None else 1


def _at_tab(text: str, mark: Any) -> bool:
    lines = text.split("\n", mark.line + 1)
    return bool(mark.line < len(lines) and lines[mark.line].strip(" ").startswith("\t"))


def _events(yaml: Any, text: str, builder: Builder) -> Iterator[Any]:
    """Yield the parser's events; its errors become InvalidConfig."""
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
        raise builder.error(_line(mark) if mark is not None else line, f"not valid YAML: {problem}") from error
    except yaml.YAMLError as error:
        raise builder.error(line, f"not valid YAML: {str(error).splitlines()[0]}") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise builder.error(line, "not valid YAML: a character or number that cannot be read") from error


def _scalar(event: Any, builder: Builder) -> None:
    line = _line(event.start_mark)
    text: str = event.value
    tag: str | None = event.tag
    plain = event.style in (None, "") and event.implicit[0]
    if tag in (None, "!"):
        value = resolve_scalar(text) if plain and tag is None else text
    else:
        value = _tagged(str(tag), text, line, builder)
    builder.scalar(value, line, event.anchor, plain_text=text if plain else None)


def _tagged(tag: str, text: str, line: int, builder: Builder) -> Any:
    name = tag[len(_PREFIX) :] if tag.startswith(_PREFIX) else ""
    _check_tag(tag, line, builder)
    if name == "binary":
        from base64 import b64decode  # not at the top: hardly any file needs it

        try:
            return b64decode(text.replace("\n", ""), validate=True).decode(errors="replace")
        except ValueError as error:
            raise builder.error(line, "the tag !!binary needs base64", "tag", path=builder.next_path) from error
    if name in _TAGGED:
        value = resolve_scalar(text)
        if type(value) not in _TAGGED[name]:
            raise builder.error(line, f"the tag !!{name} does not fit its value", "tag", path=builder.next_path)
        return value
    return text


def _check_tag(tag: str | None, line: int, builder: Builder) -> None:
    if tag not in (None, "!") and not (str(tag).startswith(_PREFIX) and str(tag)[len(_PREFIX) :] in _TAGS):
        builder.report(line, builder.next_path, "YAML tags other than the basic ones are not allowed", "tag")


def _first_document(yaml: Any, text: str, builder: Builder) -> Iterator[Any]:
    """Yield the events of the first document. A second one is reported; it is not read and need not be YAML."""
    end_line = next_line = 0
    try:
        for event in _events(yaml, text, builder):
            if end_line and isinstance(event, yaml.DocumentStartEvent):
                next_line = _line(event.start_mark)
                break
            if isinstance(event, yaml.DocumentEndEvent):
                end_line = _line(event.end_mark)
            yield event
    except InvalidConfig as error:
        if not end_line:
            raise
        next_line = error.findings[0].line or end_line
    if next_line:
        builder.report(next_line, (), "a second document follows; only the first one is read", "documents")


def parse_yaml(text: str, builder: Builder) -> None:
    """Feed the first document of a YAML text to a builder; raises InvalidConfig, ImportError without PyYAML.

    Go's decoder reads the first document and ignores the rest: a second one is a finding and is not read.
    """
    import yaml  # not at the top: decoding JSON does not need it

    flow_depth = 0
    for event in _first_document(yaml, text, builder):
        line = _line(event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            if event.version not in (None, (1, 1)):
                raise builder.error(line, "YAML 1.1 is the only version that Kubernetes reads")
        elif isinstance(event, yaml.ScalarEvent):
            if flow_depth and event.style in (None, "") and "?" in event.value[1:]:
                # YAML 1.1 ends the value there, and Kubernetes refuses the rest; newer parsers read on.
                raise builder.error(line, "not valid YAML: a value with ? within {} or [] needs quotes")
            _scalar(event, builder)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            _check_tag(event.tag, line, builder)
            flow_depth += bool(event.flow_style or flow_depth)
            builder.open({} if isinstance(event, yaml.MappingStartEvent) else [], line, event.anchor)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            flow_depth -= bool(flow_depth)
            builder.close()
        elif isinstance(event, yaml.AliasEvent):
            builder.alias(str(event.anchor), line)


# PyYAML writes some line breaks of Unicode as they are, and no parser reads them back. Compiled on first use, which
# takes as long as importing this whole folder.
_UNPRINTABLE = "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"


# PyYAML reads each character of a text several times, which takes a second for each MB. Longer texts are written in
# quotes, as in JSON.
_LONG_TEXT = 1000
_WORD = "[A-Za-z0-9_/][A-Za-z0-9_./-]*"


def _quoted(text: str) -> str:
    return re.sub(_UNPRINTABLE, lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _shortcut_analysis(text: str) -> Any:
    """Return PyYAML's analysis of a word, or of a long text that is written in quotes; None for other texts."""
    from yaml.emitter import ScalarAnalysis

    if len(text) > _LONG_TEXT:
        return ScalarAnalysis(text, False, False, False, False, False, True, False)
    return ScalarAnalysis(text, False, False, True, True, True, True, True) if re.fullmatch(_WORD, text) else None


@lru_cache(maxsize=2)
def _dumper(indents_lists: bool) -> Any:
    import yaml  # not at the top: reading costs less without it

    class Dumper(yaml.SafeDumper):
        """Writes plain block style, in the order of the data, without aliases."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

        def analyze_scalar(self, scalar: str) -> Any:
            return _shortcut_analysis(scalar) or super().analyze_scalar(scalar)

        def write_double_quoted(self, text: str, split: bool = True) -> None:
            if len(text) > _LONG_TEXT:
                self.write_indicator(_quoted(text), True)
            else:
                super().write_double_quoted(text, split)

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
            return super().increase_indent(flow, indentless and not indents_lists)

    def string(dumper: Any, value: str) -> Any:
        style = None
        if len(value) > _LONG_TEXT or re.search(_UNPRINTABLE, value):
            style = '"'
        elif "\n" not in value and not isinstance(resolve_scalar(value), str):
            style = "'"  # PyYAML leaves `y` and `1e3` without quotes; Kubernetes would read a boolean and a number
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, string)
    return Dumper


def encode(data: Any, *, indents_lists: bool = True) -> str:
    """Return decoded data as YAML, keys in order; the same data is read from it. Raises ConfigError for other data.

    indents_lists: whether the items of a list in a mapping are indented; Go does not indent them.
    """
    import yaml

    try:
        text = yaml.dump(
            data,
            Dumper=_dumper(indents_lists),
            sort_keys=False,
            allow_unicode=True,
            width=1000,
            default_flow_style=False,
        )
    except yaml.YAMLError as error:
        raise ConfigError(f"cannot be written as YAML: {error}") from error
    return str(text)


def encode_all(documents: Sequence[Any]) -> str:
    """Return several documents as one YAML text. Raises ConfigError as `encode` does."""
    return "---\n".join(encode(data) for data in documents)
