# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigOK condition: one function for each situation of a node, and the PATCH that reports it.

The table of docs/node.md (reason is the cause, message the effect, in the words of the Dynamic Kubelet Configuration
proposal where it has them). Pure.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from .._text import sanitize
from .config_status import Cause, ConfigOkStatus, ConfigStatus
from .well_known import ANNOTATION_CONFIG_STATUS, CONDITION_CONFIG_OK, LABEL_CONFIG, LABEL_CONFIG_OK

MAX_TEXT = 512  # characters of a reason or a message in the condition; the journal has the whole text


class ConfigInUse(NamedTuple):
    """The config that a node uses: the record that names it, and its uid (None: the local config)."""

    record: Literal["current", "last-known-good"]
    uid: str | None = None
    has_init_config: bool = True  # of the local config

    def __str__(self) -> str:
        return f"using {self.record} ({self.label})"

    @property
    def label(self) -> str:
        """Return ``UID: ...``, ``init`` or ``default``."""
        if self.uid is not None:
            return f"UID: {self.uid}"
        return "init" if self.has_init_config else "default"


class ConfigOk(NamedTuple):
    """The ConfigOK condition of a node, and a CamelCase cause for machines."""

    status: ConfigOkStatus
    message: str
    reason: str
    cause: str

    def shortened(self) -> ConfigOk:
        """Return this with texts that fit the condition."""
        return self._replace(message=_one_line(self.message), reason=_one_line(self.reason))


def _one_line(text: str) -> str:
    return sanitize(" ".join(sanitize(text).split()), MAX_TEXT)


def good(using: ConfigInUse) -> ConfigOk:
    """Return the condition for a healthy node: with a bundle's config, or the local one if nothing is assigned."""
    if using.uid is not None:
        return ConfigOk("True", str(using), "all checks passed", Cause.GOOD)
    provided = "an init config was provided" if using.has_init_config else "no init config was provided"
    return ConfigOk(
        "True",
        str(using),
        f"current is set to the local default, and {provided}",
        Cause.INIT if using.has_init_config else Cause.DEFAULT,
    )


def adopting(label: str) -> ConfigOk:
    """Return the acknowledgement: checked, switched to, not probed yet. label: of the new config in use."""
    return ConfigOk("Unknown", f"adopting ({label})", "checks passed, not probed yet", Cause.ADOPTING)


def not_synced(using: ConfigInUse, cause: str, *, machine_cause: str) -> ConfigOk:
    """Return the condition for an unclear desired config (InvalidConfigSource) or an unavailable one (FetchFailed)."""
    return ConfigOk("Unknown", str(using), f"failed to sync, desired config unclear, cause: {cause}", machine_cause)


def host_not_ready(using: ConfigInUse, new: str, problem: str) -> ConfigOk:
    """Return the condition for a new config for which nothing is restarted, because any restart would fail.

    new: the label of the new config.
    """
    return ConfigOk("Unknown", str(using), f"({new}) waits for this host: {problem}", Cause.HOST_NOT_READY)


def assignment_lost(using: ConfigInUse) -> ConfigOk:
    """Return the condition for an annotation that is gone although the config was not unassigned."""
    return ConfigOk("Unknown", str(using), "assignment lost", Cause.ASSIGNMENT_LOST)


def stale_assignment(using: ConfigInUse, assignment: int) -> ConfigOk:
    """Return the condition for an assignment whose id is lower than one that this node has answered."""
    return ConfigOk("Unknown", str(using), f"stale assignment {assignment}", Cause.STALE_ASSIGNMENT)


def invalid(using: ConfigInUse, new: str, first_error: str) -> ConfigOk:
    """Return the condition for a new config that does not validate; the running config stays."""
    return ConfigOk(
        "False", str(using), f"failed to validate current (UID: {new}): {first_error}", Cause.INVALID_CONFIG
    )


def invalid_in_trial(using: ConfigInUse, new: str, first_error: str) -> ConfigOk:
    """Return the condition for a new config that does not validate while the running one is still in its trial."""
    return ConfigOk("False", str(using), f"failed to validate (UID: {new}): {first_error}", Cause.INVALID_CONFIG)


def untrusted(using: ConfigInUse, new: str, reason: str) -> ConfigOk:
    """Return the condition for a new config for which no trusted signer vouches; the running config stays."""
    return ConfigOk("False", str(using), f"failed to verify (UID: {new}): {reason}", Cause.UNTRUSTED)


def known_bad(using: ConfigInUse, uid: str, time: str, reason: str) -> ConfigOk:
    """Return the condition for an assigned config that was marked bad on this node before. time: RFC 3339."""
    return ConfigOk("False", str(using), f"(UID: {uid}) was marked bad at {time}: {reason}", Cause.KNOWN_BAD)


def crash_loop(using: ConfigInUse, new: str, crashes: int) -> ConfigOk:
    """Return the condition after a rollback because the component crashed too often during the trial."""
    return ConfigOk(
        "False", str(using), f"current (UID: {new}) crashed {crashes} times during its trial", Cause.CRASH_LOOP
    )


def not_healthy(using: ConfigInUse, new: str, within: str, probe: str) -> ConfigOk:
    """Return the condition after a rollback because the config did not become, or stay, healthy. within: as "2m"."""
    return ConfigOk(
        "False", str(using), f"current (UID: {new}) not healthy within {within}: {probe}", Cause.NOT_HEALTHY
    )


def both_fail(using: ConfigInUse, new: str) -> ConfigOk:
    """Return the condition for a last-known-good that fails as well: the cause may be elsewhere."""
    return ConfigOk(
        "False",
        f"{using}, which is failing",
        f"current (UID: {new}) and last-known-good both fail: cause may lie elsewhere",
        Cause.SUSPECT,
    )


def doubted(using: ConfigInUse, new: str, doubt: str) -> ConfigOk:
    """Return the condition after a rollback for which the config may not be at fault. doubt: why."""
    reason = f"current (UID: {new}) failed, the cause may lie elsewhere: {doubt}"
    return ConfigOk("Unknown", str(using), reason, Cause.SUSPECT)


def failing(using: ConfigInUse, problem: str) -> ConfigOk:
    """Return the condition for a problem after the trial or with the local config: reported, nothing is changed."""
    return ConfigOk("False", f"{using}, which is failing", problem, Cause.FAILING)


def unit_stopped(label: str, reason: str) -> ConfigOk:
    """Return the condition for a unit that an administrator stopped or masked: it is not started. reason: which one."""
    return ConfigOk("Unknown", f"current ({label}) not in use", reason, Cause.UNIT_STOPPED)


def not_read(label: str, reason: str) -> ConfigOk:
    """Return the condition for a component whose flags make it read another config."""
    return ConfigOk("Unknown", f"current ({label}) not in use", reason, Cause.NOT_READ)


def files_unusable(using: ConfigInUse | None, problem: str) -> ConfigOk:
    """Return the condition for an agent that cannot use its own files, so changes nothing. using: None if unknown."""
    message = "config in use unknown" if using is None else str(using)
    return ConfigOk("Unknown", message, f"cannot use this node's own files: {problem}", Cause.FILES_UNUSABLE)


def opted_out() -> ConfigOk:
    """Return the condition for dynamicConfig: false in the agent's own config."""
    return ConfigOk(
        "Unknown", "using the local config", "dynamic configuration is turned off on this node", Cause.OPTED_OUT
    )


def with_unused(verdict: ConfigOk, using: ConfigInUse, problem: str) -> ConfigOk:
    """Return the condition of a refused config on a node whose component does not run what it fell back to, either."""
    message = f"{using.record} ({using.label}) not in use"
    return verdict._replace(message=message, reason=f"{verdict.reason}; {problem}")


def with_damaged(verdict: ConfigOk, file: str) -> ConfigOk:
    """Return a condition whose reason adds that one of the agent's own files was damaged and set aside."""
    return verdict._replace(reason=f"{verdict.reason}; {file} was damaged and set aside")


def with_drift(verdict: ConfigOk, file: str) -> ConfigOk:
    """Return a condition whose reason adds that the source file of an init config has changed since."""
    return verdict._replace(reason=f"{verdict.reason}; {file} has changed since it became the init config")


def with_last_message(verdict: ConfigOk, component: str, message: str) -> ConfigOk:
    """Return a condition whose reason adds the component's last message before it exited."""
    return verdict._replace(reason=f"{verdict.reason}; {component} said last: {message}")


def status_patch(verdict: ConfigOk, status: ConfigStatus, label: str, *, now: str) -> dict[str, Any]:
    """Return the strategic-merge patch of ``nodes/<name>/status`` that reports everything at once.

    label: the bundle's name, "init" or "default". now: RFC 3339, the time of this write. A node's own identity may
    write condition, annotation and labels in one request (tested with a real API server).
    """
    verdict = verdict.shortened()
    return {
        "metadata": {
            "annotations": {ANNOTATION_CONFIG_STATUS: status.encode()},
            "labels": {LABEL_CONFIG: label, LABEL_CONFIG_OK: verdict.status},
        },
        "status": {
            "conditions": [
                {
                    "type": CONDITION_CONFIG_OK,
                    "status": verdict.status,
                    "reason": verdict.reason,
                    "message": verdict.message,
                    "lastHeartbeatTime": now,
                    "lastTransitionTime": now,
                }
            ]
        },
    }
