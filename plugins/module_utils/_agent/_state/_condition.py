# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node says of itself, chosen from the table of situations. Private to configok.node.

Pure: what is assigned, what the records say and how the components are go in; a verdict comes out, or None while
nothing new can be said yet (then the last word stands).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..._nodeconfig import _config_ok as words
from ..._nodeconfig._config_ok import ConfigInUse, ConfigOk
from ..._nodeconfig._config_status import Cause
from ..._nodeconfig._durations import condition_duration
from ._active_config import in_trial
from ._desired_state import DesiredState
from ._node_state import NodeState
from ._records import AssignmentFailure

__all__ = ["ComponentsCondition", "choose_verdict", "config_in_use"]


class ComponentsCondition(NamedTuple):
    """How the components of the config in use are, taken together.

    healthy: None while nothing is known yet. failing: what is wrong, once it has lasted. stopped: the unit that an
    administrator stopped. unread: why a component does not read the file that it is given.
    """

    healthy: bool | None = None
    failing: str = ""
    stopped: str = ""
    unread: str = ""


def config_in_use(wish: DesiredState | None, local: NodeState, *, init_provided: bool) -> ConfigInUse:
    """Return which config this node uses, of which record. wish: as for answer()."""
    record = local.active_record
    name = local.active.record_name
    # How it went with another Node object of this name is over with that.
    outcome = (local.records.answered if wish is None else wish.answered).outcome
    if outcome is not None and not in_trial(record, local.records.last_known_good):
        name = "last-known-good"  # what is assigned failed; what runs is what the node fell back to, or stayed on
    return ConfigInUse(name, record.uid, init_provided)


def choose_verdict(
    wish: DesiredState | None,
    local: NodeState,
    condition: ComponentsCondition,
    *,
    init_provided: bool,
    fetch_error: str = "",
    damaged: Sequence[str] = (),
) -> ConfigOk | None:
    """Return the verdict. wish: None before the API has answered for the first time."""
    verdict = _verdict(wish, local, condition, config_in_use(wish, local, init_provided=init_provided), fetch_error)
    if verdict is not None and damaged:
        verdict = words.with_damaged(verdict, damaged[-1])
    return verdict


def _verdict(
    wish: DesiredState | None, local: NodeState, condition: ComponentsCondition, use: ConfigInUse, fetch_error: str
) -> ConfigOk | None:
    if wish is None:
        return None
    outcome = local.records.answered.outcome if wish.kind == "failed" else None
    if outcome is not None and outcome.kind in ("InvalidConfig", "KnownBad"):
        return _refused(outcome, local, use)
    if condition.stopped:
        return words.unit_stopped(use.label, condition.stopped)
    if condition.unread:
        return words.not_read(use.label, condition.unread)
    if wish.kind == "lost":
        return words.assignment_lost(use)
    if wish.kind == "stale":
        return words.stale_assignment(use, wish.stale_id)
    if wish.kind == "invalid":
        return words.not_synced(use, wish.cause, machine_cause=Cause.INVALID_CONFIG_SOURCE)
    if fetch_error:
        return words.not_synced(use, fetch_error, machine_cause=Cause.FETCH_FAILED)
    if outcome is not None:
        return _fallen_back(outcome, condition, use)
    if wish.kind in ("adopt", "unassign"):
        return None  # about to be done
    return _in_use(local, condition, use)


def _refused(outcome: AssignmentFailure, local: NodeState, use: ConfigInUse) -> ConfigOk:
    if outcome.kind == "KnownBad":
        return words.known_bad(use, outcome.uid, outcome.time, outcome.text)
    if in_trial(local.active_record, local.records.last_known_good):
        return words.invalid_in_trial(use, outcome.uid, outcome.text)
    return words.invalid(use, outcome.uid, outcome.text)


def _fallen_back(outcome: AssignmentFailure, condition: ComponentsCondition, use: ConfigInUse) -> ConfigOk | None:
    if outcome.suspect:
        return words.both_fail(use, outcome.uid)
    if not condition.healthy:
        return None  # after going back, probe before saying that it worked
    if outcome.kind == "CrashLoop":
        return words.crash_loop(use, outcome.uid, outcome.crashes)
    return words.not_healthy(use, outcome.uid, condition_duration(outcome.within), outcome.text)


def _in_use(local: NodeState, condition: ComponentsCondition, use: ConfigInUse) -> ConfigOk | None:
    record = local.active_record
    if condition.failing and not in_trial(record, local.records.last_known_good):
        # After the trial the agent reports trouble and changes nothing.
        return words.failing(use, condition.failing)
    if condition.healthy:
        return words.good(use)
    if record.source is not None and not record.confirmed:
        return words.adopting(use.label)
    return None
