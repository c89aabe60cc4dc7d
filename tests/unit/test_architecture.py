# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files and functions that docs/development/architecture.md names exist."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UTILS = ROOT / "plugins/module_utils"
PAGE = (ROOT / "docs/development/architecture.md").read_text(encoding="utf-8")
# `_rollout/_decisions/_gate.py:evaluate` is a file of module_utils and a name in it; other paths are from the root.
NAMED = re.compile(r"`([\w./-]+\.(?:py|yml))(?::([\w.]+))?`")
MOST_FILES = 45


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def path_of(name: str) -> Path:
    return (UTILS if name.startswith("_") else ROOT) / name


def names_in(path: Path) -> Iterator[str]:
    """Yield the names of a file's functions, classes, methods and constants."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef))
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets += [node.target] if isinstance(node, ast.AnnAssign) else []
        yield from (target.id for target in targets if isinstance(target, ast.Name))


NAMING = ("The path of one change", "What can join the path", "Where is what")
NAMES = sorted(set(NAMED.findall("".join(map(section, NAMING)))))


@pytest.mark.parametrize(("file", "name"), NAMES, ids=[":".join(pair).rstrip(":") for pair in NAMES])
def test_what_the_page_names_exists(file: str, name: str) -> None:
    assert path_of(file).is_file()
    assert not name or name in names_in(path_of(file))


def test_the_path_of_one_change_is_short() -> None:
    assert 30 < len({file for file, _name in NAMED.findall(section("The path of one change"))}) <= MOST_FILES


def test_the_page_answers_twenty_questions() -> None:
    assert len(re.findall(r"^\| .*\? \|", section("Where is what"), re.MULTILINE)) >= 20


# Functions and constants in the guides, with what they are called on or with left out.
GUIDE_NAMES = re.compile(r"`(?:config\.)?(_?[a-z]+(?:_[a-z]+)+|_?[A-Z]{2,}(?:_[A-Z]+)+|_[A-Z]+)(?:\(\.\.\.\))?`")


@pytest.fixture(scope="module")
def files() -> list[str]:
    """The files of the repository that a guide may name."""
    command = ["git", "ls-files", "plugins", "roles", "schema", "tests", "tools", "playbooks"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(
    "page",
    ["README", "kubernetes-release", "rule", "component", "component-kind", "gate", "pool-key", "provider", "step"],
)
def test_what_the_guides_name_exists(page: str, files: list[str]) -> None:
    text = (ROOT / f"docs/development/{page}.md").read_text(encoding="utf-8")
    for path in re.findall(r"`([a-z_][\w./-]+\.(?:py|json|yml))`", text):
        if "KIND." not in path:
            assert any(f"/{name}".endswith(f"/{path}") for name in files), path
    sources = [ROOT / name for name in files if name.endswith(".py") and "/_data/" not in name]
    code = "".join(path.read_text(encoding="utf-8") for path in sources if path.is_file())
    for name in GUIDE_NAMES.findall(text):
        assert re.search(rf"\b{name}\b", code), name


def test_goals_say_themselves_what_differs_between_them() -> None:
    """Hold the number of places that ask what kind of goal they have; the methods of Goal are for what differs."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((UTILS / "_rollout").rglob("*.py"))]
    assert len(texts) > 80
    assert sum(len(re.findall(r"\bisinstance\(\s*(?:\w+\.)*goal\b", text)) for text in texts) <= 2
