# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""configok-agent: the command line. A command imports what it needs when it runs: prestart must be quick."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, NoReturn, Union

from ._agent import AGENT_VERSION
from ._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
    InvalidConfiguration,
    load_configuration,
)
from ._agent._store._durable_files import LockTimeout
from ._arguments import (
    OF_ADDRESSES,
    OF_CONVERT,
    OF_DIFF,
    OF_EXPLAIN,
    OF_MIGRATE,
    OF_RELEASE_DATA,
    OF_RENDER,
    OF_SAME,
    OF_VALIDATE,
    OF_VALIDATE_DOCUMENT,
    VERSION,
    Argument,
    argument,
)
from ._output import UnusableInput, complain, log_to_stderr, show, show_json

if TYPE_CHECKING:
    import argparse

    from ._agent._store._store import Store

__all__ = ["main", "start"]

DEFAULT_CONFIG = "/etc/configok/agent.yaml"
_FAILED, _USAGE = 1, 2
_HOOKS = ("prestart", "poststop")  # run by the component's unit, which they must never fail
_EXCLUSIVE_ARGUMENTS = ("forget-bad",)  # commands that take exactly one of their arguments
Arguments = Union["argparse.Namespace", SimpleNamespace]
"""A command's arguments by name."""


def main(argv: Sequence[str]) -> int:
    """Run one command and return the exit code: 0, 1 if it failed or was refused, 2 for wrong usage.

    Only prestart may return 78: refuse the start.
    """
    arguments = _unit_arguments(argv) or _parser().parse_args(argv)
    log_to_stderr()
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()  # here, so that a closed pipe is noticed
        return code
    except BrokenPipeError:
        # The reader has seen enough. Python would complain at its end, when it flushes again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except UnusableInput as error:
        complain(str(error))
        return _USAGE
    except InvalidConfiguration as error:
        for sentence in error.errors:
            complain(sentence + (_as_root() if isinstance(error.__cause__, PermissionError) else ""))
    except PermissionError as error:
        complain(f"{error.filename}: {error.strerror}{_as_root()}")
    except OSError as error:
        complain(": ".join(str(part) for part in (error.filename, error.strerror or error) if part))
    except LockTimeout as error:
        complain(f"{error}, try again")
    except KeyboardInterrupt:
        complain("interrupted")
    except Exception as error:  # noqa: BLE001 - the outermost frame: one sentence, and a hook never fails its unit
        if isinstance(error, ModuleNotFoundError) and error.name == "yaml":
            complain(f"{arguments.command} needs PyYAML, which {sys.executable} does not have")
            return _USAGE
        complain(f"{arguments.command} failed, please report it: {type(error).__name__}: {error}{_place(error)}")
    return 0 if arguments.command in _HOOKS else _FAILED


def start() -> NoReturn:
    """Run the command of this process."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a locale may lack characters of a config
    sys.exit(main(sys.argv[1:]))


def _as_root() -> str:
    return ": the agent's files are root's, run this as root" if os.geteuid() else ""


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})" if trace is not None else ""


def _unit_arguments(argv: Sequence[str]) -> SimpleNamespace | None:
    """Return the arguments of a command in the words in which the units run it, None for any others.

    They are read without argparse, which would cost prestart its time and the daemon its memory.
    """
    known: dict[str, Callable[[Arguments], int]] = {"run": _run, "prestart": _prestart, "poststop": _poststop}
    first, *words = argv or [""]
    option, equals, path = first.partition("=")
    if (option, equals) != ("--config", "=") or not words or words[0] not in known:
        return None
    components = words[1:]
    if len(components) != (1 if words[0] in _HOOKS else 0) or any(name.startswith("-") for name in components):
        return None
    arguments = SimpleNamespace(command=words[0], run=known[words[0]], config=path)
    if components:
        arguments.component = components[0]
    return arguments


def _parser() -> argparse.ArgumentParser:
    import argparse

    # A fixed width: argparse would import shutil to ask for the terminal's, even if it shows nothing.
    help_formatter = partial(argparse.HelpFormatter, width=100)
    shared = argparse.ArgumentParser(add_help=False, formatter_class=help_formatter)
    # SUPPRESS: the option may come before or after the command.
    shared.add_argument(
        "--config", metavar="PATH", default=argparse.SUPPRESS, help=f"the AgentConfiguration (default {DEFAULT_CONFIG})"
    )
    parser = argparse.ArgumentParser(
        prog="configok-agent",
        description="Keep this node on its assigned config, or on one that works.",
        parents=[shared],
        formatter_class=help_formatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, run, text, arguments in _commands():
        command = commands.add_parser(
            name, help=text, description=text, parents=[shared], formatter_class=help_formatter
        )
        command.set_defaults(run=run)
        one_of = command.add_mutually_exclusive_group(required=True) if name in _EXCLUSIVE_ARGUMENTS else command
        for names, settings in arguments:
            one_of.add_argument(*names, **settings)
    return parser


def _commands() -> Iterator[tuple[str, Callable[[Arguments], int], str, Sequence[Argument]]]:
    """Yield every command: its name, its function, its help text, and its arguments."""
    component = argument("component", metavar="COMPONENT")
    yield "run", _run, "watch this node's Node and apply what it assigns, until stopped", ()
    text = "decide which config a component reads now (ExecStartPre=); 78 refuses the start"
    yield "prestart", _prestart, text, (component,)
    yield "poststop", _poststop, "record how a component ended (ExecStopPost=)", (component,)
    text = "say which config this node uses, and why"
    yield "status", _status, text, (argument("--json", action="store_true", help="for machines"),)
    yield "check", _check, "say whether the agent can work here: its own config, and its credentials", ()
    yield "validate", _validate, "say what is wrong with component configs; - is standard input", OF_VALIDATE
    text = "validate a bundle's document on this node, as the agent does before it adopts it; standard input is JSON"
    yield "validate-document", _validate_document, text, (component, *OF_VALIDATE_DOCUMENT)
    text = "compare two component configs, or one under two versions, by what the component makes of them"
    yield "diff", _diff, text, OF_DIFF
    text = "say whether a component makes the same of two configs, at this version and all later ones; if not sure, no"
    yield "same", _same, text, OF_SAME
    text = "print where the kubelet listens; standard input is JSON with its command line and drop-ins"
    yield "addresses", _addresses, text, OF_ADDRESSES
    text = "explain fields of a component config, feature gates (featureGates.NAME) or a kind"
    yield "explain", _explain, text, OF_EXPLAIN
    yield "convert", _convert, "convert a component config to another API version", OF_CONVERT
    text = "move a component from its flags, or from those behind --, to a config file, and say which flags must stay"
    yield "migrate", _migrate, text, OF_MIGRATE
    text = "show the manifest that runs a static-Pod component with options; nothing is written"
    yield "render", _render, text, OF_RENDER
    text = "bring the manifest of a static-Pod component in line with its options, which restarts it"
    check = argument("--check", action="store_true", help="write nothing but the agent's note on the manifest")
    restore = argument("--restore-init", action="store_true", help="put the init manifest back: the agent is removed")
    again = argument("--reload", action="store_true", help="replace a file alone, which the component reads again")
    yield "static-pod", _static_pod, text, (component, check, restore, again)
    owner = argument("owner", metavar="OWNER", help="the program that writes manifests, such as kubeadm")
    duration = argument("--for", dest="duration", default="30m", metavar="DURATION", help="at most (default 30m)")
    yield "hold", _hold, "keep the agent from writing manifests of static Pods for some time", (owner, duration)
    yield "release", _release, "let the agent write manifests of static Pods again", (owner,)
    text = "ask the program of a static-Pod component about the options that the agent has prepared"
    yield "own-check", _own_check, text, (component,)
    text = "derive the data of a release that is newer than this version, or accept a draft of them"
    yield "release-data", _release_data, text, OF_RELEASE_DATA
    text = "print this node's own config values, without secrets, as JSON: what provisioning publishes"
    yield "local-config", _local_config, text, ()
    text = "compare what the kubelet runs with (its /configz) with the file it was given"
    json = argument("--json", action="store_true", help="for machines: differences, and why there is no answer")
    yield "compare", _compare, text, (component, json)
    every = argument("--all", action="store_true", help="all of them")
    yield "forget-bad", _forget_bad, "forget that a config was bad", (argument("uid", metavar="UID", nargs="?"), every)
    yield "compile", _compile, "unpack and compile this archive next to itself, once, so that it starts sooner", ()
    digest = argument("--sha256", action="store_true", help="print the SHA-256 of this archive instead, as sha256sum")
    yield "version", _version, "say the agent's version", (digest,)


def _configuration(arguments: Arguments) -> AgentConfiguration:
    return load_configuration(getattr(arguments, "config", DEFAULT_CONFIG))


def _store(configuration: AgentConfiguration) -> Store:
    from ._agent._store._store import Store
    from ._agent._system_clock import SystemClock

    return Store(configuration.state_directory, now=SystemClock().now)


def _require_component(configuration: AgentConfiguration, component: str) -> None:
    if component not in configuration.components:
        raise InvalidConfiguration([f"this node has no component {component!r} in its AgentConfiguration"])


def _prestart(arguments: Arguments) -> int:
    from ._agent._hooks import prestart
    from ._agent._system_clock import SystemClock

    configuration = _configuration(arguments)
    _require_component(configuration, arguments.component)
    return prestart(configuration, arguments.component, os.environ, SystemClock())


def _poststop(arguments: Arguments) -> int:
    from ._agent._hooks import poststop
    from ._agent._system_clock import SystemClock

    configuration = _configuration(arguments)
    _require_component(configuration, arguments.component)
    return poststop(configuration, arguments.component, os.environ, SystemClock())


def _run(arguments: Arguments) -> int:
    from ._lean_imports import import_urllib3

    import_urllib3()  # first: what follows imports it as usual
    from ._run import run

    path = getattr(arguments, "config", DEFAULT_CONFIG)
    return run(_configuration(arguments), path)


def _status(arguments: Arguments) -> int:
    from ._agent._cli import describe_node
    from ._agent._reporting._crash_messages import LastMessages
    from ._processes import run_command

    configuration = _configuration(arguments)
    messages = LastMessages(configuration.components, _store(configuration), run_command)
    description = describe_node(configuration, messages)
    if arguments.json:
        show_json(description, indent=2)
    else:
        from ._agent._cli import render_status

        show(render_status(description))
    return 0


def _check(arguments: Arguments) -> int:
    from ._check import check_node

    configuration = _configuration(arguments)
    return check_node(configuration, _store(configuration))


def _limit(arguments: Arguments) -> None:
    if arguments.limited:
        from ._limits import limit_this_process

        limit_this_process()


def _validate(arguments: Arguments) -> int:
    _limit(arguments)
    _use_release_data(arguments)
    from ._componentconfig.findings import scope_of
    from ._validate import document_validator, drop_in_validator, target_versions, validate_files

    versions = target_versions(arguments.versions)
    name = arguments.component
    on_node = arguments.on_node or arguments.only_host
    if (arguments.feature_gates or arguments.flags_file) and (on_node or not name):
        complain("--feature-gates and --flags-file need --component, and are not for --on-node, which reads its flags")
        return _USAGE
    if on_node and arguments.os != "linux":
        complain("--os is not for --on-node: a node with this agent runs Linux")
        return _USAGE
    for option, is_given in (("--on-node", on_node), ("--installed-version", arguments.installed_version)):
        if is_given and not name:
            complain(f"{option} needs --component")
            return _USAGE
    problem = _drop_in_problem(arguments, on_node=on_node)
    if problem:
        complain(problem)
        return _USAGE
    configured: ComponentConfiguration | None = None
    if name and (on_node or arguments.bundle or arguments.installed_version):
        configuration = _configuration(arguments)
        _require_component(configuration, name)
        if arguments.bundle:
            configured = configuration.components[name]
        if arguments.installed_version:
            versions += _installed(configuration, name)
    if on_node:
        from ._validate_on_node import node_validator

        validator = node_validator(configuration, name, versions, only_host=arguments.only_host)
    else:
        validator = document_validator(
            name,
            versions,
            bundle=arguments.bundle,
            configured=configured,
            flags_file=arguments.flags_file,
            feature_gates=arguments.feature_gates,
            system=arguments.os,
        )
    of_drop_ins = None
    if not on_node and name in ("", "kubelet"):
        of_drop_ins = drop_in_validator(
            versions,
            bundle=arguments.bundle,
            flags_file=arguments.flags_file,
            feature_gates=arguments.feature_gates,
        )
    return validate_files(
        arguments.files,
        validator,
        versions,
        output=arguments.output,
        fail_on=arguments.fail_on,
        skip_unknown=arguments.skip_unknown,
        scope=scope_of(knows_flags=bool(on_node or arguments.flags_file), checks_host=bool(on_node)),
        is_verbose=arguments.verbose,
        allow_empty=arguments.allow_empty or arguments.skip_unknown or _reads_named_file(arguments),
        of_drop_ins=of_drop_ins,
        drop_ins=arguments.drop_ins,
        base=arguments.base,
    )


def _validate_document(arguments: Arguments) -> int:
    _limit(arguments)
    from ._validate_document import validate_document

    configuration, name = _configuration(arguments), arguments.component
    _require_component(configuration, name)
    component, store = configuration.components[name], _store(configuration)
    return validate_document(component, store, version=arguments.version, only_host=arguments.only_host)


def _reads_named_file(arguments: Arguments) -> bool:
    """Return whether a file is named with the component that reads it, whatever the file holds."""
    return bool(arguments.component) and not all(map(os.path.isdir, arguments.files))


def _drop_in_problem(arguments: Arguments, *, on_node: bool) -> str:
    """Return what is wrong with the inputs of validate, "" for nothing."""
    if not arguments.files and not arguments.drop_ins:
        return "validate needs a FILE, or --drop-ins"
    if arguments.base and not arguments.drop_ins:
        return "--base needs --drop-ins: a FILE is validated by itself"
    if arguments.drop_ins and (on_node or arguments.component not in ("", "kubelet")):
        return "--drop-ins is for the kubelet, and not for --on-node, which reads its drop-ins"
    return ""


def _installed(configuration: AgentConfiguration, component: str) -> list[str]:
    from ._processes import run_command
    from ._version_command import ComponentVersions

    version = ComponentVersions(configuration, run_command)(component)
    return [version] if version else []


def _migrate(arguments: Arguments) -> int:
    from ._migrate import migrate_flags

    argv, version = [arguments.component, *arguments.flags], arguments.version
    if not arguments.flags and not arguments.flags_file:
        from ._agent._validation._shadowed_fields import recorded_command_line

        path = getattr(arguments, "config", DEFAULT_CONFIG)
        if not os.path.exists(path):
            complain(f"there is no {path} here that would name {arguments.component}: give its flags behind --")
            return _USAGE
        configuration = _configuration(arguments)
        _require_component(configuration, arguments.component)
        argv = list(recorded_command_line(_store(configuration), arguments.component).argv)
        if not argv:
            complain(f"{arguments.component} was not seen to run here yet: give its flags behind --")
            return _FAILED
        version = version or "".join(_installed(configuration, arguments.component)[-1:])
        if not version:
            complain(f"the version of {arguments.component} is not known: give it with {VERSION}")
            return _FAILED
    return migrate_flags(
        arguments.component,
        argv,
        version=version,
        as_json=arguments.json,
        flags_file=arguments.flags_file,
        present_config=arguments.present_config,
    )


def _release_data(arguments: Arguments) -> int:
    from ._release_data import accept_data, derive_data

    if arguments.action == "accept":
        if not arguments.file:
            complain("accept needs the file")
            return _USAGE
        return accept_data(arguments.file, arguments.accept, arguments.by)
    if arguments.file or arguments.accept or not (arguments.binary or arguments.metrics or arguments.configz):
        complain("release-data takes --binary with --sha256, --metrics or --configz, or accept and a file")
        return _USAGE
    return derive_data(
        arguments.binary,
        arguments.sha256,
        metrics=arguments.metrics,
        configz=arguments.configz,
        gates=arguments.gate,
        version=arguments.version,
        dest=arguments.dest,
    )


def _use_release_data(arguments: Arguments) -> None:
    if arguments.release_data:
        from ._release_data import use_release_data

        use_release_data(arguments.release_data)


def _local_config(arguments: Arguments) -> int:
    from ._agent._validation._node_inputs import local_config_text

    print(local_config_text(_configuration(arguments)))
    return 0


def _compare(arguments: Arguments) -> int:
    from ._compare import compare

    configuration = _configuration(arguments)
    _require_component(configuration, arguments.component)
    return compare(configuration, arguments.component, as_json=arguments.json)


def _diff(arguments: Arguments) -> int:
    from ._diff import diff_files, diff_versions

    _use_release_data(arguments)
    files, old, new = arguments.files, arguments.from_version, arguments.to_version
    if len(files) == 1 and old and not arguments.version:
        return diff_versions(files[0], (old, new), flags_file=arguments.flags_file, as_json=arguments.json)
    if len(files) != 2 or arguments.flags_file or (arguments.version and (old or new)):
        complain(f"diff takes two files, with {VERSION} or two versions, or one file with --from-version")
        return _USAGE
    version = arguments.version
    return diff_files(files, (version or old or new, version or new or old), as_json=arguments.json)


def _same(arguments: Arguments) -> int:
    from ._same import same_files

    return same_files(*arguments.files, version=arguments.version)


def _addresses(arguments: Arguments) -> int:
    _limit(arguments)
    from ._addresses import print_addresses

    return print_addresses(arguments.file, version=arguments.version)


def _explain(arguments: Arguments) -> int:
    from ._explain import explain_fields

    _use_release_data(arguments)
    return explain_fields(arguments.words, kind=arguments.kind, version=arguments.version, as_json=arguments.json)


def _convert(arguments: Arguments) -> int:
    from ._convert import convert_file
    from ._validate import target_versions

    return convert_file(
        arguments.file,
        arguments.to_version,
        versions=target_versions(arguments.versions),
        dest=arguments.dest,
        allow_loss=arguments.allow_loss,
        as_json=arguments.json,
    )


def _render(arguments: Arguments) -> int:
    from ._render import render_manifest

    return render_manifest(
        arguments.manifest,
        arguments.options,
        host_paths=arguments.host_path,
        version=arguments.version,
        as_json=arguments.json,
    )


def _static_pod(arguments: Arguments) -> int:
    configuration, name = _configuration(arguments), arguments.component
    _require_static_pod(configuration, name)
    if arguments.check + arguments.restore_init + arguments.reload > 1:
        complain("--check, --restore-init and --reload do not go together")
        return _USAGE
    from ._static_pod import restore_init_manifest, update_static_pod

    if arguments.restore_init:
        return restore_init_manifest(configuration, _store(configuration), name)
    store = _store(configuration)
    return update_static_pod(configuration, store, name, only_check=arguments.check, can_reload=arguments.reload)


def _own_check(arguments: Arguments) -> int:
    configuration, name = _configuration(arguments), arguments.component
    _require_static_pod(configuration, name)
    from ._own_check import ask_component

    return ask_component(configuration, _store(configuration), name)


def _hold(arguments: Arguments) -> int:
    from ._hold import take_hold

    configuration = _configuration(arguments)
    return take_hold(configuration, _store(configuration), arguments.owner, arguments.duration)


def _release(arguments: Arguments) -> int:
    from ._hold import end_hold

    configuration = _configuration(arguments)
    return end_hold(configuration, _store(configuration), arguments.owner)


def _require_static_pod(configuration: AgentConfiguration, component: str) -> None:
    _require_component(configuration, component)
    if not configuration.components[component].manifest:
        raise UnusableInput(f"{component} is not a static Pod: components.{component}.staticPod names no manifest")


def _forget_bad(arguments: Arguments) -> int:
    from ._agent._cli import forget_bad

    forgotten = forget_bad(_configuration(arguments), None if arguments.all else arguments.uid)
    for uid in forgotten:
        show(f"forgotten: {uid}")
    if not forgotten:
        print("nothing to forget")
    return 0


def _compile(_arguments: Arguments) -> int:
    from ._compile import compile_archive

    print("compiled" if compile_archive() else "already compiled")
    return 0


def _version(arguments: Arguments) -> int:
    if arguments.sha256:
        from ._archive import archive_digest

        print(archive_digest())
        return 0
    print(f"configok-agent {AGENT_VERSION}")
    return 0


if __name__ == "__main__":
    start()
