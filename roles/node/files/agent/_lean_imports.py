# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Import urllib3 without importlib.metadata, which it imports for HTTP/2 alone: 2.5 MB of the daemon's memory."""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType

__all__ = ["import_urllib3"]

_METADATA = "importlib.metadata"


def import_urllib3() -> None:
    """Import urllib3 while another module stands for importlib.metadata; that one is imported once it is used.

    A urllib3 that needs more of it is imported as usual, later.
    """
    if _METADATA in sys.modules:
        return
    stand_in = ModuleType(_METADATA)
    vars(stand_in)["version"] = _version
    sys.modules[_METADATA] = stand_in
    try:
        with contextlib.suppress(ImportError):
            import urllib3  # noqa: F401 - later imports find it
    finally:
        del sys.modules[_METADATA]


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)
