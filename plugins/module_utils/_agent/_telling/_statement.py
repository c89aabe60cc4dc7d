# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts together the structured status that goes with a verdict. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping

from ..._nodeconfig._assignment import ConfigSource
from ..._nodeconfig._config_ok import Verdict
from ..._nodeconfig._config_status import ComponentStatus, ConfigStatus
from .._basis._configuration import AgentConfiguration
from .._deciding._decision import in_trial
from .._deciding._local import Local
from .._judging._drift import Drift
from .._judging._local_config import LocalConfigHash
from .._judging._shadowed import shadowed
from .._storage._records import Record
from .._storage._store import Store, digest

__all__ = ["Statement", "essence"]


class Statement:
    """Knows this node's side of the status. Reads the store, and the files that init configs came from."""

    def __init__(self, configuration: AgentConfiguration, store: Store, *, agent_version: str) -> None:
        self._configuration = configuration
        self._store = store
        self._agent_version = agent_version
        self._ignored: tuple[str | None, tuple[str, ...]] = (None, ())
        self._local_config = LocalConfigHash(configuration)
        self.drift = Drift(configuration)
        self.init_provided = any(component.init_config for component in configuration.components.values())

    def status(
        self,
        verdict: Verdict,
        local: Local,
        *,
        assignment: int,
        assigned: ConfigSource | None,
        active: Record,
        states: Mapping[str, str],
    ) -> ConfigStatus:
        """Return the status. assignment: the id that this answers. active: the record in use, or about to be."""
        good = local.snapshot.last_known_good
        return ConfigStatus(
            assignment=assignment,
            assigned=assigned,
            active=active.source,
            last_known_good=None if good is None else good.source,
            error="" if verdict.status == "True" else verdict.cut().reason,
            cause=verdict.cause,
            in_trial=in_trial(active, good),
            components={name: self._component(name, active, local, states) for name in self._configuration.components},
            ignored=self._ignored_keys(active),
            agent_version=self._agent_version,
            local_config=self._local_config.get(),
        )

    def _component(self, name: str, active: Record, local: Local, states: Mapping[str, str]) -> ComponentStatus:
        version = local.versions.get(name, "")
        config = active.files.get(name) or digest(self._store.read_config(name) or b"")
        drifted = self.drift.of(name)
        return ComponentStatus(
            version="" if version == "unknown" else version,
            config=config[:10],
            state=states.get(name, "unknown"),
            note=f"{drifted} has changed since it became the init config" if drifted else "",
            shadowed=shadowed(self._store, name, config),
        )

    def _ignored_keys(self, active: Record) -> tuple[str, ...]:
        """Return the keys of the bundle in use for components that this node does not run."""
        if active.source is None:
            return ()
        if self._ignored[0] != active.uid:
            bundle = self._store.read_checkpoint(active.source)
            keys = () if bundle is None else tuple(sorted(set(bundle.documents) - set(self._configuration.components)))
            self._ignored = (active.uid, keys)
        return self._ignored[1]

    def label(self, active: Record) -> str:
        """Return what ``kubectl get nodes -L configok.dev/config`` shows."""
        if active.source is not None:
            return active.source.name[:63].rstrip("-.")
        return "init" if self.init_provided else "default"


def essence(status: ConfigStatus) -> ConfigStatus:
    """Return what makes a transition: all but how each component is just now, which travels along unless it fails."""
    return status._replace(
        components={
            name: component if component.state == "failing" else component._replace(state="")
            for name, component in status.components.items()
        },
    )
