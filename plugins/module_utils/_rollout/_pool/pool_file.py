# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a pool file: the pool, its nodes and its config. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._componentconfig import ConfigError
from ..._componentconfig._schema.releases import parse_known_minor
from ..._nodeconfig.bundle import MAX_POOL_LENGTH
from ..._nodeconfig.bundle_trial import InvalidTrial, Trial
from ..._nodeconfig.strict_mapping import MessageForm, StrictFields, suggest_key, without_indexes
from .. import InvalidPool
from .._gates._gate_settings import gate_keys
from .._pool_values import is_list, mapping, not_a_mapping, text, texts
from ._control_plane import CONTROL_PLANE_TRIAL, control_plane_policy, has_static_pods, with_defaults
from ._signing_section import Signing, parse_signing
from .policy import Policy, policy_of

KUBELET = "kubelet"
"""The component that the layers of a pool configure, unless another one is named."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_POOL_NAME = f"it must be a DNS label (a-z, 0-9, -) of at most {MAX_POOL_LENGTH} characters"


@dataclass(frozen=True)
class Pool:
    """Nodes that share a config.

    selector: a label selector. layers, documents: the config, as files or as data. sets_trial: whether the file says
    anything of the trial; if not, the bundle leaves it to the agents, whose defaults trial has.
    """

    name: str
    selector: str
    policy: Policy = Policy()
    trial: Trial = Trial()
    sets_trial: bool = False
    layers: tuple[str, ...] = ()
    documents: Mapping[str, Any] = field(default_factory=dict)
    kubernetes_versions: tuple[str, ...] = ()
    disruption_overrides: Mapping[str, Any] = field(default_factory=dict)
    change_cause: str = ""
    signing: Signing = Signing()


def parse_pool(value: Any, *, component: str = KUBELET) -> Pool:
    """Read the data of a pool file. Raises InvalidPool with all errors at once.

    component: which the layers configure, if the pool has layers.
    """
    errors: list[str] = []
    pool = _pool(StrictFields(value, "", errors, FORM), component)
    if errors:
        raise InvalidPool(errors)
    return pool


def parse_policy(value: Any, *, trial: Trial | None = None) -> Policy:
    """Read a policy as a user writes it; None gives the defaults.

    trial: of the policy's bundle, which nodeTimeout must allow for. Raises InvalidPool with all errors at once.
    """
    errors: list[str] = []
    policy = policy_of(StrictFields(value, "policy", errors, FORM), trial or Trial())
    if errors:
        raise InvalidPool(errors)
    return policy


def pool_keys() -> dict[str, tuple[str, ...]]:
    """Return the keys of each mapping of a pool file, by its path: those that the parser takes; "" is the file."""
    one_of_each = {"maintenanceWindows": [{}], "gates": [{key: {}} for key in gate_keys()]}
    fields = StrictFields({"policy": one_of_each}, "", [], FORM)
    _pool(fields, KUBELET)
    return fields.keys()


def _pool(fields: StrictFields, component: str) -> Pool:
    errors = fields.errors
    name = fields.require("pool", pool_name, "", missing=f"is missing: {_POOL_NAME}")
    selector = fields.get("selector", text, "")
    if not selector and not errors:
        errors.append("selector: a label selector is needed: a pool never means all nodes by accident")
    layers = fields.get("layers", texts, ())
    documents = fields.get("documents", mapping, {})
    if layers and documents:
        errors.append("documents: give either layers or documents, not both")
    components = {component} if layers else set(documents)
    trial_settings, policy_settings = fields.take("trial"), fields.take("policy")
    if has_static_pods(components):
        trial_settings = with_defaults(trial_settings, CONTROL_PLANE_TRIAL)
        policy_settings = with_defaults(policy_settings, control_plane_policy(components))
    trial = _trial(fields.nested("trial", trial_settings))
    pool = Pool(
        name=name,
        selector=selector,
        layers=layers,
        documents=documents,
        trial=trial,
        sets_trial=_sets_anything(trial_settings),
        policy=policy_of(fields.nested("policy", policy_settings), trial, components=components),
        kubernetes_versions=fields.get("kubernetesVersions", _versions, ()),
        disruption_overrides=fields.get("disruptionOverrides", mapping, {}),
        change_cause=fields.get("changeCause", text, ""),
        signing=parse_signing(fields.section("signing")),
    )
    fields.reject_unknown()
    return pool


def _versions(value: Any) -> tuple[str, ...]:
    """Return the Kubernetes versions that the pool's configs are validated for. Raises ValueError."""
    if is_list(value) and any(isinstance(version, (int, float)) for version in value):
        raise ValueError("must be a list of versions in quotes: YAML reads 1.30 as the number 1.3")
    versions = texts(value)
    try:
        for version in versions:
            parse_known_minor(version)
    except ConfigError as error:
        raise ValueError(str(error)) from error
    return versions


def _sets_anything(value: Any) -> bool:
    return isinstance(value, Mapping) and any(part is not None for part in value.values())


def _trial(fields: StrictFields) -> Trial:
    duration, threshold = fields.take("trialDuration"), fields.take("crashLoopThreshold")
    fields.reject_unknown()
    try:
        return Trial.of(duration, threshold)
    except InvalidTrial as error:
        fields.errors.append(f"trial: {error}")
        return Trial()


def pool_name(value: Any) -> str:
    """Return the name of a pool, which names its record and its lock too. Raises ValueError."""
    if not isinstance(value, str) or not _LABEL.match(value) or len(value) > MAX_POOL_LENGTH:
        raise ValueError(f"{str(value)[:60]!r}: {_POOL_NAME}")
    return value


def _unknown(path: str, names: Sequence[str]) -> Iterable[tuple[str, str]]:
    for name in sorted(names):
        suggestion = suggest_key(name, without_indexes(path), pool_keys())
        yield name[:100], "unknown field" + (f": did you mean {suggestion}?" if suggestion else "")


FORM = MessageForm(
    file="the pool",
    error=lambda path, _value, sentence: f"{path}: {sentence}",  # a sentence shows the value itself, where it helps
    not_a_mapping=not_a_mapping,
    unknown=_unknown,
)
