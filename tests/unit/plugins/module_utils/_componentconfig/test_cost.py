# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of the engine: prestart and validate use it on every node."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check

COLLECTIONS = Path(sys.modules[check.__module__].__file__ or "").parents[6]
PACKAGE = "ansible_collections.configok.node.plugins.module_utils._componentconfig"
CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
maxPods: 200
evictionHard: {memory.available: 200Mi, nodefs.available: 10%}
kubeReserved: {cpu: 500m, memory: 1Gi}
featureGates: {NodeSwap: true, GracefulNodeShutdown: true}
shutdownGracePeriod: 30s
logging: {format: json}
"""


def run(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(COLLECTIONS)}
    ).stdout


def test_importing_the_engine_reads_no_data_and_no_third_party_package() -> None:
    code = f"import sys; import {PACKAGE}.check, {PACKAGE}.load, {PACKAGE}.compare; print(chr(10).join(sys.modules))"
    loaded = run(code).split()
    assert not [name for name in loaded if f"{PACKAGE}._data" in name]
    assert not {"yaml", "urllib3", "ssl", "kubernetes"} & set(loaded)


def test_validating_a_kubelet_config_reads_no_data_of_other_components() -> None:
    code = f"import sys; from {PACKAGE}.check import check; check({CONFIG!r}); print(chr(10).join(sys.modules))"
    data = {name.rpartition(".")[2] for name in run(code).split() if name.startswith(f"{PACKAGE}._data.")}
    assert data == {"_kubelet", "_gate_history", "_field_notes", "_validation_rules"}


def test_all_minors_take_under_a_second() -> None:
    start = time.process_time()
    check(CONFIG, versions=[f"1.{minor}" for minor in range(20, 37)], bundle=True)
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize("line", ["wrongKey{}: 1\n", "maxPods{}: 1\n"])
def test_thousands_of_wrong_fields_cost_little_for_all_minors(line: str) -> None:
    text = CONFIG + "".join(line.format(number) for number in range(8000))
    start = time.process_time()
    findings = check(text, versions=[f"1.{minor}" for minor in range(20, 37)])
    # 0.6 to 3 s measured, by the load; 25 s and more while each was compared with all fields, 17 times.
    assert time.process_time() - start < 8.0
    assert sum(finding.omitted or 1 for finding in findings if finding.rule in ("unknown-field", "more")) >= 8000
