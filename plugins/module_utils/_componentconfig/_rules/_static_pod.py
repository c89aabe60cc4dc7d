# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check ComponentOptions by themselves, by the rules of schema/static_pod_validation_rules.json."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ._rule import EffectiveConfig, Rule, Violations, required, values_must

_FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,62}")


def _file_names(config: EffectiveConfig) -> Violations:
    for name in config.written("files") or {}:
        if not _FILE_NAME.fullmatch(name):
            yield ("files", name), "must be the name of a file: at most 63 letters, digits, -, _ and ., no dot first"


def _file_sources(config: EffectiveConfig) -> Violations:
    for name, file in (config.written("files") or {}).items():
        if (file.get("content") is None) == (not file.get("path")):
            yield ("files", name), "needs either content, or the path at which the file is on each node"


_ABSOLUTE = "must be an absolute path without . and .. in it"
STATIC_POD_RULES: Mapping[str, Mapping[str, Rule]] = {
    "ComponentOptions": {
        "component": required("component"),
        "file-names": _file_names,
        "file-source": _file_sources,
        "file-path": values_must(
            "files{}.path",
            lambda path: not path or (path.startswith("/") and not {".", ".."} & set(path.split("/"))),
            _ABSOLUTE,
        ),
        "file-content": values_must(
            "files{}.content", lambda content: isinstance(content, (dict, str)), "must be a document or a text"
        ),
    }
}
"""The rules by kind and id."""
