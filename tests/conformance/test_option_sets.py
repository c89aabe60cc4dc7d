# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real components of the control plane as oracles: we refuse the options that they refuse, and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from support.oracle.option_sets import option_sets
from support.oracle.option_verdicts import compare_options, explanations
from support.session.control_plane import minor_at_hand

LEAST = 300
EVERY = 40  # the quick part takes each so many sets


@pytest.mark.quick
@pytest.mark.parametrize("component", ["kube-apiserver", "kube-controller-manager", "kube-scheduler"])
def test_we_refuse_the_options_that_a_component_refuses(
    component: str, tmp_path: Path, is_quick: bool, figure: Callable[..., None]
) -> None:
    minor = minor_at_hand(component)
    sets = list(option_sets(component, minor))
    assert len(sets) >= LEAST
    verdicts = list(compare_options(component, minor, islice(sets, 0, None, EVERY if is_quick else 1), tmp_path))
    reasons: Counter[str] = Counter()
    unexplained = []
    for verdict in verdicts:
        if verdict.agrees:
            continue
        why = explanations(component, verdict)
        reasons.update(why)
        unexplained += [] if why else [str(verdict)]
    agreed = sum(verdict.agrees for verdict in verdicts)
    refused = sum(bool(verdict.theirs) for verdict in verdicts)
    saw = [f"{component} refuses {refused} of them"]
    good = not unexplained
    figure("options", component, agreed, f"of {len(verdicts)} agree", ok=good, saw=saw)
    for reason, number in reasons.items():
        figure("options", f"{component}, not the same: {reason}", number, "sets", ok=True)
    assert good, "\n".join(unexplained[:50])
