# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and texts that another program replaces before a component reads them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents._templates import (
    quoted_templates,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.component_file import (
    load_for_check,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import InvalidConfig
from support.configs.checking import check_file

KUBELET = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
AUTHENTICATION = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"


def lines(text: str, **options: Any) -> list[str]:
    """Return where the findings are, and their levels."""
    findings = check_file(text, file="f", versions=["1.35"], **options)
    return [f"{finding.line} {finding.field} {finding.level}" for finding in findings]


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("maxPods: ${MAX_PODS}", "maxPods"),
        ('maxPods: "${MAX_PODS:-110}"', "maxPods"),
        ("maxPods: $MAX_PODS", "maxPods"),
        ("maxPods: $(MAX_PODS)", "maxPods"),
        ("maxPods: ${var.max_pods}", "maxPods"),
        ("maxPods: {{ max_pods }}", "maxPods"),
        ("maxPods: '{{ .Values.maxPods }}' # of the chart", "maxPods"),
        ("maxPods: {{ max_pods | default(110) }}  # pods", "maxPods"),
        ("maxPods: <%= @max_pods %>", "maxPods"),
        ("clusterDomain: a.{{ domain }}", "clusterDomain"),
        ("evictionHard: {memory.available: '${MEMORY}'}", "evictionHard[memory.available]"),
        ("clusterDNS: [10.0.0.10, '${DNS}']", "clusterDNS[1]"),
        ("'${FIELD}': 1", "[${FIELD}]"),
        ("authentication: {x509: {clientCAFile: '/${DATA}/ca.crt'}}", "authentication.x509.clientCAFile"),
    ],
)
def test_an_unexpanded_value_is_named_and_has_no_other_finding(field: str, path: str) -> None:
    assert lines(f"{KUBELET}{field}\n") == [f"3 {path} not-judged"]
    assert lines(f"{KUBELET}{field}\nregistryBurst: -1\n") == [
        f"3 {path} not-judged",
        "4 registryBurst component",
    ]


@pytest.mark.parametrize(
    "text",
    [
        KUBELET + "clusterDomain: cluster.local$\n",
        KUBELET + "staticPodURLHeader: {a: ['cost 5$ (each)']}\n",
        "apiVersion: v1\nkind: Config\nusers: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
        "command: sh, args: [-c, 'echo ${TOKEN}'], interactiveMode: Never}}}]\n",
    ],
)
def test_dollar_signs_of_a_value_itself_are_left_alone(text: str) -> None:
    assert not [line for line in lines(text) if line.endswith("not-judged")]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("{% if gpu %}\nmaxPods: 50\n{% endif %}\n", 3),
        ("maxPods: 110\n{{- if .Values.gpu }}\nmaxPods: 50\n{{- end }}\n", 4),
        ("clusterDNS: [{{ dns }}]\n", 3),
        ("evictionHard: {memory.available: ${MEMORY}}\n", 3),
        ("<% if gpu -%>\nmaxPods: [\n<% end -%>\n", 3),
    ],
)
def test_a_template_that_is_not_yaml_is_not_judged(body: str, line: int) -> None:
    (finding,) = check_file(KUBELET + body, file="f", versions=["1.35"])
    assert (finding.line, finding.message, finding.why) == (line, "a document", "a template before it is rendered")


@pytest.mark.parametrize("component", ["kubelet", "kubeadm", None])
def test_a_template_that_is_final_is_refused(component: str | None) -> None:
    text = KUBELET + "{% if gpu %}\n"
    assert lines(text, component=component) == ["3  not-judged"]
    assert [line.split()[-1] for line in lines(text, component=component, bundle=True)] == ["component"]
    assert [line.split()[-1] for line in lines(text, component=component, is_final=True)] == ["component"]
    with pytest.raises(InvalidConfig):
        load_for_check("f", text, "kubelet")


@pytest.mark.parametrize("option", ["bundle", "is_final"])
def test_a_final_text_is_validated_as_it_is(option: str) -> None:
    text = KUBELET + "maxPods: ${MAX_PODS}\nclusterDomain: ${DOMAIN}\n"
    assert lines(text, **{option: True}) == [
        "3 maxPods component",
        "3 maxPods not-judged",
        "4 clusterDomain policy",
        "4 clusterDomain not-judged",
    ]


def test_a_kind_that_is_unexpanded_is_not_judged() -> None:
    assert lines(KUBELET.replace("KubeletConfiguration", "${KIND}") + "maxPods: -1\n") == ["2 kind not-judged"]


def test_the_expressions_of_the_api_server_s_files_are_left_alone() -> None:
    text = AUTHENTICATION + (
        "jwt:\n- issuer: {url: 'https://a.example.org', audiences: [a]}\n"
        '  claimMappings: {username: {expression: \'"a:" + claims.sub + "${x}"\'}}\n'
    )
    assert lines(text) == ["1  not-judged"], "only that there is no CEL library"


def test_only_bare_templates_are_quoted() -> None:
    text = "a: {{ x }}\nb: '{{ x }}'\n- {{ y }}\nc: {d: {e: 1}}\nd: {{ it's }} # x\n"
    expected = "a: '{{ x }}'\nb: '{{ x }}'\n- '{{ y }}'\nc: {d: {e: 1}}\nd: '{{ it''s }}'\n"
    assert quoted_templates(text) == expected
