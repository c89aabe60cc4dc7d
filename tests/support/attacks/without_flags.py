# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a script whose process shows no command line: the flags of a stub are not those of a kubelet.

without_flags.py script.py [arguments]
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

__all__: list[str] = []

_ARG_START, _ARG_END = 45, 46  # in /proc/self/stat after the name, proc(5)


def _hide_command_line() -> None:
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(start)
        memory.write(bytes(end - start))


if __name__ == "__main__":
    _hide_command_line()
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(Path(sys.argv[0]).parent))
    runpy.run_path(sys.argv[0], run_name="__main__")
