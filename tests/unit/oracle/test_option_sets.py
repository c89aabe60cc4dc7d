# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sets of options for the oracle are the same in every run, and the reasons are about flags that exist."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import known_flags
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._pflag import FORMS
from support.oracle.option_sets import GOOD_VALUES, LEFT_OUT, VALUES, option_sets
from support.oracle.option_verdicts import EXPLAINED, OptionVerdict, explanations

COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize("minor", [20, 36])
def test_the_sets_have_names_of_their_own_and_are_the_same_again(component: str, minor: int) -> None:
    sets = list(option_sets(component, minor))
    assert len({name for name, _flags in sets}) == len(sets)
    assert sets == list(option_sets(component, minor))


def test_each_flag_that_a_table_names_is_one_of_a_component() -> None:
    known = {flag for component in COMPONENTS if (flags := known_flags(component)) for flag in flags.flags}
    explained = {flag for reasons in EXPLAINED.values() for flag in reasons}
    assert explained | set(LEFT_OUT) | set(GOOD_VALUES) <= known
    assert set(VALUES) <= set(FORMS)


def test_a_disagreement_has_the_reasons_of_its_flags() -> None:
    verdict = OptionVerdict("flag", {"controllers": ["a"], "profiling": True}, "", "refused")
    assert not verdict.agrees
    assert explanations("kube-controller-manager", verdict) == ["the data do not have the names of controllers"]
    assert explanations("kube-apiserver", verdict) == []
