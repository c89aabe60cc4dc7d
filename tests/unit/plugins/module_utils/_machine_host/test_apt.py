# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of Debian packages, as apt reads them. Everything else of apt is tested on real nodes."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._apt import KEYRING, apt_source_files

STANZA = "Types: deb\nURIs: https://example.org/\nSuites: /\n"


@pytest.mark.parametrize(
    ("source", "key", "written"),
    [
        ("deb https://example.org/ /", "K", f"deb [signed-by={KEYRING}] https://example.org/ /\n"),
        ("deb [arch=amd64] https://e.org/ /", "K", f"deb [signed-by={KEYRING} arch=amd64] https://e.org/ /\n"),
        ("deb [signed-by=/own.asc] https://e.org/ /", "K", "deb [signed-by=/own.asc] https://e.org/ /\n"),
        ("deb [trusted=yes] https://e.org/ /\n", "", "deb [trusted=yes] https://e.org/ /\n"),
        (STANZA, "K", f"{STANZA}Signed-By: {KEYRING}\n"),
        (f"{STANZA}Signed-By: /own.asc", "K", f"{STANZA}Signed-By: /own.asc\n"),
        (STANZA, "", STANZA),
    ],
)
def test_a_source_names_its_key(source: str, key: str, written: str) -> None:
    *keys, file = apt_source_files(source, key)
    assert file.content == written
    assert file.path.endswith(".list" if written.startswith("deb") else ".sources")
    assert [(part.path, part.content) for part in keys] == ([(KEYRING, f"{key}\n")] if key else [])


def test_a_host_with_sources_of_its_own_gets_none() -> None:
    assert apt_source_files(" ", "K") == []
