# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profiles are valid for the versions on their pages, alone and together, and the pages are true."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    known_minors,
    newest_minor,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.disruption import disruption_of
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from ansible_collections.configok.node.plugins.modules import component_config
from support.ansible_runs.modules import run_module
from support.configs.kubelet import KUBELET_KIND
from support.configs.profiles import DOCS, ROOT, Profile, profiles

PROFILES = profiles()
NEWEST = known_minors()[-1]


def findings_of(layers: Sequence[Profile], minor: int, *, gates: bool = True) -> list[str]:
    """Return the findings, with levels, of profiles as layers at a minor, with the feature gates of their pages."""
    named = {gate: True for profile in layers for gate in profile.gates(minor) if gates}
    texts = [(profile.path.name, profile.path.read_bytes()) for profile in layers]
    if named:
        texts.append(("gates", yaml.safe_dump({**KUBELET_KIND, "featureGates": named}).encode()))
    findings = check(load(texts), component="kubelet", versions=[f"1.{minor}"], bundle=True)
    return [f"{finding.level}: {finding}" for finding in findings]


def test_every_profile_has_a_page_and_a_row_in_the_index() -> None:
    names = [profile.name for profile in PROFILES]
    assert {path.stem for path in (ROOT / "playbooks/files/profiles").glob("*.yaml")} == set(names)
    assert {path.stem for path in DOCS.glob("*.md")} == {*names, "README"}
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for profile in PROFILES:
        plain = profile.without_gates
        assert f"1.{plain[0]} to 1.{plain[-1]}" in index or f"1.{plain[0]};" in index, profile.name


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_a_profile_is_right_for_its_versions_and_no_others(profile: Profile) -> None:
    for minor in known_minors():
        if minor > newest_minor():
            continue
        findings = findings_of([profile], minor)
        assert bool(findings) == (minor not in profile.minors), (minor, findings)
        if profile.gates(minor):
            assert findings_of([profile], minor, gates=False), minor


@pytest.mark.parametrize("minor", [minor for minor in known_minors() if minor <= newest_minor()])
def test_profiles_go_together_in_the_order_of_the_index(minor: int) -> None:
    fitting = [profile for profile in PROFILES if minor in profile.minors]
    for layers in [*itertools.combinations(fitting, 2), fitting]:
        assert findings_of(layers, minor) == [], [profile.name for profile in layers]


def test_three_layers_go_together_as_well() -> None:
    for layers in itertools.combinations(PROFILES, 3):
        assert findings_of(layers, newest_minor()) == [], [profile.name for profile in layers]


def test_in_the_other_order_the_plain_shutdown_periods_exclude_the_list() -> None:
    by_name = {profile.name: profile for profile in PROFILES}
    layers = [by_name["graceful-shutdown-by-priority"], by_name["graceful-shutdown"]]
    assert [finding for finding in findings_of(layers, newest_minor()) if finding.startswith(Level.COMPONENT)]


@pytest.mark.parametrize("profile", PROFILES, ids=str)
def test_the_page_shows_the_disruption_of_each_field(profile: Profile) -> None:
    fields = profile.fields()
    classes = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", profile.page, re.MULTILINE))
    assert set(classes) == set(fields)
    for field in fields:
        disruption = disruption_of((field,), "KubeletConfiguration", NEWEST, [{}, fields])
        assert classes[field] == f"{disruption}: {disruption.meaning}"


@pytest.mark.parametrize(
    "page", [DOCS / "README.md", *(DOCS / f"{profile.name}.md" for profile in PROFILES)], ids=lambda page: page.stem
)
def test_the_tasks_on_the_pages_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```yaml\n(- .*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    tasks = [task for block in blocks for task in yaml.safe_load(block)]
    assert tasks
    for task in tasks:
        result = run_module(component_config.main, task["configok.node.component_config"], check=True)
        assert result["valid"], result
