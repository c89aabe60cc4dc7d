# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded verdicts of upstream's own validation: the engine agrees, or the reason is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

import pytest

from support.verdicts.causes import CAUSES
from support.verdicts.counts import Counts, count
from support.verdicts.recorded import RecordedFile, kinds, read

LEAST = 0.995
CHUNK = 200  # files for each task of the pool


def chunks() -> Iterator[list[RecordedFile]]:
    """Yield the recorded files in lists of the same kind."""
    for kind in kinds():
        files = read(kind)
        while chunk := list(islice(files, CHUNK)):
            yield chunk


@pytest.mark.complaint("MCO #2357: invalid values rendered nodes unusable")
@pytest.mark.quick
def test_we_refuse_what_each_release_refuses(figure: Callable[..., None]) -> None:
    with ProcessPoolExecutor() as pool:
        counts = sum(pool.map(count, chunks()), Counts())
    poor = []
    for minor in counts.minors:
        shares = {kind: counts.share(kind, minor) for kind in counts.kinds(minor)}
        low = [f"{minor}: {kind}: {share:.4f} agree" for kind, share in shares.items() if share < LEAST]
        number = sum(counts.verdicts[kind, minor] for kind in shares)
        agreeing = 1 - sum(counts.others[kind, minor] for kind in shares) / number
        figure(
            "verdicts",
            minor,
            round(agreeing, 5),
            f"of {number} agree",
            ok=not low,
            name=f"verdicts-{minor}",
            details={"shares": {kind: round(share, 5) for kind, share in shares.items()}},
        )
        poor += low
    for cause in CAUSES:
        if minors := counts.for_reason(cause.reason):
            details = {"category": cause.category.value, "minors": minors}
            figure("verdicts", cause.reason, sum(minors.values()), "verdicts", ok=True, details=details)
    lines = poor + [f"not explained: {line}" for line in counts.unexplained[:50]]
    lines += [f"explains nothing, remove it from the table: {reason}" for reason in counts.obsolete]
    assert not lines, "\n".join(lines)
