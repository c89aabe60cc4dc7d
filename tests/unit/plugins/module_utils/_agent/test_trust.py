# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node adopts only bundles that a trusted signer vouches for, and what runs never depends on that."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import API_VERSION, KIND
from ansible_collections.configok.node.plugins.module_utils._agent._bundle_verifier import record_trust
from ansible_collections.configok.node.plugins.module_utils._agent._cli import describe_node, forget_bad, render_status
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._ssh_keygen_command import missing_ssh_keygen
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import ConfigRecord, RecordTrust
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    SignerStatus,
    TrustStatus,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_CONTENT_HASH,
    ANNOTATION_SIGNATURES,
)
from ansible_collections.configok.node.plugins.module_utils._trust.signatures import Signer
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement, parse_signatures
from ansible_collections.configok.node.plugins.module_utils._trust.verification import TrustVerdict
from support.agents.bench import Bench
from support.trust.signing import Key, make_key, signed, trust_section, with_annotations

pytestmark = pytest.mark.usefixtures("no_fsync")

UNSIGNED = "the bundle has no statement: sign it with config_signature, or publish a change, signed"

NO_CLUSTER = "audience not set: the node accepts what was signed for any cluster; set node_trust_clusters"


@pytest.fixture(scope="module")
def alice(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return make_key(tmp_path_factory.mktemp("keys"), "alice")


@pytest.fixture(scope="module")
def bob(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return make_key(tmp_path_factory.mktemp("keys"), "bob")


def section(*keys: Key, **fields: Any) -> dict[str, Any]:
    return trust_section(keys=keys, **{"pools": ["pool"], **fields})


def configuration_file(bench: Bench, trust: object) -> Path:
    """Write the agent's own config, which the role would write; the agent reads its trust policy from there."""
    path = bench.directory / "agent.yaml"
    path.write_text(
        json.dumps(
            {
                "apiVersion": API_VERSION,
                "kind": KIND,
                "nodeName": "n1",
                "kubeconfig": "/nowhere",
                "components": {"kubelet": {}},
                "trust": trust,
            }
        )
    )
    return path


def publish(bench: Bench, text: str, keys: Sequence[Key], *, trial: float = 5.0, **numbers: Any) -> ConfigSource:
    """Publish a signed bundle. numbers: of its statement."""
    source = bench.publish(text, trial=Trial(trial, 0))
    bundles = bench.api.config_maps
    bundles[source.name] = signed(bundles[source.name], keys, **numbers)
    return source


def roll_out(bench: Bench, source: ConfigSource, seconds: float = 30.0) -> str:
    """Assign a bundle and return the cause that the node answers with."""
    bench.assign(source)
    bench.run(seconds)
    return bench.status.cause


def floors(bench: Bench) -> dict[str, int]:
    return bench.agent_store.read_trust_floors()


@pytest.fixture
def bench(tmp_path: Path, alice: Key) -> Bench:
    """A node that trusts alice, and uses a config that she has signed."""
    bench = Bench(tmp_path, trust=section(alice))
    assert roll_out(bench, publish(bench, "maxPods: 120\n", [alice], sequence=5, floor=3)) == "Good"
    return bench


def test_a_signed_bundle_is_adopted_and_the_node_reports_its_signer(bench: Bench, alice: Key) -> None:
    assert bench.reads() == "maxPods: 120\n"
    record = bench.node_state().records.current
    assert record is not None
    assert record.trust == RecordTrust("pool", 5, 3, (SignerStatus(alice.fingerprint, "alice"),))
    assert bench.status.trust is not None
    assert bench.status.trust._asdict() == {
        "mode": "require",
        "floors": {"pool": 3},
        "signers": (SignerStatus(alice.fingerprint, "alice"),),
        "problem": NO_CLUSTER,
    }
    assert any("signed by alice" in line[1] for line in bench.log)


@pytest.mark.contract("trust.before-everything", "trust.refusal")
def test_an_unsigned_bundle_is_refused_and_nothing_is_touched(bench: Bench) -> None:
    before, starts, validated = bench.status.active, bench.starts(), list(bench.validated)
    source = bench.publish("maxPods: 130\n")
    assert roll_out(bench, source) == "Untrusted"
    good = before.uid if before is not None else ""
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good})",
        f"failed to verify (UID: {source.uid}): {UNSIGNED}",
    )
    assert (bench.status.active, bench.starts(), bench.validated) == (before, starts, validated)
    assert bench.agent_store.read_checkpoint(source) is None
    assert bench.node_state().bad_configs == {}
    assert bench.counters.refusals == 1
    assert bench.api.event_reasons[-1] == "ConfigRefused"
    outcome = bench.node_state().records.answered.failure
    assert outcome is not None
    assert (outcome.kind, outcome.text) == ("Untrusted", UNSIGNED)
    assert forget_bad(bench.configuration, None) == []  # it is not bad, so there is nothing to forget


def test_a_refusal_during_a_trial_leaves_the_trial(bench: Bench, alice: Key) -> None:
    running = publish(bench, "maxPods: 125\n", [alice], sequence=6, trial=600.0)
    roll_out(bench, running, 5.0)
    assert roll_out(bench, bench.publish("maxPods: 130\n"), 5.0) == "Untrusted"
    assert bench.words[1] == f"using current (UID: {running.uid})"
    assert bench.status.in_trial


@pytest.mark.contract("trust.refusal")
def test_a_refused_bundle_is_tried_again_when_it_is_assigned_again(bench: Bench, alice: Key) -> None:
    source = bench.publish("maxPods: 130\n", trial=Trial(5.0, 0))
    assert roll_out(bench, source) == "Untrusted"
    bundles = bench.api.config_maps
    bundles[source.name] = signed(bundles[source.name], [alice], sequence=6)
    bench.restart_agent()
    bench.run(30)
    assert bench.status.cause == "Untrusted", "the answer stays"
    assert roll_out(bench, source) == "Good"
    assert bench.reads() == "maxPods: 130\n"


@pytest.mark.contract("trust.before-everything", "trust.checkpoint-again")
def test_a_checkpoint_that_is_not_trusted_is_fetched_again(tmp_path: Path, alice: Key) -> None:
    bench = Bench(tmp_path)
    first = bench.good_node("maxPods: 120\n")
    second = bench.good_node("maxPods: 130\n")
    bundles = bench.api.config_maps
    bundles[first.name] = signed(bundles[first.name], [alice])
    bench.configure(trust=section(alice))
    assert roll_out(bench, first) == "Good"
    assert bench.agent_store.read_checkpoint(first).statement  # type: ignore[union-attr]
    assert roll_out(bench, second) == "Untrusted"
    requests = len(bench.api.requests)
    bench.api.config_maps.clear()
    assert roll_out(bench, second) == "FetchFailed"
    assert roll_out(bench, first) == "Good"
    fetched = [request for request in bench.api.requests[requests:] if f"GET {first.name}" in request]
    assert not fetched, "a trusted checkpoint needs no request"


@pytest.mark.contract("trust.floor")
def test_a_lower_sequence_than_the_floor_is_refused(bench: Bench, alice: Key) -> None:
    assert floors(bench) == {"pool": 3}
    old = publish(bench, "maxPods: 110\nmaxOpenFiles: 7\n", [alice], sequence=2, floor=1)
    assert roll_out(bench, old) == "Untrusted"
    assert "its sequence is 2, and the node accepts 3 or higher" in bench.words[2]
    undo = publish(bench, "maxPods: 115\n", [alice], sequence=3, floor=1)
    assert roll_out(bench, undo) == "Good"
    assert floors(bench) == {"pool": 3}
    assert bench.status.trust is not None
    assert bench.status.trust.floors == {"pool": 3}


@pytest.mark.contract("trust.floor")
def test_a_refused_bundle_raises_no_floor(bench: Bench, alice: Key, bob: Key) -> None:
    assert roll_out(bench, publish(bench, "maxPods: 1\n", [bob], sequence=10**9, floor=10**9)) == "Untrusted"
    invalid = publish(bench, "mood: invalid\n", [alice], sequence=10**9, floor=10**9)
    assert roll_out(bench, invalid) == "InvalidConfig"
    assert floors(bench) == {"pool": 3}


@pytest.mark.contract("trust.floor-survives")
def test_damaged_floors_are_reported_and_rebuilt_from_the_records(bench: Bench, alice: Key) -> None:
    path = bench.directory / "state" / "trust-floors"
    path.write_bytes(path.read_bytes().replace(b'"pool": 3', b'"pool": 0'))
    replayed = publish(bench, "maxPods: 110\nmaxOpenFiles: 7\n", [alice], sequence=2)
    assert roll_out(bench, replayed) == "Untrusted"
    assert bench.words[2].endswith("trust-floors was damaged and set aside")
    bench.assign(None)
    bench.run(30)
    assert bench.status.active is None
    assert floors(bench) == {"pool": 3}, "no record has it any longer"
    assert roll_out(bench, replayed) == "Untrusted"


def test_root_can_take_a_floor_back_once_no_record_has_it(bench: Bench, alice: Key) -> None:
    """As docs/security.md says, after a floor that is too high: the file alone is not enough."""
    file = bench.directory / "state" / "trust-floors"
    roll_out(bench, publish(bench, "maxPods: 121\n", [alice], sequence=10**12, floor=10**12))
    following = publish(bench, "maxPods: 122\n", [alice], sequence=6, floor=3)
    file.unlink()
    assert roll_out(bench, following) == "Untrusted"
    bench.assign(None)
    bench.run(30)
    file.unlink()
    assert roll_out(bench, following) == "Good"


@pytest.mark.contract("trust.audience")
def test_what_was_signed_for_another_cluster_is_refused_and_raises_no_floor(tmp_path: Path, alice: Key) -> None:
    bench = Bench(tmp_path, trust=section(alice, clusters=["production"]))
    own = publish(bench, "maxPods: 120\n", [alice], sequence=12, floor=1, cluster="production")
    assert roll_out(bench, own) == "Good"
    copied = publish(bench, "maxPods: 130\n", [alice], sequence=490, floor=490, cluster="staging")
    assert roll_out(bench, copied) == "Untrusted"
    assert "the statement is for cluster staging, and the node is in production" in bench.words[2]
    assert floors(bench) == {"pool@production": 1}
    following = publish(bench, "maxPods: 121\n", [alice], sequence=13, floor=12, cluster="production")
    assert roll_out(bench, following) == "Good"
    assert floors(bench) == {"pool@production": 12}
    assert bench.status.trust is not None
    assert (bench.status.trust.floors, bench.status.trust.problem) == ({"pool@production": 12}, "")


@pytest.mark.contract("trust.audience")
def test_a_node_without_a_cluster_says_so_and_keeps_the_floors_of_clusters_apart(bench: Bench, alice: Key) -> None:
    copied = publish(bench, "maxPods: 130\n", [alice], sequence=490, floor=490, cluster="staging")
    assert roll_out(bench, copied) == "Good"
    assert floors(bench) == {"pool": 3, "pool@staging": 490}
    assert bench.status.trust is not None
    assert bench.status.trust.problem == NO_CLUSTER
    assert roll_out(bench, publish(bench, "maxPods: 121\n", [alice], sequence=6, floor=3)) == "Good"


def test_floors_of_other_pools_stay(bench: Bench, alice: Key) -> None:
    bench.agent_store.write_trust_floors({"other": 9})
    roll_out(bench, publish(bench, "maxPods: 125\n", [alice], sequence=8, floor=7))
    assert floors(bench) == {"other": 9, "pool": 7}


@pytest.mark.contract("trust.floor-survives", "trust.running-stays")
def test_a_rollback_keeps_the_floor_and_verifies_nothing(bench: Bench, alice: Key) -> None:
    crashing = publish(bench, "mood: deadly\n", [alice], sequence=9, floor=9, trial=60.0)
    assert roll_out(bench, crashing, 0.2) == "Adopting"
    (bench.directory / "state" / "trust-floors").unlink()
    bench.configure(trust=section(alice, revoked=[alice.fingerprint]))
    bench.run(30)
    assert bench.status.cause == "CrashLoop"
    assert bench.reads() == "maxPods: 120\n"
    assert floors(bench) == {"pool": 9}


def test_the_mode_warn_adopts_and_reports_it(tmp_path: Path, alice: Key, bob: Key) -> None:
    bench = Bench(tmp_path, trust=section(alice, mode="warn"))
    source = publish(bench, "maxPods: 120\n", [bob], sequence=7, floor=7)
    assert roll_out(bench, source) == "Good"
    trust = bench.status.trust
    assert trust is not None
    assert (trust.mode, trust.signers, trust.floors) == ("warn", (), {}), "what nobody trusted withdraws nothing"
    assert "bob" not in trust.problem
    assert trust.problem
    assert [line[1] for line in bench.log if "untrusted" in line[1]] == [
        f"an untrusted config is accepted: {trust.problem}"
    ]
    assert roll_out(bench, publish(bench, "maxPods: 130\n", [alice])) == "Good"
    assert bench.status.trust is not None
    assert (bench.status.trust.problem, bench.status.trust.floors) == (NO_CLUSTER, {"pool": 1})


def test_warn_uses_the_checkpoint_when_the_api_does_not_answer(tmp_path: Path, alice: Key) -> None:
    bench = Bench(tmp_path, trust=section(alice, mode="warn"))
    first = bench.publish("maxPods: 120\n", trial=Trial(5.0, 0))
    assert roll_out(bench, first) == "Good"
    assert roll_out(bench, publish(bench, "maxPods: 130\n", [alice])) == "Good"
    del bench.api.config_maps[first.name]
    assert roll_out(bench, first) == "Good"


@pytest.mark.parametrize("mode", ["warn", "require"])
def test_a_bundle_of_another_pool_is_refused(tmp_path: Path, alice: Key, mode: str) -> None:
    bench = Bench(tmp_path, trust=section(alice, mode=mode, pools=["other"]))
    assert roll_out(bench, publish(bench, "maxPods: 120\n", [alice])) == "Untrusted"
    assert bench.reads() == "maxPods: 110\n"


@pytest.mark.contract("trust.off-costs-nothing")
def test_off_verifies_nothing_and_loads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = "ansible_collections.configok.node.plugins.module_utils._trust"
    for name in [name for name in sys.modules if name.startswith(package)]:
        monkeypatch.setitem(sys.modules, name, None)
    bench = Bench(tmp_path, trust={"mode": "off", "keys": "not even a list"})
    source = bench.publish("maxPods: 120\n")
    bundles = bench.api.config_maps
    bundles[source.name] = with_annotations(bundles[source.name], "{", [])
    assert roll_out(bench, source) in ("Good", "Adopting")
    assert bench.reads() == "maxPods: 120\n"
    assert bench.status.trust is None
    record = bench.node_state().records.current
    assert record is not None
    assert (record.trust, b"trust" in record.encode()) == (None, False)
    assert not (tmp_path / "state" / "trust-floors").exists()


@pytest.mark.contract("trust.running-stays")
def test_what_runs_stays_when_its_key_is_revoked(bench: Bench, alice: Key, bob: Key) -> None:
    starts = bench.starts()
    bench.configure(trust=section(bob, revoked=[alice.fingerprint]))
    bench.run(30)
    bench.reboot()
    bench.run(30)
    assert (bench.status.cause, bench.reads(), bench.starts()) == ("Good", "maxPods: 120\n", starts + 1)
    assert bench.status.trust is not None
    assert bench.status.trust.signers == (SignerStatus(alice.fingerprint, "alice"),)
    assert roll_out(bench, publish(bench, "maxPods: 130\n", [alice], sequence=9)) == "Untrusted"
    assert roll_out(bench, publish(bench, "maxPods: 131\n", [bob], sequence=9)) == "Good"


@pytest.mark.contract("trust.read-again")
def test_keys_are_rotated_without_a_restart(tmp_path: Path, alice: Key, bob: Key) -> None:
    bench = Bench(tmp_path)
    path = configuration_file(bench, section(alice))
    bench.configure(file=str(path))
    assert roll_out(bench, publish(bench, "maxPods: 120\n", [alice])) == "Good"
    local_config = bench.status.local_config
    configuration_file(bench, section(bob))
    bench.run(1)
    assert roll_out(bench, publish(bench, "maxPods: 130\n", [alice], sequence=2)) == "Untrusted"
    assert bench.status.local_config not in ("", local_config), "a plan verifies by the policy that the node has now"
    assert roll_out(bench, publish(bench, "maxPods: 131\n", [bob], sequence=2)) == "Good"


@pytest.mark.contract("trust.read-again")
@pytest.mark.parametrize(
    ("trust", "text"),
    [
        ({"mode": "require", "pools": ["pool"], "keys": ["AAAA"]}, "trust.keys"),
        ({"mode": "requires"}, "trust.mode"),
        ({"Mode": "require"}, "trust.Mode is an unknown field"),
        ({"mode": "require", "pools": ["pool"]}, "trust.keys or authorities must have a public key"),
        ("require", "trust must hold an object"),
        (None, "cannot be read"),
    ],
)
def test_a_policy_that_cannot_be_used_adopts_nothing(tmp_path: Path, alice: Key, trust: object, text: str) -> None:
    bench = Bench(tmp_path)
    path = configuration_file(bench, trust)
    bench.configure(file=str(path))
    if trust is None:
        path.unlink()
    source = publish(bench, "maxPods: 120\n", [alice])
    assert roll_out(bench, source) == "FetchFailed"
    status, message, reason = bench.words
    assert (status, message) == ("Unknown", "using current (init)")
    assert "cause: this node's trust policy cannot be used: " in reason
    assert text in reason
    assert bench.status.trust is not None
    assert text in bench.status.trust.problem
    assert bench.status.local_config == ""
    configuration_file(bench, section(alice))
    bench.run(600)
    assert bench.status.cause == "Good"


def run_command(argv: Sequence[str], *, timeout: float, env: Any = None, stdin: str = "") -> CommandResult:
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=timeout, check=False)
    return CommandResult(done.returncode, done.stdout, done.stderr)


def test_ssh_keygen_verifies_where_the_node_prefers_it(tmp_path: Path, alice: Key) -> None:
    carol = make_key(tmp_path / "keys", "carol", kind="ecdsa")
    bench = Bench(tmp_path, trust=section(alice, carol, verifier="ssh-keygen"), run_command=run_command)
    assert roll_out(bench, publish(bench, "maxPods: 120\n", [carol])) == "Good"
    forged = publish(bench, "maxPods: 130\n", [carol], sequence=2)
    bundle = bench.api.config_maps[forged.name]
    signatures = parse_signatures(bundle["metadata"]["annotations"][ANNOTATION_SIGNATURES])
    other = Statement("pool", bundle["metadata"]["annotations"][ANNOTATION_CONTENT_HASH], "1", 3, 1)
    bench.api.config_maps[forged.name] = with_annotations(bundle, other.encode(), signatures)
    assert roll_out(bench, forged) == "Untrusted"
    assert "ssh-keygen refuses the signature" in bench.words[2]


@pytest.mark.parametrize(("code", "text"), [(127, "ssh-keygen: No such file"), (124, "ssh-keygen: no answer")])
def test_without_ssh_keygen_nothing_is_trusted(tmp_path: Path, alice: Key, code: int, text: str) -> None:
    def fail(argv: Sequence[str], *, timeout: float, env: Any = None, stdin: str = "") -> CommandResult:
        return CommandResult(code, "", f"{text}\n")

    bench = Bench(tmp_path, trust=section(alice, verifier="ssh-keygen"), run_command=fail)
    assert roll_out(bench, publish(bench, "maxPods: 120\n", [alice])) == "Untrusted"
    assert text in bench.words[2]
    assert missing_ssh_keygen(fail) == text


def test_ssh_keygen_that_is_too_old_is_noticed() -> None:
    def old(argv: Sequence[str], *, timeout: float, env: Any = None, stdin: str = "") -> CommandResult:
        return CommandResult(1, "", "unknown option -- Y\nusage: ssh-keygen ...\n")

    assert missing_ssh_keygen(old) == "ssh-keygen is older than OpenSSH 8.1"
    assert missing_ssh_keygen(run_command) == ""


def test_the_same_content_under_another_uid_is_verified_too(bench: Bench, alice: Key) -> None:
    starts = bench.starts()
    assert roll_out(bench, bench.publish("maxPods: 120\n", trial=Trial(5.0, 0))) == "Untrusted"
    assert roll_out(bench, publish(bench, "maxPods: 120\n", [alice], sequence=8, floor=8)) == "Good"
    record = bench.node_state().records.current
    assert record is not None
    assert record.trust is not None
    assert (record.trust.sequence, floors(bench), bench.starts()) == (8, {"pool": 8}, starts)


@pytest.mark.contract("trust.assigned-again")
@pytest.mark.parametrize(
    ("mode", "cause", "problem"),
    [("warn", "Good", UNSIGNED), ("require", "Untrusted", "adopted while trust was off")],
)
def test_what_runs_is_verified_when_it_is_assigned_again(
    tmp_path: Path, alice: Key, mode: str, cause: str, problem: str
) -> None:
    bench = Bench(tmp_path)
    source = bench.good_node()
    starts = bench.starts()
    bench.configure(trust=section(alice, mode=mode))
    assert roll_out(bench, source) == cause
    assert bench.status.trust is not None
    assert (bench.status.active, bench.status.trust.problem) == (source, problem)
    bundles = bench.api.config_maps
    bundles[source.name] = signed(bundles[source.name], [alice], sequence=4, floor=2)
    assert roll_out(bench, source) == "Good"
    assert bench.status.trust == TrustStatus(mode, {"pool": 2}, (SignerStatus(alice.fingerprint, "alice"),), NO_CLUSTER)
    records = bench.node_state().records
    assert records.current is not None
    assert records.last_known_good is not None
    assert records.current.trust == records.last_known_good.trust
    requests = len(bench.api.requests)
    assert roll_out(bench, source) == "Good"
    assert not [request for request in bench.api.requests[requests:] if source.name in request]
    assert (bench.starts(), bench.status.in_trial) == (starts, False)


def test_status_says_who_vouches(bench: Bench, alice: Key) -> None:
    newer = publish(bench, "maxPods: 125\n", [alice], sequence=6, trial=600.0)
    roll_out(bench, newer, 5.0)
    status = describe_node(bench.configuration)
    assert status["trust"] == {"mode": "require", "floors": {"pool": 3}, "problem": NO_CLUSTER}
    assert status["using"]["trust"]["sequence"] == 6
    assert status["lastKnownGood"]["trust"]["signers"] == [{"fingerprint": alice.fingerprint, "name": "alice"}]
    text = render_status(status)
    assert "trust            require, pool from sequence 3 on" in text
    assert " ".join(text.split()).count(f"signed by alice ({alice.fingerprint})") == 2


def test_status_says_why_what_runs_is_not_trusted(tmp_path: Path, alice: Key) -> None:
    bench = Bench(tmp_path)
    bench.good_node()
    assert describe_node(bench.configuration)["trust"] is None
    bench.configure(trust=section(alice))
    bench.run(30)
    assert bench.status.trust is not None
    assert bench.status.trust.problem == "adopted while trust was off"
    assert "adopted while trust was off" in render_status(describe_node(bench.configuration))
    roll_out(bench, bench.publish("maxPods: 130\n"))
    text = " ".join(render_status(describe_node(bench.configuration)).split())
    assert f"failed (Untrusted): {UNSIGNED}" in text
    assert "have the bundle signed by a signer that this node trusts, then roll it out again" in text


def test_names_of_signers_are_kept_as_one_short_line(bench: Bench) -> None:
    checkpoint = bench.agent_store.read_checkpoint(bench.status.active or ConfigSource("", "", ""))
    assert checkpoint is not None
    signer = Signer("SHA256:x", "\x1b[31mmallory\n\u202e" + "x" * 200)
    statement = Statement("pool", checkpoint.content_hash, "1", 1, 1)
    trust = record_trust(checkpoint, TrustVerdict(True, True, "", statement, (signer,), ("a\nb",)))
    assert trust is not None
    assert trust.signers[0].name.isprintable()
    assert len(trust.signers[0].name) == 100
    assert all(line[1].isprintable() for line in bench.log)


def test_records_of_other_versions_are_read(bench: Bench) -> None:
    record = bench.node_state().records.current
    assert record is not None
    assert ConfigRecord.decode(record.encode()) == record
    older = record._replace(trust=None)
    assert b'"trust"' not in older.encode()
    assert ConfigRecord.decode(older.encode()) == older
