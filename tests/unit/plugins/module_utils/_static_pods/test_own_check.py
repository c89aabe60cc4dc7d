# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""With which arguments a component is asked, and how its answer is read."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._static_pods.own_answer import OwnAnswer, OwnVerdict
from ansible_collections.configok.node.plugins.module_utils._static_pods.own_check import check_arguments, read_answer

APISERVER, MANAGER = "kube-apiserver", "kube-controller-manager"


def test_a_check_touches_nothing_of_the_running_component() -> None:
    arguments = ["--etcd-servers=https://127.0.0.1:2379", "--audit_log_path=/var/log/a", "--cert-dir", "/run", "--v=2"]
    assert check_arguments(APISERVER, arguments, scratch="/tmp") == [
        "--etcd-servers=http://127.0.0.1:1",
        "--audit-log-path=-",
        "--cert-dir=/tmp",
        "--v=2",
        "--bind-address=127.0.0.1",
    ]
    assert check_arguments(APISERVER, ["--profiling=false", "--audit-log-format=$$(X)"], scratch="/tmp") == [
        "--profiling=false",
        "--audit-log-format=$(X)",
        "--bind-address=127.0.0.1",
        "--cert-dir=/tmp",
        "--etcd-servers=http://127.0.0.1:1",
    ]
    assert check_arguments(APISERVER, ["--advertise-address=$(HOST_IP)"], scratch="/tmp") is None


@pytest.mark.parametrize(
    ("component", "code", "output", "answer"),
    [
        (APISERVER, None, "waits", OwnAnswer(OwnVerdict.PASSED)),
        (APISERVER, 1, "a\nError: unknown flag: --x\n\n", OwnAnswer(OwnVerdict.FAILED, "Error: unknown flag: --x")),
        (APISERVER, 2, "", OwnAnswer(OwnVerdict.FAILED, "kube-apiserver ended with exit code 2")),
        (APISERVER, -9, "x", OwnAnswer(OwnVerdict.NOT_JUDGED, "kube-apiserver was ended by signal 9")),
        (MANAGER, 1, "stat /nonexistent: no such file or directory", OwnAnswer(OwnVerdict.PASSED)),
        (MANAGER, 1, "Error: bad value\nUsage:\n  --v Level\n", OwnAnswer(OwnVerdict.FAILED, "Error: bad value")),
        (MANAGER, 1, "Usage:\n  --v Level\n\nError: bad value", OwnAnswer(OwnVerdict.FAILED, "Error: bad value")),
        (MANAGER, 1, "Error: invalid argument", OwnAnswer(OwnVerdict.FAILED, "Error: invalid argument")),
    ],
)
def test_an_answer_is_read(component: str, code: int | None, output: str, answer: OwnAnswer) -> None:
    assert read_answer(component, code, output) == answer
