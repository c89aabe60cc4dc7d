# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What rests on data that are missing is not judged, by no consumer; and what passes was judged as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema import releases
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._feature_gates import gate_state
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind, kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    JUDGED_LAYERS,
    Layer,
    known_minors,
    minor_name,
    missing_layers,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import convert
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import (
    Verdict,
    finding_lines,
    refusing_levels,
    verdict_of,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from ansible_collections.configok.node.plugins.module_utils._componentconfig.migrate import migrate
from ansible_collections.configok.node.plugins.module_utils._componentconfig.upgrade import upgrade
from ansible_collections.configok.node.plugins.module_utils._machines._changes._config_check import check_config
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._operations._publishing._release import (
    check_documents,
    version_warnings,
)
from ansible_collections.configok.node.plugins.module_utils._operations.bundle_changes import SourceDocument
from ansible_collections.configok.node.plugins.modules import component_config, component_config_diff
from support.ansible_runs.modules import run_module
from support.configs.checking import check_file
from support.configs.kubelet import KUBELET_HEADER
from support.releases.names import LATER_RELEASE, NEWEST_RELEASE, NEXT_RELEASE
from support.rollouts.declared_machines import a_machine, an_observed
from support.rollouts.views import a_view

Entry = Callable[[str], ModuleType]
CONFIG = KUBELET_HEADER + "maxPods: 50\n"
SCHEDULER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
MINOR = 35
VERSION = minor_name(MINOR)


@pytest.fixture(params=JUDGED_LAYERS, ids=str)
def layer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Layer:
    """Take a layer of one release out of the data."""
    layers = {name: source for name, source in releases.release_layers(MINOR).items() if name is not request.param}
    known = releases.release_layers
    monkeypatch.setattr(releases, "release_layers", lambda minor: layers if minor == MINOR else known(minor))
    return Layer(request.param)


def _load(text: str) -> Any:
    return load([("kubelet.yaml", text)])


def _module(module: Any, **arguments: Any) -> str:
    return "\n".join(run_module(module.main, arguments, check=True)["lines"])


CONSUMERS: dict[str, Callable[[], str]] = {
    "check": lambda: "\n".join(finding_lines(check(CONFIG, versions=[VERSION]))),
    "check of nodes": lambda: "\n".join(finding_lines(check(CONFIG, nodes={"a": f"v{VERSION}.1"}))),
    "compare": lambda: "\n".join(compare(_load(CONFIG), _load(KUBELET_HEADER), (VERSION, "1.36")).lines),
    "compare of the same": lambda: "\n".join(compare(_load(CONFIG), _load(CONFIG), ("1.36", VERSION)).lines),
    "upgrade to it": lambda: "\n".join(upgrade(_load(CONFIG), "1.34", VERSION).lines),
    "upgrade from it": lambda: "\n".join(upgrade(_load(CONFIG), VERSION, "1.36").lines),
    "upgrade in which nothing else changes": lambda: "\n".join(upgrade(_load(SCHEDULER), "1.34", VERSION).lines),
    "migrate": lambda: "\n".join(migrate("kubelet", ["kubelet", "--max-pods=50"], version=VERSION).lines),
    "convert": lambda: "\n".join(convert(SCHEDULER, "v1", versions=[VERSION]).lines),
    "publish": lambda: "\n".join(
        finding_lines(check_documents({"kubelet": SourceDocument("kubelet.yaml", CONFIG)}, [VERSION], {}))
    ),
    "plan an older bundle": lambda: "\n".join(
        version_warnings({"kubelet": CONFIG}, [a_view("n1", kubelet_version=f"v{VERSION}.1")])
    ),
    "plan a Machine": lambda: "\n".join(
        check_config(
            a_machine(kubelet_version=f"{VERSION}.1"), an_observed(kubelet="v1.34.9"), None, ConfigInputs()
        ).refusals
    ),
    "component_config": lambda: _module(component_config, content=CONFIG, kubernetes_versions=[VERSION]),
    "component_config_diff": lambda: _module(
        component_config_diff, before={"content": CONFIG, "kubernetes_version": VERSION}, after={"content": CONFIG}
    ),
    "component_config_diff of an upgrade": lambda: _module(
        component_config_diff, content=CONFIG, from_version="1.34", to_version=VERSION
    ),
}


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_every_consumer_says_what_is_not_judged_without_a_layer(consumer: str, layer: Layer) -> None:
    text = CONSUMERS[consumer]()
    # Nothing has been read of the meanings of older releases, which every upgrade says.
    lines = [line for line in text.splitlines() if "not judged" in line and "not judged: meanings" not in line]
    (line,) = lines
    assert str(layer) in line
    assert f"Kubernetes {VERSION}" in line
    assert "nothing changes" not in text


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_no_consumer_doubts_a_release_whose_data_are_whole(consumer: str) -> None:
    lines = [line for line in CONSUMERS[consumer]().splitlines() if "not judged" in line]
    assert [line for line in lines if "not judged: meanings" not in line or "upgrade" not in consumer] == []


@pytest.mark.parametrize("output", ["text", "json", "github", "junit", "sarif"])
def test_every_format_of_the_command_says_what_is_not_judged(
    output: str, entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(CONFIG)
    arguments = ["validate", "--kubernetes-version", NEXT_RELEASE, "--output", output, str(file)]
    assert entry("__main__").main(arguments) == 0
    captured = capsys.readouterr()
    assert f"fields, defaults, gates, flags and rules of Kubernetes {NEXT_RELEASE}" in captured.out
    assert "1 file passes" not in captured.err
    assert entry("__main__").main([*arguments, "--fail-on", "not-judged"]) == 1


def test_a_diff_by_the_command_says_what_is_not_judged(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(CONFIG)
    arguments = ["diff", "--from-version", NEWEST_RELEASE, "--to-version", NEXT_RELEASE, str(file)]
    entry("__main__").main(arguments)
    text = capsys.readouterr().out
    assert f"not judged: fields, defaults, gates, flags, rules and meanings of Kubernetes {NEXT_RELEASE}" in text
    assert "nothing changes" not in text
    entry("__main__").main([*arguments, "--json"])
    assert json.loads(capsys.readouterr().out)["not_judged"][0]["versions"] == [NEXT_RELEASE]


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 300), st.sampled_from(["", "1m", "5%", "100Mi", "None", "systemd"])
)


@st.composite
def _documents(draw: st.DrawFn) -> tuple[dict[str, Any], int]:
    """Draw a document, mostly of a known kind with known fields, and a minor, at times one without whole data."""
    kind = draw(st.sampled_from(kinds()))
    minor = draw(st.integers(known_minors()[0], 40))
    names = st.one_of(st.sampled_from(sorted(kind.fields) or ["a"]), st.sampled_from(["noSuchField", "featureGates"]))
    fields: dict[str, Any] = draw(st.dictionaries(names, _VALUES, max_size=4))
    if "featureGates" in fields:
        gates = st.sampled_from(["NodeSwap", "MemoryQoS", "DefaultPodSysctls", "NoSuchGate"])
        fields["featureGates"] = draw(st.dictionaries(gates, st.booleans(), max_size=2))
    head = {"apiVersion": kind.api_version, "kind": draw(st.sampled_from([kind.kind, kind.kind, "NoSuchKind"]))}
    return {**head, **fields}, minor


@given(_documents())
def test_what_passes_was_judged_as_a_whole_by_whole_data(drawn: tuple[dict[str, Any], int]) -> None:
    data, minor = drawn
    findings = check_file(yaml.safe_dump(data), versions=[minor_name(minor)])
    if verdict_of(findings, refusing_levels("policy")) is not Verdict.PASSES:
        return
    assert missing_layers(minor) == ()
    kind = find_kind(data["apiVersion"], data["kind"])
    assert kind is not None
    assert kind.known_at(minor)
    if kind.fields_unread_since is not None and minor >= kind.fields_unread_since:
        return  # an unknown field is a warning, which names the release that was read
    assert all(kind.entry_at((name,), minor) is not None for name in data if name not in ("apiVersion", "kind"))
    gates = data.get("featureGates") if kind.component in ("kubelet", "kube-proxy", "kube-scheduler") else None
    assert all(gate_state(gate, minor) for gate in gates or ())


@given(_documents())
def test_each_cause_is_named_once_with_what_and_why(drawn: tuple[dict[str, Any], int]) -> None:
    data, minor = drawn
    lines = finding_lines(check_file(yaml.safe_dump(data), versions=[minor_name(minor), NEXT_RELEASE, LATER_RELEASE]))
    open_lines = [line for line in lines if line.startswith("not judged: ")]
    assert len(open_lines) == len(set(open_lines)) >= 2
    assert all(len(line.split(": ")) >= 3 for line in open_lines)
