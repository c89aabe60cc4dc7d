# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""explain: describe fields of a component config, feature gates or a kind."""

from __future__ import annotations

from collections.abc import Sequence

from ._componentconfig._options import FLAG_COMPONENTS
from ._componentconfig._schema.kinds import KUBELET, MAIN_KINDS, declared_kinds, kinds
from ._componentconfig.explain import explain
from ._files import input_errors
from ._output import show, show_json

__all__ = ["explain_fields"]

_OK = 0


def explain_fields(words: Sequence[str], *, kind: str, version: str, as_json: bool) -> int:
    """Describe fields and return 0. Raises UnusableInput if one is unknown.

    words: field paths. If kind is "", the first one may be a component or a kind; alone, it is described itself.
    """
    paths = list(words)
    if not kind and (
        paths[0] in (*MAIN_KINDS, *FLAG_COMPONENTS)
        or any(paths[0] == known.kind for known in (*kinds(), *declared_kinds()))
    ):
        kind, *paths = paths
    with input_errors(kind):
        explanations = [explain(path, kind=kind or KUBELET, version=version) for path in paths or [""]]
    if as_json:
        answers = [{"heading": explanation.heading, "facts": explanation.facts} for explanation in explanations]
        show_json(answers[0] if len(answers) == 1 else answers)
    else:
        for explanation in explanations:
            show("\n".join(explanation.lines))
    return _OK
