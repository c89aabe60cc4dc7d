# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Container images of one program each, made of the binaries at hand: no node of a testbed reaches a registry."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

from support.session.patience import LONGEST_WAIT

from ._commands import run
from ._machine import Machine

__all__ = ["import_image"]

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_DIRECTORY = "usr/local/bin"


def import_image(machine: Machine, reference: str, program: Path, command: tuple[str, ...] = ()) -> None:
    """Give a machine's containerd an image, with a program and its libraries. command: what a container runs."""
    archive = machine.view / "var/tmp/image.tar"
    archive.write_bytes(_archive(reference, program, command))
    machine.run(["ctr", "--namespace=k8s.io", "images", "import", "/var/tmp/image.tar"], timeout=LONGEST_WAIT)
    archive.unlink()


def _archive(reference: str, program: Path, command: tuple[str, ...]) -> bytes:
    layer = _tar({f"{_DIRECTORY}/{program.name}": program.read_bytes(), **dict(_libraries(program))})
    digest = f"sha256:{hashlib.sha256(layer).hexdigest()}"
    config = {
        "architecture": _ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {"Env": [f"PATH=/{_DIRECTORY}"], "Cmd": list(command) or [program.name]},
        "rootfs": {"type": "layers", "diff_ids": [digest]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [reference], "Layers": ["layer.tar"]}]
    return _tar(
        {
            "config.json": json.dumps(config).encode(),
            "layer.tar": layer,
            "manifest.json": json.dumps(manifest).encode(),
        }
    )


def _libraries(program: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the shared libraries of a program, none for one that is linked statically."""
    output = run(["ldd", str(program)], check=False).stdout
    for path in re.findall(r"(/\S+) \(0x", output):
        yield path.lstrip("/"), Path(path).read_bytes()


def _tar(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()
