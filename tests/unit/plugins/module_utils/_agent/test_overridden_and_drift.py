# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Overridden fields, and drift of the init config from its origin: both are reported and restart nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._cli import describe_node, render_status
from ansible_collections.configok.node.plugins.module_utils._agent._command_lines import CommandLineTracker
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import CommandLine, Unit
from ansible_collections.configok.node.plugins.module_utils._agent._store._rendered_files import (
    LISTS_WITH_DEFAULT,
    keep_rendered,
)
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._agent._validation._init_config_drift import InitConfigDrift
from ansible_collections.configok.node.plugins.module_utils._agent._validation._shadowed_fields import (
    overridden_fields,
    read_command_line,
    record_command_line,
    recorded_command_line,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import newest_minor
from ansible_collections.configok.node.plugins.module_utils._componentconfig.drop_ins import empty_value_findings
from support.agents.bench import Bench
from support.configs.kubelet import KUBELET_HEADER


def component_status(bench: Bench) -> dict[str, Any]:
    """Return the kubelet's part of the structured status."""
    status = bench.api.node["metadata"]["annotations"]["configok.dev/config-status"]
    component: dict[str, Any] = json.loads(status)["components"]["kubelet"]
    return component


def screen(bench: Bench) -> str:
    """Return the output of `status` without blanks, since it wraps lines, and long paths anywhere."""
    return "".join(render_status(describe_node(bench.configuration)).split())


def condition(bench: Bench) -> dict[str, Any]:
    """Return ConfigOK as written last."""
    latest: dict[str, Any] = bench.api.patches[-1]["status"]["conditions"][0]
    return latest


# Shadowed fields


@pytest.mark.complaint("kubernetes #131355: flags silently win over the file")
@pytest.mark.contract("render.shadowed")
def test_a_flag_that_wins_is_named_in_the_status_and_config_ok_stays_true(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    ours = f"--config={bench.store.config_path('kubelet')}"
    bench.argv = ("/usr/bin/kubelet", ours, "--max-pods=20", "--feature-gates=A=true,B=true")
    source = bench.publish("maxPods: 50\nfeatureGates: {A: false}\nevictionHard: {memory.available: 1Gi}\n")
    bench.assign(source)
    bench.run(10)
    assert condition(bench)["status"] == "True"
    assert component_status(bench)["shadowed"] == ["featureGates.A (--feature-gates)", "maxPods (--max-pods)"]
    assert bench.restarts == ["kubelet"]
    assert "notfromtheconfig:maxPods(--max-pods)" in screen(bench)


def test_other_flags_are_known_when_the_component_is_started_with_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run(5)
    assert "shadowed" not in component_status(bench)
    bench.argv = ("/usr/bin/kubelet", "--max-pods=20")
    bench.stop("kubelet")
    bench.start("kubelet")
    bench.run(15)
    assert component_status(bench)["shadowed"] == ["maxPods (--max-pods)"]


def test_many_shadowed_fields_are_counted(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    gates = [f"G{number:02}" for number in range(30)]
    name = keep_rendered("kubelet", store, json.dumps({"featureGates": dict.fromkeys(gates, True)}).encode())
    argv = ["kubelet", "--feature-gates=" + ",".join(f"{gate}=true" for gate in gates)]
    store.write_note("kubelet", "command-line", {"argv": argv})
    fields = overridden_fields(store, "kubelet", name)
    assert (len(fields), fields[-1]) == (21, "and 10 more")
    assert overridden_fields(store, "kube-proxy", name) == ()
    assert overridden_fields(store, "kubelet", "") == ()


@pytest.mark.contract("render.shadowed")
@pytest.mark.parametrize(
    ("version", "flags", "shadowed"),
    [
        ("v1.36.3", ["--config-dir=/d"], ("enforceNodeAllocatable (--config-dir)",)),
        ("", ["--config-dir=/d"], ("enforceNodeAllocatable (--config-dir)",)),
        ("v1.31.4", ["--config-dir=/d"], ()),
        ("v1.36.3", [], ()),
        (
            "v1.36.3",
            ["--config-dir=/d", "--enforce-node-allocatable=none"],
            ("enforceNodeAllocatable (--enforce-node-allocatable)",),
        ),
    ],
)
def test_an_empty_list_that_means_its_default_is_shadowed(
    tmp_path: Path, version: str, flags: list[str], shadowed: tuple[str, ...]
) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    name = keep_rendered("kubelet", store, b'{"enforceNodeAllocatable": [], "evictionHard": {}, "clusterDNS": []}')
    store.write_note("kubelet", "command-line", {"argv": ["kubelet", *flags]})
    assert overridden_fields(store, "kubelet", name, version) == shadowed


def test_the_lists_that_mean_their_default_are_those_of_the_schema() -> None:
    kind = find_kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration")
    assert kind is not None
    empty: dict[str, list[str]] = {
        name: [] for name, entry in kind.fields.items() if str(entry.get("type")).startswith("list<")
    }
    findings = list(empty_value_findings(empty, (), kind, newest_minor()))
    assert tuple(finding.field for finding in findings) == LISTS_WITH_DEFAULT


@pytest.mark.contract("render.shadowed")
def test_drop_ins_win_over_the_file_and_flags_over_drop_ins(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    drop_in = tmp_path / "conf.d/10-own.conf"
    drop_in.parent.mkdir()
    drop_in.write_text(KUBELET_HEADER + "maxPods: 20\nsystemReserved: {cpu: 100m}\npodsPerCore: 3\n")
    (tmp_path / "conf.d/20-broken.conf").write_text("{")
    bench.argv = ("kubelet", f"--config-dir={tmp_path}/conf.d", "--max-pods=30")
    bench.assign(bench.publish("maxPods: 50\nsystemReserved: {cpu: 1, memory: 1Gi}\n"))
    bench.run(10)
    assert component_status(bench)["shadowed"] == ["maxPods (--max-pods)", f"systemReserved.cpu ({drop_in})"]


def drop_in(bench: Bench, text: str) -> None:
    """Give the kubelet a drop-in with this text, or replace its text."""
    path = bench.directory / "conf.d/10-own.conf"
    path.parent.mkdir(exist_ok=True)
    path.write_text(KUBELET_HEADER + text)
    bench.argv = ("kubelet", f"--config={bench.store.config_path('kubelet')}", f"--config-dir={path.parent}")


@pytest.mark.contract("validate.only-once")
def test_a_bundle_is_validated_again_once_a_drop_in_has_changed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    drop_in(bench, "maxPods: 20\n")
    bench.run(5)
    first, second = (bench.publish(f"maxPods: {number}\n") for number in (50, 60))
    for source in (first, second):
        bench.assign(source)
        bench.run(10)
    before = len(bench.validated)
    bench.assign(first)
    bench.run(10)
    assert len(bench.validated) == before
    drop_in(bench, "maxPods: -1\n")
    bench.assign(second)
    bench.run(10)
    assert len(bench.validated) == before + 1


@pytest.mark.contract("adopt.same-values")
@pytest.mark.parametrize(("text", "restarts"), [("", 0), ("maxPods: 20\n", 0), ("nodeStatusUpdateFrequency: 20s\n", 1)])
def test_a_default_written_out_is_a_change_where_a_drop_in_makes_it_another_one(
    tmp_path: Path, text: str, restarts: int
) -> None:
    """nodeStatusReportFrequency is 5m, or what nodeStatusUpdateFrequency says."""
    bench = Bench(tmp_path)
    drop_in(bench, text)
    bench.good_node(KUBELET_HEADER + "maxPods: 120\n")
    starts = bench.starts()
    source = bench.publish(KUBELET_HEADER + "maxPods: 120\nnodeStatusReportFrequency: 5m\n")
    bench.assign(source)
    bench.run(30)
    assert condition(bench)["message"] == f"using current (UID: {source.uid})"
    assert bench.starts() == starts + restarts


def test_the_command_line_of_a_process_is_read() -> None:
    assert list(read_command_line(os.getpid())) == sys.orig_argv
    assert read_command_line(2**22 + 1) == ()


def test_no_more_than_128_kib_of_a_command_line_are_read() -> None:
    argv = [sys.executable, "-c", "input(1)", "a" * 100_000, "b" * 100_000]
    # Leaving the block closes its input, which ends it.
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"1"  # while it is being started, it has no command line
        words = read_command_line(process.pid)
    assert len("\0".join(words)) == 128 * 1024
    assert "\0".join(argv).startswith("\0".join(words))


def test_a_command_line_is_read_once_for_each_invocation_and_kept_while_the_component_is_down(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    reads: list[int] = []
    answers = [("kubelet", "--v=2"), ()]

    def read(pid: int) -> tuple[str, ...]:
        reads.append(pid)
        return answers.pop(0)

    context = bench.new_context()
    lines = CommandLineTracker(context._replace(commands=context.commands._replace(command_line=read)))
    command_line = lines.read("kubelet", Unit("kubelet.service", "active", "i1", 7))
    assert command_line == CommandLine(("kubelet", "--v=2"), {})
    lines.add("kubelet", "i1", command_line)
    assert lines.new == {"kubelet": command_line}
    record_command_line(bench.store, "kubelet", command_line)
    lines.accept("kubelet")
    assert lines.new == {}
    assert lines.read("kubelet", Unit("kubelet.service", "active", "i1", 7)) is None
    assert lines.read("kubelet", Unit("kubelet.service", "active", "i2", 8)) is None
    assert reads == [7, 8]
    assert recorded_command_line(bench.store, "kubelet").argv == ("kubelet", "--v=2")
    lines.add("kubelet", "i2", command_line)
    assert lines.new == {}, "recorded already"


# Checks of the host

SWAP = {"path": "failSwapOn", "message": "must be false", "level": "component", "rule": "host:swap-on"}


@pytest.mark.contract("validate.host-checks", "validate.costs-no-restart")
def test_a_host_that_does_not_fit_costs_no_restart_and_a_new_assignment_looks_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run(5)
    bench.host = [SWAP]
    source = bench.publish("maxPods: 50\n")
    bench.assign(source)
    bench.run(10)
    assert condition(bench)["status"] == "False"
    assert condition(bench)["reason"].endswith("kubelet: failSwapOn: must be false")
    assert bench.restarts == []
    bench.host = []
    bench.run(1000)
    assert condition(bench)["status"] == "False", "not tried again because the host has changed"
    bench.assign(source)
    bench.run(10)
    assert condition(bench)["status"] == "True"
    assert (bench.restarts, bench.validated.count("kubelet")) == (["kubelet"], 2)  # the init config, the bundle


@pytest.mark.contract("adopt.same-values")
def test_the_same_values_are_adopted_whatever_the_host_says_since_nothing_is_touched(tmp_path: Path) -> None:
    bench = Bench(tmp_path, init="maxPods: 110\n")
    bench.host = [SWAP]
    bench.assign(bench.publish('{"maxPods": 110}'))
    bench.run(10)
    assert (condition(bench)["status"], bench.restarts) == ("True", [])


def test_a_host_that_changes_after_adoption_keeps_nothing_from_starting(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.good_node()
    bench.host = [SWAP]
    bench.reboot()
    bench.run(30)
    assert bench.processes["kubelet"].state == "active"
    assert condition(bench)["status"] == "True"


# Drift


def drifting(tmp_path: Path) -> tuple[Bench, Path]:
    """Return a node whose init config is a copy of a file, and that file."""
    origin = tmp_path / "config.yaml"
    origin.write_text("maxPods: 110\n")
    bench = Bench(tmp_path)
    kubelet = bench.configuration.components["kubelet"]._replace(init_config_origin=str(origin))
    bench.configure(components={"kubelet": kubelet})
    return bench, origin


@pytest.mark.contract("init.drift-reported")
def test_drift_of_the_init_config_is_reported_within_a_heartbeat_and_restarts_nothing(tmp_path: Path) -> None:
    bench, origin = drifting(tmp_path)
    bench.run(10)
    origin.write_text("# written again by an upgrade\nmaxPods: 110\n")
    bench.run(800)
    assert "note" not in component_status(bench), "the same values are no drift"
    before = len(bench.api.patches)
    origin.write_text("maxPods: 60\n")
    bench.run(800)
    note = f"{origin} has changed since it became the init config"
    assert component_status(bench)["note"] == note
    assert condition(bench)["status"] == "True"
    assert condition(bench)["reason"].endswith(f"; {note}")
    assert len(bench.api.patches) - before <= 3
    assert bench.restarts == []
    assert note.replace(" ", "") in screen(bench)
    Path(bench.configuration.components["kubelet"].init_config).write_text("maxPods: 60\n")  # updated from its origin
    bench.run(800)
    assert "note" not in component_status(bench)


def test_a_missing_origin_is_not_drift_but_one_with_invalid_yaml_is(tmp_path: Path) -> None:
    bench, origin = drifting(tmp_path)
    drift = InitConfigDrift(bench.configuration)
    assert drift.drifted_origins() == []
    origin.write_text("{")
    assert drift.drifted_origins() == [str(origin)]
    origin.unlink()
    assert drift.drifted_origins() == []
