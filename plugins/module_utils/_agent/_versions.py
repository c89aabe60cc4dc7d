# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which version of each component runs, and what it thinks of the init config. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ._basis._configuration import AgentConfiguration
from ._basis._ports import Journal
from ._deciding._local import Local
from ._judging._prepare import STORE_WAIT
from ._judging._rendered import next_init_bytes
from ._judging._verdicts import Judge, JudgeFailed, judged
from ._storage._lock import locked
from ._storage._store import Store
from ._storage._tracking import with_start

__all__ = ["Versions"]

_NOTE = "version"


class Versions:
    """Asks a component for its version when it was started anew, and writes it down for prestart."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        judge: Judge,
        journal: Journal,
        *,
        engine: str,
        version_of: Callable[[str], str] | None,
    ) -> None:
        self._configuration = configuration
        self._store = store
        self._judge = judge
        self._journal = journal
        self._engine = engine
        self._version_of = version_of
        self._asked: dict[str, tuple[str, str]] = {}  # component -> invocation, version

    def known(self, component: str) -> str:
        """Return the version to judge for, "" where it is not known."""
        configured = self._configuration.components[component].version
        return configured or self._asked.get(component, ("", ""))[1]

    def learn(self, invocations: Mapping[str, str], local: Local) -> None:
        """Ask each component that was started since it was last asked, and judge the init config for it.

        The init config is judged for the record, for prestart; a bad one is told, and changes nothing that runs.
        """
        for name, component in self._configuration.components.items():
            invocation = invocations.get(name, "")
            asked = self._asked.get(name)
            if asked is not None and asked[0] == invocation:
                continue
            version = component.version or (self._version_of(name) if self._version_of is not None else "")
            version = version or (asked[1] if asked is not None else "")
            if version and not component.version:
                with locked(self._store.lock, wait=STORE_WAIT):
                    self._note(name, version, local)
            if component.init_config and (asked is None or asked[1] != version):
                self._judge_init(name, version)
            self._asked[name] = (invocation, version)  # last: what could not be written is tried again

    def _note(self, name: str, version: str, local: Local) -> None:
        """Track the component under this version from now on, and with it the start that runs: its end is to come."""
        before = self._store.component_version(name, "")
        self._store.write_note(name, _NOTE, {"version": version})
        after, start = self._store.component_version(name, ""), local.last_start(name)
        if before != after and start is not None:
            startups = self._store.read_startups(name, after)
            self._store.write_startups(name, after, with_start(startups, start))

    def _judge_init(self, name: str, version: str) -> None:
        data = next_init_bytes(self._configuration.components[name])
        if data is None:
            self._journal("warning", "the init config cannot be read", component=name)
            return
        tracked = self._store.component_version(name, version)
        try:
            found = judged(
                self._store,
                self._judge,
                name,
                data,
                version=version,
                tracked=tracked,
                engine=self._engine,
            )
        except JudgeFailed as error:
            self._journal("warning", f"the init config: {error}", component=name)
            return
        for finding in found:
            said = f"the init config: {finding.get('message')}"
            self._journal("warning", said, component=name, path=finding.get("path"))
