# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert ComponentOptions to the extraArgs of kubeadm's ClusterConfiguration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import ConfigError
from .._options import KUBEADM_SECTIONS
from .._options._document import read_options
from .._options._migration import extra_arguments
from .._schema.kinds import Kind
from ._field_moves import Loss

CLUSTER_CONFIGURATION = "ClusterConfiguration"


def convert_options(data: Mapping[str, Any], target: Kind, losses: list[Loss]) -> dict[str, Any]:
    """Return a ClusterConfiguration with the flags of options. Raises ConfigError for a value that no flag can have.

    kubeadm has no word for a flag that is to be removed, and writes no files.
    """
    options = read_options(data)
    if options.component not in KUBEADM_SECTIONS:
        raise ConfigError(f"component: must be one of {', '.join(KUBEADM_SECTIONS)}")
    for flag in sorted(options.removed):
        losses.append(Loss(options.field_of(flag), None, "kubeadm removes no flag that it writes itself"))
    for file in options.files:
        if file.content is not None:
            losses.append(Loss((*file.field, "content"), None, "kubeadm writes no files: each node needs it already"))
    pairs = extra_arguments(options)
    is_list = "name" in target.entries_along(("apiServer", "extraArgs"))[-1].get("fields", {})
    result: Any = [{"name": name, "value": value} for name, value in pairs] if is_list else dict(pairs)
    for flag in () if is_list else dict.fromkeys(name for name, _value in pairs):
        values = [value for name, value in pairs if name == flag]
        if len(values) > 1:
            path = options.field_of(flag) if flag in options.flags else ("files",)
            losses.append(Loss(path, values[:-1], "this version of kubeadm takes a flag once"))
    for name in ("extraArgs", *reversed(KUBEADM_SECTIONS[options.component])):
        result = {name: result}
    return dict(result)
