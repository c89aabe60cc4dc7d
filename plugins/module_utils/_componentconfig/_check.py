# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found in a document for several minors, put together.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._bundle_policy import bundle_findings
from ._codec._document import Document, decode
from ._exceptions import ConfigError
from ._findings import Finding, InvalidConfig, Level, bounded, reading_order
from ._rules._registry import gated_values, rule_sets
from ._rules._rule import EffectiveConfig, run_rules
from ._scalars._field_path import Path
from ._schema._feature_gates import FeatureGates
from ._schema._kinds import MAIN_KINDS, Kind, embedded, find_kind, kinds
from ._schema._releases import known_minors, minor_name, minor_names, newest_minor, parse_minor, quoting_hint
from ._schema._type_check import TypeCheck, check_types

__all__ = ["Collector", "Targets", "context_of", "check"]


class Collector:
    """Collects the findings of one document for several minors: the same finding of several minors is one."""

    def __init__(self, document: Document, pool: Targets) -> None:
        """pool: the minors that the document is checked for."""
        self.document = document
        self.pool = pool
        self.minors = pool.minors
        self._minors_by_finding: dict[Finding, set[int]] = {}
        self._minors_by_key: dict[tuple[Path, str, Level, str], set[int]] = {}

    def add(self, findings: Iterable[Finding], minor: int | None = None) -> None:
        """Add findings about the document, for one minor or for all."""
        minors = self.minors if minor is None else (minor,)
        for finding in findings:
            # Most findings hold for many minors, and locating one is the expensive part.
            key = (finding.path, finding.message, finding.level, finding.rule)
            known = self._minors_by_key.get(key)
            if known is None:
                located = self.document.locate(finding)
                known = self._minors_by_key[key] = self._minors_by_finding.setdefault(located, set())
            known.update(minors)

    def add_located(self, finding: Finding, minors: Iterable[int]) -> None:
        """Add a finding that has its file and line already."""
        self._minors_by_finding.setdefault(finding, set()).update(minors)

    def findings(self) -> list[Finding]:
        """Return the findings, bounded and in reading order, each with the minors and the nodes that it holds for."""
        result = []
        described: dict[frozenset[int], tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
        for finding, held in self._minors_by_finding.items():
            minors = frozenset(held)
            if minors not in described:
                versions = tuple(minor_name(minor) for minor in sorted(minors))
                described[minors] = self.pool.suffix(minors), versions, self.pool.nodes_of(minors)
            suffix, versions, nodes = described[minors]
            result.append(finding._replace(message=finding.message + suffix, versions=versions, nodes=nodes))
        return bounded(sorted(result, key=reading_order))


_NAMED = 3


class Targets:
    """The minors that a config is judged for, and which nodes run them."""

    def __init__(self, versions: Iterable[str], nodes: Mapping[str, str], otherwise: int) -> None:
        """versions: Kubernetes versions; nodes: by name, the version of each, which are judged for as well.

        otherwise: the minor where there is neither. Raises ComponentConfigError for a version that is none.
        """
        self._nodes: dict[int, list[str]] = {}
        for node, version in sorted(nodes.items()):
            try:
                self._nodes.setdefault(parse_minor(version), []).append(node)
            except ConfigError as error:
                raise ConfigError(f"node {node}: {error}") from error
        self.minors = sorted({parse_minor(version) for version in versions} | set(self._nodes)) or [otherwise]

    def nodes_of(self, minors: Iterable[int]) -> tuple[str, ...]:
        """The names of the nodes that run one of these minors, sorted."""
        return tuple(sorted(minor_name for minor in set(minors) for minor_name in self._nodes.get(minor, ())))

    def suffix(self, minors: Iterable[int]) -> str:
        """Which minors of the pool a finding holds for and which nodes those are, for its message; "" for all."""
        held = set(minors)
        if held >= set(self.minors):
            return ""
        nodes = self.nodes_of(held)
        more = f" and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else ""
        return f" (Kubernetes {minor_names(held)}" + (f": {', '.join(nodes[:_NAMED])}{more})" if nodes else ")")


# From which minor on a reader of the kind refuses unknown and duplicate fields; all others take them, with a warning
# or silently.
_STRICT_SINCE = {
    "AuthenticationConfiguration": 0,
    "AuthorizationConfiguration": 0,
    "PodSecurityConfiguration": 0,
    "EncryptionConfiguration": 31,
    "AdmissionConfiguration": 32,
    "TracingConfiguration": 32,
    "EgressSelectorConfiguration": 32,
    "ResourceQuotaConfiguration": 32,
    "resourcequota.Configuration": 32,
    "LeaderMigrationConfiguration": 32,
    "CredentialProviderConfig": 32,
    "WebhookAdmission": 36,
    "WebhookAdmissionConfiguration": 36,
}


def check(
    source: str | bytes | Document,
    *,
    file: str = "config",
    component: str | None = None,
    versions: Sequence[str] = (),
    nodes: Mapping[str, str] | None = None,
    bundle: bool = False,
) -> list[Finding]:
    """Judge one component config for a set of Kubernetes versions and return everything that is wrong with it.

    Takes text, bytes or a decoded `Document`; `component` is the one that will read it, where that is known;
    `versions` are Kubernetes versions ("1.31", "v1.31.4"), `nodes` by name those of a pool; none of both means the
    newest that the data cover. With `bundle` what may not be shared is found as well. Findings are sorted by line;
    `versions` and `nodes` of each tell for which minors and nodes it holds. Raises ValueError for a version that is
    none, nothing else: a text that cannot be read is one finding.
    """
    pool = Targets(versions, nodes or {}, newest_minor())
    minors = pool.minors
    try:
        document = source if isinstance(source, Document) else decode(source, file=file)
    except InvalidConfig as error:
        versions = tuple(minor_name(minor) for minor in minors)
        return [finding._replace(versions=versions, nodes=pool.nodes_of(minors)) for finding in error.findings]
    judged = Collector(document, pool)
    _warn_of_versions(judged)
    kind = _kind_of(judged, component)
    if kind is not None:
        for minor in minors:
            _judge(judged, kind, minor)
        if bundle:
            judged.add(bundle_findings(document.data, kind.kind))
    else:
        for found in document.findings:
            judged.add_located(found, minors)
        if bundle:
            judged.add(bundle_findings(document.data, ""))
    return judged.findings()


def _warn_of_versions(judged: Collector) -> None:
    known = known_minors()
    for minor in judged.minors:
        if not known[0] <= minor <= known[-1]:
            nearest = known[0] if minor < known[0] else known[-1]
            hint = quoting_hint(minor)
            message = f"Kubernetes {minor_name(minor)} is not known here: judged as {minor_name(nearest)}{hint}"
            judged.add([Finding((), message, "version", Level.WARNING)], minor)


def _kind_of(judged: Collector, component: str | None) -> Kind | None:
    """The document's kind; None, with the reason noted, where it cannot be judged as that component's config."""
    data = judged.document.data
    if not isinstance(data, dict):
        message = "the file is empty" if data is None else "must be a mapping with apiVersion and kind"
        judged.add([Finding((), message, "kind")])
        return None
    missing = [key for key in ("apiVersion", "kind") if not isinstance(data.get(key), str) or not data[key]]
    if missing:
        judged.add([Finding((key,), "is required, as a string", "kind") for key in missing])
        return None
    known_components = {kind.component for kind in kinds()}
    kind = find_kind(data["apiVersion"], data["kind"])
    if kind is None:
        if component is not None and component not in known_components:
            message = f"the kind is not known here: of {component}'s config only the syntax is judged"
            judged.add([Finding(("kind",), message, "kind", Level.WARNING)])
            return None
        same = sorted(one.api_version for one in kinds() if one.kind == data["kind"])
        if same:
            judged.add([Finding(("apiVersion",), f"{data['kind']} is known in {', '.join(same)}", "kind")])
        else:
            judged.add([Finding(("kind",), _wanted(component) or _unknown(data["kind"]), "kind")])
        return None
    if component is not None and component not in known_components:
        _warn_of_name(judged, component, known_components)
    wrong = component in MAIN_KINDS and kind.kind != MAIN_KINDS[str(component)]
    if wrong or (component in known_components and kind.component != component):
        judged.add([Finding(("kind",), _wanted(component), "kind")])
        return None
    return kind


def _wanted(component: str | None) -> str:
    if component in MAIN_KINDS:
        return f"{component} reads a {MAIN_KINDS[str(component)]}"
    return f"{component} does not read this kind" if component else ""


def _warn_of_name(judged: Collector, component: str, known: Iterable[str]) -> None:
    """Say so where a component, whose name anybody may choose, is nearly called like one that is known."""
    import difflib  # late, for the sake of those that need it not

    near = difflib.get_close_matches(component, sorted(known), 1, 0.85)
    if near:
        message = f"the component {component} is not known here, so its kind is not looked at: did you mean {near[0]}?"
        judged.add([Finding((), message, "kind", Level.WARNING)])


def _unknown(kind: str) -> str:
    import difflib  # late, for the sake of those that need it not

    near = difflib.get_close_matches(kind, {one.kind for one in kinds()}, 1, 0.85)
    return "unknown kind" + (
        f", did you mean {near[0]}?" if near else ", no component config as KubeletConfiguration is"
    )


def _judge(judged: Collector, kind: Kind, minor: int) -> None:
    known = known_minors()
    at = min(max(minor, known[0]), known[-1])
    if not kind.known_at(at):
        ends = f" to {minor_name(kind.last)}" if kind.last is not None else " on"
        message = f"{kind.api_version} is known from Kubernetes {minor_name(kind.since)}{ends}"
        judged.add([Finding(("apiVersion",), message, "kind")], minor)
        return
    for found in judged.document.findings:
        level = _lenient_level(kind, at) if found.rule == "duplicate" else found.level
        judged.add_located(found._replace(level=level), [minor])
    _judge_part(judged, kind, judged.document.data, (), at, minor)


def _lenient_level(kind: Kind, at: int) -> Level:
    strict = kind.component == "kube-scheduler" or _STRICT_SINCE.get(kind.own_name, at + 1) <= at
    return Level.COMPONENT if strict else Level.POLICY


def _judge_part(judged: Collector, kind: Kind, data: dict[str, Any], where: Path, at: int, minor: int) -> None:
    """Judge the document, or one within it that begins at the path `where`."""

    def add(finding: Finding) -> None:
        judged.add([finding._replace(path=where + finding.path) if where else finding], minor)

    checked = check_types(data, kind, at, is_json=judged.document.is_json, gated=gated_values(kind))
    for finding in checked.findings:
        add(finding._replace(level=_lenient_level(kind, at)) if finding.rule == "unknown-field" else finding)
    context = _context(checked, kind, at)
    for rules in rule_sets(kind):
        for finding in run_rules(rules, context):
            certain = finding.rule not in ("gates-known", "gates-deps") or context.gates.certain
            add(finding if certain else finding._replace(level=Level.WARNING))
    if kind.kind == MAIN_KINDS["kubelet"]:
        from ._rules._kubelet_startup import logged_problems  # a node judges one component at a time

        for finding in logged_problems(context):
            add(finding)
    for part in embedded(kind, checked.data, at):
        if part.path[0] in checked.broken:
            continue
        if isinstance(part, Finding):
            add(part)
        else:
            _judge_part(judged, part.kind, part.data, where + part.path, at, minor)


def _context(checked: TypeCheck, kind: Kind, at: int) -> EffectiveConfig:
    gates = FeatureGates(at, checked.data.get("featureGates", {}))
    return EffectiveConfig(at, checked.data, kind.fields, gates, frozenset(checked.broken))


def context_of(document: Document, minor: int) -> EffectiveConfig | None:
    """A config as the component of one minor sees it, for checks beside these; None where it is none of its kinds."""
    data = document.data
    kind = find_kind(data.get("apiVersion"), data.get("kind")) if isinstance(data, dict) else None
    if kind is None:
        return None
    at = min(max(minor, known_minors()[0]), known_minors()[-1])
    return _context(check_types(data, kind, at, is_json=document.is_json, gated=gated_values(kind)), kind, at)
