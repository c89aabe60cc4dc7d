# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ConfigOK in words: one function for each situation a node can be in. Private to configok.node.

The table of docs/node.md (reason is the cause, message the effect, in the words of the Dynamic Kubelet Configuration
proposal where it has them). Pure: nothing here knows a cluster or a file.
"""

from __future__ import annotations

from typing import NamedTuple

from ._untrusted import sanitize

__all__ = [
    "MAX_TEXT",
    "ConfigInUse",
    "ConfigOk",
    "adopting",
    "assignment_lost",
    "both_fail",
    "crash_loop",
    "failing",
    "files_unusable",
    "good",
    "invalid",
    "invalid_in_trial",
    "known_bad",
    "not_healthy",
    "not_read",
    "not_synced",
    "opted_out",
    "stale_assignment",
    "unit_stopped",
    "with_damaged",
    "with_drift",
    "with_last_message",
]

MAX_TEXT = 512  # characters of a reason or a message in the condition; the journal has all of it


class ConfigInUse(NamedTuple):
    """Which config a node uses: of which record, by which uid (None: the local config)."""

    record: str  # "current" | "last-known-good"
    uid: str | None = None
    init: bool = True  # whether an init config was provided, for the local config

    def __str__(self) -> str:
        return f"using {self.record} ({self.what})"

    @property
    def what(self) -> str:
        """``UID: ...``, ``init`` or ``default``."""
        if self.uid is not None:
            return f"UID: {self.uid}"
        return "init" if self.init else "default"


class ConfigOk(NamedTuple):
    """One answer of a node: what ConfigOK says, and a CamelCase cause for machines."""

    status: str  # "True" | "False" | "Unknown"
    message: str
    reason: str
    cause: str

    def cut(self) -> ConfigOk:
        """Return the verdict with texts that fit the condition."""
        return self._replace(message=_cut(self.message), reason=_cut(self.reason))


def _cut(text: str) -> str:
    return sanitize(" ".join(sanitize(text).split()), MAX_TEXT)


def good(using: ConfigInUse) -> ConfigOk:
    """All is well: a bundle's config, or the local one when nothing is assigned."""
    if using.uid is not None:
        return ConfigOk("True", str(using), "all checks passed", "Good")
    provided = "an init config was provided" if using.init else "no init config was provided"
    return ConfigOk(
        "True",
        str(using),
        f"current is set to the local default, and {provided}",
        "Init" if using.init else "Default",
    )


def adopting(what: str) -> ConfigOk:
    """The acknowledgement: checked, switched to, not probed yet. ``what`` is Using.what of the new config."""
    return ConfigOk("Unknown", f"adopting ({what})", "checks passed, not probed yet", "Adopting")


def not_synced(using: ConfigInUse, cause: str, *, machine_cause: str) -> ConfigOk:
    """The desired config is unclear (InvalidConfigSource) or cannot be had yet (FetchFailed)."""
    return ConfigOk("Unknown", str(using), f"failed to sync, desired config unclear, cause: {cause}", machine_cause)


def assignment_lost(using: ConfigInUse) -> ConfigOk:
    """The annotation is gone, but nobody unassigned it."""
    return ConfigOk("Unknown", str(using), "assignment lost", "AssignmentLost")


def stale_assignment(using: ConfigInUse, assignment: int) -> ConfigOk:
    """The assignment's id is lower than one that this node has answered already."""
    return ConfigOk("Unknown", str(using), f"stale assignment {assignment}", "StaleAssignment")


def invalid(using: ConfigInUse, new: str, first_error: str) -> ConfigOk:
    """The new config does not validate; what runs goes on running."""
    return ConfigOk("False", str(using), f"failed to validate current (UID: {new}): {first_error}", "InvalidConfig")


def invalid_in_trial(using: ConfigInUse, new: str, first_error: str) -> ConfigOk:
    """The new config does not validate, while what runs is still in its own trial."""
    return ConfigOk("False", str(using), f"failed to validate (UID: {new}): {first_error}", "InvalidConfig")


def known_bad(using: ConfigInUse, uid: str, time: str, reason: str) -> ConfigOk:
    """The assigned config was marked bad on this node before. time: RFC 3339."""
    return ConfigOk("False", str(using), f"(UID: {uid}) was marked bad at {time}: {reason}", "KnownBad")


def crash_loop(using: ConfigInUse, new: str, crashes: int) -> ConfigOk:
    """The config crashed its component too often during its trial; the node is back on last-known-good."""
    return ConfigOk("False", str(using), f"current (UID: {new}) crashed {crashes} times during its trial", "CrashLoop")


def not_healthy(using: ConfigInUse, new: str, within: str, probe: str) -> ConfigOk:
    """The config did not become, or stay, healthy; the node is back on last-known-good. within: as "2m"."""
    return ConfigOk("False", str(using), f"current (UID: {new}) not healthy within {within}: {probe}", "NotHealthy")


def both_fail(using: ConfigInUse, new: str) -> ConfigOk:
    """Last-known-good fails as well: the cause may be elsewhere. Stay, and say so."""
    return ConfigOk(
        "False",
        f"{using}, which is failing",
        f"current (UID: {new}) and last-known-good both fail: cause may lie elsewhere",
        "Suspect",
    )


def failing(using: ConfigInUse, trouble: str) -> ConfigOk:
    """Trouble after the trial, or with the local config: reported, and nothing is changed."""
    return ConfigOk("False", f"{using}, which is failing", trouble, "Failing")


def unit_stopped(what: str, unit: str) -> ConfigOk:
    """An administrator has stopped or masked the unit: its file is switched, nothing is started."""
    return ConfigOk("Unknown", f"current ({what}) not in use", f"{unit} is stopped by an administrator", "UnitStopped")


def not_read(what: str, why: str) -> ConfigOk:
    """The component's flags make it read something else than the file that it is given."""
    return ConfigOk("Unknown", f"current ({what}) not in use", why, "NotRead")


def files_unusable(using: ConfigInUse | None, trouble: str) -> ConfigOk:
    """The agent cannot read or write its own files, so it can neither decide nor change anything.

    using: as far as it is known from before.
    """
    message = "config in use unknown" if using is None else str(using)
    return ConfigOk("Unknown", message, f"cannot use this node's own files: {trouble}", "FilesUnusable")


def opted_out() -> ConfigOk:
    """dynamicConfig: false in the agent's own config."""
    return ConfigOk("Unknown", "using the local config", "dynamic configuration is turned off on this node", "OptedOut")


def with_damaged(verdict: ConfigOk, file: str) -> ConfigOk:
    """Add that one of the agent's own files was damaged and set aside; the rest is as otherwise."""
    return verdict._replace(reason=f"{verdict.reason}; {file} was damaged and set aside")


def with_drift(verdict: ConfigOk, file: str) -> ConfigOk:
    """Add that the file an init config came from has changed since; the rest is as otherwise."""
    return verdict._replace(reason=f"{verdict.reason}; {file} has changed since it became the init config")


def with_last_message(verdict: ConfigOk, component: str, message: str) -> ConfigOk:
    """Add what the component said last before it died; the rest is as otherwise."""
    return verdict._replace(reason=f"{verdict.reason}; {component} said last: {message}")
