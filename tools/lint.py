# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the static checks, two at a time, and report all that fail.

    python tools/lint.py [CHECK...]        from the checkout, with the tools of .venv on PATH

Checks that need the collection where Ansible would install it, or a git checkout without generated files, run in a copy
of the tracked and untracked (but not ignored) files, in build/lint/ansible_collections/configok/node.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build/lint/ansible_collections/configok/node"
# The agent's package as in the archive: its entry point, and next to it the packages of module_utils.
AGENT = ROOT / "build/lint/agent/configok_agent"
PACKAGES = "ansible_collections.configok.node.plugins"
AT_ONCE = 2


class CheckFailed(Exception):
    """Raised if a check fails; the text is the output of its command."""


@dataclass(frozen=True)
class Check:
    """A check: commands that run in sequence in ``where`` and must all exit with 0."""

    name: str
    commands: Sequence[Sequence[str]]
    where: Path = ROOT
    environment: Mapping[str, str] = field(default_factory=dict)
    # An expression that must not occur in the output, for a tool whose exit code does not report all errors.
    refuse: str | None = None
    # An expression for what a tool skips; its group is printed after the ok.
    left_out: str | None = None
    # Lines of the output that are not printed.
    noise: str = "^$"
    prepare: Callable[[], None] | None = None

    def run(self) -> list[str]:
        """Run the commands and return what they skipped; raise CheckFailed with the output of one that fails."""
        left_out: list[str] = []
        if self.prepare:
            self.prepare()
        for command in self.commands:
            output = run(command, self.where, self.environment)
            if self.refuse and re.search(self.refuse, output, re.MULTILINE):
                raise CheckFailed(output)
            if self.left_out:
                left_out += re.findall(self.left_out, output, re.MULTILINE)
        return left_out


def run(command: Sequence[str], where: Path, environment: Mapping[str, str] | None = None) -> str:
    """Return the output of a command (both streams); raise CheckFailed with it if the command fails."""
    ended = subprocess.run(
        command,
        cwd=where,
        env={**os.environ, "NO_COLOR": "1", **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if ended.returncode != 0:
        raise CheckFailed(f"{ended.stdout.rstrip()}\n({command[0]} ended with {ended.returncode})")
    return ended.stdout


def copy_collection() -> None:
    """Replace the copy. It is a git checkout with everything committed, as ansible-test requires."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    names = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT).split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, COPY / name
        if not os.path.lexists(source):
            continue  # deleted and not yet committed
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
    run(["git", "init", "-q"], COPY)
    run(["git", "add", "-A"], COPY)
    run(["git", "-c", "user.name=lint", "-c", "user.email=lint@localhost", "commit", "-q", "-m", "copy"], COPY)


def place_pip_bootstrap() -> None:
    """Put tools/get_pip.py in ansible-test's cache, so that it downloads no script, unless the cache has one."""
    import ansible_test._internal as internal

    source = Path(str(internal.__file__)).with_name("python_requirements.py").read_text(encoding="utf-8")
    version = re.search(r"\bpip=['\"]([0-9.]+)['\"]", source)
    if not version:
        raise CheckFailed("this ansible-test does not say which pip it bootstraps: see place_pip_bootstrap()")
    script = Path.home() / f".ansible/test/cache/get_pip_{version[1].replace('.', '_')}.py"
    if not script.exists():
        script.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "tools/get_pip.py", script)


def path_of_real_interpreters() -> str:
    """Return PATH without the directories in which a pythonX.Y does not run, and with pyenv's interpreters instead.

    ansible-test compiles and imports with each Python on PATH, and does not check that it runs. pyenv has shims there
    for versions that are not enabled.
    """
    good, behind = [], []
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if all(map(runs, Path(directory).glob("python3.[0-9]*[0-9]"))):
            good.append(directory)
        else:
            behind += [str(python.parent) for python in sorted(Path(directory).parent.glob("versions/*/bin/python3"))]
    return os.pathsep.join(good + behind)


def ansible_test_commands() -> list[list[str]]:
    """Return the runs of ansible-test.

    They check what is in the artefact, as Galaxy and Automation Hub do; ruff and mypy check all. The test ``import``
    takes as long for one Python as most others together: it uses the oldest here that nodes may have.
    """
    from ansible_test._internal.constants import SUPPORTED_PYTHON_VERSIONS

    minimum = re.search(r">=3\.([0-9]+)", (ROOT / "tests/config.yml").read_text(encoding="utf-8"))
    assert minimum
    path = path_of_real_interpreters()
    oldest = next(
        version
        for version in SUPPORTED_PYTHON_VERSIONS  # in order
        if int(version.split(".")[1]) >= int(minimum[1]) and shutil.which(f"python{version}", path=path)
    )
    sanity = ["ansible-test", "sanity", "--color", "no", "--exclude", "tests/", "--exclude", "tools/"]
    return [[*sanity, "--skip-test", "import"], [*sanity, "--test", "import", "--python", oldest]]


def runs(interpreter: Path) -> bool:
    """Return whether a Python interpreter starts."""
    ended = subprocess.run([interpreter, "-c", ""], capture_output=True, check=False)
    return ended.returncode == 0


def yaml_files() -> list[str]:
    """Return the tracked and untracked (but not ignored) YAML files."""
    patterns = ["*.yml", "*.yaml", ".yamllint", ".ansible-lint"]
    output = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns], ROOT)
    return [name for name in output.split("\0") if name and (ROOT / name).exists()]


def link_agent() -> None:
    """Link the agent's package together as it is in the archive."""
    shutil.rmtree(AGENT, ignore_errors=True)
    AGENT.mkdir(parents=True)
    entry = (ROOT / "roles/node/files/agent").glob("[!.]*")
    packages = (
        ROOT / f"plugins/module_utils/{name}"
        for name in (
            "_componentconfig",
            "_foreign",
            "_host",
            "_kube",
            "_machine_kinds",
            "_nodeconfig",
            "_static_pods",
            "_systemd",
            "_text",
            "_trust",
            "_agent",
        )
    )
    for path in (*entry, *packages):
        (AGENT / path.name).symlink_to(path)


def mypy_targets() -> list[str]:
    """Return our packages that contain code, as mypy's arguments."""
    parts = ["module_utils", "modules", "action", "plugin_utils", "filter", "inventory"]
    packages = [f"{PACKAGES}.{part}" for part in parts if any((ROOT / "plugins" / part).rglob("*.py"))]
    packages += ["support", "configok_agent"]
    return [argument for package in packages for argument in ("-p", package)]


def checks() -> list[Check]:
    """Return all checks, the slow ones first."""
    copies = str(COPY.parents[2])
    in_copy = {"ANSIBLE_COLLECTIONS_PATH": copies, "PYTHONPATH": copies}
    return [
        Check(
            "ansible-test",
            ansible_test_commands(),
            COPY,
            {**in_copy, "PATH": path_of_real_interpreters()},
            noise=r"^$|^(Running sanity|Looking in|Collecting|Processing|Using cached|Installing|Successfully)"
            r"|^ +(Downloading|Using cached|━)|^WARNING: (Location|Using locale|Skipping)",
            left_out=r"^WARNING: Skipping sanity test (.*) because",
            prepare=place_pip_bootstrap,
        ),
        Check("ansible-lint", [["ansible-lint", "--offline", "--nocolor", "-q"]], COPY, in_copy),
        Check(
            "galaxy-importer",
            [
                ["ansible-galaxy", "collection", "build", "--force", "--output-path", "../../../../artifact"],
                ["sh", "-c", "exec python -m galaxy_importer.main ../../../../artifact/configok-node-*.tar.gz"],
            ],
            COPY,
            # ansible-lint and ansible-test are checks of their own.
            {"GALAXY_IMPORTER_RUN_ANSIBLE_LINT": "0", "GALAXY_IMPORTER_RUN_ANSIBLE_TEST": "0"},
            noise=r"^(Loading|Importing|Finding|Getting) ",
            refuse=r"^(ERROR|WARNING)\b",
            prepare=lambda: shutil.rmtree(ROOT / "build/artifact", ignore_errors=True),
        ),
        Check(
            "mypy",
            [
                ["mypy", *mypy_targets()],
                ["mypy", "tools", "playbooks/files/demo", "playbooks/files/simulator", "extensions/eda", "tests"],
            ],
            environment={"MYPYPATH": str(AGENT.parent)},
            prepare=link_agent,
        ),
        Check("antsibull-docs", [["antsibull-docs", "lint-collection-docs", "--plugin-docs", "."]], COPY, in_copy),
        Check(
            "generated",
            [
                ["tools/write-reference", "--check", "docs/reference/plugins"],
                ["python", "tools/draw_architecture.py", "--check"],
                ["python", "tools/write_contract.py", "--check"],
                ["python", "tools/write_complaints.py", "--check"],
                ["python", "tools/write_machine_files.py", "--check"],
                ["python", "tools/write_releases.py", "--check"],
                ["python", "tools/generate_componentconfig.py", "--check"],
            ],
        ),
        Check("locks", [["python", "tools/lock.py", "check"]]),
        Check("prose", [["python", "tools/check_prose.py"]]),
        Check("yamllint", [["yamllint", "--strict", *yaml_files()]]),
        Check("import-linter", [["lint-imports", "--no-cache", "--no-logo"]]),
        Check(
            "antsibull-changelog",
            [
                ["antsibull-changelog", "lint"],
                # Not up to date: run make docs.
                ["antsibull-changelog", "generate"],
                ["git", "diff", "--exit-code", "--stat", "CHANGELOG.md"],
            ],
            COPY,
            in_copy,
        ),
        Check("ruff", [["ruff", "check", "--quiet", "--output-format=concise"]]),
        Check("ruff-format", [["ruff", "format", "--check", "--quiet", "--output-format=concise"]]),
    ]


def main(names: Sequence[str]) -> int:
    """Run the checks named, or all; return the exit code."""
    known = checks()
    unknown = set(names) - {check.name for check in known}
    if unknown:
        print(f"lint: no check {', '.join(sorted(unknown))}; there are {', '.join(check.name for check in known)}")
        return 2
    chosen = [check for check in known if not names or check.name in names]
    if not (ROOT / ".git").exists():
        print("lint: needs a git checkout, because git says which files are the project's")
        return 2
    begin = time.monotonic()
    COPY.parents[2].mkdir(parents=True, exist_ok=True)
    lock = (COPY.parents[2] / "lock").open("w")  # held until the process ends: all runs share the copy
    fcntl.flock(lock, fcntl.LOCK_EX)
    copy_collection()

    failures: list[str] = []

    def run_and_report(check: Check) -> None:
        started = time.monotonic()
        try:
            left_out = check.run()
        except CheckFailed as failed:
            output = "\n".join(line for line in str(failed).splitlines() if not re.search(check.noise, line))
            print(f"{output}\nlint: {check.name} FAILED ({time.monotonic() - started:.1f} s)", flush=True)
            # In the form of pytest's summary, which tools/run_tests.py repeats at its end.
            failures.append(f"FAILED {check.name} - {first_line(output)}")
            return
        without = f", without {', '.join(dict.fromkeys(left_out))}" if left_out else ""
        print(f"lint: {check.name} ok ({time.monotonic() - started:.1f} s){without}", flush=True)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(run_and_report, chosen))
    for line in failures:
        print(line)
    good = len(chosen) - len(failures)
    print(f"lint: {good} checks ok, {len(failures)} failed ({time.monotonic() - begin:.1f} s)")
    return 1 if failures else 0


def first_line(output: str) -> str:
    """Return the line that a failed check's output is best known by: the first that names an error, else the first."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"(?i)\berror\b", line)), lines[0] if lines else "no output")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
