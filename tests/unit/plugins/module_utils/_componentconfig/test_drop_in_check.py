# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drop-in directories: each file is read as the kubelet reads it, and all are validated together."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.drop_in_check import (
    DropInDirectory,
    check_drop_ins,
)

KUBELET = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
SOFT = KUBELET + "evictionSoft: {memory.available: 5%}\n"
GRACE = KUBELET + "evictionSoftGracePeriod: {memory.available: 1m}\n"


def directory(*texts: str, base: str | None = None) -> DropInDirectory:
    files = [(f"d/{number}0.conf", text) for number, text in enumerate(texts, 1)]
    return DropInDirectory("d", files, (), None if base is None else ("base.yaml", base))


def lines(*texts: str, base: str | None = None, version: str = "1.36") -> list[str]:
    """Return where the findings are, and their levels."""
    findings = check_drop_ins(directory(*texts, base=base), versions=[version]).findings
    return [f"{finding.file}:{finding.line} {finding.field} {finding.level}" for finding in findings]


@pytest.mark.parametrize("version", ["1.30", "1.31", "1.36", "1.37"])
@pytest.mark.parametrize(
    ("texts", "base"),
    [
        ((SOFT, GRACE), None),
        ((GRACE,), SOFT),
        ((KUBELET + "imageGCHighThresholdPercent: 70\n", KUBELET + "imageGCLowThresholdPercent: 60\n"), None),
        ((KUBELET + "shutdownGracePeriodCriticalPods: 10s\n", KUBELET + "shutdownGracePeriod: 30s\n"), None),
        ((KUBELET,), None),
        ((), None),
    ],
)
def test_drop_ins_that_are_valid_together_are_accepted(texts: tuple[str, ...], base: str | None, version: str) -> None:
    assert lines(*texts, base=base, version=version) == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((SOFT,), ["d/10.conf:3 evictionSoft[memory.available] component"]),
        ((KUBELET + "maxPods: 1\n", KUBELET + "maxPods: -1\n"), ["d/20.conf:3 maxPods component"]),
        ((KUBELET + "maxPods: -1\n", KUBELET + "maxPods: 1\n"), []),
        ((KUBELET + "maxPods: x\n", KUBELET + "maxPods: 1\n"), ["d/10.conf:3 maxPods component"]),
        ((KUBELET + "maxPod: 1\n",), ["d/10.conf:3 maxPod policy"]),
        (("maxPods: 1\n",), ["d/10.conf:1 apiVersion component"]),
        (("kind: KubeletConfiguration\n",), ["d/10.conf:1 apiVersion component"]),
        (("apiVersion: kubelet.config.k8s.io/v1beta1\n",), ["d/10.conf:1 kind component"]),
        (("",), ["d/10.conf:None  component"]),
        (("# nothing\n", KUBELET + "maxPods: -1\n"), ["d/10.conf:None  component", "d/20.conf:3 maxPods component"]),
        (("- a\n",), ["d/10.conf:1  component"]),
        (("a: [\n",), ["d/10.conf:2 a component"]),
        ((KUBELET.replace("v1beta1", "v1"),), ["d/10.conf:1 apiVersion component"]),
        (("apiVersion: v1\nkind: Config\n",), ["d/10.conf:2 kind component"]),
        ((KUBELET + "maxPods: ${MAX}\n",), ["d/10.conf:3 maxPods not-judged"]),
        ((KUBELET + "{% if a %}\n",), ["d/10.conf:3  not-judged"]),
        ((KUBELET.replace("kind", "Kind") + "maxPods: -1\n",), ["d/10.conf:3 maxPods component"]),
    ],
)
def test_each_finding_names_the_drop_in_that_sets_the_field(texts: tuple[str, ...], expected: list[str]) -> None:
    assert lines(*texts) == expected


def test_the_base_is_validated_with_its_drop_ins() -> None:
    assert lines(KUBELET, base=KUBELET + "maxPods: -1\n") == ["base.yaml:3 maxPods component"]
    assert lines(KUBELET + "maxPods: 1\n", base=KUBELET + "maxPods: -1\n") == []
    assert lines(KUBELET + "maxPods: x\n", base="") == ["base.yaml:None  component", "d/10.conf:3 maxPods component"]


def test_each_minor_merges_in_its_own_way() -> None:
    reset = KUBELET + "evictionSoft: null\n"
    findings = check_drop_ins(directory(reset, base=SOFT), versions=["1.31", "1.36"]).findings
    assert [(finding.field, finding.versions) for finding in findings] == [
        ("evictionSoft[memory.available]", ("1.31",))
    ]


def test_minors_without_drop_ins_have_a_finding() -> None:
    assert lines(KUBELET, version="1.27") == ["d:None  policy"]
    assert lines(KUBELET, version="1.28") == ["d:None  warning"]


def test_files_that_the_kubelet_ignores_are_named() -> None:
    result = check_drop_ins(DropInDirectory("d", [], ["d/20-site.yaml"]), versions=["1.36"])
    assert [(finding.file, str(finding.level)) for finding in result.findings] == [("d/20-site.yaml", "warning")]


def test_the_merged_config_is_returned() -> None:
    config = check_drop_ins(directory(SOFT, GRACE, base=KUBELET + "maxPods: 5\n"), versions=["1.36"]).config
    assert config is not None
    assert {origin.file for origin in config.origins()} == {"base.yaml", "d/10.conf", "d/20.conf"}
    assert check_drop_ins(directory("")).config is None
