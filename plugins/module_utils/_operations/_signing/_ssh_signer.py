# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sign statements, and check signatures, with the stock ssh-keygen of the control machine.

ssh-keygen asks ssh-agent first, so keys in PKCS#11 and FIDO2 tokens work as they do for a login. Modules and action
plugins run programs differently, so they pass a runner.
"""

from __future__ import annotations

import base64
import binascii
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from ..._rollout import RolloutError
from ..._text import sanitize
from ..._trust.public_keys import InvalidPublicKey, PublicKey, parse_public_key
from ..._trust.ssh_keygen_check import SshKeygenCheck, SshKeygenResult
from ..._trust.statement import SIGNATURE_NAMESPACE

_TIMEOUT = 60.0  # seconds: a person may have to touch a token
_MAX_KEY_FILE = 64 * 1024
_MAX_ERROR = 300
_MAGIC = b"openssh-key-v1\0"
_PASSPHRASE = "CONFIGOK_SIGNING_PASSPHRASE"
# printf is a part of the shell, so the passphrase is in no list of arguments. A token's PIN is not the passphrase.
_ASKPASS = f"""#!/bin/sh
case "$1" in *assphrase*) [ -z "${_PASSPHRASE}" ] || {{ printf '%s\\n' "${_PASSPHRASE}"; exit 0; }};; esac
exit 1
"""
_NEEDED = "signing needs ssh-keygen of OpenSSH 8.1 or newer on the machine that runs Ansible"


class SigningFailed(RolloutError):
    """A signature that cannot be made, or is not one; the text is one sentence with the remedy."""


class CommandResult(NamedTuple):
    """The end of a program. has_timed_out: it was killed because it took too long."""

    code: int
    output: str
    errors: str
    has_timed_out: bool = False


class CommandRunner(Protocol):
    """Runs a program, without a shell, and waits for it."""

    def __call__(
        self, command: Sequence[str], *, environment: Mapping[str, str], data: str, timeout: float
    ) -> CommandResult:
        """Return how the program ended. environment: in addition to the present one. data: its standard input."""


def module_runner(module: Any) -> CommandRunner:
    """Return the runner of a module. module: an AnsibleModule."""

    def run(command: Sequence[str], *, environment: Mapping[str, str], data: str, timeout: float) -> CommandResult:
        late = threading.Event()
        timers: list[threading.Timer] = []

        def limit(process: Any) -> None:
            def end() -> None:
                late.set()
                process.kill()

            timers.append(threading.Timer(timeout, end))
            timers[-1].start()

        def call(standard_input: bytes) -> tuple[int, str, str]:
            result: tuple[int, str, str] = module.run_command(
                list(command),
                data=standard_input,
                binary_data=True,
                environ_update=dict(environment),
                before_communicate_callback=limit,
                handle_exceptions=False,
            )
            return result

        try:
            code, output, errors = call(data.encode())
        except BrokenPipeError:  # it failed before it read anything, and what it said is lost
            code, output, errors = call(b"")
            code = code or 1  # a signature of nothing
        finally:
            for timer in timers:
                timer.cancel()
        return CommandResult(code, output, errors, late.is_set())

    return run


class SshKeygen:
    """Signs and checks with ssh-keygen. run: runs it. directory: for temporary files, the system's by default."""

    def __init__(self, run: CommandRunner, directory: str | None = None) -> None:
        self._run = run
        self._directory = directory

    def sign(self, message: str, key_file: str, passphrase: str = "") -> str:
        """Return an armored signature of a statement.

        key_file: a private key, or a public key or a certificate whose private key is in ssh-agent or next to it.
        Raises SigningFailed.
        """
        with self._helper() as helper:
            environment = {
                "LC_ALL": "C",
                "SSH_ASKPASS": helper,
                "SSH_ASKPASS_REQUIRE": "force",  # before OpenSSH 8.4: DISPLAY, without a terminal
                "DISPLAY": os.environ.get("DISPLAY") or ":0",
                _PASSPHRASE: passphrase,
            }
            arguments = ("-Y", "sign", "-n", SIGNATURE_NAMESPACE, "-f", key_file)
            result = self._call(arguments, environment, message)
        if result.code == 0 and result.output.startswith("-----BEGIN SSH SIGNATURE-----"):
            return result.output
        raise SigningFailed(_signing_problem(result, key_file, bool(passphrase)))

    def check(self, message: str, signature: str) -> str:
        """Return why an armored signature is not one of this statement, "" if it is, by whatever key.

        Raises SigningFailed if ssh-keygen cannot be run.
        """
        with self._temporary() as directory:
            path = os.path.join(directory, "signature")
            _write(path, signature)
            arguments = ("-Y", "check-novalidate", "-n", SIGNATURE_NAMESPACE, "-s", path)
            result = self._call(arguments, {"LC_ALL": "C"}, message)
        if result.code == 0:
            return ""
        if _is_too_old(result):
            raise SigningFailed(f"ssh-keygen is too old: {_NEEDED}")
        return _last_line(result)

    def verify(self, check: SshKeygenCheck) -> SshKeygenResult:
        """Run one check of a node's verifier (an SshKeygenRunner)."""
        with self._temporary() as directory:
            for name, text in check.files.items():
                _write(os.path.join(directory, name), text)
            if shutil.which("ssh-keygen") is None:
                raise OSError("there is no ssh-keygen in PATH")
            result = self._call(check.argv(directory)[1:], {"LC_ALL": "C"}, check.stdin)
        return SshKeygenResult(result.code, result.output + result.errors)

    def _call(self, arguments: Sequence[str], environment: Mapping[str, str], data: str) -> CommandResult:
        program = shutil.which("ssh-keygen")
        if program is None:
            raise SigningFailed(f"there is no ssh-keygen in PATH: {_NEEDED}")
        return self._run([program, *arguments], environment=environment, data=data, timeout=_TIMEOUT)

    @contextmanager
    def _temporary(self) -> Iterator[str]:
        directory = tempfile.mkdtemp(prefix="configok-signing-", dir=self._directory)  # for its owner only
        try:
            yield directory
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    @contextmanager
    def _helper(self) -> Iterator[str]:
        """Write the program that ssh-keygen asks for the passphrase. It holds no secret."""
        with self._temporary() as directory:
            path = os.path.join(directory, "askpass")
            _write(path, _ASKPASS)
            os.chmod(path, 0o700)
            yield path


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def _is_too_old(result: CommandResult) -> bool:
    return "unknown option" in result.errors or "illegal option" in result.errors or "usage:" in result.errors


def _last_line(result: CommandResult) -> str:
    lines = [line.strip() for line in (result.errors or result.output).splitlines() if line.strip()]
    return sanitize(lines[-1] if lines else f"ssh-keygen ended with {result.code}", _MAX_ERROR)


def _signing_problem(result: CommandResult, key_file: str, has_passphrase: bool) -> str:
    """Return why there is no signature, and what to do."""
    text = result.errors
    if result.has_timed_out:
        return (
            f"signing with {key_file} took longer than {_TIMEOUT:g}s: touch the token when it blinks, or unlock the "
            "key in ssh-agent, and run it again"
        )
    if _is_too_old(result):
        return f"ssh-keygen is too old: {_NEEDED}"
    if "agent refused" in text or "communication with agent failed" in text:
        return f"ssh-agent refused to sign with {key_file}: unlock it, confirm the use of the key, or add the key again"
    if "assphrase" in text and has_passphrase:
        return f"signing_passphrase is not the passphrase of {key_file}"
    if "assphrase" in text:
        return f"{key_file} is encrypted: give signing_passphrase, or add the key to ssh-agent (ssh-add)"
    if "UNPROTECTED PRIVATE KEY FILE" in text or "bad permissions" in text:
        return f"{key_file} can be read by others: chmod 600 {key_file}"
    if "No private key found" in text or ("Couldn't load" in text and key_file.endswith(".pub")):
        return (
            f"there is no private key for {key_file}: add it to the ssh-agent of SSH_AUTH_SOCK (for a PKCS#11 token, "
            "with ssh-add -s), or put it next to that file"
        )
    return f"ssh-keygen cannot sign with {key_file}: {_last_line(result)}"


def read_signing_key(path: str) -> PublicKey:
    """Return the public key, or the certificate, of a file that can sign; nothing is decrypted.

    path: a private key, a public key or a certificate. Raises SigningFailed.
    """
    text = _read(path)
    if text is None:
        raise SigningFailed(f"there is no file {path} with a key: signing_key is a private key, or a .pub file")
    public = _parse_public(text)
    if public is not None:
        return public
    public_file = _parse_public(_read(f"{path}.pub") or "")
    public = _public_part(text)
    if public_file is not None and (public is None or public_file.blob == public.blob):
        return public_file  # has the comment, too
    if public is None:
        raise SigningFailed(
            f"{path} is not a private key of OpenSSH, and there is no public key in {path}.pub: write it with "
            f"ssh-keygen -y -f {path}"
        )
    return public


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(_MAX_KEY_FILE)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:  # ValueError for a path with a null character
        raise SigningFailed(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _parse_public(text: str) -> PublicKey | None:
    try:
        return parse_public_key(text.strip())
    except InvalidPublicKey:
        return None


def _public_part(text: str) -> PublicKey | None:
    """Return the public key in a private key file of OpenSSH, which is not encrypted even if the rest is."""
    lines = text.split("-----")
    if len(lines) < 3 or lines[1] != "BEGIN OPENSSH PRIVATE KEY":
        return None
    try:
        data = base64.b64decode("".join(lines[2].split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    if not data.startswith(_MAGIC):
        return None
    position = len(_MAGIC)
    for _part in ("cipher", "kdf", "kdf options"):
        position += 4 + int.from_bytes(data[position : position + 4], "big")
    position += 4  # the number of keys
    length = int.from_bytes(data[position : position + 4], "big")
    blob = data[position + 4 : position + 4 + length]
    kind = blob[4 : 4 + int.from_bytes(blob[:4], "big")].decode("ascii", "replace")
    return _parse_public(f"{kind} {base64.b64encode(blob).decode()}")
