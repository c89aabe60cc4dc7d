# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The project in awx/ runs through ansible-runner as in AWX: a runner's identity, no USER, a HOME that is read-only."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import decode_record
from ansible_collections.configok.node.plugins.module_utils._trust._sshsig import parse_sshsig
from ansible_collections.configok.node.plugins.module_utils._trust.statement import parse_signatures
from support.ansible_runs.controller import Controller, Job, controller_objects
from support.ansible_runs.playbooks import quick_pool
from support.api.clusters import prepare
from support.api.servers import ApiServer, Embedded, Real
from support.configs.kubelet import KUBELET_HEADER
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT, SimulatedNodes, status_of
from support.session.patience import LONGEST_WAIT
from support.trust.signing import make_key

_LAYERS = ["layers/base/kubelet.yaml", "layers/workers/kubelet.yaml"]


class Fleet:
    """Nodes of one pool that answer, and the project with the pool's file."""

    def __init__(self, api: ApiServer, name: str, controller: Controller, nodes: SimulatedNodes) -> None:
        self.client = api.client()
        self.name = name
        self.controller = controller
        self.nodes = nodes
        self.names = [f"{name}-{number}" for number in range(4)]
        for node in self.names:
            nodes.add(node, labels={"pool": name})
        self.write_pool()

    def write_pool(self, max_pods: int = 60, signing_key: str = "", **policy: Any) -> None:
        """Write the pool file and its second layer, as a commit to the project would."""
        pool = quick_pool(self.name, layers=_LAYERS)
        pool["policy"].update(policy)
        if signing_key:
            pool["signing"] = {"key": signing_key}
        (self.controller.project / "pools/workers.yml").write_text(yaml.safe_dump(pool))
        layer = self.controller.project / _LAYERS[1]
        layer.write_text(f"---\n{KUBELET_HEADER}maxPods: {max_pods}\n")

    def configs(self) -> set[str]:
        """Return the bundles that the nodes are assigned; init for none."""
        sources = [self.nodes.view(name).assigned.source for name in self.names]
        return {source.name if source else "init" for source in sources}

    def rollout(self) -> str:
        """Return the phase of the rollout and its reason, empty before the record exists."""
        stored = self.client.find(paths.config_map("configok-rollouts", self.name))
        record = decode_record(stored) if stored else None
        return f"{record.rollout.phase}: {record.rollout.reason}" if record and record.rollout else ""

    def wait_for(self, phase: str) -> None:
        """Wait until the rollout has this phase."""
        deadline = time.monotonic() + LONGEST_WAIT
        while not self.rollout().startswith(phase):
            assert time.monotonic() < deadline, self.rollout()
            time.sleep(0.1)

    def answer(self, name: str) -> None:
        """Have a node that was silent so far say that it is fine on what it is assigned."""
        view = self.nodes.view(name)
        if view.assigned.id > view.answered_id:
            self.nodes.say(name, *status_of(view, view.assigned.source, GOOD)[-1])


@pytest.fixture
def fleet(real_api: Real, unique: str, tmp_path: Path) -> Iterator[Fleet]:
    """A pool on the real API server, and a job's credential with the permissions of a runner."""
    prepare(real_api.client(), Access(runner_subjects=({"kind": "User", "name": "awx"},)))
    controller = Controller(tmp_path, {"KUBECONFIG": real_api.kubeconfig_for("awx")})
    with SimulatedNodes(real_api.client()) as nodes:
        made = Fleet(real_api, unique, controller, nodes)
        yield made
    for name in made.names:
        made.client.delete(paths.node(name))


def lines(log: str) -> list[str]:
    """Return the lines of a log without colours; no other control sequence may be in it."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", log).replace("\r\n", "\n")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", plain), "a log shows no cursor movements"
    return plain.splitlines()


def test_a_job_signs_with_the_key_of_its_machine_credential(fleet: Fleet, tmp_path: Path) -> None:
    key = make_key(tmp_path / "vault", "rollout")
    public = fleet.controller.project / "keys/rollout.pub"
    public.parent.mkdir()
    public.write_text(key.line + "\n")
    fleet.write_pool(signing_key="keys/rollout.pub")

    refused = fleet.controller.run("configok rollout", pool_file="workers")
    assert refused.status == "failed", refused.log
    assert "ssh-agent" in refused.log
    assert fleet.configs() == {"init"}

    fleet.controller.ssh_key = key.file.read_text()
    done = fleet.controller.run("configok rollout", pool_file="workers")
    assert done.status == "successful", done.log
    bundle = fleet.client.get(paths.config_map("configok-system", done.artifacts["configok"]["target"]))
    (signature,) = parse_signatures(bundle["metadata"]["annotations"]["configok.dev/signatures"])
    assert parse_sshsig(signature).public_key.fingerprint == key.fingerprint
    assert fleet.configs() == {done.artifacts["configok"]["target"]}


def test_a_pool_is_planned_rolled_out_shown_and_undone(fleet: Fleet) -> None:
    plan = fleet.controller.run("configok plan", pool_file="workers", changeCause="more pods")
    assert plan.status == "successful", plan.log
    assert "maxPods" in plan.log
    assert fleet.configs() == {"init"}

    done = fleet.controller.run("configok rollout", pool_file="workers", changeCause="more pods")
    assert done.status == "successful", done.log
    outcome = done.artifacts["configok"]
    assert (outcome["pool"], outcome["phase"], outcome["exceptions"]) == (fleet.name, "Complete", [])
    assert fleet.configs() == {outcome["target"]}
    bundle = fleet.client.get(paths.config_map("configok-system", outcome["target"]))
    assert bundle["metadata"]["annotations"]["configok.dev/change-cause"] == "more pods"

    again = fleet.controller.run("configok rollout", pool_file="workers")
    assert (again.status, again.changed) == ("successful", 0), again.log

    status = fleet.controller.run("configok status", pool_file="workers")
    assert status.status == "successful", status.log
    page = fleet.controller.directory / "report.html"
    report = fleet.controller.run("configok report", pool_file="workers", dest=str(page))
    assert report.status == "successful", report.log
    assert fleet.names[0] in page.read_text()
    history = fleet.controller.run("configok history", pool_file="workers")
    assert "more pods" in history.log
    assert all(any(name in line for line in lines(status.log)) for name in fleet.names)

    back = fleet.controller.run("configok plan undo", pool_file="workers", to_revision=0)
    assert (back.status, fleet.configs()) == ("successful", {outcome["target"]}), back.log
    undone = fleet.controller.run("configok undo", pool_file="workers")
    assert (undone.status, fleet.configs()) == ("successful", {"init"}), undone.log


@pytest.mark.slow
def test_a_halted_rollout_fails_the_job_and_forget_names_who_cleared_the_config(fleet: Fleet) -> None:
    fleet.nodes.behaviour = lambda _name, source: CRASHES if source else GOOD
    halted = fleet.controller.run("configok rollout", pool_file="workers")
    assert halted.status == "failed"
    outcome = halted.artifacts["configok"]
    assert outcome["phase"] == "Halted"
    assert len(outcome["exceptions"]) == 1
    assert outcome["reason"] in " ".join(lines(halted.log))

    refused = fleet.controller.run("configok plan", pool_file="workers")
    assert refused.status == "failed"
    cleared = fleet.controller.run("configok forget", pool_file="workers", reason="the disk was broken")
    assert cleared.status == "successful", cleared.log
    record = fleet.client.get(paths.config_map("configok-rollouts", fleet.name))
    assert '"alice"' in str(record["data"])
    fleet.nodes.behaviour = lambda _name, _source: GOOD
    done = fleet.controller.run("configok rollout", pool_file="workers")
    assert done.status == "successful", done.log


def test_the_log_of_a_running_job_shows_each_change_as_a_line_when_it_happens(fleet: Fleet) -> None:
    def slowly(_name: str, _source: object) -> str:
        time.sleep(0.3)
        return GOOD

    fleet.nodes.behaviour = slowly
    done = fleet.controller.run("configok rollout", pool_file="workers")
    assert any(re.match(r"canary .*assigned ", line) for line in lines(done.log))
    assigned = [done.when(f"assigned {name}") for name in fleet.names[:2]]
    assert (assigned[1] - assigned[0]).total_seconds() > 0.2, "reported when it happened, and not at the end"


def test_a_cancelled_job_frees_the_lock_and_the_next_one_resumes(fleet: Fleet) -> None:
    fleet.nodes.behaviour = lambda _name, _source: SILENT
    process, artifacts = fleet.controller.start("configok rollout", pool_file="workers")
    fleet.wait_for("Canary")
    process.send_signal(signal.SIGTERM)  # AWX cancels the runner
    cancelled = fleet.controller.finish(process, artifacts)
    assert cancelled.status == "canceled", cancelled.log
    deadline = time.monotonic() + LONGEST_WAIT  # ansible-runner kills ansible-playbook, and its worker sees that
    while fleet.client.get(paths.lease("configok-rollouts", fleet.name))["spec"]["holderIdentity"]:
        assert time.monotonic() < deadline, cancelled.log
        time.sleep(0.1)
    fleet.nodes.behaviour = lambda _name, _source: GOOD
    for name in fleet.names:
        fleet.answer(name)
    done = fleet.controller.run("configok rollout", pool_file="workers")
    assert (done.status, done.artifacts["configok"]["phase"]) == ("successful", "Complete"), done.log
    assert "is locked by" not in done.log


def test_pause_resume_reconcile_and_prune(fleet: Fleet) -> None:
    fleet.nodes.behaviour = lambda _name, _source: SILENT
    process, artifacts = fleet.controller.start("configok rollout", pool_file="workers")
    fleet.wait_for("Canary")
    paused = fleet.controller.run("configok pause", pool_file="workers", reason="lunch")
    assert paused.status == "successful", paused.log
    record = fleet.client.get(paths.config_map("configok-rollouts", fleet.name))
    assert (record["data"]["request"], record["data"]["requestedBy"]) == ("pause", "alice")
    fleet.nodes.behaviour = lambda _name, _source: GOOD
    for name in fleet.names:
        fleet.answer(name)
    fleet.wait_for("Paused")
    resumed = fleet.controller.run("configok resume", pool_file="workers", reason="back")
    assert resumed.status == "successful", resumed.log
    done = fleet.controller.finish(process, artifacts)
    assert (done.status, done.artifacts["configok"]["phase"]) == ("successful", "Complete"), done.log

    fleet.names.append(f"{fleet.name}-late")
    fleet.nodes.add(fleet.names[-1], labels={"pool": fleet.name})
    late = fleet.controller.run("configok reconcile", pool_file="workers")
    assert (late.status, len(fleet.configs())) == ("successful", 1), late.log
    assert "init" not in fleet.configs()
    again = fleet.controller.run("configok reconcile", pool_file="workers")
    assert (again.status, again.changed) == ("successful", 0), again.log
    pruned = fleet.controller.run("configok prune", pool_file="workers")
    assert (pruned.status, pruned.changed) == ("successful", 0), pruned.log


def test_the_schedule_of_machines_shows_what_differs(embedded_api: Embedded, tmp_path: Path) -> None:
    """The Machines of the project, without the pool that this cluster lacks; no host is asked."""
    client = embedded_api.client()
    prepare(client)
    controller = Controller(tmp_path, {"KUBECONFIG": embedded_api.admin_kubeconfig})
    version = client.get("/version")["gitVersion"].removeprefix("v")
    for path in (controller.project / "machines").iterdir():
        path.write_text(
            path.read_text().replace("1.34.9", version).replace("      pool: workers\n      prov", "      prov")
        )
    (schedule,) = (
        item
        for item in controller_objects()["controller_schedules"]
        if item["unified_job_template"] == "configok plan of machines"
    )
    with SimulatedNodes(client) as nodes:
        for name in ("worker-1", "worker-2"):
            nodes.add(name, version=f"v{version}")
        nodes.set_ready("worker-2", False)
        plan = controller.run(schedule["unified_job_template"], **schedule["extra_data"])
    assert (plan.status, plan.changed) == ("successful", 0), plan.log
    assert any(re.match(r"worker-1 .*Running", line) for line in lines(plan.log))
    machines = plan.artifacts["configok"]["machines"]
    assert (machines["total"], machines["phases"]["Running"], machines["phases"]["Failed"]) == (2, 1, 1)
    assert [item["name"] for item in machines["attention"]] == ["worker-2"]


@pytest.mark.parametrize("approved", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["approved", "denied"])
def test_the_workflow_waits_for_an_approval_after_the_canary(fleet: Fleet, approved: bool) -> None:
    fleet.write_pool(approval={"before": ["wave 1"]})
    fleet.controller.extra_variables = {"rollout_wait_timeout": "90s"}  # the template's four hours are long for a test
    moved: list[str] = []

    def approve() -> bool:
        deadline = time.monotonic() + LONGEST_WAIT
        while not (seen := fleet.rollout()).startswith("Paused") and time.monotonic() < deadline:
            time.sleep(0.1)
        assert "approv" in seen, seen
        moved.extend(name for name in fleet.names if fleet.nodes.view(name).assigned.source)
        return approved

    ended = fleet.controller.run_workflow("configok rollout with approval", approve, pool_file="workers")
    assert len(moved) == 1, "the canary"
    rollout = ended["rollout"]
    assert isinstance(rollout, Job)
    if approved:
        assert set(ended) == {"plan", "rollout", "ask", "approve"}
        assert (rollout.status, rollout.artifacts["configok"]["phase"]) == ("successful", "Complete"), rollout.log
        assert "init" not in fleet.configs()
    else:
        assert set(ended) == {"plan", "rollout", "status", "ask", "abort"}
        assert (rollout.status, rollout.artifacts["configok"]["phase"]) == ("failed", "Aborted"), rollout.log
        assert "by alice" in fleet.rollout()
        assert sum(1 for name in fleet.names if fleet.nodes.view(name).assigned.source) == 1


@pytest.fixture
def small(embedded_api: Embedded, tmp_path: Path) -> Iterator[Callable[[dict[str, str]], Fleet]]:
    """Return a function that makes a pool on the embedded API server, for jobs with this credential."""
    prepare(embedded_api.client())
    with SimulatedNodes(embedded_api.client()) as nodes:
        yield lambda credential: Fleet(embedded_api, "workers", Controller(tmp_path, credential), nodes)


def test_the_built_in_credential_type_for_bearer_tokens_works_too(
    embedded_api: Embedded, small: Callable[[dict[str, str]], Fleet]
) -> None:
    embedded_api.server.add_token("secret-token", "admin", ["system:masters"])
    fleet = small(
        {"K8S_AUTH_HOST": embedded_api.url, "K8S_AUTH_API_KEY": "secret-token", "K8S_AUTH_VERIFY_SSL": "False"}
    )
    done = fleet.controller.run("configok rollout", pool_file="workers")
    assert done.status == "successful", done.log
    assert "secret-token" not in done.log


def test_a_pool_file_that_the_project_does_not_have_fails_with_a_message(
    embedded_api: Embedded, small: Callable[[dict[str, str]], Fleet]
) -> None:
    fleet = small({"KUBECONFIG": embedded_api.admin_kubeconfig})
    failed = fleet.controller.run("configok status", pool_file="../../etc/other")
    assert failed.status == "failed"
    assert "pools/other.yml" in failed.log


def test_a_key_that_a_pool_file_does_not_have_is_refused(
    embedded_api: Embedded, small: Callable[[dict[str, str]], Fleet]
) -> None:
    fleet = small({"KUBECONFIG": embedded_api.admin_kubeconfig})
    pool_file = fleet.controller.project / "pools/workers.yml"
    pool_file.write_text(pool_file.read_text() + "maxUnavialable: 1\n")
    failed = fleet.controller.run("configok plan", pool_file="workers")
    assert failed.status == "failed"
    assert "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?" in failed.log
