# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives hostile inputs to the engine, in a separate process, and reports the results.

    python -m support.fuzz.run FIRST COUNT

Each input goes through every verb. Writes JSON lines: one for each crash, and at the end the figures: inputs, crashes,
the slowest call and its seconds of processor time, its ratio to the reference (the best of three calls each), and the
process's peak memory in MB.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import Host
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_rules import HostRules
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.secrets import redact
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    minor_name,
    newest_minor,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check_host
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import convert
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from ansible_collections.configok.node.plugins.module_utils._componentconfig.migrate import migrate
from support.configs.checking import check_file
from support.releases.names import NEXT_RELEASE

from .inputs import Hostile, hostile_input

__all__ = ["VERBS", "run"]

_VERSIONS = ("1.20", minor_name(newest_minor()), NEXT_RELEASE)
_WANTED = ("v1", "v1beta1", "v1beta3", "v1beta4", "v1alpha1", "kubescheduler.config.k8s.io/v1")
_LONGEST = 5.0  # seconds of processor time after which a call is aborted
_SLOW = 0.25  # seconds of processor time from which on a call is compared with the reference
_CALLS = 3  # repetitions, because processor time doubles while another process is busy
# The error by which a verb refuses an input.
_REFUSED = (ConfigError,)


def _check(hostile: Hostile) -> None:
    config = load([(f"layer{index}", text) for index, text in enumerate(hostile.layers)])
    denied = ["staticPodPath", "authentication.*"]
    findings = check_file(config, versions=_VERSIONS, bundle=True, denied_fields=denied)
    json.dumps([finding.as_dict() for finding in findings])
    assert all("\n" not in str(finding) for finding in findings), "a finding of two lines"
    redact(config.data)
    json.dumps([origin.as_dict() for origin in config.origins()])


def _read_back(hostile: Hostile) -> None:
    config = load([(f"layer{index}", text) for index, text in enumerate(hostile.layers)])
    assert decode(config.text).data == config.data, "what is rendered is read back as another"


def _check_host(hostile: Hostile) -> None:
    host = Host(swaps=("/x",), cpus=frozenset(range(4)), memory=2**33, disk=2**34, cgroup_v2=False)
    check_host(decode(hostile.layers[0]), "kubelet", ["1.31"], HostRules(lambda _query: host, "/"))


def _convert(hostile: Hostile) -> None:
    convert(hostile.layers[0], _WANTED[len(hostile.layers[0]) % len(_WANTED)])


def _compare(hostile: Hostile) -> None:
    before, after = (load([(name, hostile.layers[index])]) for name, index in (("before", 0), ("after", -1)))
    json.dumps(compare(before, after, ("1.31", "1.31")).lines)
    compare(before, None, ("1.31", ""))


def _migrate(hostile: Hostile) -> None:
    migrate(hostile.component, hostile.argv, version="1.31")
    migrate(hostile.component, hostile.argv, version="1.20", config=("config", hostile.layers[0]))


def _explain(hostile: Hostile) -> None:
    for word in hostile.argv[1:5]:
        for path, kind in ((word, hostile.component), ("maxPods", word), (f"featureGates.{word}", "kubelet")):
            with contextlib.suppress(ConfigError):
                explain(path, kind=kind)


VERBS: Mapping[str, Callable[[Hostile], None]] = {
    "judge": _check,
    "read_back": _read_back,
    "judge_host": _check_host,
    "convert": _convert,
    "compare": _compare,
    "migrate": _migrate,
    "explain": _explain,
}
"""What an input goes through."""


class Hang(BaseException):
    """Raised if a verb does not end; not an Exception, so that it is not handled as an error of the input."""


def _interrupt(_signal: int, _frame: Any) -> None:
    raise Hang(f"more than {_LONGEST:.0f} s")


def reference() -> None:
    """Let PyYAML read 5,000 lines, which takes 0.15 to 0.4 s of processor time, by machine."""
    text = "\n".join(f"key{number}: value {number}" for number in range(5000))
    yaml.load(text, yaml.SafeLoader)


def _call(hostile: Hostile, verb: Callable[[Hostile], None]) -> str | None:
    """Call the verb, and return a description of its failure, or None."""
    signal.setitimer(signal.ITIMER_PROF, _LONGEST)
    try:
        verb(hostile)
    except _REFUSED as error:
        return None if str(error).strip() else "refused without a word"
    except BaseException:  # noqa: BLE001 - whatever it is, it is counted, and the next input goes on
        return traceback.format_exc()[-1500:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _seconds(call: Callable[[], object]) -> float:
    """Return the seconds of processor time that the call takes."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def _ratio(hostile: Hostile, verb: Callable[[Hostile], None]) -> float:
    """Return the ratio of the verb's time to the reference's: the best of some alternating calls."""
    pairs = [(_seconds(lambda: _call(hostile, verb)), _seconds(reference)) for _again in range(_CALLS)]
    return min(own for own, _other in pairs) / min(other for _own, other in pairs)


def peak_memory() -> int:
    """Return the peak memory of this program in kB.

    ru_maxrss would include the process that it was forked from, before it became this program."""
    status = Path("/proc/self/status").read_text()
    peak = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    if peak is None:
        raise RuntimeError("/proc/self/status has no VmHWM")
    return int(peak[1])


def run(first: int, count: int, tell: Callable[[Mapping[str, Any]], object]) -> None:
    """Give ``count`` inputs to the engine, from number ``first`` on."""
    slowest, what, ratio, crashes = 0.0, "", 0.0, 0
    signal.signal(signal.SIGPROF, _interrupt)
    for number in range(first, first + count):
        hostile = hostile_input(number)
        for name, verb in VERBS.items():
            begun = time.process_time()
            wrong = _call(hostile, verb)
            took = time.process_time() - begun
            if wrong is not None:
                crashes += 1
                tell({"crash": f"{hostile.name}: {name}: {wrong}"})
            if took > slowest:
                slowest, what = took, f"{hostile.name}: {name}"
                if took > _SLOW:
                    ratio = max(ratio, _ratio(hostile, verb))
    memory = peak_memory() / 1024
    figures = {"slowest-s": slowest, "slowest": what, "slowest-ratio": ratio, "memory-mb": memory}
    tell({"inputs": count, "crashes": crashes, **figures})


if __name__ == "__main__":
    run(int(sys.argv[1]), int(sys.argv[2]), lambda row: print(json.dumps(row), flush=True))
