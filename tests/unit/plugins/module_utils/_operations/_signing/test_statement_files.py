# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Statements and signatures are files of exact bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._operations._signing import (
    SigningOptions,
    key_warnings,
    read_signature_files,
    read_statement_file,
    signing_command,
    split_signatures,
    unused_options,
    write_statement_file,
)
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import PublicKey
from ansible_collections.configok.node.plugins.module_utils._trust.statement import Statement

STATEMENT = Statement("workers", "0" * 64, "1", 3, 1)
BLOCK = "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"


def test_a_written_statement_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "statement"
    assert write_statement_file(str(path), STATEMENT.encode())
    assert path.read_text() == STATEMENT.encode()
    assert path.stat().st_mode & 0o777 == 0o644
    assert read_statement_file(str(path)) == STATEMENT


def test_a_file_that_has_the_text_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "statement"
    write_statement_file(str(path), STATEMENT.encode())
    inode = path.stat().st_ino
    assert not write_statement_file(str(path), STATEMENT.encode())
    assert path.stat().st_ino == inode


def test_check_mode_writes_no_file(tmp_path: Path) -> None:
    assert write_statement_file(str(tmp_path / "statement"), "text", check=True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "statement").mkdir()
    with pytest.raises(RolloutError, match="cannot be read"):
        write_statement_file(str(tmp_path / "statement"), "text")
    with pytest.raises(RolloutError, match="cannot be written"):
        write_statement_file(str(tmp_path / "missing/statement"), "text")
    assert [path.name for path in tmp_path.iterdir()] == ["statement"]


@pytest.mark.parametrize("text", ["", "{}", STATEMENT.encode() + "\n", STATEMENT.encode().replace(",", ", ")])
def test_a_text_that_is_not_exactly_a_statement_is_refused_with_its_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "statement"
    path.write_text(text)
    with pytest.raises(RolloutError, match=f"^{path}: "):
        read_statement_file(str(path))


def test_each_signature_in_a_text_counts_once() -> None:
    other = BLOCK.replace("AAAA", "BBBB")
    assert split_signatures(f"note\n{BLOCK}{other}{BLOCK}".replace("\n", "\r\n")) == [BLOCK, other]
    assert split_signatures("no signature") == []


def test_signatures_are_returned_with_their_files(tmp_path: Path) -> None:
    path = tmp_path / "statement.sig"
    path.write_text(BLOCK)
    assert read_signature_files((str(path),)) == [(BLOCK, str(path))]


def test_a_file_without_a_signature_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "statement.sig"
    path.write_text("nothing")
    with pytest.raises(RolloutError, match="has no signature"):
        read_signature_files((str(path),))


def test_the_command_quotes_the_name_of_the_file() -> None:
    assert signing_command("a statement").endswith(" 'a statement'")


def test_a_key_that_the_built_in_verifier_does_not_know_gets_a_warning() -> None:
    assert key_warnings(PublicKey("ssh-ed25519", b"", "")) == []
    (warning,) = key_warnings(PublicKey("ssh-rsa", b"", ""))
    assert "of type ssh-rsa" in warning


def test_options_for_a_bundle_that_is_published_already_are_named_as_unused(tmp_path: Path) -> None:
    path = tmp_path / "statement"
    write_statement_file(str(path), STATEMENT.encode())
    options = SigningOptions(statement_file=str(path))
    assert unused_options(SigningOptions(), None) == []
    assert unused_options(options, STATEMENT) == []
    assert "without a statement" in unused_options(options, None)[0]
    assert "a statement different" in unused_options(options, STATEMENT._replace(sequence=4))[0]
