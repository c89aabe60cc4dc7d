# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config in another version of its kind, and what that version cannot keep.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Callable, NamedTuple

from ._codec._document import MAX_BYTES, decode, split
from ._codec._yaml import encode_all
from ._conversions._field_moves import Hint, Loss, Losses, drop_unknown_fields
from ._conversions._kube_scheduler import SCHEDULER_HINTS, convert_scheduler
from ._conversions._kubeadm import KUBEADM_HINTS, carry_timeouts, convert_kubeadm
from ._conversions._small_kinds import SMALL_HINTS, convert_leader_migration, convert_preference
from ._exceptions import ConfigError
from ._findings import show
from ._scalars._field_path import format_path
from ._schema._kinds import Kind, find_kind, readers, version_of, versions
from ._schema._releases import minor_name, parse_minor

__all__ = ["Conversion", "Converted", "convert", "convert_text"]

_MOVES: Mapping[str, Callable[[dict[str, Any], Kind, Kind, Losses], None]] = {
    "KubeSchedulerConfiguration": convert_scheduler,
    "ClusterConfiguration": convert_kubeadm,
    "InitConfiguration": convert_kubeadm,
    "JoinConfiguration": convert_kubeadm,
    "Preference": convert_preference,
    "LeaderMigrationConfiguration": convert_leader_migration,
}
_HINTS: Mapping[str, Mapping[str, Hint]] = {
    "KubeSchedulerConfiguration": SCHEDULER_HINTS,
    **KUBEADM_HINTS,
    **SMALL_HINTS,
}


class Conversion(NamedTuple):
    """One document in another version, its losses (their paths are those of the document as it was), both versions."""

    data: dict[str, Any]
    losses: list[Loss]
    source: Kind
    target: Kind


def convert(data: Mapping[str, Any], wanted: str) -> Conversion:
    """Convert decoded data to another version of its kind, `v1` or `kubescheduler.config.k8s.io/v1`.

    What the component has by a default that the other version does not share is written out. `data` is left as it is.
    Raises ComponentConfigError with a sentence for a kind that is not known, or has no such version.
    """
    source = find_kind(data.get("apiVersion"), data.get("kind"))
    if source is None:
        raise ConfigError(f"{data.get('apiVersion')} {data.get('kind')} is no kind that is known here")
    target = version_of(source, wanted)
    losses = Losses()
    result = deepcopy(dict(data))
    if target != source:
        drop_unknown_fields(result, source, source, losses, {})
        move = _MOVES.get(source.kind)
        if move is not None:
            move(result, source, target, losses)
        drop_unknown_fields(result, source, target, losses, _HINTS.get(source.kind, {}))
    return Conversion({**result, "apiVersion": target.api_version, "kind": target.kind}, losses.found, source, target)


class Converted(NamedTuple):
    """The documents of a file before and after, and the conversions of those that have the version."""

    before: list[dict[str, Any]]
    after: list[dict[str, Any]]
    conversions: list[Conversion]

    @property
    def text(self) -> str:
        """The documents after it, as YAML."""
        return encode_all(self.after)

    @property
    def losses(self) -> list[dict[str, str | None]]:
        """What cannot be kept, as plain data that is safe to show."""
        return [
            {
                "kind": one.source.kind,
                "path": format_path(loss.path),
                "value": show(loss.value, loss.path),
                "why": loss.why,
            }
            for one in self.conversions
            for loss in one.losses
        ]

    @property
    def lines(self) -> list[str]:
        """What was done and what was lost, for people."""
        done = [
            f"{one.source.kind}: {one.source.api_version} -> {one.target.api_version}, read by {readers(one.target)}"
            for one in self.conversions
        ]
        return done + [
            "lost: " + ": ".join(part for part in (row["kind"], row["path"], row["value"], row["why"]) if part)
            for row in self.losses
        ]


def convert_text(
    source: str | bytes, wanted: str, *, file: str = "config", kubernetes_versions: Sequence[str] = ()
) -> Converted:
    """Convert the documents of a file, as `convert` does one; kubeadm's files hold several.

    Beside documents of the same API group, others may stand in the file: they stay as they are.
    Raises ComponentConfigError with a sentence for what cannot be decoded or converted, and for a version that one of
    `kubernetes_versions` does not read.
    """
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    if len(text) > MAX_BYTES:
        raise ConfigError(f"{file}: {len(text)} characters, at most {MAX_BYTES} are read")
    documents = [_data(part, file) for part in split(text)]
    conversions = {
        index: convert(data, wanted) for index, data in enumerate(documents) if _concerned(data, documents, wanted)
    }
    if not conversions:
        raise ConfigError(f"{file}: no document has a version {wanted}")
    for one in conversions.values():
        for version in kubernetes_versions:
            if not one.target.known_at(parse_minor(version)):
                release = minor_name(parse_minor(version))
                message = f"Kubernetes {release} does not read {one.target.api_version} {one.target.kind}"
                raise ConfigError(f"{message}: it is read by {readers(one.target)}")
    carry_timeouts([(one.data, one.losses) for one in conversions.values()])
    result = [conversions[index].data if index in conversions else data for index, data in enumerate(documents)]
    return Converted(documents, result, list(conversions.values()))


def _data(text: str, file: str) -> dict[str, Any]:
    document = decode(text, file=file)
    if document.findings:
        raise ConfigError(str(document.findings[0]))
    if not isinstance(document.data, dict):
        raise ConfigError(f"{file}: must be a mapping with apiVersion and kind")
    return document.data


def _concerned(data: Mapping[str, Any], documents: Sequence[Mapping[str, Any]], wanted: str) -> bool:
    """Whether a document is to be converted, or refused: it has the version, or should have it as its neighbours do.

    One beside documents of other API groups only need not have it.
    """
    kind = find_kind(data.get("apiVersion"), data.get("kind"))
    if kind is None:
        return len(documents) == 1
    if any(wanted in (one.api_version, one.api_version.rsplit("/", 1)[-1]) for one in versions(kind)):
        return True
    group = str(data["apiVersion"]).partition("/")[0]
    others = [other for other in documents if other is not data]
    return not others or any(str(other.get("apiVersion")).startswith(f"{group}/") for other in others)
