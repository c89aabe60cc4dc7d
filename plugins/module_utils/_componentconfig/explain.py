# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Explain a field, a kind or a feature gate."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import ConfigError
from ._field_notes import notes_about_field
from ._gate_effects import components_of_gate
from ._meanings import explanation, notes_about_gate
from ._options import FLAG_COMPONENTS
from ._rules import rule_facts, sections_of
from ._scalars.secrets import is_secret
from ._schema._feature_gates import gate_dependencies, gate_history, gate_names
from ._schema.kinds import KUBELET, MAIN_KINDS, STATIC_POD, FieldFact, Kind, declared_kinds, kinds, version_order
from ._schema.path_fields import PATH_FIELDS
from ._schema.releases import known_minors, minor_name, parse_known_minor
from .disruption import disruption_of
from .instance_fields import INSTANCE_FIELDS

_GATES = "featureGates"
_MAX_SUGGESTIONS = 5
_FLAG = "flags."


@dataclass(frozen=True)
class Explanation:
    """The known facts about a field, a kind or a gate, by name and without empty ones, under a heading."""

    heading: str
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """The explanation as human-readable lines."""
        lines = [self.heading]
        width = max((len(label) for label in self.facts), default=0)
        for label, value in self.facts.items():
            rows = value if isinstance(value, list) else [value]
            for number, row in enumerate(rows):
                shown = label.replace("_", " ") if number == 0 else ""
                lines.append(f"  {shown:{width}}  {_format_row(row)}")
        return lines


def _format_row(row: Any) -> str:
    if not isinstance(row, Mapping):
        return str(row)
    first, *rest = (f"{value}" for value in row.values() if value not in ("", None, []))
    return f"{first:6} {' '.join(rest)}".rstrip()


def explain(path: str, *, kind: str = KUBELET, version: str = "") -> Explanation:
    """Explain a field, a feature gate or a kind.

    path: of a field (`memorySwap.swapBehavior`, `registerWithTaints[].key`), `featureGates.NAME` for a gate,
    `flags.NAME` for a flag of the component that `kind` names, "" for the kind itself. kind: a component or a kind, in
    its newest API version. version: a Kubernetes version that must know the kind. Raises ConfigError, with similar
    names, for a field, flag, gate, kind or version that is not known.
    """
    if kind in FLAG_COMPONENTS and (path.startswith(_FLAG) or kind not in MAIN_KINDS):
        from ._options._explain import flag_facts, flag_names  # most explanations are of fields

        flag = path.removeprefix(_FLAG).removeprefix("--")
        if not flag:
            return Explanation(f"{kind}, which reads flags", {"flags": flag_names(kind)})
        return Explanation(f"--{flag}, a flag of {kind}", _without_empty(flag_facts(kind, flag)))
    schema = _newest_kind(kind, version)
    names = [part for part in re.split(r"[.\[\]{}]+", path) if not re.fullmatch(r"\*?|[0-9]+", part)]
    if names[:1] == [_GATES] and len(names) > 1:
        return _explain_gate(names[1])
    if not names:
        fields = sorted(schema.fields)
        if schema.is_declared:
            description = {"description": schema.description}
            return Explanation(f"{schema.kind} ({schema.api_version})", {**description, "fields": fields})
        reader = (
            "read by the agent of a static Pod" if schema.component == STATIC_POD else f"read by {schema.component}"
        )
        heading = f"{schema.kind} ({schema.api_version}), {reader}"
        return Explanation(heading, {"versions": _versions_text(schema.since, schema.last), "fields": fields})
    entry, field_path, key = _find_field(schema, names)
    return _explain_field(schema, entry, field_path, key)


def _newest_kind(name: str, version: str) -> Kind:
    minor = parse_known_minor(version) if version else None
    kind_name = MAIN_KINDS.get(name, name)
    known = (*kinds(), *declared_kinds())
    candidates = [kind for kind in known if kind.kind == kind_name and (minor is None or kind.known_at(minor))]
    if not candidates:
        similar = _close_matches(name, [*MAIN_KINDS, *(kind.kind for kind in known)], 3)
        at_version = f" at Kubernetes {version}" if version else ""
        raise ConfigError(f"{name} is not a known component or kind{at_version}" + _did_you_mean(similar))
    return max(candidates, key=lambda kind: (kind.last is None, kind.last or 0, kind.since, version_order(kind)))


def _close_matches(word: str, names: Iterable[str], limit: int, cutoff: float = 0.6) -> list[str]:
    import difflib  # not at the top: most explanations need no suggestion

    return difflib.get_close_matches(word, list(names), limit, cutoff)


def _did_you_mean(names: Sequence[str]) -> str:
    return f"; did you mean {', '.join(dict.fromkeys(names))}?" if names else ""


def _find_field(kind: Kind, names: Sequence[str]) -> tuple[Mapping[str, Any], list[str], str]:
    """Return a field's entry, its path, and the key in it if it is a map of plain values and names has more parts."""
    fields, field_path = kind.fields, list[str]()
    entry: Mapping[str, Any] = {}
    for number, part in enumerate(names):
        if part in fields:
            entry = fields[part]
            field_path.append(part)
            fields = entry.get("fields", {})
        elif field_path and str(entry.get("type")).startswith("map<") and not entry.get("fields"):
            return entry, field_path, ".".join(names[number:])
        elif not (field_path and str(entry.get("type")).startswith("map<") and number + 1 < len(names)):
            raise ConfigError(
                f"{kind.kind} has no field {'.'.join(names)}"
                + _did_you_mean(_suggestions(kind, names) or [".".join(field_path)] * bool(field_path))
            )
    return entry, field_path, ""


def _suggestions(kind: Kind, names: Sequence[str]) -> list[str]:
    paths = list(_all_paths(kind.fields))
    whole, last = ".".join(names), names[-1].lower()
    same_name = [path for path in paths if path.rpartition(".")[2].lower() == last]
    by_lower_case = {path.lower(): path for path in paths}
    similar = [by_lower_case[path] for path in _close_matches(whole.lower(), by_lower_case, _MAX_SUGGESTIONS, 0.75)]
    gates = [f"{_GATES}.{gate}" for gate in _close_matches(names[-1], gate_names(), 1, 0.9)]
    return [*same_name, *similar, *gates][:_MAX_SUGGESTIONS]


def _all_paths(fields: Mapping[str, Any], parents: str = "") -> Iterator[str]:
    for part, entry in fields.items():
        yield parents + part
        yield from _all_paths(entry.get("fields", {}), f"{parents}{part}.")


def _explain_field(kind: Kind, entry: Mapping[str, Any], field_path: Sequence[str], key: str) -> Explanation:
    field = ".".join(field_path)
    path = (*field_path, key) if key else tuple(field_path)
    heading = ".".join(path) + f", of {kind.kind} ({kind.api_version})"
    if kind.is_declared:
        return Explanation(heading, _without_empty(_declared_field_facts(kind, entry, field)))
    disruption = disruption_of(path, kind.kind, known_minors()[-1])
    facts = {
        "type": _values_by_minor(entry, "type", kind) if "types" in entry else entry.get("type", "string"),
        "versions": _versions_text(entry.get("since", kind.since), entry.get("last", kind.last)),
        "default": _values_by_minor(entry, "default", kind),
        "default_from": entry.get("defaultFrom"),
        "allowed": _values_by_minor(entry, "enum", kind),
        "feature_gates": [_gate_now(gate) for gate in entry.get("gates", ()) if gate_history(gate)],
        "operating_system": _operating_system(kind, field_path),
        "rules": list(_rules_about(kind, field)),
        "meaning": [explanation(note) for note in notes_about_field(kind, path)],
        "disruption": f"{disruption}: {disruption.meaning}",
        "note": disruption.note,
        "remark": _remarks(kind, field, field_path[-1]),
        "fields": sorted(entry.get("fields", {})),
    }
    return Explanation(heading, _without_empty(facts))


def _operating_system(kind: Kind, field_path: Sequence[str]) -> str:
    """Return the only operating system on which the component reads a field or one around it, "" for all systems."""
    systems = [entry["os"] for entry in kind.entries_along(tuple(field_path)) if "os" in entry]
    return f"{systems[0].capitalize()} only" if systems else ""


def _without_empty(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {label: value for label, value in facts.items() if value not in ("", [], None)}


def _declared_field_facts(kind: Kind, entry: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return the facts about a field that no Kubernetes version reads."""
    return {
        "description": " ".join(entry.get("description", ())),
        "type": entry.get("type", "string"),
        "required": "" if entry.get("optional") else "yes",
        "default": _format_value(entry["default"]) if "default" in entry else "",
        "allowed": entry.get("enum"),
        "rules": list(_rules_about(kind, field)),
        "fields": sorted(entry.get("fields", {})),
    }


def _values_by_minor(entry: Mapping[str, Any], fact: FieldFact, kind: Kind) -> list[dict[str, str]]:
    """Return the values of a fact, each with the minor from which on it holds."""
    rows = entry.get(f"{fact}s") or ([[entry.get("since", kind.since), entry[fact]]] if fact in entry else [])
    return [{"since": minor_name(minor), "value": _format_value(value)} for minor, value in rows]


def _format_value(value: Any) -> str:
    if isinstance(value, dict) and "whenGate" in value:
        return f"{json.dumps(value['value'])} with the gate {value['whenGate']}"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value if item != "")
    return value if isinstance(value, str) else json.dumps(value)


def _versions_text(since: int, last: int | None) -> str:
    first = known_minors()[0]
    start = f"{minor_name(since)} or earlier" if since <= first else minor_name(since)
    return f"from {start}" + (f" to {minor_name(last)}" if last is not None else "")


def _gate_now(gate: str) -> dict[str, str]:
    now = gate_history(gate)[-1]
    return {"gate": gate, "state": f"since {minor_name(now.since)} {now}"}


def _rules_about(kind: Kind, field: str) -> Iterator[dict[str, str]]:
    """Yield the rules about a field, or a field around or inside it."""
    for section in sections_of(kind):
        for rule, facts in rule_facts(kind.data_module, section).items():
            paths = (re.sub(r"\[\]|\{\}", "", path) for path in facts["fields"])
            if any(f"{path}.".startswith(f"{field}.") or f"{field}.".startswith(f"{path}.") for path in paths):
                is_bounded = "since" in facts or "last" in facts
                versions = _versions_text(facts.get("since", 0), facts.get("last")) if is_bounded else ""
                gate = f"with the gate {facts['gate']}" if isinstance(facts.get("gate"), str) else ""
                yield {"rule": rule, "versions": versions, "gate": gate}


def _remarks(kind: Kind, field: str, name: str) -> list[str]:
    paths = {path.replace(".*", "") for path in PATH_FIELDS.get(kind.kind, ())}
    remarks = (
        (field in paths, "a path: absolute in a bundle"),
        (is_secret("x", (name,)), "a secret: never in a bundle"),
        (field in INSTANCE_FIELDS.get(kind.kind, ()), "belongs to one node: into its instance config, never a bundle"),
    )
    return [remark for applies, remark in remarks if applies]


def _explain_gate(gate: str) -> Explanation:
    history = gate_history(gate)
    if not history:
        similar = [f"{_GATES}.{name}" for name in _close_matches(gate, gate_names(), _MAX_SUGGESTIONS, 0.75)]
        raise ConfigError(f"{gate} is not a known feature gate" + _did_you_mean(similar))
    facts: dict[str, Any] = {
        "components": ", ".join(components_of_gate(gate)) or "not known",
        "stages": [{"since": minor_name(state.since), "state": str(state)} for state in history],
        "needs": [
            {"since": minor_name(minor), "gates": ", ".join(needed) or "none"}
            for minor, needed in gate_dependencies(gate)
        ],
        "needed_by": [
            name for name in gate_names() if any(gate in needed for _since, needed in gate_dependencies(name))
        ],
        "meaning": [explanation(note) for note in notes_about_gate(gate)],
    }
    return Explanation(f"{gate}, a feature gate", {label: value for label, value in facts.items() if value})
