# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stub kubelet as a process: flags and output; what it does is in module_utils/_sandbox/_stub_kubelet.py."""

from __future__ import annotations

import importlib
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

# The collection need not be installed where Python looks: its parts import each other relatively.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "plugins"))


def main() -> int:
    stub = importlib.import_module("module_utils._sandbox._stub_kubelet")
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    return int(stub.run(sys.argv[1:], write=lambda line: print(line, flush=True), stop=stop))


if __name__ == "__main__":
    sys.exit(main())
