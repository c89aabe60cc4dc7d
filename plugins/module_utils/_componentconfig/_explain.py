# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known about one field of a config, or about one feature gate.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._denied_fields import INSTANCE_FIELDS
from ._disruption import disruption_of
from ._exceptions import ConfigError
from ._rules._registry import rule_sets
from ._rules._rule_facts import rule_facts
from ._scalars._secrets import is_secret
from ._schema._feature_gates import gate_dependencies, gate_history, gate_names
from ._schema._kinds import MAIN_KINDS, Kind, kinds
from ._schema._path_fields import PATH_FIELDS
from ._schema._releases import known_minors, minor_name, parse_known_minor

__all__ = ["Explanation", "explain"]

_GATES = "featureGates"
_NEAR = 5


@dataclass(frozen=True)
class Explanation:
    """What is known about a field or a gate: its heading, and facts by name, those that say nothing left out."""

    heading: str
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """All of it as lines for people."""
        lines = [self.heading]
        width = max((len(label) for label in self.facts), default=0)
        for label, value in self.facts.items():
            rows = value if isinstance(value, list) else [value]
            for number, row in enumerate(rows):
                shown = label.replace("_", " ") if number == 0 else ""
                lines.append(f"  {shown:{width}}  {_row(row)}")
        return lines


def _row(row: Any) -> str:
    if not isinstance(row, Mapping):
        return str(row)
    first, *rest = (f"{value}" for value in row.values() if value not in ("", None, []))
    return f"{first:6} {' '.join(rest)}".rstrip()


def explain(path: str, *, kind: str = "kubelet", version: str = "") -> Explanation:
    """Explain a field by its path (`memorySwap.swapBehavior`, `registerWithTaints[].key`), a gate by
    `featureGates.NAME`, or a kind by "".

    kind: a component or a kind, taken in its newest API version; version: a Kubernetes version whose kind is meant
    instead. Raises ComponentConfigError with a sentence, and what may be meant, for what is not known.
    """
    found = _kind(kind, version)
    names = [part for part in re.split(r"[.\[\]{}]+", path) if not re.fullmatch(r"\*?|[0-9]+", part)]
    if names[:1] == [_GATES] and len(names) > 1:
        return _gate(names[1])
    if not names:
        heading = f"{found.kind} ({found.api_version}), read by {found.component}"
        return Explanation(heading, {"versions": _span(found.since, found.last), "fields": sorted(found.fields)})
    entry, known, key = _entry(found, names)
    return _field(found, entry, known, key)


def _kind(wanted: str, version: str) -> Kind:
    minor = parse_known_minor(version) if version else None
    named = MAIN_KINDS.get(wanted, wanted)
    fitting = [one for one in kinds() if one.kind == named and (minor is None or one.known_at(minor))]
    if not fitting:
        near = difflib.get_close_matches(wanted, [*MAIN_KINDS, *(one.kind for one in kinds())], 3)
        raise ConfigError(
            f"{wanted} is no component or kind that is known"
            + (f" at Kubernetes {version}" if version else "")
            + _meant(near)
        )
    return max(fitting, key=lambda one: (one.last is None, one.last or 0, one.since, _stability(one.api_version)))


def _stability(api_version: str) -> tuple[int, str]:
    last = api_version.rpartition("/")[2]
    return ("alpha" not in last and "beta" not in last) * 2 + ("beta" in last), last


def _meant(names: Sequence[str]) -> str:
    return f"; did you mean {', '.join(dict.fromkeys(names))}?" if names else ""


def _entry(kind: Kind, names: Sequence[str]) -> tuple[Mapping[str, Any], list[str], str]:
    """A field's facts, its path, and the key below it where it is a map of plain values and names go on."""
    fields, known = kind.fields, list[str]()
    entry: Mapping[str, Any] = {}
    for number, part in enumerate(names):
        if part in fields:
            entry = fields[part]
            known.append(part)
            fields = entry.get("fields", {})
        elif known and str(entry.get("type")).startswith("map<") and not entry.get("fields"):
            return entry, known, ".".join(names[number:])
        elif not (known and str(entry.get("type")).startswith("map<") and number + 1 < len(names)):
            raise ConfigError(
                f"{kind.kind} has no field {'.'.join(names)}"
                + _meant(_near(kind, names) or [".".join(known)] * bool(known))
            )
    return entry, known, ""


def _near(kind: Kind, names: Sequence[str]) -> list[str]:
    every = list(_paths(kind.fields))
    whole, last = ".".join(names), names[-1].lower()
    same = [path for path in every if path.rpartition(".")[2].lower() == last]
    lower = {path.lower(): path for path in every}
    close = [lower[one] for one in difflib.get_close_matches(whole.lower(), lower, _NEAR, 0.75)]
    gates = [f"{_GATES}.{gate}" for gate in difflib.get_close_matches(names[-1], gate_names(), 1, 0.9)]
    return [*same, *close, *gates][:_NEAR]


def _paths(fields: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for part, entry in fields.items():
        yield above + part
        yield from _paths(entry.get("fields", {}), f"{above}{part}.")


def _field(kind: Kind, entry: Mapping[str, Any], known: Sequence[str], key: str) -> Explanation:
    dotted = ".".join(known)
    path = (*known, key) if key else tuple(known)
    asked = disruption_of(path, kind.kind, known_minors()[-1])
    facts = {
        "type": _history(entry, "type", kind) if "types" in entry else entry.get("type", "string"),
        "versions": _span(entry.get("since", kind.since), entry.get("last", kind.last)),
        "default": _history(entry, "default", kind),
        "default_from": entry.get("defaultFrom"),
        "allowed": _history(entry, "enum", kind),
        "feature_gates": [_short(gate) for gate in entry.get("gates", ()) if gate_history(gate)],
        "rules": list(_rules(kind, dotted)),
        "disruption": f"{asked}: {asked.meaning}",
        "note": asked.note,
        "remark": _remarks(kind, dotted, known[-1]),
        "fields": sorted(entry.get("fields", {})),
    }
    heading = ".".join(path) + f", of {kind.kind} ({kind.api_version})"
    return Explanation(heading, {label: value for label, value in facts.items() if value not in ("", [], None)})


def _history(entry: Mapping[str, Any], what: str, kind: Kind) -> list[dict[str, str]]:
    """Values by the minor from which on they hold."""
    rows = entry.get(f"{what}s") or ([[entry.get("since", kind.since), entry[what]]] if what in entry else [])
    return [{"since": minor_name(minor), "value": _value(value)} for minor, value in rows]


def _value(value: Any) -> str:
    if isinstance(value, dict) and "whenGate" in value:
        return f"{json.dumps(value['value'])} with the gate {value['whenGate']}"
    if isinstance(value, list):
        return ", ".join(str(one) for one in value if one != "")
    return value if isinstance(value, str) else json.dumps(value)


def _span(since: int, last: int | None) -> str:
    first = known_minors()[0]
    start = f"{minor_name(since)} or earlier" if since <= first else minor_name(since)
    return f"from {start}" + (f" to {minor_name(last)}" if last is not None else "")


def _short(gate: str) -> dict[str, str]:
    now = gate_history(gate)[-1]
    return {"gate": gate, "state": f"since {minor_name(now.since)} " + _state(now.stage, now.default, now.locked)}


def _state(stage: str, default: bool, locked: bool) -> str:
    return f"{stage}, {'on' if default else 'off'}" + (", locked" if locked else "") if stage else "gone"


def _rules(kind: Kind, dotted: str) -> Iterator[dict[str, str]]:
    for rules in rule_sets(kind):
        for rule, facts in rule_facts(rules.component, rules.section).items():
            about = (re.sub(r"\[\]|\{\}", "", one) for one in facts["fields"])
            if any(f"{one}.".startswith(f"{dotted}.") or f"{dotted}.".startswith(f"{one}.") for one in about):
                span = _span(facts.get("since", 0), facts.get("last")) if "since" in facts or "last" in facts else ""
                gate = f"with the gate {facts['gate']}" if isinstance(facts.get("gate"), str) else ""
                yield {"rule": rule, "versions": span, "gate": gate}


def _remarks(kind: Kind, dotted: str, last: str) -> list[str]:
    paths = {one.replace(".*", "") for one in PATH_FIELDS.get(kind.kind, ())}
    said = (
        (dotted in paths, "a path: absolute in a bundle"),
        (is_secret("x", (last,)), "a secret: never in a bundle"),
        (dotted in INSTANCE_FIELDS.get(kind.kind, ()), "belongs to one node: into its instance config, never a bundle"),
    )
    return [remark for holds, remark in said if holds]


def _gate(gate: str) -> Explanation:
    history = gate_history(gate)
    if not history:
        near = difflib.get_close_matches(gate, gate_names(), _NEAR, 0.75)
        raise ConfigError(f"{gate} is no feature gate that is known" + _meant([f"{_GATES}.{one}" for one in near]))
    facts: dict[str, Any] = {
        "stages": [
            {"since": minor_name(one.since), "state": _state(one.stage, one.default, one.locked)} for one in history
        ],
        "needs": [
            {"since": minor_name(minor), "gates": ", ".join(needed) or "none"}
            for minor, needed in gate_dependencies(gate)
        ],
        "needed_by": [
            other for other in gate_names() if any(gate in needed for _since, needed in gate_dependencies(other))
        ],
    }
    return Explanation(f"{gate}, a feature gate", {label: value for label, value in facts.items() if value})
