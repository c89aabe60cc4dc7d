# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the suites on real nodes rely on: a testbed boots, breaks and goes away as it says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.machines import CONFIG_PATHS, CommandFailed, NodeSpec, Testbed, Unavailable
from support.session.unavailable import leave_out

CHECKOUT = Path(__file__).resolve().parents[3]
# The oldest Python that the agent runs on, and the newest systemd.
SPECS = [NodeSpec("oldest", "bullseye", "variable"), NodeSpec("newest", "trixie", "environment-file")]


def traces(number: int) -> list[str]:
    """Return what this machine still has of a testbed."""
    name = f"cko{number}"
    remains = [f"mount {line.split()[4]}" for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    remains = [line for line in remains if line.startswith(f"mount /var/tmp/configok/{number}/")]
    remains += [
        str(path) for path in Path("/sys/class/net").iterdir() if path.name == name or path.name.startswith(f"{name}-")
    ]
    remains += [str(path) for path in Path("/run/netns").glob(f"{name}-*")]
    return remains + [str(path) for path in Path("/var/tmp/configok").glob(str(number))]


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    try:
        started = Testbed.start("testbed", SPECS)
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started
    assert traces(started.number) == []


def test_nodes_of_two_distributions_are_in_one_cluster(bed: Testbed) -> None:
    images = {node.name: node.get()["status"]["nodeInfo"]["osImage"] for node in bed.nodes}
    assert {name: image.split()[2] for name, image in images.items()} == {"oldest": "11", "newest": "13"}


def test_files_are_written_as_they_are_and_with_their_mode(bed: Testbed) -> None:
    node, text = bed.node("oldest"), "a: 'ü'\n\n$HOME\n"
    node.write("/srv/some/where/file", text, mode=0o640)
    assert node.read("/srv/some/where/file") == text
    assert node.run(["stat", "-c", "%a", "/srv/some/where/file"]).stdout == "640\n"
    assert not node.exists("/srv/nowhere")


def test_a_failed_command_raises_an_error_with_its_exit_code_and_message(bed: Testbed) -> None:
    with pytest.raises(CommandFailed, match="/nowhere ended with 1: cat: /nowhere: No such file or directory"):
        bed.node("oldest").run(["cat", "/nowhere"])


def test_each_start_of_the_kubelet_is_counted(bed: Testbed) -> None:
    node = bed.node("newest")
    before = node.kubelet_starts()
    node.run(["systemctl", "restart", "kubelet.service"])
    node.wait_healthy()
    assert node.kubelet_starts() == before + 1


def test_a_node_boots_again_after_a_reboot_and_after_a_power_cut(bed: Testbed) -> None:
    node = bed.node("newest")
    boots = [node.read("/proc/sys/kernel/random/boot_id")]
    node.reboot()
    boots.append(node.read("/proc/sys/kernel/random/boot_id"))
    node.write("/srv/written", "before the cut")
    node.power_cut()
    assert "config" in node.read(CONFIG_PATHS[node.spec.layout]).lower()  # its disk can be read without power
    node.boot()
    boots.append(node.read("/proc/sys/kernel/random/boot_id"))
    assert len(set(boots)) == 3
    assert node.read("/srv/written") == "before the cut"
    node.wait_ready()


def test_a_node_that_is_cut_off_obeys_but_does_not_reach_the_api(bed: Testbed) -> None:
    node = bed.node("oldest")
    host, port = bed.api.url.removeprefix("https://").split(":")
    reach = ["python3", "-c", f"import socket; socket.create_connection(({host!r}, {port}), timeout=1)"]
    node.run(reach)
    node.partition()
    assert node.run(reach, check=False).returncode != 0
    node.heal()
    node.wait("way to the API", lambda: node.run(reach, check=False).returncode == 0)


def test_the_api_server_comes_back_with_its_data(bed: Testbed) -> None:
    source = bed.publish({"kubelet": {"maxPods": 51}})
    bed.api.stop()
    bed.api.start()
    assert bed.publish({"kubelet": {"maxPods": 51}}) == source
    for node in bed.nodes:
        node.wait_ready()


def test_the_leftovers_of_a_killed_run_are_removed() -> None:
    if os.geteuid() != 0:
        leave_out("test nodes need root")
    script = (
        "import os; from support.machines import Testbed; bed = Testbed.start('killed', [], prepare_cluster=False); "
        "print(bed.number, flush=True); os.kill(os.getpid(), 9)"
    )
    paths = [str(CHECKOUT / name) for name in ("tests", "playbooks/files/demo", "build/collections")]
    killed = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Unavailable" in killed.stderr:
        leave_out(killed.stderr.splitlines()[-1])
    number = int(killed.stdout)
    # A guard of its own waits for the end of each run.
    subprocess.run(
        ["timeout", "20", "sh", "-c", f"while test -e /var/tmp/configok/{number}; do sleep 0.1; done"], check=True
    )
    assert traces(number) == []
