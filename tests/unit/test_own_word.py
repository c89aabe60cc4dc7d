# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Node, an unsigned object or a person says of itself decides about that Node, object or person alone.

The tables have every field that such a party writes, and every function that refuses something, with the row of
docs/security.md that says whose treatment it can change. A new field or function fails until it has a row.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    MachineAnnotation,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import (
    ObservedConfig,
    ObservedMachine,
)
from ansible_collections.configok.node.plugins.module_utils._machines.inventory import node_facts
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
    SignerStatus,
    TrustStatus,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import (
    AgentAnswer,
    AssignedConfig,
    NodeSystem,
    NodeView,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import BadConfig, Revision
from ansible_collections.configok.node.plugins.module_utils._trust._certificates import Certificate
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")

FOLDERS = (
    "module_utils/_rollout",
    "module_utils/_ansible",
    "module_utils/_operations",
    "module_utils/_machines",
    "inventory",
    "action",
)

# The rows of the page: the words of a party, about whom they decide.
IDENTITY = "name and uid of a Node"
SHOWN = "texts of a Node"
VERSION = "kubelet version of a Node"
LABELS = "labels of a Node"
ANSWER = "answer of a Node: condition, status, assignment"
READY = "Ready condition of a Node"
CONFIG = "config that a Node says it uses"
POLICY = "local config and floors that a Node names"
ADDRESS = "addresses of a Node"
MACHINE = "state of a machine on its Node"
STATEMENT = "numbers of a statement"
CONTENT = "content of a bundle"
PERSON = "key id of a certificate"
AUTHORITY = "principals and dates of a certificate"
RECORD = "record of a pool"
FILES = "pool files, Machine files and options"
UNITS = "systemd units of a host"
HOST = "answer of a host"
PODS = "pods and PodDisruptionBudgets of a Node"

FIELDS: dict[type[Any], dict[str, tuple[str, ...]]] = {
    NodeView: {
        IDENTITY: ("name", "uid", "resource_version", "deleting"),
        LABELS: ("labels",),
        SHOWN: ("ready_reason",),
        READY: ("ready", "unschedulable", "cordoned_by"),
        ANSWER: ("assigned", "answer", "gate_answers"),
        MACHINE: ("system", "taints", "machine"),
    },
    AssignedConfig: {ANSWER: ("source", "error", "id", "confirm_after")},
    AgentAnswer: {SHOWN: ("reason", "message"), ANSWER: ("config_ok", "status", "status_error")},
    NodeSystem: {
        IDENTITY: ("boot_id",),
        VERSION: ("kubelet_version",),
        SHOWN: ("os_image", "architecture"),
        MACHINE: ("runtime",),
    },
    ConfigStatus: {
        ANSWER: (
            *("assignment", "assigned", "confirmed", "error", "cause", "in_trial", "components", "ignored"),
            "agent_version",
        ),
        CONFIG: ("active", "last_known_good"),
        POLICY: ("local_config", "trust"),
    },
    ComponentStatus: {ANSWER: ("state",), SHOWN: ("version", "config", "note", "shadowed")},
    TrustStatus: {POLICY: ("floors",), SHOWN: ("mode", "signers", "problem")},
    SignerStatus: {SHOWN: ("fingerprint", "name")},
    Statement: {
        STATEMENT: ("sequence", "floor"),
        CONTENT: ("pool", "content_hash", "hash_scheme", "not_after", "cluster"),
    },
    Bundle: {
        CONTENT: ("source", "documents", "trial", "content_hash", "pool"),
        STATEMENT: ("statement", "signatures"),
    },
    Certificate: {
        PERSON: ("key_id",),
        AUTHORITY: (
            "key",
            "user",
            "principals",
            "valid_after",
            "valid_before",
            "critical_options",
            "authority",
            "signed_data",
            "signature",
        ),
    },
    Revision: {
        RECORD: (
            *("number", "name", "namespace", "uid", "content_hash", "time", "author", "cause", "result", "pruned"),
            *("sequence", "floor"),
        )
    },
    BadConfig: {RECORD: ("uid", "name", "content_hash", "reason", "time", "confirmed")},
    ObservedMachine: {
        IDENTITY: ("name", "uid", "deleting"),
        VERSION: ("kubelet_version",),
        LABELS: ("labels", "taints"),
        READY: ("ready", "cordoned", "cordoned_by"),
        SHOWN: ("os_image",),
        ANSWER: ("config", "has_agent"),
        ADDRESS: ("addresses",),
        MACHINE: ("runtime", "annotation", "annotation_error"),
    },
    ObservedConfig: {
        SHOWN: ("message",),
        ANSWER: ("ok", "source"),
        CONFIG: ("active",),
        POLICY: ("local",),
    },
    MachineAnnotation: {
        MACHINE: (
            *("machine", "provider", "provider_hash", "labels", "taints", "kubelet", "runtime", "previous"),
            "cluster_hash",
        ),
    },
}

# The facts of the inventory plugin, which makes hosts, groups and variables of them.
FACTS: dict[str, tuple[str, ...]] = {
    IDENTITY: ("name", "uid"),
    LABELS: ("labels", "annotations", "taints", "config"),
    ADDRESS: ("addresses",),
    VERSION: ("kubelet_version",),
    SHOWN: ("runtime", "os_image", "kernel_version", "architecture"),
    READY: ("conditions", "ready", "unschedulable"),
    ANSWER: ("config_ok", "config_source"),
}

# Every function that refuses something, with what it decides by.
REFUSALS: dict[str, tuple[str, ...]] = {
    "_operations/component_units.py:inspect": (UNITS,),
    "_operations/_machine_plan/machine_changes.py:_with_source_problem": (FILES, RECORD),
    "_operations/_machines/_machine_rollout.py:_confirm": (FILES, RECORD, MACHINE),
    "_operations/_machines/_machine_rollout.py:lines": (FILES,),
    "_operations/_machines/_machine_rollout.py:plan": (FILES, RECORD, HOST),
    "_operations/_machines/_machine_rollout.py:run": (FILES,),
    "_operations/_pool/pool_rollout.py:plan": (VERSION, POLICY, CONFIG, RECORD),
    "_operations/_publishing/_release.py:raise_refused": (VERSION, POLICY),
    "_operations/_publishing/_release.py:endorse": (POLICY,),
    "_operations/_publishing/_release.py:prepare": (POLICY, STATEMENT),
    "_operations/_publishing/_release.py:prepare_statement": (STATEMENT,),
    "_operations/_publishing/_release.py:read_layered_document": (FILES,),
    "_operations/_publishing/_release.py:vouch": (STATEMENT,),
    "_operations/_pool/_control_plane_changes.py:find_outage": (FILES, LABELS),
    "_operations/_pool/_leaders.py:find_leaders": (FILES,),
    "_operations/_pool/_target_changes.py:compare_target": (POLICY,),
    "_machines/_changes/cluster_changes.py:with_cluster_check": (FILES,),
    "_machines/_changes/_config_check.py:_sentences": (VERSION,),
    "_machines/_changes/_config_check.py:check_config": (VERSION, CONFIG),
    "_machines/_changes/plan_change.py:_action": (FILES, MACHINE),
    "_machines/_changes/plan_change.py:_creation": (FILES,),
    "_machines/_changes/plan_change.py:_deletion": (FILES, MACHINE),
    "_machines/_changes/plan_change.py:plan_change": (VERSION, MACHINE, IDENTITY),
    "_machines/_changes/cluster_changes.py:plan_cluster": (FILES,),
    "_machines/_changes/_reported_kubelets.py:without_reported": (VERSION,),
    "_machines/_changes/_skew.py:check_skew": (VERSION, MACHINE),
    "_rollout/_decisions/_canary.py:canary_refusals": (LABELS, FILES),
    "_rollout/_decisions/machine_planner.py:_refusals": (FILES, IDENTITY),
    "_rollout/_decisions/machine_planner.py:make_machine_plan": (FILES, IDENTITY),
    "_rollout/_decisions/planner.py:_refusals": (READY, RECORD, FILES),
    "_rollout/_decisions/planner.py:make_plan": (READY, RECORD, FILES),
    "_rollout/_decisions/transitions.py:start_rollout": (RECORD,),
    "_rollout/_decisions/trust_review.py:review_trust": (POLICY, STATEMENT),
    "_rollout/_drain/disruption_plan.py:plan_disruption": (CONFIG, FILES),
    "_rollout/_drain/drain_preview.py:drain_warnings": (PODS,),
    "_rollout/_drain/_drainer.py:drain": (PODS,),
    "_rollout/_drain/_pods.py:select_pods": (PODS,),
    "_rollout/_gates/gate_client.py:_connect": (FILES,),
    "_rollout/_record/revisions.py:_refuse_bad_config": (RECORD,),
    "_rollout/_run/runner.py:_confirmed": (RECORD, FILES),
    "_rollout/_run/runner.py:_hold_lock": (RECORD, FILES),
}


def fields_of(kind: type[Any]) -> set[str]:
    return set(getattr(kind, "_fields", None) or kind.__dataclass_fields__)


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_each_field_of_another_party_has_a_row(kind: type[Any]) -> None:
    known = [name for names in FIELDS[kind].values() for name in names]
    assert sorted(known) == sorted(fields_of(kind))


def test_each_fact_of_a_host_has_a_row() -> None:
    assert sorted(name for names in FACTS.values() for name in names) == sorted(node_facts({}))


def refusing_functions() -> Iterator[str]:
    """Yield each function of the control side that refuses something, as file:function."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / "plugins" / folder).rglob("*.py"))]
    for path in files:
        name = path.relative_to(ROOT / "plugins").as_posix().removeprefix("module_utils/")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and any(map(_refuses, ast.walk(function))):
                yield f"{name}:{function.name}"


def _refuses(node: ast.AST) -> bool:
    """Return whether a part of a function refuses something: it raises a refusal, or makes a sentence of one."""
    if isinstance(node, ast.Raise):
        return re.search(r"Refused|refusal", ast.unparse(node)) is not None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("append", "extend") and "refusals" in ast.unparse(node.func.value)
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return "refusals" in ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
    return isinstance(node, ast.keyword) and node.arg == "refusals"


def test_each_refusal_has_a_row() -> None:
    assert sorted(REFUSALS) == sorted(set(refusing_functions()))


def test_the_page_has_the_rows() -> None:
    table = PAGE.split("<!-- own words -->")[1].split("<!-- end of own words -->")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in table.strip().splitlines()[2:]]
    parts = [*FIELDS.values(), FACTS]
    used = {row for part in parts for row in part} | {row for names in REFUSALS.values() for row in names}
    assert sorted(rows) == sorted(used)
