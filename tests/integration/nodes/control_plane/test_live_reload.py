# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server of a node takes another content of a file without a restart, and one that it refuses is taken back."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.api.binaries import minor_of
from support.api.clusters import prepare
from support.api.issuer import RELOADS_SINCE, Issuer
from support.api.pki import Authority
from support.configs.options import component_options
from support.machines import ControlPlane, ControlPlaneAgent, Testbed, Unavailable
from support.session.unavailable import leave_out, leave_out_of_this_release

API_SERVER, FILE = "kube-apiserver", "authentication.yaml"
TRIAL = Trial(5.0, 1)
LATE = 80.0  # seconds after which the next content is not written by a restart


class Reloading:
    """A node whose API server has an AuthenticationConfiguration."""

    def __init__(self, control_plane: ControlPlane, issuer: Issuer) -> None:
        """Provision the node, whose agent may read the metrics of its API server."""
        self.control_plane, self.issuer = control_plane, issuer
        self.users = 0  # in the content that was assigned last
        self.taken_back_at = float("-inf")
        self.agent = ControlPlaneAgent(control_plane, {API_SERVER: {"allowedFields": ["files"]}})
        self.agent.configure(healthTimeout="30s")
        prepare(control_plane.client, Access(control_plane_nodes=[control_plane.node.name]))

    def assign(self, trial: Trial = TRIAL, **options: str) -> int:
        """Assign another content, whose users have a prefix of its own; return the assignment's id."""
        self.users += 1
        content = self.issuer.document(f"users-{self.users}:", minor_of(API_SERVER), **options)
        return self.agent.assign({API_SERVER: component_options(files={FILE: {"content": content}})}, trial)

    def answer_false(self, number: int, reason: str) -> None:
        """Wait until the agent has taken a content back."""
        condition = self.agent.wait_answer(number, "False", reason)
        self.taken_back_at = time.monotonic()
        assert condition["message"].startswith("using last-known-good")

    def present(self) -> tuple[int, bytes, str]:
        """Return the API server's process, its manifest and the content on the disk."""
        manifest = self.control_plane.manifests()[f"{API_SERVER}.yaml"]
        return self.control_plane.pids()[API_SERVER], manifest, self.control_plane.node.read(self.file)

    @property
    def file(self) -> str:
        """The path of the file, as the API server has it."""
        flag = "--authentication-config="
        (word,) = (word for word in self.control_plane.process(API_SERVER) if word.startswith(flag))
        return word[len(flag) :]


@pytest.fixture(scope="module")
def _parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ControlPlane, Issuer] | str]:
    """A control plane and an issuer, or the reason why no API server reads a file again."""
    try:
        minor = minor_of(API_SERVER)
        if minor < RELOADS_SINCE:
            yield f"{API_SERVER} is 1.{minor}, and reads authentication-config again since 1.{RELOADS_SINCE}"
            return
        with Testbed.start("live-reload", prepare_cluster=False) as bed:
            control_plane = ControlPlane(bed)
            issuer = Issuer(Authority(tmp_path_factory.mktemp("issuer")), bed.address)
            yield control_plane, issuer
            issuer.stop()
    except Unavailable as problem:
        leave_out(problem)


@pytest.fixture(scope="module")
def _reloading(_parts: tuple[ControlPlane, Issuer] | str) -> Reloading | str:
    return _parts if isinstance(_parts, str) else Reloading(*_parts)


@pytest.fixture
def reloading(request: pytest.FixtureRequest, _reloading: Reloading | str) -> Reloading:
    """The node, with a content in use that is last-known-good, and that was not taken back a short time ago."""
    if isinstance(_reloading, str):
        leave_out_of_this_release(request, _reloading)
    time.sleep(max(0.0, _reloading.taken_back_at + LATE - time.monotonic()))
    _reloading.agent.wait_answered(_reloading.assign(), in_trial=False)
    return _reloading


def test_another_content_is_taken_without_a_restart(reloading: Reloading) -> None:
    process, manifest, content = reloading.present()
    reloading.agent.wait_answered(reloading.assign(), in_trial=False)
    after = reloading.present()
    assert after[:2] == (process, manifest)
    assert after[2] != content
    assert f"users-{reloading.users}:" in after[2]


def test_a_content_that_is_not_taken_is_back_without_a_restart(reloading: Reloading) -> None:
    before = reloading.present()
    number = reloading.assign(url="https://127.0.0.1:1")
    reloading.answer_false(number, "has not shown that it uses")
    assert reloading.present() == before


def test_the_timer_takes_a_content_back_that_no_agent_confirms(reloading: Reloading) -> None:
    before = reloading.present()
    number = reloading.assign(Trial(3600.0, 1))
    reloading.agent.wait_answer(number, "True")
    process, manifest, content = reloading.present()
    assert (process, manifest) == before[:2]
    assert content != before[2]
    reloading.agent.kill()
    reloading.control_plane.node.wait("the content before", lambda: reloading.present() == before)
    reloading.agent.start()
    reloading.answer_false(number, "no agent has confirmed it")
    assert reloading.present() == before


def test_a_content_that_another_program_writes_is_left_alone(reloading: Reloading) -> None:
    node, before = reloading.control_plane.node, reloading.present()
    node.write(reloading.file, before[2].replace("users-", "others-"))
    number = reloading.assign()
    reloading.agent.wait_answer(number, "Unknown", "was changed or removed, not by this agent")
    node.write(reloading.file, before[2])
    reloading.agent.wait_answer(number, "True")
