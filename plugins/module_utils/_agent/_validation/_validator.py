# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates configs in child processes, and records the findings.

The children are ``configok-agent validate``, ``validate-document`` and ``addresses``, and the component's own check.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..._foreign import load_json
from ..._text.redact import beginning, redact_text
from .._agent_configuration import ComponentConfiguration
from .._interfaces import CommandResult, CommandRunner
from .._state.node_state import NodeInputs
from .._store._durable_files import LOCK_WAIT, locked
from .._store._store import Store, digest

_CHECK_TIMEOUT = 30.0  # seconds
_MAX_OUTPUT = 300  # characters of the check's last line
NOT_JUDGED = "not-judged"
"""The level of a finding that says what was not judged."""

_HARMLESS = (NOT_JUDGED, "warning")  # the levels of findings that refuse nothing
_NO_VERDICT = (124, 126, 127)  # the check timed out or could not be run, which says nothing about the config
_SIGNALLED = range(129, 193)  # how a shell or a container runtime reports that a signal ended its child


class CommandCheck:
    """Runs a component's checkCommand on a file."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def __call__(self, component: ComponentConfiguration, path: str) -> list[dict[str, Any]]:
        """Return no findings if the command exits with 0, else one with its last line. Raises ValidationUnavailable."""
        result = self._runner([*component.check_command, path], timeout=_CHECK_TIMEOUT)
        if result.code == 0:
            return []
        lines = [line.strip() for line in (result.err or result.out).splitlines() if line.strip()]
        reason = redact_text(beginning(lines[-1]))[:_MAX_OUTPUT] if lines else f"exit {result.code}"
        if result.code < 0 or result.code in _NO_VERDICT or result.code in _SIGNALLED:
            raise ValidationUnavailable(f"the component's own check gave no verdict (exit {result.code}): {reason}")
        return [{"path": "", "message": f"refused by its own check: {reason}", "level": "component"}]


_MERGE_TIMEOUT = 5.0  # seconds for the child: less than a probe may take


ProbedValues = Callable[[str, str, NodeInputs], Mapping[str, Any]]
"""Returns where a kubelet listens, by its file, its version and its inputs. Raises ValidationUnavailable."""


class _ChildCommand:
    """A command of ``configok-agent`` that runs in a child process, and answers with JSON."""

    def __init__(self, runner: CommandRunner, argv: Sequence[str]) -> None:
        """Run the children with a runner. argv: the program and its arguments before the options of a request."""
        self._runner = runner
        self._argv = tuple(argv)

    def _ask(self, options: Sequence[str], request: str, timeout: float) -> tuple[CommandResult, Any]:
        """Return the result of a child, and its answer, None without one."""
        result = self._runner([*self._argv, *options], timeout=timeout, stdin=request)
        try:
            return result, load_json(result.out)
        except ValueError:
            return result, None


class AddressesCommand(_ChildCommand):
    """Runs ``configok-agent addresses`` on a file."""

    def __call__(self, path: str, version: str, inputs: NodeInputs) -> Mapping[str, Any]:
        """Return the values. Raises ValidationUnavailable."""
        request = json.dumps(inputs.to_dict())
        result, values = self._ask([*_version_option(version), path], request, _MERGE_TIMEOUT)
        if result.code != 0 or not isinstance(values, dict):
            reason = " ".join(result.err.split())[-200:] or "no answer"
            raise ValidationUnavailable(f"drop-ins and flags were not merged for the probe: {reason}")
        return values


HOST_RULE_PREFIX = "host:"  # of the rule of each finding on the host
_MAX_RECORDED = 32  # documents of one component and version
_MAX_FINDINGS = 101  # of one document, as ``validate`` bounds them: the last one has the number of the rest
_MAX_PART = 1000  # characters of one part of a finding
_VALIDATION_TIMEOUT = 60.0  # seconds for the child
_EXIT_CODES = (0, 1)  # of ``validate``, if it has validated the document


class ValidationUnavailable(Exception):
    """A document could not be validated, which says nothing about the config. The text says why."""


DocumentValidator = Callable[[str, str, str], Sequence[Mapping[str, Any]]]
"""Validates one component's document by itself for a version ("": any) and returns the findings as dicts.

Raises ValidationUnavailable.
"""


class ValidateCommand(_ChildCommand):
    """Runs ``configok-agent validate --json`` for one document."""

    def __call__(self, component: str, text: str, version: str) -> Sequence[Mapping[str, Any]]:
        """Return the findings, with file, line, path, value, message, level, rule. Raises ValidationUnavailable."""
        options = ["--json", "--component", component, *_version_option(version), "-"]
        return _findings_of(*self._ask(options, text, _VALIDATION_TIMEOUT))


class DocumentValidation(NamedTuple):
    """The result of validating a bundle's document on this node.

    is_same: whether the component certainly makes the same of it as of the file that it reads now. node_files: a hash
    of the files on this node that it names, "" without any.
    """

    findings: Sequence[Mapping[str, Any]]
    is_same: bool
    node_files: str = ""


class BundleDocumentValidator(Protocol):
    """Validates a bundle's document as this node would run it, looks at the host, and compares it with what is read.

    inputs: what this node lays over it. present: the file that the component reads now, None if there is none.
    host_only: look at the host alone, since the document was validated before. Raises ValidationUnavailable.
    """

    def __call__(
        self, component: str, text: str, version: str, *, inputs: NodeInputs, present: str | None, host_only: bool
    ) -> DocumentValidation: ...


class ValidateDocumentCommand(_ChildCommand):
    """Runs ``configok-agent validate-document``: one child, since most of its time is its start."""

    def __call__(
        self, component: str, text: str, version: str, *, inputs: NodeInputs, present: str | None, host_only: bool
    ) -> DocumentValidation:
        """Return the child's answer; only a yes counts as the same. Raises ValidationUnavailable."""
        options = [*_version_option(version), *(["--only-host"] if host_only else []), component]
        request = json.dumps({"document": text, "present": present, **inputs.to_dict()})
        result, answer = self._ask(options, request, _VALIDATION_TIMEOUT)
        is_same = isinstance(answer, dict) and answer.get("isSame") is True
        node_files = str(answer.get("nodeFiles") or "") if isinstance(answer, dict) else ""
        return DocumentValidation(_findings_of(result, answer), is_same, node_files)


def _version_option(version: str) -> list[str]:
    return ["--kubernetes-version", version] if version else []


def _findings_of(result: CommandResult, answer: Any) -> list[Mapping[str, Any]]:
    findings = answer.get("findings") if isinstance(answer, dict) else answer
    if (
        result.code not in _EXIT_CODES
        or not isinstance(findings, list)
        or not all(isinstance(finding, dict) for finding in findings)
    ):
        reason = " ".join(result.err.split())[-200:]
        raise ValidationUnavailable(f"the config could not be validated (exit {result.code}): {reason or 'no answer'}")
    return findings


def validate_init_config(
    store: Store,
    validator: DocumentValidator,
    component: str,
    data: bytes,
    *,
    version: str,
    tracking_version: str,
    engine_version: str,
) -> list[dict[str, Any]]:
    """Return the findings on a component's init config, from the record if there is one.

    version: to validate for. tracking_version: to record under. engine_version: of the validator. The caller holds no
    lock, since a validation takes long; one whose record is lost is only repeated. Raises ValidationUnavailable,
    OSError, LockTimeout.
    """
    text = data.decode("utf-8", "replace")
    return recorded_findings(
        store,
        component,
        _key(data, engine_version, version),
        lambda: validator(component, text, version),
        tracking_version=tracking_version,
    )


class BundleFindings(NamedTuple):
    """The findings on a bundle's document, and the present ones on the host; the others as in DocumentValidation."""

    document: list[dict[str, Any]]
    host: list[dict[str, Any]]
    is_same: bool
    node_files: str = ""


def validate_bundle_document(
    store: Store,
    validator: BundleDocumentValidator,
    component: str,
    data: bytes,
    *,
    version: str,
    tracking_version: str,
    engine_version: str,
    deny_policy: object,
    inputs: NodeInputs,
    present: bytes | None,
) -> BundleFindings:
    """Validate a bundle's document; its own findings come from the record if there is one.

    inputs: what this node adds to the document. deny_policy: what this node denies; its repr is part of the record's
    key. present: the file that the component reads now. Everything else is as for validate_init_config().
    """
    key = f"{_key(data, engine_version, version)}:bundle:{digest(repr((deny_policy, inputs)).encode())[:16]}"
    earlier = store.read_findings(component, tracking_version).get(key)
    if earlier is not None and refusing_findings(earlier):
        return BundleFindings(list(earlier), [], is_same=False)
    text = data.decode("utf-8", "replace")
    read_now = None if present is None else present.decode("utf-8", "surrogateescape")
    answer = validator(component, text, version, inputs=inputs, present=read_now, host_only=earlier is not None)
    on_host = [_plain(finding) for finding in answer.findings if _is_on_host(finding)]
    on_document = [finding for finding in answer.findings if not _is_on_host(finding)]
    recorded = recorded_findings(store, component, key, lambda: on_document, tracking_version=tracking_version)
    return BundleFindings(recorded, on_host, answer.is_same, answer.node_files)


def _is_on_host(finding: Mapping[str, Any]) -> bool:
    return str(finding.get("rule")).startswith(HOST_RULE_PREFIX)


def _key(data: bytes, engine_version: str, version: str) -> str:
    return f"{digest(data)}:{engine_version}:{version}"


def recorded_findings(
    store: Store,
    component: str,
    key: str,
    find: Callable[[], Sequence[Mapping[str, Any]]],
    *,
    tracking_version: str,
    keeps_none_alone: bool = False,
) -> list[dict[str, Any]]:
    """Return the findings recorded under a key, or find and record them.

    key: the file's hash, and what validated it. keeps_none_alone: whether findings may be others later, so that only a
    record of none is used again.
    Raises what find raises, OSError, LockTimeout.
    """
    findings = store.read_findings(component, tracking_version).get(key)
    if findings is None or (keeps_none_alone and findings):
        findings = [_plain(finding) for finding in list(find())[:_MAX_FINDINGS]]
        with locked(store.lock, wait=LOCK_WAIT):
            records = {**store.read_findings(component, tracking_version), key: findings}
            store.write_findings(component, tracking_version, dict(list(records.items())[-_MAX_RECORDED:]))
    return list(findings)


def _plain(finding: Mapping[str, Any]) -> dict[str, Any]:
    parts = {name: finding.get(name) for name in ("file", "line", "path", "message", "level")}
    return {name: part[:_MAX_PART] if isinstance(part, str) else part for name, part in parts.items()}


def refusing_findings(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings for which a bundle is refused; warnings and what was not judged stop no node."""
    return [finding for finding in findings if finding.get("level") not in _HARMLESS]


def not_judged_causes(findings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return what was not judged and why, each cause once."""
    return tuple(dict.fromkeys(str(finding.get("message")) for finding in findings if is_not_judged(finding)))


def is_not_judged(finding: Mapping[str, Any]) -> bool:
    """Return whether a finding says that something was not judged."""
    return finding.get("level") == NOT_JUDGED


def finding_place(finding: Mapping[str, Any]) -> str:
    """Return the path of a finding's field, or of the file of this node that is wrong as a whole; "" for the bundle."""
    file = str(finding.get("file") or "")
    return str(finding.get("path") or (file if file.startswith("/") else ""))


def first_error_text(component: str, findings: Sequence[Mapping[str, Any]]) -> str:
    """Return the first refusing finding as one phrase, with the number of the others. There must be one."""
    errors = refusing_findings(findings)
    place = finding_place(errors[0])
    where = f"{component}: {place}" if place else component
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if len(errors) >= _MAX_FINDINGS:  # the last one has the number of the rest
        more = f" (and over {_MAX_FINDINGS - 2} more)"
    return f"{where}: {errors[0].get('message')}{more}"


def is_known_fatal(records: Mapping[str, Any], config: str, version: str) -> bool:
    """Return whether this version of the component would exit over the file with this hash, according to a record.

    records: recorded findings by key. Strict findings, and those on a version that the data do not cover, are warnings
    there and do not count.
    """
    return bool(config) and any(
        finding.get("level") == "component"
        for key, findings in records.items()
        if key.startswith(f"{config}:") and key.rpartition(":")[2] == version  # no key of a bundle ends with a version
        for finding in findings
        if isinstance(finding, dict)
    )
