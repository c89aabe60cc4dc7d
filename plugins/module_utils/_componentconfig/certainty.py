# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what cannot be judged for a release, because the data of it are not whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .._text import and_list
from ._schema._feature_gates import gate_state
from ._schema.releases import JUDGED_LAYERS, Layer, minor_name, minor_names, missing_layers, newest_minor
from .findings import RULE_GATES_KNOWN, RULE_UNKNOWN_FIELD, RULE_UNKNOWN_FLAG, Finding, not_judged

_LAYERS: Mapping[str, tuple[Layer, str]] = {
    RULE_UNKNOWN_FIELD: (Layer.FIELDS, "unknown fields"),
    RULE_UNKNOWN_FLAG: (Layer.FLAGS, "unknown flags"),
    RULE_GATES_KNOWN: (Layer.GATES, "unknown feature gates"),
}
"""The layer without which a finding of a rule may be wrong, since the release may have the name; and what it is of."""


def missing_layer_findings(minor: int, needed: Iterable[Layer] = JUDGED_LAYERS) -> Iterator[Finding]:
    """Yield the finding that parts of every verdict about a release are missing, unless these layers are whole."""
    missing = missing_layers(minor, needed)
    if missing:
        what = f"{and_list([str(layer) for layer in missing])} of Kubernetes {minor_name(minor)}"
        yield not_judged((), what, _why_not_whole(minor))._replace(versions=(minor_name(minor),))


def upgrade_findings(minors: tuple[int, int]) -> Iterator[Finding]:
    """Yield what is not judged about a move from one minor to another.

    The meanings of each release on the way count, and the other layers of both ends.
    """
    low, high = sorted(minors)
    is_open = bool(missing_layers(high))
    yield from missing_layer_findings(low)
    yield from missing_layer_findings(high, Layer if is_open else JUDGED_LAYERS)
    unread = [minor for minor in range(low + 1, high + (not is_open)) if missing_layers(minor, (Layer.MEANINGS,))]
    if unread:
        why = "the data have nothing on values that mean something else from these releases on"
        what = f"{Layer.MEANINGS} of Kubernetes {minor_names(unread)}"
        yield not_judged((), what, why)._replace(versions=tuple(map(minor_name, unread)))


def _why_not_whole(minor: int) -> str:
    """Return why something of a release is not judged."""
    newest = newest_minor()
    instead = f", and it is judged as {minor_name(newest)}" if minor > newest else ""
    return f"the data of this release are not whole{instead}"


def with_certainty(finding: Finding, minor: int) -> Finding:
    """Return a finding about a minor; that something is not judged, if it rests on a layer that is not whole."""
    layer, what = _LAYERS.get(finding.rule, (None, ""))
    if layer is None or layer not in missing_layers(minor) or _is_known_gate(finding, minor):
        return finding
    why = f"the {layer} of Kubernetes {minor_name(minor)} are not known as a whole"
    return not_judged(finding.path, what, why)._replace(file=finding.file, line=finding.line, value=finding.value)


def _is_known_gate(finding: Finding, minor: int) -> bool:
    """Return whether a finding is about a gate that earlier releases have: one that is gone or locked stays so."""
    return finding.rule == RULE_GATES_KNOWN and gate_state(str(finding.path[-1]), minor) is not None
