# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does what the Node's annotations ask: adopts a config, or goes back to the init config. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from .._kube._api_errors import KubeError
from .._kube._api_paths import config_map
from .._kube._backoff import Backoff
from .._kube._retry import is_transient
from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._bundle import Bundle, InvalidBundle
from ._agent_configuration import AgentConfiguration, ComponentConfiguration
from ._background import PATIENCE
from ._counters import Counters
from ._interfaces import Clock, SyncResult, Task
from ._log import log
from ._state._active_config import in_trial
from ._state._desired_state import DesiredState
from ._state._node_state import NodeInputs, NodeState
from ._state._records import LOCAL_CONFIG, AnsweredAssignment, AssignmentFailure, ConfigRecord, same_config
from ._store._durable_files import LOCK_WAIT, LockTimeout, locked
from ._store._rendered_files import UndecodableConfig, keep_rendered, render_config, same_config_files
from ._store._state_reader import read_node_state
from ._store._store import Store, digest
from ._transaction import Transactions
from ._validation._node_inputs import read_node_inputs
from ._validation._validator import (
    DocumentValidator,
    SameConfig,
    ValidationUnavailable,
    first_error_text,
    recorded,
    refusing_findings,
    validate_bundle_document,
)

__all__ = [
    "ComponentCheck",
    "ConfigMapReader",
    "BundleUnavailable",
    "BundlePreparer",
    "PreparedBundle",
    "ConfigSync",
    "BundleRejected",
]

# Says "adopting" before anything is touched. Given the record that is about to be used, and the local view.
Acknowledge = Callable[[ConfigRecord, NodeState], None]


class ConfigSync:
    """Follows one wish after the other. Every method may raise OSError and Locked; then the next round tries again."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        transactions: Transactions,
        preparation: BundlePreparer,
        clock: Clock,
        backoff: Backoff,
        tally: Counters,
        errand: Task,
    ) -> None:
        """errand: in which a bundle is prepared, which takes requests and children that may hang."""
        self._configuration = configuration
        self._store = store
        self._transactions = transactions
        self._preparation = preparation
        self._clock = clock
        self._backoff = backoff
        self._tally = tally
        self._errand = errand
        self._pursued: object = None
        self._held = False  # a fetch waits for its time, as a Retry-After wants it
        self.fetch_error = ""

    @property
    def due(self) -> float:
        """When to fetch again, in seconds since boot; never, where nothing is waited for, or that wakes the daemon."""
        waits = self._held or self.fetch_error
        return self._backoff.until if waits and not self._errand.under_way else float("inf")

    def hurry(self, within: float) -> None:
        """The API answers again: fetch what could not be fetched within so many seconds."""
        self._backoff.hurry(self._clock.since_boot(), within)

    def follow(
        self, wish: DesiredState, local: NodeState, acknowledge: Acknowledge, *, known: bool = True
    ) -> SyncResult:
        """Do what is asked, as far as it can be done now. known: whether the components' versions are, for judging."""
        self._held = False
        if (wish.source, wish.answered.id) != self._pursued:
            self._pursued = (wish.source, wish.answered.id)
            self._backoff.reset()
            self._errand.drop()
            self.fetch_error = ""
        if wish.kind == "adopt":
            return self._adopt(wish, local, acknowledge, known=known)
        self._errand.drop()
        self.fetch_error = ""
        if wish.kind == "unassign":
            acknowledge(LOCAL_CONFIG, local)
            with locked(self._store.lock, wait=LOCK_WAIT):
                self._transactions.unassign(self._read(), wish.answered)
            return SyncResult("unassigned", "the local config")
        if wish.kind == "keep":
            self._keep(wish, local)
        elif wish.answered != local.snapshot.answered and (
            wish.kind == "lost" or (wish.kind in ("local", "invalid") and wish.answered.id)
        ):
            self._answer(wish.answered)
        return SyncResult()

    def _keep(self, wish: DesiredState, local: NodeState) -> None:
        """What is assigned is what is used; a new assignment of it is answered, and restarts no trial."""
        if wish.forget_bad and wish.new and wish.source is not None and wish.source.uid in local.bad:
            with locked(self._store.lock, wait=LOCK_WAIT):
                self._transactions.forget(wish.source.uid)
        if wish.answered == local.snapshot.answered and not local.choice.left:
            return
        with locked(self._store.lock, wait=LOCK_WAIT):
            record = self._read().current
            self._store.write_current(record._replace(assignment=wish.answered.id, node_uid=wish.answered.node_uid))
            self._transactions.answer(wish.answered)

    def _adopt(self, wish: DesiredState, local: NodeState, acknowledge: Acknowledge, *, known: bool) -> SyncResult:
        source = wish.source
        if source is None:
            return SyncResult()
        mark = local.bad.get(source.uid)
        if mark is not None and wish.new and wish.forget_bad:
            with locked(self._store.lock, wait=LOCK_WAIT):
                self._transactions.forget(source.uid)
            mark = None
        if mark is not None:
            reason = mark.reason
            return self._refuse(wish.answered, AssignmentFailure("KnownBad", source.uid, reason, time=mark.time))
        if wish.answered != local.snapshot.answered:
            self._answer(wish.answered)  # on disk before it is said
        if not self._errand.under_way and not self._backoff.due(self._clock.since_boot()):
            self._held = True
            return SyncResult("waiting", self.fetch_error)
        if not known and not self._errand.under_way:
            return SyncResult("waiting", self.fetch_error)  # the daemon is woken when they are
        try:
            prepared = self._prepared(source)
        except BundleUnavailable as error:
            self._backoff.failed(self._clock.since_boot(), error.retry_after, transient=error.transient)
            self.fetch_error = str(error)
            self._tally.errors["fetch"] += 1
            log.warning("the config cannot be had: %s", error, extra={"uid": source.uid})
            return SyncResult("waiting", self.fetch_error)
        except BundleRejected as error:
            self.fetch_error = ""
            for finding in error.findings:
                said = f"finding: {finding.get('path')}: {finding.get('message')}"
                log.warning("%s", said, extra={"uid": source.uid, "level_of_finding": finding.get("level")})
            return self._refuse(
                wish.answered, AssignmentFailure("InvalidConfig", source.uid, str(error), time=self._clock.now())
            )
        if prepared is None:
            return SyncResult("waiting", self.fetch_error)
        self.fetch_error = ""
        return self._use(prepared, wish.answered, local, acknowledge)

    def _prepared(self, source: ConfigSource) -> PreparedBundle | None:
        """Return the bundle, ready to be adopted; None while that is under way. Raises what preparing it raises."""
        patience = 0.0
        if not self._errand.under_way:
            self._errand.start(partial(self._preparation.prepare, source))
            patience = PATIENCE
        if not self._errand.wait(patience):
            return None
        try:
            prepared: PreparedBundle = self._errand.take()
        except (OSError, LockTimeout) as error:
            # Soon again: it costs one request, and a disk is often full for a moment only.
            raise BundleUnavailable(f"this node's own files: {error}", transient=True) from error
        return prepared

    def _use(
        self, prepared: PreparedBundle, answered: AnsweredAssignment, local: NodeState, acknowledge: Acknowledge
    ) -> SyncResult:
        record = prepared.record(assignment=answered.id, node_uid=answered.node_uid, clock=self._clock)
        current, good = local.snapshot.current, local.snapshot.last_known_good
        if current is not None and current.source is not None and same_config(record, current):
            # The same content under another uid (deleted and restored): pinned anew, nothing begins again.
            pinned = current._replace(source=record.source, assignment=record.assignment, node_uid=record.node_uid)
            with locked(self._store.lock, wait=LOCK_WAIT):
                self._store.write_current(pinned)
                if not in_trial(current, good):
                    self._store.write_last_known_good(pinned)
            return SyncResult("pinned", _name(prepared.bundle.source))
        acknowledge(record, local)
        with locked(self._store.lock, wait=LOCK_WAIT):
            record = record._replace(since_boot=self._clock.since_boot())
            self._transactions.adopt(self._read(), record)
            self._transactions.tidy(self._read())
        return SyncResult("adopted", _name(prepared.bundle.source))

    def _refuse(self, answered: AnsweredAssignment, outcome: AssignmentFailure) -> SyncResult:
        self._answer(answered.failed(outcome))
        return SyncResult("refused", f"(UID: {outcome.uid}): {outcome.text}")

    def _answer(self, answered: AnsweredAssignment) -> None:
        with locked(self._store.lock, wait=LOCK_WAIT):
            self._transactions.answer(answered)

    def _read(self) -> NodeState:
        return read_node_state(self._configuration, self._store, self._clock)


def _name(source: ConfigSource) -> str:
    return f"{source.name} (UID: {source.uid})"


class ConfigMapReader(Protocol):
    """The one request that is needed here."""

    def get(self, path: str, **query: Any) -> dict[str, Any]: ...


class ComponentCheck(Protocol):
    """The component's own check of a file: returns findings as the judge does. Raises JudgeFailed."""

    def __call__(self, component: ComponentConfiguration, path: str) -> Sequence[Mapping[str, Any]]: ...


class BundleUnavailable(Exception):
    """The bundle, or a verdict on it, cannot be had (yet). The text is the cause; retry_after in seconds, or None.

    transient: nobody has refused it, it may be had soon.
    """

    def __init__(self, cause: str, retry_after: float | None = None, *, transient: bool = False) -> None:
        super().__init__(cause)
        self.retry_after = retry_after
        self.transient = transient


class BundleRejected(Exception):
    """The config does not validate. The text is the first error; findings has all of them."""

    def __init__(self, first: str, findings: list[dict[str, Any]]) -> None:
        super().__init__(first)
        self.findings = findings


class PreparedBundle(NamedTuple):
    """A bundle that is ready to be adopted. ignored: its keys for components that this node does not run."""

    bundle: Bundle
    files: Mapping[str, str]  # component -> SHA-256 of the kept file
    ignored: tuple[str, ...]

    def record(self, *, assignment: int, node_uid: str, clock: Clock) -> ConfigRecord:
        """Return the record of adopting it now."""
        return ConfigRecord(
            source=self.bundle.source,
            content_hash=self.bundle.content_hash,
            assignment=assignment,
            node_uid=node_uid,
            adopted_at=clock.now(),
            boot_id=clock.boot_id(),
            since_boot=clock.since_boot(),
            trial=self.bundle.trial,
            files=self.files,
        )


class BundlePreparer:
    """Prepares bundles for this node."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        client: ConfigMapReader,
        judge: DocumentValidator,
        *,
        engine: str,
        version_of: Callable[[str], str],
        check: ComponentCheck,
        is_same: SameConfig,
    ) -> None:
        """engine: names the judge, for recorded verdicts. version_of: component -> version to judge for, "" if none.

        check: asked of components that have a check of their own. is_same: whether two files ask for no restart.
        """
        self._configuration = configuration
        self._store = store
        self._client = client
        self._judge = judge
        self._engine = engine
        self._version_of = version_of
        self._check = check
        self._is_same = is_same

    def prepare(self, source: ConfigSource) -> PreparedBundle:
        """Return the bundle, ready to be adopted. Raises NotFetched, Refused, OSError."""
        bundle = self._bundle(source)
        files = {}
        for name in sorted(bundle.documents):
            if name in self._configuration.components:
                files[name] = self._file(self._configuration.components[name], bundle.documents[name])
        return PreparedBundle(bundle, files, tuple(sorted(set(bundle.documents) - set(files))))

    def _bundle(self, source: ConfigSource) -> Bundle:
        with locked(self._store.lock, wait=LOCK_WAIT):
            bundle = self._store.read_checkpoint(source)
        if bundle is not None:
            return bundle
        try:
            found = self._client.get(config_map(source.namespace, source.name))
        except KubeError as error:
            transient = is_transient(error, idempotent=True)
            raise BundleUnavailable(str(error), error.retry_after, transient=transient) from error
        found = {"apiVersion": "v1", "kind": "ConfigMap", **found}
        (found.get("metadata") or {}).pop("managedFields", None)
        try:
            bundle = Bundle.from_config_map(found, source)
        except InvalidBundle as error:
            raise BundleUnavailable(str(error)) from error
        with locked(self._store.lock, wait=LOCK_WAIT):
            self._store.write_checkpoint(source, found)
        return bundle

    def _file(self, component: ComponentConfiguration, document: str) -> str:
        """Judge one component's document and keep what the component would read; return its hash."""
        name = component.name
        try:
            inputs = read_node_inputs(component, self._store)
        except OSError as error:
            raise BundleUnavailable(f"what this node lays over it cannot be read: {error}") from error
        host = self._judged(component, document, inputs)
        try:
            data = render_config(document, inputs.instance)
        except UndecodableConfig as error:
            raise BundleRejected(f"{name}: {error}", []) from error
        with locked(self._store.lock, wait=LOCK_WAIT):
            kept = keep_rendered(name, self._store, data)
            present = self._store.read_config(name)
            there = digest(present) if present is not None else ""
            if present is not None and there != kept:
                keep_rendered(name, self._store, present)
        if there and there != kept and self._means_the_same(name, there, kept, inputs):
            return there  # the bytes stay, so that nothing is switched
        if refusing_findings(host) and there != kept:
            raise BundleRejected(first_error_text(name, host), host)
        self._checked(component, kept)
        return kept

    def _means_the_same(self, name: str, there: str, kept: str, inputs: NodeInputs) -> bool:
        """Return whether the component makes the same of two kept files, by their hashes, with what it reads beside."""
        if same_config_files(name, self._store, there, kept):
            return True
        before, after = (self._store.rendered_path(name, file) for file in (there, kept))
        return self._is_same(before, after, self._version_of(name), inputs)

    def _judged(self, component: ComponentConfiguration, document: str, inputs: NodeInputs) -> list[dict[str, Any]]:
        """Return what was found on the host, which matters only where the component is about to be touched."""
        name = component.name
        try:
            found, host = validate_bundle_document(
                self._store,
                self._judge,
                name,
                document.encode(),
                version=self._version_of(name),
                tracked=self._store.component_version(name, component.version),
                engine=self._engine,
                beside=component.deny,
                inputs=inputs,
                host=component.host_checks,
            )
        except ValidationUnavailable as error:
            raise BundleUnavailable(str(error)) from error
        if refusing_findings(found):
            raise BundleRejected(first_error_text(name, found), found)
        return host

    def _checked(self, component: ComponentConfiguration, kept: str) -> None:
        if not component.check_command:
            return
        name = component.name
        tracked = self._store.component_version(name, component.version)
        key = f"{kept}:own check:{digest(repr(component.check_command).encode())[:16]}"
        path = self._store.rendered_path(name, kept)
        try:
            found = recorded(self._store, name, key, lambda: self._check(component, path), tracked=tracked)
        except ValidationUnavailable as error:
            raise BundleUnavailable(str(error)) from error
        if refusing_findings(found):
            raise BundleRejected(first_error_text(name, found), found)
