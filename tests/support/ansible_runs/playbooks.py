# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run playbooks as a user does: ansible-playbook, in a directory with a pool file."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from support.configs.kubelet import KUBELET_HEADER

__all__ = ["PlaybookRun", "Playbooks", "finish", "kill", "quick_pool", "start"]

ROOT = Path(__file__).resolve().parents[3]


def quick_pool(name: str = "workers", **changes: Any) -> dict[str, Any]:
    """Return a pool with tenths of a second where a real pool has minutes."""
    policy = {
        "canary": {"count": 1, "soak": "100ms"},
        "waves": ["50%", "100%"],
        "soak": 0,
        "maxUnavailable": 2,
        "failureBudget": 0,
        "nodeTimeout": "2m",  # while a node is silent, tests run other playbooks
        "restartDelay": "10ms",
        "timeToCrash": "10ms",
        "healthTimeout": "1s",
    }
    trial = {"trialDuration": "100ms", "crashLoopThreshold": 2}
    pool = {"pool": name, "selector": f"pool={name}", "layers": ["base.yaml", "pool.yaml"]}
    return {**pool, "trial": trial, "policy": policy, **changes}


@dataclass(frozen=True)
class PlaybookRun:
    """The result of a run of ansible-playbook. stats: the values of set_stats."""

    code: int
    output: str
    stats: dict[str, Any] = field(default_factory=dict)

    @property
    def changed(self) -> int:
        """Return the number of changed tasks, of all hosts."""
        return sum(int(count) for count in re.findall(r"changed=(\d+)", self.output))


def start(
    arguments: Sequence[str],
    *,
    directory: Path,
    kubeconfig: str,
    venv: Path = Path(sys.prefix),
    collections: Path = ROOT / "build/collections",
) -> subprocess.Popen[str]:
    """Start ansible-playbook in its own process group, with both outputs in one pipe."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "K8S_AUTH_"))}
    kept.pop("PYTHONPATH", None)
    environment = {
        **kept,
        # It belongs to a shell: another program that starts ansible-playbook leaves its own.
        "PWD": "/",
        "KUBECONFIG": kubeconfig,
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_COLLECTIONS_PATH": str(collections),
        "ANSIBLE_HOME": str(directory / ".ansible"),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_PYTHON_INTERPRETER": str(venv / "bin/python"),
        "ANSIBLE_SHOW_CUSTOM_STATS": "true",
        "ANSIBLE_NOCOLOR": "true",
        # Half of the time of a task here is copying it to a file first.
        "ANSIBLE_PIPELINING": "true",
    }
    # A shell starts background jobs, and their children, with SIGINT ignored; a terminal does not.
    return subprocess.Popen(
        ["env", "--default-signal=INT", str(venv / "bin/ansible-playbook"), *arguments],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(running: subprocess.Popen[str], *, timeout: float = 300.0) -> PlaybookRun:
    """Wait until a run of ansible-playbook has ended. timeout: in seconds."""
    try:
        output, _nothing = running.communicate(timeout=timeout)
    except BaseException:
        kill(running)
        raise
    stats = re.search(r"RUN: (\{.*\})", output)
    handed = json.loads(stats.group(1)) if stats else {}
    return PlaybookRun(running.returncode, output, handed.get("configok", {}))


def kill(running: subprocess.Popen[str]) -> None:
    """Kill a run and all its workers at once, as a power cut of the control machine would.

    From ansible-core 2.19 on, each worker has a session of its own: a signal to the run's process group misses it.
    """
    for pid in _stop_with_descendants(running.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    running.communicate(timeout=30)


def _stop_with_descendants(pid: int) -> Iterator[int]:
    """Stop a process, then its descendants; yield the id of each. A process that is stopped starts no other."""
    try:
        os.kill(pid, signal.SIGSTOP)
        children = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except (ProcessLookupError, FileNotFoundError):  # it has ended
        return
    for child in chain.from_iterable(children):
        yield from _stop_with_descendants(int(child))
    yield pid


@dataclass(frozen=True)
class Playbooks:
    """A user's directory with pool.yml and its layers, and the cluster that KUBECONFIG names."""

    directory: Path
    kubeconfig: str
    venv: Path = Path(sys.prefix)

    def write(self, pool: Mapping[str, Any], layer: str) -> None:
        """Write the pool file and its layers; layer: the lines of the pool's own layer."""
        (self.directory / "pool.yml").write_text(json.dumps(dict(pool)))
        (self.directory / "base.yaml").write_text("---\n" + KUBELET_HEADER + "containerLogMaxSize: 20Mi\n")
        (self.directory / "pool.yaml").write_text("---\n" + KUBELET_HEADER + layer)

    def start(self, name: str, *arguments: str, pool: bool = True) -> subprocess.Popen[str]:
        """Start configok.node.<name>, with the pool file unless pool is False."""
        options = ["-e", "@pool.yml"] if pool else []
        return start(
            [f"configok.node.{name}", *options, *arguments],
            directory=self.directory,
            kubeconfig=self.kubeconfig,
            venv=self.venv,
        )

    def run(self, name: str, *arguments: str, pool: bool = True) -> PlaybookRun:
        """Run configok.node.<name> to its end."""
        return finish(self.start(name, *arguments, pool=pool))
