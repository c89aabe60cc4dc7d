# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which config a node uses, as a table and as properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._agent._state.active_config import (
    ActiveConfig,
    crash_reason,
    failure_from_mark,
    in_trial,
    must_refuse_start,
    select_active,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import LOCAL_CONFIG, ConfigRecord
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import BadConfig
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.fuzz.settings import fuzz


def record(letter: str, threshold: int = 3) -> ConfigRecord:
    source = ConfigSource("configok-system", f"pool-{letter}", letter * 36)
    return ConfigRecord(source, content_hash=letter, trial=Trial(600.0, threshold), files={"kubelet": letter})


A, B = record("a"), record("b")
BAD_A = {"a" * 36: BadConfig("2026-01-01T00:00:00Z", "crashed 4 times during its trial", "CrashLoop")}
ALL = {"current": True, "last-known-good": True}
ONLY_GOOD = {"current": False, "last-known-good": True}
ONLY_CURRENT = {"current": True, "last-known-good": False}
NONE = {"current": False, "last-known-good": False}


@pytest.mark.contract("source.at-start", "crashloop.init-config-last")
@pytest.mark.parametrize(
    ("current", "good", "bad", "crashes", "usable", "expected"),
    [
        (LOCAL_CONFIG, LOCAL_CONFIG, {}, 0, NONE, ActiveConfig(LOCAL_CONFIG, "current")),
        (LOCAL_CONFIG, LOCAL_CONFIG, {}, 99, NONE, ActiveConfig(LOCAL_CONFIG, "current")),
        (A, LOCAL_CONFIG, {}, 0, ONLY_CURRENT, ActiveConfig(A, "current")),
        (A, LOCAL_CONFIG, {}, 3, ONLY_CURRENT, ActiveConfig(A, "current")),
        (A, LOCAL_CONFIG, {}, 4, ONLY_CURRENT, ActiveConfig(LOCAL_CONFIG, "last-known-good", "CrashLoop", 4)),
        (A, B, {}, 4, ALL, ActiveConfig(B, "last-known-good", "CrashLoop", 4)),
        (A, A, {}, 99, ALL, ActiveConfig(A, "current")),  # after the trial, crashes change nothing
        (A, A, BAD_A, 0, ALL, ActiveConfig(A, "current")),
        (A, B, BAD_A, 0, ALL, ActiveConfig(B, "last-known-good", "bad")),
        (A, B, {}, 0, ONLY_GOOD, ActiveConfig(B, "last-known-good", "unusable")),
        (A, B, {}, 0, NONE, ActiveConfig(LOCAL_CONFIG, "last-known-good", "unusable")),
        (A, B, BAD_A, 0, ONLY_CURRENT, ActiveConfig(LOCAL_CONFIG, "last-known-good", "bad")),
        (None, B, {}, 0, ALL, ActiveConfig(B, "last-known-good", "unreadable")),
        (None, LOCAL_CONFIG, {}, 0, NONE, ActiveConfig(LOCAL_CONFIG, "last-known-good", "unreadable")),
        (None, None, {}, 0, NONE, ActiveConfig(LOCAL_CONFIG, "last-known-good", "unreadable")),
        (A, None, {}, 0, ONLY_CURRENT, ActiveConfig(A, "current")),
        (A, None, {}, 4, ONLY_CURRENT, ActiveConfig(LOCAL_CONFIG, "last-known-good", "CrashLoop", 4)),
    ],
)
def test_the_first_usable_config_of_the_ladder_is_active(
    current: ConfigRecord | None,
    good: ConfigRecord | None,
    bad: dict[str, BadConfig],
    crashes: int,
    usable: dict[str, bool],
    expected: ActiveConfig,
) -> None:
    choice = select_active(current, good, never_written=False, bad=bad, crashes={"kubelet": crashes}, usable=usable)
    if not choice.fallback_reason:
        assert (choice.record, choice.record_name) == (expected.record, expected.record_name)
    else:
        assert choice == expected


def test_a_fresh_node_uses_its_init_config_as_current() -> None:
    assert select_active(None, None, never_written=True, bad={}, crashes={}, usable={}) == ActiveConfig(
        LOCAL_CONFIG, "current"
    )


@pytest.mark.contract("crashloop.over-the-threshold")
@pytest.mark.parametrize("threshold", range(11))
def test_crashes_must_exceed_the_threshold(threshold: int) -> None:
    current = record("a", threshold)

    def fallback_reason(crashes: int) -> str:
        return select_active(
            current, LOCAL_CONFIG, never_written=False, bad={}, crashes={"kubelet": crashes}, usable=ALL
        ).fallback_reason

    assert fallback_reason(threshold) == ""
    assert fallback_reason(threshold + 1) == "CrashLoop"


RECORDS = st.sampled_from([None, LOCAL_CONFIG, A, B])
FLAGS = st.booleans()


@fuzz(100)
@given(
    current=RECORDS,
    good=RECORDS,
    bad=st.sampled_from([{}, BAD_A]),
    crashes=st.dictionaries(st.sampled_from(["kubelet", "kube-proxy"]), st.integers(0, 20)),
    usable=st.fixed_dictionaries({"current": FLAGS, "last-known-good": FLAGS}),
    never_written=FLAGS,
)
def test_what_is_chosen_is_always_usable(
    current: ConfigRecord | None,
    good: ConfigRecord | None,
    bad: dict[str, BadConfig],
    crashes: dict[str, int],
    usable: dict[str, bool],
    never_written: bool,
) -> None:
    choice = select_active(current, good, never_written=never_written, bad=bad, crashes=crashes, usable=usable)
    assert choice.record in (current, good, LOCAL_CONFIG)
    assert choice.record.source is None or usable[choice.record_name]
    # The init config is used only if it is last-known-good, or if last-known-good is unreadable or unusable.
    if choice.record is LOCAL_CONFIG and not never_written and choice.fallback_reason:
        assert good is None or good.source is None or not usable["last-known-good"]
    # A rollback is final: its target is selected again, whatever the crashes.
    if choice.fallback_reason and choice.record.source is not None:
        again = select_active(
            choice.record,
            good,
            never_written=False,
            bad=bad,
            crashes=crashes,
            usable={"current": True, "last-known-good": True},
        )
        assert (again.record, again.fallback_reason) == (choice.record, "")


@pytest.mark.contract("init.refused-if-deadly")
def test_only_an_init_config_is_ever_refused() -> None:
    assert must_refuse_start(ActiveConfig(LOCAL_CONFIG, "current"), init_is_fatal=True)
    assert not must_refuse_start(ActiveConfig(LOCAL_CONFIG, "current"), init_is_fatal=False)
    assert not must_refuse_start(ActiveConfig(A, "current"), init_is_fatal=True)


def test_the_trial_ends_when_both_records_mean_the_same_content() -> None:
    assert in_trial(A, B)
    assert in_trial(A, None)
    assert not in_trial(A, A)
    assert not in_trial(LOCAL_CONFIG, A)
    pinned = ConfigRecord(ConfigSource("configok-system", "pool-a", "c" * 36), content_hash="a", files={"kubelet": "a"})
    assert not in_trial(A, pinned)


def test_an_outcome_can_be_read_from_the_bad_mark_alone() -> None:
    crash = failure_from_mark("u", BadConfig("t", crash_reason(5), "CrashLoop", crashes=5))
    assert (crash.kind, crash.crashes, crash.time) == ("CrashLoop", 5, "t")
    mark = BadConfig("t", "in other words", "NotHealthy", within=90.0, probe="kubelet: healthz: 500")
    probe = failure_from_mark("u", mark)
    assert (probe.kind, probe.within, probe.text) == ("NotHealthy", 90.0, "kubelet: healthz: 500")
