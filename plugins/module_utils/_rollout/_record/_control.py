# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of people to a pool's rollout: pause, abort, approve. Pure.

They are data of the record's ConfigMap, so that a person with kubectl, a playbook or a workflow can write them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ..._nodeconfig.well_known import NAMESPACE_ROLLOUTS
from ..._text import sanitize
from ..plan import BROKEN_WAVES, CANARY

Request = Literal["", "pause", "abort"]
PAUSE: Final = "pause"
ABORT: Final = "abort"
ALL: Final = "all"  # approves every wave

# The field of a Control by its key in the ConfigMap.
CONTROL_KEYS: Mapping[str, str] = {
    "request": "request",
    "requestedBy": "by",
    "requestReason": "reason",
    "requestedAt": "time",
    "approved": "approved",
    "approvedBy": "approved_by",
    "approvalReason": "approval_reason",
    "approvedAt": "approved_at",
}
RECORD_KEYS = ("record", "nodes")  # the keys that only a run writes
_MAX_TEXT = 1000  # characters of a value that are kept: the rest of the record needs the room
_MAX_SHOWN = 300
_NUMBERED_WAVE = re.compile(r"wave [1-9][0-9]{0,5}\Z")
WAVES = "canary, wave 1, ..."  # in a sentence about their names


@dataclass(frozen=True)
class Control:
    """What people request of a pool's rollout, in the words of the ConfigMap.

    request: "pause", "abort" or "" for neither. approved: names of waves, comma-separated, or "all". by, reason, time,
    approved_by, approval_reason, approved_at: empty unless the writer gave them. unknown_keys: keys of the ConfigMap
    that no version knows. A value that is not understood is kept, but it requests and approves nothing.
    """

    request: str = ""
    by: str = ""
    reason: str = ""
    approved: str = ""
    time: str = ""
    approved_by: str = ""
    approval_reason: str = ""
    approved_at: str = ""
    unknown_keys: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def from_data(cls, data: Mapping[str, str]) -> Control:
        """Read the keys of a record's ConfigMap, apart from those of the record itself."""
        texts = {name: str(data.get(key) or "")[:_MAX_TEXT].strip() for key, name in CONTROL_KEYS.items()}
        known = {*CONTROL_KEYS, *RECORD_KEYS}
        return cls(**texts, unknown_keys=tuple(sorted(str(key)[:100] for key in data if key not in known)[:10]))

    def to_data(self) -> dict[str, str]:
        """Return the keys of the ConfigMap; nothing is written for an empty value."""
        values = {key: str(getattr(self, name)) for key, name in CONTROL_KEYS.items()}
        return {key: text for key, text in values.items() if text}

    @property
    def is_pause(self) -> bool:
        """Return whether the rollout is to pause."""
        return self.request == PAUSE

    @property
    def is_abort(self) -> bool:
        """Return whether the rollout is to end."""
        return self.request == ABORT

    @property
    def approved_waves(self) -> frozenset[str]:
        """Return the names of the approved waves, or "all" among them; none if a part of the text is not understood."""
        names = self._approved_names()
        return frozenset(names) if all(is_wave(name) or name == ALL for name in names) else frozenset()

    def approves(self, wave: str) -> bool:
        """Return whether the wave of this name is approved."""
        return not self.approved_waves.isdisjoint((wave, ALL))

    def for_new_rollout(self) -> Control:
        """Return what the requests of a pool at rest mean for its next rollout: only a pause is for that."""
        return Control(self.request, self.by, self.reason, time=self.time) if self.is_pause else Control()

    def at_end(self) -> Control:
        """Return what is left when the rollout ends: the approvals, until the next rollout begins."""
        return replace(self.without_request(), unknown_keys=()) if self.approved_waves else Control()

    def without_request(self) -> Control:
        """Return the approvals alone."""
        return replace(self, request="", by="", reason="", time="")

    def describe_approval(self) -> str:
        """Return "wave 1 is approved already, by alice at 2026-11-24T10:00:00Z: why", "" without an approval."""
        waves = sorted(self.approved_waves)
        if not waves:
            return ""
        which = "every wave is" if ALL in waves else f"{', '.join(waves)} {'is' if len(waves) == 1 else 'are'}"
        origin = _origin(self.approved_by, self.approved_at, self.approval_reason)
        return f"{which} approved already" + (f",{origin}" if origin else "")

    def describe_request(self) -> str:
        """Return "paused by alice at 2026-11-24T10:00:00Z: why", "aborted by ...", or "" without a request."""
        if not (self.is_pause or self.is_abort):
            return ""
        return f"{'paused' if self.is_pause else 'aborted'}{_origin(self.by, self.time, self.reason)}"

    def problems(self, pool: str) -> list[str]:
        """Return a sentence for each value that is not understood, and that is therefore not obeyed."""
        where = f"(ConfigMap {NAMESPACE_ROLLOUTS}/{pool})"
        sentences = []
        if self.request not in ("", PAUSE, ABORT):
            sentences.append(
                f"request {_shown(self.request)} of pool {pool} is ignored {where}: write pause or abort, or remove it"
            )
        unknown = [name for name in self._approved_names() if not is_wave(name) and name != ALL]
        if unknown:
            sentences.append(
                f"approved {_shown(self.approved)} of pool {pool} approves nothing {where}: {_shown(unknown[0])} is "
                f"not a wave: write {WAVES}, separated by commas, or all"
            )
        if self.unknown_keys:
            names = ", ".join(sanitize(key) for key in self.unknown_keys)
            sentences.append(f"{names} of pool {pool} is ignored {where}: it has {', '.join(CONTROL_KEYS)}")
        return sentences

    def _approved_names(self) -> list[str]:
        return [name for name in map(normalize_wave, self.approved.split(",")) if name]


def normalize_wave(text: str) -> str:
    """Return the name of a wave as a record has it: "wave-1", which needs no quotes on a command line, is "wave 1"."""
    return " ".join(text.replace("-", " ").lower().split())


def _origin(author: str, time: str, reason: str) -> str:
    """Return " by alice at 2026-11-24T10:00:00Z: why", without the parts that are empty."""
    by = f" by {sanitize(author, _MAX_SHOWN)}" if author else ""
    at = f" at {sanitize(time, _MAX_SHOWN)}" if time else ""
    return f"{by}{at}" + (f": {sanitize(reason, _MAX_SHOWN)}" if reason else "")


def is_wave(name: str) -> bool:
    """Return whether a wave can have this name."""
    return name in (CANARY, *BROKEN_WAVES) or bool(_NUMBERED_WAVE.match(name))


def _shown(text: str) -> str:
    return repr(sanitize(text, 60))
