# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the recorded verdicts: for each input, what the component's own Go code of each minor says."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["RecordedFile", "Stage", "Verdict", "kinds", "read"]

Stage = Literal["ok", "load", "validation", "panic", "start"]
"""Where the component refuses a file: decoding, validation, a panic while it sets defaults, or the construction of a
scheduler's plugin; "ok" if it accepts it."""

_DATA = Path(__file__).resolve().parent / "data"
_SUFFIX = ".jsonl.xz"


class Verdict(NamedTuple):
    """What the component of a minor says: the stage, and its message, cut at 160 characters."""

    minor: str
    stage: Stage
    message: str

    @property
    def refused(self) -> bool:
        """Return whether the component refuses the file."""
        return self.stage != "ok"


class RecordedFile(NamedTuple):
    """A file as it was given to the component, with a verdict for each minor. line: its line in the data."""

    kind: str
    line: int
    text: str
    verdicts: tuple[Verdict, ...]


def kinds() -> list[str]:
    """Return the recorded kinds: components (kubelet) and kinds of other files (TracingConfiguration), sorted."""
    return sorted({path.name.partition(".")[0] for path in _DATA.glob(f"*{_SUFFIX}")})


def read(kind: str) -> Iterator[RecordedFile]:
    """Yield the recorded files of a kind.

    A kind may have several files of data, KIND.jsonl.xz and KIND.RELEASE.jsonl.xz.
    """
    for path in sorted(_DATA.glob(f"{kind}.*{_SUFFIX[1:]}")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                yield _decode(kind, number, line)


def _decode(kind: str, number: int, line: str) -> RecordedFile:
    record = json.loads(line)
    verdicts = tuple(
        Verdict(minor, verdict["stage"], verdict.get("message", ""))
        for verdict in record["verdicts"]
        for minor in verdict["minors"]
    )
    return RecordedFile(kind, number, record["text"], verdicts)
