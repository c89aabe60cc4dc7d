# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of the metrics, checked with promtool where it is available."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._counters import BUCKETS, Counters
from ansible_collections.configok.node.plugins.module_utils._agent._reporting._metrics import Gauges, render_metrics
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.session.promtool import promtool

ONE = ConfigSource("configok-system", "pool-1234567890", "00000000-0000-0000-0000-000000000001")
TWO = ONE._replace(uid="00000000-0000-0000-0000-000000000002")


def busy() -> str:
    """Return the metrics of an agent that has counted adoptions, refusals, rollbacks and errors."""
    counters = Counters(["kubelet", "kube-proxy"])
    counters.adoptions, counters.refusals, counters.rollbacks = 3, 2, 1
    counters.restarts["kubelet"] = 7
    counters.errors["fetch"] = 4
    counters.observe_adoption(6.1)
    counters.observe_adoption(500.0)
    gauges = Gauges(ONE, TWO, None, error=True, crashes={"kubelet": 2})
    return render_metrics(gauges, counters, agent_version="0.1.0")


def series(text: str) -> dict[str, float]:
    """Return every series with its value; each must occur once."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    values = {name: float(value) for name, _space, value in (line.rpartition(" ") for line in lines)}
    assert len(values) == len(lines)
    return values


@pytest.mark.contract("metrics.configs")
def test_the_gauges_are_the_ancestors_with_one_series_each() -> None:
    values = series(busy())
    path = "/api/v1/namespaces/configok-system/configmaps/pool-1234567890"
    assert {
        name: value for name, value in values.items() if name.startswith("configok_node_config_a") and "{n" in name
    } == {
        f'configok_node_config_assigned{{node_config_source="{path}",node_config_uid="{ONE.uid}"}}': 1,
        f'configok_node_config_active{{node_config_source="{path}",node_config_uid="{TWO.uid}"}}': 1,
    }
    assert values['configok_node_config_last_known_good{node_config_source="local",node_config_uid=""}'] == 1
    assert sum(name.startswith("configok_node_config_last_known_good") for name in values) == 1
    assert values["configok_node_config_error"] == 1
    assert series(render_metrics(Gauges(), Counters([]), agent_version="x"))["configok_node_config_error"] == 0


@pytest.mark.contract("metrics.counted")
def test_what_was_done_is_counted() -> None:
    values = series(busy())
    assert values["configok_node_config_adoptions_total"] == 3
    assert values["configok_node_config_refusals_total"] == 2
    assert values["configok_node_config_rollbacks_total"] == 1
    assert values['configok_node_component_restarts_total{component="kubelet"}'] == 7
    assert values['configok_node_component_restarts_total{component="kube-proxy"}'] == 0
    assert values['configok_node_component_crashes{component="kubelet"}'] == 2
    assert values['configok_node_component_crashes{component="kube-proxy"}'] == 0
    errors = {
        operation: values[f'configok_node_sync_errors_total{{operation="{operation}"}}']
        for operation in ("watch", "fetch", "status")
    }
    assert errors == {"watch": 0, "fetch": 4, "status": 0}
    assert values['configok_agent_build_info{version="0.1.0"}'] == 1


@pytest.mark.contract("metrics.counted")
def test_the_seconds_of_adoptions_are_a_histogram() -> None:
    values = series(busy())
    name = "configok_node_config_adoption_seconds"
    assert (values[f"{name}_sum"], values[f"{name}_count"]) == (506.1, 2)
    counts = [values[f'{name}_bucket{{le="{bound:g}"}}'] for bound in BUCKETS]
    assert counts == [0, 0, 0, 1, 1, 1, 1, 1, 1]
    assert values[f'{name}_bucket{{le="+Inf"}}'] == 2
    on_the_bound = Counters([])
    on_the_bound.observe_adoption(BUCKETS[0])
    assert on_the_bound.adoption_buckets[0] == 1


def test_a_label_is_escaped() -> None:
    assert 'version="a\\"b\\\\c\\nd"' in render_metrics(Gauges(), Counters([]), agent_version='a"b\\c\nd')


@pytest.mark.contract("metrics.format")
def test_promtool_finds_nothing_wrong() -> None:
    for text in (busy(), render_metrics(Gauges(), Counters(["kubelet"]), agent_version="0.1.0")):
        result = promtool("check", "metrics", text=text)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert promtool("check", "metrics", text=busy().replace("_total", "")).returncode != 0  # it does detect errors
