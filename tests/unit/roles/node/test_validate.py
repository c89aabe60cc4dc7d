# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`configok-agent validate` with files of several documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from support.configs.kubelet import KUBELET_HEADER

Entry = Callable[[str], ModuleType]

KUBEADM = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\n" + KUBELET_HEADER


def test_all_documents_of_a_kubeadm_file_are_judged(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kubeadm.yaml"
    file.write_text(KUBEADM)
    main = entry("__main__").main
    assert main(["validate", "--kubernetes-version", "1.36", str(file)]) == 0
    file.write_text(KUBEADM + "maxPods: -1\n")
    assert main(["validate", "--kubernetes-version", "1.36", str(file)]) == 1
    assert capsys.readouterr().out == f"{file}:6: maxPods: -1: must be >= 0 [component]\n"
    assert main(["validate", "--component", "kubelet", str(file)]) == 1


def test_the_config_in_a_config_map_is_judged(entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kubelet-config.yaml"
    config = "".join(f"    {line}\n" for line in (KUBELET_HEADER + "maxPods: -1").splitlines())
    file.write_text("apiVersion: v1\ndata:\n  kubelet: |\n" + config + "kind: ConfigMap\n")
    assert entry("__main__").main(["validate", "--json", str(file)]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["line"], finding["path"], finding["level"]) == (6, "maxPods", "component")


def test_versions_that_are_not_known(entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(KUBELET_HEADER)
    main = entry("__main__").main
    assert main(["validate", "--kubernetes-version", "1.3", str(file)]) == 2
    assert "Kubernetes 1.3 is not known here, 1.20 to 1.37 are: write 1.30" in capsys.readouterr().err
    assert main(["validate", "--kubernetes-version", "1.38", str(file)]) == 2
    assert main(["validate", "--limited", "--kubernetes-version", "v1.38.1", str(file)]) == 0
