# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real kubelet as oracle: we refuse the configs that it refuses, and accept those that it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from support.api.binaries import minor_of
from support.conformance.bare import bare_node
from support.oracle.case import Case
from support.oracle.cases import all_cases, quick_cases
from support.oracle.comparison import Compared, Comparison
from support.oracle.kubelet import Oracle
from support.oracle.ours import validate

LEAST = 400


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    """A node of a separate testbed."""
    with bare_node("oracle") as node:
        yield Oracle(node, minor_of("kubelet"))


def compare(oracle: Oracle, cases: Sequence[Case]) -> Comparison:
    answers = oracle.ask(cases)
    compared = [
        Compared(case, answer, validate(case, oracle.minor, oracle.host, oracle.ignores))
        for case, answer in zip(cases, answers)
    ]
    return Comparison(compared, oracle.minor)


@pytest.mark.complaint("MCO #2357: invalid values rendered nodes unusable")
@pytest.mark.complaint("MCO PR #2390: validation was wrong about percentages, and was reverted")
@pytest.mark.quick
def test_we_refuse_what_the_kubelet_refuses(oracle: Oracle, is_quick: bool, figure: Callable[..., None]) -> None:
    comparison = compare(oracle, (quick_cases if is_quick else all_cases)(oracle.minor))
    assert is_quick or len(comparison.all) >= LEAST
    good = not comparison.unexplained and not comparison.obsolete
    ends = ", ".join(f"{stage} {number}" for stage, number in comparison.by_stage().items())
    figure("oracle", "configs", len(comparison.all), "validated", ok=True, saw=[f"where the kubelet ended: {ends}"])
    for group, (number, agreed) in comparison.by_group().items():
        figure("oracle", f"by {group}", agreed, f"of {number} agree", ok=True)
    figure("oracle", "all", len(comparison.agreed), f"of {len(comparison.all)} agree", ok=good)
    refused = sum(compared.kubelet.refused for compared in comparison.agreed)
    figure("oracle", "stage", comparison.same_stage, f"of {refused} refused at the stage that we name", ok=True)
    for reason, number in comparison.by_reason().items():
        figure("oracle", f"not the same: {reason}", number, "configs", ok=True)
    figure("oracle", "disagreements", len(comparison.explained), "explained", ok=good)
    if oracle.takes_unknown_gates:
        saw = ["this build of the kubelet only warns about them, as those of some distributions do"]
        figure("oracle", "unknown feature gates", 0, "refused", ok=True, saw=saw)
    lines = [f"not explained: {compared}" for compared in comparison.unexplained]
    lines += [f"agrees again, remove it from the table: {compared}" for compared in comparison.obsolete]
    assert not lines, "\n".join(lines)
