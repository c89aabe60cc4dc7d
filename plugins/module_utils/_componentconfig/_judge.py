# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of one config: merged, judged and told in one call, for modules and commands.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._bundle_policy import denied_field_findings
from ._check import Collector, Targets, check
from ._codec._document import Document
from ._drop_ins import DropIn, drop_in_problems, drop_in_warnings, drop_ins
from ._exceptions import ConfigError
from ._findings import Finding, Level, bounded, worst
from ._load import Origin, load, provenance
from ._schema._kinds import Kind, find_kind
from ._schema._releases import newest_minor

__all__ = ["Judgement", "judge"]

_WITH_DROP_INS = "KubeletConfiguration"


@dataclass(frozen=True)
class Judgement:
    """A merged config, as data and as YAML text (both empty where a layer cannot be used), all that was found, where
    each field is from, and the same as drop-ins where these were asked for."""

    data: dict[str, Any]
    text: str
    findings: list[Finding]
    origins: list[Origin] = field(default_factory=list)
    drop_ins: list[DropIn] = field(default_factory=list)

    @property
    def worst(self) -> Level | None:
        """The heaviest level found, None where nothing was."""
        return worst(self.findings)


def judge(
    layers: Sequence[tuple[str, str | bytes]],
    *,
    component: str | None = None,
    versions: Sequence[str] = (),
    nodes: Mapping[str, str] | None = None,
    bundle: bool = False,
    denied_fields: Sequence[str] = (),
    host: Callable[[Document], list[Finding]] | None = None,
    as_drop_ins: bool = False,
) -> Judgement:
    """Merge layers, each a file name and its text, lowest first, and judge the result; arguments as for `validate`.

    host: judges the merged document against a host too, where one is to be looked at. as_drop_ins: also write the
    layers as drop-ins for the kubelet, and find what a kubelet would make something else of.

    Raises ComponentConfigError for a Kubernetes version that is none, and ImportError where PyYAML is missing.
    """
    rendered = load(layers)
    if rendered.document is None:
        return Judgement({}, "", rendered.findings)
    document = rendered.document
    findings = check(document, component=component, versions=versions, nodes=nodes, bundle=bundle)
    findings += [document.locate(finding) for finding in denied_field_findings(document.data, denied_fields)]
    if host is not None:
        findings += host(document)
    findings = bounded(findings)
    origins = provenance(rendered.layers, document.data)
    if not as_drop_ins:
        return Judgement(document.data, rendered.text, findings, origins)
    kind = find_kind(document.data["apiVersion"], document.data["kind"])
    if kind is None or kind.kind != _WITH_DROP_INS:
        raise ConfigError(f"only a {_WITH_DROP_INS} can be written as drop-ins")
    pool = Targets(versions, nodes or {}, newest_minor())
    findings = bounded([*findings, *_of_drop_ins(rendered.layers, document, kind, pool)])
    return Judgement(document.data, rendered.text, findings, origins, drop_ins(rendered.layers))


def _of_drop_ins(layers: Sequence[Document], document: Document, kind: Kind, pool: Targets) -> list[Finding]:
    collected = Collector(document, pool)
    for minor in pool.minors:
        collected.add(drop_in_problems(layers, document.data, kind, minor), minor)
        collected.add(drop_in_warnings(minor), minor)
    return collected.findings()
