# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate: report what is wrong with files, as lines, JSON or in the formats of CI systems."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Callable

from ._agent._agent_configuration import ComponentConfiguration
from ._componentconfig._codec.document import decode
from ._componentconfig._documents.read_file import decode_file
from ._componentconfig._schema.releases import minor_name, minor_of, newest_minor, parse_known_minor
from ._componentconfig.check import check
from ._componentconfig.drop_in_check import DropInDirectory, check_drop_ins
from ._componentconfig.findings import Finding, InvalidConfig, bounded, refusing_levels
from ._componentconfig.option_check import OPTION_CHECK
from ._file_search import InputFiles, read_drop_in_directory, read_files
from ._files import input_errors
from ._output import complain, show_json
from ._reports import FileReport, Report, writer_of
from ._reports._text import summary

if TYPE_CHECKING:
    from ._componentconfig._flags.component_flags import ComponentFlags
    from ._componentconfig._schema.kinds import OperatingSystem

__all__ = [
    "DropInValidator",
    "FileValidator",
    "document_validator",
    "drop_in_validator",
    "target_versions",
    "validate_files",
]

_OK, _REFUSED, _EMPTY = 0, 1, 4
_FINDINGS, _TEXT = "findings", "text"
FileValidator = Callable[[bytes, str], "list[Finding]"]
"""Takes a file's content and name. Raises OSError, ConfigError."""
DropInValidator = Callable[[DropInDirectory], "list[Finding]"]
"""Takes a kubelet's drop-in directory. Raises OSError, ConfigError."""


def validate_files(
    names: Sequence[str],
    validator: FileValidator,
    versions: Sequence[str],
    *,
    output: str = "text",
    fail_on: str = "policy",
    skip_unknown: bool = False,
    scope: Sequence[str] = (),
    is_verbose: bool = False,
    allow_empty: bool = False,
    of_drop_ins: DropInValidator | None = None,
    drop_ins: str = "",
    base: str = "",
) -> int:
    """Print all findings of all files; return 0, 1 if one of them fails the run, 4 if there is nothing to validate.

    names: paths of files and directories, "-" for standard input. versions: those that the validator validates for.
    output: the name of a format, with a summary on standard error, or "findings" for a list of them as JSON.
    skip_unknown: see `read_files`. scope: what the validator leaves out by design. is_verbose: whether to show each
    place that was not judged. allow_empty: whether there may be nothing to validate. of_drop_ins: validates the drop-in
    directories of a kubelet; None to validate their files as any others. drop_ins, base: another such directory and the
    file below it, "" for none. Raises UnusableInput.
    """
    with input_errors((*names, drop_ins)[0]):
        inputs = read_files(names, skip_unknown=skip_unknown, for_kubelet=of_drop_ins is not None)
        if drop_ins:
            directory = read_drop_in_directory(drop_ins, base)
            inputs = inputs._replace(drop_ins=(*inputs.drop_ins, directory), has_configs=True)
        report = _report(inputs, validator, of_drop_ins, versions, fail_on)
    report = report._replace(scope=tuple(scope), is_verbose=is_verbose)
    if output == _FINDINGS:
        show_json([finding.as_dict() for finding in report.findings])
    else:
        sys.stdout.write(writer_of(output)(report))
        sys.stdout.flush()
        if output == _TEXT and scope:
            complain(f"scope: not {', '.join(scope)}")
        complain(summary(report))
    if report.has_failed:
        return _REFUSED
    return _OK if inputs.has_configs or allow_empty else _EMPTY


def _working_directory() -> str:
    """Return the working directory, or the root directory if this process has none that it can name."""
    try:
        return os.getcwd()
    except OSError:  # it was removed, or lies outside of the container that this process has entered
        return "/"


def _report(
    inputs: InputFiles,
    validator: FileValidator,
    of_drop_ins: DropInValidator | None,
    versions: Sequence[str],
    fail_on: str,
) -> Report:
    """Validate all files. Raises OSError, ConfigError."""
    minors = sorted({parse_known_minor(version) for version in versions}) or [newest_minor()]
    files = [FileReport(name, tuple(validator(content, name))) for name, content in inputs.files]
    files += itertools.starmap(FileReport, inputs.doubts)
    if of_drop_ins is not None:
        for directory in inputs.drop_ins:
            files += _reports_of_directory(directory, of_drop_ins(directory))
    return Report(
        tuple(files),
        tuple(map(minor_name, minors)),
        refusing_levels(fail_on),
        inputs.skipped,
        _working_directory(),
        is_version_assumed=not versions,
    )


def _reports_of_directory(directory: DropInDirectory, findings: Sequence[Finding]) -> Iterator[FileReport]:
    """Yield a report for each file of a drop-in directory, and for each other place that has findings."""
    by_file: dict[str, list[Finding]] = {name: [] for name, _content in directory.drop_ins}
    for finding in findings:
        by_file.setdefault(finding.file, []).append(finding)
    for name in sorted(by_file):
        yield FileReport(name, tuple(by_file[name]))


def target_versions(arguments: Sequence[str]) -> list[str]:
    """Return the Kubernetes versions of all --kubernetes-version options, each of which may have several."""
    return [version.strip() for argument in arguments for version in argument.split(",")]


def document_validator(
    component: str,
    versions: Sequence[str],
    *,
    bundle: bool,
    configured: ComponentConfiguration | None = None,
    flags_file: str = "",
    feature_gates: str = "",
    system: OperatingSystem = "linux",
) -> FileValidator:
    """Return a validator of files by themselves. configured: the component on this node, for its denied fields.

    flags_file, feature_gates: have the component's flags; both "" if they are not known. system: the operating system
    of the nodes.
    """
    flags = lru_cache(maxsize=1)(lambda: _flags(flags_file, feature_gates))  # read with the first file

    def validate(text: bytes, name: str) -> list[Finding]:
        findings = check(
            text,
            file=name,
            component=component or None,
            versions=versions,
            bundle=bundle,
            flags=flags(),
            arguments=OPTION_CHECK,
            reader=decode_file,
            os=system,
        )
        return bounded([*findings, *_denied(text, name, configured, versions[-1] if versions else "")])

    return validate


def drop_in_validator(
    versions: Sequence[str],
    *,
    bundle: bool,
    flags_file: str = "",
    feature_gates: str = "",
) -> DropInValidator:
    """Return a validator of a kubelet's drop-in directories; the options are those of `document_validator`."""

    def validate(directory: DropInDirectory) -> list[Finding]:
        flags = _flags(flags_file, feature_gates)
        result = check_drop_ins(directory, versions=versions, bundle=bundle, flags=flags)
        return result.findings

    return validate


def _flags(flags_file: str, feature_gates: str) -> ComponentFlags | None:
    """Return a component's flags, None if they are not known. Raises OSError, ConfigError."""
    if not flags_file and not feature_gates:
        return None
    from ._componentconfig._flags.component_flags import ComponentFlags
    from ._flags_file import read_flags

    words = read_flags(flags_file).words if flags_file else ()
    return ComponentFlags([*words, *([f"--feature-gates={feature_gates}"] if feature_gates else [])])


def _denied(text: bytes, name: str, configured: ComponentConfiguration | None, version: str) -> list[Finding]:
    if configured is None:
        return []
    from ._agent._validation._node_inputs import read_own_configs
    from ._agent._validation._validate_on_node import denied_findings

    # Without the command line, which does not matter for denied fields.
    own_configs = read_own_configs(configured)
    try:
        return denied_findings(decode(text, file=name), configured, minor_of(version), own_configs)
    except InvalidConfig:
        return []  # the check has reported it
