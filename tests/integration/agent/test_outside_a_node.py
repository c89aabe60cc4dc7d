# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands on config files, as the archive runs them where there is no node: no root, no home, no settings."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.configs.kubelet import kubelet_config
from support.session.unavailable import leave_out

OTHER_USER = 65534
Call = Callable[..., subprocess.CompletedProcess[str]]
SCHEDULER = (
    "apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\n"
    "healthzBindAddress: 127.0.0.1:10251\n"
)
WITH_TOKEN = (
    "apiVersion: kubeadm.k8s.io/v1beta3\nkind: InitConfiguration\nbootstrapTokens: [{token: abcdef.0123456789abcdef}]\n"
)


def drop_root() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(OTHER_USER)
        os.setuid(OTHER_USER)


@pytest.fixture(scope="module")
def interpreter() -> str:
    """A Python with PyYAML that another user can run."""
    for path in (sys.executable, "/usr/bin/python3"):
        command = [path, "-I", "-c", "import yaml"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(command, preexec_fn=drop_root, check=True, capture_output=True)
            return path
    return leave_out("no Python with PyYAML is readable for another user")


@pytest.fixture
def directory() -> Iterator[Path]:
    """A directory that another user can write to, with a good config, a bad one and a file of another kind."""
    with tempfile.TemporaryDirectory() as parent:  # pytest's own directories are for their owner alone
        Path(parent).chmod(0o755)
        yield fill(Path(parent) / "work")


def fill(directory: Path) -> Path:
    (directory / "configs").mkdir(parents=True)
    (directory / "configs/good.yaml").write_text(kubelet_config("maxPods: 50"))
    (directory / "configs/bad.yaml").write_text(kubelet_config("maxPods: -1"))
    (directory / "configs/pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    directory.chmod(0o777)
    return directory


@pytest.fixture
def call(archive: Path, directory: Path, interpreter: str) -> Call:
    """Return a function that runs a command of the archive, without root, in an empty environment."""
    program = directory.parent / "configok-agent"
    program.write_bytes(archive.read_bytes())
    program.chmod(0o755)

    def run(*arguments: str, options: tuple[str, ...] = (), **settings: Any) -> Any:
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
        ended = subprocess.run(
            [interpreter, *options, str(program), *arguments],
            cwd=directory,
            env={"PATH": os.defpath, "HOME": "/nonexistent", "LC_ALL": "C"},
            preexec_fn=drop_root,
            text=True,
            check=False,
            timeout=60,
            **settings,
        )
        assert "Traceback" not in (ended.stderr or "")
        return ended

    return run


def test_validate_in_every_format(call: Call) -> None:
    command = ("validate", "--kubernetes-version", "1.31,1.36", "configs")
    text = call(*command)
    assert (text.returncode, text.stdout) == (1, "configs/bad.yaml:3: maxPods: -1: must be >= 0 [component]\n")
    assert text.stderr == (
        "configok-agent: scope: not the content of files, servers and addresses that a config names, flags of the "
        "command line, the host\n"
        "configok-agent: 1 of 2 files fails (1 component); Kubernetes 1.31, 1.36; "
        "1 file without component config skipped\n"
    )
    github = call(*command, "--output", "github").stdout
    assert github == "::error file=configs/bad.yaml,line=3,title=max-pods [component]::maxPods: -1: must be >= 0\n"
    junit = ElementTree.fromstring(call(*command, "--output", "junit").stdout)
    assert (junit.get("tests"), junit.get("failures")) == ("4", "2")
    (run,) = json.loads(call(*command, "--output", "sarif").stdout)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["max-pods"]
    answer = json.loads(call(*command, "--output", "json").stdout)
    assert (answer["valid"], answer["skipped"]) == (False, ["configs/pod.yaml"])


def test_validate_good_files(call: Call, directory: Path) -> None:
    ended = call("validate", "configs/good.yaml", "-", input=kubelet_config())
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "2 files pass; Kubernetes 1." in ended.stderr
    assert "the newest known" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate", "missing"),
        ("validate", "--kubernetes-version", "next", "configs"),
        ("validate", "--feature-gates", "NodeSwap=true", "configs"),
        ("validate", "--component", "kubelet", "--flags-file", "missing", "configs/good.yaml"),
        ("diff", "missing", "configs/good.yaml"),
        ("diff", "configs/good.yaml"),
        ("diff", "--from-version", "1.31", "--to-version", "1.31", "configs/good.yaml"),
        ("diff", "--from-version", "1.31", "--flags-file", "missing", "configs/good.yaml"),
        ("explain", "maxPod"),
        ("explain", "kube-proxy", "maxPods"),
        ("convert", "--to-version", "v9", "configs/good.yaml"),
        ("convert", "--to-version", "v1", "configs/pod.yaml"),
        ("convert", "--to-version", "v1", "missing"),
        ("migrate", "--flags-file", "missing", "kubelet"),
        ("migrate", "kubelet"),
        ("migrate", "kubelet", "--", "--config=/nonexistent/config.yaml"),
    ],
)
def test_an_unusable_input_is_reported_in_one_sentence(call: Call, arguments: tuple[str, ...]) -> None:
    ended = call(*arguments)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1), ended.stderr


def test_explain_takes_a_kind_and_several_fields(call: Call) -> None:
    assert call("explain", "kubelet").stdout.startswith("KubeletConfiguration (kubelet.config.k8s.io/v1beta1)")
    text = call("explain", "KubeProxyConfiguration", "mode", "bindAddress").stdout
    assert [line.split(",")[0] for line in text.splitlines() if line[0] != " "] == ["mode", "bindAddress"]
    answers = json.loads(call("explain", "--json", "maxPods", "featureGates.NodeSwap").stdout)
    assert [answer["heading"].split(",")[0] for answer in answers] == ["maxPods", "NodeSwap"]


def test_diff(call: Call) -> None:
    ended = call("diff", "configs/good.yaml", "-", input=kubelet_config("maxPods: 60"))
    assert (ended.returncode, ended.stdout.splitlines()[0][:17]) == (1, "maxPods: 50 -> 60")


def test_diff_of_files_with_several_documents(call: Call, directory: Path) -> None:
    kubeadm = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\n"
    (directory / "old.yaml").write_text(kubeadm + kubelet_config("maxPods: 50"))
    ended = call("diff", "old.yaml", "-", input=kubeadm + kubelet_config("maxPods: 60"))
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[:2] == [
        "KubeletConfiguration:",
        "maxPods: 50 -> 60  [restart-may-reject]  (-:6)",
    ]
    (change,) = json.loads(call("diff", "--json", "old.yaml", "-", input=kubeadm + kubelet_config()).stdout)
    assert (change["kind"], change["after"]) == ("KubeletConfiguration", "110")
    same = call("diff", "old.yaml", "old.yaml")
    assert (same.returncode, same.stdout) == (0, "no field differs\n")


def test_diff_of_two_versions(call: Call, directory: Path) -> None:
    (directory / "flags").write_text("/usr/bin/kubelet --pod-infra-container-image=x\n")
    versions = ("--from-version", "1.31", "--to-version", "1.36")
    ended = call("diff", *versions, "--flags-file", "flags", "configs/good.yaml")
    assert ended.returncode == 1
    assert ended.stdout.startswith("component: --pod-infra-container-image: Kubernetes 1.35 and newer do not have it")
    answer = json.loads(call("diff", *versions, "--json", "configs/good.yaml").stdout)
    assert "failCgroupV1" in {change["path"] for change in answer["field_changes"]}
    assert answer["valid"]
    two_files = call("diff", *versions, "configs/good.yaml", "configs/good.yaml")
    assert "failCgroupV1: false -> true" in two_files.stdout
    assert call("diff", "--from-version", "1.31", "configs/good.yaml").returncode == 1


def test_flags_decide_rules_on_gates(call: Call, directory: Path) -> None:
    text = (
        "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\n"
        "anonymous: {enabled: true, conditions: [{path: /healthz}]}\n"
    )
    (directory / "flags.env").write_text("ARGS=--feature-gates=AnonymousAuthConfigurableEndpoints=false")
    command = ("validate", "--kubernetes-version", "1.31", "--component", "kube-apiserver", "-")
    assert "[warning]" in call(*command, input=text).stdout
    gates = "AnonymousAuthConfigurableEndpoints=true"
    assert call(*command, "--feature-gates", gates, input=text).stdout == ""
    assert "[component]" in call(*command, "--flags-file", "flags.env", input=text).stdout


def test_convert(call: Call, directory: Path) -> None:
    command = ("convert", "--to-version", "v1", "-")
    refused = call(*command, input=SCHEDULER)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "lost: KubeSchedulerConfiguration: healthzBindAddress" in refused.stderr
    assert "--allow-loss accepts it" in refused.stderr
    converted = call(*command, "--allow-loss", "--kubernetes-version", "1.25,1.36", input=SCHEDULER)
    assert (converted.returncode, converted.stdout.splitlines()[0]) == (0, "apiVersion: kubescheduler.config.k8s.io/v1")
    assert call(*command, "--kubernetes-version", "1.24", input=SCHEDULER).returncode == 2
    written = call(*command, "--allow-loss", "--dest", "new.yaml", input=SCHEDULER)
    assert (written.returncode, written.stdout) == (0, "")
    assert (directory / "new.yaml").read_text() == converted.stdout
    assert call(*command, "--allow-loss", "--dest", "missing/new.yaml", input=SCHEDULER).returncode == 2


def test_convert_never_prints_a_secret(call: Call, directory: Path) -> None:
    command = ("convert", "--to-version", "v1beta4", "-")
    for options in ((), ("--json",), ("--dest", "new.yaml")):
        ended = call(*command, *options, input=WITH_TOKEN)
        assert "0123456789abcdef" not in ended.stdout + ended.stderr
        assert ended.returncode == (0 if "--dest" in options else 1)
        assert "withheld: the text holds secrets (InitConfiguration bootstrapTokens" in ended.stdout + ended.stderr
    assert "0123456789abcdef" in (directory / "new.yaml").read_text()
    assert (directory / "new.yaml").stat().st_mode & 0o777 == 0o600


def test_migrate_reads_flags_from_a_file(call: Call, directory: Path) -> None:
    (directory / "flags.env").write_text('# kubeadm\nKUBELET_KUBEADM_ARGS="--max-pods=60 --v=2"\nEXTRA=\n')
    ended = call("migrate", "--kubernetes-version", "1.31", "--flags-file", "flags.env", "kubelet")
    assert ended.returncode == 0
    assert "maxPods: 60\n" in ended.stdout
    line = "/usr/bin/kubelet \\\n  --max-pods=70 --config=/nonexistent/config.yaml\n"
    command = ("migrate", "--kubernetes-version", "1.31", "--flags-file", "-", "--present-config")
    ended = call(*command, "configs/good.yaml", "kubelet", input=line)
    assert (ended.returncode, "maxPods: 70\n" in ended.stdout) == (0, True), ended.stderr
    assert call("migrate", "--flags-file", "-", "kubelet", input="'").stderr == (
        "configok-agent: -: the flags cannot be split into words: no closing quotation\n"
    )


def test_a_missing_pyyaml_is_reported_in_a_message(call: Call, interpreter: str) -> None:
    ended = call("validate", "configs", options=("-I", "-S"))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"configok-agent: validate needs PyYAML, which {interpreter} does not have\n"


def test_a_closed_output_pipe_causes_no_error_message(call: Call) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        ended = call("explain", "kubelet", stdout=write)
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (1, "")
