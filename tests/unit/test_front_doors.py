# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From outside a package only its door is imported: its __init__.

The contracts of .importlinter hold that for the packages of module_utils. Modules, plugins, roles and playbooks are not
in their graph; they are checked here.
"""

from __future__ import annotations

import ast
import configparser
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UTILS = ROOT / "plugins/module_utils"
OURS = "ansible_collections.configok.node.plugins.module_utils."
DOOR = "importlinter:contract:door-"


def packages_with_a_door() -> list[str]:
    """Return the packages that have a contract, as dotted names below module_utils."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    return [
        contracts[section]["allowed_importers"].strip().removeprefix(OURS)
        for section in contracts.sections()
        if section.startswith(DOOR)
    ]


PACKAGES = packages_with_a_door()


def imported_by(path: Path) -> Iterator[str]:
    """Yield what a file imports of module_utils, each name also as if it were a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OURS):
            module = (node.module or "").removeprefix(OURS)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.removeprefix(OURS) for alias in node.names if alias.name.startswith(OURS))


def is_inside(module: str, package: str) -> bool:
    """Return whether a dotted name is a file of a package, and not its door nor a name in the door."""
    inside = module.removeprefix(f"{package}.")
    return inside != module and (UTILS / package.replace(".", "/") / inside.split(".")[0]).with_suffix(".py").is_file()


USERS = sorted(
    path
    for folder in ("plugins", "roles", "playbooks")
    for path in (ROOT / folder).rglob("*.py")
    if UTILS not in path.parents
)


def test_modules_and_plugins_import_only_doors() -> None:
    imports = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in USERS
        for module in imported_by(path)
        if any(is_inside(module, package) for package in PACKAGES)
    ]
    assert imports == []


def test_every_package_of_operations_has_a_contract() -> None:
    folders = {f"_operations.{path.parent.name}" for path in (UTILS / "_operations").glob("*/__init__.py")}
    assert folders == {package for package in PACKAGES if package.startswith("_operations.")}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_door_names_all_that_it_imports_and_imports_only_its_own_files(package: str) -> None:
    tree = ast.parse((UTILS / package.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    public = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    defined = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    assert {node.level for node in imports} == {1}
    assert public == [sorted(public[0], key=lambda name: (not name.isupper(), name[0].islower(), name))]
    assert set(public[0]) == {*defined, *(alias.name for node in imports for alias in node.names)}


def test_a_file_behind_a_door_is_told_from_the_door_and_its_names() -> None:
    assert is_inside("_operations._signing._endorser", "_operations._signing")
    assert is_inside("_operations._signing._endorser.Endorser", "_operations._signing")
    assert not is_inside("_operations._signing", "_operations._signing")
    assert not is_inside("_operations._signing.Endorser", "_operations._signing")
    assert not is_inside("_operations._signature_checker", "_operations._signing")
