# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our validation of a case: whether the component refuses it, and at which stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules import rule_facts
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._host_states import (
    stale_state_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import Host, HostQuery
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_rules import (
    host_findings,
    query_for,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.path_fields import resolve_paths
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check, config_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import (
    Finding,
    InvalidConfig,
    Level,
)
from support.configs.kubelet import KUBELET_KIND

from .case import STAGES, Answer, Case
from .kubelet import SOCKET

__all__ = ["stage_of", "validate"]

_KIND = str(KUBELET_KIND["kind"])
# As deep as the directories of the oracle's configs.
_HOME = "/srv/oracle/0"
# The kubelet checks the values of these fields at validation, and those of other fields at start.
_VALIDATED_VALUES = (
    "topologyManager",
    "enforceNodeAllocatable",
    "hairpinMode",
    "logging",
    "registerWithTaints",
    "memoryReservationPolicy",
)


def validate(
    case: Case,
    minor: int,
    read_host: Callable[[HostQuery], Host],
    ignores: Callable[[Case, Finding], bool] = lambda _case, _finding: False,
) -> Answer:
    """Validate a case for a kubelet of this minor, with the facts of the host that read_host returns.

    ignores: whether a finding does not apply to the kubelet at hand.
    """
    refusals = list(_refusals(case, minor, read_host, ignores))
    if not refusals:
        return Answer("running")
    return min(refusals, key=lambda answer: STAGES.index(answer.stage))


def _refusals(
    case: Case, minor: int, read_host: Callable[[HostQuery], Host], ignores: Callable[[Case, Finding], bool]
) -> Iterator[Answer]:
    source = case.text.encode("utf-8", "surrogateescape")
    for finding in check(source, component="kubelet", versions=[f"1.{minor}"]):
        if finding.level is Level.COMPONENT and not ignores(case, finding):
            yield Answer(stage_of(finding.rule, finding.field), f"{finding.rule}: {finding}")
    try:
        document = decode(source)
    except InvalidConfig:
        return
    context = config_at(document._replace(data=resolve_paths(document.data, _KIND, _HOME)), minor)
    if context is None:
        return
    query = query_for(context, "kubelet", root_directory="/var/lib/kubelet", runtime=SOCKET)
    host = read_host(query)._replace(**case.facts)
    for problem in (*host_findings(context, "kubelet", host), *stale_state_findings(context, host)):
        if problem.level is Level.COMPONENT and not ignores(case, problem):
            yield Answer("start", f"{problem.rule}: {problem.path} {problem.message}")


def stage_of(rule: str, path: str) -> str:
    """Return the stage at which the kubelet refuses what a finding of this rule, for the field at path, is about."""
    if rule in rule_facts("kubelet", "kubelet") or (rule == "enum" and path.startswith(_VALIDATED_VALUES)):
        return "validation"
    if rule in rule_facts("kubelet", "kubeletStart") or rule == "enum":
        return "start"
    return "load"
