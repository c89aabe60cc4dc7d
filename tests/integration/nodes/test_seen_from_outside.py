# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real node whose agent is in its sandbox: it adopts, refuses and rolls back, and each is visible from outside.

One row of changes for each distribution, and then what can be seen of it: journal, metrics, Events, status, file modes;
and no secret in any of them.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import _log as ids
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_maps, events
from support.conformance.payloads import DEADLY
from support.machines import CERTIFICATE, KUBECONFIG, Node, Testbed, Unavailable
from support.session.promtool import promtool
from support.session.unavailable import leave_out

DOCS = Path(__file__).resolve().parents[3] / "docs/security.md"
METRICS = "/var/lib/prometheus/node-exporter/configok.prom"
PORT = 9917
TOKEN = "c0nf1g0k-n0t-t0-be-seen"  # in the kubeconfig and in a pod's volume
FIELD = "n0r-th1s-0ne"  # in a field of a bundle
# A policy under which the kubelet crashes on the state file that it wrote before.
GOOD = {"cpuManagerPolicy": "static", "kubeReserved": {"cpu": "500m"}}
SECRETIVE = {"staticPodURLHeader": {"Authorization": [f"Bearer {FIELD}"]}}


class Lived(NamedTuple):
    """A node that has been through all that, and what provisioning it has printed."""

    bed: Testbed
    node: Node
    printed: str


def provision(node: Node) -> str:
    """Put the agent on the node, and a secret where it must read; return what that printed."""
    kubeconfig = json.loads(node.read(KUBECONFIG))
    kubeconfig["users"].append({"name": "another", "user": {"token": TOKEN}})
    node.write(KUBECONFIG, json.dumps(kubeconfig))
    node.run(["mkdir", "-p", os.path.dirname(METRICS)])
    # As a pod's volume with a Secret in it.
    node.run(["mkdir", "-p", "/var/lib/kubelet/pods/a/volumes/secret"])
    node.run(["mount", "-t", "tmpfs", "tmpfs", "/var/lib/kubelet/pods/a/volumes/secret"])
    node.write("/var/lib/kubelet/pods/a/volumes/secret/token", TOKEN)
    options = {"metricsFile": METRICS, "metricsAddress": f"127.0.0.1:{PORT}"}
    run = node.provision(diff=True, node_agent_options=options)
    node.wait_config_ok("True")
    return run.output


def change(bed: Testbed, node: Node) -> None:
    """Adopt a config, refuse one with a secret in it, and roll back from one that crashes."""
    rows: list[tuple[dict[str, Any], str]] = [
        (GOOD, "True"),
        (SECRETIVE, "False"),
        ({**GOOD, **DEADLY["runtimeRequestTimeout"]}, "False"),
    ]
    for fields, status in rows:
        starts = node.kubelet_starts()
        source = bed.publish({"kubelet": fields}, trial={"trialDuration": "3s", "crashLoopThreshold": 1})
        condition = node.wait_config_ok(status, assignment=bed.assign(node, source))
        assert FIELD not in json.dumps(condition)
        if fields is GOOD:
            assert node.kubelet_starts() == starts + 1
            node.wait("promotion", partial(is_good, node, source.uid))


def is_good(node: Node, uid: str) -> bool:
    """Return whether status names a bundle as last-known-good."""
    good = json.loads(node.run(["configok-agent", "status", "--json"]).stdout)["lastKnownGood"]
    return bool(good and good["source"] and good["source"]["configMap"]["uid"] == uid)


@pytest.fixture(scope="module", params=["bookworm", pytest.param("trixie", marks=pytest.mark.slow)])
def lived(request: pytest.FixtureRequest) -> Iterator[Lived]:
    """The node."""
    try:
        bed = Testbed.start("outside", distribution=request.param)
    except Unavailable as problem:
        leave_out(problem)
    with bed:
        printed = provision(bed.nodes[0])
        change(bed, bed.nodes[0])
        yield Lived(bed, bed.nodes[0], printed)


@pytest.fixture
def bed(lived: Lived) -> Testbed:
    return lived.bed


@pytest.fixture
def node(lived: Lived) -> Node:
    return lived.node


def journal(node: Node, *matches: str) -> list[dict[str, str]]:
    """Return the entries that journalctl finds, as it exports them."""
    node.run(["journalctl", "--sync"])
    output = node.run(["journalctl", "--boot", "--quiet", "--all", "--output=json", *matches]).stdout
    return [json.loads(line) for line in output.splitlines()]


def agent(node: Node) -> str:
    """Return the agent's process id."""
    return node.run(["systemctl", "show", "--property=MainPID", "--value", "configok-agent.service"]).stdout.strip()


@pytest.mark.contract("manners.sandboxed")
def test_the_agent_has_none_of_roots_powers(node: Node) -> None:
    status = dict(
        line.split(":\t", 1) for line in node.read(f"/proc/{agent(node)}/status").splitlines() if ":\t" in line
    )
    assert {int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"].strip()) == ("1", "2")
    restarts = node.run(["systemctl", "show", "--property=NRestarts", "--value", "configok-agent.service"]).stdout
    assert restarts.strip() == "0"


def test_agent_and_hooks_count_in_one_boot(node: Node) -> None:
    """Its sandbox has a /proc of its own, in which a container's boot id is another one."""
    boot_id = node.read("/proc/sys/kernel/random/boot_id").strip()
    by_agent = json.loads(node.read("/var/lib/configok/last-known-good"))
    [starts] = node.run(["sh", "-c", "ls /var/lib/configok/kubelet-*/startups"]).stdout.split()
    by_hooks = json.loads(node.read(starts))
    assert {entry["bootID"] for entry in [by_agent, *by_hooks]} == {boot_id}


def test_a_state_file_was_set_aside_in_the_sandbox(node: Node) -> None:
    names = node.run(["ls", "/var/lib/kubelet"]).stdout
    assert re.search(r"^cpu_manager_state\.configok-", names, re.M)


def test_the_agent_does_not_see_pods_volumes_and_does_not_hold_them(node: Node) -> None:
    root = f"/proc/{agent(node)}/root"
    assert node.run(["ls", f"{root}/var/lib/kubelet/pods"]).stdout == ""
    assert node.run(["touch", f"{root}/var/lib/kubelet/pki/x"], check=False).returncode != 0
    assert node.run(["touch", f"{root}/etc/x"], check=False).returncode != 0
    volume = "/var/lib/kubelet/pods/a/volumes/secret"
    assert volume in node.read("/proc/1/mountinfo")
    node.run(["umount", volume])
    assert volume not in node.read(f"/proc/{agent(node)}/mountinfo")
    node.run(["rmdir", volume])  # busy, if a mount of it were left anywhere


@pytest.mark.contract("journal.structured")
def test_each_transition_is_found_by_its_message_id(node: Node) -> None:
    for message_id in (
        ids.ADOPTED,
        ids.REFUSED,
        ids.ROLLED_BACK,
        ids.PROMOTED,
        ids.HEALTHY,
        ids.CONDITION,
        ids.RESTARTING,
    ):
        entries = journal(node, f"MESSAGE_ID={message_id}")
        assert entries, message_id
        assert {entry["SYSLOG_IDENTIFIER"] for entry in entries} == {"configok-agent"}
    [adopted, *_more] = journal(node, f"MESSAGE_ID={ids.ADOPTED}")
    assert re.fullmatch("[0-9a-f-]{36}", adopted["CONFIGOK_UID"])
    assert adopted["CONFIGOK_ASSIGNMENT"].isdigit()
    [back] = journal(node, f"MESSAGE_ID={ids.ROLLED_BACK}")
    assert back["PRIORITY"] == "3"
    # The agent or a hook: a start of the kubelet does so by itself, in the kubelet's own unit.
    assert back["_SYSTEMD_UNIT"] in ("kubelet.service", "configok-agent.service")
    causes = {entry.get("CONFIGOK_CAUSE") for entry in journal(node, f"MESSAGE_ID={ids.CONDITION}")}
    assert {"Good", "InvalidConfig", "CrashLoop"} <= causes


@pytest.mark.contract("metrics.configs", "metrics.counted")
def test_the_metrics_show_two_adoptions_a_refusal_and_a_rollback(node: Node) -> None:
    text = node.read(METRICS)
    assert "configok_node_config_adoptions_total 2\n" in text
    assert "configok_node_config_refusals_total 1\n" in text
    assert "configok_node_config_rollbacks_total 1\n" in text
    assert "configok_node_config_error 1\n" in text
    assert "configok_node_config_adoption_seconds_count 1\n" in text
    for name in ("assigned", "active", "last_known_good"):
        assert len(re.findall(rf"^configok_node_config_{name}{{", text, re.M)) == 1
    assert node.run(["stat", "--format=%a %U", METRICS]).stdout.split() == ["644", "root"]
    checked = promtool("check", "metrics", text=text)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    ask = "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1], timeout=5).read().decode())"
    served = node.run(["python3", "-c", ask, f"http://127.0.0.1:{PORT}/metrics"]).stdout
    assert served == text
    elsewhere = node.run(["python3", "-c", ask, f"http://{node.address}:{PORT}/metrics"], check=False)
    assert "refused" in elsewhere.stderr


@pytest.mark.contract("events.on-the-node")
def test_the_events_report_two_adoptions_a_refusal_and_a_rollback(bed: Testbed, node: Node) -> None:
    reported = [
        event for event in bed.client.list(events("default")).items if event["source"]["component"] == "configok-agent"
    ]
    reasons = [
        (event["reason"], event["type"])
        for event in sorted(reported, key=lambda event: (event["firstTimestamp"], event["reason"]))
    ]
    assert sorted(reasons) == [
        ("ConfigAdopted", "Normal"),
        ("ConfigAdopted", "Normal"),
        ("ConfigRefused", "Warning"),
        ("ConfigRolledBack", "Warning"),
    ]
    assert {entry["involvedObject"]["uid"] for entry in reported} == {node.name}


def test_status_fits_a_screen_and_says_what_to_do(node: Node) -> None:
    lines = node.run(["configok-agent", "status"]).stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert any("configok-agent forget-bad" in line for line in lines)
    # A user other than root learns what is needed.
    result = node.run(["setpriv", "--reuid=65534", "--clear-groups", "configok-agent", "status"], check=False)
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert result.stderr.endswith("run this as root\n")


def pattern(path: str) -> re.Pattern[str]:
    """Return the pattern that a path of the docs stands for: <x> is one name."""
    return re.compile("[^/]+".join(re.escape(part) for part in re.split("<[^>]+>", path)))


@pytest.mark.contract("files.places")
def test_the_mode_of_every_file_is_that_of_the_docs(node: Node) -> None:
    section = DOCS.read_text().partition("## What is written, and who may read it")[2].partition("\n## ")[0]
    rules = [(pattern(path), mode) for path, mode in re.findall(r"^\| `(/[^`]+)` \| `(\d{4})`", section, re.M)]
    places = ["/var/lib/configok", "/run/configok", "/etc/configok", METRICS]
    lines = node.run(["find", *places, "-printf", "%04m %u:%g %p\\n"]).stdout.splitlines()
    assert len(lines) > 20
    for line in lines:
        mode, owner, path = line.split(" ", 2)
        modes = [rule_mode for rule, rule_mode in rules if rule.fullmatch(path)]
        assert modes, f"{path} is not in docs/security.md"
        assert (mode, owner) == (modes[0], "root:root"), path
    # Every user may read the program, and only root may change it.
    changeable = ["(", "-perm", "/022", "-o", "!", "-user", "root", ")"]
    assert node.run(["find", "/usr/local/lib/configok", "!", "-type", "l", *changeable]).stdout == ""


@pytest.mark.contract("manners.no-secret")
def test_no_secret_is_seen_anywhere(lived: Lived) -> None:
    bed, node, printed = lived
    key = node.read(CERTIFICATE).partition("PRIVATE KEY-----\n")[2].splitlines()[0]
    assert len(key) == 64  # a line of the client key
    node.run(["journalctl", "--sync"])
    pid = agent(node)
    seen = {
        "provisioning": printed,
        # All of it: the hooks speak in the kubelet's unit, and Ansible's modules log what they are called with.
        "journal": node.run(["journalctl", "--boot", "--all", "--output=export"]).stdout,
        "status": node.run(["configok-agent", "status"]).stdout
        + node.run(["configok-agent", "status", "--json"]).stdout,
        "metrics": node.read(METRICS),
        "Node": json.dumps(node.get()),
        "Events": json.dumps(bed.client.list(events("default")).items),
        "records": node.run(["sh", "-c", "cat /var/lib/configok/current /var/lib/configok/kubelet-*/*"]).stdout,
        "run directory": node.run(["sh", "-c", "cat /run/configok/*.json"]).stdout,
        "command line": node.run(["sh", "-c", f"cat /proc/{pid}/cmdline /proc/{pid}/environ"]).stdout,
        "world-readable files": node.run(
            ["sh", "-c", "find /etc/configok /var/lib/configok /run/configok -type f -perm /044 -exec cat {} +; echo ."]
        ).stdout,
    }
    assert all(seen.values())
    assert [(name, secret) for name, text in seen.items() for secret in (TOKEN, FIELD, key) if secret in text] == []
    bundles = json.dumps(bed.client.list(config_maps("configok-system")).items)
    assert [secret for secret in (TOKEN, FIELD, key) if secret in bundles] == [FIELD]  # where it was put
    refused = [entry["MESSAGE"] for entry in journal(node, f"MESSAGE_ID={ids.REFUSED}")]
    assert any("staticPodURLHeader" in line for line in refused)  # the field with the secret was reported


def test_an_agent_that_was_killed_leaves_no_metrics_behind(node: Node) -> None:
    node.run(["systemctl", "kill", "--signal=KILL", "configok-agent.service"])
    node.wait("end of the metrics", lambda: not node.exists(METRICS))  # systemd starts it again after 5 s
    node.wait("metrics", lambda: node.exists(METRICS))


def test_a_daemon_that_hangs_is_killed_and_started_again(node: Node) -> None:
    """systemd waits for three minutes; here, for six seconds, of which the daemon uses a third."""
    drop_in = "/run/systemd/system/configok-agent.service.d/watchdog.conf"
    node.run(["mkdir", "-p", os.path.dirname(drop_in)])
    node.write(drop_in, "[Service]\nWatchdogSec=6s\nTimeoutAbortSec=1s\n")
    node.run(["systemctl", "daemon-reload"])
    node.run(["systemctl", "restart", "configok-agent"])
    pid = agent(node)
    node.wait("twice the time of the watchdog", partial(_has_run_for, node, 12.0))
    assert agent(node) == pid, "a daemon that runs is left alone"
    node.run(["kill", "-STOP", pid])
    node.wait("another daemon", lambda: agent(node) not in (pid, "0"))
    node.run(["rm", drop_in])
    node.run(["systemctl", "daemon-reload"])


def _has_run_for(node: Node, seconds: float) -> bool:
    """Return whether the agent's unit has been active for this number of seconds."""
    shown = node.run(["systemctl", "show", "--property=ActiveEnterTimestampMonotonic", "--value", "configok-agent"])
    return time.monotonic() - int(shown.stdout) / 1e6 > seconds
