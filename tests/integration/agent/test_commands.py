# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's command line: exit codes, sentences, nothing that hurts a start."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.configs.kubelet import kubelet_config

MakeNode = Callable[..., Any]
GOOD = kubelet_config("maxPods: 50")


@pytest.mark.contract("cli.commands")
@pytest.mark.parametrize(
    ("text", "options", "code", "message"),
    [
        (GOOD, (), 0, ""),
        (GOOD + "maxPod: 1\n", (), 1, "-:4: maxPod: 1: unknown field of KubeletConfiguration"),
        (GOOD + "staticPodPath: /x\n", (), 0, ""),
        (GOOD + "staticPodPath: /x\n", ("--bundle",), 1, "staticPodPath"),
        (GOOD, ("--kubernetes-version", "new"), 2, ""),
    ],
)
def test_validate(make_node: MakeNode, text: str, options: tuple[str, ...], code: int, message: str) -> None:
    result = make_node().call("validate", "--component", "kubelet", *options, "-", input=text)
    assert (result.returncode, "Traceback" in result.stderr) == (code, False), result.stderr
    assert message in result.stdout
    assert bool(result.stdout) == (code == 1)


def test_validate_for_machines(make_node: MakeNode) -> None:
    result = make_node().call("validate", "--json", "--component", "kubelet", "-", input=GOOD + "maxPod: 1\n")
    [finding] = json.loads(result.stdout)
    assert (finding["path"], finding["line"], finding["level"]) == ("maxPod", 4, "policy")
    assert result.returncode == 1


def test_a_missing_file_is_a_usage_error(make_node: MakeNode) -> None:
    result = make_node().call("validate", "/nonexistent/config.yaml")
    assert result.returncode == 2
    assert result.stderr == "configok-agent: /nonexistent/config.yaml: cannot be read: No such file or directory\n"


@pytest.mark.contract("adopt.same-values")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 0),
        ("clusterDNS: []\n", 0),
        ("evictionHard: {}\n", 1),
        ("enforceNodeAllocatable: []\n", 1),
        ("a: [\n", 2),
    ],
)
def test_same(make_node: MakeNode, text: str, code: int) -> None:
    node = make_node()
    old, new = node.directory / "old.yaml", node.directory / "new.yaml"
    old.write_text(GOOD)
    new.write_text(GOOD + text)
    result = node.call("same", "--kubernetes-version", "v1.35.2", str(old), str(new))
    assert (result.returncode, "Traceback" in result.stderr) == (code, False), result.stderr
    assert result.stdout == {0: "the same\n", 1: "different\n", 2: ""}[code]


@pytest.mark.contract("cli.commands")
def test_diff(make_node: MakeNode) -> None:
    node = make_node()
    old, new = node.directory / "old.yaml", node.directory / "new.yaml"
    old.write_text(GOOD)
    new.write_text(GOOD.replace("50", "60"))
    result = node.call("diff", str(old), str(new), "--kubernetes-version", "1.31")
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.splitlines() == [
        f"maxPods: 50 -> 60  [restart-may-reject]  ({new}:3)",
        "overall: restart-may-reject: restart; pods over the new bound fail admission at restart, node capacity "
        "changes",
    ]
    (change,) = json.loads(node.call("diff", "--json", str(old), "-", input=new.read_text()).stdout)
    assert (change["path"], change["before"], change["after"]) == ("maxPods", "50", "60")
    same = node.call("diff", str(old), str(old))
    assert (same.returncode, same.stdout) == (0, "no field differs\n")
    for wrong in (("/nonexistent/a", str(old)), (str(old), "-")):
        refused = node.call("diff", *wrong, input="kind: Nonsense\n")
        assert (refused.returncode, refused.stderr.count("\n"), refused.stdout) == (2, 1, "")


@pytest.mark.contract("cli.commands")
def test_explain(make_node: MakeNode) -> None:
    node = make_node()
    result = node.call("explain", "maxPods")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("maxPods, of KubeletConfiguration")
    gate = json.loads(node.call("explain", "--json", "featureGates.NodeSwap").stdout)
    assert gate["facts"]["stages"][0] == {"since": "1.22", "state": "Alpha, off"}
    wrong = node.call("explain", "maxPod")
    sentence = "configok-agent: KubeletConfiguration has no field maxPod; did you mean maxPods?\n"
    assert (wrong.returncode, wrong.stderr, wrong.stdout) == (2, sentence, "")


@pytest.mark.contract("prestart.never-blocks")
@pytest.mark.parametrize("hook", ["prestart", "poststop"])
def test_a_hook_never_blocks_a_start_whatever_is_wrong_with_the_agent(make_node: MakeNode, hook: str) -> None:
    node = make_node()
    unknown = node.call(hook, "kube-proxy")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (0, 1)
    assert "no component 'kube-proxy'" in unknown.stderr
    (node.directory / "agent.yaml").write_text("kind: Nonsense\n")
    broken = node.call(hook, "kubelet")
    assert (broken.returncode, broken.stderr.count("\n")) == (0, 1)


def test_all_errors_of_the_configuration_are_reported_at_once(make_node: MakeNode) -> None:
    node = make_node()
    data = json.loads((node.directory / "agent.yaml").read_text())
    data.update(nodeName="N 1", colour="red")
    (node.directory / "agent.yaml").write_text(json.dumps(data))
    result = node.call("run")
    assert result.returncode == 1
    assert [line.split(": ")[2].split(" ")[0] for line in result.stderr.splitlines()] == ["nodeName", "colour"]


@pytest.mark.contract("cli.commands")
def test_status_works_before_anything_was_assigned(make_node: MakeNode) -> None:
    node = make_node()
    assert json.loads(node.call("status", "--json").stdout)["nodeName"] == "n1"
    assert node.call("status").stdout.strip()


@pytest.mark.contract("cli.commands")
def test_forget_bad_requires_a_uid_or_all(make_node: MakeNode) -> None:
    node = make_node()
    assert node.call("forget-bad").returncode == 2
    assert node.call("forget-bad", "--all").stdout == "nothing to forget\n"


def test_run_without_credentials_ends_with_a_message(make_node: MakeNode) -> None:
    result = make_node().call("run")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1), result.stderr
    assert "/nonexistent/kubeconfig" in result.stderr
