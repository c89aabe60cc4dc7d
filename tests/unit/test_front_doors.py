# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From outside a package only its doors are imported: its __init__, and its files without an underscore.

A contract of .importlinter holds that for the packages of module_utils. Modules, plugins, roles and playbooks are not
in its graph; they are checked here.
"""

from __future__ import annotations

import ast
import configparser
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UTILS = ROOT / "plugins/module_utils"
# The agent's entry point: in the archive, the packages of module_utils are next to it.
ENTRY = ROOT / "roles/node/files/agent"
OURS = "ansible_collections.configok.node.plugins.module_utils."


def packages_with_a_door() -> list[str]:
    """Return the packages of the contract, as dotted names below module_utils."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    packages = contracts["importlinter:contract:doors"]["packages"].split()
    return [package.removeprefix(OURS) for package in packages]


PACKAGES = packages_with_a_door()


def imported_by(path: Path) -> Iterator[str]:
    """Yield what a file imports of module_utils, each name also as if it were a file."""
    levels_to_packages = len(path.relative_to(ENTRY).parts) if ENTRY in path.parents else None
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.startswith(OURS) or (module and node.level == levels_to_packages):
                module = module.removeprefix(OURS)
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.removeprefix(OURS) for alias in node.names if alias.name.startswith(OURS))


def is_private(module: str, package: str) -> bool:
    """Return whether a dotted name is a private file of a package, or a name in one."""
    path = UTILS / package.replace(".", "/")
    for part in module.removeprefix(f"{package}.").split(".") if module.startswith(f"{package}.") else ():
        path /= part
        if path.with_suffix(".py").is_file():
            return part.startswith("_")
    return False


def packages_outside(path: Path) -> list[str]:
    """Return the packages that a file is outside of. The entry point is a part of the agent."""
    return [package for package in PACKAGES if not (package == "_agent" and ENTRY in path.parents)]


USERS = sorted(
    path
    for folder in ("plugins", "roles", "playbooks", "extensions")
    for path in (ROOT / folder).rglob("*.py")
    if UTILS not in path.parents
)


def test_modules_plugins_and_the_entry_point_import_only_doors() -> None:
    imports = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in USERS
        for module in imported_by(path)
        if any(is_private(module, package) for package in packages_outside(path))
    ]
    assert imports == []


def test_every_package_is_in_the_contract() -> None:
    folders = {path.parent.name for path in UTILS.glob("*/__init__.py")}
    operations = {f"_operations.{path.parent.name}" for path in (UTILS / "_operations").glob("*/__init__.py")}
    assert folders | operations <= set(PACKAGES)


def imports_of_door(package: str) -> list[ast.ImportFrom]:
    tree = ast.parse((UTILS / package.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level]


# The agent's door defines the version alone.
PASSING_ON = [package for package in PACKAGES if package != "_agent" and imports_of_door(package)]


@pytest.mark.parametrize("package", PASSING_ON)
def test_a_door_names_all_that_it_imports_and_imports_only_its_own_files(package: str) -> None:
    tree = ast.parse((UTILS / package.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
    public = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    defined = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    assert {node.level for node in imports_of_door(package)} == {1}
    assert public == [sorted(public[0], key=lambda name: (not name.isupper(), name[0].islower(), name))]
    assert set(public[0]) == {*defined, *(alias.name for node in imports_of_door(package) for alias in node.names)}


def test_a_private_file_is_told_from_a_door_and_its_names() -> None:
    assert is_private("_operations._signing._endorser", "_operations._signing")
    assert is_private("_operations._signing._endorser.Endorser", "_operations._signing")
    assert is_private("_operations._signing._endorser", "_operations")
    assert not is_private("_operations._signing", "_operations._signing")
    assert not is_private("_operations._signing.Endorser", "_operations._signing")
    assert not is_private("_operations._signature_checker", "_operations._signing")


def test_the_imports_of_the_entry_point_are_seen() -> None:
    assert "_agent.AGENT_VERSION" in set(imported_by(ENTRY / "__main__.py"))
