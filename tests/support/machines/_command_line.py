# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Testbeds from the command line: a separate process keeps each testbed until it is stopped."""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from support.api.binaries import Unavailable
from support.session.patience import LONGEST_WAIT

from . import _sweep
from ._control_plane import ControlPlane
from ._node import NodeSpec
from ._testbed import Testbed
from ._units import BARE, CONTROL_PLANE, LAYOUTS

__all__ = ["main"]

_KEEPER = ("-m", "support.machines", "keep")  # the process that keeps a testbed
_LAYOUTS = (*LAYOUTS, BARE, CONTROL_PLANE)
_UNAVAILABLE = 3
_ROUND = 0.5  # seconds between two rounds of what machines and controllers do on their own


def main(arguments: Sequence[str]) -> int:
    """Run a command; return the exit code, which is 3, with a message, if test nodes are unavailable."""
    options = _parse(arguments)
    try:
        if options.command == "up":
            return _up(options.name, arguments[1:])
        if options.command == "keep":
            return _keep(options)
        if options.command == "down":
            return _down(options.name)
        return _list()
    except Unavailable as problem:
        print(f"machines: {problem}", file=sys.stderr)
        return _UNAVAILABLE


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="machines", description="Real nodes for tests, on an API server of their own."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command, text in (("up", "start a testbed, and print where its things are, as JSON"), ("keep", "")):
        up = commands.add_parser(command, help=text or argparse.SUPPRESS)
        up.add_argument("name", help="a name, for `down`")
        up.add_argument(
            "--node",
            action="append",
            type=_spec,
            required=True,
            metavar="NAME[:DISTRIBUTION[:LAYOUT]]",
            help=f"a node, bookworm:kubeadm if not said; layouts: {', '.join(_LAYOUTS)}",
        )
        up.add_argument(
            "--links",
            type=Path,
            help="a directory for links to the inventory, the kubeconfigs and the shared files of the testbed",
        )
        up.add_argument("--until", type=int, metavar="PID", help="take it away when that process has ended")
        up.add_argument("--bare", action="store_true", help="leave the cluster's namespaces and access to the user")
    down = commands.add_parser("down", help="take a testbed away; without a name, what dead runs have left behind")
    down.add_argument("name", nargs="?")
    commands.add_parser("list", help="list the testbeds")
    return parser.parse_args(arguments)


def _spec(text: str) -> NodeSpec:
    spec = NodeSpec(*text.split(":"))
    if spec.layout not in _LAYOUTS:
        raise ValueError(spec.layout)
    return spec


def _up(name: str, arguments: Sequence[str]) -> int:
    if _number(name) is not None:
        print(f"machines: there is a testbed {name}: take it away first (machines down {name})", file=sys.stderr)
        return 1
    keeper = subprocess.Popen(
        [sys.executable, *_KEEPER, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    line = keeper.stdout.readline() if keeper.stdout else ""
    if not line:
        return keeper.wait()
    print(line.strip())
    return 0


def _keep(options: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(0))
    with (
        _end_of(options.until) as end,
        Testbed.start(options.name, options.node, prepare_cluster=not options.bare) as bed,
    ):
        targets = {
            "inventory.yml": bed.inventory,
            "kubeconfig": Path(bed.kubeconfig),
            "kubelet.yaml": bed.shared_config,
            "bare.yml": bed.bare_machines,
        }
        leading = [node for node in bed.nodes if node.spec.is_control_plane]
        if leading:
            targets["control-plane.conf"] = ControlPlane(bed, leading).kubeconfig
        if options.links:
            _link(options.links, targets)
        things = {"state": bed.state, "inventory": bed.inventory, "kubeconfig": bed.kubeconfig, "server": bed.api.url}
        things["bare"] = bed.bare_machines
        print(json.dumps({key: str(value) for key, value in things.items()}), flush=True)
        # The caller of `up` has read all it needs, and must not wait for the end of this process's output.
        with Path(os.devnull).open("w") as nothing, (bed.state / "keeper.log").open("w") as log:
            os.dup2(nothing.fileno(), 1)
            os.dup2(log.fileno(), 2)
        while not select.select(end, [], [], _ROUND)[0]:
            try:
                bed.tend()
            except KubeError:
                pass  # retried in the next iteration
        return 0


@contextmanager
def _end_of(pid: int | None) -> Iterator[list[int]]:
    """Yield what select() finds readable once the process has ended, or nothing if there is no process."""
    if pid is None:
        yield []
        return
    handle = os.pidfd_open(pid)
    try:
        yield [handle]
    finally:
        os.close(handle)


def _link(directory: Path, targets: Mapping[str, Path]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, target in targets.items():
        (directory / name).unlink(missing_ok=True)
        (directory / name).symlink_to(target)


def _down(name: str | None) -> int:
    for dead in _sweep.dead_numbers():
        print(f"machines: taking away what is left of testbed {dead}")
        _sweep.sweep(dead)
    number = None if name is None else _number(name)
    if number is None:
        return 0
    directory = _sweep.DIRECTORY / str(number)
    owner = int((directory / "owner").read_text().split()[0])
    # Identified by its command line, so that it can be ended while its nodes are still booting.
    if tuple(Path(f"/proc/{owner}/cmdline").read_text().split("\0")[1:4]) != _KEEPER:
        print(f"machines: the testbed {name} belongs to a run that is still in progress", file=sys.stderr)
        return 1
    os.kill(owner, signal.SIGTERM)
    deadline = time.monotonic() + LONGEST_WAIT
    while directory.exists():
        if time.monotonic() > deadline:
            print(f"machines: the testbed {name} does not end: see {directory / 'keeper.log'}", file=sys.stderr)
            return 1
        time.sleep(0.1)
    return 0


def _list() -> int:
    dead = _sweep.dead_numbers()
    for number in _sweep.numbers():
        directory = _sweep.DIRECTORY / str(number)
        print(f"{number}\t{_name(number)}\t{'left behind' if number in dead else 'running'}\t{directory}")
    return 0


def _number(name: str) -> int | None:
    """Return the number of the running testbed with this name."""
    dead = _sweep.dead_numbers()
    return next((number for number in _sweep.numbers() if number not in dead and _name(number) == name), None)


def _name(number: int) -> str:
    try:
        return (_sweep.DIRECTORY / str(number) / "name").read_text()
    except OSError:
        return ""
