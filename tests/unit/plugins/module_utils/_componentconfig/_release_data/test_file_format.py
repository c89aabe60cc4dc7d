# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of release data: it is read as strictly as it is written."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.file_format import (
    Acceptance,
    DataLayer,
    ProbedGate,
    ReleaseData,
    Source,
    read,
    write,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.overlays import OverlayFlag

BINARY = Source("binary", "kubelet", "v1.38.0", "a" * 64)
RUNNING = Source("running component", version="v1.38.0")
DATE = "2026-12-16"
DATA = ReleaseData(
    38,
    DataLayer(
        {"A": ProbedGate("Beta", True, False), "B": ProbedGate("GA", True, True)}, (BINARY, RUNNING), DATE, ("A",)
    ),
    DataLayer({"kubelet": {"max-pods": OverlayFlag("int32", "110"), "x": OverlayFlag("", None)}}, (BINARY,), DATE),
    DataLayer({"KubeletConfiguration": {"maxPods": 120, "a.b": None, "c": {"memory": "1Gi"}}}, (RUNNING,), DATE),
    Acceptance("alice", "2026-12-16T10:00:00Z", "b" * 64),
)


def document(**changes: Any) -> dict[str, Any]:
    return {**yaml.safe_load(write(DATA)), **changes}


def test_what_is_written_is_read() -> None:
    assert read(write(DATA)) == DATA
    assert read(json.dumps(document())) == DATA
    assert read(write(ReleaseData(38, flags=DATA.flags))).acceptance is None


def test_data_with_a_running_component_are_a_draft() -> None:
    assert DATA.is_draft
    assert not ReleaseData(38, flags=DATA.flags).is_draft


def layers(layer: str, **changes: Any) -> dict[str, Any]:
    whole = document()["layers"]
    return {"layers": {**whole, layer: {**whole[layer], **changes}}}


ROW = {"stage": "Beta", "default": True}
SOURCE = {"kind": "binary", "name": "kubelet", "sha256": "a" * 64}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"apiVersion": "v1"}, "apiVersion: must be data.configok.dev/v1alpha1"),
    ({"kind": "Release"}, "kind: must be ReleaseData"),
    ({"release": 1.38}, "release: must be a release in quotes"),
    ({"release": "v1.38.0"}, "release: must be a release in quotes"),
    ({"release": "2.0"}, "release: must be a release in quotes"),
    ({"deny": []}, 'has the unknown key "deny"'),
    ({"accepted": True}, "accepted: must be a mapping of by, at, diff or false"),
    ({"accepted": {"by": "a"}}, "accepted: needs at, diff"),
    ({"accepted": {"by": "a\nb", "at": "2026-12-16T10:00:00Z", "diff": "b" * 64}}, "accepted.by: must be a name"),
    ({"accepted": {"by": "a", "at": "today", "diff": "b" * 64}}, "accepted.at: must be a time"),
    ({"accepted": {"by": "a", "at": "2026-12-16T10:00:00Z", "diff": "b"}}, "accepted.diff: must be the hash"),
    ({"layers": {}}, "must have gates, flags or defaults"),
    ({"layers": {"rules": {}}}, 'has the unknown key "rules"'),
    ({"layers": []}, "layers: must be a mapping"),
    (layers("gates", date=20261216), "layers.gates.date: must be a day"),
    (layers("gates", note=""), 'layers.gates: has the unknown key "note"'),
    (layers("gates", source=[]), "layers.gates.source: must be a list"),
    (layers("gates", source=[SOURCE] * 20), "layers.gates.source: must be a list"),
    (layers("gates", source=[{**SOURCE, "kind": "web"}]), "must be binary or running component"),
    (layers("gates", source=[{**SOURCE, "name": "etcd"}]), "must be one of kubelet"),
    (layers("gates", source=[{"kind": "binary", "name": "kubelet"}]), "a binary has its name and"),
    (layers("gates", source=[{**SOURCE, "kind": "running component"}]), "a binary has its name and"),
    (layers("gates", source=[{"kind": "binary", "sha256": "a" * 64}]), "a binary has its name and"),
    (layers("gates", source=[{**SOURCE, "sha256": "A" * 64}]), "must be 64 digits"),
    (layers("gates", assumed=["a b"]), "must be names of gates"),
    (layers("gates", values={"A": {"stage": "PreAlpha", "default": True}}), "A.stage: must be one of Alpha"),
    (layers("gates", values={"A": {"stage": "Beta", "default": "yes"}}), "A.default: must be true or false"),
    (layers("gates", values={"A": {"stage": "Beta"}}), "A: needs default"),
    (layers("gates", values={"A": {**ROW, "since": 1}}), 'has the unknown key "since"'),
    (layers("gates", values={"A.b": ROW}), "which is not a feature gate"),
    (layers("gates", values={f"A{number}": ROW for number in range(2001)}), "with at most 2000 keys"),
    (layers("flags", values={"etcd": {}}), 'has the unknown key "etcd"'),
    (layers("flags", values={"kubelet": {"--x": {"type": "int"}}}), "which is not a flag without dashes"),
    (layers("flags", values={"kubelet": {"x": {"type": 1}}}), "must be text of at most"),
    (layers("flags", values={"kubelet": {"x": {"type": "string", "default": "a" * 5000}}}), "must be text of at most"),
    (layers("flags", values={"kubelet": {"x": "int"}}), "x: must be a mapping of type, default"),
    (layers("defaults", values={"kubelet": {}}), "which is not a kind"),
    (layers("defaults", values={"KubeletConfiguration": {"a[0]": 1}}), "which is not the path of a field"),
]


@pytest.mark.parametrize(("changes", "sentence"), WRONG, ids=[sentence for _changes, sentence in WRONG])
def test_everything_else_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(sentence)) as caught:
        read(json.dumps(document(**changes)), "release.yaml")
    assert str(caught.value).startswith("release.yaml: ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file: must be a mapping"),
        ("- 1\n", "the file: must be a mapping"),
        (write(DATA) + "kind: Other\n", "kind"),
        (write(DATA) + "---\na: 1\n", "document"),
        ("a: &a [1]\nb: *a\n", "unknown key"),
        ("[" * 100_000, "nested|deep|valid"),
        ("x" * 5_000_000, "large|bytes"),
        (b"\xff\xfe\x00", "UTF|character|encod"),
    ],
)
def test_text_that_is_not_a_release_data_file_is_refused(text: str | bytes, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read(text)
