# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the files of a release: python tools/release.py [--uncommitted] [DESTINATION], build/release by default.

Writes the collection's artefact, the agent's archive, a bill of materials and SHA256SUMS over the three. The same
commit gives the same bytes, in any directory and at any time: only files that git tracks are used, and the artefact of
ansible-galaxy is written again without times, in a fixed order.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from bill_of_materials import Artefacts, bill_of_materials, schema_error

__all__ = ["Release", "ReleaseError", "build", "export", "normalised", "write"]

ROOT = Path(__file__).resolve().parent.parent
STAMP = 315532800  # 1980-01-01, as in the agent's archive
SUMS = "SHA256SUMS"


class ReleaseError(Exception):
    """Raised if no release can be built; the text is the reason."""


class Release(NamedTuple):
    """A release: its version, its commit, and file name -> content."""

    version: str
    commit: str
    files: dict[str, bytes]


def git(root: Path, *arguments: str) -> str:
    """Return the output of git. Raises ReleaseError."""
    try:
        result = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise ReleaseError("git is not installed: a release is built from a commit") from error
    except subprocess.CalledProcessError as error:
        raise ReleaseError(f"git {arguments[0]}: {error.stderr.strip()}") from error
    return result.stdout


def export(root: Path, destination: Path) -> None:
    """Copy the files that git tracks, as they are in the checkout."""
    for entry in git(root, "ls-files", "--stage", "-z").split("\0"):
        if not entry:
            continue
        mode, name = entry.split(" ", 1)[0], entry.split("\t", 1)[1]
        if not os.path.lexists(root / name):
            continue  # deleted and not yet committed
        target = destination / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, target, follow_symlinks=False)
        if not target.is_symlink():
            target.chmod(0o755 if mode == "100755" else 0o644)


def collection_artefact(source: Path) -> bytes:
    """Return what ansible-galaxy builds from a directory. Raises ReleaseError."""
    with tempfile.TemporaryDirectory(prefix="configok-release-") as directory:
        command = ["ansible-galaxy", "collection", "build", str(source), "--output-path", directory]
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=directory)
        built = list(Path(directory).glob("*.tar.gz"))
        if result.returncode != 0 or len(built) != 1:
            raise ReleaseError(f"ansible-galaxy collection build failed: {result.stderr.strip()}")
        return built[0].read_bytes()


def normalised(artefact: bytes) -> bytes:
    """Return a collection's artefact with its files in order, and without times and owners.

    ansible-galaxy lists files in the file system's order. The list is in FILES.json, whose hash is in MANIFEST.json.
    """
    with tarfile.open(fileobj=io.BytesIO(artefact), mode="r:gz") as archive:
        members = {member.name: member for member in archive.getmembers()}
        contents = {name: _content(archive, member) for name, member in members.items() if member.isfile()}
    files = json.loads(contents["FILES.json"])
    files["files"].sort(key=lambda file: str(file["name"]))
    contents["FILES.json"] = _json(files)
    manifest = json.loads(contents["MANIFEST.json"])
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(contents["FILES.json"]).hexdigest()
    contents["MANIFEST.json"] = _json(manifest)
    first = ["MANIFEST.json", "FILES.json"]
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=STAMP) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in [*first, *sorted(set(members) - set(first))]:
            member = members[name]
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.mtime = member.type, member.linkname, STAMP
            entry.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            content = contents.get(name, b"")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def build(root: Path, uncommitted: bool = False) -> Release:
    """Return the release of a checkout, with the files as they are there.

    Raises ReleaseError, also if they differ from the commit, unless ``uncommitted``.
    """
    commit = git(root, "rev-parse", "HEAD").strip()
    changes = git(root, "status", "--porcelain", "--untracked-files=no").splitlines()
    if changes:
        if not uncommitted:
            raise ReleaseError(
                f"{len(changes)} files differ from the commit, such as {changes[0][3:]}: commit them,"
                " or use --uncommitted for a trial"
            )
        commit += "-uncommitted"
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or git(root, "log", "-1", "--format=%ct"))
    with tempfile.TemporaryDirectory(prefix="configok-release-") as directory:
        source = Path(directory) / "source"
        export(root, source)
        galaxy = yaml.safe_load((source / "galaxy.yml").read_text(encoding="utf-8"))
        name, version = f"{galaxy['namespace']}-{galaxy['name']}", str(galaxy["version"])
        packing = runpy.run_path(str(source / "plugins/plugin_utils/_pack.py"))
        collection = normalised(collection_artefact(source))
        agent: bytes = packing["pack"](source)
        bom = bill_of_materials(Artefacts(source, collection, agent, commit, moment))
    error = schema_error(bom)
    if error:
        raise ReleaseError(f"the bill of materials does not match the schema of CycloneDX: {error}")
    files = {
        f"{name}-{version}.tar.gz": collection,
        str(packing["ARCHIVE"]): agent,
        f"{name}-{version}.cdx.json": bom.encode(),
    }
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {file}\n" for file, content in sorted(files.items()))
    return Release(version, commit, {**files, SUMS: sums.encode()})


def write(release: Release, destination: Path) -> None:
    """Replace a directory by the files of a release."""
    shutil.rmtree(destination, ignore_errors=True)
    destination.mkdir(parents=True)
    for name, content in release.files.items():
        (destination / name).write_bytes(content)
        (destination / name).chmod(0o755 if name.endswith(".pyz") else 0o644)


def summary(release: Release, seconds: float) -> str:
    """Return the line of figures about a release."""
    names = {Path(name).suffix or name: name for name in release.files}
    with tarfile.open(fileobj=io.BytesIO(release.files[names[".gz"]]), mode="r:gz") as archive:
        count = sum(member.isfile() for member in archive.getmembers())
    components = len(json.loads(release.files[names[".json"]])["components"]) + 1
    return (
        f"release: {release.version} of commit {release.commit[:12]}: collection {count} files,"
        f" {len(release.files[names['.gz']]):,} bytes; agent {len(release.files[names['.pyz']]):,} bytes;"
        f" bill of materials {components} components; {seconds:.1f} s"
    )


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(member)
    if stream is None:
        raise ReleaseError(f"{member.name} in the artefact has no content")
    return stream.read()


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()  # as ansible-galaxy writes it


def main(arguments: Sequence[str]) -> int:
    """Write a release; return the exit code."""
    parser = argparse.ArgumentParser(description="Build the files of a release.")
    parser.add_argument("--uncommitted", action="store_true", help="accept changes that are not committed, for a trial")
    parser.add_argument("destination", nargs="?", type=Path, default=ROOT / "build/release")
    options = parser.parse_args(arguments)
    begin = time.monotonic()
    try:
        release = build(ROOT, options.uncommitted)
        write(release, options.destination)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(release.files[SUMS].decode(), end="")
    print(summary(release, time.monotonic() - begin))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
