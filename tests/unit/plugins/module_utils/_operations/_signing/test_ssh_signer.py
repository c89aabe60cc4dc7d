# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ssh-keygen says becomes one sentence with the remedy, and no passphrase leaves the environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._operations._signing._ssh_signer import (
    CommandResult,
    SigningFailed,
    SshKeygen,
    module_runner,
    read_signing_key,
)
from ansible_collections.configok.node.plugins.plugin_utils._ssh_keygen_runner import run_command
from support.trust.signing import make_key, sign

SECRET = "correct horse"
BEGIN, END = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"


class Recorder:
    """A runner that answers the same each time, and remembers what it was asked."""

    def __init__(self, code: int, errors: str = "", output: str = "", *, late: bool = False) -> None:
        self._result = CommandResult(code, output, errors, late)
        self.command: Sequence[str] = ()
        self.environment: Mapping[str, str] = {}
        self.helper = ""

    def __call__(
        self, command: Sequence[str], *, environment: Mapping[str, str], data: str, timeout: float
    ) -> CommandResult:
        self.command, self.environment = command, environment
        if "SSH_ASKPASS" in environment:
            self.helper = Path(environment["SSH_ASKPASS"]).read_text(encoding="utf-8")
        return self._result


@pytest.mark.parametrize(
    ("errors", "passphrase", "sentence"),
    [
        (
            "unknown option -- Y\nusage: ssh-keygen",
            "",
            "ssh-keygen is too old: signing needs ssh-keygen of OpenSSH 8.1",
        ),
        ("Load key: incorrect passphrase supplied", SECRET, "signing_passphrase is not the passphrase of k"),
        ("Load key: incorrect passphrase supplied", "", "k is encrypted: give signing_passphrase, or add the key"),
        ("Couldn't sign message: agent refused operation", "", "ssh-agent refused to sign with k"),
        ("No private key found for public key", "", "there is no private key for k: add it to the ssh-agent"),
        ("WARNING: UNPROTECTED PRIVATE KEY FILE!", "", "k can be read by others: chmod 600 k"),
        ("\x1b[31mboom", "", "ssh-keygen cannot sign with k: "),
        ("", "", "ssh-keygen cannot sign with k: ssh-keygen ended with 255"),
    ],
)
def test_each_failure_is_reported_in_one_sentence(errors: str, passphrase: str, sentence: str) -> None:
    with pytest.raises(SigningFailed) as failed:
        SshKeygen(Recorder(255, errors)).sign("{}", "k", passphrase)
    assert sentence in str(failed.value)
    assert "\x1b" not in str(failed.value)
    assert SECRET not in str(failed.value)


def test_signing_with_a_token_that_no_person_touches_fails() -> None:
    with pytest.raises(SigningFailed, match="took longer than 60s: touch the token when it blinks"):
        SshKeygen(Recorder(-9, late=True)).sign("{}", "k")


def test_signing_without_ssh_keygen_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SigningFailed, match=r"there is no ssh-keygen in PATH: .* OpenSSH 8\.1"):
        SshKeygen(Recorder(0)).sign("{}", "k")


def test_the_passphrase_is_in_the_environment_only(tmp_path: Path) -> None:
    recorder = Recorder(255)
    with pytest.raises(SigningFailed):
        SshKeygen(recorder, str(tmp_path)).sign("{}", "k", SECRET)
    assert SECRET not in " ".join(recorder.command)
    assert SECRET not in recorder.helper
    assert recorder.environment["CONFIGOK_SIGNING_PASSPHRASE"] == SECRET
    assert list(tmp_path.iterdir()) == [], "what asked for the passphrase is gone"


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("Enter passphrase for key: ", f"{SECRET}\n"),
        ("Enter PIN for key: ", ""),
        ("Confirm user presence", ""),
    ],
)
def test_a_token_does_not_get_the_passphrase_as_its_pin(tmp_path: Path, prompt: str, answer: str) -> None:
    recorder = Recorder(255)
    with pytest.raises(SigningFailed):
        SshKeygen(recorder, str(tmp_path)).sign("{}", "k", SECRET)
    environment = {**os.environ, "CONFIGOK_SIGNING_PASSPHRASE": SECRET}
    done = subprocess.run(
        ["sh", "-c", recorder.helper, "askpass", prompt], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == (answer, 0 if answer else 1)


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_the_action_signs_with_real_keys(tmp_path: Path, kind: str) -> None:
    ssh_keygen = SshKeygen(run_command, str(tmp_path))
    key = make_key(tmp_path / "keys", kind, kind=kind, passphrase=SECRET)
    armored = ssh_keygen.sign('{"pool":"workers"}', str(key.file), SECRET)
    assert ssh_keygen.check('{"pool":"workers"}', armored) == ""
    assert "incorrect signature" in ssh_keygen.check('{"pool":"others"}', armored)
    assert ssh_keygen.check('{"pool":"workers"}', "-----BEGIN SSH SIGNATURE-----\nAAAA\n") != ""
    assert ssh_keygen.check("x", sign(make_key(tmp_path, "bob"), "x", namespace="file")) != ""


def test_a_runner_of_a_module_ends_what_hangs() -> None:
    class Module:
        """Runs as AnsibleModule.run_command does, so far as the runner needs it."""

        def run_command(self, command: list[str], **options: Any) -> tuple[int, str, str]:
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
                options["before_communicate_callback"](process)
                output, _errors = process.communicate(options["data"].decode())
                return process.returncode, output, ""

    run = module_runner(Module())
    late = run(["sleep", "30"], environment={}, data="", timeout=0.2)
    assert (late.has_timed_out, late.code) == (True, -9)
    done = run(["cat"], environment={}, data="x", timeout=20.0)
    assert done == CommandResult(0, "x", "")


def test_the_action_ends_what_hangs() -> None:
    assert run_command(["sleep", "30"], environment={}, data="", timeout=0.2).has_timed_out


@pytest.mark.parametrize(("second", "code"), [(255, 255), (0, 1)])
def test_a_module_learns_why_a_program_ended_early(second: int, code: int) -> None:
    """The second call is for its message: what it signs is empty."""

    class Module:
        calls = 0

        def run_command(self, _command: list[str], **options: Any) -> tuple[int, str, str]:
            self.calls += 1
            if options["data"]:
                raise BrokenPipeError
            return second, "", "no such key"

    module = Module()
    result = module_runner(module)(["x"], environment={}, data="y", timeout=1.0)
    assert result == CommandResult(code, "", "no such key")
    assert module.calls == 2


def test_the_public_key_of_an_encrypted_key_is_read_without_its_passphrase(tmp_path: Path) -> None:
    key = make_key(tmp_path, "alice", passphrase=SECRET)
    assert read_signing_key(str(key.file)).line == key.line
    key.file.with_suffix(".pub").unlink()
    assert read_signing_key(str(key.file)).fingerprint == key.fingerprint


@pytest.mark.parametrize("text", ["", "x", f"{BEGIN}\nAAAA\n{END}\n", f"{BEGIN}\n!\n{END}\n", BEGIN])
def test_a_file_that_is_not_a_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    with pytest.raises(SigningFailed, match="is not a private key of OpenSSH, and there is no public key in"):
        read_signing_key(str(path))
    with pytest.raises(SigningFailed, match="cannot be read: Is a directory"):
        read_signing_key(str(tmp_path))
