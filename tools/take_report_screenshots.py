# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the screenshots of docs/report.md with a headless Chromium.

    make report-screenshot

The page is the report of a made-up pool of 600 nodes. Writes docs/images/report-light.png and report-dark.png.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._rollout._report.page import render_report
from support.api.binaries import Unavailable
from support.rollouts.reports import GENERATED, halted_report
from support.session.browser import Browser

ROOT = Path(__file__).resolve().parent.parent
NODES = 600
WIDTH = 1180
END = "document.querySelector('#timeline .keys').getBoundingClientRect().bottom + 24"


def main() -> int:
    """Take both screenshots."""
    page = render_report(halted_report(NODES), GENERATED)
    try:
        with tempfile.TemporaryDirectory() as directory, Browser() as browser:
            path = Path(directory) / "report.html"
            path.write_text(page, encoding="utf-8")
            for theme in ("light", "dark"):
                image = ROOT / f"docs/images/report-{theme}.png"
                with browser.open(path, width=WIDTH, dark=theme == "dark") as view:
                    view.screenshot(image, height=int(view.evaluate(END)))
                print(f"report-screenshot: {image.relative_to(ROOT)}: {image.stat().st_size:,} bytes")
    except Unavailable as error:
        print(f"report-screenshot: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
