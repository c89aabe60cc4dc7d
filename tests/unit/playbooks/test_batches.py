# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every play with batches, shipped or shown to users, leaves the decision about the next batch to the role batch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
PAGES = ("README.md", "docs/**/*.md", "roles/*/README.md")
PLAYBOOKS = ("playbooks/*.yml", "awx/*.yml", "extensions/molecule/**/*.yml")
EXAMPLE = re.compile(r"^ *```ya?ml\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
BEGIN = {"name": "configok.node.batch"}
PASSED = {"name": "configok.node.batch", "tasks_from": "passed"}
# Ansible's own stops, which miss a host that fails in a block with an always section, or that is unreachable.
OF_ANSIBLE = {"max_fail_percentage", "any_errors_fatal"}


def documents() -> Iterator[tuple[str, Any]]:
    """Yield the YAML documents of playbooks and of the examples in pages, each with the path of its file."""
    for path in (path for pattern in PLAYBOOKS for path in ROOT.glob(pattern)):
        yield str(path.relative_to(ROOT)), yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (path for pattern in PAGES for path in ROOT.glob(pattern)):
        for block in EXAMPLE.findall(path.read_text(encoding="utf-8")):
            if re.search(r"^ *(?:- )?serial:", block, re.MULTILINE):
                yield str(path.relative_to(ROOT)), yaml.safe_load(block)


def plays_with_batches() -> list[tuple[str, dict[str, Any]]]:
    """Return the plays with serial, each with the path of its file."""
    plays = [(path, play) for path, document in documents() if isinstance(document, list) for play in document]
    return [(path, play) for path, play in plays if isinstance(play, dict) and "serial" in play]


def tasks_of(play: dict[str, Any]) -> list[Any]:
    """Return tasks and roles of a play in the order in which they run."""
    return [step for section in ("pre_tasks", "roles", "tasks", "post_tasks") for step in play.get(section, [])]


def test_a_play_with_batches_decides_by_recorded_outcomes() -> None:
    plays = plays_with_batches()
    assert {path for path, _play in plays} == {
        *(f"playbooks/{name}.yml" for name in ("clusters", "provision", "remove")),
        *(f"roles/{name}/README.md" for name in ("batch", "node")),
    }
    for path, play in plays:
        first, *_others, last = tasks_of(play)
        assert first.get("ansible.builtin.import_role") == BEGIN, path
        assert last.get("ansible.builtin.import_role") == PASSED, path
        assert play.get("strategy") == "linear", path
        assert not OF_ANSIBLE & set(play), path
        # A host that cannot be reached records that it has begun: gathering facts would remove it before.
        assert play.get("gather_facts") is False, path


def test_no_play_relies_on_the_stops_of_ansible() -> None:
    for path in (path for pattern in (*PLAYBOOKS, *PAGES) for path in ROOT.glob(pattern)):
        if path != ROOT / "roles/batch/README.md":  # it says why
            assert not re.search(rf"^ *({'|'.join(OF_ANSIBLE)}):", path.read_text(encoding="utf-8"), re.MULTILINE), path


def test_the_play_of_the_providers_has_a_strategy() -> None:
    """A run reads its output, in which other strategies mix the tasks of hosts."""
    _add_hosts, change = yaml.safe_load((ROOT / "playbooks/machine.yml").read_text(encoding="utf-8"))
    assert change["strategy"] == "linear"
