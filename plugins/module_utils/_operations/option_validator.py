# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What validates ComponentOptions.

Its data are large, so that this file does not import them: a module that Ansible sends somewhere does without, and
reports ComponentOptions as not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .._componentconfig.check import FlagCheck
from .._nodeconfig.denials import DenialsOfKind


class OptionValidator(NamedTuple):
    """arguments: checks flags and files; see OPTION_CHECK. denials: what nodes deny of them; see OPTION_DENIALS."""

    arguments: FlagCheck | None = None
    denials: Mapping[str, DenialsOfKind] = MappingProxyType({})


NO_OPTION_VALIDATOR = OptionValidator()
