# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the machines of two sides: one by one, and by groups. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from ..._componentconfig import ConfigError
from ..._componentconfig._codec.plain_values import HEAD_FIELDS
from ..._componentconfig._schema.kinds import find_kind
from ..._componentconfig._schema.overlay_cache import cached_by_overlays
from ..._componentconfig._schema.releases import (
    Layer,
    is_kubernetes_version,
    minor_name,
    nearest_known_minor,
    newest_minor,
    parse_minor,
)
from ..._componentconfig.certainty import missing_layer_findings
from ..._componentconfig.compare import effective_diff
from ..._componentconfig.disruption import heaviest_class
from ..._componentconfig.findings import not_judged_causes
from ..._rollout._nodes.reported_versions import is_version
from ..._text import count_of, first_names, sanitize
from ._members import INIT, Member

POOL: Final = "pool"
_NODE: Final = "node"  # versions, labels and taints, which are outside the configs
_MAX_VALUE: Final = 200
_NAMES_SHOWN: Final = 4
_COMPARED_LAYERS: Final = (Layer.FIELDS, Layer.DEFAULTS, Layer.GATES)  # what an effective value rests on


class Difference(NamedTuple):
    """A field in which two machines differ. component: "node" for versions, labels, taints; None: unset."""

    component: str
    path: str
    before: str | None
    after: str | None
    disruption: str


class MachineComparison(NamedTuple):
    """Two machines that are compared. before, after: their names. notes: what could not be compared."""

    before: str
    after: str
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()


class GroupComparison(NamedTuple):
    """The typical machine of a group on both sides.

    sizes: machines before and after. differences: between the two typical machines. uneven: on which side how many
    machines are not typical, as sentences.
    """

    group: str
    sizes: tuple[int, int]
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()
    uneven: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClusterComparison:
    """What two sides differ in. only_before, only_after: machines without a counterpart."""

    machines: tuple[MachineComparison, ...] = ()
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    groups: tuple[GroupComparison, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def differences(self) -> list[Difference]:
        """Return the differences of all machines and groups."""
        of_machines = [difference for pair in self.machines for difference in pair.differences]
        return of_machines + [difference for group in self.groups for difference in group.differences]

    @property
    def differs(self) -> bool:
        """Return whether the two sides differ in anything that is compared."""
        is_one_sided = bool(self.only_before or self.only_after) or any(0 in group.sizes for group in self.groups)
        return is_one_sided or bool(self.differences)

    @property
    def heaviest(self) -> str:
        """Return the heaviest class of disruption among the differences, "none" without any."""
        return heaviest_class(difference.disruption for difference in self.differences) or "none"


def compare_clusters(
    before: Sequence[Member], after: Sequence[Member], *, match_label: str = "", group_by: str = ""
) -> ClusterComparison:
    """Compare the machines of two sides.

    match_label: the label whose value two counterparts share, "" for the same name. group_by: the label whose values
    are the groups, "pool" for the pool of the config; with it the typical machines of each group are compared, and not
    each machine.
    """
    if group_by:
        return ClusterComparison(groups=tuple(_compare_groups(before, after, group_by)))
    notes = list[str]()
    sides = [_by_key(members, match_label, notes) for members in (before, after)]
    pairs = [_compare_pair(sides[0][key], sides[1][key]) for key in sorted(sides[0].keys() & sides[1].keys(), key=str)]
    only = [
        tuple(sorted(member.name for key, member in side.items() if key not in other))
        for side, other in (sides, reversed(sides))
    ]
    unknown = Counter(note for pair in pairs if not pair.differences for note in pair.notes)
    notes += [f"{note} ({count_of(count, 'machine')})" for note, count in sorted(unknown.items())]
    return ClusterComparison(tuple(pairs), only[0], only[1], notes=tuple(notes))


def _by_key(members: Sequence[Member], match_label: str, notes: list[str]) -> dict[str, Member]:
    if not match_label:
        return {member.name: member for member in members}
    by_key: dict[str, Member] = {}
    for member in sorted(members, key=lambda member: member.name):
        key = member.group_labels.get(match_label, "")
        if not key:
            notes.append(f"{sanitize(member.name)} has no label {match_label}, so it is not compared")
        elif key in by_key:
            notes.append(
                f"{sanitize(member.name)} has the same label {match_label}={sanitize(key)} as"
                f" {sanitize(by_key[key].name)}, so it is not compared"
            )
        else:
            by_key[key] = member
    return by_key


def _compare_pair(before: Member, after: Member) -> MachineComparison:
    differences, notes = compare_members(before, after)
    return MachineComparison(before.name, after.name, differences, notes)


def compare_members(before: Member, after: Member) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    """Return the fields in which two machines differ, and what could not be compared."""
    differences = [*_version_differences(before, after), *_mapping_differences(before, after)]
    config_differences, notes = _config_differences(before, after)
    return (*differences, *config_differences), notes


def _version_differences(before: Member, after: Member) -> Iterator[Difference]:
    is_declared = before.is_declared or after.is_declared
    if before.kubelet and after.kubelet and not _is_same(before.kubelet, after.kubelet, is_declared=is_declared):
        yield Difference(_NODE, "versions.kubelet", _text(before.kubelet), _text(after.kubelet), "drain")
    if before.runtime is None or after.runtime is None:
        return
    is_same_kind = before.runtime.name == after.runtime.name
    if not is_same_kind or not _is_same(before.runtime.version, after.runtime.version, is_declared=is_declared):
        old, new = (_text(str(runtime)) for runtime in (before.runtime, after.runtime))
        yield Difference(_NODE, "versions.containerRuntime", old, new, "drain")


def _is_same(before: str, after: str, *, is_declared: bool) -> bool:
    """Return whether two versions are one. A declared one can have fewer or more parts than a Node reports."""
    return before == after or (is_declared and (is_version(before, after, before) or is_version(after, before, after)))


def _mapping_differences(before: Member, after: Member) -> Iterator[Difference]:
    """Yield the labels and taints that differ.

    What a Machine does not declare can be anything on its Node. Of two Machines, what one of them declares is compared.
    """
    taints = [{taint.identity: str(taint) for taint in member.taints} for member in (before, after)]
    for name, old, new in (("labels", before.labels, after.labels), ("taints", taints[0], taints[1])):
        keys = {*old, *new}
        for member, other, declared in ((before, after, old), (after, before, new)):
            if member.is_declared and not other.is_declared:
                keys &= set(declared)
        for key in sorted(keys):
            if old.get(key) != new.get(key):
                evicts = name == "taints" and key.endswith(":NoExecute") and key in new
                values = (_text(old.get(key)), _text(new.get(key)))
                yield Difference(_NODE, f"{name}[{_text(key)}]", *values, "drain" if evicts else "live")


def _config_differences(before: Member, after: Member) -> tuple[list[Difference], tuple[str, ...]]:
    if not (before.config and after.config):
        return [], ()
    differences, notes = list[Difference](), list[str]()
    declared = _declared_side(before, after)
    by_name = Difference(_NODE, "config", _text(before.config), _text(after.config), "restart")
    if before.effective is not None and after.effective is not None:
        old, new = before.effective, after.effective
        if declared is not None and before.config != after.config:
            differences.append(by_name)
    elif before.config == after.config:
        # The name of a bundle has the hash of its content.
        return [], tuple(_unknown_init_configs(before, after)) if before.config == INIT else ()
    elif before.documents and after.documents:
        old, new = before.documents, after.documents
        declared = None  # a bundle is compared as a whole
        notes.append("only the bundles are compared: the configs of the nodes themselves are not known on both sides")
    else:
        return [by_name], ("the configs are compared by name only: one of them cannot be read, or is not published",)
    minors = (_minor(before.kubelet or after.kubelet), _minor(after.kubelet or before.kubelet))
    for component in sorted({*old, *new} if declared is None else (old, new)[declared]):
        if component not in old or component not in new:
            present = [_text("present") if component in side else None for side in (old, new)]
            differences.append(Difference(component, "(config)", present[0], present[1], "restart"))
            continue
        try:
            texts = _canonical(old[component]), _canonical(new[component])
            fields, defaults = _fields(component, texts[0], texts[1], minors, declared)
        except ConfigError as error:
            notes.append(f"the config of {component} cannot be compared: {error}")
            continue
        differences += fields
        if defaults:
            names = " and ".join(minor_name(minor) for minor in minors)
            notes.append(f"{component}: the defaults of {names} differ in {first_names(defaults, _NAMES_SHOWN)}")
    return differences, (*notes, *_not_judged(before.kubelet or after.kubelet, after.kubelet or before.kubelet))


def _not_judged(*versions: str) -> Iterator[str]:
    """Yield what is not known of a field's effective value, because the data of a release are not whole."""
    minors = sorted({parse_minor(version) for version in versions if is_kubernetes_version(version)})
    findings = (finding for minor in minors for finding in missing_layer_findings(minor, _COMPARED_LAYERS))
    yield from (f"not judged: {cause}" for cause in not_judged_causes(findings))


def _declared_side(before: Member, after: Member) -> int | None:
    """Return which side alone is a Machine, None if both sides are of one kind."""
    return None if before.is_declared == after.is_declared else int(after.is_declared)


def _unknown_init_configs(before: Member, after: Member) -> Iterator[str]:
    """Yield why two init configs are not compared, unless there is nothing to compare."""
    declared = before if before.is_declared else after
    if not declared.is_declared:
        yield "the init configs are not compared: they are not published on both sides"
    elif any(set(config) - set(HEAD_FIELDS) for config in (declared.effective or {}).values()):
        yield "the init configs are not compared: that of the Node is not published"


@cached_by_overlays(maxsize=256)
def _fields(
    component: str, old: str, new: str, minors: tuple[int, int], declared: int | None
) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    """Return the fields in which two configs differ, and those whose default alone differs between the minors.

    declared: the side whose fields alone are compared, None for the fields of both. Thousands of machines share a few
    configs.
    """
    values = json.loads(old), json.loads(new)
    at_one_minor = {change.change.path for minor in set(minors) for change in effective_diff(*values, (minor, minor))}
    changes = effective_diff(*values, minors)
    if declared is not None:
        changes = [change for change in changes if _declares(values[declared], change.change.field_path)]
    differences = tuple(
        Difference(component, change.change.path, *change.shown, change.disruption.name)
        for change in changes
        if change.change.path in at_one_minor
    )
    return differences, tuple(change.change.path for change in changes if change.change.path not in at_one_minor)


def _declares(config: Mapping[str, Any], path: Sequence[str | int]) -> bool:
    """Return whether a config sets a field. A map that it sets has no other keys."""
    kind = find_kind(config.get("apiVersion"), config.get("kind"))
    entries = kind.entries_along(tuple(path)) if kind is not None else []
    value: Any = config
    for index, part in enumerate(path):
        if not isinstance(value, dict):
            return True
        if value.get(str(part)) is None:
            return index > 0 and str(entries[index - 1].get("type") if entries else "").startswith("map<")
        value = value[str(part)]
    return True


def _canonical(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, default=str)


def _minor(version: str) -> int:
    return nearest_known_minor(parse_minor(version)) if is_kubernetes_version(version) else newest_minor()


def _text(value: str | None) -> str | None:
    return None if value is None else sanitize(value, _MAX_VALUE)


def _compare_groups(before: Sequence[Member], after: Sequence[Member], group_by: str) -> Iterator[GroupComparison]:
    sides = [_by_group(members, group_by) for members in (before, after)]
    for group in sorted({*sides[0], *sides[1]}):
        members = [side.get(group, []) for side in sides]
        sizes = (len(members[0]), len(members[1]))
        uneven = list[str]()
        typical = [_typical(side, name, uneven) if side else None for side, name in zip(members, ("before", "after"))]
        if typical[0] is None or typical[1] is None:
            yield GroupComparison(group, sizes, uneven=tuple(uneven))
            continue
        differences, notes = compare_members(typical[0], typical[1])
        yield GroupComparison(group, sizes, differences, notes, tuple(uneven))


def _by_group(members: Sequence[Member], group_by: str) -> dict[str, list[Member]]:
    groups: dict[str, list[Member]] = {}
    for member in members:
        value = member.pool if group_by == POOL else member.group_labels.get(group_by, "")
        groups.setdefault(sanitize(value), []).append(member)
    return groups


_ASPECTS: Final[Mapping[str, Callable[[Member], Hashable]]] = {
    "kubelet": lambda member: member.kubelet,
    "container runtime": lambda member: member.runtime,
    "taints": lambda member: tuple(sorted(member.taints)),
    "config": lambda member: (
        member.config
        if member.effective is None
        else tuple(sorted((name, _canonical(config)) for name, config in member.effective.items()))
    ),
}


def _typical(members: Sequence[Member], side: str, uneven: list[str]) -> Member:
    """Return a machine with what most members of a group have; add a sentence for what not all of them have."""
    typical: dict[str, Member] = {}
    for aspect, value_of in _ASPECTS.items():
        counts = Counter(map(value_of, members))
        value, count = min(counts.items(), key=lambda item: (-item[1], str(item[0])))
        typical[aspect] = next(member for member in members if value_of(member) == value)
        if count < len(members):
            uneven.append(f"{side}: {count} of {len(members)} have the most common {aspect}")
    labels = {}
    for key in sorted({key for member in members for key in member.labels}):
        counted = Counter(member.labels.get(key) for member in members)
        text, count = min(counted.items(), key=lambda item: (-item[1], str(item[0])))
        # A label with other values on most machines, such as a zone, says nothing about the group.
        if text is not None and 2 * count > len(members):
            labels[key] = text
            if count < len(members):
                uneven.append(f"{side}: {count} of {len(members)} have the label {_text(key)}={_text(text)}")
    config = typical["config"]
    return replace(
        config,
        name="",
        kubelet=typical["kubelet"].kubelet,
        runtime=typical["container runtime"].runtime,
        taints=typical["taints"].taints,
        labels=labels,
    )
