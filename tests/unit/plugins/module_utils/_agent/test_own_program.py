# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of a running static Pod is started with the arguments that options would give it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import ComponentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_note import (
    ManifestNote,
    write_manifest_note,
)
from ansible_collections.configok.node.plugins.module_utils._agent._own_program import OwnProgram
from ansible_collections.configok.node.plugins.module_utils._agent._pod_files import PodFiles, PodProcess, PodRun
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._static_pods.own_answer import OwnAnswer, OwnVerdict
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import AUDIT_POLICY, component_options

API_SERVER, SCHEDULER = "kube-apiserver", "kube-scheduler"
PASSED = OwnAnswer(OwnVerdict.PASSED)
RUNNING = CommandResult(124, "", "no answer within 5s")
MEMORY = "MemTotal: 4000000 kB\nMemAvailable:    2000000 kB\n"


class Pods(PodFiles):
    """Shows two Pods of a component, of which the newer one has process 7."""

    def __init__(self) -> None:
        super().__init__()
        self.has_process = True

    def runs(self, pod: str, container: str, program: str) -> list[PodRun]:
        if not self.has_process:
            return [PodRun("b", 0, 20.0)]
        return [PodRun("a", 0, 10.0, PodProcess(6, 10.0)), PodRun("b", 0, 20.0, PodProcess(7, 20.0))]


class Host:
    """A node whose API server runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pods = Pods()
        self.result = self.without_options = RUNNING
        self.argv: list[str] = []
        self.program = ""
        self.had_rights = True
        self.files: dict[str, str] = {}
        self.store = Store(str(root / "state"), now=lambda: "now")
        (root / "proc" / "7").mkdir(parents=True)
        self.runs_program(API_SERVER)
        (root / "proc" / "meminfo").write_text(MEMORY)

    def runs_program(self, name: str) -> None:
        program = self.root / "proc" / "7" / "exe"
        program.unlink(missing_ok=True)
        (self.root / name).touch()
        program.symlink_to(self.root / name)

    def give_up(self) -> None:
        opened = {os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")}
        assert opened & {str(self.root / API_SERVER), str(self.root / SCHEDULER)}, "it can no longer be opened"
        self.had_rights = False

    def run(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        if self.argv:
            return self.without_options
        assert not self.had_rights
        self.argv, self.program = list(argv), os.readlink(argv[0])
        self.files = {path.name: path.read_text() for path in self.root.glob("scratch*/options/*/*/*")}
        return self.result

    def check(
        self,
        flags: Mapping[str, Any],
        files: Mapping[str, Any] | None = None,
        component: str = API_SERVER,
        **container: Any,
    ) -> OwnAnswer:
        init = manifest_bytes(kubeadm_pod(component, **container)).decode()
        write_manifest_note(self.store, component, ManifestNote(init=init, pod="p", container=component))
        path = self.root / "options.json"
        path.write_text(json.dumps(component_options(flags, files, component)))
        configured = ComponentConfiguration(component, "", manifest=f"/etc/kubernetes/manifests/{component}.yaml")
        scratch = self.root / f"scratch{len(list(self.root.iterdir()))}"
        scratch.mkdir()
        proc = str(self.root / "proc")
        program = OwnProgram(configured, self.store, self.run, self.pods, proc=proc, give_up=self.give_up)
        return program.check(str(path), str(scratch))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_the_newest_process_of_the_component_is_asked_with_its_options_and_files(host: Host) -> None:
    policy = {"audit-policy.yaml": {"flag": "audit-policy-file", "content": AUDIT_POLICY}}
    assert host.check({"event-ttl": "2h"}, policy) == PASSED
    arguments = host.argv[1:]
    assert host.program == str(host.root / API_SERVER)
    assert {"--event-ttl=2h", "--etcd-servers=http://127.0.0.1:1"} <= set(arguments)
    assert "Metadata" in host.files["audit-policy.yaml"]
    (named,) = [argument for argument in arguments if argument.startswith("--audit-policy-file=")]
    assert named.startswith(f"--audit-policy-file={host.root}/scratch")


def test_etcd_is_not_asked_since_it_would_use_its_data(host: Host) -> None:
    host.runs_program("etcd")
    reason = "it has none that starts nothing"
    assert host.check({"snapshot-count": 1}, component="etcd") == (OwnVerdict.NOT_JUDGED, reason)
    assert not host.argv


def test_what_the_program_says_last_is_the_reason(host: Host) -> None:
    host.result = CommandResult(1, "", "flags\nError: unknown flag: --nope\n")
    assert host.check({"nope": "x"}) == (OwnVerdict.FAILED, "Error: unknown flag: --nope")


def test_a_program_that_refuses_its_init_manifest_too_says_nothing_about_options(host: Host) -> None:
    host.result = host.without_options = CommandResult(1, "", "Error: no default routes found\n")
    reason = "its program refuses its init manifest, too: Error: no default routes found"
    assert host.check({"event-ttl": "2h"}) == (OwnVerdict.NOT_JUDGED, reason)


def test_a_scheduler_passes_once_it_misses_its_kubeconfig(host: Host) -> None:
    host.runs_program(SCHEDULER)
    host.result = CommandResult(1, "", "stat /nonexistent: no such file or directory\n")
    assert host.check({"kube-api-qps": 30}, component=SCHEDULER) == PASSED


def no_process(host: Host) -> None:
    host.pods.has_process = False


def no_memory(host: Host) -> None:
    (host.root / "proc" / "meminfo").write_text("MemAvailable: 400000 kB\n")


def no_start(host: Host) -> None:
    host.result = CommandResult(127, "", "exe: No such file or directory")


def killed(host: Host) -> None:
    host.result = CommandResult(-9, "", "")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (no_process, "it does not run"),
        (no_memory, "less than 512 MiB of memory"),
        (no_start, "does not start outside of its container: exe: No such file"),
        (killed, "ended by signal 9"),
        (lambda host: host.runs_program("hyperkube"), "it runs the program hyperkube"),
    ],
)
def test_what_cannot_be_asked_is_not_judged(host: Host, change: Any, reason: str) -> None:
    change(host)
    verdict, text = host.check({"event-ttl": "2h"})
    assert verdict is OwnVerdict.NOT_JUDGED
    assert reason in text


def test_a_path_that_is_somewhere_else_on_the_node_is_not_judged(host: Host) -> None:
    mounts = [{"mountPath": "/certs", "name": "k8s-certs"}]
    verdict, reason = host.check({"event-ttl": "2h", "tls-cert-file": "/certs/a.crt"}, volumeMounts=mounts)
    assert (verdict, reason) == (OwnVerdict.NOT_JUDGED, "/certs of its container is /etc/kubernetes/pki on the node")


def test_a_node_without_a_note_on_the_manifest_is_not_judged(host: Host, tmp_path: Path) -> None:
    configured = ComponentConfiguration(API_SERVER, "", manifest="/m")
    program = OwnProgram(configured, host.store, host.run, host.pods)
    assert program.check("/nowhere", str(tmp_path)) == (OwnVerdict.NOT_JUDGED, "its init manifest is not known")
