# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every link of a page leads to a file of the repository, and every anchor to a heading of that file."""

from __future__ import annotations

import fnmatch
import functools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
# Links of pages in the built collection to pages that are only in the repository (build_ignore in galaxy.yml).
OURS = re.compile(r"https://github\.com/configok/node/(?:blob|tree)/main/")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def pages() -> list[str]:
    """Return the tracked and untracked (but not ignored) Markdown files, relative to the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in output.split("\0") if name and (ROOT / name).is_file())


def links(page: Path) -> Iterator[str]:
    """Yield the targets of a page's links, without those in code."""
    text = CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    for match in LINK.finditer(text):
        yield match[1]


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    slugs: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        numbered = (f"{slug}-{number}" for number in range(1, len(slugs) + 1))
        slugs.add(slug if slug not in slugs else next(name for name in numbered if name not in slugs))
    return frozenset(slugs)


def fault(page: Path, link: str) -> str | None:
    """Return the error of a link of a page, or None if it is valid or leads out of the repository."""
    if OURS.match(link):
        target, start = OURS.sub("", link), ROOT
    elif re.match(r"[a-z]+:", link):
        return None
    else:
        target, start = link, page.parent
    name, _separator, anchor = target.partition("#")
    path = (start / name).resolve() if name else page
    if not path.exists() or ROOT not in (path, *path.parents):
        return f"{link}: no such file"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return f"{link}: no such heading"
    return None


@pytest.mark.parametrize("page", pages())
def test_every_link_of_a_page_resolves(page: str) -> None:
    faults = [text for link in links(ROOT / page) if (text := fault(ROOT / page, link))]
    assert faults == []


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("README.md", None),
        ("docs/../README.md#requirements", None),
        ("https://example.org/x.md#y", None),
        ("https://github.com/configok/node/blob/main/README.md#licence", None),
        ("https://github.com/configok/node/blob/main/missing.md", "no such file"),
        ("missing.md", "no such file"),
        ("../outside.md", "no such file"),
        ("README.md#missing", "no such heading"),
        ("#missing", "no such heading"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(link: str, expected: str | None) -> None:
    message = fault(ROOT / "README.md", link)
    assert message == (expected and f"{link}: {expected}")


def test_pages_of_the_built_collection_link_relatively_to_its_files_alone() -> None:
    ignored = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["build_ignore"]

    def is_shipped(path: Path) -> bool:
        names = [str(part) for part in (path, *path.parents)]
        return not any(fnmatch.fnmatch(name, pattern) for name in names for pattern in ignored)

    shipped = [Path(page) for page in pages() if is_shipped(Path(page))]
    assert Path("docs/README.md") in shipped
    assert Path("docs/development/README.md") not in shipped
    for page in shipped:
        for link in links(ROOT / page):
            if not re.match(r"[a-z]+:|#", link):
                target = (ROOT / page.parent / link.partition("#")[0]).resolve().relative_to(ROOT)
                assert is_shipped(target), f"{page}: {link}"


def test_every_page_is_reached_from_the_two_indexes() -> None:
    reached = {ROOT / "docs/README.md", ROOT / "docs/development/README.md"}
    waiting = list(reached)
    while waiting:
        page = waiting.pop()
        for link in links(page):
            target = (ROOT / OURS.sub("", link)) if OURS.match(link) else page.parent / link
            path = Path(str(target).partition("#")[0]).resolve()
            if path.suffix in (".md", ".rst") and path.is_file() and path not in reached:
                reached.add(path)
                waiting += [path] if path.suffix == ".md" else []
    paths = {path for pattern in ("*.md", "*.rst") for path in (ROOT / "docs").rglob(pattern)}
    assert paths - reached == set()
