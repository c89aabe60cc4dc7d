# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the flags of options into kubeadm's ClusterConfiguration, and take them out again. Pure.

kubeadm writes the manifests from it at the next upgrade. The note says what the flags were before, so that a pool that
returns to its init config leaves nothing behind.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._componentconfig import ConfigError
from .._componentconfig.component_options import (
    ETCD,
    FLAG_COMPONENTS,
    KUBEADM_SECTIONS,
    Options,
    read_options,
    with_options,
    without_options,
)
from .._foreign import InvalidText, load_json
from .._nodeconfig.denied_fields import DenyPolicy
from .._nodeconfig.option_denials import option_denials
from . import UnusableInput

_GROUP = "kubeadm.k8s.io"
_WITH_MAP = ("v1beta1", "v1beta2", "v1beta3")
_WITH_LIST = ("v1beta4",)
_EXTRA = "extraArgs"
_ELSEWHERE = "kubeadm writes no files: each control-plane node needs it before an upgrade"
_EXTERNAL = "kubeadm does not run it: its configuration has an external etcd"
_UNWRITTEN = "extraArgs cannot take away a flag that kubeadm writes itself"


class SyncedComponent(NamedTuple):
    """What was written for a component: its options, as a document, and the arguments that were there before."""

    options: Mapping[str, Any]
    before: tuple[str, ...] = ()


class SyncNote(NamedTuple):
    """What a pool has written into a ClusterConfiguration, by component."""

    pool: str
    components: Mapping[str, SyncedComponent] = {}

    @classmethod
    def parse(cls, text: str) -> SyncNote:
        """Read a note. Raises UnusableInput."""
        try:
            value = load_json(text)
            components = {
                str(name): SyncedComponent(dict(part["options"]), tuple(map(str, part["before"])))
                for name, part in value["components"].items()
            }
            return cls(str(value["pool"]), components)
        except (InvalidText, LookupError, TypeError, ValueError, AttributeError) as error:
            raise UnusableInput(f"it is damaged ({type(error).__name__}): remove it, and correct extraArgs") from error

    def text(self) -> str:
        """Return the note as text, the same for equal notes."""
        components = {
            name: {"options": dict(part.options), "before": list(part.before)} for name, part in self.components.items()
        }
        return json.dumps({"pool": self.pool, "components": components}, sort_keys=True)


class Synced(NamedTuple):
    """A ClusterConfiguration with the flags of options, the note, and what is not in it, in sentences."""

    configuration: dict[str, Any]
    note: SyncNote
    left_out: tuple[str, ...]


def with_documents(
    configuration: Mapping[str, Any], note: SyncNote, documents: Mapping[str, Mapping[str, Any]], policy: DenyPolicy
) -> Synced:
    """Return a ClusterConfiguration that holds these options, and no others of the note's pool.

    documents: decoded ComponentOptions by component. policy: what a bundle may set; what it denies is left out.
    Raises UnusableInput for a version of kubeadm's API that is not known, and for arguments that cannot be read.
    """
    takes_list = _takes_list(configuration)
    result = copy.deepcopy(dict(configuration))
    components: dict[str, SyncedComponent] = {}
    left_out: list[str] = []
    for component in FLAG_COMPONENTS:
        try:
            arguments = _read_arguments(result, component)
            earlier = note.components.get(component)
            if earlier is not None:
                options = read_options(earlier.options)
                arguments = without_options(options, arguments, earlier.before, is_regenerated=False)
            before = tuple(arguments)
            if component in documents and component == ETCD and _has_external_etcd(result):
                left_out.append(f"{component}: {_EXTERNAL}")
            elif component in documents:
                written, reasons = _writable(documents[component], arguments, policy, takes_list=takes_list)
                left_out += [f"{component}: {reason}" for reason in reasons]
                arguments = with_options(read_options(written), arguments)
                if written["flags"] or written["files"]:
                    components[component] = SyncedComponent(written, before)
        except ConfigError as error:
            section = ".".join(KUBEADM_SECTIONS[component])
            raise UnusableInput(f"{section}.{_EXTRA} cannot be used: {error}") from error
        _write_arguments(result, component, arguments, takes_list=takes_list)
    return Synced(result, SyncNote(note.pool, components), tuple(left_out))


def _has_external_etcd(configuration: Mapping[str, Any]) -> bool:
    section = configuration.get("etcd")
    return isinstance(section, Mapping) and section.get("external") is not None


def _takes_list(configuration: Mapping[str, Any]) -> bool:
    """Return whether extraArgs is a list, as since v1beta4, not a mapping. Raises UnusableInput."""
    group, _slash, version = str(configuration.get("apiVersion")).partition("/")
    if group == _GROUP and version in (*_WITH_MAP, *_WITH_LIST):
        return version in _WITH_LIST
    known = ", ".join((*_WITH_MAP, *_WITH_LIST))
    raise UnusableInput(f"apiVersion {configuration.get('apiVersion')} is not known: {_GROUP} has {known}")


def _writable(
    document: Mapping[str, Any], arguments: Sequence[str], policy: DenyPolicy, *, takes_list: bool
) -> tuple[dict[str, Any], list[str]]:
    """Return the part of a document that extraArgs can hold, and why the rest is left out."""
    options = read_options(document)
    reasons = {finding.path[:2]: finding.message for finding in option_denials(document, policy)}
    for file in options.files:
        if file.content is not None:
            reasons[file.field] = _ELSEWHERE
    present = _names(options, arguments)
    for flag in options.removed - present:
        reasons.setdefault(options.field_of(flag), _UNWRITTEN)
    flags = {key: value for key, value in (document.get("flags") or {}).items() if ("flags", key) not in reasons}
    files = {key: value for key, value in (document.get("files") or {}).items() if ("files", key) not in reasons}
    if not takes_list:
        for key in list(flags):
            part = {**document, "flags": {key: flags[key]}, "files": {}}
            uses = [word for word in with_options(read_options(part), ()) if word]
            if len(uses) > 1:
                del flags[key]
                reasons["flags", key] = "this version of kubeadm takes a flag once"
    sentences = [f"{'.'.join(map(str, path))}: {reason}" for path, reason in sorted(reasons.items())]
    return {**document, "flags": flags, "files": files}, sentences


def _names(options: Options, arguments: Sequence[str]) -> frozenset[str]:
    """Return which of the removed flags of options the arguments have."""
    present = {word.partition("=")[0].lstrip("-").replace("_", "-") for word in arguments}
    return options.removed & present


def _read_arguments(configuration: Mapping[str, Any], component: str) -> list[str]:
    """Return the extraArgs of a component as a command line. Raises ConfigError."""
    section: Any = configuration
    for name in KUBEADM_SECTIONS[component]:
        section = (section.get(name) or {}) if isinstance(section, Mapping) else section
    extra = section.get(_EXTRA) if isinstance(section, Mapping) else section
    if extra is None:
        return []
    if isinstance(extra, Mapping):
        return [f"--{name}={value}" for name, value in extra.items()]
    if isinstance(extra, list) and all(isinstance(entry, Mapping) for entry in extra):
        return [f"--{entry.get('name')}={entry.get('value', '')}" for entry in extra]
    raise ConfigError("it is neither a mapping nor a list of names and values")


def _write_arguments(
    configuration: dict[str, Any], component: str, arguments: Sequence[str], *, takes_list: bool
) -> None:
    if list(arguments) == _read_arguments(configuration, component):
        return
    pairs = [word[2:].partition("=")[::2] for word in arguments]
    section = configuration
    for name in KUBEADM_SECTIONS[component]:
        section[name] = dict(section.get(name) or {})
        section = section[name]
    if not pairs:
        section.pop(_EXTRA, None)
    elif takes_list:
        section[_EXTRA] = [{"name": name, "value": value} for name, value in pairs]
    else:
        section[_EXTRA] = dict(pairs)
