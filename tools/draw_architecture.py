# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the packages of module_utils and their imports into docs/development/architecture.md.

    python tools/draw_architecture.py [--check]      with --check, exit with 1 if the page is out of date

An arrow A --> B means that at least one of A's files imports one of B's. The drawing is Mermaid, between two markers.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ROOT / "plugins" / "module_utils"
PAGE = ROOT / "docs/development/architecture.md"
BEGIN = "<!-- drawn by tools/draw_architecture.py: begin -->"
END = "<!-- drawn by tools/draw_architecture.py: end -->"
OURS = "ansible_collections.configok.node.plugins.module_utils."


def docstring(path: Path) -> str:
    """Return the first sentence of a file's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.split(". ")[0].split(".\n")[0].strip().rstrip(".").replace("``", "")


def imported_packages(path: Path, package: str) -> set[str]:
    """Return the other packages of module_utils that a file imports, at its top or in a function."""
    packages = set()
    depth = len(path.relative_to(PACKAGES).parts) - 1 if package else 0
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if package and node.level == 1 + depth:
                packages.add(module.split(".")[0])
            elif module.startswith(OURS):
                packages.add(module[len(OURS) :].split(".")[0])
    return packages - {package, ""}


def described(package: Path) -> list[Path]:
    """Return the Python files of a package and then of its folders, without generated data."""
    files = [path for path in sorted(package.glob("*.py")) if path.name != "__init__.py"]
    for folder in sorted(path.parent for path in package.glob("*/__init__.py")):
        if folder.name != "_data":
            files += sorted(folder.glob("*.py"))
    return files


def draw() -> str:
    """Return the drawn part of the page."""
    packages = sorted(path.name for path in PACKAGES.iterdir() if (path / "__init__.py").exists())
    lines = [BEGIN, "```mermaid", "flowchart TD"]
    arrows = []
    users = {"modules": ROOT / "plugins" / "modules", "action": ROOT / "plugins" / "action"}
    for name in packages:
        lines.append(f'    {name}["{name}"]')
        uses = set()
        for path in sorted((PACKAGES / name).rglob("*.py")):
            uses |= imported_packages(path, name)
        arrows += [f"    {name} --> {other}" for other in sorted(uses)]
    for name, folder in users.items():
        uses = set()
        for path in sorted(folder.glob("*.py")):
            uses |= imported_packages(path, "")
        lines.append(f'    {name}(["plugins/{name}"])')
        arrows += [f"    {name} --> {other}" for other in sorted(uses)]
    lines += [*arrows, "```", "", "| package | what it is |", "| --- | --- |"]
    lines += [f"| `{name}` | {docstring(PACKAGES / name / '__init__.py')} |" for name in packages]
    for name in packages:
        lines += ["", f"### {name}", "", "| file | what it is for |", "| --- | --- |"]
        lines += [
            f"| `{path.relative_to(PACKAGES / name).as_posix()}` | {docstring(path)} |"
            for path in described(PACKAGES / name)
        ]
    return "\n".join([*lines, END])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if the page is out of date")
    arguments = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    drawn = before + draw() + after
    if drawn == page:
        return 0
    if arguments.check:
        print("docs/development/architecture.md is not drawn from the code as it is: run make docs", file=sys.stderr)
        return 1
    PAGE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
