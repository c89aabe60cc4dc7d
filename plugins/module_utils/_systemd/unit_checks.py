# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks units: why one cannot be provisioned, whether systemd accepts an override, what is wrong with it after."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from .exec_start import UnitStart, config_flag, flag_value, last_flag, path_of
from .time_span import parse_time_span
from .unit_file import expand_specifiers, last_value_of, values_of

MERGED_PROPERTIES = (
    "ExecStart",
    "LoadError",
    "LoadState",
    "NeedDaemonReload",
    "Restart",
    "RestartPreventExitStatus",
    "RestartUSec",
    "StartLimitIntervalUSec",
)
"""The properties of systemctl show that merged_faults() needs."""

_MAX_PAUSE = 60.0  # seconds between an end of the component and its next start, which delay a rollback


def merged_faults(
    component: str,
    properties: Mapping[str, str],
    texts: Sequence[str],
    start: UnitStart,
    target: str,
    running_config: str | None,
) -> list[str]:
    """Return what is wrong with a unit as systemd merged it, as parts of a sentence.

    properties: MERGED_PROPERTIES. texts: of the unit and all its drop-ins, including ours. target: the file that the
    component must read. running_config: the file that it was started with through the agent, None if it was not.
    """
    faults = []
    for key, expected in (("LoadState", "loaded"), ("NeedDaemonReload", "no"), ("Restart", "always")):
        if properties.get(key) != expected:
            faults.append(f"{key} is {properties.get(key) or 'not reported'}, not {expected}")
    if properties.get("StartLimitIntervalUSec") != "0":
        faults.append("StartLimitIntervalSec is not 0: systemd would give up, and the node would not roll back")
    pause = parse_time_span(properties.get("RestartUSec", ""))
    if pause is None or pause > _MAX_PAUSE:
        faults.append(f"RestartSec is {properties.get('RestartUSec') or 'not reported'}, more than {_MAX_PAUSE:.0f}s")
    if properties.get("RestartPreventExitStatus"):
        faults.append(
            f"RestartPreventExitStatus is {properties['RestartPreventExitStatus']}: such an end would be the last"
        )
    hooks = [_calls(line, "prestart", component) for line in values_of(texts, "Service", "ExecStartPre")]
    if not hooks or not hooks[-1]:
        faults.append("the agent's prestart is not the last ExecStartPre=")
    if not any(_calls(line, "poststop", component) for line in values_of(texts, "Service", "ExecStopPost")):
        faults.append("the agent's poststop is not in ExecStopPost=")
    flag = config_flag(start)
    if flag is None or path_of(start, flag.value) != target:
        faults.append(f"it reads {flag.value if flag else 'no config'}, not {target}")
    faults += command_faults(properties, start)
    if running_config is not None and running_config != target:
        faults.append(f"when it started through the agent, systemd made it read {running_config or 'no config'}")
    return faults


def _calls(line: str, hook: Literal["prestart", "poststop"], component: str) -> bool:
    return re.search(rf"\s{hook} {re.escape(component)}(?![-\w])", line) is not None


EMBEDDING_UNITS: Mapping[str, str] = {
    "k3s.service": "k3s",
    "k3s-agent.service": "k3s",
    "rke2-server.service": "rke2",
    "rke2-agent.service": "rke2",
    "snap.microk8s.daemon-kubelite.service": "microk8s",
    "snap.microk8s.daemon-kubelet.service": "microk8s",
    "snap.k8s.kubelet.service": "the k8s snap",
    "snap.kubelet.daemon.service": "the kubelet snap",
    "k0sworker.service": "k0s",
    "k0scontroller.service": "k0s",
}
"""Units that run components inside them, with the names of their distributions."""

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "ctr", "rkt", "systemd-nspawn"})
_ROOT = frozenset({"", "root", "0"})


def refuse_unit(component: str, unit: str, load_state: str, hosts: Sequence[str]) -> str:
    """Return why a unit cannot be provisioned, from its load state, or "" if it can.

    load_state: LoadState of systemctl show. hosts: those of EMBEDDING_UNITS that this node has.
    """
    inside = unit if unit in EMBEDDING_UNITS else next(iter(hosts), "") if load_state == "not-found" else ""
    if inside:
        return (
            f"{component} runs inside {EMBEDDING_UNITS[inside]} here ({inside}), which has no unit and no config file "
            "of its own for it: this is not supported"
        )
    if unit.startswith("snap."):
        return f"{unit} is a snap, which cannot read /var/lib/configok: this is not supported"
    if load_state == "not-found":
        return f"{unit} is not found: give the unit of {component} in node_components"
    if load_state == "masked":
        return f"{unit} is masked: unmask it, or leave {component} out of node_components"
    if load_state != "loaded":
        return f"{unit} cannot be loaded by systemd ({load_state}): systemctl status {unit} says why"
    return ""


def refuse_start(unit: str, texts: Sequence[str], start: UnitStart, running: Sequence[str]) -> list[str]:
    """Return why a component cannot start through the agent, as sentences.

    texts: of the unit and its drop-ins. running: the arguments of the running process, if any.
    """
    refusals = []
    program = posixpath.basename(start.command.program)
    if program in _SHELLS:
        refusals.append(
            f"{unit} starts through {program}, where the flag --config cannot be followed: give exec_start, "
            "the command line without the shell"
        )
    if program in _CONTAINERS:
        refusals.append(
            f"{unit} starts a container ({program}), which cannot read /var/lib/configok: this is not supported"
        )
    if program == "snap" or start.command.program.startswith("/snap/"):
        refusals.append(f"{unit} starts a snap, which cannot read /var/lib/configok: this is not supported")
    user = last_value_of(texts, "Service", "User")
    if user not in _ROOT:
        refusals.append(
            f"{unit} runs as {user}, who cannot read /var/lib/configok: only components that run as root can"
        )
    for key in ("RootDirectory", "RootImage"):
        if last_value_of(texts, "Service", key) not in ("", "/"):
            refusals.append(f"{unit} has a {key}= of its own, where /var/lib/configok is not: this is not supported")
    of_process = last_flag(running, "dynamic-config-dir")
    directory = flag_value(start, "dynamic-config-dir") or (of_process.value if of_process else "")
    if directory:
        refusals.append(
            f"{unit} uses --dynamic-config-dir={directory}, the dynamic configuration of Kubernetes itself: unset "
            "Node.spec.configSource, remove the flag and restart the kubelet first"
        )
    return refusals


def refuse_flags_only(component: str, unit: str) -> list[str]:
    """Return why a component with flags and no config file cannot be provisioned, as sentences.

    The flags of the kubelet override its config file; the other components ignore flags if they have a file.
    """
    if component == "kubelet":
        return []
    return [
        f"{unit} starts {component} without --config, and would ignore its flags with one: write a config file first"
    ]


_NO_SUCH_COMMAND = 127
_TIMED_OUT = 124
_ARGUMENTS = re.compile(r"argv\[\]=(.*?) ; ignore_errors=", re.DOTALL)
_PLAIN = re.compile(r"[\w\-./=:,@+$]+\Z", re.ASCII)  # of words that systemd does not change, except by quotes


class Verification(NamedTuple):
    """What systemd-analyze verify said of a unit: its exit code and its lines."""

    code: int
    lines: tuple[str, ...]


def why_not_verified(verification: Verification) -> str:
    """Return why systemd-analyze gave no verdict, as a phrase, or "" if it did."""
    return {
        _NO_SUCH_COMMAND: "systemd-analyze is not installed",
        _TIMED_OUT: "systemd-analyze did not end in time",
    }.get(verification.code, "")


def override_faults(before: Verification, after: Verification, drop_in: str) -> list[str]:
    """Return what systemd has against an override, as parts of a sentence.

    before, after: of the unit without and with it; lines of both are not about the override. drop_in: the
    path of the copy that was verified, which is left out of the messages.
    """
    news = [line for line in after.lines if line not in before.lines]
    own = [_without_value(line).replace(f"{drop_in}:", "line ", 1) for line in news if line.startswith(f"{drop_in}:")]
    if after.code == 0 or before.code != 0:
        return own
    others = [_without_value(line) for line in news if not line.startswith(f"{drop_in}:")]
    return [*own, *others] or [f"systemd-analyze verify ended with exit code {after.code}"]


def _without_value(line: str) -> str:
    """Return a line without the value that it quotes, which may be secret."""
    return line.partition(", ignoring: ")[0]


def command_faults(properties: Mapping[str, str], start: UnitStart) -> list[str]:
    """Return how the command that systemd has loaded differs from that of the unit's files, as parts of a sentence.

    properties: LoadError and ExecStart of systemctl show. A command with words that systemd may quote is not compared.
    """
    error = properties.get("LoadError", "")
    if error[:1].isalpha():
        return [f"systemd reports {error}"]
    words = [expand_specifiers(word.text, start.specifiers) for word in start.command.words]
    loaded = _ARGUMENTS.search(properties.get("ExecStart", ""))
    if loaded is None or not all(_PLAIN.match(word) for word in (start.command.program, *words)):
        return []
    if re.sub(r"[\"'\\]", "", loaded[1]).split(" ")[1:] == words:  # some versions quote a dollar sign
        return []
    return ["the command that systemd has loaded differs from that of its files"]  # arguments may be secret
