# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps this node's member of etcd running while the others need it, and saves its data before a restart.

Only the command ``static-pod`` imports this file.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from .._componentconfig._flags.kubelet_flags import parse_flags
from .._componentconfig.component_options import ETCD, flag_value
from .._static_pods.etcd_members import EtcdState, Member, MemberStatus
from .._static_pods.manifest import InvalidManifest, Manifest, read_manifest
from ._etcd_gateway import EtcdError, EtcdGateway
from ._instance_addresses import LOOPBACK_OF_ANY
from ._log import log
from ._manifest_files import ManifestFiles
from ._store._durable_files import DurableFiles

SNAPSHOTS = "etcd-snapshots"
"""The name of the directory of snapshots among the agent's files."""

_CA_FLAG, _LISTEN_FLAG, _HEALTH_FLAG = "trusted-ca-file", "listen-client-urls", "listen-metrics-urls"
_QUOTA_FLAG = "quota-backend-bytes"
_CLIENT = "healthcheck-client"  # the name of the certificate that kubeadm makes for probes, next to the CA's
_KEPT = 2
_SUFFIX, _UNFINISHED = ".db", ".unfinished"


class EtcdFiles(NamedTuple):
    """The CA of etcd, and the certificate and key with which a client is let in, on the node."""

    ca: str
    cert: str
    key: str


class EtcdGuard:
    """What must be so before this node's member of etcd restarts."""

    def __init__(
        self,
        manifest: str,
        directory: str,
        *,
        gateway: Callable[[EtcdFiles], EtcdGateway] = lambda files: EtcdGateway(*files),
        free: Callable[[str], int] = lambda path: shutil.disk_usage(path).free,
        wall: Callable[[], str],
    ) -> None:
        """Guard the member of a manifest. directory: for its snapshots. free: the free bytes of a file system.

        wall: the time of day, as it is in the names of snapshots.
        """
        self._file = manifest
        self._directory = directory
        self._gateway = gateway
        self._free = free
        self._wall = wall

    def reason_to_keep(self, arguments: Sequence[str], *, is_fallback: bool) -> str:
        """Return why the member must not restart now, "" if etcd can spare it.

        arguments: those that it is to run with, without the program. is_fallback: it returns to options that worked
        before. A member that gives no answer, or has no leader, has nothing to lose then.
        """
        try:
            url, gateway = self._own()
            own, status = gateway.status(url)
            if not status.leader:
                raise EtcdError("it has no leader")
            members, alarms = gateway.members(url), gateway.alarms(url)
        except InvalidManifest as error:
            return str(error)
        except EtcdError as error:
            if is_fallback:
                log.warning("etcd is not asked whether it can spare this member: %s", error)
                return ""
            return f"etcd cannot spare this member, which does not say how the others are: {error}"
        statuses = _statuses(gateway, [member for member in members if member.id != own and member.name])
        state = EtcdState(own, members, {**statuses, own: status}, alarms)
        reason = state.reason_to_keep(is_fallback=is_fallback)
        if reason:
            return f"etcd cannot spare this member: {reason}"
        quota = _flags(arguments).get(_QUOTA_FLAG, "0")
        reason = state.reason_against_quota(flag_value("int", [quota]), is_fallback=is_fallback)
        return f"etcd cannot take these options: {reason}" if reason else ""

    def save_snapshot(self) -> str:
        """Save the member's data in a file that no other user can read; return why that was not possible, "" if it was.

        The last two snapshots are kept. A member that gives no answer has none to give. Raises OSError.
        """
        try:
            url, gateway = self._own()
            _own_id, status = gateway.status(url)
        except (EtcdError, InvalidManifest) as error:
            log.warning("no snapshot of etcd is saved: %s", error)
            return ""
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        self._remove(self._names(_UNFINISHED))
        needed = _KEPT * status.size
        if self._free(self._directory) < needed:
            return f"no snapshot of etcd can be saved: {self._directory} needs {needed} bytes of free space for two"
        path = os.path.join(self._directory, f"etcd-{self._wall().replace(':', '')}{_SUFFIX}")
        unfinished = f"{path}{_UNFINISHED}"
        try:
            with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
                gateway.snapshot(url, stream)
                stream.flush()
                os.fsync(stream.fileno())
        except EtcdError as error:
            os.unlink(unfinished)
            return f"no snapshot of etcd can be saved: {error}"
        os.rename(unfinished, path)
        DurableFiles(self._directory).sync_directory()
        others = [name for name in self._names(_SUFFIX) if name != os.path.basename(path)]  # whatever the clock said
        self._remove(others[: len(others) + 1 - _KEPT])
        return ""

    def _own(self) -> tuple[str, EtcdGateway]:
        """Return where this node's member listens for clients, and the gateway. Raises InvalidManifest."""
        source = ManifestFiles("/").read(self._file)
        if source is None:
            raise InvalidManifest(f"{self._file} is not there")
        manifest = read_manifest(source, self._file)
        flags = _flags(manifest.arguments)
        urls = [url for url in flags.get(_LISTEN_FLAG, "").split(",") if url.startswith(("https://", "http://"))]
        if not urls:
            raise InvalidManifest(f"{self._file}: --{_LISTEN_FLAG} names no URL at which etcd can be asked")
        if not flags.get(_HEALTH_FLAG):
            raise InvalidManifest(f"{self._file}: without --{_HEALTH_FLAG} nothing shows whether etcd is healthy")
        return _reachable(urls[0]), self._gateway(_files(manifest, flags.get(_CA_FLAG, "")))

    def _names(self, suffix: str) -> list[str]:
        return sorted(name for name in os.listdir(self._directory) if name.endswith(suffix))

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            os.unlink(os.path.join(self._directory, name))


def _flags(arguments: Sequence[str]) -> dict[str, str]:
    return dict(parse_flags((ETCD, *arguments)))


def _statuses(gateway: EtcdGateway, members: Sequence[Member]) -> dict[str, MemberStatus]:
    """Return what members say of themselves, by id. All are asked at once: the caller keeps others from the store."""
    with ThreadPoolExecutor(max_workers=max(1, len(members))) as threads:
        answers = threads.map(partial(_status, gateway), members)
        return {member.id: answer for member, answer in zip(members, answers)}


def _status(gateway: EtcdGateway, member: Member) -> MemberStatus:
    """Return what another member says of itself at the first of its URLs that answers."""
    problem = "it has no URL for clients"
    for url in member.urls:
        try:
            return gateway.status(url)[1]
        except EtcdError as error:
            problem = str(error)
    return MemberStatus(problem=problem)


def _reachable(url: str) -> str:
    """Return a URL at which a server that listens there is reached on its own node."""
    parts = urlsplit(url)
    host = LOOPBACK_OF_ANY.get(parts.hostname or "", parts.hostname or "")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{parts.port or 2379}"


def _files(manifest: Manifest, ca_file: str) -> EtcdFiles:
    """Return the files on the node: the container may have them elsewhere."""
    path = ca_file
    for mount in manifest.mounts:  # the deepest last
        if mount.host_path and (ca_file == mount.path or ca_file.startswith(f"{mount.path}/")):
            path = mount.host_path + ca_file[len(mount.path) :]
    client = posixpath.join(posixpath.dirname(path), _CLIENT)
    return EtcdFiles(path, f"{client}.crt", f"{client}.key")
