# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the agent's archive, as it is installed on nodes: python tools/pack_agent.py [--unpacked] [DESTINATION].

DESTINATION is build/configok-agent.pyz, or with --unpacked the directory build/agent, for tools that read files.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLLECTIONS = ROOT / "build/collections"


def main() -> None:
    """Write the archive or the directory."""
    sys.path.insert(0, str(COLLECTIONS))  # `make` puts a link to the checkout there
    from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, pack, sources

    parser = argparse.ArgumentParser(description="Write the agent as it goes to nodes.")
    parser.add_argument("--unpacked", action="store_true", help="write a directory, not an archive")
    parser.add_argument("destination", nargs="?", type=Path)
    arguments = parser.parse_args()
    if arguments.unpacked:
        destination = arguments.destination or ROOT / "build/agent"
        for name, content in sources(ROOT).items():
            path = destination / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    else:
        destination = arguments.destination or ROOT / "build" / ARCHIVE
        destination.parent.mkdir(parents=True, exist_ok=True)
        destination.write_bytes(pack(ROOT))
        destination.chmod(0o755)


if __name__ == "__main__":
    main()
