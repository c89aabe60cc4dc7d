# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the reference of every plugin and role as Markdown, from its own documentation.

    python tools/make_docs.py [--check] DIR

With --check nothing is written: the exit code is 1 if a page in DIR is not what would be written. ansible-doc must be
on PATH and find the collection.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

COLLECTION = "configok.node"
KINDS = {"module": "Modules", "role": "Roles", "inventory": "Inventory plugins", "filter": "Filters"}
KINDS |= {"callback": "Callback plugins", "lookup": "Lookup plugins", "test": "Tests"}
WRITTEN = "<!-- Written by make docs from the documentation in the source: change it there. -->"

# Ansible's markup: a letter or two, and in parentheses what it is about; ) inside is \).
MARKUP = re.compile(r"\b(RV|[BCEILMOPRUV])\(((?:[^)\\]|\\.)*)\)")


def marked(text: str) -> str:
    """Return a paragraph in Ansible's markup as Markdown."""

    def one(found: re.Match[str]) -> str:
        kind, content = found[1], re.sub(r"\\(.)", r"\1", found[2])
        if kind in ("L", "R"):
            label, _comma, target = content.rpartition(",")
            return f"[{label.strip()}]({target.strip()})" if kind == "L" else label
        if kind == "U":
            return f"<{content}>"
        if kind in ("M", "P"):
            name, _hash, plugin = content.partition("#")
            suffix = f"_{plugin}" if plugin not in ("", "module") else ""  # the page of a role is node_role.md
            page = f"{name.removeprefix(f'{COLLECTION}.')}{suffix}.md"
            return f"[{name}]({page})" if name.startswith(f"{COLLECTION}.") else f"`{name}`"
        if kind in ("B", "I"):
            return f"**{content}**" if kind == "B" else f"*{content}*"
        return f"`{content}`"

    return MARKUP.sub(one, text)


def paragraphs(text: str | list[str] | None) -> list[str]:
    """Return a description, which is one paragraph or a list of them, as Markdown."""
    return [marked(" ".join(part.split())) for part in ([text] if isinstance(text, str) else text or [])]


def facts(entry: Mapping[str, Any]) -> str:
    """Return what is to be known of an option or a returned value beside its description, in one line."""
    kind = str(entry.get("type", "str"))
    if entry.get("elements"):
        kind += f" of {entry['elements']}"
    said = [kind]
    if entry.get("required"):
        said.append("**required**")
    if entry.get("default") is not None:
        said.append(f"default `{json.dumps(entry['default'])}`")
    if entry.get("choices"):
        said.append("one of " + ", ".join(f"`{choice}`" for choice in entry["choices"]))
    if entry.get("aliases"):
        said.append("also called " + ", ".join(f"`{alias}`" for alias in entry["aliases"]))
    if entry.get("returned"):
        said.append(f"returned {marked(entry['returned'])}")
    return ", ".join(said)


def entries(table: Mapping[str, Mapping[str, Any]], inside: str, depth: int = 0) -> Iterator[str]:
    """Yield options or returned values as a nested list; ``inside`` is the key of the nested ones."""
    for name, entry in table.items():
        margin = "  " * depth
        first, *more = paragraphs(entry.get("description")) or [""]
        yield f"{margin}- **`{name}`** ({facts(entry)}): {first}".rstrip()
        for paragraph in more:
            yield f"{margin}  {paragraph}"
        sample = entry.get("sample")
        if isinstance(sample, (str, int, float)) and "\n" not in str(sample):
            yield f"{margin}  Sample: `{sample if isinstance(sample, str) else json.dumps(sample)}`"
        yield from entries(entry.get(inside) or {}, inside, depth + 1)


def section(title: str, body: list[str]) -> list[str]:
    """Return a section, or nothing if there is nothing to say in it."""
    return ["", f"## {title}", "", *body] if body else []


def plugin_page(name: str, plugin: Mapping[str, Any]) -> str:
    """Return the page of a module or another plugin."""
    doc = plugin["doc"]
    supports = [
        f"| {attribute} | {said.get('support', '')} | {' '.join(paragraphs(said.get('description')))} |"
        for attribute, said in (doc.get("attributes") or {}).items()
    ]
    page = [f"# {name}", "", WRITTEN, "", f"{marked(doc['short_description'])}. New in {doc.get('version_added')}.", ""]
    page += "\n\n".join(paragraphs(doc.get("description"))).split("\n")
    page += section("Requirements", [f"- {marked(one)}" for one in doc.get("requirements") or []])
    page += section("Options", list(entries(doc.get("options") or {}, "suboptions")))
    if supports:
        page += section("Attributes", ["| attribute | support | meaning |", "| --- | --- | --- |", *supports])
    page += section("Notes", [f"- {note}" for note in paragraphs(doc.get("notes"))])
    examples = (plugin.get("examples") or "").strip("\n")
    page += section("Examples", ["```yaml", examples, "```"] if examples else [])
    page += section("Returned values", list(entries(plugin.get("return") or {}, "contains")))
    return "\n".join(page) + "\n"


def role_page(name: str, role: Mapping[str, Any]) -> str:
    """Return the page of a role, with all its entry points."""
    page = [f"# {name}", "", WRITTEN]
    for point, doc in role["entry_points"].items():
        page += ["", f"## {point}: {marked(doc['short_description'])}", ""]
        page += "\n\n".join(paragraphs(doc.get("description"))).split("\n")
        options = list(entries(doc.get("options") or {}, "options"))
        page += ["", *options] if options else []
    return "\n".join(page) + "\n"


def pages() -> dict[str, str]:
    """Return the text of each page by its file name, the index included."""
    command = ["ansible-doc", "--metadata-dump", COLLECTION]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["all"]
    texts: dict[str, str] = {}
    index = [f"# Reference of {COLLECTION}", "", WRITTEN]
    for kind, title in KINDS.items():
        plugins = {name: one for name, one in sorted(found.get(kind, {}).items()) if name.startswith(f"{COLLECTION}.")}
        if not plugins:
            continue
        index += ["", f"## {title}", "", "| name | what it does |", "| --- | --- |"]
        for name, plugin in plugins.items():
            short = name.removeprefix(f"{COLLECTION}.")
            # A role and a module may have the same name.
            file = f"{short}.md" if kind == "module" else f"{short}_{kind}.md"
            texts[file] = role_page(name, plugin) if kind == "role" else plugin_page(name, plugin)
            doc = plugin.get("doc") or next(iter(plugin["entry_points"].values()))
            index.append(f"| [{short}]({file}) | {marked(doc['short_description'])} |")
    return {**texts, "README.md": "\n".join(index) + "\n"}


def main() -> int:
    """Write or check the pages; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the reference of every plugin and role as Markdown.")
    parser.add_argument("--check", action="store_true", help="only say which pages are not up to date")
    parser.add_argument("dir", type=Path, help="where the pages are")
    arguments = parser.parse_args()
    wanted = pages()
    present = {path.name: path.read_text(encoding="utf-8") for path in arguments.dir.glob("*.md")}
    stale = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
    if arguments.check:
        if stale:
            print(f"{arguments.dir} is not up to date, run make docs: {', '.join(stale)}")
        return 1 if stale else 0
    arguments.dir.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (arguments.dir / name).write_text(wanted[name], encoding="utf-8")
        else:
            (arguments.dir / name).unlink()
    print(f"make docs: {len(wanted)} pages in {arguments.dir}, {len(stale)} of them changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
