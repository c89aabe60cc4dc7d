# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what component_config is given, and checks it: layers, or a drop-in directory."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._componentconfig._documents.component_file import load_for_check
from .._componentconfig._documents.read_file import decode_file
from .._componentconfig._flags.component_flags import ComponentFlags
from .._componentconfig._rules.host_rules import HostRules
from .._componentconfig.check import check, check_each_version
from .._componentconfig.drop_in_check import DropInDirectory, check_drop_ins
from .._componentconfig.drop_ins import DropIn, drop_in_findings, write_drop_ins
from .._componentconfig.findings import Finding, InvalidConfig, bounded
from .._componentconfig.load import Config, load
from .._componentconfig.option_check import OPTION_CHECK
from .._host.component_process import find_drop_ins_below, read_drop_in
from .._host.host_facts import read_host
from . import UnusableInput
from ._cel import cel_checker
from .config_layers import read_layers


def check_directory(parameters: dict[str, Any]) -> tuple[Config | None, list[Finding], list[DropIn]]:
    """Return the config of a drop-in directory (None if a file cannot be used) and all findings.

    Raises OSError, ConfigError, UnusableInput.
    """
    result = check_drop_ins(
        _directory_of(parameters),
        versions=parameters["kubernetes_versions"],
        nodes={name: str(version) for name, version in parameters["nodes"].items()},
        bundle=parameters["bundle"],
        denied_fields=parameters["denied_fields"],
        flags=None if parameters["flags"] is None else ComponentFlags(parameters["flags"]),
    )
    return result.config, result.findings, []


def check_layers(parameters: dict[str, Any]) -> tuple[Config | None, list[Finding], list[DropIn]]:
    """Return the merged config (None if a layer cannot be used), all findings and the drop-ins.

    Raises OSError, ConfigError, UnusableInput.
    """
    try:
        config = _load_all(parameters)
    except InvalidConfig as error:
        return None, list(error.findings), []
    versions = parameters["kubernetes_versions"]
    nodes = {name: str(version) for name, version in parameters["nodes"].items()}
    findings = check(
        config,
        component=parameters["component"],
        versions=versions,
        nodes=nodes,
        bundle=parameters["bundle"],
        denied_fields=parameters["denied_fields"],
        host=_host_of(parameters),
        flags=_flags_of(parameters, config),
        expressions=cel_checker,
        arguments=OPTION_CHECK,
        os=parameters["os"],
    )
    if not parameters["drop_ins"]:
        return config, findings, []
    if config.others:
        raise UnusableInput("drop_ins needs layers of one document each")
    drop_ins = write_drop_ins(config)
    findings += check_each_version(config, partial(drop_in_findings, config), versions=versions, nodes=nodes)
    return config, bounded(findings), drop_ins


def _load_all(parameters: dict[str, Any]) -> Config:
    """Load the layers, or all documents of a single file. Raises as `check_layers` does, and InvalidConfig."""
    layers = read_layers(parameters["files"], parameters["content"])
    if not layers:
        raise UnusableInput("There are no files to read")
    return load_for_check(*layers[0], parameters["component"], decode_file) if len(layers) == 1 else load(layers)


def _directory_of(parameters: dict[str, Any]) -> DropInDirectory:
    """Read the drop-in directory, and the file below it. Raises OSError, and UnusableInput for options that clash."""
    directory = parameters["drop_in_directory"]
    base = read_layers(parameters["files"], parameters["content"])
    if len(base) > 1:
        raise UnusableInput("drop_in_directory needs one file at most: the kubelet's own, below the drop-ins")
    if parameters["host"] or parameters["drop_ins"]:
        raise UnusableInput("drop_in_directory cannot be used with host or drop_ins")
    if parameters["component"] not in (None, "kubelet"):
        raise UnusableInput(f"drop_in_directory is for the kubelet: {parameters['component']} reads no drop-ins")
    paths, ignored = find_drop_ins_below(directory)
    if not paths:
        raise UnusableInput(f"drop_in_directory: {directory} has no file that ends in .conf")
    files = [(path, read_drop_in(path)) for path in paths]
    return DropInDirectory(directory, files, ignored, base[0] if base else None)


def _host_of(parameters: dict[str, Any]) -> HostRules | None:
    """Return the checks against this host, None unless the options ask for them. Raises UnusableInput off Linux."""
    if not parameters["host"]:
        return None
    if parameters["os"] != "linux":
        raise UnusableInput("host needs os: linux, which a host with this module runs")
    return HostRules(read_host, parameters["root_directory"], parameters["container_runtime_endpoint"])


def _flags_of(parameters: dict[str, Any], config: Config) -> ComponentFlags | None:
    """Return the flags of the component, None if they are not known. Raises UnusableInput for several documents."""
    if parameters["flags"] is None:
        return None
    if config.others:
        raise UnusableInput("flags needs a file of one document: each component has its own flags")
    return ComponentFlags(parameters["flags"])
