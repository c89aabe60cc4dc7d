# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module component_config_convert: options, failures, results, written files."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.modules import component_config_convert
from support.ansible_runs.modules import run_module

GROUP = "kubescheduler.config.k8s.io"
SCHEDULER = f"apiVersion: {GROUP}/v1beta3\nkind: KubeSchedulerConfiguration\nparallelism: 8\n"
LOSSY = f"apiVersion: {GROUP}/v1beta2\nkind: KubeSchedulerConfiguration\nhealthzBindAddress: 0.0.0.0:10251\n"
JOIN = """apiVersion: kubeadm.k8s.io/v1beta3
kind: JoinConfiguration
discovery:
  tlsBootstrapToken: abcdef.0123456789abcdef
"""


def run(check: bool = False, diff: bool = False, **arguments: Any) -> dict[str, Any]:
    return run_module(component_config_convert.main, {"api_version": "v1", **arguments}, check=check, diff=diff)


def test_content_is_converted_and_nothing_changed() -> None:
    assert run(content=SCHEDULER, kubernetes_versions=["1.28", "1.36"]) == {
        "changed": False,
        "text": SCHEDULER.replace("v1beta3", "v1"),
        "documents": [{"apiVersion": f"{GROUP}/v1", "kind": "KubeSchedulerConfiguration", "parallelism": 8}],
        "losses": [],
        "not_judged": [],
        "lines": [
            f"KubeSchedulerConfiguration: {GROUP}/v1beta3 -> {GROUP}/v1, read by Kubernetes 1.25 and newer",
        ],
    }


def test_a_loss_is_a_failure_unless_it_is_wanted() -> None:
    failed = run(content=LOSSY)
    assert failed["failed"]
    assert failed["msg"] == (
        "Not everything can be kept. With fail_on_loss: false this is lost:\n"
        'lost: KubeSchedulerConfiguration: healthzBindAddress: "0.0.0.0:10251":'
        " the insecure port is gone: see --secure-port and --bind-address"
    )
    done = run(content=LOSSY, fail_on_loss=False)
    assert "failed" not in done
    assert done["losses"] == failed["losses"] != []
    assert done["losses"][0]["path"] == "healthzBindAddress"


def test_diff_mode_shows_both_documents() -> None:
    result = run(content=SCHEDULER, diff=True)
    assert result["diff"] == {"before": SCHEDULER, "after": SCHEDULER.replace("v1beta3", "v1")}


def test_secrets_are_written_and_not_returned(tmp_path: Path) -> None:
    result = run(content=JOIN, api_version="v1beta4", dest=str(tmp_path / "join.yaml"), diff=True)
    assert "0123456789abcdef" not in str(result)
    assert result["text"] == ""
    assert result["lines"][1:] == [
        "withheld: the text holds secrets (JoinConfiguration discovery.tlsBootstrapToken): "
        f"only {tmp_path}/join.yaml gets it"
    ]
    assert (tmp_path / "join.yaml").read_text() == JOIN.replace("v1beta3", "v1beta4")
    assert stat.S_IMODE((tmp_path / "join.yaml").stat().st_mode) == 0o600


def test_the_lines_report_a_withheld_text() -> None:
    result = run(content=JOIN, api_version="v1beta4")
    assert (result["text"], "failed" in result) == ("", False)
    assert result["lines"][-1] == (
        "withheld: the text holds secrets (JoinConfiguration discovery.tlsBootstrapToken): "
        "give dest to write it to a file"
    )


def test_a_file_is_converted_in_its_place_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "scheduler.yaml"
    path.write_text(SCHEDULER)
    path.chmod(0o640)
    assert run(file=str(path), dest=str(path), check=True)["changed"]
    assert path.read_text() == SCHEDULER
    assert run(file=str(path), dest=str(path))["changed"]
    assert path.read_text() == SCHEDULER.replace("v1beta3", "v1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not run(file=str(path), dest=str(path))["changed"]


def test_a_loss_that_is_not_wanted_writes_nothing(tmp_path: Path) -> None:
    assert run(content=LOSSY, dest=str(tmp_path / "new"))["failed"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("check", [False, True])
def test_a_place_that_takes_no_file_is_an_error(tmp_path: Path, check: bool) -> None:
    result = run(content=SCHEDULER, dest=str(tmp_path / "no/file"), check=check)
    assert result["msg"] == f"Cannot write {tmp_path}/no/file: there is no directory {tmp_path}/no."
    result = run(content=SCHEDULER, dest=str(tmp_path), check=check)
    assert result["msg"] == f"Cannot write {tmp_path}: it is a directory, name a file in it."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "one of the following is required: file, content"),
        ({"content": "a", "file": "b"}, "parameters are mutually exclusive: file|content"),
        ({"file": "/nonexistent/config"}, "Cannot read /nonexistent/config: No such file or directory."),
        ({"content": "[]"}, "content: must be a mapping with apiVersion and kind."),
        ({"content": "a: ["}, "content:2: a: not valid YAML"),
        (
            {"content": SCHEDULER, "api_version": "v2"},
            f"KubeSchedulerConfiguration has no version v2: it has {GROUP}/v1beta1, {GROUP}/v1beta2, {GROUP}/v1beta3,"
            f" {GROUP}/v1.",
        ),
        (
            {"content": SCHEDULER, "kubernetes_versions": ["1.24"]},
            f"Kubernetes 1.24 does not read {GROUP}/v1 KubeSchedulerConfiguration: it is read by Kubernetes 1.25 and"
            " newer.",
        ),
        ({"content": SCHEDULER, "kubernetes_versions": ["two"]}, "two"),
    ],
)
def test_a_sentence_says_what_is_wrong(arguments: dict[str, Any], message: str) -> None:
    result = run(**arguments)
    assert result["failed"]
    assert message in result["msg"]
    assert "Traceback" not in str(result)
