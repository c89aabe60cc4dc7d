# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the engine's verdicts with the recorded ones."""

from __future__ import annotations

from typing import NamedTuple

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.component_flags import (
    ComponentFlags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level
from ansible_collections.configok.node.plugins.module_utils._operations._cel import cel_checker
from support.configs.checking import check_file
from support.oracle.ours import stage_of

from .recorded import RecordedFile, Verdict

__all__ = ["Disagreement", "disagreements"]

# Gates of the command line were at their defaults, but for those of structured authentication and authorization: no
# rule depends on these.
_NO_FLAGS = ComponentFlags(())
# The recorded verdicts are those of decoding and validation; the kubelet's checks at its start were not asked.
_NOT_RECORDED = {"kubelet": "start"}
_ARGUMENTS = frozenset(("extraArgs", "kubeletExtraArgs"))
_RULES_OF_ARGUMENTS = ("type", "unknown-field", "duplicate", "extra-args", "kubelet-args")  # those of kubeadm itself
_COMPONENTS = {"kube-proxy": "kube-proxy", "kube-scheduler": "kube-scheduler", "kubelet": "kubelet"}


class Disagreement(NamedTuple):
    """A verdict that the engine does not share. findings: the engine's own for this minor, of level component."""

    file: RecordedFile
    verdict: Verdict
    findings: tuple[Finding, ...]

    @property
    def engine_refuses(self) -> bool:
        """Return whether the engine refuses what upstream accepts; otherwise it is the other way round."""
        return not self.verdict.refused

    def __str__(self) -> str:
        engine = "; ".join(f"{finding.rule}: {finding}" for finding in self.findings[:2]) or "accepts it"
        upstream = f"{self.verdict.stage} {self.verdict.message}".strip()
        return f"{self.file.kind}:{self.file.line} {self.verdict.minor}: upstream: {upstream}; the engine: {engine}"


def disagreements(file: RecordedFile) -> list[Disagreement]:
    """Return the verdicts on a file that the engine does not share."""
    findings = check_file(
        file.text,
        component=_COMPONENTS.get(file.kind),
        versions=[verdict.minor for verdict in file.verdicts],
        flags=_NO_FLAGS,
        expressions=cel_checker,
    )
    refusals = [
        finding for finding in findings if finding.level is Level.COMPONENT and _is_recorded(file.kind, finding)
    ]
    result = []
    for verdict in file.verdicts:
        own = tuple(finding for finding in refusals if verdict.minor in finding.versions)
        if bool(own) != verdict.refused:
            result.append(Disagreement(file, verdict, own))
    return result


def _is_recorded(kind: str, finding: Finding) -> bool:
    if kind == "kubeadm" and not _ARGUMENTS.isdisjoint(finding.path) and finding.rule not in _RULES_OF_ARGUMENTS:
        return False  # kubeadm writes these flags down, and the component that starts with them refuses them
    return kind not in _NOT_RECORDED or stage_of(finding.rule, finding.field) != _NOT_RECORDED[kind]
