# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The local config of a node as it may be published: init config, instance config, deny and trust policy.

Provisioning publishes it once, in an immutable ConfigMap that is named by its content, and
the agent reports the hash. It holds no secret, and no value that only one node can have, so nodes that were set up
alike share one ConfigMap.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._componentconfig._scalars.secrets import redact
from .._componentconfig.instance_fields import INSTANCE_FIELDS
from .._foreign import InvalidText, load_json
from .denied_fields import DenyPolicy
from .well_known import LABEL_LOCAL_CONFIG, NAMESPACE_ROLLOUTS

_KEY = "local-config.json"
_SCHEME = "1"
_MAX_BYTES = 512 * 1024
_HASH = re.compile(r"[0-9a-f]{20}\Z")
_PRIVATE_FIELDS = frozenset(name for names in INSTANCE_FIELDS.values() for name in names)


class InvalidLocalConfig(InvalidText):
    """A text or an object that is not a local config."""


class LocalComponent(NamedTuple):
    """A node's own configs for one component. init: empty if the node has no init config."""

    init: Mapping[str, Any]
    instance: Mapping[str, Any]
    deny: DenyPolicy = DenyPolicy()


class LocalConfig(NamedTuple):
    """A node's own configs, by component, and its trust policy.

    trust: the section ``trust`` of an AgentConfiguration, which holds only public keys; empty while it is off.
    """

    components: Mapping[str, LocalComponent]
    trust: Mapping[str, Any] = {}


def encode_local_config(local: LocalConfig) -> str:
    """Return the text to publish, the same for the same values. Raises InvalidLocalConfig if it is too large."""
    components = {
        name: {
            "init": publishable_values(component.init),
            "instance": publishable_values(component.instance),
            "deny": {key: list(value) for key, value in component.deny._asdict().items() if value is not None},
        }
        for name, component in local.components.items()
    }
    value = {"components": components, "trust": local.trust} if local.trust else {"components": components}
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    if len(text) > _MAX_BYTES:
        raise InvalidLocalConfig(f"the node's own configs are larger than {_MAX_BYTES} bytes")
    return text


def parse_local_config(text: str) -> LocalConfig:
    """Read an encoded local config; fields that a newer agent adds are ignored. Raises InvalidLocalConfig."""
    try:
        value = load_json(text)
        components = {
            str(name): LocalComponent(dict(part["init"]), dict(part["instance"]), _deny(part["deny"]))
            for name, part in value["components"].items()
        }
        return LocalConfig(components, dict(value.get("trust", {})))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidLocalConfig("the text is not what configok-agent local-config prints") from error


def _deny(value: Mapping[str, Any]) -> DenyPolicy:
    return DenyPolicy(**{name: tuple(map(str, value[name])) for name in DenyPolicy._fields if name in value})


def local_hash(text: str) -> str:
    """Return the hash of an encoded local config, as the agent reports it."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def config_map_name(claimed: str) -> str | None:
    """Return the name of the ConfigMap for a hash that a node reports, or None if it is not a hash."""
    return f"local-config-{claimed}" if _HASH.match(claimed) else None


def build_local_config_map(local: LocalConfig) -> dict[str, Any]:
    """Return the ConfigMap to publish. Raises InvalidLocalConfig."""
    text = encode_local_config(local)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "namespace": NAMESPACE_ROLLOUTS,
            "name": config_map_name(local_hash(text)),
            "labels": {LABEL_LOCAL_CONFIG: _SCHEME},
        },
        "immutable": True,
        "data": {_KEY: text},
    }


def read_local_config_map(config_map: Mapping[str, Any]) -> LocalConfig:
    """Read a published local config. Raises InvalidLocalConfig if the name does not fit the content."""
    text = (config_map.get("data") or {}).get(_KEY)
    if not isinstance(text, str) or config_map["metadata"].get("name") != config_map_name(local_hash(text)):
        raise InvalidLocalConfig("the ConfigMap does not hold what its name says")
    return parse_local_config(text)


def publishable_values(values: Any) -> dict[str, Any]:
    """Return a decoded config without secrets and without values that only one node can have."""
    if not isinstance(values, Mapping):
        return {}
    return dict(redact({key: value for key, value in values.items() if key not in _PRIVATE_FIELDS}))
