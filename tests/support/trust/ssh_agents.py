# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real ssh-agent of a test's own, and a PKCS#11 token in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from support.session.patience import LONGEST_WAIT

from ..api.binaries import cache_directory

__all__ = ["SshAgent", "Token", "find_softhsm", "make_token", "ssh_agent"]

_PIN = "1234"


class SshAgent(NamedTuple):
    """An agent that runs. environment: with which programs use it."""

    environment: dict[str, str]

    def add(self, *arguments: str, secret: str = "", directory: Path) -> None:
        """Add a key, or (-s) the keys of a PKCS#11 library. secret: its passphrase or PIN."""
        asks = directory / "ssh-askpass"
        asks.write_text('#!/bin/sh\nprintf "%s\\n" "$SECRET"\n')
        asks.chmod(0o700)
        answers = {"SSH_ASKPASS": str(asks), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0", "SECRET": secret}
        _run("ssh-add", "-q", *arguments, environment={**self.environment, **answers})

    def remove_all(self) -> None:
        """Let the agent forget all keys."""
        _run("ssh-add", "-q", "-D", environment=self.environment)

    def public_keys(self) -> list[str]:
        """Return the public keys of the agent, one line each."""
        return _run("ssh-add", "-L", environment=self.environment).splitlines()


class Token(NamedTuple):
    """A token of SoftHSM. library: its PKCS#11 library. environment: of what loads the library."""

    library: str
    environment: dict[str, str]
    pin: str = _PIN


@contextmanager
def ssh_agent(directory: Path, token: Token | None = None) -> Iterator[SshAgent]:
    """Run an agent until the context ends. token: one that it may load."""
    # A copy: the installed one has the rights of a group, and drops the variables that a token needs.
    program, socket = directory / "ssh-agent", directory / "agent.socket"
    shutil.copy(str(shutil.which("ssh-agent")), program)
    environment = {**os.environ, **(token.environment if token else {})}
    allowed = ["-P", token.library] if token else []
    process = subprocess.Popen(
        [str(program), "-D", "-a", str(socket), *allowed], env=environment, stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + LONGEST_WAIT
        while not socket.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        yield SshAgent({**os.environ, "SSH_AUTH_SOCK": str(socket)})
    finally:
        process.terminate()
        process.wait(10)


def find_softhsm() -> tuple[Path, Path] | None:
    """Return the program and the library of SoftHSM, installed or made by prepare-softhsm; None without one."""
    roots = [Path(os.environ.get("CONFIGOK_SOFTHSM") or cache_directory() / "softhsm"), Path("/")]
    for root in roots:
        program = root / "usr/bin/softhsm2-util"
        libraries = sorted(root.glob("usr/lib*/**/libsofthsm2.so"))
        if program.exists() and libraries:
            return program, libraries[0].resolve()
    return None


def make_token(directory: Path, softhsm: tuple[Path, Path], kind: str) -> Token:
    """Make a token with a key. kind: ecdsa or rsa."""
    program, library = softhsm
    (directory / "tokens").mkdir()
    config, key = directory / "softhsm2.conf", directory / "token-key.pem"
    config.write_text(f"directories.tokendir = {directory}/tokens\n")
    environment = {"SOFTHSM2_CONF": str(config), "LD_LIBRARY_PATH": str(library.parent)}
    options = ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"] if kind == "ecdsa" else ["RSA"]
    _run("openssl", "genpkey", "-quiet", "-algorithm", *options, "-out", str(key))
    util = [str(program), "--module", str(library)]
    _run(*util, "--init-token", "--free", "--label", "t", "--pin", _PIN, "--so-pin", _PIN, environment=environment)
    named = ["--token", "t", "--label", "signer", "--id", "01", "--pin", _PIN]
    _run(*util, "--import", str(key), *named, environment=environment)
    key.unlink()
    return Token(str(library), environment)


def _run(*command: str, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return done.stdout
