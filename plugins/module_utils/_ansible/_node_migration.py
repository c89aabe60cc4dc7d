# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves a component of this node from flags to a file, for the module of the same purpose.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._componentconfig._codec._yaml import encode
from .._componentconfig._flags._kubelet_flags import parse_flags
from .._componentconfig._migrate import Migration, migrate
from .._componentconfig._scalars._secrets import redact
from .._host._component_process import StartedComponent, read_started
from .._nodeconfig._untrusted import sanitize_all
from . import UnusableInput
from ._component_units import ComponentUnits, NoSystemd, Runner

__all__ = ["StartUnknown", "plan_migration", "migration_result"]

_VERSION_PREFIX = "Kubernetes "


class StartUnknown(UnusableInput):
    """The command line or the version of a component is unknown; the message is one sentence without its full stop."""


def plan_migration(parameters: Mapping[str, Any], run: Runner) -> Migration:
    """Return the migration that the module's parameters ask for.

    Raises OSError, ConfigError, UnusableInput, SystemctlFailed.
    """
    version = parameters["kubernetes_version"] or ""
    if parameters["flags"] is not None:
        content = parameters["content"]
        argv = (parameters["component"], *parameters["flags"])
        config = None if content is None else (dict(parse_flags(argv)).get("config") or "content", content)
        started = StartedComponent(argv, parameters["directory"], config, ())
    else:
        started = _live(parameters, run)
        version = version or _program_version(started.argv[0], run)
        if not version:
            raise StartUnknown(f"{started.argv[0]} does not say its version: give kubernetes_version")
    return migrate(
        parameters["component"],
        started.argv,
        version=version,
        config=started.config,
        drop_ins=started.drop_ins,
        directory=started.directory,
        path=parameters["path"] or "",
    )


def _live(parameters: Mapping[str, Any], run: Runner) -> StartedComponent:
    try:
        units = ComponentUnits(run, drop_in="zz-configok.conf", state_directory="/var/lib/configok")
    except NoSystemd:
        raise StartUnknown(
            "This machine does not run systemd, so that it has no unit to look at: give flags instead"
        ) from None
    unit = parameters["unit"] or f"{parameters['component']}.service"
    argv, directory = units.command_line(unit)
    if not argv:
        raise StartUnknown(f"{unit} starts nothing here whose command line could be read: give flags instead")
    return read_started(argv, directory)


def _program_version(program: str, run: Runner) -> str:
    """Return the version that a program prints, or "" if it prints none."""
    code, out, _err = run([program, "--version"])
    return out.strip()[len(_VERSION_PREFIX) :] if code == 0 and out.startswith(_VERSION_PREFIX) else ""


def migration_result(migration: Migration, *, diff: bool) -> dict[str, Any]:
    """Return the module's result."""
    result: dict[str, Any] = {
        "changed": False,
        "valid": not any(finding.is_refusal for finding in migration.findings),
        "config": migration.shown_text,
        "flags": [
            {"name": flag.name, "words": list(flag.shown_words), "reason": flag.reason, "of_node": flag.is_of_node}
            for flag in migration.flags
        ],
        "left": [flag._asdict() for flag in migration.dropped],
        "instance_config": redact(dict(migration.instance_config)),
        "findings": sanitize_all([finding.as_dict() for finding in migration.findings]),
        "lines": sanitize_all(migration.lines),
    }
    if diff:
        before, after = (encode(redact(dict(sorted(data.items())))) for data in (migration.before, migration.after))
        result["diff"] = {"before_header": "today", "before": before, "after_header": "migrated", "after": after}
    return result
