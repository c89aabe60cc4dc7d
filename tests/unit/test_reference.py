# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/reference lists every cause of ConfigOK, every key of the pool file and every variable of the playbooks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._agent._state.health import Unit, not_started_reason
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.duration import parse_duration
from ansible_collections.configok.node.plugins.module_utils._nodeconfig import config_ok
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigInUse, ConfigOk
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import Cause
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import describe_duration
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._gate_settings import (
    SERVER_GATES,
    gate_keys,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.policy import Policy
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import POOL_FILE

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
USING = ConfigInUse("current", "{cur}")
LKG = ConfigInUse("last-known-good", "{lkg}")
ADOPTED = ConfigInUse("current", "{new}")
STOPPED = Unit("{unit}", "stopped")
MASKED = Unit("{unit}", "masked", pid=7)
# The statuses of an agent, with the placeholders of the page.
ANSWERS: list[ConfigOk] = [
    config_ok.good(USING),
    config_ok.good(ConfigInUse("current")),
    config_ok.good(ConfigInUse("current", has_init_config=False)),
    config_ok.adopting(ADOPTED.label),
    config_ok.not_synced(USING, "{cause}", machine_cause=Cause.INVALID_CONFIG_SOURCE),
    config_ok.not_synced(USING, "{cause}", machine_cause=Cause.FETCH_FAILED),
    config_ok.assignment_lost(USING),
    config_ok.invalid(LKG, "{new}", "{first error}"),
    config_ok.invalid_in_trial(USING, "{new}", "{first error}"),
    config_ok.untrusted(LKG, "{new}", "{reason}"),
    config_ok.known_bad(LKG, "{new}", "{time}", "{reason}"),
    config_ok.not_healthy(LKG, "{new}", "{t}", "{probe}"),
    config_ok.both_fail(LKG, "{new}"),
    config_ok.host_not_ready(USING, "UID: {new}", "{problem}"),
    config_ok.doubted(LKG, "{new}", "{doubt}"),
    config_ok.unit_stopped(USING.label, not_started_reason(STOPPED, reads_another=True)),
    config_ok.unit_stopped(USING.label, not_started_reason(MASKED, reads_another=True)),
    config_ok.opted_out(),
]


def rows(page: str) -> list[list[str]]:
    """Return the cells of all table rows of a page."""
    text = (REFERENCE / page).read_text(encoding="utf-8")
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]


def causes_in_code() -> set[str]:
    """Return the causes that a node can report."""
    return {value for name, value in vars(Cause).items() if name.isupper()}


def test_the_page_lists_every_cause_and_no_other() -> None:
    first_cells = [re.findall(r"`([A-Z][A-Za-z]+)`", row[0]) for row in rows("conditions.md")]
    assert {cause for cell in first_cells for cause in cell} == causes_in_code()


def test_every_cause_says_what_to_do() -> None:
    text = (REFERENCE / "conditions.md").read_text(encoding="utf-8")
    advice = text.split("## What to do")[1]
    assert set(re.findall(r"`([A-Z][A-Za-z]+)`", advice)) >= causes_in_code()


def test_the_page_has_the_agents_own_words() -> None:
    text = (REFERENCE / "conditions.md").read_text(encoding="utf-8")
    for answer in ANSWERS:
        section = text.split(f"## {answer.status}\n")[1].split("\n## ")[0]
        same = [line for line in section.splitlines() if f"| {answer.message} | {answer.reason} |" in line]
        assert any(line.startswith(f"| `{answer.cause}`") for line in same), answer


# Keys whose own keys have the rows.
SECTIONS = {f"policy.{name}" for name in ("canary", "approval", "drain", "host", "reboot", "playbooks")}
GATE_TYPES = {f"policy.gates.{key}" for key in gate_keys()}


def test_the_page_of_the_pool_file_lists_its_keys() -> None:
    keys = [row[0].strip("`") for row in rows("pool-file.md") if len(row) > 2]
    own = {path: names for path, names in POOL_FILE.keys.items() if path not in GATE_TYPES}
    known = {f"{path}.{key}".lstrip(".") for path, names in own.items() for key in names}
    assert {key for key in keys if key in known} == known - SECTIONS - GATE_TYPES
    defaults = {row[0].strip("`"): row[1] for row in rows("pool-file.md") if len(row) > 2}
    policy = Policy()
    assert defaults["policy.canary.count"] == str(policy.canary.count)
    assert defaults["policy.canary.cover"] == ", ".join(policy.canary.cover)
    assert defaults["policy.waves"] == ", ".join(map(str, policy.waves))
    assert defaults["policy.maxUnavailable"] == str(policy.max_unavailable)
    assert defaults["policy.failureBudget"] == str(policy.failure_budget)
    assert defaults["policy.onFailure"] == policy.on_failure
    for key, seconds in {
        "policy.soak": policy.soak,
        "policy.nodeTimeout": policy.answer.timeout,
        "policy.restartDelay": policy.answer.restart_delay,
        "policy.timeToCrash": policy.answer.time_to_crash,
        "policy.healthTimeout": policy.answer.health_timeout,
    }.items():
        assert parse_duration(defaults[key]) == seconds, key


def test_the_page_of_the_pool_file_lists_the_defaults_of_a_control_plane_pool() -> None:
    listed = {row[0].strip("`"): row[1] for row in rows("pool-file.md") if len(row) == 2 and row[0].startswith("`")}
    pool = {"pool": "control-plane", "selector": "a", "documents": {"kube-apiserver": {}}}
    made = parse_pool(pool)
    policy = made.policy
    soak = parse_pool({**pool, "documents": {"etcd": {}}}).policy.soak
    assert listed == {
        "trial.crashLoopThreshold": str(made.trial.crash_loop_threshold),
        "policy.canary.count": str(policy.canary.count),
        "policy.waves": f"{', '.join(map(str, policy.waves))}: each of the next nodes is a wave",
        "policy.maxUnavailable": str(policy.max_unavailable),
        "policy.failureBudget": str(policy.failure_budget),
        "policy.nodeTimeout": describe_duration(policy.answer.timeout),
        "policy.healthTimeout": f"{describe_duration(policy.answer.health_timeout)} with kube-apiserver or etcd",
        "policy.soak": f"{describe_duration(soak)} with etcd: the usual trial and 1m, so that no two members roll back "
        "at once",
        "policy.onFailure": "`rollback` without kube-apiserver and etcd",
    }
    without = parse_pool({**pool, "documents": {"kube-scheduler": {}}}).policy
    assert without == replace(
        policy,
        on_failure="rollback",
        answer=replace(policy.answer, health_timeout=Policy().answer.health_timeout),
        gates=replace(policy.gates, leadership=without.gates.leadership),
    )


def test_the_page_of_the_gates_lists_the_keys_of_each_type() -> None:
    listed = {cell.strip("`") for cell, *_rest in rows("../gates.md") if cell.startswith("`")}
    of_all_servers = {key for key in listed if "." not in key}
    for gate_type in SERVER_GATES:
        own = {key.partition(".")[2] for key in listed if key.startswith(f"{gate_type.key}.")}
        assert own | of_all_servers == set(POOL_FILE.keys[f"policy.gates.{gate_type.key}"])


def test_the_page_of_the_playbooks_lists_all_of_them_and_their_variables() -> None:
    text = (REFERENCE / "playbooks.md").read_text(encoding="utf-8")
    names = sorted(playbook.stem for playbook in (ROOT / "playbooks").glob("*.yml"))
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sorted(set(headings) - set(names)) == ["The outcome for a workflow"]
    assert sorted(heading for heading in headings if heading in names) == names, "each once"
    assert sorted(re.findall(r"^\| \[`(\w+)`\]\(#\1\) \|", text, re.MULTILINE)) == names, "each once"
    for playbook in (ROOT / "playbooks").glob("*.yml"):
        source = playbook.read_text(encoding="utf-8") + "".join(
            task.read_text(encoding="utf-8") for task in (ROOT / "playbooks/tasks").glob("*.yml")
        )
        for variable in re.findall(r"\b(provision_(?!local)\w+|reboot_\w+|cluster_force\w*|to_revision)\b", source):
            assert f"`{variable}`" in text, variable


def test_the_page_of_the_agent_configuration_lists_its_fields() -> None:
    files = ("_agent/_agent_configuration.py", "_trust/trust_policy.py")
    source = "".join((ROOT / "plugins/module_utils" / file).read_text(encoding="utf-8") for file in files)
    fields = set(re.findall(r'\w\.[a-z]+\(\s*"([a-z]\w+)"', source)) | {"apiVersion", "kind"}
    fields -= {"path", "writable"}  # of an entry of hostPaths, whose row has them
    listed = {name for row in rows("agent-configuration.md") for name in re.findall(r"`(\w+)`", row[0])}
    assert listed == fields


def test_the_page_of_the_commands_lists_them_with_their_options() -> None:
    files = (ROOT / "roles/node/files/agent" / name for name in ("__main__.py", "_arguments.py"))
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    text = (REFERENCE / "agent-commands.md").read_text(encoding="utf-8")
    listed = {row[0].strip("`").split()[0] for row in rows("agent-commands.md") if len(row) == 5}
    assert listed - {"command", "---"} == set(re.findall(r'yield "([a-z-]+)"', source))
    for option in set(re.findall(r'"(--[a-z-]+)"', source)):
        assert f"`{option}" in text or f" {option}" in text, option
