# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans the confirmation of an assignment: that its config has been good for a while.

Pure. The time counts from the agent's own ConfigOK True, in seconds since boot, and continues after the agent restarts.
It begins again after a reboot, after another status of ConfigOK, and with another invocation of a component.
"""

from __future__ import annotations

from ..._nodeconfig.config_status import ConfigOkStatus
from .health import ComponentsObservation
from .node_state import Moment
from .records import AnsweredAssignment, Confirmation

_CLOSE = 30.0  # seconds before the confirmation in which the end of a trial waits for it, to be reported with it
_LATE = 15.0  # seconds that it waits for a confirmation that is due: more than the deadline of a probe


def plan_confirmation(
    answered: AnsweredAssignment, config_ok: ConfigOkStatus, components: ComponentsObservation, *, moment: Moment
) -> AnsweredAssignment | None:
    """Return the answer with its confirmation as it is now; None if nothing has changed.

    config_ok: the status that the agent reports now. The confirmation is given by a probe that was started after the
    time was over, and immediately if the assignment asks for no time.
    """
    confirmation = answered.confirmation
    if confirmation is None or confirmation.is_given:
        return None
    if config_ok != "True":
        return answered._replace(confirmation=Confirmation(confirmation.after)) if confirmation.boot_id else None
    begun = (confirmation.boot_id, dict(confirmation.invocations))
    if begun != (moment.boot_id, dict(components.invocations)):
        return answered._replace(
            confirmation=confirmation._replace(
                boot_id=moment.boot_id,
                since_boot=moment.now,
                invocations=dict(components.invocations),
                is_given=confirmation.after == 0,
            )
        )
    if components.probed_at < confirmation.since_boot + confirmation.after:
        return None
    return answered._replace(confirmation=confirmation._replace(is_given=True))


def confirmation_due(answered: AnsweredAssignment, moment: Moment) -> float:
    """Return when to probe for the confirmation, in seconds since boot; infinity if that is not to come."""
    due = _due(answered, moment)
    return due if due > moment.now else float("inf")


def is_confirmation_close(answered: AnsweredAssignment, moment: Moment) -> bool:
    """Return whether the confirmation comes so soon that the end of a trial is reported with it."""
    return -_LATE <= _due(answered, moment) - moment.now <= _CLOSE


def _due(answered: AnsweredAssignment, moment: Moment) -> float:
    confirmation = answered.confirmation
    if confirmation is None or not confirmation.is_counting or confirmation.boot_id != moment.boot_id:
        return float("inf")
    return confirmation.since_boot + confirmation.after
