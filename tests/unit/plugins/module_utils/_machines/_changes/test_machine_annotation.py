# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The annotation configok.dev/machine: written canonically, read with suspicion."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    InvalidMachineAnnotation,
    MachineAnnotation,
    provider_hash,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    PROVIDER_API_VERSION,
    ProviderConfig,
    Runtime,
)

FULL = MachineAnnotation(
    "worker-1",
    "DebianHost",
    "0a1b2c3d4e",
    ("example.com/disk", "zone"),
    ("dedicated:NoSchedule",),
    "1.34.9",
    Runtime("containerd", "1.7.24~ds1-6"),
    {"kubelet": "1.33.1", "runtime": "containerd 1.7.23"},
)


def test_what_is_written_is_read_again() -> None:
    assert MachineAnnotation.parse(FULL.encode()) == FULL
    plain = MachineAnnotation("worker-1", "External", "0a1b2c3d4e")
    assert json.loads(plain.encode()) == {
        "machine": "worker-1",
        "provider": "External",
        "providerHash": "0a1b2c3d4e",
        "labels": [],
        "taints": [],
    }
    assert MachineAnnotation.parse(plain.encode()) == plain


def test_a_runtime_without_a_version_is_read_again() -> None:
    previous = {"runtime": "containerd"}
    annotation = MachineAnnotation("w", "External", "", runtime=Runtime("containerd", ""), previous=previous)
    assert json.loads(annotation.encode())["runtime"] == "containerd"
    assert MachineAnnotation.parse(annotation.encode()) == annotation


def test_the_text_does_not_depend_on_the_order() -> None:
    labels = FULL.labels[::-1]
    assert MachineAnnotation(**{**FULL.__dict__, "labels": labels}).encode() == FULL.encode()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"machine": ""}, "machine"),
        ({"machine": "../x"}, "machine"),
        ({"machine": 7}, "machine"),
        ({"provider": "Debian\u001b[31m"}, "provider"),
        ({"providerHash": "short"}, "providerHash"),
        ({"labels": "disk"}, "list"),
        ({"labels": ["a b"]}, "labels"),
        ({"labels": [7]}, "labels"),
        ({"labels": ["x"] * 257}, "256"),
        ({"taints": ["dedicated"]}, "taints"),
        ({"taints": ["dedicated:Never"]}, "taints"),
        ({"kubelet": "1.34 && reboot"}, "kubelet"),
        ({"runtime": "containerd "}, "runtime"),
        ({"runtime": "containerd 1.7 && reboot"}, "runtime"),
        ({"previous": []}, "previous"),
        ({"previous": {"kubelet": "$(id)"}}, "kubelet"),
    ],
)
def test_a_text_that_no_run_writes_is_refused(change: dict[str, Any], problem: str) -> None:
    value = {**json.loads(FULL.encode()), **change}
    with pytest.raises(InvalidMachineAnnotation, match=problem):
        MachineAnnotation.parse(json.dumps(value))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 9000, '"' + "x" * 20000 + '"'])
def test_text_that_is_not_an_object_is_refused(text: str) -> None:
    with pytest.raises(InvalidMachineAnnotation):
        MachineAnnotation.parse(text)


@given(st.text(max_size=200))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with pytest.raises(InvalidMachineAnnotation) as raised:
        MachineAnnotation.parse(text)
    assert len(str(raised.value)) < 400


def test_a_previous_version_that_cannot_be_read_again_is_not_written() -> None:
    odd = MachineAnnotation("worker-1", "DebianHost", "", previous={"kubelet": "1 2", "runtime": "containerd 1.7"})
    assert MachineAnnotation.parse(odd.encode()).previous == {"runtime": "containerd 1.7"}


def test_how_the_host_is_reached_is_not_part_of_the_hash() -> None:
    def hashed(kind: str = "DebianHost", **fields: Any) -> str:
        return provider_hash(ProviderConfig("provider.configok.dev/v1alpha1", kind, fields))

    assert hashed(address="10.0.0.1", user="root") == hashed(address="10.0.0.2", user="admin")
    assert hashed(packages={"source": "a"}) == hashed(packages={"source": "b"})
    assert hashed("CloudHost", packages={"source": "a"}) != hashed("CloudHost", packages={"source": "b"})
    assert hashed(kubeletFlags={"v": "2"}) != hashed(kubeletFlags={"v": "3"})
    assert hashed() != hashed("RPMHost")


def test_archives_whose_version_no_field_declares_are_part_of_the_hash() -> None:
    def archive(component: str, version: str, digit: str) -> dict[str, str]:
        return {"component": component, "version": version, "path": "any", "sha256": digit * 64}

    def hash_of(*archives: dict[str, str]) -> str:
        return provider_hash(ProviderConfig(PROVIDER_API_VERSION, "BinaryHost", {"archives": list(archives)}))

    kubelet, runc, cni = archive("kubelet", "1.34.9", "0"), archive("runc", "1.2.3", "a"), archive("cni", "1.6.2", "b")
    before = hash_of(kubelet, runc, cni)
    assert hash_of(cni, runc, kubelet, archive("kubelet", "1.34.10", "1")) == before
    assert hash_of(kubelet, archive("runc", "1.1.0", "2"), {**runc, "path": "x", "sha256": "A" * 64}, cni) == before
    assert hash_of(kubelet, runc, archive("runc", "1.2.4", "3"), cni) != before
    assert hash_of(kubelet, {**runc, "sha256": "c" * 64}, cni) != before
    assert hash_of(kubelet, runc) != before
