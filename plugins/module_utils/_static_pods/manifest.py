# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the manifest of a static Pod, and find the component that it runs."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._componentconfig import ConfigError
from .._componentconfig._codec.document import decode
from .._componentconfig._options import FLAG_COMPONENTS
from .._text import sanitize
from ._pod_shape import shape_problem

OPTIONS_ANNOTATION = "configok.dev/options"
"""The annotation of a rendered manifest: the hash of the options that are applied to it."""

OPTIONS_VOLUME = "configok-options"
"""The volume of a rendered manifest with the files of the options; that of a host path has its number behind it."""

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_RELEASE = re.compile(r":v?([0-9]+\.[0-9]+\.[0-9]+)[^:/@]*(@[^/]*)?\Z")
_USUAL_GRACE = 30  # seconds
_FILE_TYPES = ("File", "FileOrCreate")
_SCRIPT_OPTION = "-c"  # of a shell


class InvalidManifest(ValueError):
    """A manifest that cannot be used; the text is one sentence that begins with the name of its file."""


class Mount(NamedTuple):
    """What the container has at a path.

    path: in the container. host_path: on the node, "" for a volume that is not of the node. is_file: the volume is a
    single file, which stays the same file when another one takes its place on the node.
    """

    path: str
    host_path: str
    is_writable: bool = False
    is_file: bool = False


class Manifest(NamedTuple):
    """A static Pod.

    file: the name of its file. source: the bytes of the file. pod: the decoded object, of the types that it must have.
    component: which of `FLAG_COMPONENTS` it runs, "" for none. container_index: of the component's container.
    program_index: the place of the component's program in the words of its container.
    """

    file: str
    source: bytes
    pod: Mapping[str, Any]
    component: str = ""
    container_index: int = 0
    program_index: int = 0

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def name(self) -> str:
        """The namespace and name that the kubelet knows the Pod by, without the node's name."""
        metadata = self.pod["metadata"]
        return f"{metadata.get('namespace') or 'default'}/{metadata['name']}"

    @property
    def container(self) -> Mapping[str, Any]:
        """The container of the component."""
        container: Mapping[str, Any] = self.pod["spec"]["containers"][self.container_index]
        return container

    @property
    def image(self) -> str:
        """The image of the component."""
        return str(self.container.get("image") or "")

    @property
    def release(self) -> str:
        """The release that the image names, such as 1.20.2, "" if it names none."""
        match = _RELEASE.search(self.image)
        return match[1] if match else ""

    @property
    def grace(self) -> int:
        """The seconds that the Pod has to end, as the kubelet reads them."""
        seconds = self.pod["spec"].get("terminationGracePeriodSeconds")
        return _USUAL_GRACE if seconds is None else int(seconds)

    @property
    def words(self) -> tuple[str, ...]:
        """The command line of the component's container, with what comes before the component's own arguments."""
        return _words(self.container)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of the component, without the program."""
        return self.words[self.program_index + 1 :]

    @property
    def applied_options(self) -> str:
        """The hash of the options that are applied to the manifest, "" for an init manifest."""
        return str((self.pod["metadata"].get("annotations") or {}).get(OPTIONS_ANNOTATION) or "")

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What the component's container has, the deepest last."""
        volumes = {volume["name"]: volume.get("hostPath") or {} for volume in self.pod["spec"].get("volumes") or ()}
        mounts = [_mount(mount, volumes.get(mount["name"], {})) for mount in self.container.get("volumeMounts") or ()]
        return tuple(sorted(mounts, key=lambda mount: mount.path.count("/")))


def _words(container: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(word for key in ("command", "args") for word in container.get(key) or ())


def _mount(mount: Mapping[str, Any], host_path: Mapping[str, Any]) -> Mount:
    below = str(mount.get("subPath") or "")
    path = str(host_path.get("path") or "")
    return Mount(
        posixpath.normpath(mount["mountPath"]),
        posixpath.normpath(posixpath.join(path, below)) if path else "",
        is_writable=not mount.get("readOnly"),
        is_file=bool(below) or host_path.get("type") in _FILE_TYPES,
    )


def read_manifest(source: bytes, file: str) -> Manifest:
    """Return the static Pod of a manifest.

    The kubelet reads the first document of a file, and removes the Pod of one that it cannot read. file: its name.
    Raises InvalidManifest.
    """
    try:
        document = decode(source, file=file)
    except ConfigError as error:
        raise InvalidManifest(sanitize(str(error))) from error
    pod = document.data
    if not isinstance(pod, dict) or (document.head.get("apiVersion"), document.head.get("kind")) != ("v1", "Pod"):
        raise InvalidManifest(f"{file}: is not a Pod, and the kubelet reads every file of its folder as one")
    problem = document.findings[0].message if document.findings else shape_problem(pod)
    if problem:
        raise InvalidManifest(f"{file}: {problem}")
    components = list(_components(pod))
    if len(components) > 1:
        names = " and ".join(name for name, _index, _program in components)
        raise InvalidManifest(f"{file}: the Pod runs {names}, and not one of them")
    if not components:
        return Manifest(file, source, pod)
    component, index, program = components[0]
    if program is None:
        raise InvalidManifest(
            f"{file}: the container {component} does not name the program {component} as a word of its command, so "
            "that its flags cannot be changed"
        )
    return Manifest(file, source, pod, component, index, program)


def _components(pod: Mapping[str, Any]) -> Iterator[tuple[str, int, int | None]]:
    """Yield the components that containers run: by their program, otherwise by their name, without a program then."""
    for index, container in enumerate(pod["spec"]["containers"]):
        words = _words(container)
        program = _program_index(words)
        if program is not None:
            yield posixpath.basename(words[program]), index, program
        elif container["name"] in FLAG_COMPONENTS:
            yield container["name"], index, None


def _program_index(words: Sequence[str]) -> int | None:
    """Return the place of a component's program: not that of an option, or of a script, that ends with its name."""
    for index, word in enumerate(words):
        is_script = index > 0 and words[index - 1] == _SCRIPT_OPTION
        if is_script or word.startswith("-") or any(map(str.isspace, word)):
            continue
        if posixpath.basename(word) in FLAG_COMPONENTS:
            return index
    return None


def has_probe(manifest: Manifest) -> bool:
    """Return whether the kubelet probes the component."""
    return any(isinstance(manifest.container.get(name), dict) for name in _PROBES)
