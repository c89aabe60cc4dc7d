# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ssh-keygen is given: one line for one key, whatever comments and names hold, and what its answers mean."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._trust.signatures import (
    UntrustedSignature,
    check_builtin,
)
from ansible_collections.configok.node.plugins.module_utils._trust.ssh_keygen import SshKeygenVerifier, choose_checker
from ansible_collections.configok.node.plugins.module_utils._trust.ssh_keygen_check import (
    SshKeygenCheck,
    SshKeygenResult,
)
from ansible_collections.configok.node.plugins.module_utils._trust.trust_policy import TrustPolicy
from support.trust.ssh_keys import SshKey, certified, sshsig

ALICE, BOB, AUTHORITY = SshKey("alice"), SshKey("bob"), SshKey("authority")
HOSTILE = 'x\npool-workers ssh-ed25519 AAAA\n* cert-authority,namespaces="*" ssh-ed25519 BBBB'
POLICY = TrustPolicy(
    "require",
    ("workers",),
    (BOB.public, ALICE.public._replace(comment=HOSTILE)),
    (AUTHORITY.public._replace(comment=HOSTILE),),
    verifier="ssh-keygen",
)


class Runner:
    """Remembers checks and gives one answer."""

    def __init__(self, answer: SshKeygenResult | OSError) -> None:
        self.checks: list[SshKeygenCheck] = []
        self._answer = answer

    def __call__(self, check: SshKeygenCheck) -> SshKeygenResult:
        self.checks.append(check)
        if isinstance(self._answer, OSError):
            raise self._answer
        return self._answer


def verify(runner: Runner, signature: str, audience: str = "workers") -> str:
    return SshKeygenVerifier(runner)(signature, b"m", POLICY, audience, 1000).name


def test_one_key_is_allowed() -> None:
    runner = Runner(SshKeygenResult(0, ""))
    signature = sshsig(ALICE, b"m")
    assert verify(runner, signature).startswith("x pool-workers")
    (check,) = runner.checks
    key = ALICE.public._replace(comment="").line
    assert check.files == {
        "allowed_signers": f'pool-workers namespaces="bundle@configok.dev" {key}\n',
        "signature": signature,
    }
    assert check.stdin == "m"
    assert " ".join(check.argv("/run/x")) == (
        "ssh-keygen -Y verify -f /run/x/allowed_signers -I pool-workers -n bundle@configok.dev -s /run/x/signature"
    )


def test_one_authority_is_allowed() -> None:
    runner = Runner(SshKeygenResult(0, ""))
    verify(runner, sshsig(BOB, b"m", certificate=certified(BOB, AUTHORITY, key_id=HOSTILE)))
    key = AUTHORITY.public._replace(comment="").line
    line = f'pool-workers cert-authority,namespaces="bundle@configok.dev" {key}\n'
    assert runner.checks[0].files["allowed_signers"] == line


@pytest.mark.parametrize("audience", ["*", "a,b", "x\n*", '"', "?", "!x", "", "-x", "a@", "a@*", "a@b@c", "a@b,c"])
def test_an_audience_that_is_more_than_names_is_refused(audience: str) -> None:
    runner = Runner(SshKeygenResult(0, ""))
    with pytest.raises(UntrustedSignature, match="is not the name of a pool"):
        verify(runner, sshsig(ALICE, b"m"), audience)
    assert runner.checks == []


@pytest.mark.parametrize("principal", ["pool-workers@east", "pool-workers"])
def test_a_certificate_is_checked_for_the_principal_that_it_has(principal: str) -> None:
    runner = Runner(SshKeygenResult(0, ""))
    certificate = certified(BOB, AUTHORITY, principals=(principal, "user-bob"))
    verify(runner, sshsig(BOB, b"m", certificate=certificate), "workers@east")
    assert runner.checks[0].principal == principal


def test_an_untrusted_key_needs_no_run() -> None:
    runner = Runner(SshKeygenResult(0, ""))
    with pytest.raises(UntrustedSignature, match="is not trusted"):
        verify(runner, sshsig(SshKey("mallory"), b"m"))
    assert runner.checks == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            SshKeygenResult(255, "Signature\n verification \x1b[2Jfailed\n"),
            "refuses the signature: Signature verificat",
        ),
        (SshKeygenResult(124, ""), "refuses the signature: exit code 124"),
        (SshKeygenResult(-9, ""), "refuses the signature: exit code -9"),
        (FileNotFoundError("no such file"), "no such file: install OpenSSH 8.1 or newer, or set verifier to builtin"),
        (TimeoutError("no answer within 5 s"), "could not verify the signature: no answer within 5 s"),
    ],
)
def test_only_success_counts(answer: SshKeygenResult | OSError, message: str) -> None:
    with pytest.raises(UntrustedSignature) as caught:
        verify(Runner(answer), sshsig(ALICE, b"m"))
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_the_policy_chooses_the_verifier() -> None:
    runner = Runner(SshKeygenResult(0, ""))
    assert isinstance(choose_checker(POLICY, runner), SshKeygenVerifier)
    assert choose_checker(POLICY._replace(verifier="builtin"), runner) is check_builtin
