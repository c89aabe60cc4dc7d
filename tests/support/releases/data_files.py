# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of release data, as release_data writes them of a binary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.file_format import (
    DataLayer,
    ProbedGate,
    ReleaseData,
    Source,
    write,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import newest_minor

__all__ = ["GONE", "NEXT", "PRESENT", "next_release"]

NEXT = newest_minor() + 1
"""The minor of the first release that the collection does not know."""
PRESENT, GONE = "NewGate", "PodsAPI"
"""A gate that only the next release has, and one that the newest known release has and the next one has not."""

_KUBELET = Source("binary", "kubelet", f"v1.{NEXT}.0", "a" * 64)


def next_release(path: Path, *, minor: int = NEXT, defaults: Mapping[str, Any] | None = None) -> str:
    """Write release data with the gates of a kubelet, of which PRESENT is one, and return the path of the file.

    defaults: of fields of its config, by path.
    """
    gates = DataLayer({PRESENT: ProbedGate("Alpha", False, False)}, (_KUBELET,), "2026-12-16")
    of_fields = DataLayer({"KubeletConfiguration": defaults}, (_KUBELET,), "2026-12-16") if defaults else DataLayer()
    path.write_text(write(ReleaseData(minor, gates, defaults=of_fields)), encoding="utf-8")
    return str(path)
