# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a playbook of the user's own from an action plugin, and read its outcome. Private to configok.node.

The playbook runs in a process of its own, with the inventories, vault secrets, connection options and extra variables
of the present run. It runs on the controller only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ansible import context
from ansible.parsing.vault import PromptVaultSecret

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import describe_duration
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateAnswer, GateVerdict
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.policy import WavePlaybooks
from ansible_collections.configok.node.plugins.module_utils._rollout._run.run_options import ShouldStop
from ansible_collections.configok.node.plugins.module_utils._text import first_names, sanitize

__all__ = [
    "PlaybookOptions",
    "PlaybookStopped",
    "PlaybookResult",
    "WavePlaybookRunner",
    "locate_playbook",
    "missing_playbooks",
    "run_playbook",
]

_FAILED_HOSTS = 2  # the exit code of ansible-playbook; its other codes do not mean that a task failed
_NOT_STARTED = 127
_NAMES_SHOWN = 5
_MAX_LINE = 2000  # characters of a line of output
_LINES_KEPT = 50
_TICK = 0.5  # seconds
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
_GRACE = 5.0  # seconds that a run has to end after each of them, and its workers after the run
_POLL = 0.05  # seconds
_RECAP = re.compile(r"(\S+)\s+: ok=(\d+)\s+changed=\d+\s+unreachable=(\d+)\s+failed=(\d+)\s", re.ASCII)
_TASK = re.compile(r"(?:TASK|RUNNING HANDLER) \[(.*?)\] \**\s*\Z")
_FATAL = re.compile(r"(?:fatal|failed): \[([^\]\s]+)")
_COLLECTION_PLAYBOOK = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*){2,}\Z")
# The options of the present run that say how hosts are found and reached, by their names in Ansible's context.
_LISTS = (("inventory", "--inventory"), ("extra_vars", "--extra-vars"))
_VAULT_LISTS = (("vault_ids", "--vault-id"), ("vault_password_files", "--vault-password-file"))
_VALUES = (
    ("private_key_file", "--private-key"),
    ("remote_user", "--user"),
    ("connection", "--connection"),
    ("timeout", "--timeout"),
    ("ssh_common_args", "--ssh-common-args"),
    ("sftp_extra_args", "--sftp-extra-args"),
    ("scp_extra_args", "--scp-extra-args"),
    ("ssh_extra_args", "--ssh-extra-args"),
    ("become_method", "--become-method"),
    ("become_user", "--become-user"),
    ("connection_password_file", "--connection-password-file"),
    ("become_password_file", "--become-password-file"),
    ("forks", "--forks"),
    ("module_path", "--module-path"),
)
_WATCHER = """
read -r nothing
workers=$(cat "/proc/$1/task/$1/children")
kill -s INT "$1"
for second in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" || break; sleep 1; done
for group in "$1" $workers; do kill -s KILL -- "-$group"; done
rm -rf -- "$2"
"""
# The result is read from the output, so it must have the form of the default callback. A prompt has no answer.
_ENVIRONMENT = {
    "ANSIBLE_STDOUT_CALLBACK": "default",
    "ANSIBLE_NOCOLOR": "1",
    "ANSIBLE_FORCE_COLOR": "0",
    "ANSIBLE_ASK_PASS": "0",
    "ANSIBLE_ASK_VAULT_PASS": "0",
    "ANSIBLE_BECOME_ASK_PASS": "0",
    "ANSIBLE_CHECK_MODE_MARKERS": "0",
    "ANSIBLE_DISPLAY_FAILED_STDERR": "0",
}


@dataclass(frozen=True)
class _Secret:
    """A secret that the user typed. option: takes the path of a file; prefix: comes before the path."""

    option: str
    value: bytes = field(repr=False)
    prefix: str = ""


@dataclass(frozen=True)
class PlaybookOptions:
    """The options of the present run that another run needs. typed: secrets that no file has."""

    arguments: tuple[str, ...] = ()
    typed: tuple[_Secret, ...] = ()

    @classmethod
    def of_present_run(cls, loader: Any, play_context: Any) -> PlaybookOptions:
        """Return the options of this run of ansible-playbook. loader, play_context: those of an action plugin."""
        options = context.CLIARGS
        arguments = [part for name, option in _LISTS for part in _repeated(option, options.get(name))]
        for name, option in _VAULT_LISTS:
            values = [value for value in options.get(name) or () if not _is_prompt(str(value))]
            arguments += _repeated(option, values)
        for name, option in _VALUES:
            value = options.get(name)
            # Several directories of modules are one argument.
            text = os.pathsep.join(map(str, value)) if isinstance(value, (list, tuple)) else str(value or "")
            arguments += [f"{option}={text}"] if text else []
        if options.get("become"):
            arguments.append("--become")
        typed = [
            _Secret("--vault-id", secret.bytes, prefix=f"{label}@" if label else "")
            for label, secret in getattr(getattr(loader, "_vault", None), "secrets", None) or ()
            if isinstance(secret, PromptVaultSecret)
        ]
        for asked, option, value in (
            ("ask_pass", "--connection-password-file", getattr(play_context, "password", "")),
            ("become_ask_pass", "--become-password-file", getattr(play_context, "become_pass", "")),
        ):
            if options.get(asked) and value:
                typed.append(_Secret(option, str(value).encode()))
        return cls(tuple(arguments), tuple(typed))


def _repeated(option: str, values: Iterable[object] | None) -> list[str]:
    return [f"{option}={value}" for value in values or () if value]


def _is_prompt(vault_id: str) -> bool:
    return vault_id.rpartition("@")[2].startswith("prompt")


@dataclass(frozen=True)
class PlaybookResult:
    """The outcome of a run. code: None for a run that was ended because it took too long.

    hosts: those that a task ran on; failed, unreachable: those of them. task: the last task that failed. tail: the last
    lines of the output, safe to show.
    """

    code: int | None
    hosts: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    task: str = ""
    tail: tuple[str, ...] = ()

    def verdict(self, timeout: float) -> tuple[GateVerdict, str]:
        """Return what the run says, and why. Only a run that has done something on a host passes."""
        if self.code is None:
            return GateVerdict.UNKNOWN, f"it did not finish within {describe_duration(timeout)}"
        if self.code == _FAILED_HOSTS and self.failed:
            what = f"the task {self.task!r} failed" if self.task else "a task failed"
            return GateVerdict.FAIL, f"{what} on {first_names(list(self.failed), _NAMES_SHOWN)}"
        if self.code == 0 and self.hosts and not self.unreachable:
            return GateVerdict.PASS, ""
        if self.code == 0 and not self.hosts:
            return GateVerdict.UNKNOWN, "it ran on no host"
        if self.unreachable:
            return GateVerdict.UNKNOWN, f"not reachable: {first_names(list(self.unreachable), _NAMES_SHOWN)}"
        last = next((line.strip() for line in reversed(self.tail) if line.strip()), "")
        return GateVerdict.UNKNOWN, f"it ended with exit code {self.code}" + (f": {last[:200]}" if last else "")


def locate_playbook(playbook: str, directory: str) -> str:
    """Return a playbook as ansible-playbook takes it: the name of a collection's, or a path relative to directory."""
    if _COLLECTION_PLAYBOOK.match(playbook) and not playbook.endswith((".yml", ".yaml")):
        return playbook
    return os.path.abspath(os.path.join(directory, os.path.expanduser(playbook)))


def missing_playbooks(playbooks: Mapping[str, str], directory: str) -> list[str]:
    """Return a sentence for each playbook that does not exist. playbooks: by the key of the pool file, "" for none."""
    return [
        f"{key}: the playbook {sanitize(path, 200)} does not exist"
        for key, playbook in playbooks.items()
        if playbook
        for path in [locate_playbook(playbook, directory)]
        if os.path.isabs(path) and not os.path.isfile(path)
    ]


class PlaybookStopped(Exception):
    """A playbook whose outcome is no longer needed, because the run or its rollout ends."""


def run_playbook(
    playbook: str,
    options: PlaybookOptions,
    *,
    variables: Mapping[str, Any],
    timeout: float,
    limit: Sequence[str] = (),
    should_stop: ShouldStop = lambda: False,
    report: Callable[[str], object] = lambda _line: None,
) -> PlaybookResult:
    """Run a playbook and return its outcome. Safe for several threads.

    variables: extra variables, which win over all others. limit: the hosts, () for all of the playbook's. should_stop:
    asked twice a second. report: called in another thread with each line of output, which is safe to show but may hold
    what the user's tasks print. Raises PlaybookStopped when it should stop and the playbook has been ended.
    """
    with tempfile.TemporaryDirectory(prefix="configok-") as directory, _secret_files(directory, options.typed) as typed:
        path = _write_variables(directory, variables)
        command = [*_program(), *options.arguments, *typed, f"--extra-vars=@{path}"]
        command += [f"--limit={','.join(limit)}"] if limit else []
        try:
            process = _start([*command, "--", playbook])
        except OSError as error:
            return PlaybookResult(_NOT_STARTED, tail=(sanitize(f"{command[0]} cannot be run: {error}"),))
        output = _Output(process.stdout, report)
        with _watched(process.pid, directory):
            try:
                code = _wait(process, timeout, should_stop)
            finally:
                _end(process)
                output.join()
        return output.result(code)


def _write_variables(directory: str, variables: Mapping[str, Any]) -> Path:
    """Write extra variables, which may hold secrets, to a file that only this user can read; return its path."""
    path = Path(directory, "variables.json")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as stream:
        json.dump(_as_plain_text(variables), stream)
    return path


def _as_plain_text(value: Any) -> Any:
    """Return a value whose texts Ansible does not evaluate: they may come from a cluster, whose kubelets write them."""
    if isinstance(value, str):
        return {"__ansible_unsafe": value} if "{" in value else value
    if isinstance(value, Mapping):
        return {str(key): _as_plain_text(item) for key, item in value.items()}
    return [_as_plain_text(item) for item in value] if isinstance(value, (list, tuple)) else value


def _start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        env={**os.environ, **_ENVIRONMENT},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


@contextmanager
def _watched(pid: int, directory: str) -> Iterator[None]:
    """Let a shell end the run, and remove its directory with the variables, if this process is killed.

    The run has a session of its own, so it would continue unseen, at the same time as the next run.
    """
    reader, writer = os.pipe()  # its end tells the shell that this process has gone; no other process has the writer
    try:
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCHER, "watcher", str(pid), directory],
            stdin=reader,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    finally:
        os.close(reader)
    try:
        yield
    finally:
        watcher.kill()
        watcher.wait()
        os.close(writer)


def _program() -> list[str]:
    """Return the command of ansible-playbook, that of the present run if possible."""
    sibling = Path(sys.executable).with_name("ansible-playbook")
    return [str(sibling) if sibling.is_file() else shutil.which("ansible-playbook") or "ansible-playbook"]


def _wait(process: subprocess.Popen[str], timeout: float, should_stop: ShouldStop) -> int | None:
    deadline = time.monotonic() + timeout
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(min(_TICK, max(0.0, deadline - time.monotonic())))
        if should_stop():
            raise PlaybookStopped
        if time.monotonic() >= deadline:
            return None


def _end(process: subprocess.Popen[str]) -> None:
    """End a run that still runs, and what its tasks still run on this machine.

    ansible-playbook ends its workers itself when it is interrupted, if it gets as far as that. Since ansible-core 2.19,
    each worker has a process group of its own, which no signal to that of the run reaches.
    """
    if process.poll() is not None:
        return
    groups = [process.pid, *_workers(process.pid)]
    for number in _SIGNALS:
        with suppress(ProcessLookupError, PermissionError):
            if number == signal.SIGKILL:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
            break
    _end_groups(groups)


def _workers(pid: int) -> list[int]:
    """Return the processes that a process has started; [] where there is no /proc."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def _end_groups(groups: Iterable[int]) -> None:
    """Wait until process groups are empty, and kill the processes of those that are not in time."""
    deadline = time.monotonic() + _GRACE
    left = [group for group in groups if _has_processes(group)]
    while left and time.monotonic() < deadline:
        time.sleep(_POLL)
        left = [group for group in left if _has_processes(group)]
    for group in left:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _has_processes(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # processes of another user: a task with become
    return True


class _Output:
    """Reads the output of a run in a thread, and keeps what its result needs."""

    def __init__(self, stream: IO[str] | None, report: Callable[[str], object]) -> None:
        self._stream = stream
        self._report = report
        self._tail: deque[str] = deque(maxlen=_LINES_KEPT)
        self._hosts: dict[str, tuple[int, int]] = {}  # unreachable and failed tasks
        self._in_recap = False
        self._task = ""
        self._failed_tasks: dict[str, str] = {}
        self._thread = threading.Thread(target=self._read, name="playbook-output", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for the end of the output; a process that a task left behind may keep it open."""
        self._thread.join(_GRACE)

    def result(self, code: int | None) -> PlaybookResult:
        """Return the result of a run that has ended."""
        hosts = dict(self._hosts)
        failed = tuple(sorted(name for name, (_unreachable, failures) in hosts.items() if failures))
        unreachable = tuple(sorted(name for name, (unreachable, _failures) in hosts.items() if unreachable))
        task = next((self._failed_tasks[name] for name in failed if name in self._failed_tasks), "")
        return PlaybookResult(code, tuple(sorted(hosts)), failed, unreachable, task, tuple(self._tail))

    def _read(self) -> None:
        if self._stream is None:
            return
        with self._stream:
            line = self._stream.readline(_MAX_LINE)
            while line:
                self._take(sanitize(line.rstrip("\n")))
                line = self._stream.readline(_MAX_LINE)

    def _take(self, line: str) -> None:
        self._tail.append(line)
        self._report(line)
        self._in_recap = self._in_recap or line.startswith("PLAY RECAP ")
        recap, task, fatal = _RECAP.match(line), _TASK.match(line), _FATAL.match(line)
        if recap and self._in_recap:
            self._hosts[recap.group(1)] = (int(recap.group(3)), int(recap.group(4)))
        elif task:
            self._task = task.group(1)[:200]
        elif fatal:
            self._failed_tasks[fatal.group(1)] = self._task


@contextmanager
def _secret_files(directory: str, secrets: Sequence[_Secret]) -> Iterator[list[str]]:
    """Provide the options for secrets. Each is a named pipe, so that none is written to a disk."""
    pipes = [os.path.join(directory, f"secret-{place}") for place in range(len(secrets))]
    for pipe, secret in zip(pipes, secrets):
        os.mkfifo(pipe, 0o600)
        threading.Thread(target=_feed, args=(pipe, secret.value), name="secret", daemon=True).start()
    try:
        yield [f"{secret.option}={secret.prefix}{pipe}" for pipe, secret in zip(pipes, secrets)]
    finally:
        for pipe in pipes:  # ends a thread whose pipe was never read
            with suppress(OSError):
                os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))


def _feed(pipe: str, value: bytes) -> None:
    with suppress(OSError), open(pipe, "wb") as stream:
        stream.write(value)


class WavePlaybookRunner:
    """Runs the playbooks of a policy before and after a wave, one at a time, in any thread.

    facts: returns what the playbooks get to know of the rollout, in addition to the wave. directory: what paths are
    relative to. show: gets the last lines of the output of a playbook that does not pass.
    """

    def __init__(
        self,
        settings: WavePlaybooks,
        options: PlaybookOptions,
        *,
        directory: str,
        facts: Callable[[], Mapping[str, Any]],
        show: Callable[[str], object] = lambda _line: None,
    ) -> None:
        self._settings = settings
        self._options = options
        self._directory = directory
        self._facts = facts
        self._show = show
        self._stop = threading.Event()
        self._running = threading.Lock()

    def close(self) -> None:
        """End the playbook that runs, and wait until it has ended: it must not outlive the present run."""
        self._stop.set()
        if self._running.acquire(timeout=len(_SIGNALS) * _GRACE + _GRACE):
            self._running.release()

    def before_wave(self, wave: str, nodes: Sequence[str], should_stop: ShouldStop) -> GateAnswer:
        """Run the playbook before a wave, and end it when it should stop. Without one: PASS."""
        return self._run("before", self._settings.before_wave, wave, nodes, should_stop)

    def after_wave(self, wave: str, nodes: Sequence[str], should_stop: ShouldStop) -> GateAnswer:
        """Run the playbook after a wave, and end it when it should stop. Without one: PASS."""
        return self._run("after", self._settings.after_wave, wave, nodes, should_stop)

    def _run(self, moment: str, playbook: str, wave: str, nodes: Sequence[str], should_stop: ShouldStop) -> GateAnswer:
        name = f"playbook {moment} {wave}"
        if not playbook:
            return GateAnswer(name, GateVerdict.PASS)
        with self._running:
            try:
                result = run_playbook(
                    locate_playbook(playbook, self._directory),
                    self._options,
                    variables={
                        "configok_rollout": {**self._facts(), "wave": wave, "moment": moment, "nodes": [*nodes]}
                    },
                    timeout=self._settings.timeout,
                    should_stop=lambda: self._stop.is_set() or should_stop(),
                )
            except PlaybookStopped:
                return GateAnswer(name, GateVerdict.UNKNOWN, f"{name} was stopped")
        verdict, reason = result.verdict(self._settings.timeout)
        if verdict is GateVerdict.PASS:
            return GateAnswer(name, verdict)
        for line in result.tail:
            self._show(line)
        shown = sanitize(os.path.basename(playbook), 100)
        says = "says no" if verdict is GateVerdict.FAIL else "does not know"
        return GateAnswer(name, verdict, f"{name} ({shown}) {says}: {reason}")
