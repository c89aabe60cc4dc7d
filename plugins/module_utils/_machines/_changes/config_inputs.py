# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configs that machines use and are to use, as data that a caller has read. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from ..._componentconfig._codec.document import decode
from ..._componentconfig._codec.plain_values import merge
from ..._componentconfig.findings import InvalidConfig
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.bundle_trial import Trial
from ..._nodeconfig.local_config import LocalConfig
from .._objects.types import BundleReference, Machine
from .types import ObservedMachine

KUBELET: Final = "kubelet"
INIT_CONFIG: Final = "the init config"


class UnknownSource(Exception):
    """A config source that a Machine declares and that cannot be resolved; the text says why, without the Machine."""


@dataclass(frozen=True)
class ConfigInputs:
    """What the API server and the hosts say of the configs of all machines of a run.

    pools: by pool, the bundle that the pool is on. references: the published bundles that Machines refer to. bundles:
    the documents of the bundles in use and to be used, by component. trials: of these bundles. local_configs:
    published, by the hash that nodes report. init_configs: by machine, the KubeletConfiguration that a new machine
    begins with. allows_not_judged: whether a kubelet may be of a release whose data are not whole.
    """

    pools: Mapping[str, ConfigSource] = field(default_factory=dict)
    references: Mapping[BundleReference, ConfigSource] = field(default_factory=dict)
    bundles: Mapping[ConfigSource, Mapping[str, str]] = field(default_factory=dict)
    trials: Mapping[ConfigSource, Trial] = field(default_factory=dict)
    local_configs: Mapping[str, LocalConfig] = field(default_factory=dict)
    init_configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    allows_not_judged: bool = False

    def source_of(self, machine: Machine) -> ConfigSource | None:
        """Return the config source that a Machine declares, None for the init config. Raises UnknownSource."""
        if machine.pool:
            source = self.pools.get(machine.pool)
            if source is None:
                raise UnknownSource(
                    f"spec.pool: pool {machine.pool} has no complete rollout of a bundle yet: roll it out first, with"
                    " configok.node.rollout"
                )
            return source
        if machine.config_source is None:
            return None
        reference = machine.config_source
        source = self.references.get(reference)
        if source is None:
            raise UnknownSource(
                f"spec.configSource: the bundle {reference.namespace}/{reference.name}"
                f"{f' with uid {reference.uid}' if reference.uid else ''} does not exist: publish it, or name one"
                " that is published"
            )
        return source


def source_name(source: ConfigSource | None) -> str:
    """Return a config source as human-readable text."""
    return INIT_CONFIG if source is None else source.name


def effective_config(
    inputs: ConfigInputs, machine: str, observed: ObservedMachine | None, source: ConfigSource | None, component: str
) -> dict[str, Any] | None:
    """Return the config that a component of a machine reads with a config source, None if it is not known.

    It is the bundle's document under the instance config, or the init config. Secrets and values that only one node
    can have are not among the values of a node's own config.
    """
    local = inputs.local_configs.get(observed.config.local) if observed is not None else None
    own = local.components.get(component) if local is not None else None
    if source is not None:
        documents = inputs.bundles.get(source)
        if documents is None:
            return None
        if component in documents:
            data = _decoded(documents[component])
            if data is None:
                return None
            return merge([data, own.instance]) if own is not None else dict(data)
    if own is not None:
        return dict(own.init)
    if component == KUBELET and observed is None and machine in inputs.init_configs:
        return dict(inputs.init_configs[machine])
    return None


@lru_cache(maxsize=256)
def _decoded(text: str) -> dict[str, Any] | None:
    """Return a document as data, None if it cannot be read: thousands of machines share a few bundles."""
    try:
        data = decode(text).data
    except InvalidConfig:
        return None
    return data if isinstance(data, dict) else None
