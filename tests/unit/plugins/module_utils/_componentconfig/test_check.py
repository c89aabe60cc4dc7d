# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A check as a whole: kinds, versions, levels, lines."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, worst
from support.configs.kubelet import KUBELET_HEADER
from support.releases.names import NEWEST_RELEASE, NEXT_RELEASE


def summarize(findings: list[Finding]) -> list[tuple[str, int | None, str, str]]:
    return [(finding.level, finding.line, finding.field, finding.rule) for finding in findings]


@pytest.mark.contract("validate.for-the-version")
def test_all_findings_are_reported_at_once_in_the_order_of_lines() -> None:
    text = (
        KUBELET_HEADER
        + "maxPods: -1\nnoSuch: 1\nport: '1'\nmaxPods: -2\nhairpinMode: x\nevictionHard: {memory.available: bogus}\n"
    )
    assert summarize(check(text, file="f.yaml", versions=["1.35"])) == [
        ("policy", 4, "noSuch", "unknown-field"),
        ("component", 5, "port", "type"),
        ("component", 6, "maxPods", "max-pods"),
        ("policy", 6, "maxPods", "duplicate"),
        ("component", 7, "hairpinMode", "enum"),
        ("warning", 8, "evictionHard", "evict-partial"),
        ("component", 8, "evictionHard[memory.available]", "evict-values"),
    ]


def test_a_finding_is_one_sentence() -> None:
    findings = check(KUBELET_HEADER + "maxPods: -1\n", file="f.yaml", versions=["1.35"])
    assert [str(finding) for finding in findings] == ["f.yaml:3: maxPods: -1: must be >= 0"]
    assert findings[0].as_dict() == {
        "file": "f.yaml",
        "line": 3,
        "path": "maxPods",
        "value": "-1",
        "message": "must be >= 0",
        "level": "component",
        "rule": "max-pods",
        "versions": ["1.35"],
        "nodes": [],
    }


def test_a_set_of_versions_tells_which_ones() -> None:
    findings = check(KUBELET_HEADER + "crashLoopBackOff: {}\n", versions=["v1.27.3", "1.31", "1.36.0", "1.31.9"])
    assert [(finding.versions, finding.message) for finding in findings] == [
        (("1.27", "1.31"), "unknown field: KubeletConfiguration knows it from Kubernetes 1.32 (Kubernetes 1.27, 1.31)")
    ]


@pytest.mark.contract("validate.for-the-version")
def test_a_gate_that_one_version_of_a_pool_lacks_is_an_error_of_that_version() -> None:
    findings = check(KUBELET_HEADER + "featureGates: {KubeletCrashLoopBackOffMax: true}\n", versions=["1.31", "1.36"])
    assert [(finding.field, finding.versions, finding.level) for finding in findings] == [
        ("featureGates.KubeletCrashLoopBackOffMax", ("1.31",), "component")
    ]


IN_QUOTES = ": write {0}0 in quotes, which YAML otherwise reads as the number {0}"


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("1.19", ""),
        ("1.0", ""),
        ("1.1", ""),
        ("1.2", IN_QUOTES.format("1.2")),
        ("1.3", IN_QUOTES.format("1.3")),
        ("1.4", ""),
    ],
)
def test_versions_before_the_data_are_errors(version: str, hint: str) -> None:
    with pytest.raises(ConfigError) as error:
        check(KUBELET_HEADER, versions=["1.31", version])
    minor = ".".join(version.lstrip("v").split(".")[:2])
    assert str(error.value) == f"Kubernetes {minor} is not known here, 1.20 to {NEWEST_RELEASE} are{hint}"


@pytest.mark.parametrize("version", ["1.3", "1.19", "v1.19.16"])
def test_nodes_older_than_the_data_are_errors(version: str) -> None:
    with pytest.raises(ConfigError, match=rf"^node a: Kubernetes 1.* is not known here, 1.20 to {NEWEST_RELEASE} are"):
        check(KUBELET_HEADER, nodes={"a": version})


def test_a_release_without_whole_data_is_validated_as_the_newest_whole_one_and_says_so() -> None:
    text = KUBELET_HEADER + "maxPods: -1\n"
    for findings in (check(text, nodes={"a": f"v{NEXT_RELEASE}.1"}), check(text, versions=[f"v{NEXT_RELEASE}.1"])):
        assert [(finding.level, finding.versions) for finding in findings] == [
            ("not-judged", (NEXT_RELEASE,)),
            ("component", (NEXT_RELEASE,)),
        ]
        assert findings[0].text == (
            f"fields, defaults, gates, flags and rules of Kubernetes {NEXT_RELEASE}: the data of this release are not "
            f"whole, and it is judged as {NEWEST_RELEASE}"
        )


def test_a_name_that_the_next_release_may_have_is_not_refused_for_it() -> None:
    text = KUBELET_HEADER + "featureGates: {NoSuchGate: true}\nnoSuchField: 1\n"
    findings = check(text, versions=[NEWEST_RELEASE, NEXT_RELEASE])
    assert [(finding.field, finding.level, finding.versions) for finding in findings if finding.field] == [
        ("featureGates.NoSuchGate", "component", (NEWEST_RELEASE,)),
        ("featureGates.NoSuchGate", "not-judged", (NEXT_RELEASE,)),
        ("noSuchField", "policy", (NEWEST_RELEASE,)),
        ("noSuchField", "not-judged", (NEXT_RELEASE,)),
    ]


def test_a_gate_that_is_gone_or_locked_in_the_newest_whole_release_stays_refused() -> None:
    text = KUBELET_HEADER + "featureGates: {SidecarContainers: true, NodeDeclaredFeatures: false}\n"
    findings = [finding for finding in check(text, versions=[NEXT_RELEASE]) if finding.path]
    assert [finding.level for finding in findings] == ["component", "component"]


def test_without_versions_the_newest_release_that_is_fully_known_is_used() -> None:
    findings = check(KUBELET_HEADER + "featureGates: {NoSuchGate: true}\n")
    assert [(finding.level, finding.versions) for finding in findings] == [("component", (NEWEST_RELEASE,))]


@pytest.mark.parametrize("version", ["", "2.1", "latest", "1", "1.x"])
def test_invalid_versions_are_refused(version: str) -> None:
    with pytest.raises(ConfigError, match="not a Kubernetes version"):
        check(KUBELET_HEADER, versions=[version])


@pytest.mark.parametrize(
    ("text", "component", "level", "path"),
    [
        ("", None, "component", ""),
        ("- a\n", None, "component", ""),
        ("a: [\n", None, "component", "a"),
        ("kind: KubeletConfiguration\n", "kubelet", "component", "apiVersion"),
        ("apiVersion: 1\nkind: KubeletConfiguration\n", "kubelet", "component", "apiVersion"),
        ("apiVersion: kubelet.config.k8s.io/v1\nkind: KubeletConfiguration\n", "kubelet", "component", "apiVersion"),
        ("apiVersion: x/v1\nkind: Nonsense\n", None, "component", "kind"),
        ("apiVersion: x/v1\nkind: Nonsense\n", "kubelet", "component", "kind"),
        ("apiVersion: x/v1\nkind: Nonsense\n", "my-proxy", "not-judged", "kind"),
        (KUBELET_HEADER, "kube-proxy", "component", "kind"),
        ("apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n", "kubelet", "component", "kind"),
    ],
)
def test_the_kind_of_a_document_is_checked(text: str, component: str | None, level: str, path: str) -> None:
    findings = check(text, component=component, versions=["1.35"])
    assert [(finding.level, finding.field) for finding in findings] == [(level, path)]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("kubeletConfiguration", "unknown kind, did you mean KubeletConfiguration?"),
        ("resourcequota.Configuration", "unknown kind, did you mean ResourceQuotaConfiguration?"),
        ("Secret", "unknown kind, not that of a component config such as KubeletConfiguration"),
        ("ConfigMap", "the ConfigMap holds no component config"),
    ],
)
def test_a_kind_that_is_not_known_is_an_error(kind: str, message: str) -> None:
    assert [finding.message for finding in check(f"apiVersion: v1\nkind: {kind}\n")] == [message]


def test_only_the_syntax_of_a_config_of_an_unknown_component_is_validated() -> None:
    findings = check("apiVersion: x/v1\nkind: X\na: 1\na: 2\npassword: x\n", component="my-proxy", bundle=True)
    assert {(finding.level, finding.rule) for finding in findings} == {
        ("not-judged", "not-judged"),
        ("policy", "duplicate"),
        ("policy", "secret"),
    }


@pytest.mark.parametrize(
    ("head", "minor", "level"),
    [
        (KUBELET_HEADER, "1.36", "policy"),
        ("apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n", "1.36", "policy"),
        ("apiVersion: audit.k8s.io/v1\nkind: Policy\n", "1.36", "policy"),
        ("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", "1.30", "component"),
        ("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n", "1.30", "policy"),
        ("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n", "1.31", "component"),
        ("apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n", "1.31", "policy"),
        ("apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n", "1.32", "component"),
    ],
)
def test_unknown_and_duplicate_fields_are_refused_by_the_component_or_by_policy(
    head: str, minor: str, level: str
) -> None:
    findings = check(head + "noSuch: 1\nnoSuch: 2\n", versions=[minor])
    rules = ("duplicate", "unknown-field")
    assert [(finding.rule, finding.level) for finding in findings if finding.rule in rules] == [
        (rule, level) for rule in rules
    ]


@pytest.mark.parametrize(
    ("wrong", "right"), [("maxpods", "maxPods"), ("maxPod", "maxPods"), ("clusterDns", "clusterDNS")]
)
def test_a_misspelt_field_has_a_suggestion(wrong: str, right: str) -> None:
    assert f"did you mean {right}?" in check(KUBELET_HEADER + f"{wrong}: 1\n")[0].message


def test_fractions_that_are_whole_are_whole_in_yaml_but_not_in_json() -> None:
    assert check(KUBELET_HEADER + "maxPods: 110.0\n") == []
    text = '{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "maxPods": 110.0}'
    assert summarize(check(text)) == [("component", 1, "maxPods", "type")]


def test_zero_is_unset_where_the_kubelet_cannot_tell() -> None:
    assert (
        check(
            KUBELET_HEADER + "maxPods: 0\nport: 0\nnodeLeaseDurationSeconds: 0\nsyncFrequency: 0s\n", versions=["1.20"]
        )
        == []
    )


@pytest.mark.contract("render.relative-paths")
def test_bundles_have_no_secrets_relative_paths_or_values_of_one_node() -> None:
    text = KUBELET_HEADER + "staticPodPath: manifests\nproviderID: aws:///i-1\n"
    text += "staticPodURLHeader:\n  Authorization: [Bearer abcdefghijklmnopqrst]\n"
    assert check(text) == []
    findings = check(text, bundle=True)
    assert summarize(findings) == [
        ("policy", 3, "staticPodPath", "relative-path"),
        ("policy", 4, "providerID", "instance-field"),
        ("policy", 6, "staticPodURLHeader.Authorization[0]", "secret"),
    ]
    assert not any("abcdefghij" in str(finding) for finding in findings)


@pytest.mark.contract("manners.no-secret")
def test_the_value_of_a_wrong_type_shows_no_secret() -> None:
    findings = check(KUBELET_HEADER + "port: Bearer abcdefghijklmnopqrst\n")
    assert "abcdefghij" not in str(findings)


def test_the_worst_level_of_findings_is_chosen() -> None:
    assert worst([]) is None
    assert worst(check(KUBELET_HEADER + "a: 1\n")) == "policy"
    assert worst(check(KUBELET_HEADER + "a: 1\nmaxPods: -1\n")) == "component"


def test_a_misspelt_component_name_is_a_warning() -> None:
    text = KUBELET_HEADER
    [finding] = check(text, component="kubeletx")
    assert finding.level == "warning"
    assert finding.message.endswith("did you mean kubelet?")
    assert check(text, component="second-agent") == []


@pytest.mark.parametrize(
    ("head", "level"),
    [
        ("apiVersion: kubelet.config.k8s.io/v1beta1\nKind: KubeletConfiguration\n", "policy"),
        ("apiversion: kubelet.config.k8s.io/v1beta1\nKIND: KubeletConfiguration\n", "policy"),
        ("Kind: Pod\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n", "policy"),
        ('{"kind": "Pod", "Kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1"}', "policy"),
        ("apiVersion: kubescheduler.config.k8s.io/v1\nKind: KubeSchedulerConfiguration\n", "component"),
        ("ApiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n", "component"),
    ],
)
def test_apiversion_and_kind_are_read_in_any_case(head: str, level: str) -> None:
    findings = [finding for finding in check(head, versions=["1.36"]) if finding.rule in ("kind", "unknown-field")]
    assert {(finding.level, finding.rule) for finding in findings} == {(level, "unknown-field")}
    assert all(finding.message.endswith(("did you mean kind?", "did you mean apiVersion?")) for finding in findings)


@pytest.mark.parametrize("kind", ["Kind: 5\nkind: KubeletConfiguration", "Kind: KubeletConfiguration\nkind: Pod"])
def test_the_last_key_is_the_kind_and_all_are_strings(kind: str) -> None:
    (finding,) = check(f"apiVersion: kubelet.config.k8s.io/v1beta1\n{kind}\n", component="kubelet", versions=["1.36"])
    assert (finding.level, finding.rule) == ("component", "kind")


def test_the_kind_of_a_plugins_configuration_is_read_in_any_case() -> None:
    plugin = "{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, Kind: Configuration, limits: []}"
    head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n"
    findings = check(f"{head}plugins: [{{name: EventRateLimit, configuration: {plugin}}}]\n", versions=["1.36"])
    assert [(finding.field, finding.level) for finding in findings] == [
        ("plugins[0].configuration.Kind", "policy"),
        ("plugins[0].configuration.limits", "component"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KUBELET_HEADER + "logging: {flushFrequency: 1.5e9}\n", []),
        (KUBELET_HEADER + "logging: {flushFrequency: 1.5}\n", ["logging.flushFrequency"]),
        (
            '{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "logging": '
            '{"flushFrequency": 1.5e9}}',
            ["logging.flushFrequency"],
        ),
        (KUBELET_HEADER + "enforceNodeAllocatable: [null]\n", ["enforceNodeAllocatable[0]"]),
        (KUBELET_HEADER + "clusterDNS: []\nallowedUnsafeSysctls: null\n", []),
    ],
)
def test_values_as_they_come_out_of_the_conversion_to_json(text: str, expected: list[str]) -> None:
    assert [finding.field for finding in check(text, versions=["1.36"])] == expected
