# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the parts out of the user data of a machine: a MIME message, as cloud-init and EKS read it."""

from __future__ import annotations

import re

_HEADER = re.compile(r"(?i)\A(?:[\w-]+:[^\n]*\n)*?Content-Type:[ \t]*multipart/[^\n]*(?:\n[ \t][^\n]*)*")
_BOUNDARY = re.compile(r"(?i)boundary=(?:\"([^\"\n]+)\"|([^\s;\"]+))")
_ENCODED = re.compile(r"(?im)^Content-Transfer-Encoding:[ \t]*(?:base64|quoted-printable)")
_SCRIPT = re.compile(r"(?im)^Content-Type:[ \t]*text/(?:x-shellscript|cloud-boothook|x-include-url)")


def user_data_parts(text: str) -> list[str] | None:
    """Return the parts of a MIME message that are configs in plain text, or None if it is not such a message.

    Each part begins with as many empty lines as there are lines before it, so that its lines keep their numbers.
    """
    header = _HEADER.match(text)
    boundary = _BOUNDARY.search(header.group(0)) if header is not None else None
    if boundary is None:
        return None
    mark = "--" + (boundary.group(1) or boundary.group(2))
    parts: list[str] = []
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if line.rstrip() in (mark, mark + "--")]
    for start, end in zip(marks, [*marks[1:], len(lines)]):
        blank = next((number for number in range(start + 1, end) if not lines[number].strip()), end)
        head = "\n".join(lines[start + 1 : blank])
        body = "\n".join(lines[blank + 1 : end])
        if body.strip() and not _ENCODED.search(head) and not _SCRIPT.search(head):
            parts.append("\n" * (blank + 1) + body)
    return parts
