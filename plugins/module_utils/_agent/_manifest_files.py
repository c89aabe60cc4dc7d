# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and replaces manifests in the kubelet's folder, and the files that their flags name.

The kubelet reads every file of the folder whose name has no dot first, and kills the Pod of a manifest that it cannot
read. So a manifest is replaced by a rename within the folder, after all files that it names are on the disk.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from ._store._durable_files import Disk, DurableFiles
from ._store._store import digest

if TYPE_CHECKING:  # the daemon reads manifests, and does without the engine that renders them
    from .._static_pods.rendered_manifest import RenderedManifest

_TEMPORARY = ".configok-"  # the prefix of a manifest that is being written
_PREPARED = ".prepared-"  # the prefix of a manifest that is to be put in place later
_MANIFEST_MODE = 0o600  # as kubeadm writes it
_FILE_MODE, _DIRECTORY_MODE = 0o644, 0o755  # a component may run as a user other than root


class ManifestChanged(Exception):
    """The manifest is not the one that it was decided on; the text names the file."""


class ManifestFiles:
    """The manifests of a folder. Every method may raise OSError."""

    def __init__(self, folder: str, disk: Disk | None = None) -> None:
        """Use a folder. disk: for tests."""
        self._manifests = DurableFiles(folder, disk, temporary=_TEMPORARY)
        self._disk = disk

    def read(self, file: str) -> bytes | None:
        """Return a manifest by the name of its file, None if there is none."""
        return self._manifests.read(file)

    def read_all(self) -> dict[str, bytes]:
        """Return the files of the folder by name, also those that the kubelet ignores."""
        names = self._manifests.list_names("")
        return {name: self.read(name) or b"" for name in names if os.path.isfile(self._manifests.path(name))}

    def replace(self, rendered: RenderedManifest, *, before: str) -> None:
        """Write the files of a rendered manifest, and then the manifest, which starts the component with it.

        before: the SHA-256 of the manifest that is replaced. Raises ManifestChanged, when the manifest is left alone.
        """
        file = rendered.manifest.file

        def confirm() -> None:
            present = self.read(file)
            if present is None or digest(present) != before:
                raise ManifestChanged(f"{self._manifests.path(file)} was changed or removed by another program")

        confirm()
        self._write_files(rendered)
        self._manifests.write(file, rendered.manifest.source, _MANIFEST_MODE, confirm=confirm)

    def replace_file(self, path: str, content: bytes, *, before: str) -> None:
        """Replace a file that a running component reads again.

        before: the SHA-256 of the content that is replaced. Raises ManifestChanged, when it is left alone.
        """

        def confirm() -> None:
            present = self.read(path)
            if present is None or digest(present) != before:
                raise ManifestChanged(f"{path} was changed or removed by another program")

        confirm()
        self._beside(path).write(path, content, _FILE_MODE, confirm=confirm)

    def prepare_file(self, path: str, content: bytes) -> str:
        """Write the content of a file for later in the same directory; return its path. A rename puts it in place."""
        prepared = os.path.join(os.path.dirname(path), _PREPARED + os.path.basename(path))
        self._beside(path).write(prepared, content, _FILE_MODE)
        return prepared

    def _beside(self, path: str) -> DurableFiles:
        return DurableFiles(os.path.dirname(path), self._disk, directory_mode=_DIRECTORY_MODE, temporary=_TEMPORARY)

    def prepare(self, rendered: RenderedManifest) -> str:
        """Write a manifest for later under a name that the kubelet ignores, and its files; return its path.

        A rename within the folder puts it in place.
        """
        self._write_files(rendered)
        path = os.path.join(self._manifests.root, _PREPARED + os.path.basename(rendered.manifest.file))
        self._manifests.write(path, rendered.manifest.source, _MANIFEST_MODE)
        return path

    def _write_files(self, rendered: RenderedManifest) -> None:
        if rendered.files:
            files = DurableFiles(rendered.directory, self._disk, directory_mode=_DIRECTORY_MODE)
            for name, content in rendered.files.items():
                files.write(name, content, _FILE_MODE)
            files.sync_directory()  # also after a write that was interrupted between its rename and this

    def remove_leftovers(self) -> None:
        """Remove the temporary files of interrupted writes."""
        self._manifests.remove_leftovers("")

    def remove_directories(self, directory: str) -> None:
        """Remove the directories of options that no manifest of the folder names. directory: that of a component."""
        manifests = b"".join(self.read_all().values())
        for name in DurableFiles(directory).list_names(""):
            path = os.path.join(directory, name)
            if path.encode() not in manifests and os.path.isdir(path):
                shutil.rmtree(path)
