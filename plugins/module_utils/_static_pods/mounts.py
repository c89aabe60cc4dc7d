# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mount what options name into a component's container."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .._componentconfig._scalars.field_path import Path
from .._componentconfig.component_options import (
    DIRECTORY,
    Options,
    flag_texts,
    node_files,
    path_flags,
    plugin_paths,
)
from .._componentconfig.findings import Finding, Level
from ._paths import is_below
from .manifest import OPTIONS_VOLUME, Manifest, Mount

RULE_MOUNTS = "mounts"
_NEVER = ("/etc/kubernetes", "/var/lib/kubelet", "/var/lib/etcd")
"""Directories with the keys of the cluster or of the node: only the writer of a manifest may mount them."""


class HostPath(NamedTuple):
    """A directory of the node that options may name, and whether the component may write to it."""

    path: str
    is_writable: bool = False


class _NamedPath(NamedTuple):
    """A path that options name. field: where.

    is_file: whether it is that of a file. is_reloaded: whether the component reads that again while it runs.
    """

    field: Path
    path: str
    is_file: bool = True
    is_written: bool = False
    is_reloaded: bool = False


def host_path_problem(host_path: HostPath) -> str:
    """Return why a directory cannot be mounted for options, in a few words; "" if it can."""
    path = host_path.path
    if not path.startswith("/") or posixpath.normpath(path) != path or path == "/":
        return "must be the absolute path of a directory other than /, without . and .. in it"
    for never in _NEVER:
        if is_below(path, never) or is_below(never, path):
            return f"must not be below {never}, and not have it in it: that is not mounted for a bundle"
    return ""


def mount_findings(manifest: Manifest, options: Options, host_paths: Sequence[HostPath]) -> Iterator[Finding]:
    """Yield what options name that the component's container cannot have.

    host_paths: what the node's own config allows to be mounted, without problems.
    """
    for named in _named_paths(options):
        message = _problem(named, manifest, host_paths)
        if message:
            yield Finding(named.field, message, RULE_MOUNTS, Level.POLICY)


def _problem(named: _NamedPath, manifest: Manifest, host_paths: Sequence[HostPath]) -> str:
    if not named.path.startswith("/"):
        return "must be an absolute path"
    mount = _mount_of(named.path, manifest.mounts)
    return _problem_of_mount(named, mount) if mount is not None else _problem_of_host_path(named, host_paths)


def _problem_of_mount(named: _NamedPath, mount: Mount) -> str:
    if not mount.host_path:
        return f"the manifest mounts {mount.path}, which is not a directory of the node"
    if named.is_reloaded and (mount.is_file or mount.path == named.path):
        return f"the manifest mounts {mount.path} as a single file, so that a new one is never seen there"
    return "" if mount.is_writable or not named.is_written else f"the manifest mounts {mount.path} read-only"


def _problem_of_host_path(named: _NamedPath, host_paths: Sequence[HostPath]) -> str:
    if any(is_below(named.path, directory) for directory in _NEVER):
        return f"the manifest does not mount it, and nothing below {', '.join(_NEVER)} is mounted for a bundle"
    host_path = _host_path_of(named.path, host_paths)
    if host_path is None:
        return "the manifest does not mount it, and the node's own config does not allow it (hostPaths)"
    if named.is_file and host_path.path == named.path:
        return f"the node's own config allows {host_path.path} to be mounted, which must be a directory (hostPaths)"
    if named.is_written and not host_path.is_writable:
        return f"the node's own config allows {host_path.path} to be read only (hostPaths)"
    return ""


def added_mounts(manifest: Manifest, options: Options, host_paths: Sequence[HostPath]) -> list[Mount]:
    """Return what is mounted in addition for options without findings, that of their own files first."""
    mounts = [own_mount(options.component)] if any(file.content is not None for file in options.files) else []
    mounts = [mount for mount in mounts if not is_mounted(mount, manifest.mounts)]
    for named in _named_paths(options):
        host_path = _host_path_of(named.path, host_paths)
        if host_path is None or _mount_of(named.path, manifest.mounts) is not None:
            continue
        mount = Mount(host_path.path, host_path.path, host_path.is_writable)
        mounts += [] if mount in mounts else [mount]
    return mounts


def own_mount(component: str) -> Mount:
    """Return the directory of a component's files, as it is mounted."""
    directory = f"{DIRECTORY}/{component}"
    return Mount(directory, directory)


def is_mounted(needed: Mount, mounts: Sequence[Mount]) -> bool:
    """Return whether mounts have a directory of the node at its path, writable if that is needed."""
    return any(
        (mount.path, mount.host_path) == (needed.path, needed.host_path)
        and (mount.is_writable or not needed.is_writable)
        for mount in mounts
    )


def volume_of(index: int, mount: Mount) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an added mount as a volume of the Pod, and as one of the container. index: among those added."""
    name = f"{OPTIONS_VOLUME}-{index}" if index else OPTIONS_VOLUME
    volume = {"hostPath": {"path": mount.host_path, "type": "Directory"}, "name": name}
    return volume, {"mountPath": mount.path, "name": name, "readOnly": not mount.is_writable}


def _named_paths(options: Options) -> Iterator[_NamedPath]:
    """Yield the paths of the node that options name."""
    for field, path, file in node_files(options):
        yield _NamedPath(field, posixpath.normpath(path), is_reloaded=file.is_reloaded)
    for field, path in plugin_paths(options):
        if path.startswith("/"):
            yield _NamedPath(field, posixpath.normpath(path))
    others = path_flags(options.component)
    for flag, value in sorted(options.flags.items()):
        if value is None or flag not in others:
            continue
        for text in flag_texts(options.component, flag, value):
            for path in text.split(","):
                if path.startswith("/"):
                    field, path = options.field_of(flag), posixpath.normpath(path)
                    yield _NamedPath(field, path, is_file=not flag.endswith("-dir"), is_written=others[flag])


def node_path(path: str, mounts: Sequence[Mount]) -> str:
    """Return the path on the node of what a container has at a path; "" if that is not of the node.

    What the manifest does not mount is mounted for the options at the same path.
    """
    mount = _mount_of(posixpath.normpath(path), mounts)
    if mount is None:
        return posixpath.normpath(path)
    below = posixpath.relpath(posixpath.normpath(path), mount.path)
    return posixpath.normpath(posixpath.join(mount.host_path, below)) if mount.host_path else ""


def _mount_of(path: str, mounts: Sequence[Mount]) -> Mount | None:
    """Return the mount that a path in the container is on: the deepest."""
    return next((mount for mount in reversed(mounts) if is_below(path, mount.path)), None)


def _host_path_of(path: str, host_paths: Sequence[HostPath]) -> HostPath | None:
    """Return the allowed directory that a path is in: the deepest."""
    allowed = [host_path for host_path in host_paths if is_below(path, host_path.path)]
    return max(allowed, key=lambda host_path: len(host_path.path), default=None)
