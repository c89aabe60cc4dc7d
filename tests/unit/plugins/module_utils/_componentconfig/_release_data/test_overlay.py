# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Release data are made of binaries and answers, compared with the newest release, accepted, and used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.component_flags import (
    ComponentFlags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data._changes import (
    default_at,
    kind_of_defaults,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data._help_text import (
    GateDefault,
    HelpText,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.derive import (
    KnownBinary,
    Running,
    candidates,
    derive,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.difference import difference
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.file_format import (
    ProbedGate,
    ReleaseData,
    read,
    write,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.overlay import (
    accept,
    overlay_of,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.probe import (
    Binary,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.running_component import (
    leaf_fields,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import dotted
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema import overlays as overlays_file
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._defaults import apply_defaults
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._feature_gates import (
    FeatureGates,
    gate_history,
    gate_names,
    gate_state,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.overlays import (
    OverlayFlag,
    ReleaseOverlay,
    cached_by_overlays,
    only_with,
    overlays,
    register,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    Layer,
    known_minors,
    missing_layers,
    newest_minor,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import not_judged_causes
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from ansible_collections.configok.node.plugins.module_utils._componentconfig.upgrade import upgrade
from support.configs.kubelet import KUBELET_HEADER
from support.releases.names import LATER_RELEASE, NEXT_RELEASE

NEWEST = newest_minor()
NEXT = NEWEST + 1
VERSION = f"v1.{NEXT}.0"
LATER = Running(version=f"v{LATER_RELEASE}.0")
DATE = "2026-12-16"
TIME = "2026-12-16T10:00:00Z"
SHA256 = "a" * 64


@pytest.fixture(autouse=True)
def _no_overlays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlays_file, "_registered", {})


def known_gates() -> dict[str, ProbedGate]:
    """Return the gates of the newest release."""
    states = {name: gate_state(name, NEWEST) for name in gate_names()}
    return {
        name: ProbedGate(state.stage, state.default, state.locked)
        for name, state in states.items()
        if state is not None and state.stage
    }


def known_flags() -> dict[str, OverlayFlag]:
    """Return the kubelet's flags of the newest release, with their defaults as help writes them."""
    known, kind = flag_set("kubelet"), kind_of_defaults("KubeletConfiguration")
    assert known is not None
    assert kind is not None
    return {
        name: OverlayFlag(
            "int32" if flag.form == "int" else flag.form,
            as_in_help(default_at(kind, dotted(flag.field), NEWEST)) if kind.entry_at(flag.field, NEWEST) else None,
        )
        for name, flag in known.flags.items()
        if flag.known_at(NEWEST)
    }


def as_in_help(value: Any) -> str | None:
    if isinstance(value, list):
        return f"[{','.join(map(str, value))}]" if value else None
    if isinstance(value, dict):
        return ",".join(f"{key}<{amount}" for key, amount in value.items()) or None
    return str(value).lower() if isinstance(value, bool) else None if value in (None, "", 0) else str(value)


def kubelet(gates: Any = None, flags: Any = None, version: str = VERSION, name: str = "kubelet") -> KnownBinary:
    """Return a kubelet of the next release, which is as the newest one unless the test says something else."""
    shown = known_flags() if flags is None else flags
    return KnownBinary(Binary(version, HelpText(name, shown, {}), known_gates() if gates is None else gates), SHA256)


def changed_kubelet() -> KnownBinary:
    """Return a kubelet that lacks a gate and a flag, has new ones, and one gate that is locked now."""
    gates = known_gates()
    del gates["NodeSwap"]
    gates["MemoryQoS"] = ProbedGate("GA", True, True)
    gates["NewGate"] = ProbedGate("Alpha", False, False)
    flags = {**known_flags(), "new-flag": OverlayFlag("int", "3"), "max-pods": OverlayFlag("int32", "120")}
    del flags["node-ip"]
    return kubelet(gates, flags)


def configz(**changes: Any) -> dict[str, Any]:
    """Return the fields of a kubelet with an empty config, with changes by path."""
    kind = kind_of_defaults("KubeletConfiguration")
    assert kind is not None
    fields = leaf_fields(apply_defaults({}, kind, NEWEST), kind.fields)
    return {**fields, **changes}


def data_of(*binaries: KnownBinary, running: Running | None = None, version: str = "") -> ReleaseData:
    return derive(binaries, running or Running(), DATE, version)


# --- deriving


def test_two_binaries_have_the_gates_of_both() -> None:
    gates = {"A": ProbedGate("Beta", True, False)}
    data = data_of(
        kubelet({**gates, "B": ProbedGate("Alpha", False, False)}, {}),
        kubelet({**gates, "C": ProbedGate("Alpha", False, False)}, {}, name="kube-apiserver"),
    )
    assert sorted(data.gates.values) == ["A", "B", "C"]
    assert [source.name for source in data.gates.sources] == ["kubelet", "kube-apiserver"]
    assert not data.is_draft


@pytest.mark.parametrize(
    ("binaries", "running", "sentence"),
    [
        ([kubelet({}, {}), kubelet({}, {})], Running(), "two binaries are of the same component"),
        ([], Running(gates={"A": GateDefault("Beta", True)}), "the release is not known"),
        (
            [kubelet({}, {})],
            LATER,
            f"of several releases: {NEXT_RELEASE}, {LATER_RELEASE}",
        ),
        (
            [
                kubelet({"A": ProbedGate("Beta", True, False)}, {}),
                kubelet({"A": ProbedGate("Beta", False, False)}, {}, name="kube-proxy"),
            ],
            Running(),
            "contradict each other over the gate A",
        ),
        (
            [kubelet({}, {"max-pods": OverlayFlag("int32", "many")})],
            Running(),
            "the default of --max-pods in the help cannot be read",
        ),
    ],
)
def test_sources_that_do_not_fit_are_refused(binaries: Sequence[KnownBinary], running: Running, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        derive(binaries, running, DATE)


def test_metrics_give_the_default_that_a_binary_does_not_say() -> None:
    gates = {"Old": ProbedGate("Deprecated", True, False, is_assumed=True), "A": ProbedGate("GA", True, True)}
    running = Running(VERSION, {"Old": GateDefault("Deprecated", False), "A": GateDefault("GA", True)})
    assert data_of(kubelet(gates, {})).gates.assumed == ("Old",)
    layer = data_of(kubelet(gates, {}), running=running).gates
    assert (layer.assumed, layer.values["Old"]) == ((), ProbedGate("Deprecated", False, False))


def test_metrics_alone_keep_the_locks_of_the_newest_release() -> None:
    locked = next(name for name, gate in known_gates().items() if gate.locked and gate.default)
    data = data_of(running=Running(VERSION, {locked: GateDefault("GA", True), "NewGate": GateDefault("Beta", True)}))
    assert data.gates.values == {"NewGate": ProbedGate("Beta", True, False), locked: ProbedGate("GA", True, True)}
    assert data.is_draft


def test_a_binary_is_asked_for_what_its_help_may_leave_out() -> None:
    asked = candidates(Running(gates={"FromMetrics": GateDefault("GA", True)}), ["Named"], NEXT)
    assert {"FromMetrics", "Named", "NodeSwap"} <= set(asked.gates)
    assert "node-ip" in asked.flags["kubelet"]


# --- the difference


def test_a_release_without_changes_has_no_difference() -> None:
    assert difference(data_of(kubelet())).lines == [f"Kubernetes 1.{NEXT} and 1.{NEWEST}: 0 gone, 0 new, 0 changed"]


def test_gates_flags_and_defaults_that_differ_are_named() -> None:
    changes = difference(data_of(changed_kubelet(), running=Running(configz=configz(maxPods=120, brandNew=5))))
    assert changes.lines[1:] == [
        "gate MemoryQoS: Beta, on -> GA, on, locked",
        "gate NewGate: new, Alpha, off",
        "gate NodeSwap: gone, was GA, on, locked",
        "flag kubelet --new-flag: new, int, default \"3\"",
        "flag kubelet --node-ip: gone, was a flag",
        "field KubeletConfiguration brandNew: new, default 5",
        "field KubeletConfiguration maxPods: 110 -> 120",
    ]  # fmt: skip
    assert changes.lines[0].endswith(": 2 gone, 3 new, 2 changed")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("syncFrequency", "60s"),
        ("syncFrequency", "1m0s"),
        ("maxPods", 110),
        ("enforceNodeAllocatable", ["pods"]),
        ("authentication.webhook.cacheTTL", "120s"),
        ("staticPodPath", ""),
        ("staticPodPath", None),
        ("memorySwap.swapBehavior", ""),
        ("kubeReserved", {}),
        ("protectKernelDefaults", False),
    ],
)
def test_a_default_in_another_notation_is_the_same(path: str, value: Any) -> None:
    assert not difference(data_of(running=Running(VERSION, None, configz(**{path: value})))).changes


@pytest.mark.parametrize(
    ("path", "value"),
    [("syncFrequency", "61s"), ("maxPods", 0), ("staticPodPath", "/etc"), ("enforceNodeAllocatable", [])],
)
def test_another_default_differs(path: str, value: Any) -> None:
    (change,) = difference(data_of(running=Running(VERSION, None, configz(**{path: value})))).changes
    assert (change.subject, change.kind) == ("field", "changed")


# --- the overlay


def use(*binaries: KnownBinary, running: Running | None = None) -> ReleaseOverlay:
    """Register the accepted data, as a file."""
    data = data_of(*binaries, running=running)
    overlay = overlay_of(accept(write(data), difference(data).digest, "alice", TIME))
    register(overlay)
    return overlay


def findings(text: str, **options: Any) -> list[str]:
    return [str(finding) for finding in check(KUBELET_HEADER + text, versions=[f"1.{NEXT}"], **options)]


def changes_between(old: int, new: int) -> list[str]:
    """Return what an empty config means at two minors."""
    empty = load([("kubelet.yaml", KUBELET_HEADER.encode())])
    return compare(empty, empty, (f"1.{old}", f"1.{new}"), {}).lines


def open_layers() -> list[str]:
    """Return the layers of the next release that are not judged."""
    causes = not_judged_causes(check(KUBELET_HEADER, versions=[f"1.{NEXT}"]))
    return [cause.what for cause in causes]


def test_without_release_data_the_next_release_is_not_judged() -> None:
    assert open_layers() == [f"fields, defaults, gates, flags and rules of Kubernetes 1.{NEXT}"]


def test_release_data_take_their_layers_out_of_what_is_not_judged() -> None:
    use(changed_kubelet())
    assert open_layers() == [f"fields, defaults and rules of Kubernetes 1.{NEXT}"]


def test_a_config_is_validated_against_the_gates_of_the_new_release() -> None:
    use(changed_kubelet())
    assert known_minors()[-1] == NEXT
    assert newest_minor() == NEWEST
    text = "featureGates: {NodeSwap: true, MemoryQoS: false, NewGate: true, Nowhere: true}\n"
    refused = [finding for finding in check(KUBELET_HEADER + text, versions=[f"1.{NEXT}"]) if finding.path[:1]]
    assert sorted((str(finding.path[-1]), finding.message, str(finding.level)) for finding in refused) == [
        ("MemoryQoS", "the gate is locked: only true is allowed", "component"),
        ("NodeSwap", f"unknown feature gate: it is gone since Kubernetes 1.{NEXT}", "component"),
        ("Nowhere", "unknown feature gate", "component"),
    ]


def test_older_releases_keep_their_gates_flags_and_defaults() -> None:
    before = check(KUBELET_HEADER + "featureGates: {NodeSwap: true, NewGate: true}\n", versions=[f"1.{NEWEST}"])
    text = changes_between(NEWEST - 1, NEWEST)
    use(changed_kubelet(), running=Running(configz=configz(maxPods=120)))
    after = check(KUBELET_HEADER + "featureGates: {NodeSwap: true, NewGate: true}\n", versions=[f"1.{NEWEST}"])
    assert [finding.path for finding in before] == [finding.path for finding in after]
    assert changes_between(NEWEST - 1, NEWEST) == text
    assert FeatureGates(NEWEST, {}).is_known("NodeSwap")


def test_a_gate_has_its_new_state_in_its_history() -> None:
    use(changed_kubelet())
    assert [str(state) for state in gate_history("NewGate")] == ["Alpha, off"]
    assert str(gate_history("NodeSwap")[-1]) == "gone"
    assert "NewGate" in gate_names()
    assert f"1.{NEXT}" in "\n".join(explain("featureGates.NewGate").lines)


def test_flags_that_are_gone_are_refused_and_new_ones_taken() -> None:
    use(changed_kubelet())
    lines = findings("", flags=ComponentFlags(["--node-ip=192.0.2.7", "--new-flag=4"]))
    lines = [line for line in lines if "whole" not in line]
    assert [line.partition(": ")[2] for line in lines] == [f"kubelet has it up to Kubernetes 1.{NEWEST} only"]
    assert findings("", flags=ComponentFlags(["--new-flag=many"]))


def test_a_new_default_is_used() -> None:
    use(running=Running(VERSION, None, configz(maxPods=120, syncFrequency="60s")))
    lines = changes_between(NEWEST, NEXT)
    assert lines[0].startswith("maxPods: 110 -> 120")
    assert not any("syncFrequency" in line for line in lines)


@pytest.mark.parametrize(
    ("binaries", "running", "layers"),
    [
        ([kubelet()], Running(), {"gates", "flags"}),
        ([], Running(VERSION, {"A": GateDefault("Beta", True)}), set()),
        ([], Running(VERSION, None, configz(maxPods=110)), {"defaults"}),
        ([kubelet()], Running(VERSION, None, configz(maxPods=110)), {"gates", "flags", "defaults"}),
    ],
)
def test_a_layer_is_whole_if_its_sources_say_all_of_it(
    binaries: Sequence[KnownBinary], running: Running, layers: set[str]
) -> None:
    assert use(*binaries, running=running).layers == layers
    assert (Layer.GATES in missing_layers(NEXT)) == ("gates" not in layers)


def test_unknown_gates_are_not_judged_by_metrics_alone() -> None:
    use(running=Running(VERSION, {"A": GateDefault("Beta", True)}))
    levels = {finding.level for finding in check(KUBELET_HEADER + "featureGates: {B: true}\n", versions=[f"1.{NEXT}"])}
    assert levels == {"not-judged"}


@pytest.mark.parametrize(
    ("running", "missing"),
    [
        (Running(), "fields, defaults, rules and meanings"),
        (Running(VERSION, None, configz()), "fields, rules and meanings"),
    ],
)
def test_an_upgrade_says_which_data_are_missing(running: Running, missing: str) -> None:
    use(changed_kubelet(), running=running)
    config = load([("kubelet.yaml", (KUBELET_HEADER + "featureGates: {NodeSwap: true}\n").encode())])
    changes = upgrade(config, f"1.{NEWEST}", f"1.{NEXT}", flags=["--node-ip=192.0.2.7"])
    assert [cause.what for cause in changes.not_judged] == [f"{missing} of Kubernetes 1.{NEXT}"]
    assert [flag.name for flag in changes.flags if flag.is_refused] == ["node-ip"]
    assert [(gate.gate, gate.after) for gate in changes.gates if gate.refusal] == [("NodeSwap", "gone")]


# --- what may be used


def draft() -> str:
    return write(data_of(running=Running(VERSION, None, configz(maxPods=120))))


def test_a_draft_is_refused_until_its_difference_is_accepted() -> None:
    with pytest.raises(ConfigError, match=r"draft.yaml is a draft: `release-data accept draft.yaml`"):
        overlay_of(draft(), "draft.yaml")
    digest = difference(read(draft())).digest
    accepted = accept(draft(), digest, "alice", TIME)
    assert overlay_of(accepted).defaults == {"KubeletConfiguration": {"maxPods": 120}}


def test_a_difference_other_than_the_accepted_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="not the one that is accepted"):
        accept(draft(), "c" * 64, "alice", TIME)
    digest = difference(read(draft())).digest
    accepted = accept(draft(), digest, "alice", TIME)
    with pytest.raises(ConfigError, match=f"another difference from Kubernetes 1.{NEWEST} than the accepted one"):
        overlay_of(accepted.replace("maxPods: 120", "maxPods: 130"))


@pytest.mark.parametrize(("before", "after"), [("max-pods:", "max-podz:"), ("110", "111")])
def test_the_flags_of_a_draft_are_accepted_as_they_are(before: str, after: str) -> None:
    data = data_of(kubelet(), running=Running(VERSION, None, configz(maxPods=120)))
    data = replace(data, flags=replace(data.flags, values={"kubelet": {"max-pods": OverlayFlag("int32", "110")}}))
    text = write(data)
    accepted = accept(text, difference(read(text)).digest, "alice", TIME)
    assert overlay_of(accepted).flags["kubelet"]["max-pods"].default == "110"
    head, layer, values = accepted.partition("flags:")
    assert values.count(before) == 1
    with pytest.raises(ConfigError, match="another difference"):
        overlay_of(head + layer + values.replace(before, after))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("maxPods", "many"),
        ("syncFrequency", "soon"),
        ("enforceNodeAllocatable", "pods"),
        ("evictionHard", ["memory.available"]),
        ("authentication", {"anonymous": {"enabled": "no"}}),
        ("registerWithTaints.key", 1),
    ],
)
def test_a_default_that_its_field_cannot_have_is_refused(path: str, value: Any) -> None:
    text = write(data_of(running=Running(VERSION, None, configz(**{path: value}))))
    digest = difference(read(text)).digest
    for accepted in (text, text.replace("accepted: false", f"accepted: {{by: a, at: '{TIME}', diff: {digest}}}")):
        with pytest.raises(ConfigError, match=r"layers\.defaults: KubeletConfiguration"):
            overlay_of(accepted)
    with pytest.raises(ConfigError, match=r"layers\.defaults: KubeletConfiguration"):
        accept(text, digest, "alice", TIME)


@pytest.mark.parametrize("path", sorted(configz()))
def test_a_default_that_is_gone_leaves_the_rules_at_work(path: str) -> None:
    fields = configz()
    del fields[path]
    use(running=Running(VERSION, None, fields))
    findings("")


def test_the_name_of_the_person_who_accepts_is_checked() -> None:
    with pytest.raises(ConfigError, match=r"accepted\.by: must be a name"):
        accept(draft(), difference(read(draft())).digest, "a\nb", TIME)


@pytest.mark.parametrize("minor", [20, NEWEST - 1, NEWEST])
def test_a_release_that_is_known_stays_as_it_is(minor: int) -> None:
    data = data_of(kubelet(version=f"v1.{minor}.0"))
    with pytest.raises(ConfigError, match=f"is of Kubernetes 1.{minor}, which is known here"):
        overlay_of(write(data))
    with pytest.raises(ConfigError, match="which is known here"):
        accept(write(data), "a" * 64, "alice", TIME)


def test_data_of_a_binary_need_no_acceptance() -> None:
    assert overlay_of(write(data_of(kubelet()))).minor == NEXT


def test_a_release_has_one_file() -> None:
    use(kubelet())
    with pytest.raises(ConfigError, match=f"two files have release data of Kubernetes 1.{NEXT}"):
        use(kubelet())
    later = replace(data_of(kubelet()), minor=NEXT + 1)
    register(overlay_of(write(later)))
    assert [overlay.minor for overlay in overlays()] == [NEXT, NEXT + 1]


def test_overlays_of_a_block_are_known_in_it_only() -> None:
    use(kubelet(), running=Running(VERSION, None, configz(maxPods=120)))
    before, later = overlays(), overlay_of(write(replace(data_of(changed_kubelet()), minor=NEXT + 1)))

    def fail_with_later() -> None:
        with only_with([later]):
            assert (known_minors()[-2:], overlays()) == ((NEWEST, NEXT + 1), (later,))
            assert not any("maxPods" in line for line in changes_between(NEWEST, NEXT))
            raise RuntimeError

    assert any("maxPods" in line for line in changes_between(NEWEST, NEXT))
    with pytest.raises(RuntimeError):
        fail_with_later()
    assert overlays() == before
    with pytest.raises(ConfigError, match="two files have release data"), only_with([later, later]):
        pass
    assert overlays() == before


def test_results_that_are_kept_are_kept_apart() -> None:
    calls = []

    @cached_by_overlays
    def newest(name: str) -> str:
        calls.append(name)
        return f"{name} {known_minors()[-1]}"

    overlay = overlay_of(write(data_of(kubelet())))
    for _turn in range(2):
        assert newest("a") == f"a {NEWEST}"
        with only_with([overlay]):
            assert newest("a") == f"a {NEXT}"
    assert calls == ["a", "a"]
