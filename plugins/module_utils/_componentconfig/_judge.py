# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of one config: merged, judged and told in one call, for modules and commands.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._documents._document import Document
from ._documents._findings import POLICY, Finding, finding, worst
from ._layers import render
from ._policy import denied_problems
from ._validate import validate

__all__ = ["Judgement", "judge"]


@dataclass(frozen=True)
class Judgement:
    """A merged config, as data and as YAML text (both empty where a layer cannot be used), and all that was found."""

    data: dict[str, Any]
    text: str
    findings: list[Finding]

    @property
    def worst(self) -> str | None:
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
) -> Judgement:
    """Merge layers, each a file name and its text, lowest first, and judge the result; arguments as for `validate`.

    host: judges the merged document against a host too, where one is to be looked at.

    Raises ValueError for a Kubernetes version that is none, and ImportError where PyYAML is missing.
    """
    rendered = render(layers)
    if rendered.document is None:
        return Judgement({}, "", rendered.findings)
    document = rendered.document
    findings = validate(document, component=component, versions=versions, nodes=nodes, bundle=bundle)
    for problem in denied_problems(document.data, denied_fields):
        file, line = document.file_of(problem.path), document.line_of(problem.path)
        findings.append(finding(file, line, problem.path, problem.value, problem.message, POLICY, problem.rule))
    if host is not None:
        findings += host(document)
    return Judgement(document.data, rendered.text, findings)
