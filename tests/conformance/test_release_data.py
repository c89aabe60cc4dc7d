# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gates, flags and defaults that real binaries say of themselves are those of the shipped data.

Release data of an unknown release are derived in the same way, so it must be right for the known ones.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data._changes import (
    default_at,
    is_same_default,
    kind_of_defaults,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.derive import (
    Running,
    candidates,
    defaults_of_help,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.file_format import (
    COMPONENTS,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.probe import (
    TIMED_OUT,
    Answer,
    Binary,
    probe_binary,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._feature_gates import (
    gate_names,
    gate_state,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import MAIN_KINDS
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    Layer,
    missing_layers,
    parse_minor,
)
from ansible_collections.configok.node.plugins.module_utils._host.isolated_program import isolated
from support.api.binaries import Unavailable, find
from support.releases.explained import FIELDS, FLAGS, GATES, OWN_GATE, reason_of
from support.session.unavailable import leave_out

SECTION = "release-data"
Figure = Callable[..., None]


def run(program: Path, directory: Path, arguments: Sequence[str]) -> Answer:
    """Run a program with arguments in a directory."""
    link = directory / program.name
    if not link.exists():
        link.symlink_to(program)
    try:
        done = subprocess.run(isolated(str(link), arguments), capture_output=True, check=False, text=True, timeout=10)
    except subprocess.TimeoutExpired:
        return Answer(TIMED_OUT, "")
    return Answer(done.returncode, done.stdout + done.stderr)


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> list[Binary]:
    """What the components that are here say of themselves: the kubelet, and any others."""
    programs = []
    for name in COMPONENTS:
        try:
            programs.append(find(name))
        except Unavailable as problem:
            if name == "kubelet":
                leave_out(problem)
    ask = partial(candidates, Running(), ())
    return [probe_binary(partial(run, program, tmp_path_factory.mktemp("probe")), ask) for program in programs]


def report(figure: Figure, layer: str, wrong: Mapping[str, str], total: int, explained: Mapping[str, str]) -> None:
    """Write the row of a layer, and fail for a difference without a reason."""
    reasons = {name: reason for name in wrong if (reason := reason_of(name, explained))}
    faults = {name: text for name, text in wrong.items() if name not in reasons}
    figure(
        SECTION,
        layer,
        round((total - len(faults)) / total, 4),
        f"of {total} equal",
        ok=not faults,
        saw=[f"{name}: {reason}" for name, reason in reasons.items()] or ["without an exception"],
        name=f"{SECTION}-{layer}",
    )
    assert not faults


@pytest.mark.quick
def test_the_gates_of_the_binaries_are_those_of_the_data(binaries: list[Binary], figure: Figure) -> None:
    wrong, total, own = {}, 0, dict[str, str]()
    for binary in binaries:
        minor = parse_minor(binary.version)
        if not missing_layers(minor, [Layer.GATES]):
            own |= dict.fromkeys(set(binary.gates) - set(gate_names()), OWN_GATE)
        states = {name: gate_state(name, minor) for name in gate_names()}
        known = {name: state for name, state in states.items() if state is not None and state.stage}
        compared = {*binary.gates, *known} if binary.gates else set()
        total += len(compared)
        for name in sorted(compared):
            ours, theirs = known.get(name), binary.gates.get(name)
            # A binary does not say the default of a GA or deprecated gate that is not locked.
            default = ours.default if ours is not None and theirs is not None and theirs.is_assumed else None
            state = theirs and (theirs.stage, theirs.default if default is None else default, theirs.locked)
            if (ours and (ours.stage, ours.default, ours.locked)) != state:
                wrong[f"{binary.help.component} {name}"] = f"{ours} in the data, {theirs} in {binary.version}"
    report(figure, "gates", wrong, total, {**own, **GATES})


@pytest.mark.quick
def test_the_flags_of_the_binaries_are_those_of_the_data(binaries: list[Binary], figure: Figure) -> None:
    wrong, total = {}, 0
    for binary in binaries:
        known = flag_set(binary.help.component)
        if known is None:
            continue
        ours = {name for name, flag in known.flags.items() if flag.known_at(parse_minor(binary.version))}
        theirs = set(binary.help.flags)
        total += len(ours | theirs)
        for name in sorted(ours ^ theirs):
            where = "the data" if name in ours else binary.version
            wrong[f"{binary.help.component} {name}"] = f"only {where} has it"
    report(figure, "flags", wrong, total, FLAGS)


@pytest.mark.quick
def test_the_defaults_of_the_binaries_are_those_of_the_data(binaries: list[Binary], figure: Figure) -> None:
    wrong, total = {}, 0
    for binary in binaries:
        kind = kind_of_defaults(MAIN_KINDS.get(binary.help.component, ""))
        if kind is None:
            continue
        minor = parse_minor(binary.version)
        for path, value in defaults_of_help(binary.help, minor):
            total += 1
            ours = default_at(kind, path, minor)
            if not is_same_default(kind, path, minor, ours, value):
                wrong[f"{binary.help.component} {path}"] = f"{ours} in the data, {value} in {binary.version}"
    report(figure, "defaults", wrong, total, FIELDS)
