# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of contract for import-linter: from outside a package only its doors are imported.

The doors of a package are its ``__init__``, those of the packages in it, and its files whose names begin without an
underscore. A file with an underscore is for its package alone.
"""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class DoorsContract(Contract):
    """Hold that nothing outside the packages of a list imports their private files."""

    type_name = "doors"

    packages = fields.ListField(subfield=fields.ModuleField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Return whether the contract is kept, with an entry for each import that breaks it."""
        private_imports = [
            (importer, imported)
            for package in self.packages  # type: ignore[attr-defined]  # the base sets what a field names
            for imported in sorted(graph.find_descendants(package.name))
            if is_private_file(graph, imported)
            for importer in sorted(graph.find_modules_that_directly_import(imported))
            if not f"{importer}.".startswith(f"{package.name}.")
        ]
        return ContractCheck(kept=not private_imports, metadata={"private_imports": private_imports})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print one line for each import that breaks the contract."""
        for importer, imported in check.metadata["private_imports"]:
            output.print_error(f"- {importer} imports {imported}, which is private to its package", bold=False)


def is_private_file(graph: ImportGraph, module: str) -> bool:
    """Return whether a module is a file, not a package, whose name begins with an underscore."""
    return module.rpartition(".")[2].startswith("_") and not graph.find_children(module)
