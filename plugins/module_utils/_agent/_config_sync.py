# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Download, verify, checkpoint, validate and render the assigned bundle in the background."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from .._kube.api_errors import KubeError
from .._kube.api_paths import config_map
from .._kube.retry import Backoff, is_transient
from .._nodeconfig.assignment import ConfigSource
from .._nodeconfig.bundle import Bundle, InvalidBundle
from ._agent_configuration import ComponentConfiguration, InvalidConfiguration
from ._agent_context import AgentContext
from ._bundle_verifier import BundleUntrusted, BundleVerifier, record_trust
from ._log import log
from ._manifest_note import read_manifest_note
from ._state.actions import SyncPhase, SyncResult
from ._state.desired_state import DesiredKind, DesiredState
from ._state.node_state import NodeInputs, NodeState
from ._state.records import ConfigRecord, RecordTrust
from ._store._durable_files import LOCK_WAIT, LockTimeout, locked
from ._store._rendered_files import UndecodableConfig, keep_rendered, render_config, same_values
from ._store._store import digest
from ._validation._node_inputs import read_node_inputs
from ._validation._validator import (
    BundleFindings,
    ValidationUnavailable,
    first_error_text,
    not_judged_causes,
    recorded_findings,
    refusing_findings,
    validate_bundle_document,
)

_ANSWERED = (SyncPhase.PREPARED, SyncPhase.REJECTED, SyncPhase.UNTRUSTED)


class ConfigSync:
    """Prepares the assigned bundle. A state machine; its phases are those of SyncPhase."""

    def __init__(self, context: AgentContext) -> None:
        self._preparer = BundlePreparer(context)
        self._clock = context.clock
        self._counters = context.counters
        self._task = context.new_task()
        self._backoff = Backoff(first=1.0, longest=300.0)
        self._target: tuple[ConfigSource, int] | None = None
        self._result = SyncResult()
        self._is_held = False  # the next attempt is not due yet: backoff, or the API's Retry-After

    @property
    def next_due(self) -> float:
        """Return when to fetch again, in seconds since boot; infinity if none waits or a task's end wakes the loop."""
        return self._backoff.until if self._is_held and not self._task.running else float("inf")

    def retry_soon(self, within: float) -> None:
        """Retry a failed fetch in up to `within` seconds: the API answers again."""
        self._backoff.hurry(self._clock.since_boot(), within)

    def reset(self) -> None:
        """Forget the result, which was adopted or refused."""
        self._result = SyncResult()

    def sync(self, desired: DesiredState | None, state: NodeState, versions: Mapping[str, str] | None) -> SyncResult:
        """Start to prepare the assigned bundle, or return the result.

        versions: component -> version to validate for; None while a component is being asked for its version.
        """
        self._is_held = False
        if desired is None:
            return self._result
        target = None
        if desired.kind == DesiredKind.ADOPT and desired.source is not None:
            target = (desired.source, desired.answered.id)
        if target != self._target:
            self._target, self._result = target, SyncResult()
            self._task.abandon()
            self._backoff.reset()
        if target is not None and self._result.phase not in _ANSWERED:
            self._result = self._advance(target[0], desired, state, versions)
        return self._result

    def _advance(
        self, source: ConfigSource, desired: DesiredState, state: NodeState, versions: Mapping[str, str] | None
    ) -> SyncResult:
        if self._task.running:
            return self._collect(source) if self._task.done else self._result
        # The answer is on disk before anything is fetched, and a bad config is not fetched at all.
        is_ready = desired.answered == state.records.answered and source.uid not in state.bad_configs
        waiting = self._result._replace(phase=SyncPhase.WAITING)
        if not is_ready:
            return waiting
        now = self._clock.since_boot()
        if not self._backoff.due(now):
            self._is_held = True
            return waiting
        if versions is None:
            return waiting
        self._result = self._result._replace(phase=SyncPhase.PREPARING, started_at=now)
        self._task.start(partial(self._preparer.prepare, source, versions))
        return self._collect(source) if self._task.done else self._result

    def _collect(self, source: ConfigSource) -> SyncResult:
        started_at = self._result.started_at
        try:
            record: ConfigRecord = self._task.result()
        except BundleRejected as error:
            return SyncResult(SyncPhase.REJECTED, rejection=str(error), findings=error.findings)
        except BundleUntrusted as error:
            return SyncResult(SyncPhase.UNTRUSTED, rejection=str(error))
        except BundleUnavailable as error:
            return self._failed(source, error)
        except (OSError, LockTimeout) as error:
            # Soon again: it costs one request, and a disk is often full for a moment only.
            return self._failed(source, BundleUnavailable(f"this node's own files: {error}", transient=True))
        return SyncResult(SyncPhase.PREPARED, record, started_at=started_at)

    def _failed(self, source: ConfigSource, error: BundleUnavailable) -> SyncResult:
        self._backoff.failed(self._clock.since_boot(), error.retry_after, transient=error.transient)
        self._is_held = True
        self._counters.errors["fetch"] += 1
        log.warning("the config cannot be fetched: %s", error, extra={"uid": source.uid})
        return SyncResult(SyncPhase.WAITING, fetch_error=str(error))


class BundleUnavailable(Exception):
    """The bundle, or a verdict on it, is not available (yet). The text is the cause; retry_after in seconds, or None.

    transient: whether a retry may succeed soon; a refusal by the API is not transient.
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


class BundlePreparer:
    """Prepares bundles for this node: fetch, verify, checkpoint, validate, render."""

    def __init__(self, context: AgentContext) -> None:
        self._configuration = context.configuration
        self._store = context.store
        self._api = context.api
        self._commands = context.commands
        self._engine = context.agent_version  # names the validator, for recorded findings
        self._verifier = BundleVerifier(context)
        self._not_judged: dict[str, tuple[str, ...]] = {}  # component -> document, version and causes, as logged last

    def prepare(self, source: ConfigSource, versions: Mapping[str, str]) -> ConfigRecord:
        """Return the record of a bundle that is ready to be adopted, without the fields that the adoption fills in.

        versions: component -> version to validate for, "" if it is unknown. Raises BundleUnavailable, BundleUntrusted,
        BundleRejected, OSError, LockTimeout.
        """
        try:
            bundle, trust = self._obtain(source)
        except InvalidConfiguration as error:
            raise BundleUnavailable(f"this node's trust policy cannot be used: {error}") from error
        try:
            files = {
                name: self._prepare_component(component, bundle.documents[name], versions.get(name, ""))
                for name, component in sorted(self._configuration.components.items())
                if name in bundle.documents
            }
        except ValidationUnavailable as error:
            raise BundleUnavailable(str(error)) from error
        return ConfigRecord(
            source=source, content_hash=bundle.content_hash, trial=bundle.trial, files=files, trust=trust
        )

    def _obtain(self, source: ConfigSource) -> tuple[Bundle, RecordTrust | None]:
        """Return the bundle from its checkpoint or from the API, verified, and who vouches for it.

        A checkpoint that is not trusted is fetched again: it may have been signed since. Raises InvalidConfiguration.
        """
        with locked(self._store.lock, wait=LOCK_WAIT):
            checkpoint = self._store.read_checkpoint(source)
        verdict = None if checkpoint is None else self._verifier.verify(checkpoint)
        if checkpoint is not None and (verdict is None or verdict.trusted):
            return checkpoint, record_trust(checkpoint, verdict)
        try:
            bundle, config = self._fetch(source)
        except BundleUnavailable:
            if checkpoint is not None and verdict is not None and verdict.accepted:
                return checkpoint, record_trust(checkpoint, verdict)
            raise
        trust = record_trust(bundle, self._verifier.verify(bundle))
        with locked(self._store.lock, wait=LOCK_WAIT):
            self._store.write_checkpoint(source, config)
        return bundle, trust

    def _fetch(self, source: ConfigSource) -> tuple[Bundle, dict[str, Any]]:
        try:
            config = self._api.get(config_map(source.namespace, source.name))
        except KubeError as error:
            transient = is_transient(error, idempotent=True)
            raise BundleUnavailable(str(error), error.retry_after, transient=transient) from error
        config = {"apiVersion": "v1", "kind": "ConfigMap", **config}
        (config.get("metadata") or {}).pop("managedFields", None)
        try:
            return Bundle.from_config_map(config, source), config
        except InvalidBundle as error:
            raise BundleUnavailable(str(error)) from error

    def _prepare_component(self, component: ComponentConfiguration, document: str, version: str) -> str:
        """Validate one component's document and keep the file rendered from it; return the hash of that file.

        Raises BundleRejected, BundleUnavailable, ValidationUnavailable, OSError, LockTimeout.
        """
        name = component.name
        try:
            inputs = read_node_inputs(component, self._store)
        except OSError as error:
            raise BundleUnavailable(f"what this node lays over it cannot be read: {error}") from error
        with locked(self._store.lock, wait=LOCK_WAIT):
            compared = self._store.read_config(name)
        findings = self._validate(component, document, inputs, version, compared)
        try:
            data = render_config(document, inputs.instance)
        except UndecodableConfig as error:
            raise BundleRejected(f"{name}: {error}", []) from error
        with locked(self._store.lock, wait=LOCK_WAIT):
            kept = keep_rendered(name, self._store, data)
            present = self._store.read_config(name)
            present_hash = digest(present) if present is not None else ""
            if present is not None and present_hash != kept:
                keep_rendered(name, self._store, present)
        if present_hash and present_hash != kept:
            is_same = findings.is_same and present == compared
            if is_same or same_values(name, self._store, present_hash, kept):
                return present_hash  # the bytes stay, so that nothing is switched
        if refusing_findings(findings.host) and present_hash != kept:
            raise BundleRejected(first_error_text(name, findings.host), findings.host)
        self._run_own_check(component, kept, findings.node_files)
        return kept

    def _validate(
        self, component: ComponentConfiguration, document: str, inputs: NodeInputs, version: str, present: bytes | None
    ) -> BundleFindings:
        """Return the findings; those on the host matter only if the component is about to be restarted.

        Raises BundleRejected, ValidationUnavailable, OSError.
        """
        name = component.name
        findings = validate_bundle_document(
            self._store,
            self._commands.validate_document,
            name,
            document.encode(),
            version=version,
            tracking_version=self._store.tracking_version(name, component.version),
            engine_version=self._engine,
            deny_policy=component.deny,
            inputs=inputs,
            present=present,
        )
        if refusing_findings(findings.document):
            raise BundleRejected(first_error_text(name, findings.document), findings.document)
        self._log_not_judged(name, document, version, [*findings.document, *findings.host])
        return findings

    def _log_not_judged(self, name: str, document: str, version: str, findings: list[dict[str, Any]]) -> None:
        """Log what was not judged of a document; not again if it is prepared once more."""
        causes = not_judged_causes(findings)
        logged = (digest(document.encode()), version, *causes)
        if self._not_judged.get(name) != logged:
            for cause in causes:
                log.warning("not judged: %s", cause, extra={"component": name})
        self._not_judged[name] = logged

    def _run_own_check(self, component: ComponentConfiguration, kept: str, node_files: str) -> None:
        """Run the component's own check of a kept file. node_files: a hash of the files on this node that it names.

        Raises BundleRejected, ValidationUnavailable, OSError.
        """
        name = component.name
        if component.manifest:
            basis = read_manifest_note(self._store, name).init + node_files  # with its arguments and its image
        elif component.check_command:
            basis = repr(component.check_command)
        else:
            return
        tracked = self._store.tracking_version(name, component.version)
        key = f"{kept}:own check:{digest(basis.encode())[:16]}"
        path = self._store.rendered_path(name, kept)
        findings = recorded_findings(
            self._store,
            name,
            key,
            lambda: self._commands.check(component, path),
            tracking_version=tracked,
            keeps_none_alone=bool(component.manifest),  # its files may be repaired, and the program may run later
        )
        if refusing_findings(findings):
            raise BundleRejected(first_error_text(name, findings), findings)
        for cause in not_judged_causes(findings):
            log.warning("not judged: %s", cause, extra={"component": name})
