# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates a document as this node would run it, with the engine.

Only the commands import this file: the engine would cost prestart too much time, and the daemon too much memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from ..._componentconfig import ConfigError
from ..._componentconfig._codec.document import Document, decode
from ..._componentconfig._codec.plain_values import HEAD_FIELDS
from ..._componentconfig._flags.component_flags import ComponentFlags, with_flags
from ..._componentconfig._flags.kubelet_flags import CONFIG_DIRECTORY, parse_flags
from ..._componentconfig._options import OPTIONS_HEAD
from ..._componentconfig._rules.host_model import Host, HostQuery
from ..._componentconfig._rules.host_rules import HostRules
from ..._componentconfig._schema.kinds import MAIN_KINDS, find_kind
from ..._componentconfig._schema.releases import minor_of
from ..._componentconfig.bundle_policy import bundle_findings
from ..._componentconfig.check import check, check_host
from ..._componentconfig.component_options import COMPONENT_OPTIONS, read_options
from ..._componentconfig.drop_ins import (
    effective_with_drop_ins,
    empty_value_findings,
    is_same_with_drop_ins,
    merge_drop_in_documents,
)
from ..._componentconfig.findings import Finding, InvalidConfig, Level, bounded, located, reading_order
from ..._componentconfig.load import merge_documents
from ..._componentconfig.option_check import OPTION_CHECK
from ..._nodeconfig.denials import denials, node_values, unknown_field_patterns
from ..._nodeconfig.option_denials import OPTION_DENIALS
from ..._static_pods.manifest import Manifest
from ..._static_pods.mounts import HostPath, host_path_problem, mount_findings
from .._agent_configuration import AgentConfiguration, ComponentConfiguration, InvalidConfiguration
from .._state.node_state import NodeInputs
from .._store._rendered_files import UndecodableConfig, render_config
from ._node_files import NodeFile, node_file_findings
from ._node_inputs import own_config_values
from ._shadowed_fields import PROBED_FIELDS
from ._validator import HOST_RULE_PREFIX


def check_deny_policy(configuration: AgentConfiguration) -> None:
    """Raise InvalidConfiguration for denied or allowed fields that the component's kind does not have.

    Fields of any kind are valid for a component whose name does not imply its kind.
    """
    errors = []
    for name, component in configuration.components.items():
        kind = MAIN_KINDS.get(name, "")
        lists = {
            "additionalDeniedFields": component.deny.additional,
            "allowedFields": component.deny.allowed,
        }
        for option, patterns in lists.items():
            for pattern in unknown_field_patterns(patterns, kind):
                allowed = f"a field of a {kind}" if kind else "a field of any kind that is known"
                errors.append(f"components.{name}.{option}: {pattern!r} must be {allowed}")
        for index, host_path in enumerate(allowed_host_paths(component)):
            problem = host_path_problem(host_path)
            if problem:
                errors.append(f"components.{name}.hostPaths[{index}]: {host_path.path!r} {problem}")
    if errors:
        raise InvalidConfiguration(errors)


def drop_in_documents(inputs: NodeInputs) -> list[Document] | None:
    """Decode the drop-ins, lowest first, and leave out empty ones; None without --config-dir. Raises InvalidConfig."""
    if not inputs.drop_ins and CONFIG_DIRECTORY not in dict(parse_flags(inputs.arguments)):
        return None
    layers = [decode(text.encode("utf-8", "surrogateescape"), file=path) for path, text in inputs.drop_ins]
    return [layer for layer in layers if layer.data is not None]


def effective_config(
    layers: Sequence[Document], argv: Sequence[str], minor: int, drop_ins: Sequence[Document] | None = None
) -> Document:
    """Merge the layers, lowest first, with the kubelet's drop-ins and flags; every field keeps its origin.

    minor: of the component's version; it decides how drop-ins are merged and which flags count. drop_ins: None without
    --config-dir. Only the kubelet has drop-ins, and flags that win over its file. The form (JSON or YAML) is that of
    the lowest layer, the document, as in offline checks: 110.0 is a whole number only in YAML.
    """
    if not all(isinstance(layer.data, dict) for layer in (*layers, *(drop_ins or ()))):
        return layers[0]  # the checks report what is not a mapping
    merged = layers[0]
    if len(layers) > 1:
        merged = merge_documents(layers)._replace(is_json=layers[0].is_json)
    kind = find_kind(merged.data.get("apiVersion"), merged.data.get("kind"))
    if kind is None or kind.component != "kubelet":
        return merged
    if drop_ins is not None:
        merged = merge_drop_in_documents(merged, drop_ins, kind, minor)._replace(is_json=layers[0].is_json)
    return with_flags(merged, argv, kind, minor)


def probed_values(document: Document, inputs: NodeInputs, version: str) -> dict[str, Any]:
    """Return the fields that say where a kubelet listens, from its file, its drop-ins and its flags.

    Another component's file is all that counts: {}. Raises ConfigError.
    """
    data = document.data if isinstance(document.data, dict) else {}
    kind = find_kind(data.get("apiVersion"), data.get("kind"))
    if kind is None or kind.component != "kubelet":
        return {}
    minor, layers = minor_of(version), drop_in_documents(inputs)
    drop_ins = None if layers is None else [layer.data for layer in layers]
    merged = document._replace(data=effective_with_drop_ins(data, drop_ins, kind, minor))
    values = with_flags(merged, inputs.arguments, kind, minor).data
    return {name: values[name] for name in PROBED_FIELDS if name in values}


def is_same_on_node(document: str, present: str, inputs: NodeInputs, version: str) -> bool:
    """Return whether a component certainly makes the same of a bundle's document as of the file that it reads now.

    version: of the component, "" if it is unknown. What cannot be decoded is not the same.
    """
    try:
        rendered = render_config(document, inputs.instance)
        before = decode(present.encode("utf-8", "surrogateescape"), file="the file that is read now").data
        after = decode(rendered, file="the document").data
        layers = drop_in_documents(inputs)
        drop_ins = None if layers is None else [layer.data for layer in layers]
        return is_same_with_drop_ins(drop_ins, before, after, version)
    except (ConfigError, UndecodableConfig):
        return False


def is_from_flag(file: str) -> bool:
    """Return whether a finding's file is a flag."""
    return file.startswith("--")


def validate_on_node(
    text: bytes,
    file: str,
    component: ComponentConfiguration,
    *,
    inputs: NodeInputs,
    version: str,
    host_only: bool,
    read_host: Callable[[HostQuery], Host],
    manifest: Manifest | None = None,
    node_files: Sequence[NodeFile] = (),
) -> list[Finding]:
    """Return all findings on a component's document. Raises ConfigError for an invalid version.

    text, file: the document, and the path for its findings. inputs: what this node adds to it; without arguments if the
    component's are unknown. version: of the component, "" for the newest that the data cover. host_only: check only the
    host, since the config was validated before. read_host: reads what a check of the host asks for. manifest: the init
    manifest of a static Pod, whose arguments are those of inputs. node_files: that its options name.
    """
    minor, argv = minor_of(version), inputs.arguments
    try:
        document = decode(text, file=file)
        instance = _instance_layer(component, inputs)
        drop_ins = drop_in_documents(inputs)
    except InvalidConfig as error:
        # A file of this node is at fault as a whole, wherever its decoding stopped.
        return [finding if finding.file == file else finding._replace(path=()) for finding in error.findings]
    config = effective_config([document, *instance], argv, minor, drop_ins)
    findings: list[Finding] = []
    if not host_only:
        findings += [_not_a_mapping(layer) for layer in instance if not isinstance(layer.data, dict)]
        findings += _bundle_findings(document, component, minor, inputs)
        findings += _config_findings(config, component, version, {layer.file for layer in drop_ins or ()}, argv)
        findings += _values_without_effect(document, drop_ins, minor)
        findings += _option_findings(config, component, manifest)
        # In the order of a check offline, so that both name the same first error.
        findings = bounded(sorted(findings, key=reading_order))
    if component.host_checks:
        findings += _host_findings(config, component, argv, version, read_host)
    findings += [config.locate(_of_host(finding), look_up=False) for finding in node_file_findings(node_files, version)]
    return findings


def _instance_layer(component: ComponentConfiguration, inputs: NodeInputs) -> list[Document]:
    """Return this node's instance config as a layer, without apiVersion and kind, which are the document's."""
    text = (inputs.instance or "").encode()
    if not text.strip():
        return []
    layer = decode(text, file=component.instance_config)
    if not isinstance(layer.data, dict):
        return [layer]
    return [layer._replace(data={key: value for key, value in layer.data.items() if key not in HEAD_FIELDS})]


def _not_a_mapping(instance: Document) -> Finding:
    return located(Finding((), "the instance config must be a mapping of fields"), instance.file)


def denied_findings(
    document: Document, component: ComponentConfiguration, minor: int, inputs: NodeInputs
) -> list[Finding]:
    """Return the findings on what this node denies in a bundle's document. minor: of the component's version."""
    kind = _kind(document)
    unknown = unknown_field_patterns([*component.deny.additional, *component.deny.allowed], kind)
    if unknown:
        message = f"this node's AgentConfiguration denies or allows {unknown[0]}, which is not a field of a {kind}"
        return [located(Finding((), message, "denied", Level.POLICY), document.file)]
    own = node_values(kind, *own_config_values(component, inputs))
    findings = denials(document.data, component.deny, own, minor, OPTION_DENIALS)
    return [document.locate(finding, look_up=False) for finding in findings]


def _bundle_findings(
    document: Document, component: ComponentConfiguration, minor: int, inputs: NodeInputs
) -> list[Finding]:
    findings = bundle_findings(document.data, _kind(document))
    located_findings = [document.locate(finding, look_up=False) for finding in findings]
    return located_findings + denied_findings(document, component, minor, inputs)


def _kind(document: Document) -> str:
    return str(document.data.get("kind", "")) if isinstance(document.data, dict) else ""


def _config_findings(
    config: Document,
    component: ComponentConfiguration,
    version: str,
    drop_in_files: Set[str],
    argv: Sequence[str],
) -> list[Finding]:
    """Return the findings on the effective config.

    The component already runs with its flags and drop-ins, so findings on these are warnings and refuse no bundle.
    """
    # The kubelet's are merged over the config already.
    flags = ComponentFlags(argv[1:]) if argv and component.name != "kubelet" else None

    def findings_on(data: Any) -> list[Finding]:
        return check(
            config._replace(data=data),
            component=component.name,
            versions=[version] if version else (),
            flags=flags,
            is_final=True,
            arguments=OPTION_CHECK,
        )

    findings = findings_on(config.data)
    # Of a static Pod, what is wrong with the init manifest alone is wrong without options, too.
    bare = {**OPTIONS_HEAD, "component": component.name}
    present = {finding.message for finding in findings_on(bare)} if _kind(config) == COMPONENT_OPTIONS else set[str]()
    return [
        finding._replace(level=Level.WARNING)
        if finding.is_refusal
        and (is_from_flag(finding.file) or finding.file in drop_in_files or finding.message in present)
        else finding
        for finding in findings
    ]


def _values_without_effect(document: Document, drop_ins: Sequence[Document] | None, minor: int) -> list[Finding]:
    kind = find_kind(document.data.get("apiVersion"), document.data.get("kind")) if _kind(document) else None
    if kind is None or kind.component != "kubelet":
        return []
    return [document.locate(finding) for finding in empty_value_findings(document.data, drop_ins, kind, minor)]


def _option_findings(
    config: Document, component: ComponentConfiguration, manifest: Manifest | None
) -> Iterator[Finding]:
    """Yield why a static Pod cannot have a document, and what its container cannot have of that."""
    is_options = _kind(config) == COMPONENT_OPTIONS
    if bool(component.manifest) != is_options:
        allowed = f"must be {COMPONENT_OPTIONS}" if component.manifest else f"must not be {COMPONENT_OPTIONS}"
        runs_as = "a static Pod" if component.manifest else f"the unit {component.unit}"
        yield config.locate(Finding(("kind",), f"{allowed}: {component.name} runs as {runs_as} here", "kind"))
    elif is_options:
        options = read_options(config.data)
        if options.component != component.name:
            message = f"must be {component.name}, whose key of the bundle it has"
            yield config.locate(Finding(("component",), message, "component"))
        if manifest is not None:
            yield from map(config.locate, mount_findings(manifest, options, allowed_host_paths(component)))


def allowed_host_paths(component: ComponentConfiguration) -> list[HostPath]:
    """Return the directories that the options of a component may name."""
    return [HostPath(path, is_writable) for path, is_writable in component.host_paths]


def _host_findings(
    config: Document,
    component: ComponentConfiguration,
    argv: Sequence[str],
    version: str,
    read_host: Callable[[HostQuery], Host],
) -> list[Finding]:
    runtime = dict(parse_flags(argv)).get("container-runtime-endpoint", "")
    rules = HostRules(read_host, component.root_directory, runtime, resets_state=True)
    findings = check_host(config, component.name, [version] if version else [], rules)
    return list(map(_of_host, findings))


def _of_host(finding: Finding) -> Finding:
    return finding._replace(rule=HOST_RULE_PREFIX + finding.rule)
