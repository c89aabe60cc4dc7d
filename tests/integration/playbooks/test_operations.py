# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests, history and pruning on a real API server, with the access of a runner, and with kubectl as documented."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control import Control
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control_watcher import ControlWatcher
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    read_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from support.ansible_runs.playbooks import ROOT, Playbooks, finish, kill, quick_pool
from support.api.clusters import prepare
from support.api.servers import Real
from support.configs.options import component_options
from support.rollouts.simulated_nodes import SimulatedNodes
from support.session.patience import LONGEST_WAIT
from support.session.unavailable import leave_out

RUNNER = Access(runner_subjects=({"kind": "User", "name": "runner"},), runner_prune=False)
ALICE = ("-e", "author=alice")


@pytest.fixture
def user(real_api: Real, unique: str, tmp_path: Path) -> Iterator[Playbooks]:
    """A user with the access of a runner, and a pool of three nodes that answer."""
    client = real_api.client()
    prepare(client, RUNNER)
    names = [f"{unique}-{number}" for number in range(3)]
    with SimulatedNodes(client) as simulated:
        for name in names:
            simulated.add(name, labels={"pool": unique})
        yield Playbooks(tmp_path, real_api.kubeconfig_for("runner"))
    for name in names:
        client.delete(paths.node(name))


def write(user: Playbooks, pool: str, max_pods: int) -> None:
    contents = quick_pool(pool, changeCause=f"maxPods {max_pods}")
    contents["policy"]["revisionHistoryLimit"] = 2
    user.write(contents, f"maxPods: {max_pods}\n")


def test_the_playbooks_request_and_approve_with_the_access_of_a_runner(
    real_api: Real, unique: str, user: Playbooks
) -> None:
    write(user, unique, 60)
    client = real_api.client()
    checked = user.run("pause", *ALICE, "--check", "--diff")
    assert checked.code == 0, checked.output
    assert "would be recorded" in checked.output
    assert read_record(client, unique) == Record(unique)
    paused = user.run("pause", *ALICE, "-e", "reason='the network is slow'")
    assert paused.code == 0, paused.output
    assert f"pool {unique} has never been rolled out; its next rollout waits" in paused.output
    assert read_record(client, unique).control.describe_request().endswith(": the network is slow")
    assert user.run("pause", *ALICE).changed == 0
    resumed = user.run("resume", *ALICE)
    assert resumed.changed == 1, resumed.output
    assert "its next rollout no longer waits" in resumed.output
    refused = user.run("approve", *ALICE, "-e", "waves=all")
    assert refused.code != 0
    assert f"pool {unique} has never been rolled out: there is no wave to approve" in refused.output
    reasons = [
        event["reason"]
        for event in client.list(paths.events("configok-rollouts")).items
        if event["involvedObject"]["name"] == unique
    ]
    assert sorted(reasons) == ["RolloutPauseRequested", "RolloutResumed"]


def start(user: Playbooks, pool: str) -> subprocess.Popen[str]:
    """Start a rollout whose first wave after the canary waits for an approval, and then soaks for long."""
    contents = quick_pool(pool)
    contents["policy"].update(approval={"before": ["wave 1"]}, soak="10m")
    user.write(contents, "maxPods: 60\n")
    return user.start("rollout", "-e", "rollout_lease_duration=3")


def wait_for_pause(real_api: Real, pool: str) -> Rollout:
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        rollout = read_record(real_api.client(), pool).rollout
        if rollout is not None and rollout.phase == "Paused":
            return rollout
        assert time.monotonic() < deadline, rollout
        time.sleep(0.2)


def test_the_status_of_a_control_plane_has_what_an_upgrade_by_kubeadm_would_undo(unique: str, user: Playbooks) -> None:
    write(user, unique, 60)
    assert "keeps the flags" not in user.run("status").output
    contents = quick_pool(unique, documents={"kube-scheduler": component_options({"v": 2}, component="kube-scheduler")})
    del contents["layers"]
    user.write(contents, "")
    shown = user.run("status")
    assert shown.code == 0, shown.output
    assert "not judged: whether an upgrade by kubeadm keeps the flags of this pool" in shown.output
    assert shown.changed == 0


def test_a_running_rollout_obeys_a_second_terminal(real_api: Real, unique: str, user: Playbooks) -> None:
    running = start(user, unique)
    try:
        assert wait_for_pause(real_api, unique).reason.startswith("wave 1 waits for an approval")
        approved = user.run("approve", *ALICE)
        assert re.search(
            f"the approval of pool {unique} is recorded; pool {unique} is (Wave 1|Soaking)", approved.output
        )
        paused = user.run("pause", *ALICE, "-e", "reason='the network is slow'")
        assert f"pool {unique} is Paused: paused by alice at " in paused.output, paused.output
        resumed = user.run("resume", *ALICE)
        text = f"the end of the pause of pool {unique} is recorded; pool {unique} is (Wave 1|Soaking)"
        assert re.search(text, resumed.output), resumed.output
        aborted = user.run("abort", *ALICE, "-e", "reason='another config'")
        assert re.search(f"pool {unique} is Aborted: aborted by alice at .*: another config", aborted.output)
    finally:
        done = finish(running)
    assert done.code != 0
    assert done.stats["phase"] == "Aborted"
    assert user.run("abort", *ALICE).changed == 0


def test_a_rollout_whose_runner_was_killed_can_be_aborted(real_api: Real, unique: str, user: Playbooks) -> None:
    running = start(user, unique)
    wait_for_pause(real_api, unique)
    kill(running)
    aborted = user.run("abort", *ALICE)
    assert aborted.code == 0, aborted.output
    assert f"pool {unique} is Aborted: aborted by alice at " in aborted.output
    assert read_record(real_api.client(), unique).revisions[-1].result == "Aborted"


def test_old_bundles_go_with_an_access_of_their_own_and_the_history_says_so(
    real_api: Real, unique: str, user: Playbooks
) -> None:
    for max_pods in (60, 70, 80):
        write(user, unique, max_pods)
        done = user.run("rollout")
        assert done.code == 0, done.output
    client = real_api.client()
    # The nodes' last-known-good, and what they used before, keep bundles; a third rollout needs neither of the first.
    revisions = read_record(client, unique).revisions
    refused = user.run("prune")
    assert refused.code != 0
    assert "cannot delete resource" in refused.output
    assert client.get(paths.config_map("configok-system", revisions[0].name))
    prepare(client, Access(runner_prune=True))
    checked = user.run("prune", "--check", "--diff")
    assert f"revision 1 ({revisions[0].name}) would be deleted" in checked.output, checked.output
    assert client.get(paths.config_map("configok-system", revisions[0].name))
    pruned = user.run("prune")
    assert pruned.changed == 1, pruned.output
    assert client.find(paths.config_map("configok-system", revisions[0].name)) is None
    assert client.get(paths.config_map("configok-system", revisions[1].name))
    assert user.run("prune").changed == 0
    prepare(client, RUNNER)
    history = user.run("history")
    lines = re.findall(r"^(?:REVISION|\d).*$", history.output, re.MULTILINE)
    assert lines[0].split() == ["REVISION", "CHANGE-CAUSE", "AUTHOR", "TIME", "RESULT", "CURRENT"]
    assert [(line.split()[0], line.endswith("*"), "pruned" in line) for line in lines[1:]] == [
        ("3", True, False),
        ("2", False, False),
        ("1", False, True),
    ]
    undone = user.run("undo", "-e", "to_revision=1")
    assert undone.code != 0
    assert "was pruned at" in undone.output


def documented_commands() -> list[str]:
    text = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith("kubectl ")]


def test_the_documented_kubectl_commands_reach_a_runner_within_seconds(
    real_api: Real, unique: str, tmp_path: Path
) -> None:
    if shutil.which("kubectl") is None:
        why = "kubectl is not on PATH"
        leave_out(why)
    client = real_api.client()
    prepare(client, RUNNER)
    home = str(tmp_path)  # for kubectl's cache, which it would else keep in the current directory
    bad = Target("bad", "configok-system")
    update_record(client, unique, lambda record: record.with_bad_config(bad, "it crashed", "then"))
    pause, resume, approve, abort = documented_commands()
    with ControlWatcher(real_api.client("runner"), unique, Clock(), lambda: None) as watcher:
        for command, control in (
            (pause, Control("pause", "alice", "the network is slow")),
            (resume, Control("", "alice", "the network is slow")),
            (approve, Control("", "alice", "the network is slow", "wave 1", approved_by="alice")),
            (abort, Control("abort", "alice", "the network is slow", "wave 1", approved_by="alice")),
        ):
            subprocess.run(
                ["sh", "-c", command.replace("workers", unique)],
                env={"KUBECONFIG": real_api.admin_kubeconfig, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home},
                check=True,
                capture_output=True,
            )
            wait_for(watcher, control)
        assert watcher.error is None
    kept, _changed = update_record(client, unique, lambda record: record.with_result(1, "Complete"))
    assert kept.control.is_abort


def wait_for(watcher: ControlWatcher, control: Control) -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while watcher.control != control:
        assert time.monotonic() < deadline
        time.sleep(0.05)
