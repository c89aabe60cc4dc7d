# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped providers: the facts of a kind are in one file (docs/development/provider.md)."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._objects.providers import (
    SHIPPED_PROVIDERS,
    host_fields,
    is_shipped,
    provider_for_system,
    runs_playbooks,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    PROVIDER_API_VERSION,
    ProviderConfig,
)

ROOT = Path(__file__).resolve().parents[6]
KINDS = [provider.kind for provider in SHIPPED_PROVIDERS]
FACTS = "plugins/module_utils/_machines/_objects/providers.py"
RULES = "plugins/module_utils/_machine_kinds/_rules.py"


def names_kind(path: Path, kind: str) -> bool:
    """Return whether a file has the kind as a string of its own, not only in a sentence."""
    text = path.read_text(encoding="utf-8")
    return kind in text and any(
        isinstance(node, ast.Constant) and node.value == kind for node in ast.walk(ast.parse(text))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_only_its_facts_and_its_rules_name_a_kind(kind: str) -> None:
    files = [path for path in (ROOT / "plugins").rglob("*.py") if "_data" not in path.parts]
    assert {str(path.relative_to(ROOT)) for path in files if names_kind(path, kind)} == {FACTS, RULES}


def test_each_kind_has_its_fields_and_its_rules() -> None:
    rules = json.loads((ROOT / "schema/machines_validation_rules.json").read_text(encoding="utf-8"))["kinds"]
    assert set(KINDS) <= set(rules)
    assert {path.name.partition(".")[0] for path in (ROOT / "schema").glob("*.provider.v1alpha1.json")} == set(KINDS)
    assert all(is_shipped(kind) for kind in KINDS)
    assert not is_shipped("CloudHost")


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        ("Ubuntu 24.04.1 LTS", "DebianHost"),
        ("Rocky Linux 9.5", "RPMHost"),
        ("Flatcar Container Linux", None),
    ],
)
def test_a_provider_fits_an_operating_system(image: str, kind: str | None) -> None:
    provider = provider_for_system(image)
    assert (provider and provider.kind) == kind


def test_neither_the_connection_nor_the_sources_make_a_host() -> None:
    fields = {"address": "10.0.0.1", "user": "admin", "packages": {"kubelet": "kubelet"}, "kubeletFlags": {"v": "2"}}
    assert host_fields(ProviderConfig(PROVIDER_API_VERSION, "DebianHost", fields)) == {"kubeletFlags": {"v": "2"}}
    foreign = host_fields(ProviderConfig("example.com/v1", "DebianHost", fields))
    assert set(foreign) == {"packages", "kubeletFlags"}, "of another group, only the connection is known"


def test_only_one_provider_runs_playbooks_of_the_user() -> None:
    assert [provider.kind for provider in SHIPPED_PROVIDERS if runs_playbooks(provider)] == ["External"]
