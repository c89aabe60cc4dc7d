# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`status` fits on one screen; `forget-bad` clears marks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import AgentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._cli import describe_node, forget_bad, render_status
from ansible_collections.configok.node.plugins.module_utils._agent._notify import Notifications
from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import read_report
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import Bench
from support.releases.names import NEWEST_RELEASE, NEXT_RELEASE


def screen(configuration: AgentConfiguration) -> str:
    """Return the text of `status` on one line; assert that it fits on a screen and that its data is JSON."""
    description = describe_node(configuration)
    json.dumps(description)
    lines = render_status(description).splitlines()
    assert len(lines) <= 24, lines
    assert max(map(len, lines)) <= 80, lines
    return " ".join(" ".join(lines).split())


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    """A node with a listener for the notifications of the agent."""
    bench = Bench(tmp_path)
    heard = Notifications(bench.configuration.run_directory)
    yield bench
    heard.close()


def test_a_fresh_node_uses_the_local_config(bench: Bench) -> None:
    description = describe_node(bench.configuration)
    assert (description["using"]["record"], description["using"]["source"], description["inTrial"]) == (
        "current",
        None,
        False,
    )
    text = screen(bench.configuration)
    assert "uses current: the local config last-known-good the local config assigned nothing yet" in text
    assert text.endswith("next nothing, until another config is assigned")


def test_the_status_of_a_healthy_node_shows_its_config_and_no_advice(bench: Bench) -> None:
    source = bench.good_node()
    text = screen(bench.configuration)
    assert f"uses current: {source.name} UID: {source.uid}" in text
    assert "last-known-good the same assigned the same as it uses, assignment 1" in text
    assert "ConfigOK True: using current" in text
    assert "API answers; ConfigOK is written to the Node, last written 2026-" in text
    assert re.search(r"agent \S+, running since 2026-01-01T00:00:00Z \(pid \d+\)", text)
    assert "you can" not in text


def test_a_node_in_its_trial_says_what_will_end_it(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 2))
    bench.assign(source)
    bench.run(100)
    text = screen(bench.configuration)
    assert re.search(r"trial healthy for at least \d+ of 600 s, 0 crashes \(2 allowed\)", text)
    assert re.search(r"next after at most \d+ more healthy seconds it is last-known-good; 3 crashes, or", text)


def test_a_node_that_rolled_back_says_why_and_how_to_try_again(bench: Bench) -> None:
    good = bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 0))
    bench.assign(source)
    bench.run(100)
    bench.crash("kubelet")
    bench.run(10)
    text = screen(bench.configuration)
    assert f"uses last-known-good: {good.name}" in text
    assert f"assigned {source.name} UID: {source.uid}, assignment 2 failed (CrashLoop): crashed 1 times" in text
    assert f"bad config {source.uid}" in text
    assert f"configok-agent forget-bad {source.uid}" in text
    assert forget_bad(bench.configuration, "not a bad one") == []
    assert forget_bad(bench.configuration, None) == [source.uid]
    assert describe_node(bench.configuration)["badConfigs"] == {}


def test_a_config_that_was_refused_is_shown_with_what_to_do(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: invalid\n"))
    bench.run(5)
    text = screen(bench.configuration)
    assert "failed (InvalidConfig):" in text
    assert "next what runs stays, until another config is assigned" in text
    assert "you can publish a config that validates, and assign that" in text


def test_both_configs_fail(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(600.0, 1)))
    bench.processes["kubelet"].mood = "sick"
    bench.run(600)
    assert bench.status.cause == "Suspect"
    text = screen(bench.configuration)
    assert "last-known-good, which fails as well: the cause may lie elsewhere" in text
    assert "journalctl -u kubelet.service" in text


def test_the_status_is_shown_without_the_api(bench: Bench) -> None:
    bench.good_node()
    bench.api.down = Unreachable("no route to host")
    bench.assign(bench.publish("maxPods: 140\n"))
    bench.run(5)
    text = screen(bench.configuration)
    assert "API no answer: " in text
    assert "ConfigOK is not written yet" in text
    assert "next the assigned config is fetched and checked; what runs stays until then" in text


def test_an_agent_that_started_without_the_api_has_no_report_yet(bench: Bench) -> None:
    bench.good_node()
    bench.blind = True
    bench.restart_agent()
    bench.run(5)
    text = screen(bench.configuration)
    assert "ConfigOK no report yet: the agent has not reached the API server API no answer yet" in text


def test_a_unit_that_is_stopped_is_shown_with_what_to_do(bench: Bench) -> None:
    bench.good_node()
    bench.stop("kubelet")
    bench.run(20)
    text = screen(bench.configuration)
    assert "not in use kubelet.service is stopped by an administrator" in text
    assert "next the unit's next start reads this config" in text
    assert "you can start the unit that is stopped" in text


def test_the_status_is_shown_without_the_daemon(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.good_node()
    text = screen(bench.configuration)
    assert "the daemon does not run" in text
    assert "(as the daemon said last)" in text
    assert "you can start the agent: systemctl start configok-agent" in text


@pytest.mark.parametrize(
    "version",
    [f"v{NEXT_RELEASE}.0", f"v{NEXT_RELEASE}.0+k3s1", f"v{NEWEST_RELEASE}.2", "v1.99.1-gke.1", "v1.2.3"],
)
def test_what_the_agent_does_not_know_of_a_release_is_shown(bench: Bench, version: str) -> None:
    kubelet = bench.configuration.components["kubelet"]._replace(version=version)
    bench.configure(components={"kubelet": kubelet})
    bench.good_node()
    shown, layers = screen(bench.configuration), ["fields", "defaults", "gates", "flags", "rules"]
    is_unknown = version.startswith((f"v{NEXT_RELEASE}", "v1.99"))
    assert describe_node(bench.configuration)["components"]["kubelet"]["notJudged"] == (layers if is_unknown else [])
    assert ("not judged kubelet v1." in shown) == is_unknown
    if is_unknown:
        assert f"{', '.join(layers)} next " in shown


def test_the_status_of_a_node_that_opted_out_says_so(bench: Bench) -> None:
    bench.configure(dynamic_config=False)
    bench.run(5)
    text = screen(bench.configuration)
    assert "dynamic configuration is turned off on this node" in text
    assert "next nothing: the local config stays" in text


def test_damaged_files_are_listed(bench: Bench) -> None:
    bench.good_node()
    for name in ("current", "last-known-good", "assignment", "kubelet-v1.35.0/startups"):
        (bench.directory / "state" / name).write_bytes(b"x")
    description = describe_node(bench.configuration)
    assert description["lastKnownGood"] is None
    assert set(description["damaged"]) == {"current", "last-known-good", "assignment", "kubelet-v1.35.0/startups"}
    text = screen(bench.configuration)
    assert "was damaged and set aside" in text
    assert "and 2 more" in text
    assert "you can look at *.corrupt-* in /" in text


@pytest.mark.parametrize("content", ["", "{", "[]", '{"configOK": 1}', "null", '{"configOK": null, "pid": "x"}'])
def test_a_damaged_report_leaves_lines_out(bench: Bench, content: str) -> None:
    bench.good_node()
    (bench.directory / "run/report.json").write_text(content)
    assert read_report(bench.configuration.run_directory) is None
    assert "ConfigOK" not in screen(bench.configuration)


def test_much_of_everything_still_fits(bench: Bench) -> None:
    bench.good_node()
    description = describe_node(bench.configuration)
    description["badConfigs"] = {
        str(number): {"time": f"2026-01-{number:02}", "reason": "x " * 200} for number in range(1, 9)
    }
    description["components"]["kubelet"]["shadowed"] = [f"field{number} " * 20 for number in range(9)]
    lines = render_status(description).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 32
    assert "2026-01-08" in render_status(description)
    assert "and 6 more" in render_status(description)


def test_status_works_on_a_read_only_disk(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    source = bench.good_node()
    real = os.open

    def read_only(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if flags & (os.O_CREAT | os.O_RDWR | os.O_WRONLY):
            raise OSError(30, "Read-only file system", path)
        return real(path, flags, *more, **options)

    monkeypatch.setattr(os, "open", read_only)
    assert source.uid in screen(bench.configuration)
