# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask a component itself about its arguments: with which arguments its own program is started, and what it answers.

The program is started for some seconds, without a network and with files that it can only read. It says what no data of
a release know: what its build leaves out, and what is wrong with a file that only it can decode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._componentconfig.component_options import read_options, with_options
from .component_output import ending_reason
from .own_answer import OwnAnswer, OwnVerdict

RUNS_FOR = 5.0
"""Seconds after which an API server that still runs has taken its arguments and files (1.20 and 1.36, run)."""

_NOWHERE = "/nonexistent"
_VARIABLE = "$("  # the kubelet replaces it, and reads $$ as $
_CHANGED: Mapping[str, Mapping[str, str]] = {
    # It validates its files, and then waits for an etcd.
    "kube-apiserver": {"etcd-servers": "http://127.0.0.1:1", "bind-address": "127.0.0.1"},
    # They validate their flags, and then read their kubeconfig.
    "kube-controller-manager": {"kubeconfig": _NOWHERE},
    "kube-scheduler": {"kubeconfig": _NOWHERE},
}
"""The flags that are others in a check, by component."""
_WRITTEN: Mapping[str, str] = {"audit-log-path": "-", "log-dir": "", "log-file": ""}
"""Flags of files that a running component writes to, and their values in a check."""
_EXPECTED = f"stat {_NOWHERE}"
"""What the components that read a kubeconfig end with if they have taken their arguments."""


def has_own_check(component: str) -> bool:
    """Return whether a component can be asked at all: etcd would use its data."""
    return component in _CHANGED


def check_arguments(component: str, arguments: Sequence[str], *, scratch: str) -> list[str] | None:
    """Return the arguments of a check, None if they have the value of a `$(NAME)`, which is in the container alone.

    arguments: those that the component is to run with. scratch: a directory that the program may write to, where it
    makes a certificate. Raises ConfigError for arguments that it does not take.
    """
    plain = [argument.replace("$$", "$") for argument in arguments]
    if any(_VARIABLE in argument.replace("$$", "") for argument in arguments):
        return None
    present = {argument.partition("=")[0].lstrip("-").replace("_", "-") for argument in plain}
    written = {flag: value for flag, value in _WRITTEN.items() if flag in present}
    flags = {**_CHANGED[component], "cert-dir": scratch, **written}
    return with_options(read_options({"component": component, "flags": flags}), plain)


def read_answer(component: str, code: int | None, output: str) -> OwnAnswer:
    """Return what a component answers. code: its exit code, None if it still runs after `RUNS_FOR` seconds.

    output: what it has written to both streams.
    """
    reason = ending_reason(output.splitlines())
    if code is None:
        return OwnAnswer(OwnVerdict.PASSED)
    if component != "kube-apiserver" and _EXPECTED in reason:
        return OwnAnswer(OwnVerdict.PASSED)
    if code < 0:
        return OwnAnswer(OwnVerdict.NOT_JUDGED, f"{component} was ended by signal {-code}")
    return OwnAnswer(OwnVerdict.FAILED, reason or f"{component} ended with exit code {code}")
