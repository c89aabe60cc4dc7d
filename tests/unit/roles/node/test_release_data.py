# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`configok-agent release-data`: what it derives, refuses and accepts, and the commands that use it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from support.configs.kubelet import KUBELET_HEADER
from support.releases.fake_component import FakeComponent, FakeGate
from support.releases.names import NEWEST_RELEASE, NEXT_RELEASE

Entry = Callable[[str], ModuleType]
GATES = {
    "NewGate": FakeGate("ALPHA", False),
    "NodeSwap": FakeGate("BETA", True),
    "Locked": FakeGate("BETA", True, locked=True),
    "MemoryQoS": FakeGate("GA", True, locked=True),
    "Named": FakeGate("DEPRECATED", False),
}
METRICS = f"""\
kubernetes_build_info{{git_version="v{NEXT_RELEASE}.0"}} 1
kubernetes_feature_enabled{{name="NewGate",stage="ALPHA"}} 0
"""


@pytest.fixture
def main(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The agent's command line, in a process that knows no release data and few gates and flags to ask for."""
    monkeypatch.setattr(entry("_componentconfig._schema.overlays"), "_registered", {})
    derive = entry("_componentconfig._release_data.derive")
    monkeypatch.setattr(derive, "gate_names", lambda: ["NodeSwap", "MemoryQoS", "PodsAPI"])
    monkeypatch.setattr(derive, "COMPONENTS", ("kube-proxy",))
    command = entry("__main__").main
    return lambda *arguments: int(command(["release-data", *map(str, arguments)]))


def kubelet(directory: Path, version: str = f"v{NEXT_RELEASE}.0") -> tuple[Path, str]:
    """Write a kubelet and return its path and its SHA-256."""
    flags = ["--max-pods int32   Pods. (default 120)"]
    path = FakeComponent(version=version, gates=GATES, flags=flags).write(directory / "kubelet")
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_is_derived_from_a_binary_and_used(
    entry: Entry, main: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, digest = kubelet(tmp_path)
    file = tmp_path / "release.yaml"
    assert main("--binary", path, "--sha256", digest, "--gate", "Named", "--dest", file) == 0
    data = yaml.safe_load(file.read_text())
    assert (data["release"], data["accepted"]) == (NEXT_RELEASE, False)
    assert data["layers"]["gates"]["source"] == [
        {"kind": "binary", "name": "kubelet", "version": f"v{NEXT_RELEASE}.0", "sha256": digest}
    ]
    assert data["layers"]["gates"]["values"] == {
        "Locked": {"stage": "Beta", "default": True, "locked": True},
        "MemoryQoS": {"stage": "GA", "default": True, "locked": True},
        "Named": {"stage": "Deprecated", "default": False},
        "NewGate": {"stage": "Alpha", "default": False},
        "NodeSwap": {"stage": "Beta", "default": True},
    }
    assert data["layers"]["flags"]["values"]["kubelet"]["max-pods"] == {"type": "int32", "default": "120"}
    assert f"Kubernetes {NEXT_RELEASE} and {NEWEST_RELEASE}: " in capsys.readouterr().err
    config = tmp_path / "kubelet.yaml"
    config.write_text(KUBELET_HEADER + "featureGates: {NewGate: true, Locked: false, PodsAPI: true}\n")
    command = entry("__main__").main
    arguments = ["validate", "--json", "--kubernetes-version", NEXT_RELEASE, str(config)]
    assert command(arguments) == 0, "without the file, gates are not judged"
    capsys.readouterr()
    assert command([*arguments, "--release-data", str(file)]) == 1
    rows = json.loads(capsys.readouterr().out)
    messages = {row["path"]: row["message"] for row in rows if row["level"] == "component"}
    assert messages == {
        "featureGates.Locked": "the gate is locked: only true is allowed",
        "featureGates.PodsAPI": f"unknown feature gate: it is gone since Kubernetes {NEXT_RELEASE}",
    }


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["explain", "maxPods"], f"{NEXT_RELEASE}   120"),
        (["explain", "featureGates.NewGate"], f"{NEXT_RELEASE}   Alpha, off"),
        (["diff", "--from-version", NEWEST_RELEASE, "--to-version", NEXT_RELEASE, "{config}"], "maxPods: 110 -> 120"),
    ],
)
def test_commands_use_release_data(
    entry: Entry,
    main: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    text: str,
) -> None:
    path, digest = kubelet(tmp_path)
    file, config = tmp_path / "release.yaml", tmp_path / "kubelet.yaml"
    config.write_text(KUBELET_HEADER)
    assert main("--binary", path, "--sha256", digest, "--dest", file) == 0
    words = [word.format(config=config) for word in arguments]
    entry("__main__").main([*words, "--release-data", str(file)])
    assert text in capsys.readouterr().out


def test_a_file_with_a_different_checksum_is_not_run(
    main: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kubelet"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    path.chmod(0o755)
    assert main("--binary", path, "--sha256", "0" * 64) == 2
    assert "not the given one: it is not run" in capsys.readouterr().err
    assert not (tmp_path / "was-run").exists()


def test_a_release_that_is_known_is_refused_before_it_is_probed(
    main: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, digest = kubelet(tmp_path, f"v{NEWEST_RELEASE}.2")
    assert main("--binary", path, "--sha256", digest) == 2
    assert f"is of Kubernetes {NEWEST_RELEASE}, which is known here" in capsys.readouterr().err


def test_a_binary_that_does_not_end_is_killed_with_what_it_started(
    entry: Entry,
    main: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entry("_release_data"), "_TIMEOUT", 0.3)
    text = "#!/bin/sh\nsleep 100 & sleep 100\n"
    path = tmp_path / "kubelet"
    path.write_text(text)
    path.chmod(0o755)
    assert main("--binary", path, "--sha256", hashlib.sha256(text.encode()).hexdigest()) == 2
    assert "does not end with --help" in capsys.readouterr().err


def test_a_draft_is_shown_and_accepted(
    entry: Entry, main: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics, file, config = tmp_path / "metrics.txt", tmp_path / "draft.yaml", tmp_path / "kubelet.yaml"
    metrics.write_text(METRICS)
    config.write_text(KUBELET_HEADER)
    assert main("--metrics", metrics, "--dest", file) == 0
    assert "a draft: `release-data accept" in capsys.readouterr().err
    arguments = ["validate", "--kubernetes-version", NEXT_RELEASE, "--release-data", str(file), str(config)]
    assert entry("__main__").main(arguments) == 2
    assert "is a draft" in capsys.readouterr().err
    assert main("accept", file) == 0
    shown = capsys.readouterr()
    assert "gate NewGate: new, Alpha, off" in shown.out
    digest = shown.out.split("hash of the difference: ")[1].strip()
    assert f"--accept {digest}" in shown.err
    assert main("accept", file, "--accept", "0" * 64, "--by", "alice") == 2
    assert main("accept", file, "--accept", digest, "--by", "alice") == 0
    assert yaml.safe_load(file.read_text())["accepted"]["by"] == "alice"
    assert entry("__main__").main(arguments) == 0
    assert main("accept", file) == 0
    assert "accepted by alice at " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "release-data takes --binary with --sha256, --metrics or --configz"),
        (["--accept", "0" * 64], "release-data takes --binary"),
        (["accept"], "accept needs the file"),
        (["--binary", "/bin/true"], "each --binary needs its --sha256"),
        (["--binary", "/nonexistent", "--sha256", "0" * 64], "/nonexistent: cannot be read"),
        (["--metrics", "/nonexistent"], "/nonexistent: cannot be read"),
        (["--metrics", "/dev/null"], "the metrics have no kubernetes_feature_enabled"),
        (["--configz", "/dev/null"], "the /configz is not JSON"),
    ],
)
def test_a_usage_error_is_reported_in_one_sentence(
    main: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(*arguments) == 2
    assert sentence in capsys.readouterr().err
