# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check a drop-in directory as the kubelet reads it: each file by itself, then all of them merged over the base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ._codec.document import Document, decode
from ._codec.plain_values import HEAD_FIELDS, missing_head_fields
from ._collector import Collector, Flags, Targets
from ._documents._templates import TEMPLATE, template_line
from ._documents._unexpanded import without_unexpanded
from ._kind_names import expected_kind, unknown_kind
from ._rules._registry import rule_checked_fields
from ._schema._type_check import check_types
from ._schema.kinds import KUBELET, KUBELET_CONFIGURATION, Kind, find_kind, kinds
from ._schema.releases import minor_name, nearest_known_minor, newest_minor
from .check import check
from .drop_ins import empty_value_findings, merge_drop_in_documents, support_at
from .findings import RULE_UNKNOWN_FIELD, Finding, InvalidConfig, Level, bounded, located, not_judged, reading_order
from .load import Config

_RULE = "drop-ins"
_NEEDS_HEAD = "the kubelet refuses a file without apiVersion and kind"


class DropInDirectory(NamedTuple):
    """A drop-in directory: its path, its drop-ins in the order of reading, the paths of other files, and the base.

    drop_ins: path and content. base: the same of the kubelet's own file, None for one that sets nothing.
    """

    path: str
    drop_ins: Sequence[tuple[str, str | bytes]]
    ignored: Sequence[str] = ()
    base: tuple[str, str | bytes] | None = None


class DropInCheck(NamedTuple):
    """The findings on a drop-in directory, and the config that the newest of the versions merges.

    config: its layers are the files, lowest first; None if one of them cannot be used.
    """

    findings: list[Finding]
    config: Config | None


def check_drop_ins(
    directory: DropInDirectory,
    *,
    versions: Sequence[str] = (),
    nodes: Mapping[str, str] | None = None,
    bundle: bool = False,
    denied_fields: Sequence[str] = (),
    flags: Flags | None = None,
) -> DropInCheck:
    """Check a drop-in directory for a set of Kubernetes versions.

    Each file must decode, and have the apiVersion and kind of a KubeletConfiguration. All other rules are those of the
    merged config: its findings have the file and line that set the field. The options are those of `check`. Raises
    ConfigError as `check` does.
    """
    targets = Targets(versions, nodes or {}, newest_minor())
    kind = kubelet_kind()
    empty = Document({"apiVersion": kind.api_version, "kind": kind.kind}, directory.path)
    collector = Collector(empty, targets, flags)
    layers = [_read_layer(file, text, collector, is_final=bundle) for file, text in directory.drop_ins]
    base = empty if directory.base is None else _read_layer(*directory.base, collector, is_final=bundle)
    for path in directory.ignored:
        message = "the kubelet ignores this file: it reads only those that end in .conf"
        collector.add_located([located(Finding((), message, _RULE, Level.WARNING), path)])
    drop_ins = [layer for layer in layers if layer is not None]
    merged: Document | None = None
    for minor in targets.minors:
        nearest = nearest_known_minor(minor)
        collector.add(_support_findings(nearest), minor)
        for layer in drop_ins:
            collector.add_located(map(layer.locate, _type_findings(layer, kind, nearest)), [minor])
        if base is None:
            continue
        merged = _merged(base, drop_ins, kind, nearest)
        collector.add_located(map(base.locate, empty_value_findings(base.data, drop_ins, kind, nearest)), [minor])
        findings = check(
            merged,
            component=KUBELET,
            versions=[minor_name(minor)],
            bundle=bundle,
            denied_fields=denied_fields,
            flags=flags,
            is_final=True,  # what is not expanded is left out already
        )
        collector.add_located((finding._replace(versions=(), nodes=()) for finding in findings), [minor])
    files = [*([] if directory.base is None else [base]), *layers]
    used = [file for file in files if file is not None]
    config = Config(merged, tuple(used)) if merged is not None and len(used) == len(files) else None
    return DropInCheck(bounded(sorted(collector.findings(), key=_by_file)), config)


def kubelet_kind() -> Kind:
    """Return the kind of the kubelet's file and of its drop-ins."""
    return next(kind for kind in kinds() if kind.kind == KUBELET_CONFIGURATION)


def _by_file(finding: Finding) -> tuple[str, tuple[int, str, int, str]]:
    return finding.file, reading_order(finding)


def _read_layer(file: str, text: str | bytes, collector: Collector, *, is_final: bool) -> Document | None:
    """Decode one file; None, with a finding, for one that the kubelet does not read as its config."""
    try:
        document = decode(text, file=file)
    except InvalidConfig as error:
        line = template_line(text if isinstance(text, str) else text.decode("utf-8", "replace"))
        is_template = line is not None and not is_final
        template = located(not_judged((), "a drop-in", TEMPLATE), file, line)
        collector.add_located([template] if is_template else error.findings)
        return None
    wrong = _head_finding(document)
    if wrong is not None:
        collector.add_located([document.locate(wrong)])
        return None
    if not is_final:
        known = len(document.findings)
        document = without_unexpanded(document)
        collector.add_located(document.findings[known:])
        document = document._replace(findings=document.findings[:known])
    names = {name.casefold() for name in HEAD_FIELDS}
    body = {key: value for key, value in document.data.items() if key.casefold() not in names}
    return document._replace(data={**document.head, **body})


def _head_finding(document: Document) -> Finding | None:
    """Return why the kubelet does not read a document as its config."""
    if document.data is None:
        return Finding((), f"the file is empty: {_NEEDS_HEAD}", "kind")
    if not isinstance(document.data, dict):
        return Finding((), "must be a mapping with apiVersion and kind", "kind")
    head = document.head
    missing = missing_head_fields(head)
    if missing:
        return Finding((missing[0],), f"is required, as a string: {_NEEDS_HEAD}", "kind")
    kind = find_kind(head["apiVersion"], head["kind"])
    if kind is None:
        return unknown_kind(head["apiVersion"], head["kind"], KUBELET)
    return None if kind.kind == KUBELET_CONFIGURATION else Finding(("kind",), expected_kind(KUBELET), "kind")


def _support_findings(minor: int) -> Iterator[Finding]:
    support = support_at(minor)
    if support is None:
        message = "the kubelet has no --config-dir yet: put all fields into its own file"
        yield Finding((), message, _RULE, Level.POLICY)
    elif support.environment:
        message = f"the kubelet only looks at drop-ins with {support.environment} in its environment"
        yield Finding((), message, _RULE, Level.WARNING)


def _type_findings(layer: Document, kind: Kind, minor: int) -> Iterator[Finding]:
    """Yield the values that the kubelet cannot decode, also those that a later drop-in replaces."""
    if support_at(minor) is None:
        return
    checked = check_types(layer.data, kind, minor, is_json=layer.is_json, rule_checked_fields=rule_checked_fields(kind))
    yield from (finding for finding in checked.findings if finding.rule not in (RULE_UNKNOWN_FIELD, "enum"))


def _merged(base: Document, drop_ins: Sequence[Document], kind: Kind, minor: int) -> Document:
    """Return the merged config; what none of the files sets belongs to the base."""
    merged = merge_drop_in_documents(base, drop_ins, kind, minor)
    files = {path: file for path, file in merged.files.items() if path}
    lines = {path: line for path, line in merged.lines.items() if path}
    if () in base.lines:
        lines[()] = base.lines[()]
    return merged._replace(lines=lines, files={**files, (): base.file})
