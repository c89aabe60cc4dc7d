# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that holds several documents, as kubeadm's do, in its parts.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from .._values._errors import ComponentConfigError

__all__ = ["MAX_DOCUMENTS", "split"]

MAX_DOCUMENTS = 64


def split(text: str) -> list[str]:
    """The documents of a YAML text, divided as Kubernetes does it: at lines that begin with `---`.

    Every part has as many empty lines before it as to keep the numbers of its lines. Parts without content are left
    out; a text without content is one part. Raises ComponentConfigError for more than MAX_DOCUMENTS.
    """
    parts: list[list[str]] = [[]]
    lines = text.split("\n")
    if sum(line.startswith("---") for line in lines) > MAX_DOCUMENTS:
        raise ComponentConfigError(f"more than {MAX_DOCUMENTS} documents in one file")
    for number, line in enumerate(lines):
        if line.startswith("---"):
            parts.append([""] * number + ([line[3:]] if line[3:].strip() else [""]))
        else:
            parts[-1].append(line)
    return [
        "\n".join(part) for part in parts if any(line.strip() and not line.lstrip().startswith("#") for line in part)
    ] or [text]
