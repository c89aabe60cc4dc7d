# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics that the agent publishes follow its state, with and without the API, and change at no other time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import read_report
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import Bench


class Sink:
    """A metrics output that keeps every text, or none while ``full``."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.full = False
        self.closed = False

    def update(self, text: str) -> bool:
        if not self.full:
            self.shown.append(text)
        return not self.full

    def close(self) -> None:
        self.closed = True

    def __getitem__(self, name: str) -> float:
        """Return the value of a series in the last text."""
        [value] = re.findall(rf"^configok_{re.escape(name)} (\S+)$", self.shown[-1], re.M)
        return float(value)

    def uid(self, record: str) -> str:
        """Return the uid in the only series of a record."""
        [(source, uid)] = re.findall(
            rf'^configok_node_config_{record}{{node_config_source="(.*)",node_config_uid="(.*)"}} 1$',
            self.shown[-1],
            re.M,
        )
        assert (source == "local") == (uid == "")
        return str(uid)


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def bench(tmp_path: Path, sink: Sink) -> Bench:
    """A node whose agents publish their metrics to the sink."""
    bench = Bench(tmp_path)
    bench.metrics_outputs.append(sink)
    bench.restart_agent()
    return bench


def test_a_node_without_an_assignment_has_no_error(bench: Bench, sink: Sink) -> None:
    bench.run(5)
    assert [sink.uid(record) for record in ("assigned", "active", "last_known_good")] == ["", "", ""]
    assert sink["node_config_error"] == 0


@pytest.mark.contract("metrics.configs", "metrics.counted")
def test_an_adoption_a_refusal_and_a_rollback_are_counted(bench: Bench, sink: Sink) -> None:
    good = bench.good_node()
    assert {sink.uid(record) for record in ("assigned", "active", "last_known_good")} == {good.uid}
    assert (sink["node_config_adoptions_total"], sink["node_config_adoption_seconds_count"]) == (1, 1)
    assert 0.5 < sink["node_config_adoption_seconds_sum"] < 5
    assert sink['node_component_restarts_total{component="kubelet"}'] == 1

    refused = bench.publish("mood: invalid\n")
    bench.assign(refused)
    bench.run(5)
    assert (sink["node_config_refusals_total"], sink["node_config_error"]) == (1, 1)
    assert (sink.uid("assigned"), sink.uid("active")) == (refused.uid, good.uid)
    assert sink['node_component_restarts_total{component="kubelet"}'] == 1

    bench.assign(bench.publish("mood: deadly\n", trial=Trial(600.0, 1)))
    bench.run(60)
    assert (sink["node_config_rollbacks_total"], sink["node_config_error"]) == (1, 1)
    assert (sink.uid("active"), sink.uid("last_known_good")) == (good.uid, good.uid)
    # A rollback does not count as an adoption, and adds no seconds.
    assert (sink["node_config_adoptions_total"], sink["node_config_adoption_seconds_count"]) == (2, 1)

    bench.assign(good)
    bench.run(5)
    assert sink["node_config_error"] == 0


def test_a_config_that_is_being_adopted_is_not_an_error(bench: Bench, sink: Sink) -> None:
    bench.good_node()
    before = len(sink.shown)
    bench.assign(bench.publish("maxPods: 130\n"))
    bench.run(20)
    assert not any("\nconfigok_node_config_error 1\n" in text for text in sink.shown[before:])


def test_without_the_api_the_gauges_tell_what_the_nodes_files_say(bench: Bench, sink: Sink) -> None:
    good = bench.good_node()
    bench.blind = True
    bench.restart_agent()
    bench.run(5)
    assert {sink.uid(record) for record in ("assigned", "active", "last_known_good")} == {good.uid}


def test_a_restarted_agent_counts_from_zero(bench: Bench, sink: Sink) -> None:
    bench.good_node()
    bench.restart_agent()
    bench.run(5)
    assert sink["node_config_adoptions_total"] == 0


def test_requests_that_fail_are_counted_by_what_they_were_for(bench: Bench, sink: Sink) -> None:
    bench.good_node()
    bench.assign(bench.publish("maxPods: 130\n"))
    bench.api.down = Unreachable("no route to host")
    bench.run(10)
    assert sink['node_sync_errors_total{operation="fetch"}'] >= 2
    assert sink['node_sync_errors_total{operation="status"}'] >= 1
    assert sink["node_config_error"] == 1
    report = read_report(bench.configuration.run_directory)
    assert report is not None
    assert (report.written, "no route to host" in report.api_error) == (False, True)


def test_nothing_is_shown_again_while_nothing_happens(bench: Bench, sink: Sink) -> None:
    bench.good_node()
    shown = len(sink.shown)
    bench.run(7200)
    assert len(sink.shown) == shown


def test_what_could_not_be_shown_is_shown_later(bench: Bench, sink: Sink) -> None:
    bench.run(5)
    sink.full = True
    good = bench.good_node()
    sink.full = False
    bench.run(700)  # the heartbeat
    assert sink.uid("active") == good.uid


def test_metrics_end_with_the_agent(bench: Bench, sink: Sink) -> None:
    bench.run(5)
    bench.daemon.close()
    assert sink.closed


def test_a_run_directory_that_cannot_be_written_harms_nothing(bench: Bench) -> None:
    run = Path(bench.configuration.run_directory)
    (run / "report.json").unlink(missing_ok=True)
    (run / "report.json").mkdir(parents=True)
    good = bench.good_node()
    assert bench.status.active == good
    assert len([entry for entry in bench.log if "report for status" in entry[1]]) == 1
