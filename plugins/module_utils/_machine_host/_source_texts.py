# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of package sources: which key signs them, and what is not authenticated. Pure.

A source has one or more entries: lines or deb822 stanzas of apt, sections of dnf. Each of them has its own settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_LINE = re.compile(r"([ \t]*deb(?:-src)?[ \t]+)(?:\[([^\]\n]*)\][ \t]*)?(.*)")
_COMMENT = re.compile(r"[ \t]*(?:#|$)")
_STANZA_FIELD = re.compile(r"^([A-Za-z-]+):(.*(?:\n[ \t].*)*)", re.MULTILINE)
_SECTION = re.compile(r"^\[([^\]\n]+)\]", re.MULTILINE)
_SECTION_FIELD = re.compile(r"^[ \t]*(\w+)[ \t]*=[ \t]*(.*)", re.MULTILINE)
_GPGCHECK = re.compile(r"^[ \t]*gpgcheck[ \t]*=.*\n", re.MULTILINE)
_PASSWORD = re.compile(r"://[^/\s@]*:[^/\s@]*@|^[ \t]*(?:proxy_)?password[ \t]*=", re.MULTILINE)
_PLAIN = re.compile(r"(?:^|[\s=])(?:http|ftp)://")
_UNVERIFIED = "its packages are installed as root, no matter who built them"
_FALSE = ("0", "no", "false", "off")


class _Entry(NamedTuple):
    """An entry: its title for sentences, its text, and its settings by their names in lower case."""

    title: str
    text: str
    settings: Mapping[str, str]


def has_password(source: str) -> bool:
    """Return whether a source holds a password."""
    return _PASSWORD.search(source) is not None


# --- apt


def has_one_line_entries(source: str) -> bool:
    """Return whether a source of apt is lines of sources.list, not deb822 stanzas."""
    lines = [line for line in source.splitlines() if not _COMMENT.match(line)]
    return bool(lines) and _LINE.match(lines[0]) is not None


def signed_apt_source(source: str, keyring: str) -> str:
    """Return a source of which each entry names a keyring: its own, or else this one."""
    if has_one_line_entries(source):
        return "".join(_signed_line(line, keyring) for line in source.splitlines(keepends=True))
    parts = re.split(r"(\n(?:[ \t]*\n)+)", source)  # each second one is what separates two stanzas
    return "".join(part if index % 2 else _signed_stanza(part, keyring) for index, part in enumerate(parts))


def _signed_line(line: str, keyring: str) -> str:
    match = _LINE.match(line)
    if match is None or "signed-by" in _options(match[2]):
        return line
    words = " ".join([f"signed-by={keyring}", *(match[2] or "").split()])
    return f"{match[1]}[{words}] {line[match.start(3) :]}"


def _signed_stanza(stanza: str, keyring: str) -> str:
    fields = _fields(stanza)
    if not fields or "signed-by" in fields:
        return stanza
    end = "\n" if stanza.endswith("\n") else ""
    return f"{stanza.rstrip()}\nSigned-By: {keyring}{end}"


def _options(text: str | None) -> dict[str, str]:
    pairs = (word.partition("=") for word in (text or "").split())
    return {name.lower(): value for name, _sign, value in pairs}


def _fields(stanza: str) -> dict[str, str]:
    return {match[1].lower(): match[2].strip() for match in _STANZA_FIELD.finditer(stanza)}


def _apt_entries(source: str) -> Iterator[_Entry]:
    if has_one_line_entries(source):
        lines = filter(None, map(_LINE.match, source.splitlines()))
        entries = [(line[3], _options(line[2])) for line in lines]
    else:
        entries = [(stanza, _fields(stanza)) for stanza in re.split(r"\n(?:[ \t]*\n)+", source)]
    for number, (text, settings) in enumerate((entry for entry in entries if entry[0].strip()), 1):
        yield _Entry(f"entry {number} of packages.source", text, settings)


def apt_source_warnings(source: str, key: str) -> list[str]:
    """Return a sentence for each setting with which the packages are not authenticated."""
    warnings = []
    for entry in _apt_entries(source):
        for name in ("trusted", "allow-insecure"):
            if entry.settings.get(name, "").lower() in ("yes", "true", "1", "on"):
                warnings.append(f"{entry.title} has {name}=yes: {_UNVERIFIED}")
        if _PLAIN.search(entry.text) and not key and "signed-by" not in entry.settings:
            warnings.append(_plain(entry.title))
    return warnings


def _plain(title: str) -> str:
    return f"{title} uses plain http and names no key: anyone with a key that the host trusts can replace its packages"


# --- dnf


def signed_dnf_source(source: str, key_file: str) -> str:
    """Return a source of which each section checks its packages, by its own key or else by this one."""
    starts = [match.start() for match in _SECTION.finditer(source)]
    sections = [source[start:end] for start, end in zip(starts, [*starts[1:], len(source)])]
    return source[: starts[0] if starts else len(source)] + "".join(_signed(section, key_file) for section in sections)


def _signed(section: str, key_file: str) -> str:
    if "gpgkey" in _section_fields(section):
        return section
    return f"{_GPGCHECK.sub('', section).rstrip()}\ngpgcheck=1\ngpgkey=file://{key_file}\n"


def _section_fields(section: str) -> dict[str, str]:
    return {match[1].lower(): match[2].strip() for match in _SECTION_FIELD.finditer(section)}


def dnf_source_warnings(source: str, key: str) -> list[str]:
    """Return a sentence for each setting with which the packages are not authenticated."""
    warnings = []
    names = [match[1] for match in _SECTION.finditer(source)]
    for name, section in zip(names, _SECTION.split(source)[2::2]):
        title, fields = f"section {name} of packages.source", _section_fields(section)
        is_signed = bool(key) or "gpgkey" in fields
        is_replaced = bool(key) and "gpgkey" not in fields
        if fields.get("gpgcheck", "").lower() in _FALSE and not is_replaced:
            warnings.append(f"{title} has gpgcheck=0: {_UNVERIFIED}")
        if fields.get("sslverify", "").lower() in _FALSE:
            warnings.append(f"{title} has sslverify=0: another server can stand in for it")
        if _PLAIN.search(section) and not is_signed:
            warnings.append(_plain(title))
    return warnings
