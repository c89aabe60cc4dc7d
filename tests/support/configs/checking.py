# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check whole files, as the commands and modules do that take files."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.read_file import decode_file
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import Config
from ansible_collections.configok.node.plugins.module_utils._componentconfig.option_check import OPTION_CHECK

__all__ = ["check_file"]


def check_file(config: Config | str | bytes, **options: Any) -> list[Finding]:
    """Return the findings about a file, loaded or a text, with the configs of other tools and all flags in it.

    options: those of `check`.
    """
    return check(config, reader=decode_file, arguments=OPTION_CHECK, **options)
