# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A component that says what a test expects it to say, as a function and as a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data.probe import Answer
from support.releases.names import NEXT_RELEASE

__all__ = ["FakeComponent", "FakeGate"]


class FakeGate(NamedTuple):
    """A gate of the component."""

    stage: str
    default: bool
    locked: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether help shows it."""
        return self.stage in ("ALPHA", "BETA")


@dataclass(frozen=True)
class FakeComponent:
    """A component of one version. prefix: of gates in its help. ending: the flag that comes after its gates.

    flags: lines of its help. hidden: flags that its help leaves out.
    """

    name: str = "kubelet"
    version: str = f"v{NEXT_RELEASE}.0"
    gates: Mapping[str, FakeGate] = field(default_factory=dict)
    flags: Sequence[str] = ()
    hidden: Sequence[str] = ()
    prefix: str = "kube:"
    ending: str = "--config"

    @property
    def help(self) -> str:
        """The text of --help."""
        shown = [
            f"{' ' * 16}{self.prefix}{name}=true|false ({gate.stage} - default={str(gate.default).lower()})"
            for name, gate in sorted(self.gates.items())
            if gate.is_shown
        ]
        lines = [f"The {self.name} does its work.", "", "Usage:", f"  {self.name} [flags]", "", "Flags:"]
        if shown:
            lines += ["      --feature-gates mapStringBool   Pairs that switch features. Options are:", *shown]
        return "\n".join([*lines, *(f"      {line}" for line in self.flags), ""])

    def run(self, arguments: Sequence[str]) -> Answer:
        """Return what the program does with arguments."""
        if "--help" in arguments:
            return Answer(0, self.help)
        refusal = self._refusal(arguments)
        if self.ending != "--version" and "--version" in arguments and not refusal.startswith("unknown flag"):
            return Answer(0, f"Kubernetes {self.version}\n")
        if refusal:
            return Answer(1, f"E1216 server.go:1] {refusal}\n")
        warnings = "".join(self._warnings(arguments))
        if "--version" in arguments:
            return Answer(0, f"{warnings}Kubernetes {self.version}\n")
        if self.ending == "--write-config-to":
            return Answer(0 if any("--write-config-to" in word for word in arguments) else 1, warnings)
        return Answer(1, f"{warnings}open missing/config.yaml: no such file\n")

    def _refusal(self, arguments: Sequence[str]) -> str:
        for word in arguments:
            name = word.partition("=")[0].lstrip("-")
            known = {"feature-gates", "version", "config", "write-config-to", *self.hidden}
            if name not in known and not any(f"--{name} " in f"{line} " for line in self.flags):
                return f"unknown flag: --{name}"
        for gate, value in self._settings(arguments):
            if gate not in self.gates:
                return f"unrecognized feature gate: {gate}"
            state = self.gates[gate]
            if state.locked and value != state.default:
                lock = str(state.default).lower()
                return f"cannot set feature gate {gate} to {str(value).lower()}, feature is locked to {lock}"
        return ""

    def _warnings(self, arguments: Sequence[str]) -> list[str]:
        words = {"GA": "GA", "DEPRECATED": "deprecated"}
        return [
            f"W1216 Setting {words[self.gates[gate].stage]} feature gate {gate}={str(value).lower()}.\n"
            for gate, value in self._settings(arguments)
            if self.gates[gate].stage in words
        ]

    @staticmethod
    def _settings(arguments: Sequence[str]) -> list[tuple[str, bool]]:
        pairs = [word.partition("=")[2] for word in arguments if word.startswith("--feature-gates=")]
        return [(pair.partition("=")[0], pair.endswith("=true")) for text in pairs for pair in text.split(",")]

    def write(self, path: Path) -> Path:
        """Write a program that does the same with the arguments of the probes, and return its path."""
        cases = []
        for name, gate in self.gates.items():
            for value in ("true", "false"):
                answer = self.run([f"--feature-gates={name}={value}", f"{self.ending}=missing/config.yaml"])
                stop = "exit 1" if gate.locked and (value == "true") != gate.default else ":"
                text = answer.out.splitlines()[0] if stop != ":" or gate.stage in ("GA", "DEPRECATED") else ""
                cases.append(f"{name}={value}) echo '{text}' >&2; {stop} ;;")
        flags = "|".join(f"--{name}=*" for name in self.hidden) or "--no-such-flag"
        path.write_text(
            f"""#!/bin/sh
case $1 in
--help) cat <<'END'
{self.help}
END
exit ;;
--version) echo Kubernetes {self.version}; exit ;;
{flags}) echo Kubernetes {self.version}; exit ;;
--feature-gates=*) ;;
*) echo "unknown flag: ${{1%%=*}}" >&2; exit 1 ;;
esac
[ "$2" = --version ] && {{ echo Kubernetes {self.version}; exit; }}
for pair in $(echo "${{1#*=}}" | tr , ' '); do
case $pair in
{chr(10).join(cases)}
*) echo "unrecognized feature gate: ${{pair%%=*}}" >&2; exit 1 ;;
esac
done
echo open missing/config.yaml: no such file >&2
exit 1
"""
        )
        path.chmod(0o755)
        return path
