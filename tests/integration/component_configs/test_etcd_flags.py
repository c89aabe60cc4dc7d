# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags of etcd are those of its help, and what is refused of their values is what it refuses at its start."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
import urllib3
from ports import free_ports

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_findings import (
    Argument,
    flag_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import known_flags
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._pflag import FORMS
from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_options import ETCD, bundle_flags
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from support.api.binaries import Unavailable, find
from support.session.unavailable import leave_out

LONGEST_REFUSAL = 10.0  # seconds; it takes less than one
REFUSED = Level.COMPONENT, Level.POLICY
STRICTER = {
    # It starts with these, and then works in a way that no operator wants.
    ("auto-compaction-mode=revision auto-compaction-retention", "5m"): "whole-number-with",
    ("max-request-bytes", "0"): "range",
    ("max-request-bytes", "1048576"): "range",
}
# It compacts without a pause from its start on, and ends with a panic if it does so before it has a store.
BY_CHANCE = {("auto-compaction-retention", "-5m"): "range"}
VALUES = {
    "auto-compaction-mode": ("periodic", "revision", "none", "Periodic"),
    "auto-compaction-retention": ("0", "8", "+8", "-1", "1.5", "30m", "1h30m", ".5h", "5.m", "-5m", "5d", "h", "1 h"),
    "auto-compaction-mode=revision auto-compaction-retention": ("1000", "5m", "many"),
    "heartbeat-interval": ("0", "1", "200", "201", "-1", "0x64", "100ms", "1.5"),
    "election-timeout": ("0", "499", "500", "50000", "50001", "5s"),
    "heartbeat-interval=500 election-timeout": ("2499", "2500"),
    "snapshot-count": ("0", "1", "10000", "-1", "many"),
    "max-request-bytes": ("0", "1048576", "1572864", "10485760", "-1"),
    "quota-backend-bytes": ("0", "-1", "8589934592", "8Gi", "1e9"),
    "log-level": ("debug", "info", "warn", "error", "dpanic", "panic", "fatal", "DEBUG", "trace"),
}


@pytest.fixture(scope="module")
def etcd() -> Path:
    try:
        return find("etcd")
    except Unavailable as problem:
        leave_out(problem)


def test_every_flag_of_the_help_is_known_and_its_default_is_a_value_of_its_type(etcd: Path) -> None:
    run = subprocess.run([str(etcd), "--help"], capture_output=True, text=True, timeout=60, check=False)
    shown = re.findall(r"(?m)^  --([a-z0-9-]+)(?: '?([^'\n]*)'?)?$", run.stdout + run.stderr)
    known = known_flags(ETCD)
    assert known is not None
    names = {name for name, _default in shown} - {"version", "help"}
    assert len(names) > 50
    assert names - known.flags.keys() == set()
    for name, default in shown:
        if name in names and re.fullmatch(r"[a-z0-9]+", default):
            FORMS[known.flags[name].form]([default])


QUESTIONS = [(words, value) for words, values in VALUES.items() for value in values]


def test_each_flag_that_can_be_changed_is_compared() -> None:
    assert {name for words in VALUES for name in re.findall(r"(?:^| )([a-z-]+)", words)} == bundle_flags(ETCD)


@pytest.mark.parametrize(("words", "value"), QUESTIONS)
def test_etcd_refuses_at_its_start_what_is_refused_here(etcd: Path, tmp_path: Path, words: str, value: str) -> None:
    flags = [f"--{word}" for word in f"{words}={value}".split(" ", words.count(" "))]
    arguments = [Argument((index,), *flag[2:].split("=", 1)) for index, flag in enumerate(flags)]
    refusals = [finding for finding in flag_findings(ETCD, arguments, 36) if finding.level in REFUSED]
    if (words, value) in BY_CHANCE:
        assert [finding.rule for finding in refusals] == [BY_CHANCE[words, value]]
    elif (words, value) in STRICTER:
        assert [finding.rule for finding in refusals] == [STRICTER[words, value]]
        assert starts(etcd, tmp_path, flags)
    else:
        assert starts(etcd, tmp_path, flags) == (not refusals), refusals


def starts(etcd: Path, directory: Path, flags: list[str]) -> bool:
    """Return whether etcd serves with these flags."""
    client, peer = (f"http://127.0.0.1:{port}" for port in free_ports(2))
    own = [
        f"--data-dir={directory}/data",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
    ]
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen([str(etcd), *own, *flags], stdout=log, stderr=log)
        try:
            return _serves(process, client)
        finally:
            process.kill()
            process.wait()


def _serves(process: subprocess.Popen[bytes], url: str) -> bool:
    """Return whether it serves, or still runs: it serves only once it has elected itself, which may take a minute."""
    deadline = time.monotonic() + LONGEST_REFUSAL
    while time.monotonic() < deadline:
        if process.poll() is not None:
            return False
        try:
            urllib3.PoolManager().request("GET", f"{url}/version", retries=False)
            return True
        except urllib3.exceptions.HTTPError:
            time.sleep(0.05)
    return True
