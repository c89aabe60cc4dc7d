# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found in a document for several minors, put together.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ._bundle_policy import bundle_findings
from ._codec._document import Document, decode
from ._exceptions import ConfigError
from ._findings import COMPONENT, POLICY, WARNING, Finding, InvalidConfig, Problem, bounded, finding, in_reading_order
from ._rules._registry import gated_values, rule_sets
from ._rules._rule import EffectiveConfig, run_rules
from ._scalars._field_path import Path, lookup
from ._schema._feature_gates import FeatureGates
from ._schema._kinds import MAIN_KINDS, Kind, embedded, find_kind, kinds
from ._schema._releases import known_minors, minor_name, minor_names, newest_minor, parse_minor, quoting_hint
from ._schema._type_check import TypeCheck, check_types

__all__ = ["Collector", "Targets", "context_of", "check"]


class Collector:
    """Problems of one document, judged for a pool: the same one of several minors is one finding."""

    def __init__(self, document: Document, pool: Targets) -> None:
        """pool: the minors that are judged for."""
        self.document = document
        self.pool = pool
        self.minors = pool.minors
        self._found: dict[Finding, set[int]] = {}
        self._made: dict[tuple[Path, str, str, str], set[int]] = {}

    def add(self, problems: Iterable[Problem], level: str, minor: int | None = None) -> None:
        """Take problems of the document in, found for one minor or for all."""
        minors = self.minors if minor is None else (minor,)
        for problem in problems:
            # Most problems are found for many minors, and making a finding is the dear part.
            key = (problem.path, problem.message, level, problem.rule)
            if key in self._made:
                self._made[key].update(minors)
                continue
            value = problem.value
            if value is None and problem.path:
                value = lookup(self.document.data, problem.path)
            line = self.document.line_of(problem.path)
            file = self.document.file_of(problem.path)
            found = finding(file, line, problem.path, value, problem.message, level, problem.rule)
            self._made[key] = self._found.setdefault(found, set())
            self._made[key].update(minors)

    def add_finding(self, found: Finding, minors: Iterable[int]) -> None:
        """Take a finding in that has its file and line already."""
        self._found.setdefault(found, set()).update(minors)

    def findings(self) -> list[Finding]:
        """All of it as far as it is bounded, sorted by line, each with the minors and the nodes that it holds for."""
        result = []
        told: dict[frozenset[int], tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
        for found, held in self._found.items():
            minors = frozenset(held)
            if minors not in told:
                minor_names = tuple(minor_name(minor) for minor in sorted(minors))
                told[minors] = self.pool.suffix(minors), minor_names, self.pool.nodes_of(minors)
            suffix, versions, nodes = told[minors]
            result.append(replace(found, message=found.message + suffix, versions=versions, nodes=nodes))
        return bounded(sorted(result, key=in_reading_order))


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
        return [replace(error.finding, versions=versions, nodes=pool.nodes_of(minors))]
    judged = Collector(document, pool)
    _warn_of_versions(judged)
    kind = _kind_of(judged, component)
    if kind is not None:
        for minor in minors:
            _judge(judged, kind, minor)
        if bundle:
            judged.add(bundle_findings(document.data, kind.kind), POLICY)
    else:
        for found in document.findings:
            judged.add_finding(found, minors)
        if bundle:
            judged.add(bundle_findings(document.data, ""), POLICY)
    return judged.findings()


def _warn_of_versions(judged: Collector) -> None:
    known = known_minors()
    for minor in judged.minors:
        if not known[0] <= minor <= known[-1]:
            nearest = known[0] if minor < known[0] else known[-1]
            hint = quoting_hint(minor)
            message = f"Kubernetes {minor_name(minor)} is not known here: judged as {minor_name(nearest)}{hint}"
            judged.add([Problem((), message, "version")], WARNING, minor)


def _kind_of(judged: Collector, component: str | None) -> Kind | None:
    """The document's kind; None, with the reason noted, where it cannot be judged as that component's config."""
    data = judged.document.data
    if not isinstance(data, dict):
        message = "the file is empty" if data is None else "must be a mapping with apiVersion and kind"
        judged.add([Problem((), message, "kind")], COMPONENT)
        return None
    missing = [key for key in ("apiVersion", "kind") if not isinstance(data.get(key), str) or not data[key]]
    if missing:
        judged.add([Problem((key,), "is required, as a string", "kind") for key in missing], COMPONENT)
        return None
    known_components = {kind.component for kind in kinds()}
    kind = find_kind(data["apiVersion"], data["kind"])
    if kind is None:
        if component is not None and component not in known_components:
            message = f"the kind is not known here: of {component}'s config only the syntax is judged"
            judged.add([Problem(("kind",), message, "kind")], WARNING)
            return None
        same = sorted(one.api_version for one in kinds() if one.kind == data["kind"])
        if same:
            judged.add([Problem(("apiVersion",), f"{data['kind']} is known in {', '.join(same)}", "kind")], COMPONENT)
        else:
            judged.add([Problem(("kind",), _wanted(component) or _unknown(data["kind"]), "kind")], COMPONENT)
        return None
    if component is not None and component not in known_components:
        _warn_of_name(judged, component, known_components)
    wrong = component in MAIN_KINDS and kind.kind != MAIN_KINDS[str(component)]
    if wrong or (component in known_components and kind.component != component):
        judged.add([Problem(("kind",), _wanted(component), "kind")], COMPONENT)
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
        judged.add([Problem((), message, "kind")], WARNING)


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
        judged.add([Problem(("apiVersion",), message, "kind")], COMPONENT, minor)
        return
    for found in judged.document.findings:
        level = _lenient_level(kind, at) if found.rule == "duplicate" else found.level
        judged.add_finding(replace(found, level=level), [minor])
    _judge_part(judged, kind, judged.document.data, (), at, minor)


def _lenient_level(kind: Kind, at: int) -> str:
    strict = kind.component == "kube-scheduler" or _STRICT_SINCE.get(kind.own_name, at + 1) <= at
    return COMPONENT if strict else POLICY


def _judge_part(judged: Collector, kind: Kind, data: dict[str, Any], where: Path, at: int, minor: int) -> None:
    """Judge the document, or one within it that begins at the path `where`."""

    def add(problem: Problem, level: str) -> None:
        judged.add([replace(problem, path=where + problem.path) if where else problem], level, minor)

    checked = check_types(data, kind, at, is_json=judged.document.is_json, gated=gated_values(kind))
    for problem in checked.problems:
        add(problem, _lenient_level(kind, at) if problem.rule == "unknown-field" else COMPONENT)
    context = _context(checked, kind, at)
    for rules in rule_sets(kind):
        for problem in run_rules(rules, context):
            certain = problem.rule not in ("gates-known", "gates-deps") or context.gates.certain
            add(problem, rules.level_of(problem.rule) if certain else WARNING)
    if kind.kind == MAIN_KINDS["kubelet"]:
        from ._rules._kubelet_startup import logged_problems  # a node judges one component at a time

        for problem in logged_problems(context):
            add(problem, POLICY)
    for part in embedded(kind, checked.data, at):
        if part.path[0] in checked.broken:
            continue
        if isinstance(part, Problem):
            add(part, COMPONENT)
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
