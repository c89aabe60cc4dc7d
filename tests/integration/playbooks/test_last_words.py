# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reason of a run that has failed is the last thing on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ansible_runs.playbooks import Playbooks, quick_pool


@pytest.mark.parametrize(
    ("playbook", "takes_pool", "reason"),
    [
        ("rollout", True, "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?"),
        ("undo", True, "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?"),
        ("reconcile", True, "maxUnavialable: unknown key of the pool file: did you mean policy.maxUnavailable?"),
        ("machines", False, "machine_files: "),
    ],
)
def test_the_reason_is_the_last_line_before_the_recap(
    tmp_path: Path, playbook: str, takes_pool: bool, reason: str
) -> None:
    user = Playbooks(tmp_path, str(tmp_path / "nothing"))
    user.write({**quick_pool(), "maxUnavialable": 1}, "maxPods: 60\n")
    run = user.run(playbook, pool=takes_pool)
    assert run.code != 0
    before, _recap, after = run.output.partition("PLAY RECAP")
    last = [line for line in before.splitlines() if line.strip()][-1]
    assert last.startswith("fatal: [localhost]: FAILED! => ")
    assert reason in last
    assert last.count('"') <= 8  # nothing of the result but the reason
    assert "failed=1" in after
