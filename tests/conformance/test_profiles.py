# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profiles on the real kubelet: it runs with each that its version supports, and behaves as documented.

It refuses the others with the errors that we report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import merge
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_rules import HostRules
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check, check_host, config_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level
from ansible_collections.configok.node.plugins.module_utils._componentconfig.live_config import differences
from ansible_collections.configok.node.plugins.module_utils._host.host_facts import read_host
from support.configs.profile_effects import EFFECTS
from support.configs.profiles import Profile, profiles
from support.machines import CONFIG_PATHS, Node, Testbed, Unavailable
from support.oracle.case import Case, document
from support.oracle.kubelet import SOCKET, Oracle
from support.session.unavailable import leave_out

CONFIG = CONFIG_PATHS["kubeadm"]
PROFILES = profiles()
# Profiles that a machine may not support: swap needs cgroup v2.
DEPEND_ON_HOST = ("swap",)
QUICK = ("graceful-shutdown", "json-logs")


@pytest.fixture(scope="module")
def profile_bed() -> Iterator[Testbed]:
    """A separate testbed, without the agent."""
    try:
        bed = Testbed.start("profiles", layout="kubeadm", prepare_cluster=False)
    except Unavailable as problem:
        leave_out(problem)
    with bed:
        yield bed


@pytest.fixture(scope="module")
def node(profile_bed: Testbed) -> Node:
    """The testbed's node."""
    return profile_bed.nodes[0]


@pytest.fixture(scope="module")
def minor(node: Node) -> int:
    """The minor of the node's kubelet."""
    output = node.run(["kubelet", "--version"]).stdout
    match = re.search(r"v1\.(\d+)\.", output)
    assert match is not None, output
    return int(match[1])


@pytest.fixture(scope="module")
def usual(node: Node) -> dict[str, Any]:
    """The node's original config."""
    config: dict[str, Any] = yaml.safe_load(node.read(CONFIG))
    return config


@pytest.mark.quick
def test_a_kubelet_does_what_the_profiles_that_it_knows_say(
    profile_bed: Testbed, minor: int, usual: dict[str, Any], is_quick: bool, figure: Callable[..., None]
) -> None:
    fitting = [profile for profile in PROFILES if minor in profile.minors and (profile.name in QUICK or not is_quick)]
    assert fitting
    for profile in fitting:
        config = effective(profile, minor, usual)
        unfit = refusals(config, minor, profile_bed.nodes[0])
        if unfit:  # as swap on a machine with cgroup v1; the other test asks the kubelet
            assert profile.name in DEPEND_ON_HOST, unfit
            figure(
                "profiles", profile.name, 0, f"kubelet of 1.{minor} runs with it on this machine", ok=True, saw=unfit
            )
            continue
        seen = runs_with(profile, profile_bed, minor, usual)
        figure("profiles", profile.name, 1, f"kubelet of 1.{minor} runs with it", ok=True, saw=seen)


def runs_with(profile: Profile, bed: Testbed, minor: int, usual: dict[str, Any]) -> list[str]:
    """Restart the kubelet with a profile over its config, and return the evidence that it runs with it."""
    node = bed.nodes[0]
    config = effective(profile, minor, usual)
    node.write(CONFIG, config)
    node.run(["systemctl", "restart", "kubelet"])
    node.wait_healthy()
    node.wait_ready()
    live = bed.client.get(f"/api/v1/nodes/{node.name}/proxy/configz")["kubeletconfig"]
    context = config_at(decode(config.encode()), minor)
    assert context is not None
    assert differences(context, live, ()) == [], profile
    return ["/configz has its fields", *([EFFECTS[profile.name](node)] if profile.name in EFFECTS else [])]


def effective(profile: Profile, minor: int, usual: dict[str, Any]) -> str:
    """Return the node's original config with a profile over it."""
    return yaml.safe_dump(merge([usual, profile.fields(), {"featureGates": profile.gates(minor)}]))


def test_of_the_others_the_kubelet_says_what_we_say(node: Node, minor: int, figure: Callable[..., None]) -> None:
    oracle = Oracle(node, minor)
    documents = [document({**profile.fields(), "featureGates": profile_gates(profile, minor)}) for profile in PROFILES]
    cases = [Case(f"profile {profile}", yaml.safe_dump(config)) for profile, config in zip(PROFILES, documents)]
    answers = oracle.ask(cases)
    wrong = []
    for profile, case, answer in zip(PROFILES, cases, answers):
        refused = refusals(case.text, minor, node, partial(oracle.ignores, case))
        if bool(refused) != answer.refused:
            wrong.append(f"{profile}: we: {refused or 'runs'}; the kubelet: {answer}")
        if minor not in profile.minors:
            ends = "refused" if answer.refused else "runs without it"
            figure(
                "profiles",
                profile.name,
                1,
                f"kubelet of 1.{minor} {ends}",
                ok=bool(refused) == answer.refused,
                saw=refused,
            )
    figure("profiles", "all", len(cases) - len(wrong), f"of {len(cases)} end as we say", ok=not wrong)
    assert not wrong, "\n".join(wrong)
    assert any(answer.refused for answer in answers) or all(minor >= min(profile.minors) for profile in PROFILES)


def profile_gates(profile: Profile, minor: int) -> dict[str, bool]:
    """Return the feature gates in a profile, and those that its page names for this minor."""
    return {**profile.fields().get("featureGates", {}), **profile.gates(minor)}


def refusals(
    text: str, minor: int, node: Node, ignores: Callable[[Finding], bool] = lambda _finding: False
) -> list[str]:
    """Return the errors for which, by our validation, the kubelet refuses a config on a node.

    ignores: whether a finding does not apply to that kubelet.
    """
    versions = [f"1.{minor}"]
    config = decode(text.encode())
    rules = HostRules(partial(read_host, root=str(node.machine.view)), "/var/lib/kubelet", SOCKET, resets_state=True)
    host = check_host(config, "kubelet", versions, rules)
    findings = [*check(config, component="kubelet", versions=versions), *host]
    return [str(finding) for finding in findings if finding.level is Level.COMPONENT and not ignores(finding)]
