# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a provider's role, which the module machine_host runs."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from ._files import Changes, differs, mark_pending, retire_files, update_files, write_files, write_previous_files
from ._flags import adjust_flags, supported_flags
from ._host_access import Host, HostError
from ._host_state import LOCK, SEEN_PATHS, HostState, begin_change, can_undo, forget_previous, load_state, save_state
from ._kubelet import apply_settings, start_units, wait_healthy
from ._node_identity import (
    BOOTSTRAP,
    BOOTSTRAP_KEY,
    KUBECONFIG,
    drop_credentials,
    has_credentials,
    node_of,
    stale_credentials,
)
from ._package_manager import HostFile, PackageManager
from ._packages import PackageChange, WantedPackages, change_packages, preview_packages
from ._reset import forget_host, is_clean, reset_host
from ._runtimes import switch_runtime, undeclared_runtime

_CONTROL_PLANE = tuple(f"/etc/kubernetes/manifests/{name}.yaml" for name in ("etcd", "kube-apiserver"))
# A run whose kubeconfig names no CA may update a node, which keeps the one that it has.
_STAYING = (BOOTSTRAP, "/etc/kubernetes/pki/ca.crt")
_DELETIONS = ("delete", "replace")
_CLUSTER = "Cluster."  # how the path of a Cluster's field begins


@dataclass
class Preview:
    """What an action would do. refusals: why it cannot be done, one sentence each."""

    refusals: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


class FileFields(NamedTuple):
    """The fields that are written to files of a node.

    declared: of the providerConfig. changing: those of them that change, and the paths of a Cluster's fields that do.
    """

    declared: Sequence[str] = ()
    changing: Sequence[str] = ()


@dataclass(frozen=True)
class StartOptions:
    """How a node is started. kubelet: the path of its program; timeout: seconds until it has to be healthy.

    lacks_node: whether the cluster has no Node of it: a kubelet that runs already registers only when it starts again.
    """

    kubelet: str
    units: Sequence[str]
    modules: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 180.0
    lacks_node: bool = False


class MachineHost:
    """A host that is, or becomes, the machine of this name. Every step may be repeated.

    check: say what would change, and change nothing. action: what the steps are part of. rollout: which rollout the
    action is part of, "" if that is not known; a rollback undoes an update of the same rollout.
    """

    def __init__(
        self,
        host: Host,
        machine: str,
        manager: PackageManager,
        *,
        check: bool,
        action: str = "update",
        rollout: str = "",
    ) -> None:
        self._host = host
        self._machine = machine
        self._manager = manager
        self._check = check
        self._action = action
        self._is_rollback = action == "rollback"
        self._rollout = rollout

    def plan(self, action: str, declared: WantedPackages, fields: FileFields | None = None) -> Preview:
        """Return what an action would do with the packages, and why it must not.

        action: create, update, rollback, delete, or replace, which deletes and then creates.
        """
        preview = Preview()
        try:
            state = load_state(self._host)
            preview.refusals = self._refusals(action, state)
            if action not in _DELETIONS:
                preview.refusals += [text for text in (undeclared_runtime(state, declared),) if text]
                self._check_files(state, fields or FileFields(), preview)
        except HostError as error:
            preview.refusals = [str(error)]
        if preview.refusals or action == "delete":
            return preview
        if action != "rollback":  # which needs no source
            preview.warnings += self._manager.source_warnings(declared.source, declared.key)
        changes, preview.refusals = preview_packages(
            state, self._manager, declared, rollback=action == "rollback", after_reset=action == "replace"
        )
        if state is None or not state.in_progress:  # dpkg may have unpacked half of it
            preview.refusals += self._not_from_packages(action, state, changes)
        preview.versions = {change.package.name: change.after for change in changes}
        return preview

    def install(self, declared: WantedPackages) -> Changes:
        """Bring the packages to their versions; a rollback, to those before the last update."""
        changes = Changes()
        self._refuse()
        if self._check:
            state = load_state(self._host)
            if not self._manager.unusable() and not self._has_nothing_to_undo(state):
                planned, refusals = preview_packages(state, self._manager, declared, rollback=self._is_rollback)
                for change in planned:
                    changes.note(f"{change.package.name} {change.before or 'absent'} -> {change.after}")
                changes.warnings += refusals
            return changes
        with self._host.lock(LOCK):
            state = self._claim()
            if not self._is_rollback:
                # Without a rollout, what is declared tells an update from another one.
                digest = hashlib.sha256(repr(declared).encode("utf-8", "surrogateescape")).hexdigest()
                begin_change(self._host, state, self._action, self._rollout or f"declared {digest[:16]}")
            elif self._has_nothing_to_undo(state):
                self._manager.repair()
                changes.warnings.append("the update had changed nothing on this host, so nothing is undone")
                return changes
            refusal = undeclared_runtime(state, declared)
            if refusal:
                raise HostError(refusal)
            change_packages(self._host, state, self._manager, declared, changes, action=self._action)
        return changes

    def write(self, files: Sequence[HostFile], bootstrap: str, kubelet: str) -> Changes:
        """Write the files of a node that is ours; a host that was a node before keeps its own layout.

        A rollback writes what the files were before the last update instead. bootstrap: the text of a kubeconfig with a
        token, which only a kubelet without credentials needs.
        """
        changes = Changes()
        self._refuse()
        with self._record() as state:
            self._write(state, files, bootstrap, kubelet, changes)
        return changes

    def start(self, options: StartOptions) -> Changes:
        """Start the runtime and the kubelet, and wait until the kubelet is healthy."""
        changes = Changes()
        self._refuse()
        with self._record() as state:
            if state.created and not self._has_nothing_to_undo(state):
                apply_settings(self._host, state, options.modules, options.settings, changes, check=self._check)
                switch_runtime(self._host, state, options.units, changes, check=self._check)
            if not self._check:
                adjust_flags(self._host, state, options.kubelet, changes)
            started = start_units(self._host, state, _own_units(state, options.units), changes, check=self._check)
            if self._check:
                return changes
            if options.lacks_node and not started:
                changes.note("kubelet.service restarted, so that it registers its Node")
                self._host.must(["systemctl", "restart", "kubelet.service"], "kubelet could not be started")
            wait_healthy(self._host, state, kubelet=options.kubelet, timeout=options.timeout)
        return changes

    def reset(self) -> Changes:
        """Take everything of the node off the host. Raises HostError for a host that is another machine."""
        changes = Changes()
        state = load_state(self._host)
        if state is None and is_clean(self._host):
            changes.changed = not self._check and forget_host(self._host)
            return changes
        refusals = self._refusals("delete", state)
        if refusals:
            raise HostError("; ".join(refusals))
        if self._check:
            changes.note(f"{self._machine}: kubelet, pods, their files and packages removed")
            return changes
        with self._host.lock(LOCK):
            reset_host(self._host, self._claim(), self._manager, changes)
        return changes

    def _write(
        self,
        state: HostState,
        files: Sequence[HostFile],
        bootstrap: str,
        kubelet: str,
        changes: Changes,
    ) -> None:
        changes.owns_layout = state.created
        if self._is_rollback:
            if not self._has_nothing_to_undo(state):
                write_previous_files(self._host, state, changes, check=self._check)
            return
        if not state.created:
            return
        if not self._check and self._rollout:
            begin_change(self._host, state, self._action, self._rollout)
        # Before the CA of the former cluster is written over.
        stale = stale_credentials(self._host, bootstrap, time.time()) if bootstrap else ""
        if stale:
            changes.note(f"the credentials of the kubelet moved aside, since {stale}")
            if not self._check:
                mark_pending(state, ["kubelet"])
                save_state(self._host, state)
                drop_credentials(self._host)
        if os.access(self._host.path(kubelet), os.X_OK):
            files = supported_flags(self._host, kubelet, files, changes.warnings)
        undeclared = state.files.keys() - {file.path for file in files} - {*self._manager.source_paths, *_STAYING}
        if not self._rollout and not state.in_progress and (undeclared or any(differs(self._host, f) for f in files)):
            forget_previous(state)
        if self._action == "create":
            write_files(self._host, state, files, changes, check=self._check)
        else:
            update_files(self._host, state, files, changes, check=self._check)
        retire_files(self._host, state, undeclared, (state.runtime or "kubelet",), changes, check=self._check)
        if self._action == "create":  # which is not undone
            forget_previous(state)
            if not self._check:
                save_state(self._host, state)
        if bootstrap and (stale or not has_credentials(self._host)):
            file = HostFile(BOOTSTRAP, bootstrap, 0o600, restarts=("kubelet",))
            write_files(self._host, state, [file], changes, check=self._check, secret=True)
            if not self._check:
                # The name of a request follows from the key: the kubelet would wait for a request of an earlier token.
                self._host.remove(BOOTSTRAP_KEY)

    def _has_nothing_to_undo(self, state: HostState | None) -> bool:
        """Return whether this is a rollback of an update that has changed nothing on the host."""
        return self._is_rollback and (state is None or not can_undo(state, self._rollout))

    @contextmanager
    def _record(self) -> Iterator[HostState]:
        """Yield the record under its lock; for a check, which changes nothing, the one that would be made."""
        if self._check:
            yield self._expected_state()
            return
        with self._host.lock(LOCK):
            yield self._claim()

    def _expected_state(self) -> HostState:
        """Return the record, or the one that would be made."""
        return load_state(self._host) or HostState(self._machine, created=not self._host.exists(KUBECONFIG))

    def _claim(self) -> HostState:
        """Return the record, which is made before the first change."""
        state = load_state(self._host)
        if state is None:
            state = self._expected_state()
            state.absent_before = [path for path in SEEN_PATHS if not self._host.exists(path)] if state.created else []
            save_state(self._host, state)
        elif state.machine != self._machine:
            raise HostError(self._other_machine(state.machine))
        return state

    def _check_files(self, state: HostState | None, fields: FileFields, preview: Preview) -> None:
        """Refuse a change of files that the node does not get, and warn of other fields without effect."""
        keeps_files = self._host.exists(KUBECONFIG) if state is None else not state.created
        if not keeps_files:
            return
        reason = "the host was a node before it became a machine and keeps its own files, so"
        of_cluster = [name for name in fields.changing if name.startswith(_CLUSTER)]
        own = [name for name in fields.changing if name not in of_cluster]
        if own:
            preview.refusals.append(
                f"{reason} a change of {', '.join(own)} has no effect: undo it in the file, or leave the field out, "
                "and change the files on the host"
            )
        if of_cluster:
            preview.refusals.append(
                f"{reason} a change of {', '.join(of_cluster)} has no effect: change the files on the host, and run "
                "configok.node.provision, which publishes its config"
            )
        if fields.declared and not own:
            names = ", ".join(fields.declared)
            preview.warnings.append(f"{reason} these fields of providerConfig have no effect: {names}")

    def _refuse(self) -> None:
        """Raise HostError for a host that the plan would refuse now: a step may reach a host that was not planned."""
        refusals = self._refusals(self._action, load_state(self._host))
        if refusals:
            raise HostError("; ".join(refusals))

    def _refusals(self, action: str, state: HostState | None) -> list[str]:
        if os.geteuid() != 0:
            return ["the tasks do not run as root on the host: set become: true, or user: root"]
        if not self._host.exists("/run/systemd/system"):
            return ["the host does not run systemd, which starts the kubelet"]
        if state is not None and state.machine != self._machine:
            return [self._other_machine(state.machine)]
        present = [path for path in _CONTROL_PLANE if action in _DELETIONS and self._host.exists(path)]
        if present:
            return [
                f"the host runs the control plane ({present[0]}), which a deletion would stop: take it out of the "
                "cluster with kubeadm reset first"
            ]
        if action != "delete" and self._manager.unusable():
            return [self._manager.unusable()]
        node = node_of(self._host)
        if node and node != self._machine:
            return [f"the host is the Node {node} of a cluster already, not {self._machine}: check its address"]
        if state is not None:
            return []
        if action in _DELETIONS and not node and not is_clean(self._host):
            return [
                f"the host has a kubelet that is not known to be {self._machine}: no provider made it a node, and it "
                "has no certificate of that name"
            ]
        if action in ("update", "rollback") and not self._host.exists(KUBECONFIG):
            return [f"the host is not a node yet: {KUBECONFIG} is missing"]
        return []

    def _not_from_packages(self, action: str, state: HostState | None, planned: Sequence[PackageChange]) -> list[str]:
        """Return what an update cannot change. A node that is ours may get a runtime of another kind."""
        if action in ("create", "replace"):
            return []
        is_ours = state is not None and state.created
        return [
            f"{change.package.name} is not installed from {self._manager.name}, so it cannot be updated that way: the "
            "host got it by other means"
            for change in planned
            if not change.before and not (is_ours and change.package.name != "kubelet")
        ]

    def _other_machine(self, name: str) -> str:
        return f"the host is the machine {name}, not {self._machine}: check both addresses, or delete {name} first"


def _own_units(state: HostState, units: Sequence[str]) -> list[str]:
    """Return the units to look after: of a host that was a node before, the kubelet and what we changed."""
    return [unit for unit in units if state.created or unit == "kubelet" or unit in state.pending]
