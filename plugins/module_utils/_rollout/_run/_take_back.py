# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Return a machine to the versions and the config that it had when its rollout began."""

from __future__ import annotations

from dataclasses import replace

from ..._kube.api_paths import node
from ..._nodeconfig.durations import describe_duration
from .._nodes._machine_access import apply_machine
from .._nodes.node_goals import InstalledVersions, unmet_versions, with_versions
from .._nodes.node_view import node_view
from .._nodes.reported_versions import without_v
from .._record.record import PreviousMachine
from ..goals import MachineGoal
from ._node_move import NodeMove
from .host_change import ChangeNotBegun


def take_back(move: NodeMove, goal: MachineGoal) -> str:
    """Return the host and the config of a machine to what they were. Return the outcome in words.

    A machine whose host could not be taken back stays cordoned. Raises KubeError, RolloutError.
    """
    name, tools = move.name, move.tools
    previous = tools.facts.previous(name, goal)
    if previous is None:
        return "what it was before is not known, so that it was not taken back"
    try:
        failure = move.change_host("rollback", replace(goal, previous=_versions(previous)), may_stop=False)
    except ChangeNotBegun:
        failure = "the run was interrupted"
    if failure:
        tools.left_cordoned.add(name)
        return f"it could not be taken back to {_describe(previous)} and stays cordoned: {failure}"
    earlier = _earlier_goal(move, goal, previous)
    item = tools.session.client.find(node(name))
    view = None if item is None else node_view(item)
    if view is not None and view.machine == goal.annotation:  # it has got everything of the goal
        is_assigned = view.assigned.source == goal.source  # and not something else since
        earlier = earlier if is_assigned else replace(earlier, source=view.assigned.source)
        assigns = is_assigned and earlier.source != goal.source
        apply_machine(tools.session.client, name, earlier, assigns=assigns, possibly_assigned=True)
    if move.await_node(lambda seen: seen is not None and bool(seen.ready) and not unmet_versions(seen, earlier)):
        tools.drainer.uncordon(name)
        return f"it is back on {_describe(previous)}"
    within = "yet" if tools.should_stop() else f"within {describe_duration(tools.host.node_timeout)}"
    return f"it was taken back to {_describe(previous)}, and is not Ready {within}"


def _earlier_goal(move: NodeMove, goal: MachineGoal, previous: PreviousMachine) -> MachineGoal:
    """Return the goal of a machine that is taken back: its config and its versions; its labels stay."""
    kubelet, runtime = without_v(previous.kubelet_version), (previous.runtime_name, previous.runtime_version)
    source = move.tools.facts.previous_source(move.name, goal)
    annotation = with_versions(goal.annotation, InstalledVersions(kubelet, runtime))
    return MachineGoal(source, kubelet_version=kubelet, runtime=runtime, annotation=annotation)


def _versions(previous: PreviousMachine) -> dict[str, object]:
    """Return the versions of a machine as MachineGoal.previous has them."""
    return {
        "kubelet": without_v(previous.kubelet_version),
        "runtime": (previous.runtime_name, previous.runtime_version),
    }


def _describe(previous: PreviousMachine) -> str:
    runtime = f"{previous.runtime_name} {previous.runtime_version}".strip()
    kubelet = f"kubelet {without_v(previous.kubelet_version)}"
    return f"{kubelet} and {runtime}" if runtime else kubelet
