# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the kubelet of a new host is asked for its health: by its flags, its drop-ins and its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import CommandResult, Host
from ansible_collections.configok.node.plugins.module_utils._machine_host._kubelet import health_url


class Started(Host):
    """A host whose kubelet has the process id 42, or does not run."""

    pid = "42"

    def run(self, command: Sequence[str], **_options: Any) -> CommandResult:
        return CommandResult(0, f"{self.pid}\n", "")


@pytest.fixture
def host(tmp_path: Path) -> Started:
    return Started(str(tmp_path))


def put(host: Host, path: str, text: str) -> None:
    Path(host.path(path)).parent.mkdir(parents=True, exist_ok=True)
    Path(host.path(path)).write_text(text)


@pytest.mark.parametrize(
    ("flags", "file", "drop_ins", "url"),
    [
        ([], "", [], "http://127.0.0.1:10248/healthz"),
        ([], "healthzPort: 10300\nhealthzBindAddress: '::'\n", [], "http://[::1]:10300/healthz"),
        ([], "healthzPort: 0\n", [], ""),
        ([], "healthzPort: 10300\n", ["healthzPort: 10400\n", "maxPods: 5\n"], "http://127.0.0.1:10400/healthz"),
        ([], "healthzPort: 10300\n", ["healthzPort: 10400\n", "healthzPort: 0\n"], ""),
        ([], "healthzPort: 10300\n", ["healthzPort: null\n"], "http://127.0.0.1:10248/healthz"),
        (["--healthz-port=10500"], "healthzPort: 10300\n", ["healthzPort: 1\n"], "http://127.0.0.1:10500/healthz"),
        (["--healthz-port", "0"], "healthzPort: 10300\n", [], ""),
        (["--healthz-bind-address=0.0.0.0"], "healthzBindAddress: 10.0.0.1\n", [], "http://127.0.0.1:10248/healthz"),
    ],
)
def test_the_kubelet_is_asked_where_it_listens(
    host: Started, flags: list[str], file: str, drop_ins: list[str], url: str
) -> None:
    argv = ["/usr/bin/kubelet", "--config", "/etc/own.yaml", "--config-dir=/etc/conf.d", *flags]
    put(host, "/proc/42/cmdline", "\0".join([*argv, ""]))
    put(host, "/etc/own.yaml", file)
    for number, text in enumerate(drop_ins):
        put(host, f"/etc/conf.d/{number}0-own.conf", text)
    assert health_url(host) == url


def test_a_kubelet_that_does_not_run_has_the_file_of_its_unit(host: Started) -> None:
    host.pid = "0"
    put(host, "/var/lib/kubelet/config.yaml", "healthzPort: 10300\n")
    assert health_url(host) == "http://127.0.0.1:10300/healthz"
