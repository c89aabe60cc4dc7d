# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's output matches docs/observing.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import _log
from ansible_collections.configok.node.plugins.module_utils._agent._counters import Counters
from ansible_collections.configok.node.plugins.module_utils._agent._reporting._metrics import Gauges, render_metrics
from support.session.promtool import promtool

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXPOSED = set(re.findall(r"^# TYPE (\S+)", render_metrics(Gauges(), Counters(["kubelet"]), agent_version="x"), re.M))


def test_every_metric_is_described_and_nothing_else() -> None:
    assert set(re.findall(r"^\| `(configok_\w+)`", (DOCS / "observing.md").read_text(), re.M)) == EXPOSED


def test_every_message_id_is_there_for_journalctl() -> None:
    transitions = [name for name in vars(_log) if name.isupper() and name not in ("NAME", "TYPE_CHECKING")]
    message_ids = {getattr(_log, name) for name in transitions}
    assert len(message_ids) == len(transitions) == 10
    assert all(re.fullmatch("[0-9a-f]{32}", message_id) for message_id in message_ids)
    assert set(re.findall(r"[0-9a-f]{32}", (DOCS / "observing.md").read_text())) == message_ids


def test_the_alert_rules_use_existing_metrics() -> None:
    text = (DOCS / "alerts.yml").read_text()
    assert set(re.findall(r"configok_(?:node|agent)_\w+", text)) <= EXPOSED
    checked = promtool("check", "rules", str(DOCS / "alerts.yml"))
    assert (checked.returncode, "SUCCESS: 6 rules found" in checked.stdout) == (0, True), (
        checked.stdout + checked.stderr
    )


TESTS = """
rule_files: [{rules}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: configok_node_config_error{{instance="n1"}}
        values: 1x60
      - series: configok_node_config_error{{instance="n2"}}
        values: 0x60
      - series: configok_node_config_rollbacks_total{{instance="n1"}}
        values: 0 0 1x58
      - series: configok_node_config_assigned{{instance="n1", node_config_source="b", node_config_uid="2"}}
        values: 1x60
      - series: configok_node_config_active{{instance="n1", node_config_source="a", node_config_uid="1"}}
        values: 1x60
      - series: configok_node_config_assigned{{instance="n2", node_config_source="b", node_config_uid="2"}}
        values: 1x60
      - series: configok_node_config_active{{instance="n2", node_config_source="b", node_config_uid="2"}}
        values: 1x60
    promql_expr_test:
      - expr: count by (alertname, instance) (ALERTS{{alertstate="firing"}})
        eval_time: 40m
        exp_samples:
          - labels: '{{alertname="ConfigOKError", instance="n1"}}'
            value: 1
          - labels: '{{alertname="ConfigRolledBack", instance="n1"}}'
            value: 1
          - labels: '{{alertname="ConfigNotAdopted", instance="n1"}}'
            value: 1
"""


@pytest.mark.parametrize("changed", [False, True])
def test_the_alerts_fire_for_the_node_that_has_the_trouble(tmp_path: Path, changed: bool) -> None:
    rules = (DOCS / "alerts.yml").read_text()
    (tmp_path / "rules.yml").write_text(rules.replace("error == 1", "error == 2") if changed else rules)
    (tmp_path / "tests.yml").write_text(TESTS.format(rules=tmp_path / "rules.yml"))
    done = promtool("test", "rules", str(tmp_path / "tests.yml"))
    assert (done.returncode != 0) == changed, done.stdout + done.stderr  # the checker detects errors
