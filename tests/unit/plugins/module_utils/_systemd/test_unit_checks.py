# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unsupported units are refused, each with its own error message."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import read_unit_start
from ansible_collections.configok.node.plugins.module_utils._systemd.unit_checks import (
    refuse_start,
    refuse_unit,
)


@pytest.mark.contract("unsupported.embedded")
@pytest.mark.parametrize(
    ("unit", "load_state", "hosts", "sentence"),
    [
        ("kubelet.service", "loaded", [], ""),
        ("kubelet.service", "loaded", ["k3s.service"], ""),
        ("kubelet.service", "not-found", [], "is not found: give the unit of kubelet"),
        ("kubelet.service", "not-found", ["k3s-agent.service"], "runs inside k3s here (k3s-agent.service)"),
        ("kubelet.service", "not-found", ["rke2-server.service"], "runs inside rke2 here"),
        ("kubelet.service", "not-found", ["snap.microk8s.daemon-kubelite.service"], "runs inside microk8s here"),
        ("k3s.service", "loaded", [], "runs inside k3s here"),
        ("snap.other.kubelet.service", "loaded", [], "is a snap"),
        ("kubelet.service", "masked", [], "is masked"),
        ("kubelet.service", "bad-setting", [], "cannot be loaded by systemd (bad-setting)"),
    ],
)
def test_units(unit: str, load_state: str, hosts: list[str], sentence: str) -> None:
    refusals = refuse_unit("kubelet", unit, load_state, hosts)
    assert sentence in refusals
    assert bool(refusals) == bool(sentence)


@pytest.mark.contract("unsupported.dynamic-config-dir")
@pytest.mark.parametrize(
    ("lines", "running", "sentence"),
    [
        ("ExecStart=/usr/bin/kubelet --config=/etc/k.yaml", [], ""),
        ("ExecStart=/usr/bin/kubelet\nUser=root", [], ""),
        ("ExecStart=/usr/bin/kubelet --dynamic-config-dir=/var/lib/d", [], "uses --dynamic-config-dir=/var/lib/d"),
        ("Environment='X=--dynamic-config-dir /d'\nExecStart=/usr/bin/kubelet $X", [], "--dynamic-config-dir=/d"),
        ("ExecStart=/usr/bin/kubelet", ["--dynamic-config-dir", "/r"], "--dynamic-config-dir=/r"),
        ("ExecStart=/usr/bin/kubelet --dynamic-config-dir=", [], ""),
        ("ExecStart=/bin/bash -c 'exec kubelet --config=/etc/k.yaml'", [], "starts through bash"),
        ("ExecStart=/usr/bin/docker run kubelet", [], "starts a container (docker)"),
        ("ExecStart=/snap/bin/kubelet", [], "starts a snap"),
        ("ExecStart=/usr/bin/snap run kubelet.daemon", [], "starts a snap"),
        ("ExecStart=/usr/bin/kube-proxy\nUser=kube-proxy", [], "runs as kube-proxy, who cannot read"),
        ("ExecStart=/usr/bin/kubelet\nRootDirectory=/srv/kubelet", [], "has a RootDirectory= of its own"),
    ],
)
def test_starts(lines: str, running: list[str], sentence: str) -> None:
    texts = [f"[Service]\n{lines}\n"]
    refusals = refuse_start("kubelet.service", texts, read_unit_start(texts, []), running)
    assert len(refusals) == bool(sentence)
    assert sentence in "".join(refusals)


@pytest.mark.contract("unsupported.dynamic-config-dir")
def test_a_drop_in_may_bring_what_is_refused() -> None:
    texts = ["[Service]\nExecStart=/usr/bin/kubelet $X\n", "[Service]\nEnvironment=X=--dynamic-config-dir=/d\n"]
    assert refuse_start("kubelet.service", texts, read_unit_start(texts, []), [])
