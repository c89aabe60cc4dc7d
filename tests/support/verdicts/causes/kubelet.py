# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the engine does not share recorded verdicts on the kubelet's files."""

from __future__ import annotations

from support.verdicts.comparison import Disagreement

from ._cause import Category, Cause, accepts, refuses

__all__ = ["CAUSES"]

_KUBELET = frozenset({"kubelet"})
_CREDENTIAL_PROVIDERS = frozenset({"CredentialProviderConfig"})


def _until(disagreement: Disagreement, minor: int) -> bool:
    return int(disagreement.verdict.minor.partition(".")[2]) <= minor


def _refuses_flush_frequency(disagreement: Disagreement) -> bool:
    fields = {finding.field for finding in disagreement.findings}
    return refuses("logging")(disagreement) and fields == {"logging.flushFrequency"} and _until(disagreement, 34)


def _refuses_provider_without_name(disagreement: Disagreement) -> bool:
    return refuses("provider-name")(disagreement) and all(
        finding.value in (None, '""', "null") for finding in disagreement.findings
    )


def _refuses_provider_twice(disagreement: Disagreement) -> bool:
    return refuses("provider-unique")(disagreement) and _until(disagreement, 32)


def _accepts_gate_of_a_patch(disagreement: Disagreement) -> bool:
    message = "^unrecognized feature gate: UnauthenticatedHTTP2DOSMitigation$"
    return accepts(message)(disagreement) and disagreement.verdict.minor == "1.25"


CAUSES: tuple[Cause, ...] = (
    Cause(
        "kubelet and kube-proxy: up to 1.34, a `logging.flushFrequency` below 0 ends the process when it is applied",
        Category.STARTS,
        frozenset({"kubelet", "kube-proxy"}),
        _refuses_flush_frequency,
    ),
    Cause(
        "kubelet: a credential provider without a name is refused when it is registered",
        Category.STARTS,
        _CREDENTIAL_PROVIDERS,
        _refuses_provider_without_name,
    ),
    Cause(
        "kubelet: up to 1.32, a credential provider that is named twice is refused when it is registered",
        Category.STARTS,
        _CREDENTIAL_PROVIDERS,
        _refuses_provider_twice,
    ),
    Cause(
        "kubelet: a JSON number beyond 64 bits of floating point is refused in unknown fields too",
        Category.BY_DESIGN,
        _KUBELET,
        refuses("number"),
    ),
    Cause(
        "kubelet: the gate UnauthenticatedHTTP2DOSMitigation came with a later patch of 1.25",
        Category.MEASURED_TREE,
        _KUBELET,
        _accepts_gate_of_a_patch,
    ),
)
