# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check a config for a set of Kubernetes versions and return all findings at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable

from . import ConfigError
from ._codec.document import Document
from ._codec.plain_values import missing_head_fields
from ._collector import ArgumentCheck, Collector, Flags, Targets
from ._documents._unexpanded import unexpanded_findings, without_unexpanded
from ._documents.component_file import Reader, decode_first, is_of_kubeadm
from ._field_notes import NotedConfig, meaning_findings
from ._kind_names import expected_kind, old_name_findings, unknown_kind, unread_version
from ._lenient_reading import implied_head, legacy_plugin, lenient_values
from ._operating_system import other_system_findings
from ._rules._registry import rule_checked_fields, rule_sets
from ._rules._rule import EffectiveConfig, run_rules
from ._scalars._suggestion import most_similar
from ._scalars.field_path import Path
from ._schema._feature_gates import FeatureGates
from ._schema._strictness import strictness, with_strictness
from ._schema._type_check import EmbeddedDocument, TypeCheck, check_types, embedded_documents
from ._schema.kinds import KUBELET_CONFIGURATION, MAIN_KINDS, STATIC_POD, Kind, OperatingSystem, find_kind, kinds
from ._schema.releases import minor_name, nearest_known_minor, newest_minor, parse_known_minor
from .bundle_policy import bundle_findings, denied_field_findings
from .certainty import missing_layer_findings, with_certainty
from .expressions import CheckerSource, expression_findings
from .findings import (
    RULE_DUPLICATE,
    RULE_UNKNOWN_FIELD,
    Finding,
    InvalidConfig,
    Level,
    bounded,
    located,
    not_judged,
    reading_order,
    show,
)
from .load import Config

_NO_FLAGS = "this check does not read flags inside files"
HostCheck = Callable[[EffectiveConfig, str], Iterable[Finding]]
"""Returns what is wrong with a component's config on one host; see `HostRules`, which this file does not import."""

FlagCheck = ArgumentCheck
"""Checks flags inside files; see `ARGUMENT_CHECK` and `OPTION_CHECK`, which this file does not import."""


def check(
    config: Config | Document | str | bytes,
    *,
    file: str = "config",
    component: str | None = None,
    versions: Sequence[str] = (),
    nodes: Mapping[str, str] | None = None,
    bundle: bool = False,
    denied_fields: Sequence[str] = (),
    host: HostCheck | None = None,
    flags: Flags | None = None,
    expressions: CheckerSource | None = None,
    arguments: ArgumentCheck | None = None,
    reader: Reader = decode_first,
    os: OperatingSystem = "linux",
    is_final: bool = False,
) -> list[Finding]:
    """Check one config for a set of Kubernetes versions and return everything that is wrong with it.

    file: the name of a text, for its findings. component: the one that will read the config, if known.
    versions: Kubernetes versions ("1.31", "v1.31.4"). nodes: the version of each node of a pool, by name. Without both,
    the newest version that the data cover. bundle: whether to check also what must not be in a bundle.
    denied_fields: field patterns; see `denied_field_findings`. host: also checks the config for the host that would
    run the component. flags: those of the component that reads the config; without them, what depends on a feature
    gate of the command line is a warning. expressions: returns a checker of the CEL expressions in the API server's
    files, arguments checks the flags inside other files: without them they are not judged. reader: finds the configs in
    a text, by default in its first document; `decode_file` finds all of kubeadm's files and of other tools'. os: the
    operating system of the nodes.

    A release whose data are not whole is checked with what there is of it, or as the newest whole one: a finding of
    level NOT_JUDGED names the layers that are missing.

    The config's own findings are in reading order. Each finding has the minors and the nodes that it holds for. A text
    that cannot be decoded is one finding. Raises ConfigError for a version that cannot be parsed or is not known, and
    for flags with a file of several documents.
    """
    targets = Targets(versions, nodes or {}, newest_minor())
    try:
        documents = _documents_of(config, file, component, reader, templates=not (bundle or is_final))
    except InvalidConfig as error:
        names = tuple(minor_name(minor) for minor in targets.minors)
        return [finding._replace(versions=names, nodes=targets.nodes_at(targets.minors)) for finding in error.findings]
    if flags is not None and len(documents) > 1:
        raise ConfigError(f"{documents[0].file} has several documents, and flags are those of one component")
    findings: list[Finding] = []
    others: list[Finding] = []
    for document in documents:
        is_first = document is documents[0]
        if document.is_validated and not (bundle or is_final):
            document = without_unexpanded(document)
        collector = Collector(document, targets, flags, expressions, arguments, os)
        if is_first:
            for minor in targets.minors:
                collector.add(missing_layer_findings(minor), minor)
        if document.flags:
            _add_embedded_flags(collector)
        if not document.is_validated:
            collector.add_located(document.findings)
        else:
            if bundle or is_final:
                collector.add_located(unexpanded_findings(document))
            _check_one(collector, component if len(documents) == 1 or is_of_kubeadm(document) else None, bundle)
            others += [document.locate(finding) for finding in denied_field_findings(document.data, denied_fields)]
        findings += collector.findings()
    if len(documents) > 1:
        findings.sort(key=reading_order)
    if host is not None and documents[0].is_validated:
        others += check_host(documents[0], component or "", versions, host, flags)
    return bounded([*findings, *others])


def _check_one(collector: Collector, component: str | None, bundle: bool) -> None:
    """Check one document for all minors of the collector."""
    document = collector.document
    kind, minors = _find_kind(collector, component)
    if kind is None:
        collector.add_located(document.findings)
    else:
        for minor in minors:
            _check_minor(collector, kind, minor)
        _check_meanings(collector, kind, [minor for minor in minors if kind.known_at(nearest_known_minor(minor))])
    if bundle:
        collector.add(bundle_findings(document.data, kind.kind if kind is not None else ""))


def _add_embedded_flags(collector: Collector) -> None:
    """Add what is wrong with the flags of components in a file of another tool."""
    for flags in collector.document.flags:
        if collector.arguments is None:
            collector.add_located([located(not_judged((), f"flags of {flags.component}", _NO_FLAGS), flags.file)])
            continue
        for minor in collector.targets.minors:
            collector.add_located(collector.arguments.embedded(flags, minor), [minor])


def check_host(
    document: Document, component: str, versions: Sequence[str], host: HostCheck, flags: Flags | None = None
) -> list[Finding]:
    """Return what on a host does not fit a component's effective config, at each of the versions, or the newest one.

    Raises ConfigError for a version that cannot be parsed, or is older than the data.
    """
    minors = sorted({parse_known_minor(version) for version in versions}) or [newest_minor()]
    minors_by_finding: dict[Finding, list[str]] = {}
    for minor in minors:
        config = config_at(document, minor, flags)
        if config is None:
            continue
        for finding in host(config, component):
            value = config.get(*(part for part in finding.path if isinstance(part, str)))
            if not isinstance(value, (dict, list)):
                finding = finding._replace(value=show(value, finding.path))
            located = document.locate(finding, look_up=False)
            minors_by_finding.setdefault(located, []).append(minor_name(minor))
    return bounded([finding._replace(versions=tuple(names)) for finding, names in minors_by_finding.items()])


def check_each_version(
    config: Config,
    find: Callable[[int], Iterable[Finding]],
    *,
    versions: Sequence[str] = (),
    nodes: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Call another check with each minor and return its findings; versions and nodes as for `check`."""
    targets = Targets(versions, nodes or {}, newest_minor())
    collector = Collector(config.document, targets)
    for minor in targets.minors:
        collector.add(find(minor), minor)
    return collector.findings()


def config_at(document: Document, minor: int, flags: Flags | None = None) -> EffectiveConfig | None:
    """Return a config as the component of one minor sees it, with its flags if known, None for an unknown kind."""
    data = document.data
    kind = find_kind(*document.head.values())
    if kind is None:
        return None
    nearest = nearest_known_minor(minor)
    if flags is not None:
        data = flags.merged_over(document, kind, nearest).data
    checked = check_types(data, kind, nearest, is_json=document.is_json, rule_checked_fields=rule_checked_fields(kind))
    return _effective_config(checked, kind, nearest, flags)


def _documents_of(
    config: Config | Document | str | bytes, file: str, component: str | None, reader: Reader, *, templates: bool
) -> tuple[Document, ...]:
    if isinstance(config, Config):
        return config.written_documents
    if isinstance(config, Document):
        return (config,)
    return reader(config, file=file, component=component, templates=templates)


def _find_kind(collector: Collector, component: str | None) -> tuple[Kind | None, Sequence[int]]:
    """Return the document's kind, and the minors that read the document as that kind.

    Adds a finding for the other minors; the kind is None if no minor reads a known kind from it.
    """
    data, minors = collector.document.data, collector.targets.minors
    if isinstance(data, dict):
        head = collector.document.head
        implied = implied_head(head, data)
        if implied is not None:
            reading = [minor for minor in minors if implied.last is None or nearest_known_minor(minor) <= implied.last]
            for minor in minors:
                if minor in reading:
                    collector.add([implied.finding], minor)
                else:
                    collector.add(_head_findings(head), minor)
            return _kind_of_component(collector, implied.api_version, implied.kind, component), reading
        legacy = legacy_plugin(data)
        if legacy is not None and _head_findings(head):
            collector.add([not_judged((), f"an old form of {legacy}'s file", "only its syntax is known")])
            return None, minors
    return _find_stated_kind(collector, component), minors


def _head_findings(head: Mapping[str, Any]) -> list[Finding]:
    """Return what is wrong with a head: missing fields, or an unknown kind."""
    missing = missing_head_fields(head)
    if missing or find_kind(*head.values()) is not None:
        return [Finding((key,), "is required, as a string", "kind") for key in missing]
    return [unknown_kind(head["apiVersion"], head["kind"], None)]


def _find_stated_kind(collector: Collector, component: str | None) -> Kind | None:
    """Return the kind that the document says it is; None, with a finding, if the component does not read it."""
    data = collector.document.data
    if not isinstance(data, dict):
        message = "the file is empty" if data is None else "must be a mapping with apiVersion and kind"
        collector.add([Finding((), message, "kind")])
        return None
    head = collector.document.head
    missing = missing_head_fields(head)
    if missing:
        collector.add(Finding((key,), "is required, as a string", "kind") for key in missing)
        return None
    return _kind_of_component(collector, head["apiVersion"], head["kind"], component)


def _kind_of_component(collector: Collector, api_version: str, name: str, component: str | None) -> Kind | None:
    """Return a kind; None, with a finding, if it is not known or the component does not read it."""
    components = {kind.component for kind in kinds()}
    kind = find_kind(api_version, name)
    if kind is not None and kind.component == STATIC_POD and component is not None:
        stated = collector.document.data.get("component")
        if stated != component and isinstance(stated, str):
            collector.add([Finding(("component",), f"must be {component}, whose options are read here", "kind")])
            return None
        return kind
    if kind is None:
        if component is not None and component not in components:
            collector.add(
                [not_judged(("kind",), f"the config of {component}", "its kind is not known, only its syntax")]
            )
            return None
        collector.add([unknown_kind(api_version, name, component)])
        return None
    if component is not None and component not in components:
        _warn_about_similar_component(collector, component, components)
    wrong = component in MAIN_KINDS and kind.kind != MAIN_KINDS[str(component)]
    if wrong or (component in components and kind.component != component):
        collector.add([Finding(("kind",), expected_kind(component), "kind")])
        return None
    collector.add(old_name_findings(kind))
    return kind


def _warn_about_similar_component(collector: Collector, component: str, components: Iterable[str]) -> None:
    """Add a warning if the name of a component, which users choose, is nearly that of a known one."""
    similar = most_similar(component, sorted(components), 0.85)
    if similar:
        message = f"the component {component} is not known here, so its kind is not checked: did you mean {similar}?"
        collector.add([Finding((), message, "kind", Level.WARNING)])


def _check_minor(collector: Collector, kind: Kind, minor: int) -> None:
    nearest = nearest_known_minor(minor)
    embedding = collector.document.embedding
    implies_version = embedding is not None and embedding.implies_version
    if not kind.known_at(nearest) and not implies_version:
        collector.add([Finding(("apiVersion",), unread_version(kind, nearest), "kind")], minor)
        return
    for finding in collector.document.findings:
        level = strictness(kind, nearest) if finding.rule == RULE_DUPLICATE else finding.level
        collector.add_located([finding._replace(level=level)], [minor])
    document, flags = collector.document, collector.flags
    if flags is not None and kind.component != STATIC_POD:
        document = flags.merged_over(document, kind, nearest)
        of_flags = flags.findings(document, kind, nearest)
        collector.add_located((with_certainty(finding, minor) for finding in of_flags), [minor])
    data = lenient_values(document.data, kind, nearest)
    _check_document(collector, document, kind, data, prefix=(), nearest=nearest, minor=minor)


def _check_meanings(collector: Collector, kind: Kind, minors: Sequence[int]) -> None:
    """Add a warning for each value that does not mean the same to all minors."""
    if not minors:
        return
    document, flags = collector.document, collector.flags
    settings: dict[str, Any] = {}
    if flags is not None:
        document = flags.merged_over(document, kind, nearest_known_minor(max(minors)))
        settings.update(flags.gates(kind.component))
    in_file = document.data.get("featureGates")
    settings = {**(in_file if isinstance(in_file, dict) else {}), **settings}
    for finding, held in meaning_findings(NotedConfig(kind, document.data, settings), minors):
        collector.add_located([document.locate(finding)], held)


def _check_document(
    collector: Collector,
    document: Document,
    kind: Kind,
    data: dict[str, Any],
    *,
    prefix: Path,
    nearest: int,
    minor: int,
) -> None:
    """Check the document, or one inside it.

    document: that of the collector, or the same with flags merged over it. prefix: the path at which it begins.
    nearest: the minor of the data; minor: the one that the findings are for.
    """

    def add(findings: Iterable[Finding]) -> None:
        if prefix:
            findings = (finding._replace(path=prefix + finding.path) for finding in findings)
        if document is collector.document:
            collector.add(findings, minor)
        else:
            collector.add_located(map(document.locate, findings), [minor])

    embedding = document.embedding
    is_json = document.is_json
    checked = check_types(data, kind, nearest, is_json=is_json, rule_checked_fields=rule_checked_fields(kind))
    for finding in checked.findings:
        finding = with_strictness(finding, kind, nearest) if finding.rule == RULE_UNKNOWN_FIELD else finding
        add([with_certainty(finding, minor)])
    config = _effective_config(checked, kind, nearest, collector.flags, collector.os)
    refused = set[Path]()
    for rules in rule_sets(kind):
        for finding in run_rules(rules, config):
            if embedding is not None and embedding.is_of_tool(prefix + finding.path, document.lines):
                continue
            add([with_certainty(finding, minor)])
            if finding.level is Level.COMPONENT:
                refused.add(finding.path)
    add(other_system_findings(checked.data, kind.fields, collector.os, kind.component, refused))
    if kind.component == "kube-apiserver":
        of_expressions = expression_findings(checked.data, kind.kind, nearest, collector.expressions)
        add(finding for finding in of_expressions if not checked.broken_fields.intersection(finding.path[:1]))
    if kind.kind == KUBELET_CONFIGURATION:
        from ._rules._kubelet_start_failures import logged_only_findings  # a node checks one component at a time

        add(logged_only_findings(config))
    if kind.component == "kubeadm":
        add(_argument_findings(collector, kind, checked, minor))
    parts: Iterable[EmbeddedDocument | Finding] = embedded_documents(kind, checked.data, nearest)
    if kind.component == STATIC_POD:
        base = collector.flags.arguments if collector.flags is not None else None
        if collector.arguments is None:
            add([not_judged((), "flags and files of a component", _NO_FLAGS)])
        else:
            add(collector.arguments.in_options(data, base, minor))
            nearest, parts = collector.arguments.files_in_options(data, base, nearest)
    for part in parts:
        if part.path[0] in checked.broken_fields:
            continue
        if isinstance(part, Finding):
            add([part])
        else:
            path = prefix + part.path
            _check_document(collector, document, part.kind, part.data, prefix=path, nearest=nearest, minor=minor)


def _argument_findings(collector: Collector, kind: Kind, checked: TypeCheck, minor: int) -> Iterator[Finding]:
    """Yield what is wrong with the flags in a document of kubeadm; without a check, that they are not judged."""
    if collector.arguments is not None:
        yield from collector.arguments.in_kubeadm_file(kind, checked, minor, collector.os)
        return
    for section, values in checked.data.items():
        for field in ("extraArgs", "kubeletExtraArgs"):
            if isinstance(values, dict) and values.get(field):
                # Not with their values, which may be secrets.
                yield not_judged((section, field), "flags of components", _NO_FLAGS)._replace(value="...")


def _effective_config(
    checked: TypeCheck, kind: Kind, minor: int, flags: Flags | None, os: OperatingSystem = "linux"
) -> EffectiveConfig:
    settings = checked.data.get("featureGates", {})
    if flags is not None and "featureGates" not in kind.fields:
        settings = flags.gates(kind.component)
    gates = FeatureGates(minor, settings)
    return EffectiveConfig(
        minor, checked.data, kind.fields, gates, frozenset(checked.broken_fields), flags is not None, os
    )
