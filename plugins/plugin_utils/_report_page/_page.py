# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render the report of a pool: one HTML page that needs nothing else. Private to configok.node."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token
from markupsafe import Markup

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import describe_duration
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_report import STATES
from ansible_collections.configok.node.plugins.module_utils._rollout._report.timeline import parse_time
from ansible_collections.configok.node.plugins.module_utils._text import first_names, sanitize

from ._figures import Board, MachineFigures, TimelineFigure, state_counts

_FILES = Path(__file__).parent
_LICENCE = re.compile(r"\A/\*.*?\*/\s*", re.DOTALL)
_LINE_END = re.compile(r"\s*\n\s*")
_DECLARATION = re.compile(r"[a-z0-9:;.,%() -]+")


class StyleRules:
    """The rules that a page adds to the stylesheet: a class for each declaration.

    A report allows no style attribute, so that text from the cluster cannot bring one: what depends on data becomes a
    rule of the stylesheet, which the page's policy names by its hash.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def class_of(self, declaration: str) -> str:
        """Return the class that has this declaration. Raises ValueError for one that may be text from the cluster."""
        if not _DECLARATION.fullmatch(declaration):
            raise ValueError(f"not a declaration of a report: {sanitize(declaration, 80)}")
        return self._names.setdefault(declaration, f"r{len(self._names)}")

    def stylesheet(self) -> Markup:
        """Return page.css with the rules."""
        rules = (f".{name}{{{declaration}}}\n" for declaration, name in self._names.items())
        return _asset("page.css") + Markup("".join(rules))


class _JoinedLines(Extension):
    """Makes line ends and indentation of a template no part of the page; they are for its readers."""

    def filter_stream(self, stream: Any) -> Iterator[Token]:
        for token in stream:
            is_text = token.type == "data"
            yield Token(token.lineno, token.type, _LINE_END.sub("", token.value)) if is_text else token


def render_page(data: Mapping[str, Any], generated: str) -> str:
    """Return the page; the same data and time always give the same text.

    data: what page_data returns. generated: an RFC 3339 time.
    """
    lanes, rollout = data["lanes"], data["rollout"]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            data,
            generated=generated,
            counts=state_counts([node for lane in lanes for node in lane["nodes"]]),
            board=Board.of(lanes),
            machine_figures=MachineFigures.of(data["machines"]),
            timeline=None if rollout is None else TimelineFigure.of(rollout, parse_time(generated)),
            states=STATES,
            rules=StyleRules(),
            script=_asset("page.js"),
        )
    )


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FILES),
        extensions=[_JoinedLines],
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
    )
    environment.filters.update(
        count_nodes=_count_nodes,
        csp_hash=_csp_hash,
        duration=describe_duration,
        first_names=first_names,
        parse_time=parse_time,
        slug=_slug,
        state_counts=state_counts,
        thousands=_thousands,
    )
    return environment


def _finalize(value: object) -> object:
    """Return what a template shows of a value: markup as it is, and other text sanitized, to be escaped."""
    return value if isinstance(value, Markup) else sanitize(value)


@functools.cache
def _asset(name: str) -> Markup:
    """Return a file of this package without its licence."""
    return Markup("\n" + _LICENCE.sub("", (_FILES / name).read_text(encoding="utf-8")))


def _csp_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _count_nodes(number: int) -> str:
    """Return "1 node" or "5,000 nodes"."""
    return f"{number:,} node" if number == 1 else f"{number:,} nodes"


def _thousands(number: int) -> str:
    return f"{number:,}"


def _slug(state: str) -> str:
    return state.replace(" ", "-")
