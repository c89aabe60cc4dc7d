# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rulebooks of the AWX project, run by ansible-rulebook against the real API server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from support.ansible_runs.controller_api import ControllerApi, controller_api
from support.ansible_runs.rulebooks import ROOT, running_rulebook, why_no_rulebooks
from support.api.fleet_by_hand import FleetByHand
from support.api.servers import Real, start_real
from support.rollouts.hollow_fleet import hollow_fleet
from support.session.patience import wait_until
from support.session.unavailable import leave_out

pytestmark = pytest.mark.slow

AWX = ROOT / "awx"
TEMPLATES = ("configok reconcile", "configok pause")
JOB_SECONDS = 8.0
JOINING = 5000
LONGEST_BATCH = 30.0  # seconds that the source collects nodes
HOSTILE = "crashed {{ lookup('ansible.builtin.pipe', 'id') }} {% raw %}"
HARMLESS = "crashed (( lookup(\u2019ansible.builtin.pipe\u2019, \u2019id\u2019) )) (% raw %)"
A_WHILE = 8.0  # seconds in which a job that should not be launched would be


@pytest.fixture
def api(real_api: Real, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """A real API server of its own: a rulebook follows all pools."""
    if why_no_rulebooks():
        leave_out(why_no_rulebooks())
    server = start_real(tmp_path_factory.mktemp("events"))
    yield server
    server.stop()


@pytest.fixture
def client(api: Real) -> Iterator[Client]:
    with api.client() as client:
        yield client


class Rulebooks:
    """Rulebooks of the project, a cluster and a controller."""

    def __init__(self, api: Real, controller: ControllerApi, directory: Path) -> None:
        self.controller = controller
        self.log = directory / "rulebook.log"
        self._environment = {
            "K8S_AUTH_KUBECONFIG": api.admin_kubeconfig,
            "EDA_CONTROLLER_URL": controller.url,
            "EDA_CONTROLLER_TOKEN": "token",
            "EDA_JOB_TEMPLATE_REFRESH_DELAY": "0.5",
            "TICKETS": f"{controller.url}/hook",
        }

    @contextmanager
    def running(self, name: str, *arguments: str) -> Iterator[None]:
        """Run a rulebook, from the moment that it knows the cluster."""
        begins = len(self._text())
        rulebook = AWX / f"rulebooks/{name}.yml"
        with running_rulebook(
            rulebook, self.log, "--verbose", *arguments, directory=AWX, environment=self._environment
        ) as self._process:
            self.wait(lambda: self._text()[begins:].count("are known") >= 2)
            yield

    def wait(self, condition: Callable[[], object]) -> None:
        """Wait until the condition is true, while the rulebook runs."""

        def is_true_or_over() -> bool:
            return bool(condition()) or self._process.poll() is not None

        wait_until(is_true_or_over, self._text)
        assert self._process.poll() is None, self._text()

    def _text(self) -> str:
        return self.log.read_text() if self.log.exists() else ""


@contextmanager
def prepared(api: Real, directory: Path) -> Iterator[Rulebooks]:
    with controller_api(TEMPLATES, job_seconds=JOB_SECONDS) as controller:
        yield Rulebooks(api, controller, directory)


def test_nodes_that_join_are_reconciled_by_one_job_at_a_time(api: Real, client: Client, tmp_path: Path) -> None:
    fleet = FleetByHand(client, "workers")
    fleet.add("old")
    fleet.write_record("Complete")
    with prepared(api, tmp_path) as rulebooks:
        launches = rulebooks.controller.launches
        with rulebooks.running("reconcile"):
            for number in range(3):
                fleet.add(f"n{number}", assigned=False)
            rulebooks.wait(lambda: launches)
            fleet.add("late", assigned=False)
            rulebooks.wait(lambda: len(launches) > 1)
            time.sleep(A_WHILE)
    assert [(launch.template, launch.variables) for launch in launches] == [
        ("configok reconcile", {"pool_file": "workers"})
    ] * 2
    assert launches[1].began >= launches[0].ends


def test_the_jobs_of_two_pools_run_at_the_same_time(api: Real, client: Client, tmp_path: Path) -> None:
    fleets = [FleetByHand(client, pool) for pool in ("workers", "others")]
    for fleet in fleets:
        fleet.write_record("Complete")
    with prepared(api, tmp_path) as rulebooks, rulebooks.running("reconcile"):
        launches = rulebooks.controller.launches
        for fleet in fleets:
            fleet.add("n1", assigned=False)
        rulebooks.wait(lambda: len(launches) > 1)
    assert {launch.variables["pool_file"] for launch in launches} == {"workers", "others"}
    assert launches[1].began < launches[0].ends


def test_thousands_of_nodes_that_join_make_few_jobs(api: Real, client: Client, tmp_path: Path) -> None:
    """As when a cluster is scaled up: hollow nodes join within a minute or two, each with an agent."""
    fleet = FleetByHand(client, "workers")
    fleet.write_record("Complete")
    group = {"name": "n", "count": JOINING, "labels": {"pool": "workers"}, "behaviour": {"answer": "200ms"}}
    with prepared(api, tmp_path) as rulebooks, rulebooks.running("reconcile"):
        launches = rulebooks.controller.launches
        began = time.monotonic()
        with hollow_fleet(api.admin_kubeconfig, {"simulation": "joining", "groups": [group]}, tmp_path):
            rulebooks.wait(lambda: launches)
            joined = time.monotonic() - began
            time.sleep(LONGEST_BATCH + JOB_SECONDS)
    assert 1 <= len(launches) <= 2 + joined / LONGEST_BATCH
    assert all(later.began >= earlier.ends for earlier, later in pairwise(launches))


def test_a_rulebook_that_starts_again_finds_what_has_joined_meanwhile(
    api: Real, client: Client, tmp_path: Path
) -> None:
    fleet = FleetByHand(client, "workers")
    fleet.write_record("Complete")
    with prepared(api, tmp_path) as rulebooks:
        launches = rulebooks.controller.launches
        with rulebooks.running("reconcile"):
            pass
        name = fleet.add("n1", assigned=False)
        with rulebooks.running("reconcile"):
            rulebooks.wait(lambda: launches)
        fleet.assign(name)
        with rulebooks.running("reconcile"):
            time.sleep(A_WHILE)
    assert len(launches) == 1


def test_a_rulebook_survives_a_restart_of_the_api_server(api: Real, client: Client, tmp_path: Path) -> None:
    fleet = FleetByHand(client, "workers")
    fleet.write_record("Complete")
    with prepared(api, tmp_path) as rulebooks, rulebooks.running("reconcile"):
        api.kill()
        time.sleep(2)
        api.start()
        fleet.add("n1", assigned=False)
        rulebooks.wait(lambda: rulebooks.controller.launches)
        time.sleep(A_WHILE)
        assert len(rulebooks.controller.launches) == 1


def test_a_node_outside_a_moving_pool_pauses_its_rollout(api: Real, client: Client, tmp_path: Path) -> None:
    workers, others = FleetByHand(client, "workers"), FleetByHand(client, "others")
    mine, other = workers.add("n1"), others.add("n2")
    workers.write_record("Wave 1")
    others.write_record("Complete")
    with prepared(api, tmp_path) as rulebooks, rulebooks.running("pause"):
        launches = rulebooks.controller.launches
        workers.report(mine, "False")
        time.sleep(A_WHILE)
        assert launches == []
        others.report(other, "False")
        rulebooks.wait(lambda: launches)
    assert [(launch.template, launch.variables) for launch in launches] == [
        ("configok pause", {"pool_file": "workers", "reason": f"{other}, which is not in the pool, has failed"})
    ]


def test_what_a_person_must_look_at_becomes_a_ticket(api: Real, client: Client, tmp_path: Path) -> None:
    fleet = FleetByHand(client, "workers")
    name = fleet.add("n1")
    fleet.write_record("Complete")
    with prepared(api, tmp_path) as rulebooks, rulebooks.running("tickets", "--env-vars", "TICKETS"):
        hooks = rulebooks.controller.hooks
        fleet.report(name, "False", HOSTILE)
        rulebooks.wait(lambda: hooks)
        fleet.write_record("Halted", revision=2)
        rulebooks.wait(lambda: len(hooks) > 1)
    assert (hooks[0]["kind"], hooks[0]["node"], hooks[0]["reason"]) == ("config_failed", name, HARMLESS)
    assert (hooks[1]["kind"], hooks[1]["pool"]) == ("rollout_halted", "workers")
