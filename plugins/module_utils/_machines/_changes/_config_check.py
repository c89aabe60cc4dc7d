# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate the config of a machine for the kubelet version that it is to have. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..._componentconfig import ConfigError
from ..._componentconfig._schema.overlays import cached_by_overlays
from ..._componentconfig._schema.releases import (
    is_kubernetes_version,
    known_minors,
    minor_name,
    nearest_known_minor,
    newest_minor,
    parse_minor,
)
from ..._componentconfig.certainty import missing_layer_findings
from ..._componentconfig.check import check
from ..._componentconfig.compare import effective_diff
from ..._componentconfig.disruption import heaviest_class
from ..._componentconfig.findings import Finding, Level, not_judged_causes
from ..._componentconfig.load import load
from ..._componentconfig.upgrade import upgrade
from ..._nodeconfig.assignment import ConfigSource
from ..._text import and_more
from .._objects.types import PROVIDER_API_VERSION, Machine
from ._machine_annotation import provider_hash
from .config_inputs import INIT_CONFIG, KUBELET, ConfigInputs, effective_config
from .types import ObservedMachine

_SHOWN: Final = 5  # findings about one config
_UNKNOWN_CLASS: Final = "restart"  # of a change between configs of which one is not known
_OF_MACHINE: Final = "the init config of its Machine"
_EMPTY: Final = '{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}'


class ConfigCheck(NamedTuple):
    """What a config is at another kubelet version, as sentences without the machine."""

    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    adjusted: tuple[str, ...] = ()


def check_config(
    machine: Machine, observed: ObservedMachine | None, source: ConfigSource | None, inputs: ConfigInputs
) -> ConfigCheck:
    """Return what the kubelet that a Machine declares would refuse of the config that it is to use.

    Compares with the kubelet of its Node: what that one refuses too is not the fault of the version, and a warning.
    """
    before = observed.kubelet_version if observed is not None else ""
    after = machine.kubelet_version or before
    if not is_kubernetes_version(after):
        oldest = minor_name(known_minors()[0])
        return ConfigCheck((), (f"its config is not validated: kubelet {after} is older than {oldest}",))
    refusals, warnings = list[str](), list[str]()
    not_judged = _not_judged(after)
    if not_judged:
        is_new = _minor(before) != _minor(after) and not inputs.allows_not_judged
        advice = ": set machine_allow_not_judged to true to change it all the same" if is_new else ""
        (refusals if is_new else warnings).append(f"{not_judged}{advice}")
    bundle = inputs.bundles.get(source, {}) if source is not None else {}
    in_bundle = set[tuple[Any, ...]]()
    if KUBELET in bundle and source is not None:
        findings = _check_text(bundle[KUBELET], source.name, after, is_bundle=True)
        in_bundle = {_key(finding) for finding in findings}
        refusals += _sentences(findings, f"kubelet {after} would refuse the bundle {source.name}")
    elif source is not None and source not in inputs.bundles:
        refusals.append(
            f"the bundle {source.name} cannot be read, so it cannot be validated for kubelet {after}: publish it again,"
            " or let the run read the ConfigMaps of its namespace"
        )
    refusals += _refused_on_the_way(observed, source, after, inputs)
    init = effective_config(inputs, machine.name, observed, None, KUBELET)
    own = [(INIT_CONFIG, init)]
    if observed is not None and machine.name in inputs.init_configs:  # which its provider writes again
        own.append((_OF_MACHINE, dict(inputs.init_configs[machine.name])))
    if observed is not None and source is not None and observed.config.local in inputs.local_configs:
        merged = effective_config(inputs, machine.name, observed, source, KUBELET)
        own.append((f"the bundle {source.name} under the instance config", merged))
    for name, config in own:
        if not config:
            continue
        text = _canonical(config)
        new = [finding for finding in _check_text(text, name, after) if finding.level is Level.COMPONENT]
        written = observed.annotation.provider_hash if observed is not None else provider_hash(machine.provider)
        is_in_use = name != _OF_MACHINE or written == provider_hash(machine.provider)
        present = _check_text(text, name, before) if is_in_use and is_kubernetes_version(before) else ()
        known = {_key(finding) for finding in present}
        newly = [finding for finding in new if _key(finding) not in known and _key(finding) not in in_bundle]
        refusals += _sentences(newly, f"kubelet {after} would refuse {name}")
        as_before = [finding for finding in new if _key(finding) in known and _key(finding) not in in_bundle]
        warnings += _sentences(as_before, f"kubelet {after} would refuse {name}, as kubelet {before} does")
    if init is None and observed is not None and _minor(before) != _minor(after):
        warnings.append(
            f"{INIT_CONFIG} of the node is not published, so only its agent validates it for kubelet {after}:"
            " configok.node.provision publishes it"
        )
    adjusted = adjusted_flags(_declared_flags(machine), before, after) if before else ()
    return ConfigCheck(tuple(refusals), tuple(warnings), adjusted)


def _not_judged(version: str) -> str:
    """Return what cannot be judged of any config for a kubelet, as a sentence; "" with whole data."""
    minor = _minor(version)
    causes = not_judged_causes(missing_layer_findings(minor)) if minor is not None else ()
    return f"its config is not judged in full for kubelet {version}: {causes[0]}" if causes else ""


def _refused_on_the_way(
    observed: ObservedMachine | None, source: ConfigSource | None, after: str, inputs: ConfigInputs
) -> list[str]:
    """Return what a new kubelet would refuse of the bundle in use: it reads that one until the other is assigned."""
    active = observed.config.active if observed is not None else None
    if observed is None or active is None or active == source or _minor(observed.kubelet_version) == _minor(after):
        return []
    text = inputs.bundles.get(active, {}).get(KUBELET)
    if text is None:
        return []
    before = observed.kubelet_version
    present = _check_text(text, active.name, before, is_bundle=True) if is_kubernetes_version(before) else ()
    known = {_key(finding) for finding in present}
    findings = [
        finding
        for finding in _check_text(text, active.name, after, is_bundle=True)
        if finding.level is Level.COMPONENT and _key(finding) not in known
    ]
    beginning = (
        "change the config in a run of its own first, because the node uses the present one when its kubelet starts"
        f" again: kubelet {after} would refuse the bundle {active.name}"
    )
    return _sentences(findings, beginning)


def _declared_flags(machine: Machine) -> tuple[str, ...]:
    """Return the flags that the provider's kubelet gets; those of other providers are not known."""
    flags = machine.provider.fields.get("kubeletFlags")
    if machine.provider.api_version != PROVIDER_API_VERSION or not isinstance(flags, Mapping):
        return ()
    return tuple(f"--{name}={value}" for name, value in sorted(flags.items()))


def adjusted_flags(arguments: Sequence[str], before: str, after: str) -> tuple[str, ...]:
    """Return the flags of a kubelet's command line that its new version does not have or reads differently.

    arguments: without the program. The provider writes the command line again, so they stop nothing.
    """
    if not arguments or not all(map(is_kubernetes_version, (before, after))):
        return ()
    minors = [nearest_known_minor(parse_minor(version)) for version in (before, after)]
    if minors[0] == minors[1]:
        return ()
    versions = [minor_name(minor) for minor in minors]
    changes = upgrade(load([("command line", _EMPTY)]), *versions, flags=tuple(arguments)).flags
    return tuple(
        f"--{flag.name}: {flag.reason}; " + ("the provider takes it away" if flag.is_refused else "it stays")
        for flag in changes
    )


def config_disruption(
    machine: Machine, observed: ObservedMachine, source: ConfigSource | None, inputs: ConfigInputs
) -> str:
    """Return the class of disruption of moving a node to another config source, "restart" if that is not known."""
    names = []
    minor = _minor(observed.kubelet_version)
    at = nearest_known_minor(minor) if minor is not None else newest_minor()
    components = {KUBELET}
    for bundle in (observed.config.source, source):
        components |= set(inputs.bundles.get(bundle, {}) if bundle is not None else {})
    for component in sorted(components):
        old, new = (
            effective_config(inputs, machine.name, observed, bundle, component)
            for bundle in (observed.config.source, source)
        )
        if old is None or new is None:
            names.append(_UNKNOWN_CLASS)
            continue
        names.append(_disruption(_canonical(old), _canonical(new), at))
    return heaviest_class(names) or "none"


@cached_by_overlays
def _disruption(old: str, new: str, minor: int) -> str:
    """Return the class of disruption of another config at a minor; machines of a pool share the two."""
    try:
        changes = effective_diff(json.loads(old), json.loads(new), (minor, minor))
    except ConfigError:
        return _UNKNOWN_CLASS
    return heaviest_class(change.disruption.name for change in changes) or "none"


@cached_by_overlays
def _check_text(text: str, file: str, version: str, is_bundle: bool = False) -> tuple[Finding, ...]:
    """Return the findings about a config at a version: thousands of machines share a few configs."""
    try:
        findings = check(text, file=file, component=KUBELET, versions=[version], bundle=is_bundle, is_final=True)
    except ConfigError as error:
        return (Finding((), str(error), "version", Level.WARNING, file=file),)
    return tuple(finding for finding in findings if finding.is_refusal)


def _canonical(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, default=str)


def _sentences(findings: Sequence[Finding], beginning: str) -> list[str]:
    refusals = [finding for finding in findings if finding.is_refusal]
    sentences = [f"{beginning}: {finding}" for finding in refusals[:_SHOWN]]
    if refusals[_SHOWN:]:
        sentences[-1] += and_more(len(refusals) - _SHOWN)
    return sentences


def _key(finding: Finding) -> tuple[Any, ...]:
    return finding.path, finding.rule, finding.level


def _minor(version: str) -> int | None:
    return parse_minor(version) if is_kubernetes_version(version) else None
