# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of ConfigOK, and the one PATCH that writes it."""

from __future__ import annotations

import json

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig import config_ok as verdict
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import (
    ConfigInUse,
    ConfigOk,
    status_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
    SignerStatus,
    TrustStatus,
    parse_status,
    read_condition,
    read_status,
)

NEW, CUR, LKG = "n" * 36, "c" * 36, "l" * 36
SOURCE = ConfigSource("configok-system", "workers-0123456789", "5f1c6dd2-8d3c-4d7a-9e57-0c6c0b1c2a11")
LAST = ConfigInUse("last-known-good", LKG)

# The table of the contract: situation, status, message, reason.
TABLE = [
    (verdict.good(ConfigInUse("current", CUR)), "True", f"using current (UID: {CUR})", "all checks passed"),
    (
        verdict.good(ConfigInUse("current")),
        "True",
        "using current (init)",
        "current is set to the local default, and an init config was provided",
    ),
    (
        verdict.good(ConfigInUse("current", has_init_config=False)),
        "True",
        "using current (default)",
        "current is set to the local default, and no init config was provided",
    ),
    (
        verdict.failing(ConfigInUse("current", CUR), "crashed more than 3 times within 10m"),
        "False",
        f"using current (UID: {CUR}), which is failing",
        "crashed more than 3 times within 10m",
    ),
    (verdict.adopting(f"UID: {NEW}"), "Unknown", f"adopting (UID: {NEW})", "checks passed, not probed yet"),
    (
        verdict.not_synced(
            ConfigInUse("last-known-good"), "invalid NodeConfigSource, x", machine_cause="InvalidConfigSource"
        ),
        "Unknown",
        "using last-known-good (init)",
        "failed to sync, desired config unclear, cause: invalid NodeConfigSource, x",
    ),
    (verdict.assignment_lost(ConfigInUse("current", CUR)), "Unknown", f"using current (UID: {CUR})", "assignment lost"),
    (
        verdict.stale_assignment(ConfigInUse("current", CUR), 4),
        "Unknown",
        f"using current (UID: {CUR})",
        "stale assignment 4",
    ),
    (
        verdict.invalid(LAST, NEW, "maxPods: -1"),
        "False",
        f"using last-known-good (UID: {LKG})",
        f"failed to validate current (UID: {NEW}): maxPods: -1",
    ),
    (
        verdict.invalid_in_trial(ConfigInUse("current", CUR), NEW, "maxPods: -1"),
        "False",
        f"using current (UID: {CUR})",
        f"failed to validate (UID: {NEW}): maxPods: -1",
    ),
    (
        verdict.untrusted(LAST, NEW, "the bundle has no statement"),
        "False",
        f"using last-known-good (UID: {LKG})",
        f"failed to verify (UID: {NEW}): the bundle has no statement",
    ),
    (
        verdict.known_bad(LAST, NEW, "2026-01-01T00:00:00Z", "crash loop"),
        "False",
        f"using last-known-good (UID: {LKG})",
        f"(UID: {NEW}) was marked bad at 2026-01-01T00:00:00Z: crash loop",
    ),
    (
        verdict.crash_loop(LAST, NEW, 4),
        "False",
        f"using last-known-good (UID: {LKG})",
        f"current (UID: {NEW}) crashed 4 times during its trial",
    ),
    (
        verdict.not_healthy(LAST, NEW, "2m", "healthz: refused"),
        "False",
        f"using last-known-good (UID: {LKG})",
        f"current (UID: {NEW}) not healthy within 2m: healthz: refused",
    ),
    (
        verdict.both_fail(LAST, NEW),
        "False",
        f"using last-known-good (UID: {LKG}), which is failing",
        f"current (UID: {NEW}) and last-known-good both fail: cause may lie elsewhere",
    ),
    (
        verdict.host_not_ready(ConfigInUse("current", CUR), f"UID: {NEW}", "the runtime does not answer"),
        "Unknown",
        f"using current (UID: {CUR})",
        f"(UID: {NEW}) waits for this host: the runtime does not answer",
    ),
    (
        verdict.doubted(LAST, NEW, "last-known-good failed as well"),
        "Unknown",
        f"using last-known-good (UID: {LKG})",
        f"current (UID: {NEW}) failed, the cause may lie elsewhere: last-known-good failed as well",
    ),
    (
        verdict.unit_stopped(f"UID: {CUR}", "kubelet.service is stopped by an administrator"),
        "Unknown",
        f"current (UID: {CUR}) not in use",
        "kubelet.service is stopped by an administrator",
    ),
    (verdict.opted_out(), "Unknown", "using the local config", "dynamic configuration is turned off on this node"),
]


@pytest.mark.contract("condition.words", "condition.cause-for-machines")
@pytest.mark.parametrize(("config_ok", "status", "message", "reason"), TABLE)
def test_each_condition_has_its_words(config_ok: ConfigOk, status: str, message: str, reason: str) -> None:
    assert (config_ok.status, config_ok.message, config_ok.reason) == (status, message, reason)
    assert config_ok.cause.isalnum()


@pytest.mark.contract("condition.damaged")
def test_damaged_files_are_reported_in_addition_to_the_verdict() -> None:
    config_ok = verdict.with_damaged(verdict.good(ConfigInUse("current", CUR)), "current")
    assert config_ok.status == "True"
    assert config_ok.reason == "all checks passed; current was damaged and set aside"


@pytest.mark.contract("condition.long-is-cut")
def test_long_causes_are_cut() -> None:
    config_ok = verdict.invalid(LAST, NEW, "x" * 5000).shortened()
    assert len(config_ok.reason) == verdict.MAX_TEXT
    assert config_ok.reason.endswith("...")


def full_status() -> ConfigStatus:
    return ConfigStatus(
        assignment=7,
        assigned=SOURCE,
        active=SOURCE,
        last_known_good=None,
        error="",
        cause="Good",
        in_trial=True,
        components={"kubelet": ComponentStatus("v1.35.0", "0123456789", "healthy")},
        ignored=("kube-proxy",),
        agent_version="0.1.0",
    )


def test_a_status_is_parsed_as_it_was_encoded() -> None:
    assert ConfigStatus.parse(full_status().encode()) == full_status()


TRUST = TrustStatus("warn", {"workers": 7}, (SignerStatus("SHA256:x", "alice"),), "the bundle has no statement")


def test_the_trust_of_a_node_is_in_its_status() -> None:
    status = full_status()._replace(trust=TRUST)
    assert ConfigStatus.parse(status.encode()) == status
    assert json.loads(status.encode())["trust"] == {
        "mode": "warn",
        "floors": {"workers": 7},
        "signers": [{"fingerprint": "SHA256:x", "name": "alice"}],
        "problem": "the bundle has no statement",
    }
    assert "trust" not in json.loads(full_status().encode())


@pytest.mark.parametrize(
    ("trust", "expected"),
    [
        (None, None),
        ([], None),
        ("require", None),
        ({}, TrustStatus()),
        ({"mode": 1, "floors": [], "signers": {}, "problem": None, "later": 1}, TrustStatus()),
        ({"mode": "require", "floors": {"a": True, "b": 10**19, "c": -1, "d": "1", "e": 5}}, {"e": 5}),
        ({"signers": [1, {"fingerprint": "\ud800", "name": 2}]}, (SignerStatus("?", ""),)),
    ],
)
def test_invalid_trust_fields_are_left_out(trust: object, expected: object) -> None:
    value = {**json.loads(full_status().encode()), "trust": trust}
    status = ConfigStatus.parse(json.dumps(value))
    assert expected in (status.trust, *(status.trust or ()))
    assert ConfigStatus.parse(status.encode()) == status


@pytest.mark.parametrize("confirmed", ["7", True, -1, 2**63, None, {}])
def test_an_invalid_confirmed_id_is_left_out(confirmed: object) -> None:
    status = ConfigStatus.parse(json.dumps({**json.loads(full_status().encode()), "confirmed": confirmed}))
    assert status == full_status()._replace(confirmed=None)
    assert ConfigStatus.parse(status.encode()) == status


def test_what_a_newer_agent_adds_is_ignored() -> None:
    value = json.loads(full_status().encode())
    value["later"] = True
    value["components"]["kubelet"]["later"] = True
    assert ConfigStatus.parse(json.dumps(value)) == full_status()


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "{", '{"assignment": "7"}', '{"assignment": -1}', '{"assignment": 1, "active": {}}']
)
def test_text_that_is_not_a_status_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"config-status|Expecting|NodeConfigSource"):
        ConfigStatus.parse(text)
    assert read_status({"metadata": {"annotations": {"configok.dev/config-status": text}}}) is None


@pytest.mark.parametrize("assignment", ["9" * 4300, "9" * 4301, str(2**63 - 1)])
def test_an_assignment_beyond_all_bounds_is_refused(assignment: str) -> None:
    node = {"metadata": {"annotations": {"configok.dev/config-status": f'{{"assignment": {assignment}}}'}}}
    status, error = parse_status(node)
    assert status is None
    assert "assignment from 0 to" in error or "digits, at most 20 are allowed" in error
    assert len(error) < 200


def test_a_status_can_always_be_written_and_leaves_out_values_that_are_not_text() -> None:
    deep = "[" * 50 + "]" * 50
    text = f'{{"error": {deep}, "agentVersion": 7, "cause": "\\ud800", "components": {{"kubelet": {{"note": {{}}}}}}}}'
    status = ConfigStatus.parse(text)
    assert (status.error, status.agent_version, status.components["kubelet"].note) == ("", "", "")
    assert status.cause.encode()


def test_one_patch_says_everything() -> None:
    patch = status_patch(
        verdict.good(ConfigInUse("current", SOURCE.uid)), full_status(), SOURCE.name, now="2026-01-01T00:00:00Z"
    )
    assert read_status(patch) == full_status()
    condition = read_condition(patch)
    assert condition is not None
    assert condition["status"] == "True"
    assert condition["lastTransitionTime"] == condition["lastHeartbeatTime"] == "2026-01-01T00:00:00Z"
    assert patch["metadata"]["labels"] == {"configok.dev/config": SOURCE.name, "configok.dev/config-ok": "True"}
