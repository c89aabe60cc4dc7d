# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the flags of components inside other files, with the fields that they set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ._codec._embedding import EmbeddedFlags
from ._flags._flag_findings import WITHOUT_FILE, Argument, flag_findings, flags_of
from ._flags._flag_set import apply_flags
from ._flags._flags_in_files import kubeadm_arguments
from ._flags.kubelet_flags import FEATURE_GATES
from ._rules import rule_facts
from ._rules._admission_plugins import admission_plugins
from ._rules._kubelet_start_failures import is_cipher_suite
from ._rules._registry import rule_checked_fields, rule_sets
from ._rules._rule import EffectiveConfig, run_rules
from ._scalars._suggestion import did_you_mean
from ._scalars._unexpanded import is_unexpanded
from ._schema._feature_gates import FeatureGates
from ._schema._type_check import EmbeddedDocument, TypeCheck, check_types
from ._schema.kinds import MAIN_KINDS, Kind, OperatingSystem, kinds
from ._schema.releases import minor_name, nearest_known_minor
from .certainty import with_certainty
from .findings import Finding, Level, located, not_judged, show

_PLUGIN_FLAGS = ("admission-control", "enable-admission-plugins", "disable-admission-plugins")
_WINDOWS_FLAGS = frozenset(("windows-priorityclass", "windows-service"))
"""The flags that the kubelet has on Windows only: cmd/kubelet/app/options/osflags_windows.go."""


class ArgumentsInFiles:
    """Checks flags of components inside files."""

    def embedded(self, flags: EmbeddedFlags, minor: int) -> Iterator[Finding]:
        """Yield what is wrong with flags in a file of another tool, each at its line. minor: may be a later one."""
        lines = {flag.path: flag.line for flag in flags.pairs}
        arguments = [
            Argument(flag.path, flag.name, "true" if flag.value is None else flag.value, flag.error)
            for flag in flags.pairs
        ]
        for finding in argument_findings(flags.component, arguments, nearest_known_minor(minor)):
            yield located(with_certainty(finding, minor), flags.file, lines.get(finding.path))

    def in_kubeadm_file(
        self, kind: Kind, checked: TypeCheck, minor: int, os: OperatingSystem = "linux"
    ) -> Iterator[Finding]:
        """Yield what is wrong with the extra arguments of components in a document of kubeadm. minor: may be later.

        An item of a list whose name or value has a wrong type is left out. os: of the node, which is Windows if the
        document has its kind of socket.
        """
        registration = checked.data.get("nodeRegistration")
        socket = registration.get("criSocket") if isinstance(registration, dict) else None
        known = _WINDOWS_FLAGS if os == "windows" or str(socket).startswith("npipe:") else frozenset[str]()
        items = {
            finding.path[:-1] for finding in checked.findings if finding.path and finding.path[-1] in ("name", "value")
        }
        for component, arguments in kubeadm_arguments(kind.kind, checked.data):
            whole = [
                argument
                for argument in arguments
                if argument.path[:-1] not in items and not (component == "kubelet" and argument.name in known)
            ]
            for finding in argument_findings(component, whole, nearest_known_minor(minor)):
                yield with_certainty(finding, minor)

    def in_options(self, data: Mapping[str, Any], base: Sequence[str] | None, minor: int) -> Iterator[Finding]:
        """Yield that ComponentOptions are not judged; see OPTION_CHECK."""
        yield not_judged((), "flags and files of a component", "this check does not read ComponentOptions")

    def files_in_options(
        self, data: Mapping[str, Any], base: Sequence[str] | None, minor: int
    ) -> tuple[int, Iterable[EmbeddedDocument | Finding]]:
        """Return no documents, at the same minor; see OPTION_CHECK."""
        return minor, ()


ARGUMENT_CHECK = ArgumentsInFiles()
"""Has the flags of all components, which are large: `check` takes it where there may be such flags."""


def argument_findings(
    component: str,
    arguments: Iterable[Argument],
    minor: int,
    *,
    is_whole: bool = True,
    gates_minor: int | None = None,
) -> Iterator[Finding]:
    """Yield what is wrong with flags of a component inside a file, each at the path of its argument.

    is_whole, gates_minor: see `flag_findings`.
    """
    arguments = tuple(arguments)
    by_flag = {f"--{argument.name.replace('_', '-')}": argument for argument in arguments}
    refused = set()
    for finding in flag_findings(component, arguments, minor, is_whole=is_whole, gates_minor=gates_minor):
        refused.add(finding.path)
        yield finding
    for finding in _name_findings(component, arguments, minor):
        if finding.path not in refused:
            yield finding
    for flag, finding in _field_findings(component, arguments, minor):
        argument = by_flag.get(flag)
        if argument is not None and argument.path not in refused:
            message = f"{flag}: {finding.field}: {finding.message}"
            yield finding._replace(path=argument.path, message=message, value=argument.shown_value)


def _name_findings(component: str, arguments: Iterable[Argument], minor: int) -> Iterator[Finding]:
    """Yield the admission plugins and cipher suites that a component of the control plane does not know."""
    plugins = admission_plugins(minor)
    for argument in arguments:
        flag = argument.name.replace("_", "-")
        names = [name for name in argument.value.split(",") if name.strip() and not is_unexpanded(name)]
        messages = []
        if component == "kube-apiserver" and flag in _PLUGIN_FLAGS:
            what = f"is not an admission plugin of Kubernetes {minor_name(minor)}"
            messages = [f"{show(name)} {what}{did_you_mean(name, plugins)}" for name in names if name not in plugins]
        elif component in WITHOUT_FILE and flag == "tls-cipher-suites":
            messages = [f"{show(name)} is not a cipher suite" for name in names if not is_cipher_suite(name)]
        for message in messages:
            yield Finding(argument.path, f"--{flag}: {message}", "flag-names", value=argument.shown_value)


def _field_findings(component: str, arguments: Iterable[Argument], minor: int) -> Iterator[tuple[str, Finding]]:
    """Yield what the component refuses in a field that a flag sets, and the flag: by rules about that field alone."""
    kind = next((kind for kind in kinds() if kind.kind == MAIN_KINDS.get(component) and kind.known_at(minor)), None)
    if kind is None or flags_of(component).ignored_with_file:
        return
    words = [f"--{argument.name}={argument.value}" for argument in arguments if argument.name and not argument.error]
    data, origins = apply_flags({}, [component, *words], kind, minor)
    checked = check_types(data, kind, minor, is_json=True, rule_checked_fields=rule_checked_fields(kind))
    gates = FeatureGates(minor, data.get(FEATURE_GATES, {}))
    config = EffectiveConfig(minor, checked.data, kind.fields, gates, frozenset(checked.broken_fields))
    findings = list(checked.findings)
    for rules in rule_sets(kind):
        facts = rule_facts(rules.component, rules.section)
        of_one_field = {rule for rule, row in facts.items() if len(row["fields"]) == 1 and "gate" not in row}
        findings += [finding for finding in run_rules(rules, config) if finding.rule in of_one_field]
    for finding in findings:
        origin = next((flag for path, flag in origins.items() if finding.path[: len(path)] == path), "")
        if origin and finding.level is Level.COMPONENT:
            yield origin, finding
