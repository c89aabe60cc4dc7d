# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's own playbooks: what their outcome means, and that they get the options of the present run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible import context
from ansible.module_utils.common.collections import ImmutableDict
from ansible.parsing.vault import PromptVaultSecret, VaultLib

from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.policy import WavePlaybooks
from ansible_collections.configok.node.plugins.plugin_utils import _playbook_runner
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookOptions,
    PlaybookResult,
    PlaybookStopped,
    WavePlaybookRunner,
    locate_playbook,
    missing_playbooks,
    run_playbook,
)
from support.session.patience import wait_until

PASS, FAIL, UNKNOWN = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.UNKNOWN
ONE = PlaybookOptions(("--inventory=one,", "--connection=local"))
LOCAL = PlaybookOptions(("--inventory=one,two,", "--connection=local"))


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSIBLE_HOME", str(tmp_path / ".ansible"))
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "minimal")  # as a controller sets its own
    monkeypatch.setenv("ANSIBLE_PYTHON_INTERPRETER", sys.executable)
    monkeypatch.chdir(tmp_path)


def write(path: Path, *tasks: dict[str, Any], hosts: str = "all", **play: Any) -> str:
    path.write_text(yaml.safe_dump([{"hosts": hosts, "gather_facts": False, "tasks": list(tasks), **play}]))
    return str(path)


def run(playbook: str, options: PlaybookOptions = LOCAL, **more: Any) -> PlaybookResult:
    return run_playbook(playbook, options, **{"variables": {}, "timeout": 60.0, **more})


def go_on() -> bool:
    return False


OK = {"ansible.builtin.assert": {"that": ["true"]}}
FAILS = {"name": "Check the application", "ansible.builtin.assert": {"that": ["false"]}}


@pytest.mark.parametrize(
    ("tasks", "play", "verdict", "reason"),
    [
        ([OK], {}, PASS, ""),
        ([FAILS], {}, FAIL, "the task 'Check the application' failed on one, two"),
        ([{**FAILS, "ignore_errors": True}, OK], {}, PASS, ""),
        ([OK], {"hosts": "nothing"}, UNKNOWN, "it ran on no host"),
        ([OK, {"nonsense": {}}], {}, UNKNOWN, "it ended with exit code "),
    ],
    ids=["passes", "fails", "ignored", "no host", "broken"],
)
def test_the_outcome_of_a_playbook_is_its_verdict(
    tmp_path: Path, tasks: list[dict[str, Any]], play: dict[str, Any], verdict: GateVerdict, reason: str
) -> None:
    result = run(write(tmp_path / "play.yml", *tasks, **play))
    assert result.verdict(60.0)[0] is verdict, result.tail
    assert result.verdict(60.0)[1].startswith(reason)
    if verdict is PASS:
        assert result.hosts == ("one", "two")


def test_a_variable_is_never_evaluated_as_a_template(tmp_path: Path) -> None:
    evil = "{{ lookup('ansible.builtin.pipe', 'touch " + str(tmp_path / "evaluated") + "') }}"
    check = {"ansible.builtin.assert": {"that": ["(value.list[0] ~ '') is search('lookup')", "value.dict.one != ''"]}}
    play = write(tmp_path / "play.yml", check, vars={"value": "{{ texts[inventory_hostname] }}"})
    texts = {name: {"list": [evil], "dict": {"one": "{% if %}", "two": "{#"}} for name in ("one", "two")}
    result = run(play, variables={"texts": texts})
    assert result.verdict(60.0) == (PASS, ""), result.tail
    assert not (tmp_path / "evaluated").exists()


@pytest.mark.parametrize(
    ("result", "verdict", "reason"),
    [
        (PlaybookResult(None, ("a",)), UNKNOWN, "it did not finish within 1m"),
        (PlaybookResult(4, ("a", "b"), unreachable=("b",)), UNKNOWN, "not reachable: b"),
        (PlaybookResult(0, ("a", "b"), unreachable=("b",)), UNKNOWN, "not reachable: b"),
        (
            PlaybookResult(2, tail=("usage:", "unknown opt", "")),
            UNKNOWN,
            "it ended with exit code 2: unknown opt",
        ),
        (PlaybookResult(250, ("a",), ("a",)), UNKNOWN, "it ended with exit code 250"),
        (PlaybookResult(2, ("a",), ("a",)), FAIL, "a task failed on a"),
        (PlaybookResult(-9, ("a",)), UNKNOWN, "it ended with exit code -9"),
    ],
)
def test_what_an_outcome_means(result: PlaybookResult, verdict: GateVerdict, reason: str) -> None:
    assert result.verdict(60.0) == (verdict, reason)


def test_a_playbook_does_not_outlive_a_run_that_is_killed(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    stubborn = f"trap '' INT; echo $$ > {noted}; while :; do sleep 1; done"
    slow = write(tmp_path / "slow.yml", {"ansible.builtin.shell": stubborn})
    code = (
        "import tempfile; tempfile.tempdir = sys.argv[2]\n"
        f"from {_playbook_runner.__name__} import PlaybookOptions, run_playbook\n"
        f"options = PlaybookOptions({LOCAL.arguments!r})\n"
        "run_playbook(sys.argv[1], options, variables={'token': 'secret'}, timeout=300.0)"
    )
    directory = tmp_path / "tmp"
    directory.mkdir()
    running = subprocess.Popen([sys.executable, "-c", f"import sys\n{code}", slow, str(directory)])
    wait_until(noted.exists)
    assert [path.name for path in directory.glob("configok-*/*")] == ["variables.json"]
    running.kill()
    running.wait()
    assert_ended(noted)
    wait_until(lambda: not list(directory.glob("configok-*")))


def test_a_playbook_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    slow = write(tmp_path / "slow.yml", {"ansible.builtin.command": "sleep 300"})
    begun = time.monotonic()
    result = run(slow, timeout=4.0)
    assert result.code is None, result.tail
    assert time.monotonic() - begun < 30.0


def test_a_run_that_must_stop_ends_the_playbook(tmp_path: Path) -> None:
    slow = write(tmp_path / "slow.yml", {"ansible.builtin.command": "sleep 300"})
    answers = iter([False, False, False, True])
    with pytest.raises(PlaybookStopped):
        run(slow, should_stop=lambda: next(answers))


def test_a_playbook_has_its_limit_its_variables_and_its_output(tmp_path: Path) -> None:
    playbook = write(
        tmp_path / "play.yml",
        {"ansible.builtin.debug": {"msg": "wave {{ configok_rollout.wave }} given {{ given }}"}},
        vars={"configok_rollout": {"wave": "overridden"}, "given": "-"},
    )
    options = PlaybookOptions((*LOCAL.arguments, "--extra-vars=given=by-hand"))
    lines: list[str] = []
    result = run(
        playbook, options, variables={"configok_rollout": {"wave": "w\x1b1"}}, limit=["two"], report=lines.append
    )
    assert result.hosts == ("two",)
    assert any("given by-hand" in line for line in lines)
    assert all(line.isprintable() for line in lines)


def test_a_typed_vault_password_is_passed_on_and_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    playbook = write(
        tmp_path / "play.yml", {"ansible.builtin.debug": {"msg": "the {{ hidden }}"}}, vars_files=["hidden.yml"]
    )
    secret = PromptVaultSecret(prompt_formats=["?"])
    secret._bytes = b"a password"
    text = VaultLib([("default", secret)]).encrypt(b"hidden: value\n", secret=secret)
    (tmp_path / "hidden.yml").write_bytes(text)
    monkeypatch.setattr(
        context, "CLIARGS", ImmutableDict(inventory=("one,",), connection="local", vault_ids=("@prompt",), forks=5)
    )
    loader = SimpleNamespace(_vault=SimpleNamespace(secrets=[("default", secret)]))
    options = PlaybookOptions.of_present_run(loader, SimpleNamespace())
    assert "a password" not in repr(options)
    assert not any("prompt" in argument for argument in options.arguments)
    result = run(playbook, options)
    assert result.verdict(1.0)[0] is PASS, result.tail
    assert any("the value" in line for line in result.tail)


@pytest.fixture
def present_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        context,
        "CLIARGS",
        ImmutableDict(
            inventory=("/inventory", "a,b"),
            extra_vars=("@pool.yml", "x=1"),
            vault_ids=("prod@vault.sh", "dev@prompt"),
            vault_password_files=("/pass",),
            private_key_file="/key",
            remote_user="me",
            ssh_common_args="-J jump -p 1",
            become=True,
            become_method="sudo",
            become_ask_pass=True,
            ask_pass=False,
            module_path=["/a", "/b"],
            subset="localhost",
            check=False,
            verbosity=3,
            timeout=None,
        ),
    )


@pytest.mark.usefixtures("present_run")
def test_the_options_of_the_present_run_are_passed_on() -> None:
    play_context = SimpleNamespace(password="not asked for", become_pass="typed")
    options = PlaybookOptions.of_present_run(SimpleNamespace(), play_context)
    assert options.arguments == (
        "--inventory=/inventory",
        "--inventory=a,b",
        "--extra-vars=@pool.yml",
        "--extra-vars=x=1",
        "--vault-id=prod@vault.sh",
        "--vault-password-file=/pass",
        "--private-key=/key",
        "--user=me",
        "--ssh-common-args=-J jump -p 1",
        "--become-method=sudo",
        f"--module-path=/a{os.pathsep}/b",
        "--become",
    )
    assert [(secret.option, secret.value) for secret in options.typed] == [("--become-password-file", b"typed")]
    assert "typed" not in repr(options.typed[0]).replace("typed=", "")


def test_a_secret_that_is_not_read_leaves_no_thread() -> None:
    secret = _playbook_runner._Secret("--vault-id", b"secret", "dev@")
    before = set(threading.enumerate())
    with _playbook_runner._secret_files(str(Path.cwd()), [secret, secret]) as arguments:
        first, second = (argument.partition("@")[2] for argument in arguments)
        assert arguments == [f"--vault-id=dev@{first}", f"--vault-id=dev@{second}"]
        assert Path(first).read_bytes() == b"secret"
        assert Path(second).is_fifo()
    for thread in set(threading.enumerate()) - before:
        thread.join(10.0)
        assert not thread.is_alive()


def test_where_a_playbook_is() -> None:
    assert locate_playbook("check.yml", "/pools") == "/pools/check.yml"
    assert locate_playbook("/other/check.yml", "/pools") == "/other/check.yml"
    assert locate_playbook("~/check.yml", "/pools") == os.path.expanduser("~/check.yml")
    assert locate_playbook("my.own.check", "/pools") == "my.own.check"
    assert locate_playbook("my.own.yml", "/pools") == "/pools/my.own.yml"


def test_a_playbook_that_does_not_exist_is_found_before_the_start(tmp_path: Path) -> None:
    write(tmp_path / "here.yml", OK)
    playbooks = {
        "policy.playbooks.beforeWave": "here.yml",
        "policy.playbooks.afterWave": "gone.yml",
        "x": "",
        "y": "a.b.c",
    }
    assert missing_playbooks(playbooks, str(tmp_path)) == [
        f"policy.playbooks.afterWave: the playbook {tmp_path}/gone.yml does not exist"
    ]


def test_the_verdict_is_unknown_without_ansible_playbook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_playbook_runner, "_program", lambda: ["/missing/ansible-playbook"])
    verdict, reason = run("play.yml").verdict(1.0)
    assert verdict is UNKNOWN
    assert reason.startswith("it ended with exit code 127: /missing/ansible-playbook cannot be run: ")


def test_the_playbooks_of_a_wave_are_run_with_its_facts(tmp_path: Path) -> None:
    before = {"ansible.builtin.assert": {"that": ["configok_rollout == expected"]}}
    expected = {"pool": "workers", "revision": 3, "wave": "wave 1", "moment": "before", "nodes": ["n1", "n2"]}
    write(tmp_path / "before.yml", before, vars={"expected": expected})
    write(tmp_path / "after.yml", FAILS)
    shown: list[str] = []
    runner = WavePlaybookRunner(
        WavePlaybooks("before.yml", "after.yml", 60.0),
        LOCAL,
        directory=str(tmp_path),
        facts=lambda: {"pool": "workers", "revision": 3},
        show=shown.append,
    )
    answer = runner.before_wave("wave 1", ["n1", "n2"], go_on)
    assert (answer.gate, answer.verdict, answer.reason) == ("playbook before wave 1", PASS, "")
    assert not shown
    answer = runner.after_wave("wave 1", ["n1", "n2"], go_on)
    assert answer.verdict is FAIL
    assert answer.reason == (
        "playbook after wave 1 (after.yml) says no: the task 'Check the application' failed on one, two"
    )
    assert any("Check the application" in line for line in shown)
    nothing = WavePlaybookRunner(WavePlaybooks(), LOCAL, directory="/", facts=dict)
    assert nothing.before_wave("canary", [], go_on).verdict is nothing.after_wave("canary", [], go_on).verdict is PASS


def test_a_playbook_ends_with_the_present_run(tmp_path: Path) -> None:
    slow = write(tmp_path / "slow.yml", {"ansible.builtin.pause": {"seconds": 300}})
    runner = WavePlaybookRunner(WavePlaybooks(slow), LOCAL, directory="/", facts=dict)
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(runner.before_wave("canary", [], go_on)), daemon=True)
    thread.start()
    time.sleep(2.0)
    runner.close()
    thread.join(10.0)
    assert [(answer.verdict, answer.reason) for answer in answers] == [(UNKNOWN, "playbook before canary was stopped")]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_abort_ends_the_process_of_a_playbook(tmp_path: Path, moment: str) -> None:
    note = tmp_path / "pid"
    task = {"ansible.builtin.command": f"sh -c 'echo $$ > {note}; exec sleep 300'"}
    slow = write(tmp_path / "slow.yml", task)
    runner = WavePlaybookRunner(WavePlaybooks(slow, slow), ONE, directory="/", facts=dict)
    ask = runner.before_wave if moment == "before" else runner.after_wave
    answer = ask("canary", [], lambda: note.exists() and bool(note.read_text()))
    assert (answer.verdict, answer.reason) == (UNKNOWN, f"playbook {moment} canary was stopped")
    assert_ended(note)


def test_the_tasks_of_a_playbook_that_cannot_end_itself_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ansible-playbook is stopped, as one that hangs: it cannot tell its workers, which have process groups."""
    note = tmp_path / "pid"
    script = f"trap '' INT TERM; echo $$ > {note}; while :; do sleep 1; done"
    slow = write(tmp_path / "slow.yml", {"ansible.builtin.command": {"argv": ["sh", "-c", script]}})
    monkeypatch.setattr(_playbook_runner, "_GRACE", 0.5)

    def should_stop() -> bool:
        if not (note.exists() and note.read_text()):
            return False
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if str(slow).encode() in process.read_bytes().split(b"\0"):
                    os.kill(int(process.parent.name), signal.SIGSTOP)
        return True

    with pytest.raises(PlaybookStopped):
        run(slow, ONE, should_stop=should_stop)
    assert_ended(note)


def assert_ended(note: Path) -> None:
    """Assert that a process has ended, whether or not its parent has collected it. note: a file with its number."""
    stat = Path(f"/proc/{note.read_text().strip()}/stat")
    deadline = time.monotonic() + 60.0  # what is killed ends when a processor is free
    while True:
        try:
            if stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        assert time.monotonic() < deadline, "the task outlives its playbook"
        time.sleep(0.05)
