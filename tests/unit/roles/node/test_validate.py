# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`configok-agent validate`: several documents, files, versions and levels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from support.configs.kubelet import KUBELET_HEADER
from support.releases.names import NEWEST_RELEASE, NEXT_RELEASE

Entry = Callable[[str], ModuleType]

KUBEADM = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\n" + KUBELET_HEADER


def test_all_documents_of_a_kubeadm_file_are_validated(
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


def test_the_config_in_a_config_map_is_validated(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kubelet-config.yaml"
    config = "".join(f"    {line}\n" for line in (KUBELET_HEADER + "maxPods: -1").splitlines())
    file.write_text("apiVersion: v1\ndata:\n  kubelet: |\n" + config + "kind: ConfigMap\n")
    assert entry("__main__").main(["validate", "--json", str(file)]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["line"], finding["path"], finding["level"]) == (6, "maxPods", "component")


def test_a_config_is_for_nodes_of_one_operating_system(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(KUBELET_HEADER + "cgroupsPerQOS: true\n")
    arguments = ["validate", "--kubernetes-version", "1.30", str(file)]
    main = entry("__main__").main
    assert main(arguments) == 0
    assert main([*arguments, "--os", "linux"]) == 0
    capsys.readouterr()
    assert main([*arguments, "--os", "windows"]) == 1
    assert "cgroupsPerQOS: true: must be false on Windows [component]" in capsys.readouterr().out
    assert main([*arguments, "--os", "windows", "--on-node", "--component", "kubelet"]) == 2
    assert "--os is not for --on-node" in capsys.readouterr().err


def test_versions_before_and_after_the_data_are_handled(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(KUBELET_HEADER)
    main = entry("__main__").main
    assert main(["validate", "--kubernetes-version", "1.3", str(file)]) == 2
    assert f"Kubernetes 1.3 is not known here, 1.20 to {NEWEST_RELEASE} are: write 1.30" in capsys.readouterr().err
    assert main(["validate", "--kubernetes-version", NEXT_RELEASE, str(file)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(
        f"not judged: fields, defaults, gates, flags and rules of Kubernetes {NEXT_RELEASE}: "
    )
    assert f"1 file is not judged in part (1 not-judged); Kubernetes {NEXT_RELEASE}" in captured.err
    assert main(["validate", "--kubernetes-version", NEXT_RELEASE, "--fail-on", "not-judged", str(file)]) == 1
    monkeypatch.setattr(entry("_limits"), "limit_this_process", lambda: None)  # they would end this process later
    assert main(["validate", "--limited", "--kubernetes-version", f"v{NEXT_RELEASE}.1", str(file)]) == 0


READ_BY_NOTHING = "apiVersion: kubecontrollermanager.config.k8s.io/v1alpha1\nkind: KubeControllerManagerConfiguration\n"
OLD = KUBELET_HEADER + "crashLoopBackOff: {maxContainerRestartPeriod: 60s}\n"
OF_OLD = "unknown field: KubeletConfiguration knows it from Kubernetes 1.32 (Kubernetes 1.31)"


def test_a_finding_names_the_versions_that_it_affects(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.yaml").write_text(OLD)
    (tmp_path / "other.yaml").write_text("a: 1\n")
    main = entry("__main__").main
    assert main(["validate", "--kubernetes-version", "1.31, v1.36.3", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    value = '{"maxContainerRestartPeriod": "60s"}'
    assert captured.out == f"{tmp_path}/old.yaml:3: crashLoopBackOff: {value}: {OF_OLD} [policy]\n"
    summary = "1 of 1 file fails (1 policy); Kubernetes 1.31, 1.36; 1 file without component config skipped"
    scope = "not the content of files, servers and addresses that a config names, flags of the command line, the host"
    assert captured.err == f"configok-agent: scope: {scope}\nconfigok-agent: {summary}\n"
    assert main(["validate", "--kubernetes-version", "1.36", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (KUBELET_HEADER + "maxPods: -1\n", {"component": 1, "policy": 1, "warning": 1, "never": 0}),
        (KUBELET_HEADER + "maxPod: 1\n", {"component": 0, "policy": 1, "warning": 1, "never": 0}),
        (READ_BY_NOTHING, {"policy": 0, "warning": 1, "never": 0}),
        (KUBELET_HEADER, {"warning": 0}),
    ],
)
def test_the_level_that_fails_is_chosen(entry: Entry, tmp_path: Path, text: str, codes: dict[str, int]) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(text)
    main = entry("__main__").main
    assert {level: main(["validate", "--fail-on", level, str(file)]) for level in codes} == codes


def test_a_named_file_of_an_unknown_kind_is_an_error(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deployment.yaml"
    file.write_text("apiVersion: apps/v1\nkind: Deployment\n")
    main = entry("__main__").main
    assert main(["validate", str(file)]) == 1
    assert "unknown kind" in capsys.readouterr().out
    assert main(["validate", "--skip-unknown", str(file)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no component config found; 1 file without component config skipped" in captured.err


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\n"},
        {"values.yaml": "maxPods: 5\n", "config-map.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n"},
        {"machine.yaml": "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n"},
        {"kubelet.yaml": KUBELET_HEADER + "{% if gpu %}\n"},
        {"broken.yaml": "a: [\n"},
    ],
)
def test_an_input_with_nothing_to_validate_has_a_code_of_its_own(
    entry: Entry, tmp_path: Path, files: dict[str, str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    main = entry("__main__").main
    assert main(["validate", str(tmp_path)]) == 4
    assert main(["validate", "--component", "kubelet", str(tmp_path)]) == 4
    assert main(["validate", "--allow-empty", str(tmp_path)]) == 0
    named = [str(tmp_path / name) for name in files]
    assert main(["validate", "--skip-unknown", *(named or [str(tmp_path)])]) == 0
    (tmp_path / "own.yaml").write_text(KUBELET_HEADER)
    assert main(["validate", str(tmp_path)]) == 0


def test_files_in_a_directory_that_are_not_understood_are_reported(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.yaml").write_text("a: [\n")
    (tmp_path / "nginx.conf").write_text("server {\n  listen 80;\n}\n")
    (tmp_path / "sizing.yaml").write_text("apiVersion: example.org/v1\nkind: Sizing\n")
    assert entry("__main__").main(["validate", str(tmp_path)]) == 4
    captured = capsys.readouterr()
    assert [line.split(":")[0] for line in captured.out.splitlines()] == ["not judged"] * 2
    assert "1 file without component config skipped" in captured.err


SOFT = KUBELET_HEADER + "evictionSoft: {memory.available: 5%}\n"
GRACE = KUBELET_HEADER + "evictionSoftGracePeriod: {memory.available: 1m}\n"


@pytest.mark.parametrize("name", ["kubelet.conf.d", "site.conf.d", "anything"])
@pytest.mark.parametrize("below", [False, True])
def test_a_drop_in_directory_is_validated_as_a_whole(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, below: bool
) -> None:
    directory = tmp_path / "all" / name
    (directory / "20-more").mkdir(parents=True)
    (directory / "10-soft.conf").write_text(SOFT)
    (directory / "20-more" / "10-a.conf").write_text(GRACE)
    (directory / "30-b.conf").write_text(KUBELET_HEADER)
    (directory / "40-ignored.yaml").write_text("maxPods: -1\n")
    main = entry("__main__").main
    path = str(tmp_path / "all" if below else directory)
    assert main(["validate", "--kubernetes-version", "1.31,1.36", path]) == 0
    (finding,) = capsys.readouterr().out.splitlines()
    assert finding.startswith(f"{directory}/40-ignored.yaml: the kubelet ignores this file")
    (directory / "30-b.conf").write_text("maxPods: 1\n")
    assert main(["validate", "--kubernetes-version", "1.31,1.36", path]) == 1
    (directory / "30-b.conf").write_text("")
    assert main(["validate", "--kubernetes-version", "1.31,1.36", path]) == 1
    captured = capsys.readouterr()
    assert "30-b.conf: the file is empty" in captured.out
    assert "1 of 4 files fails" in captured.err


@pytest.mark.parametrize(
    "files",
    [
        {"a.conf": SOFT, "b.conf": GRACE},
        {"10-soft.conf": SOFT},
        {"10-site.conf": "maxPods: 150\n"},
        {"10-site.conf": "maxPods: 150\n", "20-empty.conf": "", "README.md": ""},
        {"10-soft.conf": SOFT, "20-grace.conf": GRACE, "kubelet.conf": KUBELET_HEADER},
    ],
)
def test_what_the_kubelet_would_refuse_is_found_in_any_directory(
    entry: Entry, tmp_path: Path, files: dict[str, str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert entry("__main__").main(["validate", "--kubernetes-version", "1.36", str(tmp_path)]) == 1


def test_drop_ins_and_their_base_can_be_named(entry: Entry, tmp_path: Path) -> None:
    directory, base = tmp_path / "d", tmp_path / "kubelet.yaml"
    directory.mkdir()
    (directory / "grace.conf").write_text(GRACE)
    base.write_text(SOFT)
    main = entry("__main__").main
    assert main(["validate", str(base)]) == 1
    assert main(["validate", "--drop-ins", str(directory), "--base", str(base)]) == 0
    assert main(["validate", "--drop-ins", str(directory)]) == 0
    (directory / "grace.conf").write_text(KUBELET_HEADER)
    assert main(["validate", "--drop-ins", str(directory), "--base", str(base)]) == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["--base", "b", "f"], ["--drop-ins", "d", "--component", "kube-proxy"], ["--drop-ins", "missing"]],
)
def test_options_of_drop_ins_that_do_not_fit(entry: Entry, arguments: list[str]) -> None:
    assert entry("__main__").main(["validate", *arguments]) == 2


def test_one_unusable_input_stops_it_before_anything_is_printed(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(KUBELET_HEADER + "maxPods: -1\n")
    for arguments in ([str(file), str(tmp_path / "missing")], ["--kubernetes-version", "1.31,", str(file)]):
        assert entry("__main__").main(["validate", *arguments]) == 2
        captured = capsys.readouterr()
        assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_a_working_directory_is_not_needed(
    entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, gone = tmp_path / "kubelet.yaml", tmp_path / "gone"
    file.write_text(KUBELET_HEADER + "maxPods: -1\n")
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert entry("__main__").main(["validate", "--kubernetes-version", "1.36", str(file)]) == 1
    finally:
        monkeypatch.undo()
    assert "maxPods: -1: must be >= 0" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--on-node", "--only-host", "--installed-version"])
def test_options_of_a_node_need_a_component(
    entry: Entry, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(KUBELET_HEADER)
    assert entry("__main__").main(["validate", option, str(file)]) == 2
    assert "needs --component" in capsys.readouterr().err
