# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new Kubernetes release is new data and one command, no code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[6]
PACKAGES = ROOT / "plugins/module_utils"
JUDGE = """
import sys
from packages._componentconfig.check import check
for finding in check(sys.stdin.read(), versions=["1.37", "1.38"]):
    print(finding)
"""
CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
newPods: [1]
featureGates: {NewGate: true, NodeSwap: true}
"""


def change(path: Path, edit: Any) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    edit(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def test_a_release_that_has_a_new_field_and_a_new_gate_and_drops_another(tmp_path: Path) -> None:
    schema, packages = tmp_path / "schema", tmp_path / "packages"
    shutil.copytree(ROOT / "schema", schema)
    for package in ("_componentconfig", "_foreign", "_text"):
        shutil.copytree(PACKAGES / package, packages / package, ignore=shutil.ignore_patterns("__pycache__"))

    def kubelet(document: dict[str, Any]) -> None:
        document["minors"].append("1.38")
        document["fields"]["newPods"] = {"name": "newPods", "type": "list<int32>", "since": "1.38", "optional": True}

    def gates_by_minor(document: dict[str, Any]) -> None:
        gates = {**document["1.37"]["gates"], "NewGate": ["Alpha", False, False, ["kubernetes"]]}
        del gates["NodeSwap"]
        document["1.38"] = {"gates": gates}

    def gates(document: dict[str, Any]) -> None:
        document["NewGate"] = {"tree": [["1.38", ["Alpha", False, False]]]}

    def releases(document: dict[str, Any]) -> None:
        document["releases"]["1.38"] = document["releases"]["1.37"]

    change(schema / "releases.json", releases)
    change(schema / "KubeletConfiguration.kubelet.v1beta1.json", kubelet)
    change(schema / "feature_gates_by_minor.json", gates_by_minor)
    change(schema / "feature_gates.json", gates)
    generator = [sys.executable, str(ROOT / "tools/generate_componentconfig.py")]
    subprocess.run([*generator, "--schema", str(schema), "--output", str(packages)], check=True)
    lines = subprocess.run(
        [sys.executable, "-c", JUDGE], input=CONFIG, capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout.splitlines()
    assert [line.partition(": ")[2] for line in lines] == [
        "newPods: [1]: unknown field: KubeletConfiguration knows it from Kubernetes 1.38 (Kubernetes 1.37)",
        "featureGates.NewGate: true: unknown feature gate: it comes with Kubernetes 1.38 (Kubernetes 1.37)",
        "featureGates.NodeSwap: true: unknown feature gate: it is gone since Kubernetes 1.38 (Kubernetes 1.38)",
    ]
