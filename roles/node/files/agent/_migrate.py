# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""migrate: turn a component's flags into a config file, and print it as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from ._componentconfig._flags.kubelet_flags import parse_flags
from ._componentconfig._scalars.secrets import redact
from ._componentconfig.findings import Level
from ._componentconfig.migrate import migrate
from ._files import input_errors, read_file
from ._flags_file import read_flags
from ._host.component_process import StartedComponent, read_started
from ._output import complain, show_json

__all__ = ["migrate_flags"]

_OK, _REFUSED = 0, 1


def migrate_flags(
    component: str,
    argv: Sequence[str],
    *,
    version: str,
    as_json: bool,
    flags_file: str = "",
    present_config: str = "",
) -> int:
    """Print the file, and on standard error the result for each flag.

    Return 0, 1 if the component refuses something. Raises UnusableInput.

    argv: program first. flags_file: has more flags, which come first; "" for none. present_config: a copy of the file
    that the flags name with --config, "" to read that file. version: of the component that is to read the new file, ""
    for the newest known.
    """
    with input_errors(flags_file):
        words = [*argv[:1], *(read_flags(flags_file, component).words if flags_file else ()), *argv[1:]]
    is_away = flags_file and not present_config
    with input_errors(component, "; --present-config takes a copy of the file that --config names" if is_away else ""):
        started = _started(words, present_config)
        migration = migrate(
            component,
            words,
            version=version,
            config=started.config,
            drop_ins=started.drop_ins,
        )
    if as_json:
        answer = {
            "config": migration.shown_text,
            "flags": [{"words": list(flag.shown_words), "reason": flag.reason} for flag in migration.flags],
            "left": [flag._asdict() for flag in migration.dropped],
            "instanceConfig": redact(dict(migration.instance_config)),
            "findings": [finding.as_dict() for finding in migration.findings],
        }
        show_json(answer)
    else:
        print(migration.shown_text, end="")
        for line in migration.lines:
            complain(line)
    return _REFUSED if any(finding.level is Level.COMPONENT for finding in migration.findings) else _OK


def _started(argv: Sequence[str], present_config: str) -> StartedComponent:
    """Read the files that a command line names. Raises OSError."""
    if not present_config:
        return read_started(argv, "/")
    path = dict(parse_flags(argv)).get("config") or present_config
    return StartedComponent(tuple(argv), "/", (path, read_file(present_config)), ())
