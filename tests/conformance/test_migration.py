# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the real kubelet with flags, and with the file and flags that migrate makes of them.

Both times it must report the same config.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.path_fields import resolve_paths
from ansible_collections.configok.node.plugins.module_utils._componentconfig.migrate import Migration, migrate
from support.api.binaries import Unavailable, find, minor_of
from support.conformance.bare import bare_node
from support.migration.fitting import fitting
from support.migration.flag_sets import CONFIG, QUICK, SETS, FlagSet
from support.migration.kube_proxy import command_lines, effective_config
from support.migration.kubelets import Kubelets, Run

LEAST = 30


@pytest.fixture(scope="module")
def kubelets() -> Iterator[Kubelets]:
    """A node of a separate testbed."""
    with bare_node("migration") as node:
        yield Kubelets(node)


@pytest.fixture(scope="module")
def minor(kubelets: Kubelets) -> int:
    """The minor of the node's kubelet."""
    return minor_of("kubelet")


def config_path(sample: FlagSet) -> str:
    """Return the path of the set's file, or "" if it has none."""
    named = [word.partition("=")[2] for word in sample.words if word.startswith("--config=")]
    return posixpath.join("/", named[-1]) if named else ""


def migrated(sample: FlagSet, minor: int) -> Migration:
    path = config_path(sample)
    return migrate(
        "kubelet",
        ["kubelet", *sample.words],
        version=f"1.{minor}",
        config=(path, sample.config) if path else None,
        path=CONFIG,
    )


def runs(sample: FlagSet, result: Migration) -> list[Run]:
    """Return the runs before and after the migration. As with the agent, the instance config overrides the file."""
    path = config_path(sample)
    document = {**yaml.safe_load(result.text), **result.instance_config}
    words = [word for flag in result.flags for word in flag.words]
    return [
        Run(f"{sample.name}: before", sample.words, {path: sample.config} if path else {}, sample.port),
        Run(f"{sample.name}: after", words, {CONFIG: yaml.safe_dump(document)}, sample.port),
    ]


def meant(config: dict[str, Any]) -> Any:
    """Return a config with absolute paths; those of flags are relative to the working directory."""
    return resolve_paths(config, "KubeletConfiguration", "/")


@pytest.mark.quick
def test_a_kubelet_runs_with_the_same_config(
    kubelets: Kubelets, minor: int, is_quick: bool, figure: Callable[..., None]
) -> None:
    sets: Sequence[FlagSet] = [fitting(sample, minor) for sample in SETS if not is_quick or sample.name in QUICK]
    assert len(sets) == len(QUICK) if is_quick else len(sets) >= LEAST
    results = {sample.name: migrated(sample, minor) for sample in sets}
    answers = kubelets.configs([run for sample in sets for run in runs(sample, results[sample.name])])
    wrong = []
    for sample in sets:
        (before, output_before), (after, output_after) = (
            answers[f"{sample.name}: {when}"] for when in ("before", "after")
        )
        if before is None or after is None:
            wrong.append(f"{sample.name}: no /configz: {output_before[-800:]} {output_after[-800:]}")
        elif meant(before) != meant(after):
            fields = [field for field in {**before, **after} if before.get(field) != after.get(field)]
            wrong += [f"{sample.name}: {field}: {before.get(field)!r}, then {after.get(field)!r}" for field in fields]
        findings = [str(finding) for finding in results[sample.name].findings if finding.level == "component"]
        wrong += [f"{sample.name}: {line}" for line in findings]
        if results[sample.name].before != results[sample.name].after:
            wrong.append(f"{sample.name}: our own engine sees a difference")
    bad = {line.partition(":")[0] for line in wrong}
    flags = sum(len(sample.words) for sample in sets)
    moved = sum(bool(flag.field) for result in results.values() for flag in result.dropped)
    remaining = sum(len(result.flags) for result in results.values())
    figure("migration", "sets of flags", len(sets) - len(bad), f"of {len(sets)} with an equal /configz", ok=not wrong)
    figure("migration", "words on their command lines", flags, "before", ok=True, saw=[f"{remaining} flags after"])
    figure("migration", "flags that became fields", moved, "flags", ok=True)
    assert not wrong, "\n".join(wrong)


def test_kube_proxy_makes_the_same_config_of_the_file(figure: Callable[..., None], tmp_path: Path) -> None:
    try:
        program = find("kube-proxy")
    except Unavailable as problem:
        pytest.skip(str(problem))
    minor = minor_of("kube-proxy")
    file = tmp_path / "config.yaml"
    wrong, total, refused = [], 0, 0
    for words in command_lines(minor):
        total += 1
        before = effective_config(program, words, tmp_path)
        result = migrate("kube-proxy", ["kube-proxy", *words], version=f"1.{minor}", path=str(file))
        findings = [str(finding) for finding in result.findings if finding.level == "component"]
        if before is None and findings:
            refused += 1
            continue
        if before is None or findings:
            wrong.append(f"{words}: {findings}" if findings else f"{words}: kube-proxy refuses them, and we do not")
            continue
        file.write_text(yaml.safe_dump({**yaml.safe_load(result.text), **result.instance_config}))
        after = effective_config(program, [word for flag in result.flags for word in flag.words], tmp_path)
        if after != before:
            fields = [field for field in before if before[field] != (after or {}).get(field)]
            wrong.append(f"{words}: {', '.join(fields)}")
    unit = f"of {total} command lines of kube-proxy with an equal config"
    figure("migration", "kube-proxy", total - len(wrong), unit, ok=not wrong, saw=[f"{refused} refused by both"])
    assert not wrong, "\n".join(wrong)


# A flag in the kubelet's help: its name, and the type of its value; a boolean flag has none.
HELP = re.compile(r"^\s+(?:-\w, )?--([a-z][\w-]*)(?: (\S+))?(?:  |$)", re.MULTILINE)
FORMS = {
    "": {"bool"},
    "Level": {"int"},
    "int": {"int"},
    "int32": {"int"},
    "duration": {"duration"},
    "float": {"float"},
    "strings": {"list"},
    "mapStringString": {"looseMap", "map", "mapLess"},
    "mapStringBool": {"mapBool"},
    "colonSeparatedMultimapStringString": {"headers"},
    "[]api.Taint": {"taints"},
}
HIDDEN = {"experimental-dockershim-root-directory"}
# Flags that the kubelets of some distributions have, and upstream's do not.
ADDED = {"max-housekeeping-interval"}


@pytest.mark.quick
def test_the_flags_known_are_those_of_the_kubelet(kubelets: Kubelets, minor: int, figure: Callable[..., None]) -> None:
    flags = {name: form or "" for name, form in HELP.findall(kubelets.help()) if name not in ADDED}
    known = flag_set("kubelet")
    assert known is not None
    ours = {name: flag.form for name, flag in known.flags.items() if flag.known_at(minor)}
    assert set(ours) - HIDDEN == set(flags)
    wrong = {
        name: (form, ours[name]) for name, form in flags.items() if ours[name] not in FORMS.get(form, {ours[name]})
    }
    assert not wrong
    figure("migration", "flags in the kubelet's help", len(flags), "known, with their forms", ok=True)
