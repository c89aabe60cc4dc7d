# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/trust.md: its commands run, its files are valid, and its tables are complete."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import LocalConfig
from ansible_collections.configok.node.plugins.module_utils._operations._signature_checker import trust_policy
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import POOL_FILE
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy
from ansible_collections.configok.node.plugins.module_utils._trust.verification import verify_bundle
from support.ansible_runs.module_documentation import documented_options
from support.configs.kubelet import kubelet_config
from support.trust.signing import statement_of, with_annotations

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/trust.md").read_text(encoding="utf-8")
ROLE = ROOT / "roles/node"
MODULES = "ansible_collections.configok.node.plugins.modules"


def blocks(language: str) -> list[str]:
    """Return the text of the page's blocks in a language, also of those in a list."""
    matches = re.findall(rf"^( *)```{language}\n(.*?)^\1```", PAGE, re.DOTALL | re.MULTILINE)
    return [re.sub(f"^{indent}", "", text, flags=re.MULTILINE) for indent, text in matches]


POOLS = [yaml.safe_load(text) for text in blocks("yaml") if text.startswith("# pool.yml")]
NODES = [yaml.safe_load(text) for text in blocks("yaml") if "node_trust_" in text]
TASKS = [task for text in blocks("yaml") if text.startswith("- name:") for task in yaml.safe_load(text)]


def rows(prefix: str) -> dict[str, str]:
    """Return name -> default of the table whose names begin with the prefix."""
    return dict(re.findall(rf"^\| `({prefix}\w+)` \| ([^|]*?) *\|", PAGE, re.MULTILINE))


def policy(variables: dict[str, Any]) -> TrustPolicy:
    """Return the trust policy of a node with these variables of the role."""
    section = {name.removeprefix("node_trust_"): value for name, value in variables.items()}
    read = trust_policy(LocalConfig({}, section))
    assert read is not None
    return read


def run(directory: Path, script: str) -> None:
    """Run commands as a user does who gives no passphrase."""
    ask = directory / "ask"
    ask.write_text("#!/bin/sh\necho\n")
    ask.chmod(0o700)
    done = subprocess.run(
        ["sh", "-ec", script],
        cwd=directory,
        env={"PATH": os.environ["PATH"], "SSH_ASKPASS": str(ask), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert done.returncode == 0, done.stderr


def test_a_node_accepts_what_the_commands_of_the_page_sign(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    config_map = build_bundle("workers", {"kubelet": kubelet_config("maxPods: 60")})
    config_map["metadata"]["uid"] = "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11"
    statement = statement_of(config_map, cluster="east").encode()
    (tmp_path / "statement.json").write_text(statement)
    commands = blocks("shell")
    assert len(commands) == 3
    for command in commands:
        run(tmp_path, command)
    signature = (tmp_path / "statement.json.sig").read_text()
    bundle = Bundle.from_config_map(with_annotations(config_map, statement, [signature]))
    authority = (tmp_path / "keys/authority.pub").read_text()
    by_authority = next(variables for variables in NODES if "node_trust_authorities" in variables)
    trusting = policy({**by_authority, "node_trust_authorities": [authority]})
    verdict = verify_bundle(bundle, trusting, floors={}, now=time.time())
    assert (verdict.trusted, [signer.name for signer in verdict.signers]) == (True, ["alice@example.org"])
    assert not verify_bundle(bundle, trusting, floors={}, now=time.time() + 9 * 3600).trusted


@pytest.mark.parametrize("variables", NODES)
def test_the_variables_of_nodes_are_valid(variables: dict[str, Any]) -> None:
    if "node_trust_mode" in variables:
        assert policy(variables).mode in ("warn", "require")
    else:
        assert len(policy(variables).revoked) == 1


def test_the_pool_files_use_existing_keys() -> None:
    assert len(POOLS) == 4
    for pool in POOLS:
        assert set(pool) <= set(POOL_FILE.keys[""])
        assert set(pool["signing"]) <= set(POOL_FILE.keys["signing"])


def test_the_table_of_variables_is_complete() -> None:
    options = yaml.safe_load((ROLE / "meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    defaults = yaml.safe_load((ROLE / "defaults/main.yml").read_text())
    table = rows("node_trust_")
    assert set(table) == {name for name in options if name.startswith("node_trust_")}
    assert {name: yaml.safe_load(default.strip("`")) for name, default in table.items()} == {
        name: yaml.safe_load(str(defaults[name])) for name in table
    }


def test_the_statement_of_the_page_is_one() -> None:
    (text,) = blocks("json")
    fields = json.loads(text)
    assert Statement.parse(text.strip()).sequence == fields["sequence"]
    table = set(re.findall(r"^\| (`\w+`(?:, `\w+`)?) \| ", PAGE, re.MULTILINE))
    described = {name for cell in table for name in re.findall(r"\w+", cell)}
    assert described >= {*fields, "notAfter"}


def test_the_tasks_use_existing_options() -> None:
    for task in TASKS:
        ((name, options),) = [(key, value) for key, value in task.items() if key.startswith("configok.node.")]
        module = importlib.import_module(f"{MODULES}.{name.removeprefix('configok.node.')}")
        assert set(options) <= set(documented_options(module)), name


def test_the_page_has_the_words_of_a_refusal() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "plugins/module_utils/_trust").glob("*.py"))
    words = re.sub(r'"\s*f?"|\{[^}]*\}', "", sources)
    cells = re.findall(r'^\| ("[^|]*") \|', PAGE, re.MULTILINE)
    phrases = [phrase for cell in cells for phrase in re.findall('"([^"]*)"', cell)]
    assert len(phrases) == 17
    assert [phrase for phrase in phrases if re.sub(r"\d+ ?", "", phrase) not in re.sub(r" +", " ", words)] == []
