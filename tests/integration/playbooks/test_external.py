# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role of the provider External: it waits for what the user's playbook has created, and changes nothing itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.ansible_runs.playbooks import PlaybookRun, finish, start


class _Healthz(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, format: str, *_args: object) -> None:
        """Say nothing."""


@pytest.fixture
def healthz() -> Iterator[int]:
    """The port of a kubelet's health check."""
    server = HTTPServer(("127.0.0.1", 0), _Healthz)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def run(directory: Path, tasks: str, **variables: Any) -> PlaybookRun:
    """Include the role's tasks as the playbook for machines does."""
    include = {"ansible.builtin.include_role": {"name": "configok.node.external", "tasks_from": tasks}}
    provider = {"create": "create.yml", "delete": "delete.yml", "values": {}}
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "vars": {"machine": {"name": "worker-1", "provider": provider}, **variables},
        "tasks": [include, {"ansible.builtin.debug": {"var": "machine_refusals"}}],
    }
    (directory / "play.yml").write_text(yaml.safe_dump([play]))
    return finish(start(["play.yml"], directory=directory, kubeconfig="/nonexistent"))


def test_it_waits_until_the_kubelet_is_healthy(healthz: int, tmp_path: Path) -> None:
    done = run(tmp_path, "create", machine_kubelet_config={"healthzPort": healthz})
    assert done.code == 0, done.output
    assert done.changed == 0


def test_a_kubelet_without_a_health_check_is_not_waited_for(tmp_path: Path) -> None:
    done = run(tmp_path, "create", machine_kubelet_config={"healthzPort": 0})
    assert done.code == 0, done.output


def test_a_host_without_a_kubelet_fails_with_a_sentence(tmp_path: Path) -> None:
    done = run(tmp_path, "create", machine_kubelet_config={"healthzPort": 1}, external_timeout=2)
    assert done.code != 0
    text = " ".join(done.output.split())
    assert "worker-1: the kubelet does not answer at http://127.0.0.1:1/healthz of the new host after 2 s" in text
    assert "The playbook create.yml must start a kubelet named worker-1 with machine_bootstrap_kubeconfig" in text


def test_a_host_is_never_changed_in_place(tmp_path: Path) -> None:
    done = run(tmp_path, "update")
    assert done.code != 0
    assert "replaces hosts, and cannot change one in place" in " ".join(done.output.split())


@pytest.mark.parametrize("tasks", ["validate", "plan", "delete"])
def test_the_other_tasks_leave_the_host_alone(tasks: str, tmp_path: Path) -> None:
    done = run(tmp_path, tasks)
    assert done.code == 0, done.output
    assert done.changed == 0


def test_both_playbooks_must_be_named(tmp_path: Path) -> None:
    done = run(tmp_path, "validate", machine={"name": "worker-1", "provider": {"create": "create.yml", "delete": ""}})
    assert done.code != 0
    assert "spec.providerConfig.create and spec.providerConfig.delete must name the playbooks" in " ".join(
        done.output.split()
    )
