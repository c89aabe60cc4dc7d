# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what cannot be judged for a release, because the data of it are not whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ._findings import RULE_UNKNOWN_FIELD, RULE_UNKNOWN_FLAG, Finding, not_judged
from ._scalars._wording import and_list
from ._schema._releases import Layer, minor_name, missing_layers, newest_minor

__all__ = ["missing_layer_findings", "with_certainty"]

_LAYERS: Mapping[str, tuple[Layer, str]] = {
    RULE_UNKNOWN_FIELD: (Layer.FIELDS, "unknown fields"),
    RULE_UNKNOWN_FLAG: (Layer.FLAGS, "unknown flags"),
    "gates-known": (Layer.GATES, "unknown feature gates"),
    "gates-deps": (Layer.GATES, "dependencies of feature gates"),
}
"""The layer without which a finding of a rule may be wrong, since the release may have the name; and what it is of."""


def missing_layer_findings(minor: int) -> Iterator[Finding]:
    """Yield the finding that parts of every verdict about a release are missing, unless its data are whole."""
    missing = missing_layers(minor)
    if missing:
        what = f"{and_list([str(layer) for layer in missing])} of Kubernetes {minor_name(minor)}"
        yield not_judged((), what, why_not_whole(minor))


def why_not_whole(minor: int) -> str:
    """Return why something of a release is not judged."""
    newest = newest_minor()
    instead = f", and it is judged as {minor_name(newest)}" if minor > newest else ""
    return f"the data of this release are not whole{instead}"


def with_certainty(finding: Finding, minor: int) -> Finding:
    """Return a finding about a minor; that something is not judged, if it rests on a layer that is not whole."""
    layer, what = _LAYERS.get(finding.rule, (None, ""))
    if layer is None or layer not in missing_layers(minor):
        return finding
    why = f"the {layer} of Kubernetes {minor_name(minor)} are not known as a whole"
    return not_judged(finding.path, what, why)._replace(file=finding.file, line=finding.line, value=finding.value)
