# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What other packages need of ComponentOptions: what a document says, and what a bundle may set."""

from __future__ import annotations

from ._flags._pflag import parse_flag_value as flag_value
from ._options import COMPONENT_OPTIONS, ETCD, FLAG_COMPONENTS, KUBEADM_SECTIONS
from ._options._command_line_changes import holds_options, with_options, without_options
from ._options._document import (
    DIRECTORY,
    Options,
    OptionsFile,
    flag_texts,
    list_items,
    node_files,
    plugin_paths,
    read_options,
)
from ._options._effective import class_of_change, effective_options, without_reloaded
from ._options._facts import bundle_flags, file_flags, path_flags
from ._schema._option_forms import OPTION_FORMS, OptionForms

__all__ = [
    "COMPONENT_OPTIONS",
    "DIRECTORY",
    "ETCD",
    "FLAG_COMPONENTS",
    "KUBEADM_SECTIONS",
    "Options",
    "OptionsFile",
    "bundle_flags",
    "file_flags",
    "flag_texts",
    "flag_value",
    "holds_options",
    "list_items",
    "node_files",
    "path_flags",
    "plugin_paths",
    "read_options",
    "with_options",
    "without_options",
    "without_reloaded",
]

OPTION_FORMS[:] = [OptionForms(effective_options, class_of_change)]
