# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a component's flags from a file, for commands that run away from the component."""

from __future__ import annotations

import re

from ._componentconfig import ConfigError
from ._componentconfig._documents.flags_in_file import flags_in_file
from ._componentconfig._flags.flags_text import FlagsText, parse_flags_text
from ._files import read_file

__all__ = ["read_flags"]

_HEAD = re.compile(r"(?m)^[{\s]*[\"']?apiVersion[\"']?[ \t]*:")


def read_flags(name: str, component: str = "") -> FlagsText:
    """Return the flags in a file, and the names of other variables in it; see `parse_flags_text`.

    The file may also be a manifest, or kubeadm's, with the flags of a component: "" for the only one in it. Raises
    OSError, ConfigError.
    """
    text = read_file(name).decode("utf-8", "surrogateescape")
    if _HEAD.search(text):
        words = flags_in_file(text, file=name, component=component)
        if words is not None:
            return FlagsText(words, ())
    try:
        return parse_flags_text(text)
    except ConfigError as error:
        raise ConfigError(f"{name}: the flags cannot be split into words: {error}") from error
