# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The component's own check of a file, where it has one: the last word before it is touched.
Private to configok.node."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..._nodeconfig._redact import beginning, redact
from .._agent_configuration import ComponentConfiguration
from .._interfaces import CommandRunner
from .._state._node_state import NodeInputs
from .._store._durable_files import locked
from .._store._store import Store, digest

__all__ = [
    "SameConfigCommand",
    "ValidateCommand",
    "HOST",
    "DocumentValidator",
    "ValidationUnavailable",
    "CommandCheck",
    "SameConfig",
    "refusing_findings",
    "first_error_text",
    "is_known_fatal",
    "validate_init_config",
    "validate_bundle_document",
    "recorded",
]

_CHECK_TIMEOUT = 30.0  # seconds
_MAX_OUTPUT = 300  # characters of what it said
_NO_VERDICT = (124, 126, 127)  # ran out of time, or could not be run: that says nothing about the config
_SIGNALLED = range(129, 193)  # as a shell, or a container runtime, tells that what it ran was ended by a signal


class CommandCheck:
    """Runs a component's checkCommand on a file."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def __call__(self, component: ComponentConfiguration, path: str) -> list[dict[str, Any]]:
        """Return the findings: none where the command exits with 0, else one with what it said. Raises JudgeFailed."""
        result = self._runner([*component.check_command, path], timeout=_CHECK_TIMEOUT)
        if result.code == 0:
            return []
        lines = [line.strip() for line in (result.err or result.out).splitlines() if line.strip()]
        said = redact(beginning(lines[-1]))[:_MAX_OUTPUT] if lines else f"exit {result.code}"
        if result.code < 0 or result.code in _NO_VERDICT or result.code in _SIGNALLED:
            raise ValidationUnavailable(f"the component's own check gave no verdict (exit {result.code}): {said}")
        return [{"path": "", "message": f"refused by its own check: {said}", "level": "component"}]


_COMPARISON_TIMEOUT = 30.0  # seconds for the child
_SAME = 0  # its exit code


class SameConfig(Protocol):
    """Compares two files for a version of their component ("" for an unknown one), with and without the drop-ins in
    inputs; False when it is not certain."""

    def __call__(self, one: str, other: str, version: str, inputs: NodeInputs) -> bool: ...


class SameConfigCommand:
    """Runs ``configok-agent same`` on two files."""

    def __init__(self, runner: CommandRunner, argv: Sequence[str]) -> None:
        """argv: the program and its command."""
        self._runner = runner
        self._argv = tuple(argv)

    def __call__(self, one: str, other: str, version: str, inputs: NodeInputs) -> bool:
        """Return whether the child is certain that the files mean the same."""
        of_version = ["--kubernetes-version", version] if version else []
        argv = [*self._argv, *of_version, "--with-inputs", one, other]
        return self._runner(argv, timeout=_COMPARISON_TIMEOUT, stdin=json.dumps(inputs.to_dict())).code == _SAME


HOST = "host:"  # how the rule of a finding on the host begins

_KEPT = 32
_MOST = 101  # findings of one verdict: what the judge says at most, the last one with the number of the rest
_MAX_PART = 1000  # characters of one part of a finding
_LOCK_WAIT = 5.0  # seconds
_VALIDATION_TIMEOUT = 60.0  # seconds for the child
_JUDGED = (0, 1)  # exit codes of ``validate`` with a verdict


class DocumentValidator(Protocol):
    """Judges one component's document for a version ("": any). bundle: as part of a bundle that this node is to run:
    what may not be shared, relative paths and what this node denies are refused too, the instance config and the
    component's flags (inputs has both) are laid over it, and the host is looked at; with known, at nothing else.
    Returns findings as dicts; raises JudgeFailed."""

    def __call__(
        self,
        component: str,
        text: str,
        version: str,
        *,
        bundle: bool,
        known: bool = False,
        inputs: NodeInputs | None = None,
    ) -> Sequence[Mapping[str, Any]]: ...


class ValidationUnavailable(Exception):
    """The judge gave no verdict; that says nothing about the config. The text says what went wrong."""


class ValidateCommand:
    """Runs ``configok-agent validate --json`` for one document."""

    def __init__(self, runner: CommandRunner, argv: Sequence[str]) -> None:
        """argv: the program with all that stands before ``validate``'s own options."""
        self._runner = runner
        self._argv = tuple(argv)

    def __call__(
        self,
        component: str,
        text: str,
        version: str,
        *,
        bundle: bool,
        known: bool = False,
        inputs: NodeInputs | None = None,
    ) -> Sequence[Mapping[str, Any]]:
        """Return the findings, as dicts with file, line, path, value, message, level, rule. Raises JudgeFailed."""
        argv = [*self._argv, "--json", "--component", component]
        if bundle:
            argv.append("--only-host" if known else "--on-node")
        if version:
            argv += ["--kubernetes-version", version]
        if inputs is not None:
            argv.append("--with-inputs")
            text = json.dumps({"document": text, **inputs.to_dict()})
        result = self._runner([*argv, "-"], timeout=_VALIDATION_TIMEOUT, stdin=text)
        try:
            found = json.loads(result.out)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            found = found.get("findings")
        complete = result.code in _JUDGED and isinstance(found, list) and all(isinstance(one, dict) for one in found)
        if not complete:
            said = " ".join(result.err.split())[-200:]
            raise ValidationUnavailable(
                f"the config could not be validated (exit {result.code}): {said or 'no answer'}"
            )
        return list(found)


def validate_init_config(
    store: Store, judge: DocumentValidator, component: str, data: bytes, *, version: str, tracked: str, engine: str
) -> list[dict[str, Any]]:
    """Return the findings on a file of this node's own, recorded ones where there are any.

    version: to judge for; tracked: the version to record under. Raises JudgeFailed, OSError. The caller holds no lock:
    a judge takes its time, and a lost record costs only that again.
    """
    text = data.decode("utf-8", "replace")
    return recorded(
        store,
        component,
        _key(data, engine, version),
        lambda: judge(component, text, version, bundle=False),
        tracked=tracked,
    )


def validate_bundle_document(
    store: Store,
    judge: DocumentValidator,
    component: str,
    data: bytes,
    *,
    version: str,
    tracked: str,
    engine: str,
    beside: object,
    inputs: NodeInputs,
    host: bool,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the findings on a bundle's document, recorded ones where there are any, and those on the host just now.

    inputs: what this node lays over it. beside: what else the verdict hangs on (what this node denies), as anything
    whose repr tells it. host: whether the host is looked at. Otherwise as judged().
    """
    key = f"{_key(data, engine, version)}:bundle:{digest(repr((beside, inputs)).encode())[:16]}"
    kept = store.read_verdicts(component, tracked).get(key)
    if kept is not None and (refusing_findings(kept) or not host):
        return list(kept), []
    text = data.decode("utf-8", "replace")
    answer = judge(component, text, version, bundle=True, known=kept is not None, inputs=inputs)
    of_host = [_plain(finding) for finding in answer if str(finding.get("rule")).startswith(HOST)]
    own = [finding for finding in answer if not str(finding.get("rule")).startswith(HOST)]
    return recorded(store, component, key, lambda: own, tracked=tracked), of_host


def _key(data: bytes, engine: str, version: str) -> str:
    return f"{digest(data)}:{engine}:{version}"


def recorded(
    store: Store, component: str, key: str, find: Callable[[], Sequence[Mapping[str, Any]]], *, tracked: str
) -> list[dict[str, Any]]:
    """Return the findings recorded under a key (the file's hash, and what judged it); where there are none, find and
    record them. Raises what find raises, OSError, Locked."""
    found = store.read_verdicts(component, tracked).get(key)
    if found is None:
        found = [_plain(finding) for finding in list(find())[:_MOST]]
        with locked(store.lock, wait=_LOCK_WAIT):
            verdicts = {**store.read_verdicts(component, tracked), key: found}
            store.write_verdicts(component, tracked, dict(list(verdicts.items())[-_KEPT:]))
    return list(found)


def _plain(finding: Mapping[str, Any]) -> dict[str, Any]:
    parts = {name: finding.get(name) for name in ("file", "line", "path", "message", "level")}
    return {name: part[:_MAX_PART] if isinstance(part, str) else part for name, part in parts.items()}


def refusing_findings(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings that refuse a bundle: refused by the component, or refused by policy."""
    return [finding for finding in findings if finding.get("level") != "warning"]


def first_error_text(component: str, findings: Sequence[Mapping[str, Any]]) -> str:
    """Return the first error as one phrase, with how many more there are."""
    errors = refusing_findings(findings)
    path = str(errors[0].get("path") or "")
    where = f"{component}: {path}" if path else component
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if len(errors) >= _MOST:  # the last one has their number
        more = f" (and over {_MOST - 2} more)"
    return f"{where}: {errors[0].get('message')}{more}"


def is_known_fatal(verdicts: Mapping[str, Any], name: str, version: str) -> bool:
    """Return whether a recorded verdict says that this version of the component would die of the file with this hash.

    Strict findings and versions that the data does not know are warnings here, never a reason to refuse.
    """
    return bool(name) and any(
        finding.get("level") == "component"
        for key, found in verdicts.items()
        if key.startswith(f"{name}:") and key.rpartition(":")[2] == version  # nothing of a bundle ends with one
        for finding in found
        if isinstance(finding, dict)
    )
