# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask a component's binary for what its help leaves out: gates that are gone, GA, deprecated or locked.

A component refuses a setting of a gate before it does anything else. The flags of a probe make it end at once also if
it accepts the setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .. import ConfigError
from .._schema._feature_gates import GATE_GROUPS, Stage
from .._schema.overlays import OverlayFlag
from .._schema.releases import parse_minor
from ._help_text import GateDefault, HelpText, parse_help, parse_version
from .file_format import ProbedGate


class Answer(NamedTuple):
    """How a run of the binary ended: its exit code, and its output, standard error included."""

    code: int
    out: str


Run = Callable[[Sequence[str]], Answer]
"""Runs the binary with arguments."""


class Binary(NamedTuple):
    """What a binary says of itself: its version, its help, and all gates that it is known to have."""

    version: str
    help: HelpText
    gates: Mapping[str, ProbedGate]


HIDDEN = "hidden"
"""The type of a flag that the component takes and its help leaves out."""
TIMED_OUT = 124
"""The exit code of a run that had to be ended, as that of timeout(1)."""


class _Ending(NamedTuple):
    """A flag that ends a component once it has accepted its gates, and what it says then, "" if it exits with 0."""

    flag: str
    sentence: str


_UNKNOWN_GATE = "ConfigOkProbe"  # a name that no component has
_UNKNOWN = "unrecognized feature gate: {}"
# A gate that comes with a later release than the one that the binary emulates cannot be set either.
_NOT_THERE = (_UNKNOWN, "cannot set feature gate {} to true, feature is PreAlpha")
_LOCKED = re.compile(r"cannot set feature gate (\w+) to (?:true|false), feature is locked to (true|false)")
_WARNING = re.compile(r"Setting (GA|deprecated) feature gate (\w+)=")
_STAGE_OF_WARNING: Mapping[str, Stage] = {"GA": "GA", "deprecated": "Deprecated"}
# In the order in which they are tried. The kubelet prints its version before it looks at the gates, and ends over a
# config file that is not there after that. kube-proxy reads the file before the gates, and ends when it has written
# its config.
_ENDINGS = (
    _Ending("--version", "Kubernetes v"),
    _Ending("--config=missing/config.yaml", "missing/config.yaml"),
    _Ending("--write-config-to=config.yaml", ""),
)


class Candidates(NamedTuple):
    """What binaries may have and help leave out: gates with their last known state, and flags of each component."""

    gates: Mapping[str, GateDefault]
    flags: Mapping[str, Sequence[str]]


def probe_binary(run: Run, candidates_at: Callable[[int], Candidates]) -> Binary:
    """Return what a binary says of itself. Raises ConfigError for a program that is not a component.

    candidates_at: returns what to ask a binary of a minor for, or raises ConfigError.
    """
    help_text = parse_help(_answer(run, ["--help"]).out)
    is_kubeadm = help_text.component == "kubeadm"
    if is_kubeadm:
        help_text = parse_help(_answer(run, ["init", "--help"]).out)
    version = parse_version(_answer(run, ["version", "--output=short"] if is_kubeadm else ["--version"]).out)
    candidates = candidates_at(parse_minor(version))
    if is_kubeadm or not help_text.gates:
        return Binary(version, help_text, {})
    missing = sorted(set(candidates.flags.get(help_text.component, ())) - set(help_text.flags))
    hidden = {name: OverlayFlag(HIDDEN, None) for name in missing if _has_flag(run, name)}
    gates = _Prober(run, help_text).gates(candidates.gates)
    return Binary(version, help_text._replace(flags={**help_text.flags, **hidden}), gates)


def _has_flag(run: Run, name: str) -> bool:
    """Return whether a component has a flag; the version ends it if it does."""
    return f"unknown flag: --{name}" not in _answer(run, [f"--{name}=", "--version"]).out


def _answer(run: Run, arguments: Sequence[str]) -> Answer:
    answer = run(arguments)
    if answer.code == TIMED_OUT:
        raise ConfigError(f"the program does not end with {' '.join(arguments)[:100]}: it is not asked further")
    return answer


class _Prober:
    """Sets gates of one binary, and reads how it refuses them."""

    def __init__(self, run: Run, help_text: HelpText) -> None:
        self._run = run
        self._help = help_text
        self._ending = self._find_ending()

    def gates(self, candidates: Mapping[str, GateDefault]) -> dict[str, ProbedGate]:
        """Return all gates of the help, and those of the candidates that the binary has."""
        shown = self._help.gates
        locked = self._locked_of(shown)
        gates = {name: ProbedGate(gate.stage, gate.default, name in locked) for name, gate in shown.items()}
        for name in sorted(set(candidates) - set(shown)):
            state = self._hidden(name, candidates[name])
            if state is not None:
                gates[name] = state
        return dict(sorted(gates.items()))

    def _find_ending(self) -> _Ending:
        """Return the flag that ends the binary after it has looked at its gates."""
        known = next(iter(sorted(set(self._help.gates) - set(GATE_GROUPS))), "")
        for ending in _ENDINGS:
            refused = self._set({_UNKNOWN_GATE: True}, ending)
            if _UNKNOWN.format(_UNKNOWN_GATE) not in refused.out or not known:
                continue
            if _accepts(self._set({known: self._help.gates[known].default}, ending), ending):
                return ending
        raise ConfigError(f"{self._help.component} does not refuse an unknown feature gate: its gates are not known")

    def _set(self, settings: Mapping[str, bool], ending: _Ending) -> Answer:
        pairs = ",".join(f"{name}={str(value).lower()}" for name, value in settings.items())
        return _answer(self._run, [f"--feature-gates={pairs}", ending.flag])

    def _locked_of(self, shown: Mapping[str, GateDefault]) -> set[str]:
        """Return the locked ones of the gates in the help: they refuse the opposite of their default."""
        opposite = {name: not gate.default for name, gate in shown.items() if name not in GATE_GROUPS}
        if not opposite or _accepts(self._set(opposite, self._ending), self._ending):
            return set()
        # One by one: a refusal names one gate, and a gate that depends on another one refuses some sets.
        return {name for name in opposite if self._lock_of(name, self._set({name: opposite[name]}, self._ending))}

    @staticmethod
    def _lock_of(name: str, answer: Answer) -> str:
        """Return the value that a gate is locked to, "" if the answer does not say that it is locked."""
        return next((lock for gate, lock in _LOCKED.findall(answer.out) if gate == name), "")

    def _hidden(self, name: str, last_known: GateDefault) -> ProbedGate | None:
        """Return the state of a gate that the help leaves out, None if the binary does not have it.

        The binary warns of its stage if it accepts a setting, and names the value that it is locked to if not. It does
        not say the default of a gate that is not locked.
        """
        answers = [self._set({name: True}, self._ending)]
        if any(sentence.format(name) in answers[0].out for sentence in _NOT_THERE):
            return None
        answers.append(self._set({name: False}, self._ending))
        if not any(_accepts(answer, self._ending) for answer in answers):
            raise ConfigError(f"{self._help.component} says neither that it has the gate {name} nor that it lacks it")
        warnings = [word for answer in answers for word, gate in _WARNING.findall(answer.out) if gate == name]
        stage = _STAGE_OF_WARNING[warnings[0]] if warnings else last_known.stage
        lock = "".join(self._lock_of(name, answer) for answer in answers)
        if lock:
            return ProbedGate(stage, lock == "true", True)
        return ProbedGate(stage, last_known.default if stage == last_known.stage else stage == "GA", False, True)


def _accepts(answer: Answer, ending: _Ending) -> bool:
    return ending.sentence in answer.out if ending.sentence else answer.code == 0
