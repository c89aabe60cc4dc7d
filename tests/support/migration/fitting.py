# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sets of flags for kubelets of other minors: without the flags and the feature gates that they do not accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._pflag import parse_command_line
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._feature_gates import FeatureGates

from .flag_sets import FlagSet

__all__ = ["fitting"]

_GATES = "feature-gates"
# From this minor on, a kubelet does not start with control groups of version 1, unless it is allowed to.
_FAILS_CGROUP_V1_SINCE = 35


def fitting(sample: FlagSet, minor: int) -> FlagSet:
    """Return a set of flags with only the flags, and the feature gates, that a kubelet of this minor accepts."""
    known = flag_set("kubelet")
    assert known is not None
    words: list[str] = []
    for use in parse_command_line(sample.words, known.flags).uses:
        if use.name == _GATES:
            settings = dict(pair.split("=") for pair in use.value.split(","))
            gates = ",".join(f"{name}={settings[name]}" for name in _accepted(settings, minor))
            words += [f"--{_GATES}={gates}"] if gates else []
        elif known.flags[use.name].known_at(minor):
            words += use.arguments
    if minor >= _FAILS_CGROUP_V1_SINCE:
        words.append("--fail-cgroupv1=false")
    return sample._replace(words=tuple(words), config=_fitting_config(sample.config, minor))


def _accepted(settings: Mapping[str, Any], minor: int) -> list[str]:
    switches = {name: str(value).lower() in ("true", "t", "1") for name, value in settings.items()}
    refused = dict(FeatureGates(minor, switches).refused_settings())
    return [name for name in settings if name not in refused]


def _fitting_config(text: str, minor: int) -> str:
    """Return a config without the feature gates that the minor refuses; the same text where it has none."""
    config = yaml.safe_load(text) or {}
    gates = config.get("featureGates", {})
    accepted = _accepted(gates, minor)
    if len(accepted) == len(gates):
        return text
    return yaml.safe_dump({**config, "featureGates": {name: gates[name] for name in accepted}})
