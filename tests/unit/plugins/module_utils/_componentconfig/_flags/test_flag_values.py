# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of flags that stay on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags import _flag_values
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_values import RULES
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.component_flags import (
    ComponentFlags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.kubelet import KUBELET_HEADER

ROOT = Path(__file__).resolve().parents[6]
Rows = list[dict[str, Any]]
RULES_BY_COMPONENT: dict[str, Rows] = {
    document["component"]: document["rules"]
    for document in (
        json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "schema").glob("*_flag_rules.json")
    )
}
ROWS = RULES_BY_COMPONENT["kubelet"]


def levels_by_rule(flags: str, version: str, *more: str) -> dict[str, str]:
    """Return the level of each rule that flags break."""
    findings = check(KUBELET_HEADER, versions=[version], flags=ComponentFlags([*flags.split(" "), *more]))
    return {finding.rule: str(finding.level) for finding in findings}


def kebab(word: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", word).lower()


def test_each_word_of_a_rule_has_a_function_or_says_what_checks_it() -> None:
    rules = [row for rows in RULES_BY_COMPONENT.values() for row in rows]
    rows = [row for row in rules if "otherwise" in row and "elsewhere" not in row]
    assert {kebab(row["rule"]) for row in rows} == set(RULES)
    assert {row["otherwise"] for row in rows} == set(_flag_values._CONSEQUENCES)


def test_the_minors_of_a_flag_that_is_gone_are_those_of_the_flag() -> None:
    kubelet = flag_set("kubelet")
    assert kubelet is not None
    for row in ROWS:
        if row["rule"] == "unknownFlag" and row["flag"] != "*":
            flag = kubelet.flags[row["flag"]]
            assert not flag.known_at(int(row["since"][2:])), row["flag"]
            assert "until" not in row or flag.known_at(int(row["until"][2:]) + 1), row["flag"]


LABELS = "--node-labels="
TAINTS = "--register-with-taints="
CLOUD = "--cloud-provider="
TWO = "--node-ip=192.0.2.1,2001:db8::1"


@pytest.mark.parametrize(
    ("flags", "version", "rule", "level"),
    [
        (LABELS + "node-role.kubernetes.io/worker=", "1.22", "key-namespace-allowed", "component"),
        (LABELS + "kubernetes.io/role=node,team=a", "1.37", "key-namespace-allowed", "component"),
        (LABELS + "foo.k8s.io/x=1", "1.30", "key-namespace-allowed", "component"),
        (LABELS + "k8s.io/x=1", "1.30", "key-namespace-allowed", "component"),
        (LABELS + "node-restriction.kubernetes.io/a=b", "1.30", "key-namespace-allowed", "component"),
        (LABELS + "a_b/c=1", "1.25", "key-is-qualified-name", "component"),
        (LABELS + "a_b/c=1", "1.24", "bad-key-or-value", "policy"),
        (LABELS + "a=b/c", "1.25", "value-is-label-value", "component"),
        (LABELS + "a=" + "b" * 64, "1.24", "bad-key-or-value", "policy"),
        (LABELS + "a=b,a=c", "1.30", "pairs-split-by", "warning"),
        (LABELS + "a=b --node-labels=a=c", "1.30", "pairs-split-by", "warning"),
        (CLOUD + "aws", "1.27", "value", "component"),
        (CLOUD + "openstack", "1.26", "value", "component"),
        (CLOUD + "azure", "1.29", "value", "component"),
        (CLOUD + "vsphere", "1.30", "value", "component"),
        (CLOUD + "gce", "1.37", "value", "component"),
        (CLOUD + "digitalocean", "1.20", "value", "component"),
        (CLOUD + "External", "1.30", "value", "component"),
        (CLOUD + "gce --feature-gates=DisableCloudProviders=true", "1.26", "value", "component"),
        ("--container-runtime=rkt", "1.20", "value", "component"),
        ("--container-runtime=docker", "1.24", "value", "component"),
        ("--container-runtime-endpoint=http://a/b", "1.26", "url", "component"),
        ("--container-runtime-endpoint=tcp://127.0.0.1:1", "1.36", "url", "component"),
        ("--node-ip=192.0.2.1,2001:db8::1,192.0.2.2", "1.30", "count", "component"),
        ("--node-ip=192.0.2.1,192.0.2.2", "1.30", "two-are-of-different-families", "component"),
        (TWO, "1.20", "two-need-gate", "component"),
        (TWO + " --cloud-provider=aws", "1.26", "two-not-with-cloud-provider", "component"),
        (TWO + " --cloud-provider=external", "1.26", "two-not-with-cloud-provider", "component"),
        (TWO + " --cloud-provider=external", "1.28", "two-not-with-cloud-provider", "component"),
        ("--node-ip=0.0.0.0,2001:db8::1", "1.30", "two-not-unspecified", "component"),
        ("--node-ip=nonsense", "1.30", "unparsable", "policy"),
        ("--node-ip=192.0.2.1,nonsense", "1.30", "unparsable", "policy"),
        ("--node-ip=127.0.0.1", "1.30", "not-of", "policy"),
        ("--node-ip=fe80::1", "1.30", "not-of", "policy"),
        ("--node-ip=224.0.0.1", "1.30", "not-of", "policy"),
        (TAINTS + "a=b:Never", "1.20", "grammar", "component"),
        (TAINTS + "a=b/c:NoSchedule", "1.36", "grammar", "component"),
        (TAINTS + "a=b:NoSchedule-", "1.22", "grammar", "component"),
        (TAINTS + "a", "1.23", "effect-required", "component"),
        (TAINTS + "a=b:NoSchedule,a=c:NoSchedule", "1.23", "unique-key-and-effect", "component"),
        (TAINTS + "a=b:NoSchedule-", "1.23", "trailing-dash", "policy"),
        (TAINTS + "a-", "1.36", "trailing-dash", "policy"),
        (TAINTS + "a_b/c:NoSchedule", "1.30", "key-is-qualified-name", "component"),
        ("--hostname-override=A_b", "1.30", "node-name-is-dns1123-subdomain", "policy"),
        ("--config-dir=/a", "1.28", "needs-env", "warning"),
        ("--exit-on-lock-contention", "1.30", "needs-flag", "component"),
        ("--seccomp-default", "1.24", "needs-gate", "component"),
        ("--dynamic-config-dir=/a", "1.22", "needs-gate", "component"),
        ("--image-credential-provider-config=/a", "1.30", "pair", "component"),
    ],
)
def test_a_value_that_the_component_refuses_is_a_finding(flags: str, version: str, rule: str, level: str) -> None:
    assert levels_by_rule(flags, version)[rule] == level


@pytest.mark.parametrize(
    ("flags", "version"),
    [
        (LABELS, "1.30"),
        (LABELS + "a=b,c,topology.kubernetes.io/zone=z,a=b", "1.36"),
        (LABELS + "node.kubernetes.io/x=1,a.kubelet.kubernetes.io/y=2,kubernetes.io/hostname=a", "1.36"),
        (LABELS + "mykubernetes.io/role=x,k8s.io.example.org/a=b", "1.36"),
        (LABELS + "node-role/worker=", "1.36"),
        (CLOUD, "1.36"),
        (CLOUD + "external", "1.36"),
        (CLOUD + "aws", "1.26"),
        (CLOUD + "azure --feature-gates=DisableCloudProviders=false", "1.29"),
        ("--container-runtime=remote --container-runtime-endpoint=/run/containerd.sock", "1.26"),
        ("--container-runtime-endpoint=unix:///run/containerd/containerd.sock", "1.36"),
        ("--node-ip=::", "1.30"),
        ("--node-ip=127.0.0.1 --cloud-provider=external", "1.30"),
        (TWO, "1.21"),
        (TWO + " --cloud-provider=external", "1.29"),
        (TWO + " --cloud-provider=external --feature-gates=CloudDualStackNodeIPs=true", "1.28"),
        (TAINTS + "a=b:NoSchedule,a=b:NoExecute", "1.36"),
        (TAINTS + "a", "1.20"),
        ("--hostname-override=NODE-1.example.org", "1.30"),
        ("--config-dir=/a", "1.30"),
        ("--exit-on-lock-contention --lock-file=/a", "1.30"),
        ("--seccomp-default=false", "1.24"),
        ("--seccomp-default", "1.25"),
        ("--image-credential-provider-config=/a --image-credential-provider-bin-dir=/b", "1.30"),
    ],
)
def test_a_value_that_the_component_accepts_has_no_findings(flags: str, version: str) -> None:
    assert levels_by_rule(flags, version) == {}


def test_an_empty_name_is_refused() -> None:
    assert levels_by_rule("--v=1", "1.30", "--hostname-override= ") == {"normalised": "component"}


def test_the_gates_of_the_file_decide() -> None:
    text = KUBELET_HEADER + "featureGates: {DisableCloudProviders: false}\n"
    assert check(text, versions=["1.29"], flags=ComponentFlags(["--cloud-provider=azure"])) == []


def test_parts_without_a_variable_are_checked() -> None:
    assert levels_by_rule("--node-labels=zone=${ZONE},kubernetes.io/role=x", "1.30") == {
        "not-judged": "not-judged",
        "key-namespace-allowed": "component",
    }


def test_the_message_names_the_value_and_what_to_write() -> None:
    (finding,) = check(KUBELET_HEADER, versions=["1.27"], flags=ComponentFlags(["--cloud-provider=aws"]))
    assert str(finding) == (
        '--cloud-provider: "aws": it has no such cloud provider built in: write external, and run the provider\'s own '
        "cloud-controller-manager"
    )
