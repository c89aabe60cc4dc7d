# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""release-data: derive the data of a release that is newer than this version, and accept a draft."""

from __future__ import annotations

import getpass
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial

from ._componentconfig._release_data.derive import KnownBinary, Running, candidates, derive
from ._componentconfig._release_data.difference import difference
from ._componentconfig._release_data.file_format import read, write
from ._componentconfig._release_data.overlay import accept, check_minor, overlay_of
from ._componentconfig._release_data.probe import Answer, Binary, Candidates, probe_binary
from ._componentconfig._release_data.running_component import parse_configz, parse_metrics, version_in_metrics
from ._componentconfig._schema.overlays import register
from ._files import input_errors, read_file
from ._host.isolated_program import isolated, verified_copy, without_network
from ._output import complain, show
from ._processes import run_command

__all__ = ["accept_data", "derive_data", "use_release_data"]

_OK, _USAGE = 0, 2
_TIMEOUT = 10.0  # seconds that a binary has for each answer; it needs 0.1


def use_release_data(names: Sequence[str]) -> None:
    """Use the release data of files in this process. Raises UnusableInput."""
    for name in names:
        with input_errors(name):
            register(overlay_of(read_file(name), name))


def derive_data(
    binaries: Sequence[str],
    checksums: Sequence[str],
    *,
    metrics: str,
    configz: str,
    gates: Sequence[str],
    version: str,
    dest: str,
) -> int:
    """Print the data of a release, or write them to dest; return 0, or 2 if they cannot be written.

    binaries: paths, each with the SHA-256 at the same place of `checksums`. metrics, configz: files, "" for none.
    gates: more names to ask the binaries for. version: of the running component, "" if a source names it. Raises
    UnusableInput.
    """
    if len(binaries) != len(checksums):
        complain("each --binary needs its --sha256, in the same order")
        return _USAGE
    with input_errors(next(filter(None, (*binaries, metrics, configz)))):
        running = _running(metrics, configz)
        asked = partial(candidates, running, gates)
        known = [
            KnownBinary(_ask(path, sha256, asked), sha256.strip().lower()) for path, sha256 in zip(binaries, checksums)
        ]
        data = derive(known, running, time.strftime("%Y-%m-%d", time.gmtime()), version)
        check_minor(data.minor, "what the sources say")
        text = write(data)
        read(text)  # what a component says may be more than the format takes
    if dest:
        if not _write(text, dest):
            return _USAGE
    else:
        print(text, end="")
    for line in difference(data).lines[:1]:
        complain(line)
    if data.is_draft:
        complain(f"a draft: `release-data accept {dest or 'FILE'}` shows what it changes, and accepts it")
    return _OK


def accept_data(name: str, digest: str, by: str) -> int:
    """Show the difference of a file, or accept it if its hash is given; return 0, or 2 if it cannot be written.

    digest: the hash of the difference, "" to show it. by: the name of the person that accepts it, "" for the user.

    Raises UnusableInput.
    """
    with input_errors(name):
        text = read_file(name)
        data = read(text, name)
        check_minor(data.minor, name)
        if digest:
            accepted = accept(text, digest, by or _user(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), name)
            return _OK if _write(accepted, name) else _USAGE
    changes = difference(data)
    show("\n".join([*changes.lines, f"hash of the difference: {changes.digest}"]))
    if data.acceptance is not None and data.acceptance.diff == changes.digest:
        complain(f"accepted by {data.acceptance.by} at {data.acceptance.at}")
    elif data.is_draft:
        complain(f"not accepted: `release-data accept {name} --accept {changes.digest}` accepts it")
    return _OK


def _user() -> str:
    return os.environ.get("SUDO_USER") or getpass.getuser()


def _running(metrics: str, configz: str) -> Running:
    """Return what a running component says. Raises OSError, ConfigError."""
    text = read_file(metrics).decode("utf-8", "replace") if metrics else ""
    return Running(
        version_in_metrics(text),
        parse_metrics(text) if metrics else None,
        parse_configz(read_file(configz).decode("utf-8", "replace")) if configz else None,
    )


def _ask(path: str, sha256: str, candidates_at: Callable[[int], Candidates]) -> Binary:
    """Return what a binary says of itself. Raises OSError, ConfigError."""
    with tempfile.TemporaryDirectory(prefix="configok-") as directory:
        program = verified_copy(path, sha256, directory)
        prefix = without_network()
        if run_command([*prefix, "true"], timeout=_TIMEOUT).code != 0:
            prefix = []  # not allowed here; a binary that ends at once has no use for a network

        def asked(minor: int) -> Candidates:
            check_minor(minor, path)
            return candidates_at(minor)

        def run(arguments: Sequence[str]) -> Answer:
            result = run_command(isolated(program, arguments, prefix), timeout=_TIMEOUT)
            return Answer(result.code, result.out + result.err)

        return probe_binary(run, asked)


def _write(text: str, dest: str) -> bool:
    """Write a file atomically and return whether that worked."""
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(dest)))
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, dest)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        complain(f"{dest}: cannot be written: {error.strerror or error}")
        return False
    return True
