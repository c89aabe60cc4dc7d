# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the product at work on this machine, without root or a cluster: eight nodes, a good config, two bad, an undo.

    demo.py [--keep]      --keep leaves everything running until Ctrl-C, to try the commands by hand

Each step is checked in the cluster and on the nodes; the exit code is 0 only if every check held.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from embedded_apiserver.server import EmbeddedApiServer
from product import load
from sandbox import Sandbox, SandboxNode, pack_agent, processes_below

HERE = Path(__file__).resolve().parent
COLLECTION = HERE.parents[2]

NODES = [f"node-{number}" for number in range(1, 9)]
POOL = "workers"


class DemoFailed(Exception):
    """A claim of the demo did not hold; the text is the claim."""


def say(text: str = "") -> None:
    """Print a line of the story."""
    print(text, flush=True)


def check(what: str, holds: bool) -> None:
    """Report that a claim holds. Raises DemoFailed if it does not."""
    if not holds:
        raise DemoFailed(what)
    say(f"  seen: {what}")


class Demo:
    """Runs a cluster in a sandbox, and does with it what a user does."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.pool = directory / "pool"
        self.sandbox: Sandbox | None = None
        self.server: Any = None
        self.client: Any = None

    # --- the cluster -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the API server and the nodes."""
        shutil.copytree(HERE / "pool", self.pool)
        self.server = EmbeddedApiServer()
        self.server.start()
        self.admin = self._kubeconfig_for("admin", ["system:masters"])
        credentials = load("_kube._credentials").from_kubeconfig(str(self.admin))
        self.client = load("_kube._api_client").Client(credentials)
        agent = pack_agent(COLLECTION, self.directory / "configok-agent.pyz")
        self.sandbox = Sandbox(
            self.directory, agent, lambda name: self._kubeconfig_for(f"system:node:{name}", ["system:nodes"])
        )

    def _kubeconfig_for(self, user: str, groups: list[str]) -> Path:
        path = self.directory / f"{user.replace(':', '-')}.kubeconfig"
        self.server.kubeconfig_for(user, groups=groups, path=str(path))
        return path

    def stop(self) -> None:
        """End every process and remove every file of the demo. Raises DemoFailed if something remains."""
        if self.sandbox is not None:
            self.sandbox.stop()
        if self.server is not None:
            self.server.stop()
        remaining = processes_below(self.directory)
        shutil.rmtree(self.directory, ignore_errors=True)
        if remaining or self.directory.exists():
            raise DemoFailed(f"nothing is left running, nor in {self.directory}: {', '.join(remaining)}")

    def playbook(self, name: str, *arguments: str) -> int:
        """Run a playbook as a user would, with its output; return its exit code."""
        say(f"$ ansible-playbook configok.node.{name} {' '.join(arguments)}".rstrip())
        environment = {
            **os.environ,
            "KUBECONFIG": str(self.admin),
            "ANSIBLE_HOST_PATTERN_MISMATCH": "ignore",
            "ANSIBLE_HOME": str(self.directory / "ansible"),
            "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callback_plugins"),
            "ANSIBLE_STDOUT_CALLBACK": "quiet",
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
            "ANSIBLE_RETRY_FILES_ENABLED": "false",
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        }
        command = [str(Path(sys.executable).parent / "ansible-playbook"), f"configok.node.{name}", *arguments]
        return subprocess.run(command, cwd=self.pool, env=environment, stdin=subprocess.DEVNULL, check=False).returncode

    # --- observations ------------------------------------------------------------------------------------------------

    def nodes(self) -> dict[str, dict[str, Any]]:
        """Return each Node's ConfigOK status and reason, active config and assignment."""
        config_status = load("_nodeconfig._config_status")
        nodes = {}
        for node in self.client.list("/api/v1/nodes").items:
            status = config_status.read_status(node)
            condition = config_status.read_condition(node) or {}
            nodes[node["metadata"]["name"]] = {
                "ok": condition.get("status", ""),
                "reason": condition.get("reason", ""),
                "active": status.active.name if status and status.active else "init",
                "assignment": status.assignment if status else None,
            }
        return nodes

    def bundles(self) -> set[str]:
        """Return the names of the published bundles."""
        listed = self.client.list("/api/v1/namespaces/configok-system/configmaps").items
        return {item["metadata"]["name"] for item in listed if item["metadata"]["name"].startswith(f"{POOL}-")}

    def wait(self, what: str, holds: Callable[[], bool], seconds: float = 30.0) -> None:
        """Wait until a claim holds, then report it. Raises DemoFailed."""
        deadline = time.monotonic() + seconds
        while not holds() and time.monotonic() < deadline:
            time.sleep(0.1)
        check(what, holds())

    def config(self, *lines: str) -> None:
        """Write the pool's own layer, as a user would edit it in git."""
        head = "---\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        (self.pool / "workers.yaml").write_text(head + "".join(f"{line}\n" for line in lines))
        say(f"  workers.yaml now says: {', '.join(lines)}")

    # --- the story ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the story and check every claim."""
        say("1. A cluster in a sandbox: an embedded API server and eight nodes, each a real agent process that")
        say("   supervises a small stub kubelet. The playbook prepares the cluster; the nodes have no SSH, so the demo")
        say("   provisions them itself, with an init config.")
        self.start()
        nodes = self.sandbox.add(NODES) if self.sandbox else []
        check("the cluster is prepared", self.playbook("provision", "-e", "provision_hosts=none") == 0)
        ready = {"ok": "True", "active": "init"}
        self.wait("eight nodes say ConfigOK True, using current (init)", lambda: self._all(NODES, **ready))

        say("\n2. A good config: first the plan, which changes nothing, then through a canary and waves.")
        self.config("maxPods: 60")
        code = self.playbook("rollout", "-e", "@pool.yml", "--check")
        check("the plan was made, and nothing was published", code == 0 and not self.bundles())
        code = self.playbook("rollout", "-e", "@pool.yml")
        good = self.bundles()
        check("the rollout completed, one bundle was published", code == 0 and len(good) == 1)
        (bundle,) = good
        check("all eight nodes say ConfigOK True for it", self._all(NODES, ok="True", active=bundle))

        say("\n3. An invalid config: refused before anything is published.")
        before = self._starts(nodes)
        self.config("maxPods: -1")
        code = self.playbook("rollout", "-e", "@pool.yml")
        check("the playbook failed, and no bundle was published", code != 0 and self.bundles() == good)
        check("no component was restarted", self._starts(nodes) == before)

        say("\n4. A config that validates, and then kills the kubelet (this stub dies of podsPerCore: 13).")
        self.config("maxPods: 60", "podsPerCore: 13")
        assigned = {name: node["assignment"] for name, node in self.nodes().items()}
        code = self.playbook("rollout", "-e", "@pool.yml")
        now = self.nodes()
        canary = sorted(name for name in NODES if now[name]["assignment"] != assigned[name])
        others = sorted(set(NODES) - set(canary))
        check("the rollout halted", code != 0)
        check(f"only the two canary nodes had been given it: {', '.join(canary)}", len(canary) == 2)
        self.wait(
            "they are back on last-known-good by themselves, and say why",
            lambda: all(
                self.nodes()[name]["ok"] == "False"
                and self.nodes()[name]["active"] == bundle
                and "crashed" in self.nodes()[name]["reason"]
                for name in canary
            ),
        )
        after = self._starts(nodes)
        check("no other node was touched", all(after[name] == before[name] for name in others))

        say("\n5. And back: undo. Six nodes never left; the two broken ones are assigned the good config again.")
        before = self._starts(nodes)
        check("undo completed", self.playbook("undo", "-e", "@pool.yml") == 0)
        self.wait(f"all eight nodes say ConfigOK True for {bundle}", lambda: self._all(NODES, ok="True", active=bundle))
        check("no component was restarted for it: all were on that config already", self._starts(nodes) == before)

    def _all(self, names: list[str], **expected: str) -> bool:
        nodes = self.nodes()
        return all(
            name in nodes and all(nodes[name][key] == value for key, value in expected.items()) for name in names
        )

    def _starts(self, nodes: list[SandboxNode]) -> dict[str, int]:
        return {node.name: node.component_starts() for node in nodes}

    def keep(self) -> None:
        """Leave everything running until Ctrl-C."""
        say("\nEverything is still running. In another terminal:")
        say(f"  cd {self.pool}")
        say(f"  export KUBECONFIG={self.admin} PATH={Path(sys.executable).parent}:$PATH")
        say(f"  export ANSIBLE_COLLECTIONS_PATH={os.environ.get('ANSIBLE_COLLECTIONS_PATH', '')}")
        say("  ansible-playbook configok.node.status -e @pool.yml")
        say("  ansible-playbook configok.node.rollout -e @pool.yml --check --diff")
        say("Ctrl-C ends it.")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            say()


NEXT = """
Nothing is left running. Try next:
  make demo ARGS=--keep                     the same, and everything stays up until Ctrl-C
  make test                                 everything, on the embedded and on a real API server
  less docs/getting-started.md              the same on a real cluster"""


def main() -> int:
    """Run the demo and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keep", action="store_true", help="leave everything running until Ctrl-C")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # a closed terminal cleans up like Ctrl-C
    begun = time.monotonic()
    demo = Demo(Path(tempfile.mkdtemp(prefix="configok-demo-")))
    try:
        try:
            demo.run()
            say(f"\nDone: every claim above was seen to be so, in {time.monotonic() - begun:.0f} s.")
            if arguments.keep:
                demo.keep()
        finally:
            demo.stop()
    except DemoFailed as error:
        say(f"\nThe demo failed: not seen: {error}.")
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted.")
        return 130
    say(NEXT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
