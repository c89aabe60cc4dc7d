# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Prometheus for playbooks, until it is ended: python -m support.monitoring DIRECTORY [PID]

It is also ended when the process PID has ended. It writes DIRECTORY/pid, and DIRECTORY/url as soon as it has the
samples of DIRECTORY/samples: a name and a value in each line, which may be changed at any time. Exits 3 if this machine
has no Prometheus.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path

from ..api.binaries import Unavailable, find
from .servers import Metrics, Prometheus

_ROUND = 0.1  # seconds between two looks at the samples


def main(directory: Path, pid: int | None) -> int:
    """Run until the process has ended; return the exit code."""
    try:
        find("prometheus", made_by="prepare-prometheus")
    except Unavailable as problem:
        print(f"monitoring: {problem}", file=sys.stderr)
        return 3
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(0))
    end = [os.pidfd_open(pid)] if pid else []
    metrics = Metrics()
    with metrics, Prometheus(directory / "prometheus", metrics.address) as prometheus:
        names = expose(metrics, directory / "samples")
        (directory / "pid").write_text(str(os.getpid()))
        for name in names:
            prometheus.wait_for(name)
        (directory / "url").write_text(prometheus.url)
        while not select.select(end, [], [], _ROUND)[0]:
            expose(metrics, directory / "samples")
    return 0


def expose(metrics: Metrics, samples: Path) -> list[str]:
    """Set the samples of a file, and return their names."""
    pairs = [line.split() for line in samples.read_text().splitlines()]
    for name, value in pairs:
        metrics.set(name, float(value))
    return [name for name, _value in pairs]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None))
