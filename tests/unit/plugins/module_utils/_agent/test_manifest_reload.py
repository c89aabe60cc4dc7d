# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that the API server reads again is replaced alone, in the same manifest, and rolled back the same way."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._agent import _manifest_update
from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_note import (
    ManifestNote,
    read_manifest_note,
    write_manifest_note,
)
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_rendering import CannotWrite
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_update import ManifestUpdate
from ansible_collections.configok.node.plugins.module_utils._agent._restore_timer import RestoreTimer
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import ConfigRecord
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import Start
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store, digest
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.agents.bench import FakeClock
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import component_options

COMPONENT = "kube-apiserver"
AUTHENTICATION = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration"}
PREFIXES = ("a:", "b:", "c:")


def issuer(prefix: str) -> dict[str, Any]:
    """Return an AuthenticationConfiguration whose users have a prefix."""
    claims = {"username": {"claim": "sub", "prefix": prefix}}
    issued = {"url": "https://issuer.example.com", "audiences": ["configok"]}
    return {**AUTHENTICATION, "jwt": [{"issuer": issued, "claimMappings": claims}]}


def authorizers(*webhooks: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file with an AuthorizationConfiguration that has webhooks."""
    items = [{"type": "Node", "name": "n"}, *({"type": "Webhook", "name": "w", "webhook": item} for item in webhooks)]
    kind = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration"}
    return {"authz.yaml": {"content": {**kind, "authorizers": items}}}


class Node:
    """A manifest of an API server, and the agent's store."""

    def __init__(self, root: Path, release: str = "1.34.1") -> None:
        self.manifest = root / "manifests" / f"{COMPONENT}.yaml"
        self.manifest.parent.mkdir()
        pod = kubeadm_pod(COMPONENT, image=f"registry.k8s.io/{COMPONENT}:v{release}")
        self.manifest.write_bytes(manifest_bytes(pod))
        self.store = Store(str(root / "state"), now=lambda: "now")
        self.options = root / "options"
        component = ComponentConfiguration(COMPONENT, "", manifest=str(self.manifest))
        self.configuration = AgentConfiguration("n1", "/k", {COMPONENT: component})
        self.clock = FakeClock()

    @property
    def update(self) -> ManifestUpdate:
        return ManifestUpdate(self.configuration, COMPONENT, self.store, self.clock, root=str(self.options))

    @property
    def note(self) -> ManifestNote:
        return read_manifest_note(self.store, COMPONENT)

    def use(self, content: Mapping[str, Any], flags: Mapping[str, Any] | None = None, **files: Any) -> str:
        """Put options into the store as a switch does; return their hash."""
        named = {"authn.yaml": {"content": content}, **files}
        data = json.dumps(component_options(flags or {"profiling": False}, named)).encode()
        self.store.write_rendered(COMPONENT, data)
        self.store.write_config(COMPONENT, data)
        return digest(data)

    def trial(self, prefix: str, *, uid: int, good: int | None = None, **files: Any) -> None:
        """Put a content on trial. good: the uid of what was promoted before."""
        config = self.use(issuer(prefix), **files)
        record = ConfigRecord(
            source=ConfigSource("configok-system", f"pool-{uid}", f"00000000-0000-0000-0000-00000000000{uid}"),
            files={COMPONENT: config},
        )
        self.store.write_current(record)
        if good is None:
            self.store.write_last_known_good(record)

    @property
    def file(self) -> Path:
        """The file in the directory that the manifest names."""
        command = yaml.safe_load(self.manifest.read_text())["spec"]["containers"][0]["command"]
        return Path(next(word.partition("=")[2] for word in command if word.startswith("--authentication-config=")))

    def prefix(self) -> str:
        return str(yaml.safe_load(self.file.read_text())["jwt"][0]["claimMappings"]["username"]["prefix"])


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node that runs the first content, which is last-known-good."""
    node = Node(tmp_path)
    node.trial(PREFIXES[0], uid=1)
    node.update.write(can_reload=True)
    return node


def test_another_content_is_written_into_the_same_manifest(node: Node) -> None:
    before, file = node.manifest.read_bytes(), node.file
    inode = file.stat().st_ino
    node.trial(PREFIXES[1], uid=2, good=1)
    assert node.update.write(can_reload=True) is True
    assert (node.manifest.read_bytes(), node.file, node.prefix()) == (before, file, PREFIXES[1])
    assert file.stat().st_ino != inode, "it is replaced by a rename"
    assert file.stat().st_mode & 0o777 == 0o644
    reload = node.note.reload
    assert (reload.path, reload.flag, reload.content) == (
        str(file),
        "authentication-config",
        digest(file.read_bytes()),
    )
    assert node.update.write(can_reload=True) is False


def test_the_process_that_runs_has_the_other_options_from_then_on(node: Node) -> None:
    version = node.store.tracking_version(COMPONENT, "")
    before = node.note.written.config
    starts = [Start("a/0", "boot", 1.0, "", before), Start("a/1", "boot", 2.0, "", before)]
    node.store.write_startups(COMPONENT, version, starts)
    node.trial(PREFIXES[1], uid=2, good=1)
    node.update.write(can_reload=True)
    after = node.note.written.config
    last, present = node.store.read_startups(COMPONENT, version)
    assert (last.config, present.config) == (before, after)
    assert present.since_boot == node.clock.seconds, "an end counts for the options that it has by then"


def test_without_proof_another_content_restarts_the_component(node: Node) -> None:
    before, file = node.manifest.read_bytes(), node.file
    node.trial(PREFIXES[1], uid=2, good=1)
    assert node.update.write() is True
    assert node.manifest.read_bytes() != before
    assert (node.file != file, node.prefix(), node.note.reload.path) == (True, PREFIXES[1], "")
    written = node.manifest.read_bytes()
    assert node.update.write(can_reload=True) is False
    assert node.manifest.read_bytes() == written, "what runs already is not written in its other form"


@pytest.mark.parametrize(
    ("content", "flags", "files"),
    [
        (issuer(PREFIXES[1]), {"profiling": True}, {}),
        ({**issuer(PREFIXES[1]), "anonymous": {"enabled": True}}, None, {}),
        (issuer(PREFIXES[1]), None, {"policy.txt": {"flag": "token-auth-file", "content": "x"}}),
    ],
    ids=["another flag", "what it refuses to reload", "another file"],
)
def test_what_else_changes_restarts_the_component(
    node: Node, content: Mapping[str, Any], flags: Mapping[str, Any] | None, files: Mapping[str, Any]
) -> None:
    before = node.manifest.read_bytes()
    node.use(content, flags, **files)
    assert node.update.write(can_reload=True) is True
    assert node.manifest.read_bytes() != before


def test_two_files_at_once_restart_the_component(node: Node) -> None:
    node.use(issuer(PREFIXES[0]), **authorizers())
    node.update.write(can_reload=True)
    before = node.manifest.read_bytes()
    node.use(issuer(PREFIXES[1]), **authorizers({"timeout": "3s"}))
    assert node.update.write(can_reload=True) is True
    assert node.manifest.read_bytes() != before


def test_before_1_30_another_content_restarts_the_component(tmp_path: Path) -> None:
    node = Node(tmp_path, "1.29.0")
    node.use(issuer(PREFIXES[0]))
    node.update.write(can_reload=True)
    before = node.manifest.read_bytes()
    node.use(issuer(PREFIXES[1]))
    assert node.update.write(can_reload=True) is True
    assert node.manifest.read_bytes() != before


def test_a_content_that_means_the_same_is_not_written(node: Node) -> None:
    node.trial(PREFIXES[0], uid=3, **authorizers({"timeout": "3s"}))
    node.update.write(can_reload=True)
    file = node.file.with_name("authz.yaml")
    before = file.read_bytes()
    node.use(issuer(PREFIXES[0]), **authorizers({"timeout": "3s", "authorizedTTL": "5m"}))
    assert node.update.write(can_reload=True) is False, "the API server would not report that it has read it"
    assert file.read_bytes() == before
    node.use(issuer(PREFIXES[0]), **authorizers({"timeout": "3s", "authorizedTTL": "6m"}))
    assert node.update.write(can_reload=True) is True
    assert file.read_bytes() != before


def test_a_content_on_trial_arms_the_timer_with_the_one_before(node: Node) -> None:
    before = node.file.read_bytes()
    node.trial(PREFIXES[1], uid=2, good=1)
    node.update.write(can_reload=True)
    armed = RestoreTimer(node.store, COMPONENT).armed()
    assert armed is not None
    assert (armed.manifest, armed.written) == (str(node.file), digest(node.file.read_bytes()))
    assert Path(armed.prepared).read_bytes() == before
    assert Path(armed.prepared).parent == node.file.parent


def test_a_rollback_leaves_the_manifest_as_it_is(node: Node) -> None:
    manifest, before = node.manifest.read_bytes(), node.file.read_bytes()
    node.trial(PREFIXES[1], uid=2, good=1)
    node.update.write(can_reload=True)
    tried, node.clock.seconds = node.clock.seconds, node.clock.seconds + 9
    records = node.store.read_records()
    assert records.last_known_good is not None
    node.store.write_current(records.last_known_good)
    node.use(issuer(PREFIXES[0]))
    assert node.update.write(can_reload=True) is True
    assert (node.manifest.read_bytes(), node.file.read_bytes()) == (manifest, before)
    assert RestoreTimer(node.store, COMPONENT).armed() is None
    reload = node.note.reload
    assert (reload.content, reload.since, reload.tried) == (digest(before), node.clock.seconds, tried)


@pytest.mark.parametrize("lost", range(1, 4))
def test_a_power_cut_before_or_after_the_rename_leaves_a_file_that_is_known(
    node: Node, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """One of the three notes of a write is lost, with what comes after it."""
    node.trial(PREFIXES[1], uid=2, good=1)
    notes = []

    def write(store: Store, component: str, note: ManifestNote) -> None:
        notes.append(note)
        if len(notes) == lost:
            raise InterruptedError
        write_manifest_note(store, component, note)

    with monkeypatch.context() as patch:
        patch.setattr(_manifest_update, "write_manifest_note", write)
        with pytest.raises(InterruptedError):
            node.update.write(can_reload=True)
    manifest = node.manifest.read_bytes()
    node.update.write(can_reload=True)
    assert (node.manifest.read_bytes(), node.prefix(), node.note.problem) == (manifest, PREFIXES[1], "")
    assert node.note.intended.manifest == ""


def test_what_the_timer_has_restored_is_known(node: Node) -> None:
    node.trial(PREFIXES[1], uid=2, good=1)
    node.update.write(can_reload=True)
    armed = RestoreTimer(node.store, COMPONENT).armed()
    assert armed is not None
    Path(armed.prepared).rename(armed.manifest)
    armed_file = Path(node.store.files.path(f"components/{COMPONENT}/armed"))
    os.link(armed_file, armed_file.with_name("restored-by-timer"))
    assert node.update.check().problem == ""
    node.use(issuer(PREFIXES[0]))
    assert node.update.write(can_reload=True) is False, "the content in use is in place already"


@pytest.mark.parametrize("change", ["other", None], ids=["changed", "removed"])
def test_nothing_is_written_over_a_file_that_an_operator_has_changed(node: Node, change: str | None) -> None:
    if change is None:
        node.file.unlink()
    else:
        node.file.write_text(change)
    node.use(issuer(PREFIXES[1]))
    with pytest.raises(CannotWrite, match=r"authn\.yaml was changed or removed, not by this agent"):
        node.update.write(can_reload=True)
    assert (node.file.read_text() if node.file.exists() else None) == change


def test_a_second_file_during_a_trial_restarts_the_component(node: Node) -> None:
    """The timer takes one file back, and the proof is of one."""
    node.trial(PREFIXES[0], uid=3, **authorizers({"timeout": "3s"}))
    node.update.write(can_reload=True)
    manifest = node.manifest.read_bytes()
    node.trial(PREFIXES[1], uid=4, good=3, **authorizers({"timeout": "3s"}))
    node.update.write(can_reload=True)
    assert node.manifest.read_bytes() == manifest
    node.trial(PREFIXES[1], uid=5, good=3, **authorizers({"timeout": "4s"}))
    node.update.write(can_reload=True)
    assert node.manifest.read_bytes() != manifest


def test_a_content_in_another_api_version_restarts_the_component(node: Node) -> None:
    """It means the same, and the API server would not report that it has read it."""
    before = node.manifest.read_bytes()
    node.use({**issuer(PREFIXES[0]), "apiVersion": "apiserver.config.k8s.io/v1beta1"})
    node.update.write(can_reload=True)
    assert node.manifest.read_bytes() != before


def test_a_duration_that_is_written_otherwise_is_not_written(node: Node) -> None:
    node.use(issuer(PREFIXES[0]), **authorizers({"timeout": "3s", "authorizedTTL": "5m"}))
    node.update.write(can_reload=True)
    before = node.file.with_name("authz.yaml").read_bytes()
    node.use(issuer(PREFIXES[0]), **authorizers({"timeout": "3s", "authorizedTTL": "300s"}))
    assert node.update.write(can_reload=True) is False
    assert node.file.with_name("authz.yaml").read_bytes() == before


def test_a_manifest_that_an_upgrade_has_rewritten_shares_no_file_with_the_next(node: Node) -> None:
    """It names the same directory in other bytes."""
    node.manifest.write_text("# kubeadm\n" + node.manifest.read_text().replace(":v1.34.1", ":v1.35.0"))
    assert node.update.check().problem == ""
    file, before = node.file, node.file.read_bytes()
    node.trial(PREFIXES[1], uid=2, good=1)
    node.update.write(can_reload=True)
    assert node.file != file
    assert file.read_bytes() == before
    armed = RestoreTimer(node.store, COMPONENT).armed()
    assert armed is not None
    assert Path(armed.prepared).read_bytes() != node.manifest.read_bytes()
