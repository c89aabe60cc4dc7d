# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags that the components of the control plane list in --help are known, with their types."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import known_flags
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data._help_text import parse_help
from support.api.binaries import find
from support.session.control_plane import minor_at_hand

OF_DISTRIBUTIONS = frozenset(
    (
        *("openshift-config", "unsupported-kube-api-over-localhost", "send-retry-after-while-not-ready-once"),
        "insecure-experimental-approve-all-kubelet-csrs-for-group",
    )
)
FORMS: Mapping[str, tuple[str, ...]] = {
    "": ("bool", "tristate"),
    "duration": ("duration",),
    "float": ("float",),
    "float32": ("float",),
    "int": ("int",),
    "int32": ("int32",),
    "int64": ("int",),
    "ip": ("ip",),
    "ints": ("intList",),
    "int32Slice": ("intList",),
    "mapStringBool": ("mapBool",),
    "portRange": ("portRange",),
    "quantity": ("quantity",),
    "stringArray": ("array",),
    "stringToString": ("stringToString",),
    "strings": ("list",),
    "uint": ("uint", "string"),
}
"""The forms that we may have for a type in a help text; a type that is not here may have any."""


@pytest.mark.parametrize("component", ["kube-apiserver", "kube-controller-manager", "kube-scheduler"])
def test_every_flag_of_the_help_is_known_with_its_type(component: str) -> None:
    minor = minor_at_hand(component)
    text = subprocess.run([find(component), "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    rows = {name.replace("_", "-"): row for name, row in parse_help(text).flags.items()}
    shown = {name: row for name, row in rows.items() if name not in OF_DISTRIBUTIONS}
    known = known_flags(component)
    assert known is not None
    assert [name for name in shown if name not in known.flags or not known.flags[name].known_at(minor)] == []
    wrong = [
        f"--{name}: {row.type}, not {known.flags[name].form}"
        for name, row in shown.items()
        if row.type in FORMS and known.flags[name].form not in FORMS[row.type]
    ]
    assert wrong == []
