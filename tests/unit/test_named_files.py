# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files and packages of plugins/module_utils that any text of the repository names exist.

A name in a string fails late or never: a check of a path that is gone checks nothing, and a page misleads.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HISTORY = ("CHANGELOG.md", "changelogs/")  # they name what was there then
UNKNOWN = "\0"  # the part of a text that is known only when the code runs

# A path, also with wildcards or placeholders. The tests mirror the tree.
PATH = re.compile(rf"(tests/unit/)?(?<![\w.])plugins/module_utils((?:/[\w*?{{}},-]+(?:\.py\b)?)+)([<{UNKNOWN}]?)")
DOTTED = re.compile(
    rf"(?:(?<![\w.])|(?<=[}}{UNKNOWN}]\.))(?:ansible_collections\.configok\.node\.)?(?:plugins\.)?"
    rf"module_utils((?:\.[\w*]+)+)([<{UNKNOWN}]?)"
)


def wrong_names(text: str, root: Path) -> list[str]:
    """Return the paths and dotted names in a text that do not exist in a checkout."""
    wrong = []
    for match in PATH.finditer(text):
        folder = root / (match[1] or "") / "plugins/module_utils"
        if not _is_path(folder, match[2].strip("/"), is_open=bool(match[3])):
            wrong.append(match[0].rstrip("<" + UNKNOWN))
    for match in DOTTED.finditer(text):
        if not _is_dotted(root / "plugins/module_utils", match[1].strip("."), is_open=bool(match[2])):
            wrong.append(match[0].rstrip("<" + UNKNOWN))
    return wrong


def _is_path(folder: Path, name: str, *, is_open: bool) -> bool:
    """Return whether files match a path. is_open: it is the beginning of a name, which the code completes."""
    return all(any(folder.glob(f"{path}*" if is_open else path)) for path in _expanded(name))


def _expanded(name: str) -> list[str]:
    """Return the paths of one with alternatives in braces, such as "_a/{b,c}.py". "{b}" alone is a placeholder."""
    braces = re.search(r"\{([\w,]*)\}", name)
    if not braces:
        return [name]
    parts = braces[1].split(",") if "," in braces[1] else ["*"]
    return [path for part in parts for path in _expanded(name.replace(braces[0], part, 1))]


def _is_dotted(folder: Path, name: str, *, is_open: bool) -> bool:
    """Return whether a dotted name is a package, a file, or a name in one of them."""
    first, _dot, rest = name.partition(".")
    if is_open and not rest:
        return any(folder.glob(f"{first}*"))
    if "*" in first:
        return True  # all of a package
    if (folder / f"{first}.py").is_file():
        return not rest or _has_name(folder / f"{first}.py", rest)
    if (folder / first).is_dir():
        return not rest or _is_dotted(folder / first, rest, is_open=is_open)
    return (folder / "__init__.py").is_file() and _has_name(folder / "__init__.py", first)


def _has_name(file: Path, name: str) -> bool:
    return re.search(rf"\b{re.escape(name.split('.')[0])}\b", file.read_text(encoding="utf-8")) is not None


def built_texts(source: str) -> Iterator[str]:
    """Yield the strings that Python code builds, as far as its own constants say what they are."""
    tree = ast.parse(source)
    constants: dict[str, str] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            constants[statement.targets[0].id] = _text(statement.value, constants)
    for node in ast.walk(tree):
        if isinstance(node, (ast.JoinedStr, ast.BinOp)):
            yield _text(node, constants)


def _text(node: ast.expr, constants: Mapping[str, str]) -> str:
    """Return the text of an expression, with UNKNOWN for what is not a constant."""
    if isinstance(node, ast.Constant):
        return str(node.value) if isinstance(node.value, str) else UNKNOWN
    if isinstance(node, ast.Name):
        return constants.get(node.id, UNKNOWN)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, constants)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value, constants) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
        between = "/" if isinstance(node.op, ast.Div) else ""
        return _text(node.left, constants) + between + _text(node.right, constants)
    return UNKNOWN


def wrong_names_of(file: Path, root: Path) -> list[str]:
    """Return the wrong names in a file of a checkout: as it is written, and in the strings that its code builds."""
    text = file.read_text(encoding="utf-8")
    others = [
        line for line in text.splitlines() if "module_utils" in line and not line.startswith(("from ", "import "))
    ]
    texts = [text, *(built_texts(text) if file.suffix == ".py" and others else ())]
    return list(dict.fromkeys(name for each in texts for name in wrong_names(each, root)))


def files_to_read() -> list[str]:
    """Return the tracked and untracked (but not ignored) text files that have a name to check."""
    command = ["git", "grep", "-lIz", "--untracked", "module_utils"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and not name.startswith(HISTORY)]


def test_every_file_of_the_product_that_a_text_names_exists() -> None:
    names = [name for name in files_to_read() if ROOT / name != Path(__file__).resolve()]  # it has wrong ones below
    assert {name: wrong for name in names if (wrong := wrong_names_of(ROOT / name, ROOT))} == {}


@pytest.fixture(name="checkout")
def fixture_checkout(tmp_path: Path) -> Path:
    """Return a checkout with the files _a/_b.py, which has a function f, and _a/__init__.py, which passes on x."""
    package = tmp_path / "plugins/module_utils/_a"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from ._b import x\n", encoding="utf-8")
    (package / "_b.py").write_text("def f(): ...\nx = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "plugins/module_utils/_a/_b.py:f, and plugins/module_utils/_a.",
        "plugins/module_utils/_a/{_b,__init__}.py and plugins/module_utils/*/_b.py",
        "plugins/module_utils/_a/_<name>.py",
        "module_utils._a._b.f",
        "import ansible_collections.configok.node.plugins.module_utils._a._b",
        "plugins.module_utils._a.x",
        "plugins.module_utils._a.**",
        "ansible.module_utils.basic",
        'UTILS = "plugins/module_utils"\nopen(f"{UTILS}/_a/{name}.py")\n',
        'PACKAGE = "plugins.module_utils"\nload(f"{PACKAGE}._a._{name}")\n',
        'ROOT / "plugins" / "module_utils" / "_a"\n',
        'load(f"{PACKAGE}.module_utils._a.{name}")\n',
    ],
)
def test_a_name_that_exists_is_accepted(checkout: Path, text: str) -> None:
    file = checkout / "page.py"
    file.write_text(text if "\n" in text else repr(text), encoding="utf-8")
    assert wrong_names_of(file, checkout) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("plugins/module_utils/_a/_c.py", "plugins/module_utils/_a/_c.py"),
        ("plugins/module_utils/_c", "plugins/module_utils/_c"),
        ("plugins/module_utils/_a/{_b,_c}.py", "plugins/module_utils/_a/{_b,_c}.py"),
        ("tests/unit/plugins/module_utils/_a/test_b.py", "tests/unit/plugins/module_utils/_a/test_b.py"),
        ("module_utils._a._c", "module_utils._a._c"),
        ("module_utils._a._b.g", "module_utils._a._b.g"),
        ("module_utils._a.y", "module_utils._a.y"),
        ('UTILS = "plugins/module_utils"\nopen(f"{UTILS}/_c/{name}.py")\n', "plugins/module_utils/_c"),
        ('PACKAGE = "plugins.module_utils"\nload(f"{PACKAGE}._c._{name}")\n', "plugins.module_utils._c._"),
        ('PACKAGE = "plugins.module_utils"\nload(f"{PACKAGE}._a._c{name}")\n', "plugins.module_utils._a._c"),
        ('ROOT / "plugins" / "module_utils" / "_c"\n', "plugins/module_utils/_c"),
        ('load(f"{PACKAGE}.module_utils._c.{name}")\n', "module_utils._c"),
    ],
)
def test_a_name_that_does_not_exist_is_found(checkout: Path, text: str, wrong: str) -> None:
    file = checkout / "page.py"
    file.write_text(text if "\n" in text else repr(text), encoding="utf-8")
    assert wrong_names_of(file, checkout) == [wrong]
