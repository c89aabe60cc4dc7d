# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each entry of a source of packages names the key, and what is not authenticated is a warning."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._apt import KEYRING, apt_source_files
from ansible_collections.configok.node.plugins.module_utils._machine_host._dnf import dnf_source_files
from ansible_collections.configok.node.plugins.module_utils._machine_host._source_texts import (
    apt_source_warnings,
    dnf_source_warnings,
)

SIGNED = f"Signed-By: {KEYRING}\n"
RPM_KEY = "/etc/pki/rpm-gpg/RPM-GPG-KEY-configok-machine"
CHECKED = f"gpgcheck=1\ngpgkey=file://{RPM_KEY}\n"


@pytest.mark.parametrize(
    ("source", "name", "written"),
    [
        (
            "deb https://a/ ./\ndeb [arch=amd64] http://b/ ./\n\ndeb-src [signed-by=/own.asc] http://c/ ./",
            ".list",
            f"deb [signed-by={KEYRING}] https://a/ ./\ndeb [signed-by={KEYRING} arch=amd64] http://b/ ./\n\n"
            "deb-src [signed-by=/own.asc] http://c/ ./\n",
        ),
        (
            "# signed-by=nothing\n  deb https://a/ ./ # kubernetes",
            ".list",
            f"# signed-by=nothing\n  deb [signed-by={KEYRING}] https://a/ ./ # kubernetes\n",
        ),
        (
            "Types: deb\nURIs: https://a\n\n\nTypes: deb\nURIs: http://b\n# the end",
            ".sources",
            f"Types: deb\nURIs: https://a\n{SIGNED}\n\nTypes: deb\nURIs: http://b\n# the end\n{SIGNED}",
        ),
        (
            "# kubernetes\n\nTypes: deb\nsigned-by: /own.asc\n\nTypes: deb",
            ".sources",
            f"# kubernetes\n\nTypes: deb\nsigned-by: /own.asc\n\nTypes: deb\n{SIGNED}",
        ),
    ],
)
def test_each_entry_of_apt_names_the_key(source: str, name: str, written: str) -> None:
    _key, file = apt_source_files(source, "KEY")
    assert file.path.endswith(name)
    assert file.content == written


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (
            "[a]\nbaseurl=http://a\n[b]\nbaseurl=https://b",
            f"[a]\nbaseurl=http://a\n{CHECKED}[b]\nbaseurl=https://b\n{CHECKED}",
        ),
        ("# ours\n[a]\ngpgcheck = 0\nbaseurl=http://a", f"# ours\n[a]\nbaseurl=http://a\n{CHECKED}"),
        ("[a]\ngpgkey=https://k\n[b]\n", f"[a]\ngpgkey=https://k\n[b]\n{CHECKED}"),
    ],
)
def test_each_section_of_dnf_names_the_key(source: str, written: str) -> None:
    _key, file = dnf_source_files(source, "KEY")
    assert file.content == written


@pytest.mark.parametrize(
    ("source", "key", "warnings"),
    [
        ("deb https://a/ ./", "KEY", []),
        ("deb https://a/ ./", "", []),
        ("deb http://a/ ./", "KEY", []),
        ("deb http://a/ ./", "", ["entry 1 of packages.source uses plain http and names no key"]),
        ("deb [signed-by=/k] http://a/ ./", "", []),
        ("deb https://a/ ./\ndeb [Trusted=yes] https://b/ ./", "KEY", ["entry 2 of packages.source has trusted=yes"]),
        ("deb [allow-insecure=yes] https://b/ ./", "", ["entry 1 of packages.source has allow-insecure=yes"]),
        ("Types: deb\nURIs: https://a\n\nTypes: deb\nTrusted: YES", "", ["entry 2 of packages.source has trusted=yes"]),
        ("Types: deb\nURIs: https://a\n http://b", "", ["entry 1 of packages.source uses plain http and names no key"]),
    ],
)
def test_what_apt_does_not_authenticate(source: str, key: str, warnings: list[str]) -> None:
    seen = apt_source_warnings(source, key)
    assert [warning.partition(":")[0] for warning in seen] == warnings


@pytest.mark.parametrize(
    ("source", "key", "warnings"),
    [
        ("[a]\nbaseurl=https://a", "KEY", []),
        ("[a]\nbaseurl=https://a\ngpgcheck=0", "KEY", []),
        ("[a]\nbaseurl=https://a\ngpgcheck=0", "", ["section a of packages.source has gpgcheck=0"]),
        ("[a]\ngpgkey=https://k\ngpgcheck = no", "KEY", ["section a of packages.source has gpgcheck=0"]),
        ("[a]\nbaseurl=https://a\n[b]\nsslverify=False", "KEY", ["section b of packages.source has sslverify=0"]),
        ("[a]\nbaseurl = http://a", "", ["section a of packages.source uses plain http and names no key"]),
    ],
)
def test_what_dnf_does_not_authenticate(source: str, key: str, warnings: list[str]) -> None:
    seen = dnf_source_warnings(source, key)
    assert [warning.partition(":")[0] for warning in seen] == warnings


@pytest.mark.parametrize(
    ("source", "mode"),
    [
        ("deb https://me:secret@a/ ./", 0o600),
        ("Types: deb\nURIs: https://me:secret@a", 0o600),
        ("deb https://a/ ./", 0o644),
        ("deb https://a/me:secret@b ./", 0o644),
    ],
)
def test_a_source_with_a_password_is_for_root_only(source: str, mode: int) -> None:
    assert apt_source_files(source, "")[-1].mode == mode


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("password=secret", 0o600),
        ("baseurl=https://me:secret@b", 0o600),
        ("proxy_password = x", 0o600),
        ("enabled=1", 0o644),
    ],
)
def test_a_section_with_a_password_is_for_root_only(line: str, mode: int) -> None:
    assert dnf_source_files(f"[a]\nbaseurl=https://a\n{line}\n", "")[-1].mode == mode
