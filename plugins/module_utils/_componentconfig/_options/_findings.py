# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what is wrong with the flags and files of a ComponentOptions document, by themselves and with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._flags._flag_findings import Argument, flags_of, unknown_flag, unread_flags
from .._flags._flag_set import known_flags
from .._flags._flag_values import flags_compared_with
from .._flags._pflag import FlagUse, parse_command_line
from .._scalars._suggestion import did_you_mean
from .._scalars.field_path import Path
from .._scalars.numbers import parse_bool
from .._schema.releases import minor_name
from ..findings import Finding, Level, not_judged
from ._document import Options, OptionsFile, flag_arguments, plugin_paths
from ._facts import NamedFile, file_flags

RULE_OPTIONS = "options"
OF_MANIFEST: Path = ("flags",)
"""The path of findings about flags that the options leave as the manifest has them."""
_ENCRYPTION = "encryption-provider-config"
EMULATED_VERSION = "emulated-version"
_FORWARD = ("emulation-forward-compatible", "runtime-config-emulation-forward-compatible")
_EMULATION_SINCE = 31
_EMULATION_READ = 36  # the first minor whose rules are known
_EMULATED_MINORS = 3  # the oldest emulated minor is so many before the binary's
_ANONYMOUS_SINCE = 31  # AuthenticationConfiguration.anonymous
_UNREAD = "nothing reads this file: name the flag that names it (flag), or the file in the path of an admission plugin"
_OTHERS = "how flags fit the other flags of the component"
_NO_COMMAND_LINE = "its command line is not given"


class CommandLine(NamedTuple):
    """All arguments of a component with its options, and whether they are all.

    base: those of the init manifest that the options leave as they are; replaced: the others.
    """

    base: tuple[Argument, ...]
    own: tuple[Argument, ...]
    is_whole: bool
    replaced: tuple[Argument, ...] = ()

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments in the order in which a rendered manifest has them."""
        return (*self.base, *self.own)

    def text_of(self, flag: str) -> str:
        """Return the last value of a flag, "" without it."""
        return next((item.value for item in reversed(self.arguments) if item.name == flag and not item.error), "")

    def has(self, flag: str) -> bool:
        """Return whether a flag is set."""
        return any(item.name == flag for item in self.arguments)


def command_line(options: Options, base: Sequence[str] | None) -> CommandLine:
    """Return the command line of a component with options.

    base: the arguments of the init manifest without the program, None if they are not known. The options replace a
    flag's whole value, feature gates by key.
    """
    own = tuple(flag_arguments(options))
    known = flags_of(options.component).flags
    replaced = {argument.name for argument in own} | set(options.flags)
    kept, others = list[Argument](), list[Argument]()
    for use in _uses(base or (), known):
        stays = use.name not in replaced or (_is_merged(use.name, known) and use.name not in options.removed)
        (kept if stays else others).append(Argument(OF_MANIFEST, use.name, use.value))
    return CommandLine(tuple(kept), own, base is not None, tuple(others))


def _uses(arguments: Sequence[str], known: Mapping[str, Any]) -> tuple[FlagUse, ...]:
    return parse_command_line(arguments, known).uses


def _is_merged(flag: str, known: Mapping[str, Any]) -> bool:
    """Return whether the options add to the keys of a flag, as they do to feature gates."""
    return flag in known and known[flag].form == "mapBool"


def emulated_minor(line: CommandLine, minor: int) -> int:
    """Return the minor whose gates and files hold: that of --emulated-version, if it is an older one."""
    return min(minor, _stated_minor(line.text_of(EMULATED_VERSION)) or minor)


def _stated_minor(text: str) -> int | None:
    """Return the minor that a value of --emulated-version names, None for any other text."""
    match = re.fullmatch(r"(?:kube=)?v?1\.([0-9]{1,3})(?:\.0)?", text.strip())
    return int(match[1]) if match else None


def _emulation_findings(line: CommandLine, minor: int) -> Iterator[Finding]:
    """Yield what is wrong with --emulated-version (kube-apiserver 1.36, run)."""
    for flag in _FORWARD:
        argument = next((item for item in line.own if item.name == flag), None)
        if argument is not None and parse_bool(argument.value) and emulated_minor(line, minor) == minor:
            yield Finding(argument.path, "needs an --emulated-version that is older than the component", RULE_OPTIONS)
    argument = next((item for item in line.own if item.name == EMULATED_VERSION and not item.error), None)
    if argument is None or not argument.value or minor < _EMULATION_SINCE:
        return
    stated = _stated_minor(argument.value)
    oldest = minor - _EMULATED_MINORS
    if minor < _EMULATION_READ:
        what = "which versions a component can emulate"
        yield not_judged(
            argument.path, what, f"the rules before Kubernetes {minor_name(_EMULATION_READ)} are not known"
        )
    elif stated is None:
        yield Finding(argument.path, "must be a version without its patch, such as 1.35", RULE_OPTIONS)
    elif not oldest <= stated <= minor:
        message = f"must be between {minor_name(oldest)} and {minor_name(minor)}"
        yield Finding(argument.path, message, RULE_OPTIONS)


def option_findings(options: Options, line: CommandLine, minor: int) -> Iterator[Finding]:
    """Yield what is wrong with the options beyond the values of their flags, which `argument_findings` checks."""
    flags = known_flags(options.component)
    for name in options.flags:
        if "=" in name:
            yield Finding(options.field_of(name), "must be the name of a flag, without its value", RULE_OPTIONS)
    for key in options.repeated:
        message = f"names the flag {key.replace('_', '-')} once more: a flag has one key"
        yield Finding(("flags", key), message, RULE_OPTIONS)
    if flags is None and options.flags:
        yield not_judged(("flags",), f"flags of {options.component}", "they are not known here")
    if flags is not None:
        if not flags.are_read(minor) and not flags.has_own_releases:
            yield not_judged((), "which flags the release no longer has", unread_flags(flags, minor))
        for name in sorted(options.removed):
            finding = unknown_flag(name, flags, minor) if name not in flags.flags else None
            if finding is not None:
                is_judged = finding.level is not Level.NOT_JUDGED
                message = f"--{name}: {finding.message}" if is_judged else finding.message
                yield finding._replace(path=options.field_of(name), message=message)
        yield from _uncompared(options, line, minor)
        yield from _emulation_findings(line, minor)
    yield from _file_findings(options, line, minor)


def _uncompared(options: Options, line: CommandLine, minor: int) -> Iterator[Finding]:
    """Yield which flags cannot be compared with those that the manifest may set."""
    if line.is_whole:
        return
    for argument in line.own:
        others = flags_compared_with(options.component, argument.name, minor)
        if any(not line.has(other) for other in others):
            yield not_judged(argument.path, _OTHERS, _NO_COMMAND_LINE)


def _file_findings(options: Options, line: CommandLine, minor: int) -> Iterator[Finding]:
    known = file_flags(options.component)
    for file in options.files:
        if file.flag and known and file.flag not in known:
            yield Finding((*file.field, "flag"), _no_file_flag(options.component, file.flag, known), RULE_OPTIONS)
        elif not file.flag and not _is_referred(file, options):
            yield Finding(file.field, _UNREAD, RULE_OPTIONS, Level.POLICY)
        if file.flag in options.flags:
            yield Finding(options.field_of(file.flag), f"the file {file.name} sets this flag", RULE_OPTIONS)
        first = options.file_of(file.flag) if file.flag else None
        if first is not None and first.name != file.name:
            yield Finding(file.field, f"--{file.flag} names one file only, which is {first.name}", RULE_OPTIONS)
        yield from _content_findings(file, known.get(file.flag))
    yield from _references(options)
    yield from _encryption(options, line)
    yield from _useless_policy(options, line)
    yield from _anonymous_twice(options, line, minor)


def _no_file_flag(component: str, flag: str, known: Mapping[str, NamedFile]) -> str:
    return f"{component} reads no file by --{flag}{did_you_mean(flag, sorted(known))}"


def _content_findings(file: OptionsFile, named: NamedFile | None) -> Iterator[Finding]:
    if named is None or file.content is None:
        return
    kind = file.content.get("kind") if isinstance(file.content, Mapping) else None
    if isinstance(file.content, Mapping) and not named.kind:
        yield Finding((*file.field, "content"), f"--{file.flag} names a text, not a document", RULE_OPTIONS)
    elif named.kind and isinstance(kind, str) and kind != named.kind:
        message = f"must be {named.kind}, which --{file.flag} names"
        yield Finding((*file.field, "content", "kind"), message, RULE_OPTIONS)
    elif isinstance(file.content, str):
        yield not_judged((*file.field, "content"), "the text of a file", "only a document is checked")


def _is_referred(file: OptionsFile, options: Options) -> bool:
    return any(path == file.name for _field, path in plugin_paths(options))


def _references(options: Options) -> Iterator[Finding]:
    names = [file.name for file in options.files]
    for field, path in plugin_paths(options):
        if not path.startswith("/") and path not in names:
            message = "must be a key of files, or an absolute path" + did_you_mean(path, names)
            yield Finding(field, message, RULE_OPTIONS)


def _encryption(options: Options, line: CommandLine) -> Iterator[Finding]:
    """Yield the file of encryption keys, unless the manifest names it already: a change cannot be rolled back."""
    file = options.file_of(_ENCRYPTION)
    if file is None:
        return
    if not line.is_whole:
        yield not_judged(file.field, "whether the manifest names this file of encryption keys", _NO_COMMAND_LINE)
    elif all(argument.value != file.path for argument in line.replaced if argument.name == _ENCRYPTION):
        message = f"the manifest does not have this --{_ENCRYPTION}: a change could make objects unreadable"
        yield Finding(file.field, message, RULE_OPTIONS, Level.POLICY)


def _useless_policy(options: Options, line: CommandLine) -> Iterator[Finding]:
    """Yield a warning for an audit policy without a backend, by which nothing is ever written."""
    file = options.file_of("audit-policy-file")
    if file is None or line.has("audit-log-path") or line.has("audit-webhook-config-file"):
        return
    if line.is_whole:
        message = "has no effect without --audit-log-path or --audit-webhook-config-file"
        yield Finding(file.field, message, RULE_OPTIONS, Level.WARNING)
    else:
        yield not_judged(file.field, "whether audit events are written anywhere", _NO_COMMAND_LINE)


def _anonymous_twice(options: Options, line: CommandLine, minor: int) -> Iterator[Finding]:
    """Yield the flag that an AuthenticationConfiguration excludes (apiserver, since 1.31)."""
    file = options.file_of("authentication-config")
    content = file.content if file is not None else None
    if file is None or minor < _ANONYMOUS_SINCE or not isinstance(content, Mapping):
        return
    if content.get("anonymous") is not None and line.has("anonymous-auth"):
        message = "cannot be used together with --anonymous-auth"
        yield Finding((*file.field, "content", "anonymous"), message, RULE_OPTIONS)
