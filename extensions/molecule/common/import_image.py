# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make an image from files of this machine, and give it to containerd: a container that waits until it is ended.

Runs on a node. The image also serves as the sandbox of pods, whose name it has.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import tarfile

NAME = "registry.k8s.io/pause:3.6"
COMMAND = "trap 'exit 0' TERM; sleep infinity & wait"
_PROGRAMS = ("/bin/sh", "/bin/sleep")
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def archive() -> bytes:
    """Return the image as an archive of `docker save`."""
    layer = _layer()
    machine = os.uname().machine
    config = {
        "architecture": _ARCHITECTURES.get(machine, machine),
        "os": "linux",
        "config": {"Entrypoint": ["/bin/sh", "-c", COMMAND]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [NAME], "Layers": ["layer.tar"]}]
    files = {"config.json": _dump(config), "layer.tar": layer, "manifest.json": _dump(manifest)}
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return output.getvalue()


def _layer() -> bytes:
    """Return an archive of the programs and the libraries that they need."""
    files = set(_PROGRAMS)
    for program in _PROGRAMS:
        needed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
        files.update(re.findall(r"(/\S+) \(0x", needed))
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", dereference=True) as tar:
        for file in sorted(files):
            tar.add(file)
    return output.getvalue()


def _dump(value: object) -> bytes:
    return json.dumps(value).encode()


if __name__ == "__main__":
    subprocess.run(["ctr", "--namespace=k8s.io", "images", "import", "-"], input=archive(), check=True)
