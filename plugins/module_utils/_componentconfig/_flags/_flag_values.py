# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the values of flags, by themselves and against other flags, by the rules of schema/*_flag_rules.json."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from .._schema._feature_gates import FeatureGates
from .._schema.kinds import is_present_at
from ..findings import Level
from ._flag_value import FlagRule, FlagValue
from ._node_flag_rules import NODE_RULES
from ._relation_flag_rules import RELATION_RULES

_CONSEQUENCES: Mapping[str, tuple[Level, str]] = {
    "exit": (Level.COMPONENT, ""),
    "registrationRefusedByAPI": (Level.POLICY, "the API server refuses the Node, which never registers"),
    "nodeStatusUpdateFails": (Level.POLICY, "the kubelet cannot report the status of its Node"),
    "silentlyDropped": (Level.POLICY, "the kubelet drops it silently"),
    "ignoredWithLog": (Level.POLICY, "the kubelet ignores it and only logs this"),
    "exitWithoutVariable": (Level.WARNING, "the kubelet exits without it, and flags do not show it"),
    "readAsNanoseconds": (Level.POLICY, "etcd takes its nanoseconds for a number of revisions, and compacts nothing"),
    "compactsAllTheTime": (Level.POLICY, "etcd compacts without a pause"),
    "refusesObjects": (Level.POLICY, "etcd refuses objects that the API server takes"),
    "lastWins": (Level.WARNING, "the last value wins"),
}
"""What follows from a value that a rule refuses: how serious it is, and words for it."""


RULES: Mapping[str, FlagRule] = {**NODE_RULES, **RELATION_RULES}
"""The function of each word of a rule; it yields what is wrong with the values of a flag."""


@lru_cache(maxsize=1)
def _rule_data() -> dict[str, Any]:
    from .._data._flag_rules import RULES as DATA

    return cast("dict[str, Any]", json.loads(DATA))


def refused_values(
    component: str,
    flag: str,
    uses: Mapping[str, Sequence[str]],
    minor: int,
    gates: FeatureGates,
    *,
    knows_file: bool = True,
    unknown: Container[str] = (),
) -> Iterator[tuple[str, str, Level]]:
    """Yield for each rule that the values of a flag break: its word, what is wrong and what follows, and the level.

    uses: the values of all uses of each flag of the command line, this one among them. knows_file: whether `gates` has
    the feature gates of the component's file; if not, what only a gate decides is a warning. unknown: flags whose
    values are not known, so that others are not compared with them.
    """
    for facts in _rule_data().get(component, {}).get(flag, ()):
        if not is_present_at(facts, minor) or any(name in unknown for name in _others(facts)):
            continue
        level, consequence = _CONSEQUENCES[facts.get("otherwise", "exit")]
        value = FlagValue(flag, uses[flag], uses, gates, facts, minor)
        if not knows_file and _is_decided_by_gate(value):
            level = Level.WARNING
        for message in RULES[facts["rule"]](value):
            yield facts["rule"], f"{message}: {consequence}" if consequence else message, level


def flags_compared_with(component: str, flag: str, minor: int) -> frozenset[str]:
    """Return the other flags whose values decide whether a value of a flag is refused at a minor."""
    rows = [facts for facts in _rule_data().get(component, {}).get(flag, ()) if is_present_at(facts, minor)]
    return frozenset(name for facts in rows for name in _others(facts) if name)


def rules_about(component: str, flag: str) -> list[str]:
    """Return the words of the rules about a flag's values, each once."""
    return list(dict.fromkeys(str(facts["rule"]) for facts in _rule_data().get(component, {}).get(flag, ())))


def _others(facts: Mapping[str, Any]) -> tuple[str, ...]:
    return facts.get("of", ""), facts.get("unless", ""), *facts.get("needs", ())


def _is_decided_by_gate(flag: FlagValue) -> bool:
    """Return whether a rule takes the value if a feature gate has its other state, which a file may set."""
    names = [name for name in (flag.facts.get("gate"), *flag.facts.get("gatedValues", {}).values()) if name]
    if not names:
        return False
    others = FeatureGates(flag.gates.minor, {name: not flag.gates.is_on(name) for name in names})
    return not any(RULES[flag.facts["rule"]](flag._replace(gates=others)))
