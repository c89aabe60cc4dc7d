# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of real files: each is validated as a whole by whole data, and refused for what its component refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import head_values
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import decode_file
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    known_minors,
    minor_name,
    missing_layers,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level
from support.configs.checking import check_file
from support.releases.names import NEWEST_RELEASE

CORPUS = Path(__file__).parent / "corpus"
LICENCES = {"Apache-2.0", "MIT"}
VARIABLE = "${VALUE}"
REPOSITORIES = 84
"""Of so many repositories a corpus is broad enough to show what one author alone does not think of."""


@cache
def entries() -> dict[str, dict[str, Any]]:
    files = sorted(CORPUS.glob("*.yaml"))
    return {entry["origin"]: entry for file in files for entry in yaml.safe_load(file.read_text(encoding="utf-8"))}


def releases(config: str) -> list[str]:
    """Return the releases with whole data in which all API versions of a file exist; all of them if there is none."""
    whole = [minor for minor in known_minors() if not missing_layers(minor)]
    kinds = []
    for document in decode_file(config):
        says_version = document.embedding is None or not document.embedding.implies_version
        if isinstance(document.data, dict) and document.is_validated and says_version:
            kinds.append(find_kind(*head_values(document.data).values()))
    common = [minor for minor in whole if all(kind is not None and kind.known_at(minor) for kind in kinds)]
    return [minor_name(minor) for minor in common or whole]


@cache
def findings(origin: str) -> tuple[Finding, ...]:
    config = entries()[origin]["config"]
    return tuple(check_file(config, versions=releases(config)))


def refusals(all_findings: tuple[Finding, ...]) -> list[str]:
    """Return what is refused: the level, the rule, the path, and the first and last release; no last one if all do."""
    result = []
    for finding in all_findings:
        if finding.level in (Level.COMPONENT, Level.POLICY):
            last = finding.versions[-1] if finding.versions[-1] != NEWEST_RELEASE else ""
            result.append(f"{finding.level} {finding.rule} {finding.field} {finding.versions[0]}-{last}")
    return result


def test_the_corpus_is_of_many_repositories_with_permissive_licences() -> None:
    assert len({origin.split(" ")[0] for origin in entries()}) >= REPOSITORIES
    assert {entry["licence"] for entry in entries().values()} <= LICENCES


@pytest.mark.parametrize("origin", entries())
def test_a_real_file_is_validated_as_a_whole(origin: str) -> None:
    documents = decode_file(entries()[origin]["config"])
    assert any(document.is_validated or document.flags for document in documents)
    assert [finding for finding in findings(origin) if finding.level is Level.NOT_JUDGED] == []


@pytest.mark.parametrize("origin", entries())
def test_a_real_file_is_refused_for_what_the_component_refuses(origin: str) -> None:
    assert refusals(findings(origin)) == entries()[origin].get("refused", [])


SCALAR = re.compile(r"(?<=: )(?P<value>[^\s{}\[\],\"'|>&*#][^{}\[\],\"'|>&*#\n]*)(?=[,}\]\n])")
HEADS = re.compile(r"(?:apiVersion|kind|\"?name|version|path|role|has|command|level|type|criSocket): $")


def variants(config: str) -> Iterator[str]:
    """Yield a file with a variable for one of its values, for each value; heads, names and programs stay."""
    for match in SCALAR.finditer(config):
        if not HEADS.search(config, 0, match.start()) and not config[: match.start()].endswith("\n"):
            yield config[: match.start()] + f"'{VARIABLE}'" + config[match.end() :]


@pytest.mark.parametrize("origin", entries())
def test_a_real_file_with_a_variable_is_not_refused_for_it(origin: str) -> None:
    config = entries()[origin]["config"]
    newest = releases(config)[-1]
    before = {(finding.rule, finding.field) for finding in check_file(config, versions=[newest])}
    for text in variants(config):
        for finding in check_file(text, versions=[newest]):
            if finding.level in (Level.COMPONENT, Level.POLICY):
                assert (finding.rule, finding.field) in before, text
