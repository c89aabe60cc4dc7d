# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the product on this machine, without root or a cluster: eight nodes, one good config, two bad ones, an undo.

    demo.py [--keep]      --keep leaves everything running until Ctrl-C, so that you can try the commands yourself

Each step is checked in the cluster and on the nodes. The exit code is 0 only if every check passed.
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
    """A check failed; the text says what should have been true."""


def say(text: str = "") -> None:
    """Print a line of the story."""
    print(text, flush=True)


class Demo:
    """Runs a cluster in a sandbox, and uses it as a user would."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.pool = directory / "pool"
        self.sandbox: Sandbox | None = None
        self.server: Any = None
        self.client: Any = None
        self.checks_passed = 0

    # --- the cluster -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the API server and the nodes."""
        shutil.copytree(HERE / "pool", self.pool)
        self.server = EmbeddedApiServer()
        self.server.start()
        self.admin = self._kubeconfig_for("admin", ["system:masters"])
        credentials = load("_kube.credentials").from_kubeconfig(str(self.admin))
        self.client = load("_kube.api_client").Client(credentials)
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
            raise DemoFailed(f"no process and no file of {self.directory} is left: {', '.join(remaining)}")

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

    def publish_init_configs(self, nodes: list[SandboxNode]) -> None:
        """Publish what each node uses before its first bundle, so that the first plan can show what changes."""
        publish = load("_cluster.local_configs").publish_local_config
        for node in nodes:
            publish(self.client, node.run("local-config").stdout)

    # --- observations ------------------------------------------------------------------------------------------------

    def nodes(self) -> dict[str, dict[str, Any]]:
        """Return each Node's ConfigOK status and reason, active config and assignment."""
        config_status = load("_nodeconfig.config_status")
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

    def check(self, what: str, holds: bool) -> None:
        """Report and count a check that passed. Raises DemoFailed if it did not."""
        if not holds:
            raise DemoFailed(what)
        self.checks_passed += 1
        say(f"  ok: {what}")

    def wait(self, what: str, holds: Callable[[], bool], seconds: float = 30.0) -> None:
        """Wait up to ``seconds`` for a check to pass, then report it. Raises DemoFailed."""
        deadline = time.monotonic() + seconds
        while not holds() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.check(what, holds())

    def config(self, *lines: str) -> None:
        """Write the pool's own layer, as a user would in git."""
        head = "---\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        (self.pool / "workers.yaml").write_text(head + "".join(f"{line}\n" for line in lines))
        say(f"  workers.yaml now sets {', '.join(lines)}")

    # --- the story ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the story, with its checks."""
        say("1. Prepare a cluster: an embedded API server, and eight nodes that each run a real agent and a stub")
        say("   kubelet. The playbook prepares the cluster. The nodes have no SSH server, so the demo gives each")
        say("   of them an init config and publishes it, as the playbook does on real nodes.")
        self.start()
        # Two zones, so that a canary of two nodes covers the pool.
        nodes = self.sandbox.add(NODES, zones=2) if self.sandbox else []
        self.check("the cluster is prepared", self.playbook("provision", "-e", "provision_hosts=none") == 0)
        ready = {"ok": "True", "active": "init"}
        self.wait("all eight nodes report ConfigOK=True with their init configs", lambda: self._all(NODES, **ready))
        self.publish_init_configs(nodes)

        say("\n2. Roll out a good config. First the plan, which changes nothing; then a canary and two waves.")
        self.config("maxPods: 60")
        code = self.playbook("rollout", "-e", "@pool.yml", "--check")
        self.check("the plan published nothing", code == 0 and not self.bundles())
        code = self.playbook("rollout", "-e", "@pool.yml")
        good = self.bundles()
        self.check("the rollout is complete, and one bundle is published", code == 0 and len(good) == 1)
        (bundle,) = good
        self.check(f"all eight nodes report ConfigOK=True with {bundle}", self._all(NODES, ok="True", active=bundle))

        say("\n3. Try an invalid config. It is refused before anything is published.")
        before = self._starts(nodes)
        self.config("maxPods: -1")
        code = self.playbook("rollout", "-e", "@pool.yml")
        self.check("the playbook failed and published nothing", code != 0 and self.bundles() == good)
        self.check("no kubelet restarted", self._starts(nodes) == before)

        say("\n4. Roll out a valid config that crashes the kubelet. (The stub kubelet crashes on podsPerCore: 13.)")
        self.config("maxPods: 60", "podsPerCore: 13")
        assigned = {name: node["assignment"] for name, node in self.nodes().items()}
        code = self.playbook("rollout", "-e", "@pool.yml")
        now = self.nodes()
        canary = sorted(name for name in NODES if now[name]["assignment"] != assigned[name])
        others = sorted(set(NODES) - set(canary))
        self.check("the rollout halted in the canary", code != 0)
        self.check(f"only the two canary nodes were assigned the config: {', '.join(canary)}", len(canary) == 2)
        self.wait(
            "both rolled back to the last-known-good config on their own, and report why",
            lambda: all(
                self.nodes()[name]["ok"] == "False"
                and self.nodes()[name]["active"] == bundle
                and "crashed" in self.nodes()[name]["reason"]
                for name in canary
            ),
        )
        after = self._starts(nodes)
        self.check("no kubelet of another node restarted", all(after[name] == before[name] for name in others))

        say("\n5. Undo. Six nodes still use the good config; the two that failed are assigned it again.")
        before = self._starts(nodes)
        self.check("the undo is complete", self.playbook("undo", "-e", "@pool.yml") == 0)
        back = {"ok": "True", "active": bundle}
        self.wait(f"all eight nodes report ConfigOK=True with {bundle}", lambda: self._all(NODES, **back))
        self.check("no kubelet restarted, because every node already ran this config", self._starts(nodes) == before)

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
        say("Press Ctrl-C to stop it.")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            say()


NEXT = """
Nothing is left running. Next:
  make demo ARGS=--keep             run the demo and keep everything up until Ctrl-C
  make test                         run all tests, on the embedded and on a real API server
  less docs/getting-started.md      do the same on a real cluster"""


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
            say(f"\nDone: all {demo.checks_passed} checks passed in {time.monotonic() - begun:.0f} s.")
            if arguments.keep:
                demo.keep()
        finally:
            demo.stop()
    except DemoFailed as error:
        say(f"\nThe demo failed. Expected: {error}.")
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted.")
        return 130
    say(NEXT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
