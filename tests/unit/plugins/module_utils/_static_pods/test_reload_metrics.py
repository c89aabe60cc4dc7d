# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server's metrics show which content of a file it uses."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._options import RELOADED_FILES
from ansible_collections.configok.node.plugins.module_utils._static_pods.reload_metrics import (
    ReloadMetrics,
    ReloadState,
    read_reload_metrics,
    reload_state,
)

METRICS = b"""\
# HELP apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds [ALPHA] Timestamp
# TYPE apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds gauge
apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds{apiserver_id_hash="sha256:a",\
status="failure"} 1.7e+09
apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds{apiserver_id_hash="sha256:a",\
status="success"} 1.7000001e+09
apiserver_authentication_config_controller_automatic_reloads_total{apiserver_id_hash="sha256:a",status="success"} 4
apiserver_authentication_config_controller_last_config_info{apiserver_id_hash="sha256:a",hash="sha256:bb"} 1
apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds{status="success"} 5
apiserver_request_total{code="200",verb="GET"} 9
go_goroutines 12
"""
CONTENT = "bb"


def test_the_series_of_each_file_are_read() -> None:
    assert read_reload_metrics(METRICS.splitlines(), RELOADED_FILES) == {
        "authentication-config": ReloadMetrics(1700000100.0, 1700000000.0, "bb"),
        "authorization-config": ReloadMetrics(succeeded=5.0),
        "encryption-provider-config": ReloadMetrics(),
    }
    flag = "authorization-config"
    assert read_reload_metrics(METRICS.splitlines(), [flag]) == {flag: ReloadMetrics(succeeded=5.0)}
    assert read_reload_metrics([b"apiserver_\xff{} 1", b""], [flag]) == {flag: ReloadMetrics()}


@pytest.mark.parametrize(
    ("metrics", "tried", "expected"),
    [
        (ReloadMetrics(), None, ReloadState.OPEN),
        (ReloadMetrics(succeeded=99.0), None, ReloadState.OPEN),
        (ReloadMetrics(succeeded=101.0), None, ReloadState.IN_USE),
        (ReloadMetrics(succeeded=99.0, failed=101.0), None, ReloadState.REFUSED),
        (ReloadMetrics(failed=99.0), None, ReloadState.OPEN),
        (ReloadMetrics(in_use=CONTENT), None, ReloadState.IN_USE),
        (ReloadMetrics(succeeded=101.0, in_use="other"), None, ReloadState.OPEN),
        (ReloadMetrics(failed=101.0, in_use="other"), None, ReloadState.REFUSED),
        (ReloadMetrics(succeeded=40.0, failed=60.0), 50.0, ReloadState.IN_USE),
        (ReloadMetrics(succeeded=55.0), 50.0, ReloadState.OPEN),
        (ReloadMetrics(succeeded=101.0), 50.0, ReloadState.IN_USE),
        (ReloadMetrics(succeeded=40.0, in_use="other"), 50.0, ReloadState.OPEN),
    ],
    ids=[
        "nothing is known",
        "a reload before",
        "a reload since",
        "a failure since",
        "a failure before",
        "its hash",
        "another hash, which says more than the time of a reload",
        "another hash, and a failure since",
        "what was in use, when nothing after it was taken",
        "what was in use, when something after it was taken",
        "what was in use, read again",
        "what was in use, and another hash",
    ],
)
def test_a_content_is_in_use_only_if_the_metrics_show_it(
    metrics: ReloadMetrics, tried: float | None, expected: ReloadState
) -> None:
    """It was written at 100, and what it takes back, if anything, at 50."""
    assert reload_state(metrics, content=CONTENT, since=100.0, tried=tried) is expected
