# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user gives playbooks with -e: which cluster, and unknown keys of a pool file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from support.ansible_runs.playbooks import ROOT, Playbooks, finish, quick_pool, start
from support.api.clusters import look, prepare
from support.api.servers import Embedded
from support.releases.data_files import GONE, NEXT, next_release
from support.rollouts.simulated_nodes import SimulatedNodes
from support.session.unavailable import leave_out


@pytest.fixture
def nodes(embedded_api: Embedded) -> Iterator[SimulatedNodes]:
    with SimulatedNodes(embedded_api.client()) as simulated:
        for number in range(3):
            simulated.add(f"n{number}")
        yield simulated


@pytest.fixture
def user(embedded_api: Embedded, tmp_path: Path) -> Playbooks:
    """A user whose KUBECONFIG names nothing, and who has a kubeconfig with two contexts in the current directory."""
    config = yaml.safe_load(Path(embedded_api.admin_kubeconfig).read_text())
    (context,) = config["contexts"]
    config["contexts"] = [{**context, "name": "right"}, {"name": "wrong", "context": {"cluster": "x", "user": "y"}}]
    config["current-context"] = "wrong"
    (tmp_path / "here").write_text(yaml.safe_dump(config))
    return Playbooks(tmp_path, str(tmp_path / "nothing"))


WHERE = ("-e", "kubeconfig=here", "-e", "context=right")


@pytest.mark.slow
def test_every_playbook_takes_kubeconfig_and_context(
    embedded_api: Embedded, nodes: SimulatedNodes, user: Playbooks
) -> None:
    client = embedded_api.client()
    user.write(quick_pool(), "maxPods: 60\n")
    failed = user.run("status")
    assert failed.code != 0, "without the variables there is no cluster"
    for name, more, pool in (
        ("provision", ("-e", "provision_hosts=none"), False),
        ("rollout", (), True),
        ("status", (), True),
        ("forget", ("-e", "reason=because", "-e", "author=me"), True),
        ("pause", ("-e", "author=me"), True),
        ("resume", ("-e", "author=me"), True),
        ("abort", ("-e", "author=me"), True),
        ("undo", ("-e", "to_revision=0"), True),
        ("remove", ("-e", "provision_hosts=none"), False),
    ):
        done = user.run(name, *WHERE, *more, pool=pool)
        if name == "forget":
            assert "pool workers does not refuse" in done.output, "it reads the record, in which nothing has failed"
            continue
        assert done.code == 0, done.output
        if name == "rollout":
            assert done.stats["phase"] == "Complete"
            assert nodes.view("n1").assigned.source is not None
    assert look(client, paths.namespace("configok-system")) is None


def test_what_a_node_has_of_its_own_is_published_in_the_same_cluster() -> None:
    cluster, nodes = yaml.safe_load((ROOT / "playbooks/provision.yml").read_text())
    assert "tasks/local_config.yml" in yaml.safe_dump(nodes)
    assert nodes["module_defaults"] == cluster["module_defaults"]


@pytest.mark.parametrize("playbook", ["rollout", "undo"])
def test_a_misspelt_key_of_the_pool_file_is_refused_before_anything_is_done(
    embedded_api: Embedded, nodes: SimulatedNodes, user: Playbooks, playbook: str
) -> None:
    prepare(embedded_api.client())
    user.write({**quick_pool(), "maxUnavialable": 1}, "maxPods: 60\n")
    refused = user.run(playbook, *WHERE)
    assert refused.code != 0
    assert "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?" in refused.output
    assert nodes.assignments == []
    assert embedded_api.client().list(paths.config_maps("configok-system")).items == []


def test_the_oldest_ansible_that_is_promised_takes_them_too(
    embedded_api: Embedded, nodes: SimulatedNodes, user: Playbooks
) -> None:
    oldest = ROOT / ".venv-oldest"
    if not (oldest / "bin/ansible-playbook").exists():
        why = "there is no .venv-oldest: make venv-oldest makes it"
        leave_out(why)
    prepare(embedded_api.client())
    with_oldest = Playbooks(user.directory, user.kubeconfig, oldest)
    with_oldest.write({**quick_pool(), "maxUnavialable": 1}, "maxPods: 60\n")
    refused = with_oldest.run("rollout", *WHERE)
    assert "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?" in refused.output
    with_oldest.write(quick_pool(), "maxPods: 60\n")
    done = with_oldest.run("rollout", *WHERE)
    assert done.code == 0, done.output
    assert nodes.view("n1").assigned.source is not None


def test_variables_of_the_pool_file_may_be_templates(
    embedded_api: Embedded, nodes: SimulatedNodes, user: Playbooks, control: Path
) -> None:
    """With the oldest and the newest ansible-core."""
    prepare(embedded_api.client())
    with_core = Playbooks(user.directory, user.kubeconfig, control)
    pool = quick_pool()
    templates = {
        "selector": "pool={{ team }}",
        "layers": ["{{ team }}.yaml"],
        "policy": {**pool["policy"], "maxUnavailable": "{{ limit }}", "waves": ["{{ 50 + 50 }}%"]},
        "kubeconfig": "{{ file }}",
    }
    with_core.write({**pool, **templates}, "maxPods: 60\n")
    (user.directory / "workers.yaml").write_text((user.directory / "pool.yaml").read_text())
    variables = ("-e", "team=workers", "-e", '{"limit": 2, "file": "here"}', "-e", "context={{ 'right' }}")
    done = with_core.run("rollout", *variables)
    assert (done.code, done.stats.get("phase")) == (0, "Complete"), done.output
    assert nodes.view("n1").assigned.source is not None
    refused = with_core.run("rollout", "-e", "team={{ nothing }}", "-e", "limit=2", "-e", "file=here")
    assert refused.code != 0
    assert "cannot be evaluated: " in refused.output
    assert "Traceback" not in refused.output


LOOP = """
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - configok.node.rollout:
        kubeconfig: here
        context: right
        pool: "{{ lookup('ansible.builtin.file', 'pool.yml') | from_json }}"
        release_data: "{{ item | default(omit, true) }}"
      loop: ["", release.yaml, ""]
      check_mode: true
      ignore_errors: true
      register: planned
    - configok.node.config_bundle:
        kubeconfig: here
        context: right
        pool: workers
        label_selector: pool=workers
        src: {kubelet: pool.yaml}
        release_data: "{{ item | default(omit, true) }}"
      loop: ["", release.yaml, ""]
      check_mode: true
      ignore_errors: true
      register: published
    - ansible.builtin.debug:
        msg: "published: {{ published.results | map(attribute='failed') }} {{ published.results[1].msg | default('') }}"
    - ansible.builtin.debug:
        msg: "{{ planned.results | map(attribute='failed') }} {{ planned.results[2].text | select('search', 'gates') }}"
"""


def test_release_data_are_found_in_the_users_directory_and_hold_for_one_task(
    nodes: SimulatedNodes, user: Playbooks
) -> None:
    for number in range(3):
        info = {"status": {"nodeInfo": {"kubeletVersion": f"v1.{NEXT}.0"}}}
        nodes.client.patch(paths.node_status(f"n{number}"), info, kind="strategic")
    user.write(quick_pool(), f"featureGates: {{{GONE}: true}}\n")
    next_release(user.directory / "release.yaml")
    planned = user.run("rollout", *WHERE, "--check")
    assert planned.code == 0, planned.output
    assert "not judged: fields, defaults, gates, flags and rules of Kubernetes" in planned.output
    refused = user.run("rollout", *WHERE, "--check", "-e", "release_data=release.yaml")
    assert refused.code != 0
    assert f"featureGates.{GONE}: true: unknown feature gate" in refused.output
    missing = user.run("rollout", *WHERE, "--check", "-e", "release_data=none.yaml")
    assert missing.code != 0
    assert f"release_data: {user.directory}/none.yaml cannot be read: No such file or directory" in missing.output
    (user.directory / "loop.yml").write_text(LOOP)
    sides = json.dumps({name: {"kubeconfig": "here", "context": "right"} for name in ("before", "after")})
    unknown = user.run("compare", "-e", sides, "-e", "release_data=none.yaml", pool=False)
    assert f"release_data: none.yaml in {user.directory} cannot be read: No such file or directory" in unknown.output
    compared = user.run("compare", "-e", sides, "-e", "release_data=release.yaml", pool=False)
    assert compared.code == 0, compared.output
    looped = finish(start([str(user.directory / "loop.yml")], directory=user.directory, kubeconfig=user.kubeconfig))
    output = looped.output.replace("False", "false").replace("True", "true")
    assert "[false, true, false] [" in output, looped.output
    assert "published: [false, true, false] the config is refused" in output, looped.output
    assert "gates" in looped.output.rpartition("[false")[2], looped.output


def test_the_status_of_a_selector_that_no_node_has_is_a_failure(nodes: SimulatedNodes, user: Playbooks) -> None:
    user.write(quick_pool(), "maxPods: 60\n")
    assert user.run("status", *WHERE).code == 0
    nowhere = user.run("status", *WHERE, "-e", "selector=pool=worker")
    assert nowhere.code != 0
    assert "no Node matches the selector pool=worker" in nowhere.output
