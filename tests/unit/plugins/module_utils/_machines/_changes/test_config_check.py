# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config of a machine, validated for the kubelet version that it is to have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes import _config_check, config_inputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes._config_check import (
    adjusted_flags,
    check_config,
    config_disruption,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import provider_hash
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import LocalComponent, LocalConfig
from support.rollouts.declared_machines import SOURCE, a_machine, an_observed

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
TEXT = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
GONE = {**HEAD, "featureGates": {"ComponentSLIs": True}}  # a gate that kubelet 1.35 no longer knows
LOCAL = "0" * 20


def inputs(
    document: str = "", init: dict[str, Any] | None = None, instance: dict[str, Any] | None = None
) -> ConfigInputs:
    """Return the configs of a node with a bundle and configs of its own."""
    local = LocalConfig({"kubelet": LocalComponent(init if init is not None else HEAD, instance or {})})
    return ConfigInputs(
        bundles={SOURCE: {"kubelet": document}} if document else {SOURCE: {}}, local_configs={LOCAL: local}
    )


def test_a_bundle_that_the_new_kubelet_refuses_is_named_with_its_field() -> None:
    document = TEXT + "featureGates: {ComponentSLIs: true}\n"
    node = an_observed(kubelet="v1.34.9", source=SOURCE, local_config=LOCAL)
    (refusal,) = check_config(a_machine(kubelet_version="1.35.0"), node, SOURCE, inputs(document)).refusals
    assert refusal.startswith("kubelet 1.35.0 would refuse the bundle workers-0a1b2c3d4e: workers-0a1b2c3d4e:3: ")
    assert "featureGates.ComponentSLIs" in refusal
    fits = check_config(a_machine(kubelet_version="1.34.10"), node, SOURCE, inputs(document))
    assert fits.refusals == fits.warnings == ()


def test_the_bundle_in_use_must_fit_the_new_kubelet_too_until_the_other_one_is_assigned() -> None:
    other = SOURCE._replace(name="workers-ffffffffff", uid="22222222-2222-2222-2222-222222222222")
    known = inputs(TEXT + "featureGates: {ComponentSLIs: true}\n")
    known = replace(known, bundles={**known.bundles, other: {"kubelet": TEXT}})
    node = an_observed(kubelet="v1.34.9", source=SOURCE, local_config=LOCAL)
    (refusal,) = check_config(a_machine(kubelet_version="1.35.0"), node, other, known).refusals
    assert refusal.startswith("change the config in a run of its own first")
    assert "featureGates.ComponentSLIs" in refusal
    assert not check_config(a_machine(kubelet_version="1.34.10"), node, other, known).refusals
    uses_other = replace(node, config=replace(node.config, active=other))
    assert not check_config(a_machine(kubelet_version="1.35.0"), uses_other, other, known).refusals


@pytest.mark.parametrize("place", ["init", "instance"])
def test_the_nodes_own_config_is_validated_too(place: str) -> None:
    node = an_observed(source=SOURCE, local_config=LOCAL)
    checked = check_config(
        a_machine(kubelet_version="1.35.0"), node, SOURCE, inputs(TEXT + "maxPods: 100\n", **{place: GONE})
    )
    assert len(checked.refusals) == 1
    assert "featureGates.ComponentSLIs" in checked.refusals[0]


def test_what_the_old_kubelet_refuses_too_is_only_a_warning() -> None:
    node = an_observed(kubelet="v1.34.9", local_config=LOCAL)
    bad = {**HEAD, "maxPods": -1}
    checked = check_config(a_machine(kubelet_version="1.35.0"), node, None, inputs(init=bad))
    assert checked.refusals == ()
    assert "maxPods" in checked.warnings[0]
    assert "as kubelet 1.34.9 does" in checked.warnings[0]


def test_a_config_that_is_not_published_is_a_warning() -> None:
    checked = check_config(a_machine(kubelet_version="1.35.0"), an_observed(), None, ConfigInputs())
    assert checked.refusals == ()
    assert "is not published" in checked.warnings[0]


def test_a_bundle_that_cannot_be_read_cannot_be_validated_so_nothing_moves() -> None:
    for node in (None, an_observed(source=SOURCE)):
        checked = check_config(a_machine(kubelet_version="1.35.0"), node, SOURCE, ConfigInputs())
        (refusal,) = checked.refusals
        assert refusal.startswith(
            f"the bundle {SOURCE.name} cannot be read, so it cannot be validated for kubelet 1.35.0"
        )


def test_the_init_config_that_the_provider_rewrites_is_validated() -> None:
    machine = a_machine(kubelet_version="1.35.0")
    node = an_observed(kubelet="v1.34.9", local_config=LOCAL)
    (refusal,) = check_config(machine, node, None, replace(inputs(), init_configs={machine.name: GONE})).refusals
    assert refusal.startswith("kubelet 1.35.0 would refuse the init config of its Machine: ")


@pytest.mark.parametrize("is_changed", [True, False])
def test_an_init_config_that_a_changed_provider_config_brings_is_refused_at_the_same_version(is_changed: bool) -> None:
    machine = a_machine(kubelet_version="1.34.9")
    node = an_observed(kubelet="v1.34.9", local_config=LOCAL)
    before = "0" * 10 if is_changed else provider_hash(machine.provider)
    node = replace(node, annotation=replace(node.annotation, provider_hash=before))
    bad = {**HEAD, "maxPods": -1}
    checked = check_config(machine, node, None, replace(inputs(), init_configs={machine.name: bad}))
    assert (len(checked.refusals), len(checked.warnings)) == ((1, 0) if is_changed else (0, 1))


def test_a_new_machine_is_validated_with_its_init_config() -> None:
    machine = a_machine(kubelet_version="1.35.0")
    checked = check_config(machine, None, None, ConfigInputs(init_configs={machine.name: GONE}))
    assert "would refuse the init config" in checked.refusals[0]


def test_an_old_kubelet_of_which_nothing_is_known_is_not_validated() -> None:
    checked = check_config(a_machine(kubelet_version="1.11.0"), None, None, ConfigInputs())
    assert checked.refusals == ()
    assert "is not validated" in checked.warnings[0]


def test_flags_that_are_gone_are_taken_away_by_the_provider() -> None:
    flags = ["--pod-infra-container-image=pause:3", "--node-ip=10.0.0.1"]
    (line,) = adjusted_flags(flags, "1.34.9", "1.35.0")
    assert line.startswith("--pod-infra-container-image: Kubernetes 1.35 and newer do not have it")
    assert adjusted_flags(flags, "1.34.1", "1.34.9") == ()
    assert adjusted_flags([], "1.34.1", "1.35.0") == ()
    assert adjusted_flags(flags, "", "1.35.0") == ()
    # The older kubelet has it again.
    assert adjusted_flags(flags, "1.35.0", "1.34.9") == ()


@pytest.mark.parametrize(
    ("document", "init", "expected"),
    [
        (TEXT, HEAD, "none"),
        (TEXT + "maxPods: 90\n", HEAD, "restart-may-reject"),
        (TEXT + "cpuManagerPolicy: static\n", HEAD, "drain+state"),
        ("{", HEAD, "restart"),
    ],
)
def test_the_heaviest_field_decides_what_another_config_asks(
    document: str, init: dict[str, Any], expected: str
) -> None:
    node = an_observed(local_config=LOCAL)
    assert config_disruption(a_machine(), node, SOURCE, inputs(document, init)) == expected


def test_the_bundles_of_many_machines_are_decoded_and_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for module, name in ((config_inputs, "decode"), (_config_check, "effective_diff")):
        real = getattr(module, name)

        def counted(*arguments: Any, _real: Any = real, _name: str = name) -> Any:
            calls.append(_name)
            return _real(*arguments)

        monkeypatch.setattr(module, name, counted)
    other = SOURCE._replace(name="workers-1111111111")
    documents = {SOURCE: {"kubelet": TEXT + "maxPods: 71\n"}, other: {"kubelet": TEXT + "maxPods: 72\n"}}
    inputs = ConfigInputs(bundles=documents)
    for number in range(20):
        name = f"w{number}"
        assert (
            config_disruption(a_machine(name), an_observed(name, source=other), SOURCE, inputs) == "restart-may-reject"
        )
    assert sorted(calls) == ["decode", "decode", "effective_diff"]
