# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of a binary: what its help leaves out, it says when it refuses a setting."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data._help_text import GateDefault
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.file_format import (
    ProbedGate,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.probe import (
    HIDDEN,
    TIMED_OUT,
    Answer,
    Candidates,
    probe_binary,
)
from support.releases.fake_component import FakeComponent, FakeGate
from support.releases.names import NEXT_MINOR, NEXT_RELEASE

GATES = {
    "AllAlpha": FakeGate("ALPHA", False),
    "Alpha1": FakeGate("ALPHA", False),
    "Beta1": FakeGate("BETA", True),
    "BetaLocked": FakeGate("BETA", True, locked=True),
    "Ga1": FakeGate("GA", True),
    "GaLocked": FakeGate("GA", True, locked=True),
    "OldLocked": FakeGate("DEPRECATED", False, locked=True),
    "Old1": FakeGate("DEPRECATED", True),
    "NewOld": FakeGate("DEPRECATED", False),
}
LAST_KNOWN = {
    "Ga1": GateDefault("Beta", True),
    "GaLocked": GateDefault("GA", True),
    "OldLocked": GateDefault("Deprecated", False),
    "Old1": GateDefault("Deprecated", True),
    "NewOld": GateDefault("Alpha", True),
    "Gone": GateDefault("GA", True),
}
FOUND = {
    "AllAlpha": ProbedGate("Alpha", False, False),
    "Alpha1": ProbedGate("Alpha", False, False),
    "Beta1": ProbedGate("Beta", True, False),
    "BetaLocked": ProbedGate("Beta", True, True),
    "Ga1": ProbedGate("GA", True, False, is_assumed=True),
    "GaLocked": ProbedGate("GA", True, True),
    "OldLocked": ProbedGate("Deprecated", False, True),
    "Old1": ProbedGate("Deprecated", True, False, is_assumed=True),
    "NewOld": ProbedGate("Deprecated", False, False, is_assumed=True),
}


def asked(minor: int) -> Candidates:
    assert minor == NEXT_MINOR
    return Candidates(LAST_KNOWN, {"kubelet": ["max-pods", "hidden-one", "gone-one"]})


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("kubelet", "--config"),
        ("kube-apiserver", "--version"),
        ("kube-scheduler", "--version"),
        ("kube-proxy", "--write-config-to"),
    ],
)
def test_stage_default_and_lock_of_every_gate_are_found(name: str, ending: str) -> None:
    component = FakeComponent(name, gates=GATES, flags=["--max-pods int32   Pods. (default 110)"], ending=ending)
    binary = probe_binary(component.run, asked)
    assert (binary.version, dict(binary.gates)) == (f"v{NEXT_RELEASE}.0", FOUND)


def test_a_flag_that_help_hides_is_not_gone() -> None:
    component = FakeComponent(gates=GATES, flags=["--max-pods int32   Pods."], hidden=["hidden-one"])
    flags = probe_binary(component.run, asked).help.flags
    assert set(flags) == {"feature-gates", "max-pods", "hidden-one"}
    assert flags["hidden-one"].type == HIDDEN


def test_kubeadm_says_its_version_in_its_own_way_and_has_no_gates_of_components() -> None:
    seen: list[Sequence[str]] = []

    def run(arguments: Sequence[str]) -> Answer:
        seen.append(arguments)
        if arguments == ["version", "--output=short"]:
            return Answer(0, f"v{NEXT_RELEASE}.0\n")
        return Answer(0, "Usage:\n  kubeadm init [flags]\n\nFlags:\n      --feature-gates string   Options are:\n")

    binary = probe_binary(run, asked)
    assert (binary.version, binary.gates, set(binary.help.flags)) == (f"v{NEXT_RELEASE}.0", {}, {"feature-gates"})
    assert seen == [["--help"], ["init", "--help"], ["version", "--output=short"]]


def test_every_run_has_a_flag_that_ends_it() -> None:
    component = FakeComponent(gates=GATES, flags=["--max-pods int32   Pods."])
    seen: list[Sequence[str]] = []

    def run(arguments: Sequence[str]) -> Answer:
        seen.append(arguments)
        return component.run(arguments)

    probe_binary(run, asked)
    ends = ("--help", "--version", "--config=missing/config.yaml", "--write-config-to=config.yaml")
    assert seen
    assert all(arguments[-1] in ends for arguments in seen)


def test_a_program_that_does_not_end_is_asked_once() -> None:
    seen = []

    def run(arguments: Sequence[str]) -> Answer:
        seen.append(arguments)
        return Answer(TIMED_OUT, "")

    with pytest.raises(ConfigError, match="does not end with --help"):
        probe_binary(run, asked)
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (f"cannot set feature gate Odd to {{value}}, feature is PreAlpha at emulated version {NEXT_RELEASE}", None),
        ("", ProbedGate("Beta", True, False, is_assumed=True)),
    ],
)
def test_a_gate_without_a_warning_is_not_there_or_as_before(refusal: str, expected: ProbedGate | None) -> None:
    component = FakeComponent(gates=GATES)

    def run(arguments: Sequence[str]) -> Answer:
        for value in ("true", "false"):
            if f"--feature-gates=Odd={value}" in arguments:
                text = refusal.format(value=value)
                return Answer(1, text) if text else Answer(1, "open missing/config.yaml: no such file\n")
        return component.run(arguments)

    binary = probe_binary(run, lambda minor: Candidates({"Odd": GateDefault("Beta", True)}, {}))
    assert binary.gates.get("Odd") == expected


def test_a_gate_that_is_refused_for_an_unknown_reason_is_an_error() -> None:
    component = FakeComponent(gates=GATES)

    def run(arguments: Sequence[str]) -> Answer:
        return Answer(1, "no") if "--feature-gates=Odd" in arguments[0] else component.run(arguments)

    with pytest.raises(ConfigError, match="says neither that it has the gate Odd nor that it lacks it"):
        probe_binary(run, lambda minor: Candidates({"Odd": GateDefault("Beta", True)}, {}))


def test_gates_that_depend_on_others_are_asked_one_by_one() -> None:
    component = FakeComponent(gates=GATES)

    def run(arguments: Sequence[str]) -> Answer:
        if arguments[0].count(",") and "=--" not in arguments[0]:
            return Answer(1, "Alpha1 is enabled, but depends on features that are disabled: Beta1\n")
        return component.run(arguments)

    binary = probe_binary(run, lambda minor: Candidates({}, {}))
    assert [name for name, gate in binary.gates.items() if gate.locked] == ["BetaLocked"]


def test_a_component_that_takes_every_gate_is_refused() -> None:
    component = FakeComponent(gates=GATES)

    def run(arguments: Sequence[str]) -> Answer:
        return component.run([word for word in arguments if "ConfigOkProbe" not in word])

    with pytest.raises(ConfigError, match="kubelet does not refuse an unknown feature gate"):
        probe_binary(run, asked)


def test_a_release_that_is_not_wanted_is_not_probed() -> None:
    def refuse(minor: int) -> Candidates:
        raise ConfigError(f"not wanted: {minor}")

    with pytest.raises(ConfigError, match=f"not wanted: {NEXT_MINOR}"):
        probe_binary(FakeComponent(gates=GATES).run, refuse)
