# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from fleet_simulator.scenario import (
    SCENARIO_KEYS,
    Behaviour,
    Flapping,
    Group,
    InvalidScenario,
    Outcome,
    Scenario,
    parse_scenario,
)

PAGE = Path(__file__).resolve().parents[4] / "docs/rehearsing.md"


def scenario(**group: Any) -> dict[str, Any]:
    return {"simulation": "rehearsal", "groups": [{"name": "workers", "count": 3, **group}]}


def errors(value: Any) -> tuple[str, ...]:
    with pytest.raises(InvalidScenario) as raised:
        parse_scenario(value)
    return raised.value.errors


def test_the_shortest_scenario_has_the_defaults() -> None:
    assert parse_scenario(scenario()) == Scenario("rehearsal", (Group("workers", 3),))


def test_every_key_is_read() -> None:
    value = scenario(
        labels={"node-role.kubernetes.io/worker": ""},
        zones=["a", "b"],
        kubeletVersions=["v1.33.2", "v1.34.1"],
        osImages=["Debian"],
        instanceTypes=["large"],
        components=["kubelet", "kube-proxy"],
        behaviour={
            "answer": ["2s", "1m"],
            "outcome": "crashes",
            "onlyWith": "maxPods: 13",
            "joinsAfter": "30s",
            "vanishes": {"after": "10s", "from": "assignment"},
            "flaps": {"every": "1m", "for": "10s"},
            "ready": False,
        },
    )
    group = parse_scenario({**value, "leases": 0, "heartbeats": "1m", "images": 45}).groups[0]
    assert group == Group(
        "workers",
        3,
        {"node-role.kubernetes.io/worker": ""},
        ("a", "b"),
        ("v1.33.2", "v1.34.1"),
        ("Debian",),
        ("large",),
        ("kubelet", "kube-proxy"),
        Behaviour(
            answer=(2.0, 60.0),
            outcome="crashes",
            only_with="maxPods: 13",
            joins_after=30.0,
            vanishes_after=10.0,
            since_assignment=True,
            flapping=Flapping(60.0, 10.0),
            ready=False,
        ),
    )


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "the scenario: must be a mapping of keys"),
        ({}, "simulation: is missing: it must be a DNS label (a-z, 0-9, -) of at most 40 characters"),
        ({}, "groups: must be a list of at least one group of nodes"),
        (
            {**scenario(), "simulation": "A"},
            "simulation 'A': it must be a DNS label (a-z, 0-9, -) of at most 40 characters",
        ),
        ({**scenario(), "lease": "10s"}, "lease: is unknown: did you mean leases?"),
        ({**scenario(), "xyz": 1}, "xyz: is unknown: known: simulation, groups, leases, heartbeats, images"),
        ({**scenario(), "images": 51}, "images '51': must be a whole number from 0 to 50"),
        (scenario(count=0), "groups[0].count '0': must be a whole number from 1 to 20000"),
        (scenario(count=True), "groups[0].count 'True': must be a whole number from 1 to 20000"),
        (scenario(zone=["a"]), "groups[0].zone: is unknown: did you mean zones?"),
        (scenario(zones="a"), "groups[0].zones 'a': must be a list"),
        (scenario(labels={"pool": True}), "must be the value of a label, in quotes if YAML reads it as something else"),
        (scenario(labels={"configok.dev/simulated": "x"}), "configok.dev/simulated is set by the simulator"),
        (scenario(kubeletVersions=["1.34"]), "must be a version of Kubernetes such as v1.34.1"),
        (scenario(behaviour={"outcome": "dies"}), "groups[0].behaviour.outcome 'dies': must be one of adopts, crashes"),
        (scenario(behaviour={"answer": ["5s", "2s"]}), "must begin with the shortest duration"),
        (scenario(behaviour={"answer": "soon"}), "'soon' must be a duration such as 10m, 90s or 1h30m, at most 720h"),
        (scenario(behaviour={"flaps": {"every": "1s", "for": "1s"}}), "flaps.for: must be shorter than every"),
        (scenario(behaviour={"flaps": {"for": "1s"}}), "groups[0].behaviour.flaps.every: is required"),
        (scenario(behaviour={"vanishes": {"from": "birth"}}), "must be start or assignment"),
        (
            {"simulation": "a", "groups": [{"name": "x", "count": 1}, {"name": "x", "count": 1}]},
            "groups 'x': is the name of more than one group",
        ),
        (
            {"simulation": "a", "groups": [{"name": "x", "count": 20000}, {"name": "y", "count": 1}]},
            "groups: they have 20001 nodes, and one simulator has at most 20000",
        ),
    ],
)
def test_errors_name_the_field_and_say_what_to_do(value: Any, sentence: str) -> None:
    assert any(sentence in error for error in errors(value)), errors(value)


def test_all_errors_are_reported_at_once() -> None:
    assert len(errors({"groups": [{"count": 0}], "more": 1})) == 4


def test_the_page_describes_every_key_and_every_outcome() -> None:
    first_cells = [line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    described = {word for cell in first_cells for word in re.findall(r"`([a-zA-Z.]+)`", cell)}
    keys = {
        f"{path}.{key}".removeprefix(".").removeprefix("groups.behaviour.")
        for path, names in SCENARIO_KEYS.items()
        for key in names
    }
    assert described == (keys - {"vanishes", "flaps"}) | set(get_args(Outcome))


def test_the_example_of_the_page_is_valid() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert parse_scenario(yaml.safe_load(example)).count == 307
