# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of flags: it fits the kinds, and the short table that prestart uses."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import (
    FlagSet,
    components_with_flags,
    flag_set,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._pflag import FORMS, Flag
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.kubelet_flags import (
    flag_field,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import MAIN_KINDS, kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import known_minors


def flags_of(component: str) -> FlagSet:
    flags = flag_set(component)
    assert flags is not None
    return flags


EVERY = [(component, flag) for component in components_with_flags() for flag in flags_of(component).flags.values()]


@pytest.mark.parametrize(("component", "flag"), EVERY, ids=[f"{component} {flag.name}" for component, flag in EVERY])
def test_a_flag_has_a_form_and_a_way(component: str, flag: Flag) -> None:
    assert flag.form in FORMS
    if flag.field:
        known = [
            minor
            for minor in known_minors()
            for kind in kinds()
            if kind.kind == MAIN_KINDS[component] and kind.known_at(minor)
            if kind.entry_at(flag.field, minor) is not None
        ]
        assert known, f"{flag.field} is a field of no version"
    else:
        assert flag.advice.keep or flag.advice.refuse or flag.port_of
    if flag.last is not None and not flag.field:
        assert flag.advice.drop or flag.advice.refuse or flag.advice.replaced_by


@pytest.mark.parametrize("flag", flags_of("kubelet").flags.values(), ids=lambda flag: flag.name)
def test_the_short_table_says_the_same(flag: Flag) -> None:
    # prestart and the daemon read _names, which needs no data and no kinds.
    fields = [name for kind in kinds() if kind.kind == "KubeletConfiguration" for name in kind.fields]
    assert flag_field(flag.name, fields) == ".".join(str(part) for part in flag.field)


def test_unknown_components_have_none() -> None:
    assert flag_set("kube-apiserver") is None
    assert set(components_with_flags()) == {"kubelet", "kube-proxy", "kube-scheduler"}


def test_a_default_that_only_flags_have_changes_with_the_version() -> None:
    flag = flags_of("kubelet").flags["eviction-hard"]
    assert flag.default_at(24) is None
    assert flag.default_at(25) == {}
