# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pack configok-agent.pyz from the collection: same source, same bytes. Private to configok.node.

Runs on the controller. In the archive, the packages of module_utils and the entry point are in one
package, configok_agent; they import each other relatively, so the same files work in both places.

An archive cannot cache bytecode, and compiling its source at every start cost prestart 40 ms and the daemon 5 MB
(measured, Python 3.11). So ``configok-agent compile`` unpacks it next to itself at installation, into a directory
named by its content. The archive's first lines continue there if that directory exists and no other user can have
written to it. A user who may write to the directories above could replace the archive as well.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

__all__ = ["ARCHIVE", "PACKAGE", "pack", "sources"]

ARCHIVE = "configok-agent.pyz"
PACKAGE = "configok_agent"
_PACKAGES = (
    *("_agent", "_componentconfig", "_foreign", "_host", "_kube", "_nodeconfig", "_static_pods", "_systemd", "_text"),
    "_trust",
)
_ENTRY = "roles/node/files/agent"
# Not for the agent: patterns of users, credentials through the kubernetes package, the thread pool, what
# declares kinds, how units start, and what lists signatures.
_LEFT_OUT = frozenset(
    {
        "_foreign/evaluation.py",
        "_foreign/_evaluator.py",
        "_foreign/patterns.py",
        "_kube/user_credentials.py",
        "_kube/parallel.py",
        "_componentconfig/declared_kinds.py",
        "_systemd/exec_start.py",
        "_systemd/specifiers.py",
        "_systemd/unit_checks.py",
        "_trust/signature_list.py",
    }
)
_SHEBANG = b"#!/usr/bin/python3\n"
_PROTECTION = f"{PACKAGE}/_protection.py"
_MAIN = """
import sys

home = os.path.realpath(sys.path[0]) + ".d"
compiled = home + "/{build}"
if is_protected(home) and is_protected(compiled):
    sys.path[0] = compiled

from configok_agent.__main__ import start

start()
"""
_STAMP = (1980, 1, 1, 0, 0, 0)  # the earliest a zip file knows


def sources(collection: Path) -> dict[str, bytes]:
    """Return the archive's files, name in the archive -> content, for the collection in this directory.

    Raises OSError if a part of it is missing.
    """
    files = {f"{PACKAGE}/__init__.py": b""}
    for path in _python_files(collection / _ENTRY):
        files[f"{PACKAGE}/{path.relative_to(collection / _ENTRY).as_posix()}"] = path.read_bytes()
    utils = collection / "plugins/module_utils"
    for package in _PACKAGES:
        for path in _python_files(utils / package):
            name = path.relative_to(utils).as_posix()
            if name not in _LEFT_OUT:
                files[f"{PACKAGE}/{name}"] = path.read_bytes()
    build = _build(files)
    files[f"{PACKAGE}/_build.py"] = f'BUILD = "{build}"\n'.encode()
    files["__main__.py"] = files[_PROTECTION] + _MAIN.format(build=build).encode()
    return files


def _build(files: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def pack(collection: Path) -> bytes:
    """Return the archive for the collection in this directory. Raises OSError."""
    buffer = io.BytesIO()
    buffer.write(_SHEBANG)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(sources(collection).items()):
            entry = zipfile.ZipInfo(name, _STAMP)
            entry.create_system = 3  # Unix, whatever this machine is
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def _python_files(directory: Path) -> list[Path]:
    files = sorted(directory.rglob("*.py"))
    if not files:
        raise FileNotFoundError(f"{directory} has no Python files: the collection is not whole")
    return files
