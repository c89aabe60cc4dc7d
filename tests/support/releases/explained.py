# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why what a real binary says of itself may differ from the shipped data; any other difference is a fault of the data.

Keys are names, with a component before them if the reason holds for that one alone.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["FIELDS", "FLAGS", "GATES", "OWN_GATE", "reason_of"]

GATES: Mapping[str, str] = {
    "AllAlpha": "it switches all alpha gates, and the data have no row of it from 1.21 on",
    "AllBeta": "it switches all beta gates, and the data have no row of it from 1.21 on",
    "kube-scheduler ControllerManagerReleaseLeaderElectionLockOnExit": "a gate of the controller managers' library, "
    "which the scheduler is built without",
}
OWN_GATE = "a gate that this build of the component adds: no release of the data, which are whole, has it"
FLAGS: Mapping[str, str] = {
    "max-housekeeping-interval": "kubelets of some distributions have it, and upstream's do not",
    "unsupported-kube-api-over-localhost": "schedulers of some distributions have it, and upstream's do not",
    "windows-service": "a kubelet of Windows has it, and one of Linux does not",
    "windows-priorityclass": "a kubelet of Windows has it, and one of Linux does not",
}
FIELDS: Mapping[str, str] = {
    "kube-scheduler profiles": "a file without profiles gets one with the name of the flag, and the data do not have "
    "that profile as a default",
}


def reason_of(difference: str, explained: Mapping[str, str]) -> str:
    """Return why a difference, a component and a name, is none of the data's faults; "" if it is one."""
    return explained.get(difference) or explained.get(difference.split()[-1], "")
