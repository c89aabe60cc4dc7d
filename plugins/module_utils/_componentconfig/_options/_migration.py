# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the command line of a static-Pod component into ComponentOptions, and options into kubeadm's extraArgs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import ConfigError
from .._flags._flag_set import FlagSet, values_by_flag
from .._flags._pflag import CommandLine, Flag, parse_flag_value
from .._scalars._unexpanded import UNEXPANDED, is_unexpanded
from . import ETCD
from ._document import Options, flag_arguments
from ._facts import bundle_flags, file_flags

_OF_KUBEADM: Mapping[str, Mapping[str, str]] = {
    "kube-apiserver": {"enable-admission-plugins": "NodeRestriction"},
    ETCD: {"snapshot-count": "10000"},
}
"""What kubeadm writes of what a bundle may set: it stays as it is unless the value is another one."""

_AS_TEXT = frozenset(("vmodule", "certKeyPairs"))


class ManifestFlags(NamedTuple):
    """The flags of a command line that become options, by name, and those that stay in the manifest, with a reason."""

    options: dict[str, Any]
    staying: dict[str, str]


def flags_to_options(flags: FlagSet, command_line: CommandLine, minor: int) -> ManifestFlags:
    """Return which flags of a command line a bundle may set, with their values as options."""
    options, staying = dict[str, Any](), dict[str, str]()
    for flag, values in values_by_flag(command_line.uses, flags.flags):
        reason = _why_it_stays(flags.component, flag, values, minor)
        if reason:
            staying[flag.name] = reason
            continue
        try:
            options[flag.name] = _option(flag, values)
        except ConfigError as error:
            staying[flag.name] = f"its value is not what the component takes: {error}"
    return ManifestFlags(options, staying)


def _why_it_stays(component: str, flag: Flag, values: Sequence[str], minor: int) -> str:
    if any(map(is_unexpanded, values)):
        return f"it has {UNEXPANDED}"
    if flag.name not in bundle_flags(component):
        return "a bundle may not set it"
    if not flag.known_at(minor):
        return "this version does not have it"
    if flag.name in file_flags(component):
        return f"it names {values[-1]}: put the content of this file under files"
    if values[-1] == _OF_KUBEADM.get(component, {}).get(flag.name):
        return "kubeadm writes it"
    return ""


def _option(flag: Flag, values: Sequence[str]) -> Any:
    parsed = parse_flag_value(flag.form, values)
    return values[-1] if flag.form in _AS_TEXT else parsed


def extra_arguments(options: Options) -> list[tuple[str, str]]:
    """Return the flags of options, and of their files, as names and values of kubeadm's extraArgs.

    A flag that is to be removed is left out: kubeadm writes what its own templates have. Raises ConfigError for a value
    that a command line cannot hold.
    """
    arguments = list(flag_arguments(options))
    wrong = next((argument for argument in arguments if argument.error), None)
    if wrong is not None:
        raise ConfigError(f"flags.{wrong.name}: {wrong.error}")
    return [(argument.name, argument.value) for argument in arguments]
