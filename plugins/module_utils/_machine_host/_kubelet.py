# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the runtime and the kubelet, and waits until the kubelet is healthy."""

from __future__ import annotations

import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence

from .._componentconfig._flags.kubelet_flags import flag_field, parse_flags
from .._host.component_process import find_drop_ins, read_process
from ._files import Changes
from ._host_access import Host, HostError
from ._host_state import HostState, save_state
from ._node_identity import BOOTSTRAP, has_credentials

_UNIT = "kubelet.service"
_POLL = 0.5
_STEADY = 3.0  # seconds that a kubelet without a health endpoint has to run
_MOST_RESTARTS = 4
_DELETED = " (deleted)"  # after the path of a program whose file is another one now, see proc(5)
_KLOG_ERROR = re.compile(r"[EF][0-9]{4} ")
_ERROR = re.compile(r"^(?:Error:|error:|panic:|unknown flag|fatal|Failed|.*\berr=|.*command failed)")
_LIMIT = 500
_CONFIG = "/var/lib/kubelet/config.yaml"  # of the units that the roles install
_HEALTHZ_PORT = "10248"
_LISTENS_AT_ALL = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def apply_settings(
    host: Host, state: HostState, modules: Sequence[str], settings: Mapping[str, str], changes: Changes, *, check: bool
) -> None:
    """Load kernel modules and set kernel parameters; a parameter that this kernel does not have is left out."""
    if not check:
        for module in modules:
            host.run(["modprobe", module])  # may be built in, or belong to the host of a container
    for name, value in settings.items():
        path = f"/proc/sys/{name.replace('.', '/')}"
        present = host.read(path)
        if present is None or present.strip() == value:
            continue
        changes.note(f"{name} = {present.strip()} -> {value}")
        if not check:
            state.system.settings.setdefault(name, present.strip())
            save_state(host, state)
            with open(host.path(path), "w", encoding="ascii") as file:
                file.write(value)


def start_units(host: Host, state: HostState, units: Sequence[str], changes: Changes, *, check: bool) -> bool:
    """Enable and start units in this order; restart those whose files or packages changed.

    So does one whose program was replaced since it began, which is what dpkg does to repair a package. The marks of
    what has to restart stay until `wait_healthy` has passed. Return whether the kubelet was started.
    """
    started = False
    if state.pending and not check:
        host.must(["systemctl", "daemon-reload"], "systemd could not read its units")
    for unit in units:
        enabled = host.run(["systemctl", "is-enabled", f"{unit}.service"]).output.strip() == "enabled"
        active = host.run(["systemctl", "is-active", f"{unit}.service"]).output.strip() == "active"
        restart = unit in state.pending or _program(host, unit).endswith(_DELETED)
        if enabled and active and not restart:
            continue
        changes.note(f"{unit}.service {'restarted' if active else 'started'}")
        if check:
            continue
        if not enabled:
            state.system.enabled = sorted({*state.system.enabled, unit})
            save_state(host, state)
            host.must(["systemctl", "enable", "--quiet", f"{unit}.service"], f"{unit} could not be enabled")
        if restart or not active:
            host.run(["systemctl", "reset-failed", f"{unit}.service"])
            host.must(["systemctl", "restart", f"{unit}.service"], f"{unit} could not be started")
            started = started or unit == "kubelet"
    return started


def wait_healthy(host: Host, state: HostState, *, kubelet: str, timeout: float) -> None:
    """Wait until the kubelet has credentials, runs its present program and is healthy; then end the change.

    Raises HostError with the kubelet's own last error.
    """
    began = time.time()
    deadline = time.monotonic() + timeout
    restarts = _restarts(host)
    steady_since = time.monotonic()
    while True:
        why = _unhealthy(host, kubelet)
        if why:
            steady_since = time.monotonic()
        elif health_url(host) or time.monotonic() - steady_since >= _STEADY:
            break
        failed = _restarts(host) - restarts >= _MOST_RESTARTS
        if failed or time.monotonic() > deadline:
            reason = f"it has ended {_MOST_RESTARTS} times" if failed else f"{why} for {timeout:.0f} s"
            error = last_error(host, began)
            raise HostError(f"the kubelet does not become healthy: {reason}" + (f"; it says: {error}" if error else ""))
        time.sleep(_POLL)
    if state.created:  # else the file is the user's
        # The token is short-lived; without the file no backup keeps it.
        host.remove(BOOTSTRAP)
        state.files.pop(BOOTSTRAP, None)
    state.pending = []
    state.in_progress = False
    save_state(host, state)


def last_error(host: Host, since: float) -> str:
    """Return the last line of the kubelet's journal that says what is wrong, "" for none."""
    options = ["--identifier=kubelet", f"--since=@{int(since) - 1}", "--output=cat", "--no-pager", "--lines=400"]
    lines = [line.strip() for line in host.run(["journalctl", *options]).output.splitlines()]
    # A command that ends after an error prints its usage.
    errors = [line for line in lines if _KLOG_ERROR.match(line) or _ERROR.match(line)]
    fatal = [line for line in errors if not line.startswith("E") or "command failed" in line or "run Kubelet" in line]
    text = (fatal or errors or [line for line in lines if line] or [""])[-1]
    return re.sub(r"^[EF][0-9]{4} \S+\s+[0-9]+ ", "", text, flags=re.ASCII)[:_LIMIT]


def _unhealthy(host: Host, kubelet: str) -> str:
    """Return why the kubelet is not healthy now, "" if it is."""
    if host.run(["systemctl", "is-active", _UNIT]).output.strip() != "active":
        return "it does not run"
    if not has_credentials(host):
        return "it has no certificate: nothing has signed its request"
    program = _program(host, "kubelet")
    if not program:
        return "it does not run"
    if program != os.path.realpath(host.path(kubelet)):
        return f"it still runs {program}"
    url = health_url(host)
    if not url:
        return ""
    try:
        with _DIRECT.open(url, timeout=3) as answer:
            return "" if answer.status == 200 else f"/healthz answers {answer.status}"
    except urllib.error.HTTPError as error:
        return f"/healthz answers {error.code}"
    except OSError:
        return "it does not answer on its health endpoint"


def _program(host: Host, unit: str) -> str:
    """Return the path of the program that a unit runs, "" if it does not run."""
    try:
        return os.readlink(host.path(f"/proc/{_main_pid(host, unit)}/exe"))
    except OSError:
        return ""


def _main_pid(host: Host, unit: str) -> str:
    return host.run(["systemctl", "show", "--property=MainPID", "--value", f"{unit}.service"]).output.strip()


def _restarts(host: Host) -> int:
    text = host.run(["systemctl", "show", "--property=NRestarts", "--value", _UNIT]).output.strip()
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def health_url(host: Host) -> str:
    """Return the URL of the kubelet's health endpoint, "" if it serves none."""
    port = _setting(host, "healthzPort")
    if not re.fullmatch("[0-9]{1,5}", port):
        port = _HEALTHZ_PORT
    address = _setting(host, "healthzBindAddress")
    address = _LISTENS_AT_ALL.get(address, address)
    name = f"[{address}]" if ":" in address else address
    return f"http://{name}:{port}/healthz" if int(port) else ""


def _setting(host: Host, field: str) -> str:
    """Return the value that the kubelet runs with: of its flag, else of the last file that sets it; "" for none."""
    pid = _main_pid(host, "kubelet")
    argv, directory = read_process(int(pid) if re.fullmatch("[0-9]{1,9}", pid) else 0, host.root)
    flags = parse_flags(argv)
    of_flag = [value for flag, value in flags if flag_field(flag, [field]) == field]
    if of_flag:
        return of_flag[-1]
    config = os.path.join(directory, dict(flags).get("config", _CONFIG))
    files = [config, *find_drop_ins(argv, directory, host.root)]
    values = [value for value in (_field(host.read(path) or "", field) for path in files) if value]
    return values[-1] if values and values[-1] not in ("null", "~") else ""


def _field(text: str, name: str) -> str:
    match = re.search(rf"^[ \t{{]*[\"']?{name}[\"']?\s*:\s*[\"']?([^\s\"',}}]+)", text, re.MULTILINE)
    return match[1] if match else ""
