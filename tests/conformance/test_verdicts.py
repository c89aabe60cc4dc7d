# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded verdicts of upstream's own validation: the engine agrees, or the reason is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

import pytest

from support.verdicts.counts import Counts, count
from support.verdicts.recorded import RecordedFile, kinds, read

LEAST = 0.995
CHUNK = 200  # files for each task of the pool


def chunks(every: int) -> Iterator[list[RecordedFile]]:
    """Yield the recorded files, or every n-th one, in lists of the same kind."""
    for kind in kinds():
        files = read(kind, every=every)
        while chunk := list(islice(files, CHUNK)):
            yield chunk


@pytest.mark.quick
def test_we_refuse_what_each_release_refuses(is_quick: bool, figure: Callable[..., None]) -> None:
    with ProcessPoolExecutor() as pool:
        counts = sum(pool.map(count, chunks(every=10 if is_quick else 1)), Counts())
    poor = []
    for minor in counts.minors:
        shares = {kind: counts.share(kind, minor) for kind in counts.kinds(minor)}
        least = min(shares, key=shares.__getitem__)
        number = sum(counts.verdicts[kind, minor] for kind in shares)
        agreeing = 1 - sum(counts.others[kind, minor] for kind in shares) / number
        evidence = [f"of {number}; the least for a kind: {shares[least]:.4f}, {least}"]
        figure("verdicts", minor, round(agreeing, 5), "agree", ok=shares[least] >= LEAST, saw=evidence)
        poor += [f"{minor}: {kind}: {share:.4f} agree" for kind, share in shares.items() if share < LEAST]
    for reason, number in counts.by_reason.most_common():
        figure("verdicts", f"not the same: {reason}", number, "verdicts", ok=True)
    lines = poor + [f"not explained: {line}" for line in counts.unexplained[:50]]
    if not is_quick:
        lines += [f"explains nothing, take it from the table: {reason}" for reason in counts.obsolete]
    assert not lines, "\n".join(lines)
