# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the machines of two sides differ in: exactly that, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._comparison._compare_clusters import (
    compare_clusters,
    compare_members,
)
from ansible_collections.configok.node.plugins.module_utils._machines._comparison._members import (
    Member,
    member_of_machine,
    member_of_node,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    CLUSTER_API,
    PROVIDER_API_VERSION,
    Cluster,
    ProviderConfig,
    Runtime,
    Taint,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import (
    LocalComponent,
    LocalConfig,
    encode_local_config,
    parse_local_config,
)
from support.rollouts.declared_machines import EAST, SOURCE, a_machine, an_observed

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
TEXT = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
LOCAL = "0" * 20
MEMBER = Member(
    "n1",
    "1.34.9",
    Runtime("containerd", "1.7.24"),
    {"zone": "a"},
    (Taint("t", "x", "NoSchedule"),),
    effective={"kubelet": {**HEAD, "maxPods": 100}},
    group_labels={"zone": "a", "slot": "1"},
)


def differing(after: Member, before: Member = MEMBER) -> list[tuple[str | None, ...]]:
    """Return the differences of two members as plain tuples."""
    return [tuple(difference) for difference in compare_members(before, after)[0]]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"kubelet": "1.34.10"}, [("node", "versions.kubelet", "1.34.9", "1.34.10", "drain")]),
        (
            {"runtime": Runtime("containerd", "2.1.0")},
            [("node", "versions.containerRuntime", "containerd 1.7.24", "containerd 2.1.0", "drain")],
        ),
        (
            {"runtime": Runtime("cri-o", "1.34.0")},
            [("node", "versions.containerRuntime", "containerd 1.7.24", "cri-o 1.34.0", "drain")],
        ),
        ({"labels": {"zone": "b"}}, [("node", "labels[zone]", "a", "b", "live")]),
        ({"labels": {}}, [("node", "labels[zone]", "a", None, "live")]),
        (
            {"taints": (Taint("t", "y", "NoSchedule"), Taint("u", "", "NoExecute"))},
            [
                ("node", "taints[t:NoSchedule]", "t=x:NoSchedule", "t=y:NoSchedule", "live"),
                ("node", "taints[u:NoExecute]", None, "u:NoExecute", "drain"),
            ],
        ),
        (
            {"effective": {"kubelet": {**HEAD, "maxPods": 90, "clusterDNS": ["10.96.0.10"]}}},
            [
                ("kubelet", "clusterDNS", None, '["10.96.0.10"]', "restart-pods-new-only"),
                ("kubelet", "maxPods", "100", "90", "restart-may-reject"),
            ],
        ),
        ({"effective": {"kubelet": {**HEAD, "maxPods": 100, "syncFrequency": "60s"}}}, []),
        ({"effective": {}}, [("kubelet", "(config)", "present", None, "restart")]),
    ],
)
def test_each_field_that_differs_is_one_difference(change: dict[str, Any], expected: list[Any]) -> None:
    assert differing(replace(MEMBER, **change)) == expected


def test_what_is_not_published_is_compared_as_far_as_it_goes() -> None:
    unknown = replace(MEMBER, effective=None)
    assert compare_members(unknown, unknown) == (
        (),
        ("the init configs are not compared: they are not published on both sides",),
    )
    bundle = replace(unknown, config="workers-0", documents={"kubelet": {**HEAD, "maxPods": 100}})
    assert compare_members(bundle, bundle) == ((), ())
    other = replace(bundle, config="workers-1", documents={"kubelet": {**HEAD, "maxPods": 90}})
    differences, notes = compare_members(bundle, other)
    assert [difference.path for difference in differences] == ["maxPods"]
    assert "only the bundles are compared" in notes[0]
    differences, notes = compare_members(bundle, unknown)
    assert [(difference.path, difference.before, difference.after) for difference in differences] == [
        ("config", "workers-0", "init")
    ]
    assert "by name only" in notes[0]


def test_only_what_a_file_declares_is_compared() -> None:
    node = an_observed(labels={"example.com/disk": "ssd", "other": "x"}, taints=[{"key": "t", "effect": "NoSchedule"}])
    live = member_of_node(node, ConfigInputs())
    declared = member_of_machine(a_machine(), None, ConfigInputs(), EAST)
    assert compare_members(declared, live) == ((), ())
    assert compare_members(live, declared) == ((), ())
    loose = member_of_machine(a_machine(kubelet_version="1.34", runtime=None), None, ConfigInputs(), EAST)
    assert compare_members(loose, live)[0] == ()
    machine = a_machine(kubelet_version="1.35.0", node_labels={"other": "y"})
    other = member_of_machine(machine, None, ConfigInputs(), EAST)
    assert [difference.path for difference in compare_members(other, live)[0]] == ["versions.kubelet", "labels[other]"]


def test_what_one_of_two_files_does_not_declare_differs() -> None:
    taint = Taint("t", "", "NoSchedule")
    more = member_of_machine(a_machine(node_labels={"a": "x"}, taints=(taint,)), None, ConfigInputs(), EAST)
    less = member_of_machine(a_machine(node_labels={}), None, ConfigInputs(), EAST)
    for sides in ((more, less), (less, more)):
        assert [item.path for item in compare_members(*sides)[0]] == ["labels[a]", "taints[t:NoSchedule]"]


def test_the_effective_config_is_that_of_the_node() -> None:
    local = LocalConfig({"kubelet": LocalComponent({**HEAD, "maxPods": 50}, {"podsPerCore": 3})})
    inputs = ConfigInputs(bundles={SOURCE: {"kubelet": TEXT + "maxPods: 90\n"}}, local_configs={LOCAL: local})
    on_bundle = member_of_node(an_observed(source=SOURCE, local_config=LOCAL), inputs)
    assert on_bundle.effective == {"kubelet": {**HEAD, "maxPods": 90, "podsPerCore": 3}}
    assert (on_bundle.config, on_bundle.pool) == (SOURCE.name, "workers")
    on_init = member_of_node(an_observed(local_config=LOCAL), inputs)
    assert on_init.effective == {"kubelet": {**HEAD, "maxPods": 50}}
    assert member_of_node(an_observed(source=SOURCE), inputs).effective is None
    assert member_of_node(an_observed(source=SOURCE, local_config=LOCAL), replace(inputs, bundles={})).effective is None


def a_declared(cluster: Cluster = EAST, **fields: Any) -> Member:
    """Return a Machine with the init config that it and its Cluster declare."""
    provider = ProviderConfig(PROVIDER_API_VERSION, "DebianHost", {"kubeletConfiguration": fields})
    return member_of_machine(a_machine(provider=provider), None, ConfigInputs(), cluster)


def on_init(**fields: Any) -> Member:
    """Return a Node with a published init config."""
    local = LocalConfig({"kubelet": LocalComponent({**HEAD, **fields}, {})})
    inputs = ConfigInputs(local_configs={LOCAL: parse_local_config(encode_local_config(local))})
    return member_of_node(an_observed(local_config=LOCAL), inputs)


@pytest.mark.parametrize(
    ("declared", "live", "expected"),
    [
        ({"maxPods": 99}, {"maxPods": 50}, [("kubelet", "maxPods", "99", "50", "restart-may-reject")]),
        ({"maxPods": 99}, {}, [("kubelet", "maxPods", "99", "110", "restart-may-reject")]),
        ({"maxPods": 99}, {"maxPods": 99, "podsPerCore": 4, "rotateCertificates": True}, []),
        ({"maxPods": 110}, {}, []),
        ({"syncFrequency": "60s"}, {"syncFrequency": "1m"}, []),
        (
            {"staticPodURLHeader": {"Authorization": ["Bearer x"]}, "registerWithTaints": [{"key": "a"}]},
            {"staticPodURLHeader": {"Authorization": ["Bearer y"]}},
            [],
        ),
        (
            {"logging": {"format": "json"}},
            {"logging": {"format": "text", "verbosity": 4}},
            [("kubelet", "logging.format", '"json"', '"text"', "restart")],
        ),
        (
            {"featureGates": {"A": True}},
            {"featureGates": {"A": True, "B": True}},
            [("kubelet", "featureGates.B", None, "true", "restart")],
        ),
    ],
)
def test_the_init_config_of_a_file_is_compared_in_the_fields_that_it_declares(
    declared: dict[str, Any], live: dict[str, Any], expected: list[tuple[str | None, ...]]
) -> None:
    assert differing(on_init(**live), a_declared(**declared)) == expected
    reverse = [(component, path, after, before) for component, path, before, after, _disruption in expected]
    assert [change[:4] for change in differing(a_declared(**declared), on_init(**live))] == reverse


def test_the_values_of_a_cluster_belong_to_the_init_config_of_its_machines() -> None:
    cluster = replace(EAST, dns_domain="cluster.local", cluster_dns=("10.96.0.10",))
    assert [change[1:4] for change in differing(on_init(clusterDomain="other.local"), a_declared(cluster))] == [
        ("clusterDNS", '["10.96.0.10"]', None),
        ("clusterDomain", '"cluster.local"', '"other.local"'),
    ]


def test_two_files_are_compared_in_all_fields_of_their_init_configs() -> None:
    assert [change[1:4] for change in differing(a_declared(), a_declared(maxPods=99))] == [("maxPods", "99", "110")]


def test_the_init_config_of_a_file_is_not_the_bundle_of_its_node() -> None:
    local = LocalConfig({"kubelet": LocalComponent({**HEAD}, {})})
    inputs = ConfigInputs(bundles={SOURCE: {"kubelet": TEXT + "maxPods: 90\n"}}, local_configs={LOCAL: local})
    on_bundle = member_of_node(an_observed(source=SOURCE, local_config=LOCAL), inputs)
    assert differing(on_bundle, a_declared(maxPods=99)) == [
        ("node", "config", "init", SOURCE.name, "restart"),
        ("kubelet", "maxPods", "99", "90", "restart-may-reject"),
    ]


def test_an_init_config_that_is_not_published_is_a_note_if_a_file_declares_fields() -> None:
    unknown = member_of_node(an_observed(), ConfigInputs())
    differences, notes = compare_members(a_declared(maxPods=99), unknown)
    assert (differences, notes) == ((), ("the init configs are not compared: that of the Node is not published",))
    comparison = compare_clusters([a_declared(maxPods=99)], [unknown])
    assert comparison.notes == ("the init configs are not compared: that of the Node is not published (1 machine)",)


def test_the_config_of_a_machine_that_another_program_owns_is_not_compared() -> None:
    owned = member_of_machine(a_machine(owner=CLUSTER_API), None, ConfigInputs(), EAST)
    on_bundle = member_of_node(an_observed(source=SOURCE), ConfigInputs(bundles={SOURCE: {"kubelet": TEXT}}))
    assert compare_members(owned, on_bundle) == ((), ())
    assert compare_members(on_bundle, owned) == ((), ())


def test_what_follows_from_the_node_is_not_compared() -> None:
    taints = [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]
    member = member_of_node(
        an_observed(labels={"configok.dev/config": "x", "zone": "a"}, taints=taints), ConfigInputs()
    )
    assert (member.labels, member.taints) == ({"zone": "a"}, ())


def test_counterparts_have_the_same_name_or_label() -> None:
    other = replace(MEMBER, name="m1", kubelet="1.35.0")
    by_name = compare_clusters([MEMBER], [other])
    assert (by_name.machines, by_name.only_before, by_name.only_after) == ((), ("n1",), ("m1",))
    assert by_name.differs
    by_label = compare_clusters([MEMBER], [other], match_label="slot")
    assert [(pair.before, pair.after, len(pair.differences)) for pair in by_label.machines] == [("n1", "m1", 1)]
    assert by_label.heaviest == "drain"
    twice = compare_clusters(
        [MEMBER, replace(MEMBER, name="n2")], [replace(other, group_labels={})], match_label="slot"
    )
    assert twice.only_before == ("n1",)
    assert [note.split(",")[0] for note in twice.notes] == [
        "n2 has the same label slot=1 as n1",
        "m1 has no label slot",
    ]


def test_equal_sides_do_not_differ() -> None:
    comparison = compare_clusters([MEMBER], [MEMBER])
    assert not comparison.differs
    assert comparison.heaviest == "none"


def test_groups_are_compared_by_what_most_have() -> None:
    before = [replace(MEMBER, name=f"n{number}", labels={"zone": "a", "id": str(number)}) for number in range(10)]
    after = [replace(member, kubelet="1.35.0") for member in before[:9]] + [before[9]]
    (group,) = compare_clusters(before, after, group_by="zone").groups
    assert (group.group, group.sizes) == ("a", (10, 10))
    assert [tuple(difference[:4]) for difference in group.differences] == [
        ("node", "versions.kubelet", "1.34.9", "1.35.0")
    ]
    assert group.uneven == ("after: 9 of 10 have the most common kubelet",)


def test_a_group_of_one_side_is_a_difference() -> None:
    comparison = compare_clusters([MEMBER], [replace(MEMBER, pool="workers", group_labels={})], group_by="pool")
    assert [(group.group, group.sizes) for group in comparison.groups] == [("", (1, 0)), ("workers", (0, 1))]
    assert comparison.differs


_MEMBERS = st.builds(
    Member,
    name=st.just("n1"),
    kubelet=st.sampled_from(["1.34.9", "1.35.0"]),
    runtime=st.sampled_from([Runtime("containerd", "1.7.24"), Runtime("cri-o", "1.34.0")]),
    labels=st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["1", "2"])),
    taints=st.lists(st.builds(Taint, st.sampled_from(["a", "b"]), st.just(""), st.just("NoSchedule")), unique=True),
    effective=st.fixed_dictionaries(
        {
            "kubelet": st.fixed_dictionaries(
                {**{key: st.just(value) for key, value in HEAD.items()}, "maxPods": st.sampled_from([90, 110])}
            )
        }
    ),
)


@given(_MEMBERS, _MEMBERS)
def test_the_comparison_is_complete_and_symmetric(east: Member, west: Member) -> None:
    forward, notes = compare_members(east, west)
    back, _notes = compare_members(west, east)
    assert all("defaults" in note for note in notes)
    assert {(d.component, d.path, d.before, d.after) for d in forward} == {
        (d.component, d.path, d.after, d.before) for d in back
    }
    is_same = (
        east.kubelet == west.kubelet
        and east.runtime == west.runtime
        and east.labels == west.labels
        and set(east.taints) == set(west.taints)
        and east.effective == west.effective
    )
    assert (not forward) == is_same


def test_defaults_that_follow_from_the_version_are_a_note() -> None:
    differences, notes = compare_members(MEMBER, replace(MEMBER, kubelet="1.35.0"))
    assert [difference.path for difference in differences] == ["versions.kubelet"]
    assert notes[0].startswith("kubelet: the defaults of 1.34 and 1.35 differ in crashLoopBackOff")
