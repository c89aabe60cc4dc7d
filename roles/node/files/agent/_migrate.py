# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""migrate: turn a component's flags into a config file, and print it as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ._componentconfig import ConfigError
from ._componentconfig._findings import Level
from ._componentconfig._migrate import migrate
from ._componentconfig._scalars._secrets import redact
from ._host._component_process import read_started
from ._output import complain

__all__ = ["migrate_flags"]

_OK, _REFUSED, _USAGE = 0, 1, 2


def migrate_flags(component: str, argv: Sequence[str], *, version: str, allow_newer: bool, as_json: bool) -> int:
    """Print the file, and on standard error the result for each flag.

    Return 0, 1 if the component refuses something, 2 if a file or the version cannot be used.

    argv: program first. version: of the component that is to read the file, "" for the newest known. allow_newer:
    whether it may be newer than the newest known.
    """
    try:
        started = read_started(argv, "/")
        migration = migrate(
            component,
            argv,
            version=version,
            config=started.config,
            drop_ins=started.drop_ins,
            allow_newer=allow_newer,
        )
    except OSError as error:
        complain(f"{error.filename}: cannot be read: {error.strerror or error}")
        return _USAGE
    except ConfigError as error:
        complain(str(error))
        return _USAGE
    if as_json:
        answer = {
            "config": migration.shown_text,
            "flags": [{"words": list(flag.shown_words), "reason": flag.reason} for flag in migration.flags],
            "left": [flag._asdict() for flag in migration.dropped],
            "instanceConfig": redact(dict(migration.instance_config)),
            "findings": [finding.as_dict() for finding in migration.findings],
        }
        print(json.dumps(answer))
    else:
        print(migration.shown_text, end="")
        for line in migration.lines:
            complain(line)
    return _REFUSED if any(finding.level is Level.COMPONENT for finding in migration.findings) else _OK
