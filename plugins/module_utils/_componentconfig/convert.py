# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the API versions of a kind, convert a file to another one, and report what is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Callable, NamedTuple

from .._text import first_names
from . import ConfigError
from ._codec.document import MAX_BYTES, decode, split
from ._codec.yaml_text import encode_all
from ._conversions._component_options import CLUSTER_CONFIGURATION, convert_options
from ._conversions._field_moves import Loss, LossHint, drop_unknown_fields, rename
from ._conversions._kube_scheduler import SCHEDULER_HINTS, convert_scheduler
from ._conversions._kubeadm import KUBEADM_HINTS, convert_kubeadm, move_timeouts
from ._options import COMPONENT_OPTIONS
from ._scalars.field_path import format_path
from ._scalars.secrets import redact, secret_paths
from ._schema.kinds import Kind, find_kind, kinds, version_order
from ._schema.releases import minor_name, parse_known_minor
from .certainty import missing_layer_findings
from .findings import NotJudged, not_judged_causes, show

_SECRETS_NAMED = 3

_PREFERENCE_FIELDS = (
    ("overrides", "defaults"),
    ("defaults.*.flags", "options"),
    ("aliases.*.flags", "options"),
)
"""The names of fields in kubectl's v1alpha1 and v1beta1; top-level ones first."""


def _convert_preference(data: dict[str, Any], source: Kind, target: Kind, losses: list[Loss]) -> None:
    """Rename the fields that kubectl.config.k8s.io/v1beta1 renamed."""
    if source.version == "v1alpha1":
        for old, new in _PREFERENCE_FIELDS:
            rename(data, old, new)
    else:
        for old, new in reversed(_PREFERENCE_FIELDS):
            *parents, last = old.split(".")
            rename(data, ".".join((*parents, new)), last)


def _convert_leader_migration(data: dict[str, Any], source: Kind, target: Kind, losses: list[Loss]) -> None:
    """Write the lock that v1 always uses, if the target version has a field for it."""
    if "resourceLock" in target.fields and "resourceLock" not in source.fields:
        data["resourceLock"] = "leases"


_CONVERTERS: Mapping[str, Callable[[dict[str, Any], Kind, Kind, list[Loss]], None]] = {
    "KubeSchedulerConfiguration": convert_scheduler,
    "ClusterConfiguration": convert_kubeadm,
    "InitConfiguration": convert_kubeadm,
    "JoinConfiguration": convert_kubeadm,
    "Preference": _convert_preference,
    "LeaderMigrationConfiguration": _convert_leader_migration,
}
LOSS_HINTS: Mapping[str, Mapping[str, LossHint]] = {
    "KubeSchedulerConfiguration": SCHEDULER_HINTS,
    **KUBEADM_HINTS,
    "LeaderMigrationConfiguration": {
        "resourceLock": LossHint("the version always locks with leases", ("leases",)),
    },
    "Preference": {
        "credentialPluginPolicy": LossHint("the version runs every credential plugin", ("AllowAll",)),
    },
}


def versions_of(kind: Kind) -> list[Kind]:
    """Return all versions of a kind, itself among them, the oldest first."""
    return sorted((version for version in kinds() if version.unique_name == kind.unique_name), key=version_order)


def find_version(kind: Kind, api_version: str) -> Kind:
    """Return the version of a kind with a name such as v1 or kubelet.config.k8s.io/v1.

    A version without a group is one of the kind's own group, if that has it. ComponentOptions can be kubeadm's
    ClusterConfiguration, too. Raises ConfigError if the kind has no such
    version.
    """
    group = kind.api_version.rpartition("/")[0]
    known = versions_of(kind)
    if kind.kind == COMPONENT_OPTIONS:
        known += [version for version in kinds() if version.kind == CLUSTER_CONFIGURATION]
    named = [version for version in known if api_version in (version.version, version.api_version)]
    named.sort(key=lambda version: version.api_version.rpartition("/")[0] != group)
    if named:
        return named[0]
    names = ", ".join(version.api_version for version in known)
    raise ConfigError(f"{kind.kind} has no version {api_version}: it has {names}")


def readers_text(kind: Kind) -> str:
    """Return which Kubernetes minors read a version, for a message."""
    if kind.last is None:
        return f"Kubernetes {minor_name(kind.since)} and newer"
    return f"Kubernetes {minor_name(kind.since)}" + (f" to {minor_name(kind.last)}" if kind.last != kind.since else "")


class Conversion(NamedTuple):
    """One document in another version, with its losses, whose paths are those of the original, and both versions."""

    data: dict[str, Any]
    losses: list[Loss]
    source: Kind
    target: Kind


def convert_document(data: Mapping[str, Any], api_version: str) -> Conversion:
    """Convert decoded data to another version of its kind, `v1` or `kubescheduler.config.k8s.io/v1`.

    A default that the other version does not share is written out. `data` stays as it is. Raises ConfigError for an
    unknown kind, and for a kind without such a version.
    """
    source = find_kind(data.get("apiVersion"), data.get("kind"))
    if source is None:
        raise ConfigError(f"{data.get('apiVersion')} {data.get('kind')} is not a known kind")
    target = find_version(source, api_version)
    losses: list[Loss] = []
    result = deepcopy(dict(data))
    if target.kind != source.kind and source.kind == COMPONENT_OPTIONS:
        result = convert_options(data, target, losses)
    elif target != source:
        drop_unknown_fields(result, source, source, losses, {})
        converter = _CONVERTERS.get(source.kind)
        if converter is not None:
            converter(result, source, target, losses)
        drop_unknown_fields(result, source, target, losses, LOSS_HINTS.get(source.kind, {}))
    return Conversion({**result, "apiVersion": target.api_version, "kind": target.kind}, losses, source, target)


class ConvertedFile(NamedTuple):
    """The documents of a file before and after, and the conversions of those that have the API version.

    not_judged: what the data do not have of a Kubernetes version that is to read the result.
    """

    before: list[dict[str, Any]]
    after: list[dict[str, Any]]
    conversions: list[Conversion]
    not_judged: Sequence[NotJudged] = ()

    @property
    def text(self) -> str:
        """The converted documents as YAML."""
        return encode_all(self.after)

    @property
    def losses(self) -> list[dict[str, str | None]]:
        """The values that are lost, as plain data that is safe to show."""
        return [
            {
                "kind": conversion.source.kind,
                "path": format_path(loss.path),
                "value": show(loss.value, loss.path),
                "why": loss.reason,
            }
            for conversion in self.conversions
            for loss in conversion.losses
        ]

    @property
    def secrets(self) -> list[str]:
        """The kinds and fields of the converted documents that hold a secret."""
        return [
            f"{document.get('kind', '')} {format_path(path)}"
            for document in self.after
            for path in sorted(secret_paths(document), key=format_path)
        ]

    def as_dict(self, place: str) -> dict[str, Any]:
        """Return the result as plain data, for a module's result or a JSON report, without a text that holds secrets.

        place: where the text goes instead, for its line.
        """
        secrets, lines = self.secrets, self.lines
        if secrets:
            lines.append(f"withheld: the text holds secrets ({first_names(secrets, _SECRETS_NAMED)}): {place}")
        return {
            "text": "" if secrets else self.text,
            "documents": redact(self.after),
            "losses": self.losses,
            "not_judged": [cause.as_dict() for cause in self.not_judged],
            "lines": lines,
        }

    @property
    def lines(self) -> list[str]:
        """The conversions, the losses and what was not judged as human-readable lines."""
        converted = [
            f"{source.kind}: {source.api_version} -> {target.api_version}, read by {readers_text(target)}"
            for _data, _losses, source, target in self.conversions
        ]
        lost = [
            "lost: " + ": ".join(part for part in (row["kind"], row["path"], row["value"], row["why"]) if part)
            for row in self.losses
        ]
        return [*converted, *lost, *(f"not judged: {cause}" for cause in self.not_judged)]


def convert(
    source: str | bytes, api_version: str, *, file: str = "config", versions: Sequence[str] = ()
) -> ConvertedFile:
    """Convert the documents of a file to an API version of their kinds; kubeadm's files hold several documents.

    A file may also hold documents of other API groups, which stay as they are. versions: the Kubernetes versions that
    must read the result. Raises ConfigError for text that cannot be decoded or converted, and for an API version that
    one of the Kubernetes versions does not read.
    """
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    if len(text) > MAX_BYTES:
        raise ConfigError(f"{file}: {len(text)} characters, at most {MAX_BYTES} are read")
    documents = [_decode_part(part, file) for part in split(text)]
    conversions = {
        index: convert_document(data, api_version)
        for index, data in enumerate(documents)
        if _is_to_convert(data, documents, api_version)
    }
    if not conversions:
        raise ConfigError(f"{file}: no document has a version {api_version}")
    for conversion in conversions.values():
        _require_readers(conversion.target, versions)
    move_timeouts([(conversion.data, conversion.losses) for conversion in conversions.values()])
    result = [conversions[index].data if index in conversions else data for index, data in enumerate(documents)]
    missing = [finding for version in versions for finding in missing_layer_findings(parse_known_minor(version))]
    return ConvertedFile(documents, result, list(conversions.values()), not_judged_causes(missing))


def _require_readers(target: Kind, versions: Sequence[str]) -> None:
    for version in versions:
        minor = parse_known_minor(version)
        if not target.known_at(minor):
            message = f"Kubernetes {minor_name(minor)} does not read {target.api_version} {target.kind}"
            raise ConfigError(f"{message}: it is read by {readers_text(target)}")


def _decode_part(text: str, file: str) -> dict[str, Any]:
    document = decode(text, file=file)
    if document.findings:
        raise ConfigError(str(document.findings[0]))
    if not isinstance(document.data, dict):
        problem = "the file is empty" if document.data is None else "must be a mapping with apiVersion and kind"
        raise ConfigError(f"{file}: {problem}")
    return document.data


def _is_to_convert(data: Mapping[str, Any], documents: Sequence[Mapping[str, Any]], api_version: str) -> bool:
    """Return whether a document is to be converted, or refused for its kind.

    A document whose kind lacks the API version stays as it is if all other documents are of other API groups.
    """
    kind = find_kind(data.get("apiVersion"), data.get("kind"))
    if kind is None:
        return len(documents) == 1
    if any(api_version in (version.api_version, version.version) for version in versions_of(kind)):
        return True
    group = str(data["apiVersion"]).partition("/")[0]
    others = [document for document in documents if document is not data]
    return not others or any(str(document.get("apiVersion")).startswith(f"{group}/") for document in others)
