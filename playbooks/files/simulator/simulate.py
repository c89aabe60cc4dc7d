# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run hollow nodes on a cluster, to rehearse a rollout: see docs/rehearsing.md.

    simulate.py SCENARIO.yml [--kubeconfig FILE] [--context NAME] [--duration 10m] [--remove] [--check] [--supervised]

Ends with SIGINT or SIGTERM, or after the duration. The Nodes that it has created are removed then. --supervised is for
another program that runs it: the first line of the standard input has the options of the connection, as JSON, and the
end of the input ends the simulation too.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

try:
    importlib.import_module("ansible_collections.configok.node.plugins")
except ImportError:  # without PYTHONPATH: as it is installed, .../ansible_collections/configok/node/playbooks/files/...
    sys.path.insert(0, str(Path(__file__).absolute().parents[6]))

import yaml

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import client_from_params
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import setting_duration
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import VERSION
from fleet_simulator.scenario import InvalidScenario, Scenario, parse_scenario
from fleet_simulator.senders import CONNECTIONS
from fleet_simulator.simulator import FleetSimulator, SimulatorError, remove_simulation

USER_AGENT = f"configok.node-simulator/{VERSION}"


def show(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def read_scenario(path: str) -> Scenario:
    """Read a scenario file. Raises InvalidScenario, OSError."""
    try:
        value = yaml.safe_load(Path(path).read_text())
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidScenario([f"{path} is not YAML: {' '.join(str(error).split())}"]) from error
    return parse_scenario(value)


def main(arguments: list[str]) -> int:
    """Run the command; return its exit code: 0, 1 for a failure, 2 for wrong input."""
    parser = argparse.ArgumentParser(description="Run hollow nodes on a cluster, to rehearse a rollout.")
    parser.add_argument("scenario", help="the scenario file")
    parser.add_argument("--kubeconfig", help="the kubeconfig of the cluster (default: KUBECONFIG)")
    parser.add_argument("--context", help="a context of the kubeconfig")
    parser.add_argument("--duration", type=setting_duration, help="how long to run (default: until it is stopped)")
    parser.add_argument("--remove", action="store_true", help="remove what a killed simulator has left, and end")
    parser.add_argument("--check", action="store_true", help="read the scenario, and end")
    parser.add_argument("--supervised", action="store_true", help="another program runs this, through its input")
    options = parser.parse_args(arguments)
    try:
        scenario = read_scenario(options.scenario)
    except InvalidScenario as error:
        for sentence in error.errors:
            print(sentence, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"the scenario cannot be read: {error}", file=sys.stderr)
        return 2
    if options.check:
        show(f"the scenario has {scenario.count} nodes")
        return 0
    try:
        run(scenario, options)
    except (KubeError, SimulatorError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def run(scenario: Scenario, options: Any) -> None:
    """Run a scenario. Raises KubeError, SimulatorError."""
    connection = {"kubeconfig": options.kubeconfig, "context": options.context}
    if options.supervised:
        connection = json.loads(sys.stdin.readline())
    with client_from_params({**connection, "connections": 2 * CONNECTIONS}, user_agent=USER_AGENT) as client:
        if options.remove:
            remove_simulation(client, scenario.simulation, report=show)
            return
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_arguments: stop.set())
        if options.supervised:
            threading.Thread(target=wait_until_closed, args=(stop,), daemon=True).start()
        FleetSimulator(client, scenario, report=show, stop=stop).run(options.duration)


def wait_until_closed(stop: threading.Event) -> None:
    """Set stop when the standard input is closed, because the process at its other end has ended."""
    while os.read(sys.stdin.fileno(), 4096):  # without Python's buffer, whose lock would hold up the end
        pass
    stop.set()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
