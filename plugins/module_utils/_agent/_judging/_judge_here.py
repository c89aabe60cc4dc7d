# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One component's document judged as this node would run it: in one short-lived child, before the component is touched.
Private to configok.node.

The document as part of a bundle (what may not be shared, what this node denies), the effective config as the component
would see it, and the host. Findings on the host have a rule that begins with HOST: they hold for this moment only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from ..._componentconfig._bundle_policy import bundle_problems
from ..._componentconfig._check import validate
from ..._componentconfig._codec._document import Document, decode
from ..._componentconfig._denials import denials, own_values, unknown_fields
from ..._componentconfig._findings import POLICY, WARNING, DecodeError, Finding, bounded, finding, in_reading_order
from ..._componentconfig._flags._kubelet_flags import flags_of
from ..._componentconfig._judge_host import judge_host
from ..._componentconfig._rules._host_rules import Host, Wanted
from ..._componentconfig._schema._feature_gates import newest_minor
from ..._componentconfig._schema._releases import parse_minor
from ..._componentconfig._schema._type_check import Problem
from .._basis._configuration import ComponentConfiguration
from ._effective import drop_in_documents, effective, is_by_flag
from ._local_values import Inputs, local_values
from ._verdicts import HOST

__all__ = ["denied_here", "judge_here"]


def judge_here(
    text: bytes,
    file: str,
    component: ComponentConfiguration,
    *,
    inputs: Inputs,
    version: str,
    known: bool,
    read_host: Callable[[Wanted], Host],
) -> list[Finding]:
    """Return all findings. Raises ComponentConfigError for an invalid version.

    inputs: what this node lays over it; no arguments where the component's are not known. version: of the component,
    "" for the newest that the data cover. known: the config itself was judged before, so only the host is looked at.
    """
    minor, argv = parse_minor(version) if version else newest_minor(), inputs.arguments
    try:
        document = decode(text, file=file)
        instance = _instance(component, inputs)
        drop_ins = drop_in_documents(inputs)
    except DecodeError as error:
        return [error.finding]
    config = effective([document, *instance], argv, minor, drop_ins)
    found: list[Finding] = []
    if not known:
        found += [_no_mapping(layer) for layer in instance if not isinstance(layer.data, dict)]
        found += _of_bundle(document, component, minor, inputs)
        found += _of_config(config, component, version, {layer.file for layer in drop_ins})
        # In order, so that the first error is the one that a check offline names first.
        found = bounded(sorted(found, key=in_reading_order))
    if component.host_checks:
        found += _of_host(config, component, argv, version, read_host)
    return found


def _instance(component: ComponentConfiguration, inputs: Inputs) -> list[Document]:
    """This node's instance config as a layer, without what is the document's alone to say."""
    text = (inputs.instance or "").encode()
    if not text.strip():
        return []
    layer = decode(text, file=component.instance_config)
    if not isinstance(layer.data, dict):
        return [layer]
    return [replace(layer, data={key: layer.data[key] for key in layer.data if key not in ("apiVersion", "kind")})]


def _no_mapping(instance: Document) -> Finding:
    return finding(instance.file, None, (), None, "the instance config must be a mapping of fields")


def denied_here(document: Document, component: ComponentConfiguration, minor: int, inputs: Inputs) -> list[Finding]:
    """Return what this node denies in a bundle's document."""
    kind = _kind(document)
    unknown = unknown_fields([*component.deny.additional, *component.deny.allowed], kind)
    if unknown:
        message = f"this node's AgentConfiguration denies or allows {unknown[0]}, which is no field of a {kind}"
        return [finding(document.file, None, (), None, message, POLICY, "denied")]
    own = own_values(kind, *local_values(component, inputs))
    return _findings(document, list(denials(document.data, component.deny, own, minor)))


def _of_bundle(document: Document, component: ComponentConfiguration, minor: int, inputs: Inputs) -> list[Finding]:
    problems = bundle_problems(document.data, _kind(document))
    return _findings(document, list(problems)) + denied_here(document, component, minor, inputs)


def _kind(document: Document) -> str:
    return str(document.data.get("kind", "")) if isinstance(document.data, dict) else ""


def _findings(document: Document, problems: Sequence[Problem]) -> list[Finding]:
    return [
        finding(document.file, document.line_of(one.path), one.path, one.value, one.message, POLICY, one.rule)
        for one in problems
    ]


def _of_config(config: Document, component: ComponentConfiguration, version: str, running: Set[str]) -> list[Finding]:
    """running: the drop-ins, which the component runs with, as with its flags: what is said of one is worth a word,
    and no reason to refuse a bundle."""
    found = validate(config, component=component.name, versions=[version] if version else ())
    return [replace(one, level=WARNING) if is_by_flag(one.file) or one.file in running else one for one in found]


def _of_host(
    config: Document,
    component: ComponentConfiguration,
    argv: Sequence[str],
    version: str,
    read_host: Callable[[Wanted], Host],
) -> list[Finding]:
    runtime = dict(flags_of(argv)).get("container-runtime-endpoint", "")
    found = judge_host(
        config,
        component.name,
        [version] if version else [],
        read_host,
        root_directory=component.root_directory,
        runtime=runtime,
        sets_state_aside=True,
    )
    return [replace(one, rule=HOST + one.rule) for one in found]
