# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""diff: compare two component configs field by field, and say what the change asks of a node."""

from __future__ import annotations

import json

from ._componentconfig import ConfigError
from ._componentconfig._compare import compare
from ._componentconfig._load import load
from ._files import file_error, read_file
from ._output import complain, show

__all__ = ["diff_files"]

_SAME, _DIFFERENT, _USAGE = 0, 1, 2


def diff_files(before: str, after: str, *, version: str, as_json: bool) -> int:
    """Print the differences; return 0 if there are none, 1 if there are some, 2 if a file cannot be used.

    before, after: paths, "-" for standard input. version: of the component, "" for the newest known.
    """
    try:
        layers = [(name, read_file(name)) for name in (before, after)]
        comparison = compare(load(layers[:1]), load(layers[1:]), (version, version))
    except OSError as error:
        complain(file_error(error, before))
        return _USAGE
    except ConfigError as error:
        complain(str(error))
        return _USAGE
    if as_json:
        print(json.dumps([change.as_dict() for change in comparison.changes]))
    else:
        show("\n".join(comparison.lines))
    return _DIFFERENT if comparison.changes else _SAME
