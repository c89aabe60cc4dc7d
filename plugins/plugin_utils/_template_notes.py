# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say of a refused config that its user wrote a template, of which the findings do not know.

Private to configok.node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import (
    parse_path,
    value_at,
)
from ansible_collections.configok.node.plugins.plugin_utils._values import plain

__all__ = ["template_notes"]

_TEMPLATE = "{{"


def template_notes(findings: Sequence[Mapping[str, Any]], documents: Any) -> list[str]:
    """Return a sentence for each refused value, and for each refused layer, that has a template.

    findings: as data. documents: those of the pool by component, with the templates in them; None for layers.
    """
    written = plain(documents) if isinstance(documents, Mapping) else {}
    notes: dict[str, None] = {}  # in order, each once
    for finding in findings:
        file, path = finding["file"], finding["path"]
        if file in written:
            if _is_template(written[file], path):
                notes[
                    f"{file}: {path}: its value is a template, and the value of a variable may be text: add the filter "
                    "int, float or bool"
                ] = None
        elif _holds_template(file):
            notes[f"{file}: layers are not templates: give the config as documents instead"] = None
    return list(notes)


def _is_template(document: Any, path: str) -> bool:
    with suppress(ConfigError):  # a long path is cut off
        value = value_at(document, parse_path(path))
        return isinstance(value, str) and _TEMPLATE in value
    return False


def _holds_template(file: str) -> bool:
    with suppress(OSError, ValueError):
        return _TEMPLATE in Path(file).read_text(encoding="utf-8")
    return False
