# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""explain: describe a field of a component config."""

from __future__ import annotations

import json

from ._componentconfig import ConfigError
from ._componentconfig._explain import explain
from ._output import complain, show

__all__ = ["explain_field"]

_OK, _UNKNOWN = 0, 2


def explain_field(path: str, *, kind: str, version: str, as_json: bool) -> int:
    """Describe a field and return 0, or 2 if it is unknown."""
    try:
        explanation = explain(path, kind=kind, version=version)
    except ConfigError as error:
        complain(str(error))
        return _UNKNOWN
    if as_json:
        print(json.dumps({"heading": explanation.heading, "facts": explanation.facts}))
    else:
        show("\n".join(explanation.lines))
    return _OK
