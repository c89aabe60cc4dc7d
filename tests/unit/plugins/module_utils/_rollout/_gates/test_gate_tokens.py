# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator says which tokens a pool file may use: its author chooses the server that gets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._gates.gate_client import access_errors
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy

HOW = "to allow it, set CONFIGOK_ALLOWED_TOKENS where ansible-playbook runs"


def errors(environ: dict[str, str], **access: str) -> list[str]:
    """Return what a run says of a gate whose server is the author's choice."""
    gate = {"name": "g", "url": {"url": "https://collect.example.com", **access}}
    return access_errors(parse_policy({"gates": [gate]}).gates.servers, environ)


def test_a_variable_with_the_prefix_needs_no_permission() -> None:
    assert errors({"CONFIGOK_GATE_TOKEN": "x"}, tokenVariable="CONFIGOK_GATE_TOKEN") == []


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "CONFIGOK_GATE", "configok_gate_token", "XCONFIGOK_GATE_A"])
@pytest.mark.parametrize("is_set", [False, True])
def test_any_other_variable_is_refused_whether_it_is_set_or_not(name: str, is_set: bool) -> None:
    assert errors({name: "a-secret"} if is_set else {}, tokenVariable=name) == [
        f"policy.gates: g: the environment variable {name} is not one that gates may use (CONFIGOK_GATE_*): {HOW}"
    ]


@pytest.mark.parametrize("name", ["/etc/hostname", "/no/such/file"])
def test_a_file_is_refused_whether_it_exists_or_not(name: str) -> None:
    assert errors({}, tokenFile=name) == [
        f"policy.gates: g: the file {name} is not one that gates may use (CONFIGOK_GATE_*): {HOW}"
    ]


def test_a_team_has_only_what_its_job_names(tmp_path: Path) -> None:
    """The list of a job replaces the prefix."""
    for team in ("a", "b"):
        (tmp_path / team).mkdir()
        (tmp_path / team / "token").write_text("x")
    environ = {"TEAM_A": "x", "TEAM_B": "x", "CONFIGOK_GATE_B": "x"}
    environ["CONFIGOK_ALLOWED_TOKENS"] = f"TEAM_A:{tmp_path}/a"
    allowed = f"(TEAM_A, {tmp_path}/a)"
    assert errors(environ, tokenVariable="TEAM_A") == []
    assert errors(environ, tokenFile=f"{tmp_path}/a/token") == []
    for name in ("TEAM_B", "CONFIGOK_GATE_B"):
        (error,) = errors(environ, tokenVariable=name)
        assert f"the environment variable {name} is not one that gates may use {allowed}: " in error
    (tmp_path / "a" / "link").symlink_to(tmp_path / "b" / "token")
    for name in (f"{tmp_path}/b/token", f"{tmp_path}/a/../b/token", f"{tmp_path}/a/link", f"{tmp_path}/ab"):
        (error,) = errors(environ, tokenFile=name)
        assert f"the file {name} is not one that gates may use {allowed}: " in error


def test_an_empty_list_allows_nothing() -> None:
    environ = {"CONFIGOK_GATE_A": "x", "CONFIGOK_ALLOWED_TOKENS": ""}
    (error,) = errors(environ, tokenVariable="CONFIGOK_GATE_A")
    assert "may use (none): " in error
