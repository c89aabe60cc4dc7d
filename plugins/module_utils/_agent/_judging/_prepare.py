# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is done before a component is touched: fetch, verify, checkpoint, render, judge.

Private to configok.node. What is wrong is found here, and costs no restart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..._kube._api_errors import KubeError
from ..._kube._api_paths import config_map
from ..._kube._retry import is_transient
from ..._nodeconfig._assignment import ConfigSource
from ..._nodeconfig._bundle import Bundle, InvalidBundle
from .._basis._configuration import AgentConfiguration, ComponentConfiguration
from .._basis._ports import Clock
from .._storage._lock import locked
from .._storage._records import Record
from .._storage._store import Store, digest
from ._local_values import Inputs, read_inputs
from ._render import NotRendered, render
from ._rendered import keep, same_config_files
from ._same_config import SameConfig
from ._verdicts import Judge, JudgeFailed, errors_of, first_error, judged_here, recorded

__all__ = ["STORE_WAIT", "Check", "Getter", "NotFetched", "Prepared", "Preparation", "Refused"]

STORE_WAIT = 5.0  # seconds that the daemon waits for the store; those who hold it are brief


class Getter(Protocol):
    """The one request that is needed here."""

    def get(self, path: str, **query: Any) -> dict[str, Any]: ...


class Check(Protocol):
    """The component's own check of a file: returns findings as the judge does. Raises JudgeFailed."""

    def __call__(self, component: ComponentConfiguration, path: str) -> Sequence[Mapping[str, Any]]: ...


class NotFetched(Exception):
    """The bundle, or a verdict on it, cannot be had (yet). The text is the cause; retry_after in seconds, or None.

    transient: nobody has refused it, it may be had soon.
    """

    def __init__(self, cause: str, retry_after: float | None = None, *, transient: bool = False) -> None:
        super().__init__(cause)
        self.retry_after = retry_after
        self.transient = transient


class Refused(Exception):
    """The config does not validate. The text is the first error; findings has all of them."""

    def __init__(self, first: str, findings: list[dict[str, Any]]) -> None:
        super().__init__(first)
        self.findings = findings


class Prepared(NamedTuple):
    """A bundle that is ready to be adopted. ignored: its keys for components that this node does not run."""

    bundle: Bundle
    files: Mapping[str, str]  # component -> SHA-256 of the kept file
    ignored: tuple[str, ...]

    def record(self, *, assignment: int, node_uid: str, clock: Clock) -> Record:
        """Return the record of adopting it now."""
        return Record(
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


class Preparation:
    """Prepares bundles for this node."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        client: Getter,
        judge: Judge,
        *,
        engine: str,
        version_of: Callable[[str], str],
        check: Check,
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

    def prepare(self, source: ConfigSource) -> Prepared:
        """Return the bundle, ready to be adopted. Raises NotFetched, Refused, OSError."""
        bundle = self._bundle(source)
        files = {}
        for name in sorted(bundle.documents):
            if name in self._configuration.components:
                files[name] = self._file(self._configuration.components[name], bundle.documents[name])
        return Prepared(bundle, files, tuple(sorted(set(bundle.documents) - set(files))))

    def _bundle(self, source: ConfigSource) -> Bundle:
        with locked(self._store.lock, wait=STORE_WAIT):
            bundle = self._store.read_checkpoint(source)
        if bundle is not None:
            return bundle
        try:
            found = self._client.get(config_map(source.namespace, source.name))
        except KubeError as error:
            transient = is_transient(error, idempotent=True)
            raise NotFetched(str(error), error.retry_after, transient=transient) from error
        found = {"apiVersion": "v1", "kind": "ConfigMap", **found}
        (found.get("metadata") or {}).pop("managedFields", None)
        try:
            bundle = Bundle.from_config_map(found, source)
        except InvalidBundle as error:
            raise NotFetched(str(error)) from error
        with locked(self._store.lock, wait=STORE_WAIT):
            self._store.write_checkpoint(source, found)
        return bundle

    def _file(self, component: ComponentConfiguration, document: str) -> str:
        """Judge one component's document and keep what the component would read; return its hash."""
        name = component.name
        try:
            inputs = read_inputs(component, self._store)
        except OSError as error:
            raise NotFetched(f"what this node lays over it cannot be read: {error}") from error
        host = self._judged(component, document, inputs)
        try:
            data = render(document, inputs.instance)
        except NotRendered as error:
            raise Refused(f"{name}: {error}", []) from error
        with locked(self._store.lock, wait=STORE_WAIT):
            kept = keep(name, self._store, data)
            present = self._store.read_config(name)
            there = digest(present) if present is not None else ""
            if present is not None and there != kept:
                keep(name, self._store, present)
        if there and there != kept and self._means_the_same(name, there, kept, inputs):
            return there  # the bytes stay, so that nothing is switched
        if errors_of(host) and there != kept:
            raise Refused(first_error(name, host), host)
        self._checked(component, kept)
        return kept

    def _means_the_same(self, name: str, there: str, kept: str, inputs: Inputs) -> bool:
        """Return whether the component makes the same of two kept files, by their hashes, with what it reads beside."""
        if same_config_files(name, self._store, there, kept):
            return True
        before, after = (self._store.rendered_path(name, file) for file in (there, kept))
        return self._is_same(before, after, self._version_of(name), inputs)

    def _judged(self, component: ComponentConfiguration, document: str, inputs: Inputs) -> list[dict[str, Any]]:
        """Return what was found on the host, which matters only where the component is about to be touched."""
        name = component.name
        try:
            found, host = judged_here(
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
        except JudgeFailed as error:
            raise NotFetched(str(error)) from error
        if errors_of(found):
            raise Refused(first_error(name, found), found)
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
        except JudgeFailed as error:
            raise NotFetched(str(error)) from error
        if errors_of(found):
            raise Refused(first_error(name, found), found)
