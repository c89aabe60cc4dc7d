# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rollout takes a pool to: a bundle, or the init config. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._nodeconfig._bundle import Bundle
from .._nodeconfig._config_source import ConfigSource
from .._nodeconfig._trial import Trial

__all__ = ["INIT", "Target"]

INIT = "init"


@dataclass(frozen=True)
class Target:
    """A bundle that is published (uid set), one that is not yet (uid ""), or the init config (name "init").

    trial: None for the init config, which becomes last-known-good at once.
    """

    name: str
    namespace: str = ""
    uid: str = ""
    content_hash: str = ""
    components: tuple[str, ...] = ()
    trial: Trial | None = None

    @classmethod
    def init(cls) -> Target:
        """Return the init config as a target: what every node was provisioned with."""
        return cls(INIT)

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> Target:
        """Return a published, verified bundle as a target."""
        source = bundle.source
        return cls(
            source.name,
            source.namespace,
            source.uid,
            bundle.content_hash,
            tuple(sorted(bundle.documents)),
            bundle.trial,
        )

    @classmethod
    def of_config_map(cls, config_map: Mapping[str, Any]) -> Target:
        """Return a bundle as _nodeconfig's build_bundle or the API gives it, published or (check mode) not yet.

        Raises InvalidBundle.
        """
        metadata = dict(config_map["metadata"])
        uid = metadata.get("uid", "")
        # A bundle without a uid is checked like one with: the nil uid only stands in for the check.
        metadata["uid"] = uid or "00000000-0000-0000-0000-000000000000"
        bundle = Bundle.from_config_map({**config_map, "metadata": metadata})
        found = cls.of_bundle(bundle)
        return cls(found.name, found.namespace, uid, found.content_hash, found.components, found.trial)

    @property
    def is_init(self) -> bool:
        """Return whether this is the init config."""
        return not self.namespace

    @property
    def is_published(self) -> bool:
        """Return whether nodes can be assigned it."""
        return self.is_init or bool(self.uid)

    @property
    def source(self) -> ConfigSource | None:
        """Return the config source to assign, None for the init config (and for what is not published: ask
        is_published).
        """
        return ConfigSource(self.namespace, self.name, self.uid) if self.uid else None

    def to_dict(self) -> dict[str, Any]:
        """Return the target as plain data."""
        return {
            "name": self.name,
            "namespace": self.namespace,
            "uid": self.uid,
            "content_hash": self.content_hash,
            "components": list(self.components),
            "trial": None if self.trial is None else self.trial.encode(),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Target:
        """Read what to_dict made. Raises KeyError, InvalidTrial."""
        return cls(
            str(value["name"]),
            str(value["namespace"]),
            str(value["uid"]),
            str(value["content_hash"]),
            tuple(str(one) for one in value["components"]),
            None if value["trial"] is None else Trial.parse(value["trial"]),
        )
