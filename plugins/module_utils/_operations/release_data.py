# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Release data that an option of a module or an action plugin names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from .._componentconfig import ConfigError
from .._componentconfig._release_data.overlay import overlay_of
from .._componentconfig._schema.overlays import ReleaseOverlay, only_with
from . import UnusableInput


@contextmanager
def using_release_data(path: str | None) -> Iterator[None]:
    """Validate with the release data of a file, and with no others, until the block ends.

    path: None for no file. Raises UnusableInput.
    """
    with only_with([read_release_data(path)] if path else []):
        yield


def read_release_data(path: str) -> ReleaseOverlay:
    """Return the overlay of a file. Raises UnusableInput."""
    try:
        with open(path, "rb") as file:
            return overlay_of(file.read(), path)
    except ConfigError as error:
        raise UnusableInput(f"release_data: {error}") from error
    except (OSError, ValueError) as error:  # ValueError for a path with a null character
        cause = getattr(error, "strerror", None) or error
        # A relative path begins where ansible-playbook was started, and may name a file that was not intended.
        where = path if os.path.isabs(path) else f"{path} in {os.getcwd()}"
        raise UnusableInput(f"release_data: {where} cannot be read: {cause}") from error
