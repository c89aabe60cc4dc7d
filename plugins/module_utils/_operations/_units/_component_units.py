# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads how systemd starts the components of this node."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..._host.component_process import read_process
from ..._systemd.exec_start import (
    CONFIG_FLAG,
    UnitStart,
    UnsupportedUnit,
    config_flag,
    find_override,
    flag_value,
    last_flag,
    path_of,
    read_unit_start,
)
from ..._systemd.specifiers import HostNames, unit_specifiers
from ..._systemd.unit_checks import (
    EMBEDDING_UNITS,
    MERGED_PROPERTIES,
    merged_faults,
    refuse_flags_only,
    refuse_start,
    refuse_unit,
)
from ..._systemd.unit_file import environment_files
from .. import UnusableInput
from ._override_verification import verify_override

MADE_DIRECTORY = "# Its directory was made for it and goes with it."
"""A line of the drop-in, which the role's template writes."""

_UNIT_DIRECTORY = "/etc/systemd/system"
_PROPERTIES = (*MERGED_PROPERTIES, "ActiveState", "DropInPaths", "FragmentPath", "InvocationID", "MainPID")
_HAS_VERSION_FLAG = ("kubelet", "kube-")  # the components of Kubernetes itself have --version

Runner = Callable[[Sequence[str]], "tuple[int, str, str]"]


class NoSystemd(Exception):
    """This machine does not run systemd; the text is one sentence."""


class SystemctlFailed(Exception):
    """systemctl did not answer; the text is one sentence."""


class _Process(NamedTuple):
    """A component's main process: its arguments and its working directory."""

    arguments: tuple[str, ...]
    directory: str

    def config(self) -> str:
        """Return the path of its config file, or "" if it has none."""
        flag = last_flag(self.arguments, CONFIG_FLAG)
        return os.path.normpath(os.path.join(self.directory, flag.value)) if flag else ""


class ComponentUnits:
    """Inspects units through systemctl and their files. Changes nothing."""

    def __init__(self, run: Runner, *, drop_in: str, state_directory: str, root: str = "") -> None:
        """run(argv) -> (exit code, output, errors). drop_in: the name of our drop-in, which is disregarded.

        root: the root directory to use instead of the machine's own, for tests. Raises NoSystemd.
        """
        self._run = run
        self._drop_in = drop_in
        self._state_directory = state_directory
        self._root = root
        if not os.path.isdir(f"{root}/run/systemd/system"):
            raise NoSystemd("This machine does not run systemd, which the agent relies on: it is not supported")

    def inspect(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the facts about the component of a request. Raises SystemctlFailed."""
        name = request["name"]
        unit = request.get("unit") or f"{name}.service"
        target = f"{self._state_directory}/components/{name}/config.yaml"
        properties = self._show(unit)
        result: dict[str, Any] = {
            "name": name,
            "unit": unit,
            "active": properties.get("ActiveState") == "active",
            "config": "",
            "variable": "",
            "exec_start": "",
            "kubeconfig": "",
            "hostname_override": "",
            "agent_options": {},
            "flags_only": False,
            "version_command": [],
            "made_directory": self._made_directory(unit),
            "refusals": [],
            "faults": [],
        }
        load_state = properties.get("LoadState", "not reported")
        refusal = refuse_unit(name, unit, load_state, self._hosts() if load_state == "not-found" else ())
        if refusal:
            return {**result, "refusals": [refusal], "faults": [refusal]}
        paths = [properties.get("FragmentPath", ""), *properties.get("DropInPaths", "").split()]
        process = self._process(properties)
        own = [path for path in paths if os.path.basename(path) != self._drop_in]
        try:
            start = self._start(unit, own)
            result.update(self._start_facts(request, start, target))
            result["refusals"] = refuse_start(unit, self._texts(own), start, process.arguments if process else ())
            result["refusals"] += refuse_flags_only(name, unit) if result["flags_only"] else []
            result["refusals"] += self._missing(unit, result["config"])
            result["refusals"] += self._unit_differs(unit, request, result["config"], target, process)
        except UnsupportedUnit as error:
            result["refusals"] = [f"{unit} {error}"]
        result["faults"] = self._faults(name, unit, properties, paths, target, process)
        return result

    def command_line(self, unit: str) -> tuple[tuple[str, ...], str]:
        """Return a unit's command line, program first, and its directory: of its process, or as it would start.

        Returns () and "/" if there is no such unit. Raises SystemctlFailed, UnusableInput.
        """
        properties = self._show(unit)
        argv, directory = read_process(int(properties.get("MainPID") or 0), self._root)
        if argv:
            return argv, directory
        if properties.get("LoadState") != "loaded":
            return (), "/"
        try:
            start = self._start(unit, [properties.get("FragmentPath", ""), *properties.get("DropInPaths", "").split()])
        except UnsupportedUnit as error:
            raise UnusableInput(f"{unit} {error}") from error
        return (start.command.program, *(argument.text for argument in start.arguments)), start.directory

    def verify(self, unit: str, text: str) -> dict[str, Any]:
        """Return systemd's verdict on our drop-in with this text, before it is put in place. Raises SystemctlFailed."""
        fragment = self._show(unit).get("FragmentPath", "")
        verdict = verify_override(self._run, fragment, unit, self._drop_in, text)
        return {"unit": unit, "faults": list(verdict.faults), "not_verified": verdict.not_verified}

    def drop_ins(self) -> list[dict[str, Any]]:
        """Return our drop-ins on this node, with their units. Raises SystemctlFailed."""
        drop_ins = []
        for path in sorted(glob.glob(f"{self._root}{_UNIT_DIRECTORY}/*.service.d/{self._drop_in}")):
            directory = os.path.dirname(path[len(self._root) :])
            unit = os.path.basename(directory)[: -len(".d")]
            drop_ins.append(
                {
                    "path": path[len(self._root) :],
                    "directory": directory,
                    "unit": unit,
                    "active": self._show(unit).get("ActiveState") == "active",
                    "made_directory": MADE_DIRECTORY in (_read(path) or "").splitlines(),
                }
            )
        return drop_ins

    def _start_facts(self, request: Mapping[str, Any], start: UnitStart, target: str) -> dict[str, Any]:
        flag = config_flag(start)
        config = request.get("config")
        override = find_override(
            start, target, variable=request.get("config_variable") or "", exec_start=request.get("exec_start") or ""
        )
        version = [start.command.program, "--version"] if request["name"].startswith(_HAS_VERSION_FLAG) else []
        root = path_of(start, flag_value(start, "root-dir"))
        return {
            "config": config if config is not None else path_of(start, flag.value if flag else ""),
            "variable": override.variable,
            "exec_start": override.exec_start,
            "kubeconfig": path_of(start, flag_value(start, "kubeconfig")),
            "hostname_override": flag_value(start, "hostname-override"),
            "agent_options": {"rootDirectory": root} if root else {},
            "flags_only": flag is None and config is None,
            "version_command": version,
        }

    def _missing(self, unit: str, config: str) -> list[str]:
        if not config or os.path.isfile(self._root + config):
            return []
        return [f"{unit} reads {config}, which is not there: let the node join its cluster first"]

    @staticmethod
    def _unit_differs(
        unit: str, request: Mapping[str, Any], config: str, target: str, process: _Process | None
    ) -> list[str]:
        """Return why the running config is not the unit's: the unit was changed since, or it starts a script."""
        if process is None or request.get("config") is not None or process.config() in (config, target):
            return []
        return [
            f"{unit} names {config or 'no config'}, while its process reads {process.config() or 'none'}: restart it "
            "first if the unit was changed; if it starts a script, give config and exec_start"
        ]

    def _faults(
        self,
        name: str,
        unit: str,
        properties: Mapping[str, str],
        paths: Sequence[str],
        target: str,
        process: _Process | None,
    ) -> list[str]:
        try:
            merged = self._start(unit, paths)
        except UnsupportedUnit as error:
            return [f"it {error}"]
        running_config = None
        if process and self._started_through_agent(name, properties.get("InvocationID", "")):
            running_config = process.config()
        return merged_faults(name, properties, self._texts(paths), merged, target, running_config)

    def _start(self, unit: str, paths: Sequence[str]) -> UnitStart:
        texts = self._texts(paths)
        specifiers = unit_specifiers(unit, self._host_names())
        files = [
            text
            for pattern in environment_files(texts, specifiers)
            for path in sorted(glob.glob(self._root + pattern))
            for text in [_read(path)]
            if text is not None
        ]
        return read_unit_start(texts, files, specifiers=specifiers)

    def _host_names(self) -> HostNames:
        system = os.uname()
        return HostNames(
            system.nodename,
            system.release,
            system.machine,
            _read(f"{self._root}/etc/machine-id") or "",
            _read(f"{self._root}/proc/sys/kernel/random/boot_id") or "",
        )

    def _texts(self, paths: Sequence[str]) -> list[str]:
        return [_read(self._root + path) or "" for path in paths if path]

    def _made_directory(self, unit: str) -> bool:
        """Return whether the directory of our drop-in is created for it, or was."""
        directory = f"{self._root}{_UNIT_DIRECTORY}/{unit}.d"
        ours = _read(f"{directory}/{self._drop_in}")
        return MADE_DIRECTORY in ours.splitlines() if ours is not None else not os.path.isdir(directory)

    def _hosts(self) -> list[str]:
        output = self._systemctl("show", "--property=Id,LoadState", "--", *EMBEDDING_UNITS)
        blocks = (dict(line.partition("=")[::2] for line in block.splitlines()) for block in output.split("\n\n"))
        return [block["Id"] for block in blocks if block.get("LoadState") == "loaded"]

    def _show(self, unit: str) -> dict[str, str]:
        text = self._systemctl("show", "--property=" + ",".join(_PROPERTIES), "--", unit)
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    def _systemctl(self, *arguments: str) -> str:
        code, out, err = self._run(["systemctl", "--no-pager", *arguments])
        if code != 0:
            reason = " ".join((err or out).split())[:300] or f"exit code {code}"
            raise SystemctlFailed(f"systemctl {arguments[0]} failed: {reason}")
        return out

    def _process(self, properties: Mapping[str, str]) -> _Process | None:
        pid = int(properties.get("MainPID") or 0)
        argv, directory = read_process(pid, self._root, errors="surrogateescape")  # paths compare to the unit's
        return _Process(argv[1:], directory) if argv else None

    def _started_through_agent(self, name: str, invocation: str) -> bool:
        """Return whether the agent's prestart recorded this run of the unit."""
        records = glob.glob(f"{self._root}{self._state_directory}/{glob.escape(name)}-*/startups")
        return bool(invocation) and any(invocation in (_read(path) or "") for path in records)


def _read(path: str) -> str | None:
    """Return a file's text, or None if it cannot be read. Its line ends stay: systemd distinguishes them."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError:
        return None
