# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a rollout that has ended is reported when the API server is away just then."""

from __future__ import annotations

from pathlib import Path

import yaml

from support.ansible_runs.playbooks import ROOT, finish, start


def away(directory: Path) -> str:
    """Write a kubeconfig of an API server that is not there, and return its path."""
    path = directory / "kubeconfig"
    contents = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path.write_text(yaml.safe_dump(contents))
    return str(path)


def test_a_rollout_that_is_complete_does_not_fail_because_its_nodes_cannot_be_shown(tmp_path: Path) -> None:
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"pool": "workers", "selector": "", "moved": {"phase": "Complete", "reason": "", "exceptions": []}},
        "tasks": [{"ansible.builtin.include_tasks": str(ROOT / "playbooks/tasks/outcome.yml")}],
    }
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    run = finish(start(["play.yml"], directory=tmp_path, kubeconfig=away(tmp_path)))
    assert run.code == 0, run.output
    assert run.stats["phase"] == "Complete"
    assert "The nodes cannot be shown" in run.output
    assert "run it again when the API server answers" in run.output
