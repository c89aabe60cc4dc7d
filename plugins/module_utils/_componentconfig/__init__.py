# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode, default, convert, layer, check, compare and explain Kubernetes component config files.

The façade is seven verbs: `load`, `check`, `compare`, `upgrade`, `explain`, `convert` and `migrate`, each in the file
of its name.
Import a verb from there: ansible-core ships every file that an import names, so a module ships only what it calls.

This package imports only _foreign and _text of the collection and does no I/O. It raises ConfigError, or ImportError if
PyYAML is missing. Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["ConfigError"]


class ConfigError(Exception):
    """Raised for input that cannot be used; the text is a sentence for the user.

    Any other exception that leaves this package is a bug, except ImportError if PyYAML is missing.
    """
