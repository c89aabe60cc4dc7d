# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trial that a bundle may define."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .._foreign import InvalidText, load_json
from .durations import setting_duration
from .strict_mapping import integer, unknown_fields

TRIAL_KEY = "trial"
MAX_CRASH_LOOP_THRESHOLD = 10  # the proposal's range is 0 to 10


class InvalidTrial(InvalidText):
    """A trial that cannot be read; the message says what is allowed."""


class Trial(NamedTuple):
    """How long a config must be healthy before it becomes last-known-good, and how many crashes it may cause."""

    duration: float = 600.0  # seconds
    crash_loop_threshold: int = 3

    @classmethod
    def of(cls, trial_duration: Any = None, crash_loop_threshold: Any = None) -> Trial:
        """Return the trial for these options; None means the default. Raises InvalidTrial."""
        default = cls()
        try:
            duration = default.duration if trial_duration is None else setting_duration(trial_duration, "trialDuration")
        except InvalidText as error:
            raise InvalidTrial(str(error)) from error
        threshold = default.crash_loop_threshold if crash_loop_threshold is None else crash_loop_threshold
        try:
            return cls(duration, integer(0, MAX_CRASH_LOOP_THRESHOLD)(threshold))
        except ValueError as error:
            raise InvalidTrial(f"crashLoopThreshold {str(threshold)[:50]!r} {error}") from error

    @classmethod
    def parse(cls, text: str) -> Trial:
        """Read the bundle's ``trial`` key, a JSON object. Raises InvalidTrial."""
        try:
            value = load_json(text)
        except ValueError as error:
            raise InvalidTrial(f"the bundle's trial is not JSON: {str(error)[:200]}") from error
        if not isinstance(value, dict):
            raise InvalidTrial("the bundle's trial must be a JSON object")
        unknown = unknown_fields(value, ("trialDuration", "crashLoopThreshold"))
        if unknown:
            raise InvalidTrial(f"the bundle's trial has the unknown field {unknown[0][:100]!r}")
        return cls.of(value.get("trialDuration"), value.get("crashLoopThreshold"))

    def encode(self) -> str:
        """Return the text of the bundle's ``trial`` key: the same trial always gives the same text."""
        duration = f"{self.duration:.3f}".rstrip("0").rstrip(".") + "s"
        return json.dumps({"crashLoopThreshold": self.crash_loop_threshold, "trialDuration": duration}, sort_keys=True)
