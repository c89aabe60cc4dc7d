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
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from .._componentconfig._flags.kubelet_flags import parse_flags
from .._componentconfig.component_options import ETCD, flag_value
from .._static_pods.etcd_members import EtcdState, Member, MemberStatus, Timing
from .._static_pods.manifest import InvalidManifest, Manifest, read_manifest
from ._etcd_gateway import EtcdError, EtcdGateway, NoAnswer
from ._instance_addresses import local_url
from ._log import log
from ._manifest_files import ManifestFiles
from ._store._durable_files import DurableFiles

SNAPSHOTS = "etcd-snapshots"
"""The name of the directory of snapshots among the agent's files."""

_CA_FLAG, _LISTEN_FLAG, _HEALTH_FLAG = "trusted-ca-file", "listen-client-urls", "listen-metrics-urls"
_QUOTA_FLAG = "quota-backend-bytes"
_CLIENT = "healthcheck-client"  # the name of the certificate that kubeadm makes for probes, next to the CA's
_KEPT = 2
_RECENT = 600.0  # seconds
_LEFT_FREE = 0.1  # of the file system: with less, the kubelet evicts Pods
_CHUNK = 4 << 20  # bytes
_SUFFIX, _UNFINISHED = ".db", ".unfinished"


class EtcdFiles(NamedTuple):
    """The CA of etcd, and the certificate and key with which a client is let in, on the node."""

    ca: str
    cert: str
    key: str


class _OwnMember(NamedTuple):
    """The member of this node: where it listens for clients, how it is asked, and the flags that it has."""

    url: str
    gateway: EtcdGateway
    flags: Mapping[str, str]


class EtcdGuard:
    """What must be so before this node's member of etcd restarts."""

    def __init__(
        self,
        manifest: str,
        directory: str,
        *,
        gateway: Callable[[EtcdFiles], EtcdGateway] = lambda files: EtcdGateway(*files),
        usage: Callable[[str], tuple[int, int, int]] = shutil.disk_usage,
        epoch: Callable[[], float] = time.time,
    ) -> None:
        """Guard the member of a manifest. directory: for its snapshots. usage: of a file system: total, used, free.

        epoch: the time of day, in seconds since 1970.
        """
        self._file = manifest
        self._directory = directory
        self._gateway = gateway
        self._usage = usage
        self._epoch = epoch

    def reason_to_keep(self, arguments: Sequence[str], *, is_fallback: bool) -> str:
        """Return why the member must not restart now, "" if etcd can spare it.

        arguments: those that it is to run with, without the program. is_fallback: it returns to options that worked
        before. A member that gives no answer, or has no leader, has nothing to lose then.
        """
        try:
            member = self._own()
            own, status = member.gateway.status(member.url)
            if not status.leader:
                raise NoAnswer("it has no leader")
            members = member.gateway.members(member.url)
            # The answer to this one needs a majority, and counts for new options only.
            alarms = () if is_fallback else member.gateway.alarms(member.url)
        except InvalidManifest as error:
            return str(error)
        except EtcdError as error:
            if is_fallback and isinstance(error, NoAnswer):
                log.warning("etcd is not asked whether it can spare this member: %s", error)
                return ""
            return f"etcd cannot spare this member, which does not say how the others are: {error}"
        statuses = _statuses(member.gateway, [other for other in members if other.id != own and other.name])
        state = EtcdState(own, members, {**statuses, own: status}, alarms)
        reason = state.reason_to_keep(is_fallback=is_fallback)
        if reason:
            return f"etcd cannot spare this member: {reason}"
        flags = _flags(arguments)
        reason = state.reason_against_quota(_number(flags, _QUOTA_FLAG, 0), is_fallback=is_fallback)
        if not reason and len(members) > 1 and not is_fallback:
            reason = _timing(flags).reason_against(_timing(member.flags))
        return f"etcd cannot take these options: {reason}" if reason else ""

    def save_snapshot(self) -> str:
        """Save the member's data in a file that no other user can read; return why that was not possible, "" if it was.

        The last two snapshots are kept; one of the last minutes will do, since a write that fails is tried again. A
        member that gives no answer has none to give. Raises OSError.
        """
        try:
            member = self._own()
            _own_id, status = member.gateway.status(member.url)
        except (EtcdError, InvalidManifest) as error:
            log.warning("no snapshot of etcd is saved: %s", error)
            return ""
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        self._remove(self._names(_UNFINISHED))
        if self._has_recent():
            return ""
        total, _used, free = self._usage(self._directory)
        needed = _KEPT * status.size + int(total * _LEFT_FREE)
        if free < needed:
            return f"no snapshot of etcd can be saved: {self._directory} needs {needed} bytes of free space"
        day = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime(self._epoch()))
        path = os.path.join(self._directory, f"etcd-{day}{_SUFFIX}")
        unfinished = f"{path}{_UNFINISHED}"
        try:
            # Written as it comes: etcd's own writes would wait for all of it at the end.
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_DSYNC, 0o600)
            with open(descriptor, "wb", buffering=_CHUNK) as stream:
                member.gateway.snapshot(member.url, stream)
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

    def _has_recent(self) -> bool:
        ages = (self._epoch() - os.stat(os.path.join(self._directory, name)).st_mtime for name in self._names(_SUFFIX))
        return any(0 <= age < _RECENT for age in ages)

    def _own(self) -> _OwnMember:
        """Return this node's member as its manifest has it. Raises InvalidManifest."""
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
        parts = urlsplit(urls[0])
        url = local_url(parts.scheme, parts.hostname or "", parts.port or 2379)
        return _OwnMember(url, self._gateway(_files(manifest, flags.get(_CA_FLAG, ""))), flags)

    def _names(self, suffix: str) -> list[str]:
        return sorted(name for name in os.listdir(self._directory) if name.endswith(suffix))

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            os.unlink(os.path.join(self._directory, name))


def _flags(arguments: Sequence[str]) -> dict[str, str]:
    return dict(parse_flags((ETCD, *arguments)))


def _number(flags: Mapping[str, str], name: str, default: int) -> int:
    text = flags.get(name) or ""
    return int(flag_value("int", [text])) if text else default


def _timing(flags: Mapping[str, str]) -> Timing:
    usual = Timing()
    return Timing(
        _number(flags, "heartbeat-interval", usual.heartbeat), _number(flags, "election-timeout", usual.election)
    )


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
            answering, status = gateway.status(url)
            if answering == member.id:
                return status
            problem = f"{url}: another member answers there"
        except EtcdError as error:
            problem = str(error)
    return MemberStatus(problem=problem)


def _files(manifest: Manifest, ca_file: str) -> EtcdFiles:
    """Return the files on the node: the container may have them elsewhere."""
    path = ca_file
    for mount in manifest.mounts:  # the deepest last
        if mount.host_path and (ca_file == mount.path or ca_file.startswith(f"{mount.path}/")):
            path = mount.host_path + ca_file[len(mount.path) :]
    client = posixpath.join(posixpath.dirname(path), _CLIENT)
    return EtcdFiles(path, f"{client}.crt", f"{client}.key")
