# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the prose of the repository, and its identifiers, against the list in tools/prose_words.py.

    python tools/check_prose.py [FILE...]

Prints FILE:LINE: 'words': advice for each hit, and exits with 1 if there is one. Prose is documentation, docstrings,
comments, task names, changelog fragments, the options' descriptions, the product's string literals (messages to users)
and the names of tests, which are sentences: ``test_a_node_that_is_cordoned_waits``.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import prose_words
from prose_words import EXPRESSIONS, IDENTIFIERS, PARTS_OF_IDENTIFIERS

ROOT = Path(__file__).resolve().parent.parent
# Generated pages repeat text that is checked at its source.
NOT_CHECKED = re.compile(
    r"docs/reference/plugins/|docs/(.*/)?(conformance|faults|figures)(-[\d.]+)?\.md|CHANGELOG|COPYING|changelogs/changelog|(.*/)?_data/"
)
NO_COMMENTS = (".json", ".svg", ".png", ".gz")
TASKS = re.compile(r"roles/\w+/(tasks|handlers)/|playbooks/(?!files)|extensions/molecule/\w+/(?!molecule)")
DOCUMENTATION = ("DOCUMENTATION", "EXAMPLES", "RETURN")
PRODUCT = ("plugins/", "roles/", "playbooks/")  # a user reads the messages of these files

# Quotations of the product: code, quoted messages, Ansible markup, link targets.
QUOTED = re.compile(
    r"^ *(```|~~~).*?^ *\1|<!-- drawn by.*?begin -->.*?end -->|``[^`]+``|`[^`\n]+`|\"[^\"\n]*(?:\n[^\"\n]*)?\""
    r"|\b[A-Z]{1,2}\([^)\n]*\)|\]\([^)\s]+\)|<!--.*?-->|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
PRAGMA = re.compile(r"#\s*(noqa|type:|ruff:|mypy:|pylint:|pragma|!|Copyright|GNU |SPDX)")


class Prose(NamedTuple):
    """A piece of text: its kind, the line on which it begins, and the text with its line breaks."""

    kind: prose_words.Kind
    line: int
    text: str


class Comment(NamedTuple):
    """A comment, and whether it has its line to itself."""

    line: int
    text: str
    alone: bool


class Hit(NamedTuple):
    """Refused words at a place, and what to write instead."""

    file: str
    line: int
    words: str
    advice: str

    def __str__(self) -> str:
        """Return the hit as a compiler prints an error."""
        return f"{self.file}:{self.line}: {self.words!r}: {self.advice}"


def join_comments(comments: Iterable[Comment]) -> Iterator[Prose]:
    """Yield comments, with those on consecutive lines joined, so that an expression matches across line breaks."""
    block: list[str] = []
    first = last = 0
    for comment in comments:
        if block and not (comment.alone and comment.line == last + 1):
            yield Prose("comment", first, "\n".join(block))
            block = []
        first = first if block else comment.line
        block.append(comment.text)
        last = comment.line
    if block:
        yield Prose("comment", first, "\n".join(block))


def prose_in_python(file: str, source: str, nodes: Sequence[ast.AST]) -> Iterator[Prose]:
    """Yield the docstrings, the Ansible documentation and the comments of a Python file."""
    for node in nodes:
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = node.body[0] if node.body else None
            if not (isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)):
                continue
            if isinstance(docstring.value.value, str):
                yield Prose("function" if needs_verb(node) else "docstring", docstring.lineno, docstring.value.value)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            documentation = "/doc_fragments/" in file or ast.unparse(node.targets[0]) in DOCUMENTATION
            if documentation and isinstance(node.value.value, str):
                yield Prose("options", node.value.lineno, node.value.value)
    if file.startswith(PRODUCT) and "/doc_fragments/" not in file:
        yield from messages_in(nodes)
    yield from test_names_in(nodes)
    if "#" in source:
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        yield from join_comments(
            Comment(token.start[0], token.string.lstrip("#: "), token.line.lstrip().startswith("#"))
            for token in tokens
            if token.type == tokenize.COMMENT and not PRAGMA.match(token.string)
        )


def messages_in(nodes: Iterable[ast.AST]) -> Iterator[Prose]:
    """Yield the string literals of several words, with each value of a format string as X."""
    not_messages = set[ast.AST]()  # statements of a literal alone: docstrings; and the parts of format strings
    for node in nodes:
        if isinstance(node, ast.Expr):
            not_messages.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            not_messages.update(node.values)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in DOCUMENTATION:
            not_messages.add(node.value)
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in not_messages:
            text = node.value
        else:
            continue
        if " " in text.strip():
            yield Prose("message", node.lineno, text)


def test_names_in(nodes: Iterable[ast.AST]) -> Iterator[Prose]:
    """Yield the names of tests as sentences, and the ids that the source gives to parametrized cases."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
            yield Prose("test", node.lineno, words_of(node.name.removeprefix("test_")))
        elif isinstance(node, ast.keyword) and node.arg in ("id", "ids"):
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield Prose("test", part.lineno, words_of(part.value))


def words_of(name: str) -> str:
    """Return a name with spaces between its words."""
    return re.sub("[_-]", " ", name)


def needs_verb(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether the node's docstring describes an action: not that of a test, a property or a fixture."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name.startswith("test_"):
        return False
    return not any(re.search("property|fixture|setter", ast.unparse(decorator)) for decorator in node.decorator_list)


def prose_in_lines(file: str, text: str) -> Iterator[Prose]:
    """Yield the task names and the comments of a file whose comments begin with a hash."""
    comments = []
    for number, line in enumerate(text.splitlines(), 1):
        task = re.match(r"\s*- name: +[\"']?(.+?)[\"']?$", line) if TASKS.match(file) else None
        if task:
            yield Prose("task", number, task[1])
        comment = re.search(r"(?:^|\s)#+\s(.*)", line)
        if comment and not PRAGMA.match(f"# {comment[1]}"):
            comments.append(Comment(number, comment[1], line.lstrip().startswith("#")))
    yield from join_comments(comments)


def prose_in(file: str, text: str) -> Iterator[Prose]:
    """Yield the prose of a file that is not Python."""
    if file.endswith(("contract.md", "complaints.md")):  # their last section is generated from the names of tests
        yield Prose("docs", 1, text.partition("\n## Tests\n")[0])
    elif file.endswith(".md"):
        yield Prose("docs", 1, text)
    elif file.startswith("changelogs/fragments/"):
        yield Prose("fragment", 1, text)
    elif file.endswith("argument_specs.yml"):
        yield Prose("options", 1, text)
    elif not file.endswith(NO_COMMENTS):
        yield from prose_in_lines(file, text)


def blank(quotation: re.Match[str]) -> str:
    """Return the quotation with spaces inside, so that lines and columns stay."""
    text = quotation[0]
    return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]


def unwrap(text: str) -> tuple[str, list[int], list[int]]:
    """Return the text with single spaces and newlines, the offsets at which its words begin, and their lines."""
    parts: list[str] = []
    offsets: list[int] = []
    lines: list[int] = []
    length, line = 0, 0
    for match in re.finditer(r"(\s*)(\S+)", text):
        newlines = match[1].count("\n")
        line += newlines
        space = "" if not parts else "\n" if newlines > 1 else " "
        offsets.append(length + len(space))
        lines.append(line)
        parts.append(space + match[2])
        length += len(parts[-1])
    return "".join(parts), offsets, lines


def hits_in_prose(file: str, prose: Prose) -> Iterator[Hit]:
    """Yield what the word list refuses in a piece of prose."""
    text, offsets, lines = unwrap(QUOTED.sub(blank, prose.text))
    for pattern, advice, kind in EXPRESSIONS:
        if kind in (None, prose.kind):
            for match in pattern.finditer(text):
                at = bisect_right(offsets, match.end() - len(match[0].lstrip())) - 1
                yield Hit(file, prose.line + lines[max(at, 0)], " ".join(match[0].split()), advice)


def names_defined(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield the names that a Python file defines, with their lines."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def hits_in_names(file: str, nodes: Iterable[ast.AST]) -> Iterator[Hit]:
    """Yield each refused name once for its file; names of tests are sentences, and checked as such."""
    names = {Path(file).stem: 1}
    for name, line in names_defined(nodes):
        names.setdefault(name, line)
    for name, line in names.items():
        advice = IDENTIFIERS.get(name)
        if advice is None and not name.startswith("test_"):
            parts = re.findall(r"[A-Z]?[a-z]+", name)
            advice = next(filter(None, (PARTS_OF_IDENTIFIERS.get(part.lower()) for part in parts)), None)
        if advice:
            yield Hit(file, line, name, advice)


def hits_in(file: str, text: str) -> list[Hit]:
    """Return all hits of a file, in the order of its lines."""
    hits: list[Hit] = []
    if file.endswith(".py"):
        nodes = list(ast.walk(ast.parse(text)))
        pieces = prose_in_python(file, text, nodes)
        hits += hits_in_names(file, nodes)
    else:
        pieces = prose_in(file, text)
    for prose in pieces:
        hits += hits_in_prose(file, prose)
    return sorted(hits)


def files() -> list[str]:
    """Return the files to check that git knows or would know."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [
        name
        for name in sorted(set(output.split("\0")))
        if name and not NOT_CHECKED.match(name) and (ROOT / name).is_file()
    ]


def main(names: Sequence[str]) -> int:
    """Check the files named, or all; return the exit code."""
    hits = [
        hit
        for name in names or files()
        for hit in hits_in(name, (ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]
    for hit in hits:
        print(hit)
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
