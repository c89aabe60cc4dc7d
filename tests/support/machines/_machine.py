# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One machine: a systemd-nspawn container over an overlay, which boots, is cut from power and boots again.

Its root is an overlay of its own files over the layers that it shares with others. It is not registered with this
machine's service manager, which may be missing.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from support.session.patience import LONGEST_WAIT

from . import _cgroups
from ._commands import CommandFailed, run
from ._network import Link

__all__ = ["Machine"]

# Lets systemd 256 and newer boot if this machine has only version 1 hierarchies.
_KERNEL_WORDS = "systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"
# Enters the control groups, then becomes the container's supervisor.
_ENTER_GROUPS = 'groups=$1; shift; for group in $groups; do echo $$ > "$group/cgroup.procs" || exit 1; done; exec "$@"'
# The supervisor's exit code when the container reboots: like a machine that restarts, it has to be switched on again.
_REBOOTED = 133
_POLL = 0.05


class Machine:
    """A machine, not booted at first. `_sweep.sweep` removes it."""

    def __init__(self, name: str, directory: Path, layers: Sequence[Path], link: Link) -> None:
        """Mount its root. directory: for its own files; layers: the shared directories below them, uppermost first."""
        self.name = name
        self.link = link
        self.root = directory / "root"
        self.console = directory / "console.log"
        self._groups = _cgroups.make(link.namespace)
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._leader = 0
        for part in ("root", "upper", "work"):
            (directory / part).mkdir(parents=True)
        lower = ":".join(str(layer) for layer in layers)
        options = f"lowerdir={lower},upperdir={directory / 'upper'},workdir={directory / 'work'}"
        run(["mount", "-t", "overlay", "-o", options, self.link.namespace, str(self.root)])

    @property
    def is_running(self) -> bool:
        """Return whether it has power."""
        return self._supervisor is not None and self._supervisor.poll() is None

    @property
    def view(self) -> Path:
        """The path of its files as it sees them, including its mounts. It must be running."""
        self._leader = self._leader or self._find_leader()
        return Path(f"/proc/{self._leader}/root")

    def boot(self, timeout: float = LONGEST_WAIT) -> None:
        """Switch it on and wait until login is possible. Raises CommandFailed with the end of its console."""
        if self.is_running:
            raise CommandFailed(f"{self.name} is running")
        self.switch_on()
        self.wait_booted(timeout)

    def switch_on(self) -> None:
        """Switch it on."""
        command = [
            *("systemd-nspawn", "--quiet", "--boot", f"--directory={self.root}"),
            *(f"--machine={self.link.namespace}", f"--hostname={self.name}"),
            # Neither a service manager nor machined of this machine is needed.
            *("--register=no", "--keep-unit", "--console=pipe"),
            *("--resolv-conf=off", "--timezone=off", "--link-journal=no"),
            f"--network-namespace-path={self.link.namespace_path}",
            # Permissions of a kubelet and a container runtime: mounts, devices, keyrings, the kernel's log.
            *("--capability=all", "--system-call-filter=add_key keyctl bpf", "--bind=/dev/kmsg"),
        ]
        if _cgroups.only_version_1():
            command += _KERNEL_WORDS.split()
        groups = " ".join(str(group) for group in self._groups)
        with self.console.open("ab") as console:
            self._supervisor = subprocess.Popen(
                ["sh", "-c", _ENTER_GROUPS, "sh", groups, *command],
                env={**os.environ, "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1"},  # the kubelet writes to /proc/sys
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        self._leader = 0

    def wait_booted(self, timeout: float = LONGEST_WAIT) -> None:
        """Wait until login is possible. Raises CommandFailed with the end of its console."""
        deadline = time.monotonic() + timeout
        while True:
            self._leader = self._leader or self._find_leader()
            if self._leader and self._answers():
                return
            if not self.is_running or time.monotonic() > deadline:
                raise CommandFailed(f"{self.name} did not boot within {timeout:.0f} s: {self._tail()}")
            time.sleep(_POLL)

    def reboot(self, timeout: float = LONGEST_WAIT) -> None:
        """Reboot it as an administrator does, and wait until login is possible."""
        self.run(["systemctl", "--no-block", "reboot"])
        self._wait_off(timeout)
        self.boot(timeout)

    def restart_if_rebooted(self) -> None:
        """Switch it on again if it has rebooted on its own; `reboot` does that itself."""
        if self._supervisor is not None and self._supervisor.poll() == _REBOOTED:
            self.switch_on()

    def power_cut(self) -> None:
        """Cut its power: all its processes are killed at once, without notice. Files keep all written data."""
        supervisor = self._supervisor
        if supervisor is None or supervisor.poll() is not None:
            raise CommandFailed(f"{self.name} has no power")
        # Killing the first process of its PID namespace kills all others.
        os.kill(self._leader or supervisor.pid, 9)
        self._wait_off(10.0)

    def run(
        self, command: Sequence[str], *, check: bool = True, timeout: float = LONGEST_WAIT, text: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in it as root, without the network; if it is switched off, only in its files."""
        return run([*self._entrance(), *command], check=check, timeout=timeout, text=text)

    def _entrance(self) -> list[str]:
        if not self.is_running:
            return ["chroot", str(self.root), "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
        self._leader = self._leader or self._find_leader()
        enter = ["nsenter", f"--target={self._leader}", "--all", "--root", "--wd=/", "--"]
        return [*enter, "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"]

    def _find_leader(self) -> int:
        """Return this machine's PID of the container's first process, or 0 if it does not exist yet."""
        if self._supervisor is None:
            return 0
        pid = self._supervisor.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            for child in children:
                status = Path(f"/proc/{child}/status").read_text()
                ids = next(line.split() for line in status.splitlines() if line.startswith("NSpid:"))
                if ids[2:] == ["1"] and Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                    return int(child)
        except (OSError, StopIteration):
            pass
        return 0

    def _answers(self) -> bool:
        asked = self.run(["systemctl", "is-active", "--quiet", "dbus.service", "ssh.service"], check=False)
        return asked.returncode == 0

    def _wait_off(self, timeout: float) -> None:
        if self._supervisor is None:
            return
        try:
            self._supervisor.wait(timeout)
        except subprocess.TimeoutExpired:
            raise CommandFailed(f"{self.name} did not switch off within {timeout:.0f} s: {self._tail()}") from None
        self._leader = 0

    def _tail(self) -> str:
        return " | ".join(self.console.read_text(errors="replace").splitlines()[-10:])
