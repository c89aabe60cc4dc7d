# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the real components are, and their releases: in $KUBEBUILDER_ASSETS, then the cache, then PATH."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

__all__ = ["Unavailable", "cache_directory", "find", "find_or_build", "minor_of", "release_of"]

_BUILD = Path(__file__).resolve().parents[1] / "bin/build-kubernetes"


class Unavailable(Exception):
    """The real API server is not available here; the message says why in one sentence."""


def cache_directory() -> Path:
    """Return the directory that keeps binaries between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("CONFIGOK_CACHE") or Path(base) / "configok")


def find(program: str, *, made_by: str = "prepare-apiserver") -> Path:
    """Return the path of a program that a script in support/bin makes available. Raises Unavailable."""
    places = [cache_directory() / "bin"]
    if os.environ.get("KUBEBUILDER_ASSETS"):
        places.insert(0, Path(os.environ["KUBEBUILDER_ASSETS"]))
    for place in places:
        if os.access(place / program, os.X_OK):
            return place / program
    path = shutil.which(program)
    if path is None:
        raise Unavailable(
            f"{program} was not found in $KUBEBUILDER_ASSETS, in {places[-1]} or on PATH "
            f"(tests/support/bin/{made_by} makes it available)"
        )
    return Path(path)


def find_or_build(*programs: str) -> list[Path]:
    """Return the paths of programs of Kubernetes; those that are missing are built first. Raises Unavailable."""
    missing = [program for program in programs if not _is_available(program)]
    if missing:
        built = subprocess.run([_BUILD, *missing], capture_output=True, text=True, check=False)
        if built.returncode != 0:
            reason = (built.stderr.strip().splitlines() or ["the build failed"])[-1]
            raise Unavailable(f"{', '.join(missing)}: not found, and not built: {reason}")
    return [find(program) for program in programs]


def _is_available(program: str) -> bool:
    try:
        find(program)
    except Unavailable:
        return False
    return True


@cache
def release_of(program: Path) -> str:
    """Return the Kubernetes release that a binary names, such as "1.20.2". Raises Unavailable where it names none."""
    question = "version" if program.name == "kubeadm" else "--version"
    output = subprocess.run([program, question], capture_output=True, text=True, check=True).stdout
    match = re.search(r"v(\d+\.\d+\.\d+)", output)
    if match is None:
        raise Unavailable(f"{program} {question} says {output.strip()!r}, which is not a version")
    return match.group(1)


def minor_of(program: str) -> int:
    """Return the Kubernetes minor of a program that `find` finds: 20 for 1.20. Raises Unavailable."""
    return int(release_of(find(program)).split(".")[1])
