# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the agent's archive, as it is installed on nodes: python tools/pack_agent.py [--unpacked] [DESTINATION].

DESTINATION is build/configok-agent.pyz, or with --unpacked the directory build/agent, for tools that read files.
"""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACK = ROOT / "plugins/plugin_utils/_pack.py"


def main() -> None:
    """Write the archive or the directory."""
    packing = runpy.run_path(str(PACK))  # by its path, so that a checkout suffices
    parser = argparse.ArgumentParser(description="Write the agent as it goes to nodes.")
    parser.add_argument("--unpacked", action="store_true", help="write a directory, not an archive")
    parser.add_argument("destination", nargs="?", type=Path)
    arguments = parser.parse_args()
    if arguments.unpacked:
        destination = arguments.destination or ROOT / "build/agent"
        for name, content in packing["sources"](ROOT).items():
            path = destination / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    else:
        destination = arguments.destination or ROOT / "build" / packing["ARCHIVE"]
        destination.parent.mkdir(parents=True, exist_ok=True)
        destination.write_bytes(packing["pack"](ROOT))
        destination.chmod(0o755)


if __name__ == "__main__":
    main()
