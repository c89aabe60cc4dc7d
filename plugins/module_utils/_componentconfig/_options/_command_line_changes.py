# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the flags of options into the arguments of a component, and take them out again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from .. import ConfigError
from .._flags._flag_findings import flags_of
from .._flags._pflag import Flag, FlagUse, parse_words
from ._document import Options, flag_arguments

_MERGED = "mapBool"  # the form of flags whose keys are added to those of the manifest
_OF_KUBERNETES = "kube:"  # the component that a feature gate without one belongs to
_SPELLINGS: Mapping[tuple[str, str], str] = {
    ("kube-controller-manager", "concurrent-rc-syncs"): "concurrent_rc_syncs",
}
"""Flags that an older release knows with underscores only, 1.20 here, and a newer one in both spellings."""


def with_options(options: Options, arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a component, without the program, with the flags of options and of their files.

    A flag takes the place of its first use, and a new one comes after all others, by name. Options replace a flag's
    whole value, feature gates by key. A kubelet that expands `$(NAME)` finds the values as they are. Raises ConfigError
    for a value that a command line cannot hold, and for arguments that the component does not take.
    """
    own = _own_values(options)
    merged = _merged_flags(options)
    uses = list(_uses(options.component, arguments))
    gates = {name: [use.value for use in uses if use.name == name] for name in merged}
    result, placed = list[str](), set[str]()
    for use in uses:
        if use.name in options.removed:
            continue
        if use.name not in own:
            result += use.arguments
        elif use.name not in placed:
            placed.add(use.name)
            result += _written(options.component, use.name, own[use.name], gates.get(use.name, ()))
    for name in sorted(set(own) - placed):
        result += _written(options.component, name, own[name], gates.get(name, ()))
    return result


def without_options(
    options: Options, arguments: Sequence[str], before: Sequence[str], *, is_regenerated: bool
) -> list[str]:
    """Return arguments that hold options without them, with the uses that the arguments before them had.

    A flag that the arguments before did not have goes. is_regenerated: the manifest's writer has written them again,
    with what the options ask for: then its other gates stay, and what is not there was not taken away by the options.
    Raises ConfigError for arguments that the component does not take.
    """
    earlier: dict[str, list[str]] = {}
    gates: dict[str, list[str]] = {}
    for use in _uses(options.component, before):
        earlier.setdefault(use.name, []).extend(use.arguments)
        gates.setdefault(use.name, []).append(use.value)
    merged = _merged_flags(options)
    own = {*_own_values(options), *(() if is_regenerated else options.removed)}
    result, placed = list[str](), set[str]()
    for use in _uses(options.component, arguments):
        if use.name in merged:
            known = () if is_regenerated else gates.get(use.name, ())
            result += _without_keys(options, use, known)
        elif use.name not in own:
            result += use.arguments
        elif use.name not in placed:
            result += earlier.get(use.name, ())
        placed.add(use.name)
    for name in sorted(own - placed):
        result += earlier.get(name, ())
    return result


def _without_keys(options: Options, use: FlagUse, known: Sequence[str]) -> list[str]:
    """Return a merged flag without the keys of options, or with the values of those that were known before."""
    own = _pairs(_own_values(options)[use.name])
    before = _pairs(known)
    pairs = {key: before.get(key, "") if key in own else text for key, text in _pairs([use.value]).items()}
    left = [text for text in pairs.values() if text]
    return [f"--{use.name}={','.join(left)}"] if left else []


def holds_options(options: Options, arguments: Sequence[str]) -> bool:
    """Return whether arguments are what these options make of them, apart from the order of flags."""
    try:
        return _values(options.component, arguments) == _values(options.component, with_options(options, arguments))
    except ConfigError:
        return False


def _values(component: str, arguments: Sequence[str]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for use in _uses(component, arguments):
        values.setdefault(use.name, []).append(use.value)
    flags = flags_of(component).flags
    return {
        name: sorted(map(_plain, _pairs(texts).values())) if _is_merged(name, flags) else texts
        for name, texts in values.items()
    }


def _uses(component: str, arguments: Sequence[str]) -> Iterator[FlagUse]:
    """Yield the uses of flags. Raises ConfigError for an argument that the component does not take."""
    for _position, part in parse_words(arguments, flags_of(component).flags):
        if isinstance(part, str):
            raise ConfigError(f"the arguments of {component} cannot be read: {part}")
        yield part


def _own_values(options: Options) -> dict[str, list[str]]:
    """Return the values of each flag that options set; an empty list leaves a repeated flag without any use."""
    values: dict[str, list[str]] = {name: [] for name, value in options.flags.items() if value is not None}
    for argument in flag_arguments(options):
        if argument.error:
            raise ConfigError(f"flags.{argument.name}: {argument.error}")
        values.setdefault(argument.name, []).append(argument.value)
    return values


def _merged_flags(options: Options) -> Collection[str]:
    """Return the flags of options whose keys are added to those of the manifest."""
    flags = flags_of(options.component).flags
    return [name for name, value in options.flags.items() if value is not None and _is_merged(name, flags)]


def _is_merged(name: str, flags: Mapping[str, Flag]) -> bool:
    return name in flags and flags[name].form == _MERGED


def _written(component: str, name: str, values: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the arguments for the values of a flag. below: the values of a merged flag that these are laid over."""
    values = [_literal(value) for value in values]
    if below:
        values = [",".join(_pairs([*below, *values]).values())]
    spelling = _SPELLINGS.get((component, name), name)
    return [f"--{spelling}={value}" for value in values]


def _pairs(values: Sequence[str]) -> dict[str, str]:
    """Return the pairs of a merged flag by their keys; of one key, the last."""
    pairs: dict[str, str] = {}
    for pair in ",".join(values).split(","):
        key = _plain(pair.partition("=")[0])
        if key:
            pairs[key] = pair.strip()
    return pairs


def _plain(text: str) -> str:
    return text.strip().removeprefix(_OF_KUBERNETES)


def _literal(value: str) -> str:
    """Return a value as a container's command has it: the kubelet expands `$(NAME)`, and reads `$$` as one `$`."""
    return value.replace("$", "$$")
