# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands status and forget-bad.

status describes which config this node uses and why, as data or as text. It reads the node's own files alone, so it
works without the API and without the daemon. forget-bad clears bad marks, so that their configs can be tried again.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import AGENT_VERSION
from ._adoption_and_rollback import Transactions
from ._agent_configuration import AgentConfiguration, ComponentConfiguration
from ._hold import Hold, HoldFile
from ._interfaces import LastMessageReader
from ._manifest_note import read_manifest_note
from ._notify import is_listening, notify_agent
from ._reporting.status_writer import read_report
from ._state.active_config import in_trial
from ._state.node_state import NodeState
from ._state.records import ConfigRecord
from ._state.start_history import Start, has_last_words, is_crash
from ._store._durable_files import LOCK_WAIT, locked
from ._store._file_errors import directory_faults
from ._store._state_reader import read_node_state
from ._store._store import Store, digest
from ._system_clock import SystemClock
from ._trust_settings import TrustSettings, trust_status
from ._validation._init_config_drift import InitConfigDrift
from ._validation._shadowed_fields import overridden_fields

_CANNOT_LOCK = (errno.EROFS, errno.ENOSPC, errno.EDQUOT)  # then no process can write while this one reads


def describe_node(configuration: AgentConfiguration, messages: LastMessageReader | None = None) -> dict[str, Any]:
    """Describe the node from its own files and the daemon's report, as JSON-able data. Raises LockTimeout, OSError.

    messages: reads a component's last message in an invocation; None if there is no journal. docs/observing.md
    describes the shape; later additions use new keys.
    """
    clock = SystemClock()
    store = Store(configuration.state_directory, now=clock.now)
    faults = directory_faults(configuration.state_directory)
    with _locked(store.lock):
        state = read_node_state(configuration, store, clock)
        damaged = store.damaged_files()
        components = _components(configuration, store, state)
        trust = trust_status(TrustSettings(configuration), store, state.records, state.active_record)
    for name, component in components.items():
        component["lastCrash"] = _crash(state.startups[name], messages)  # without the lock: the journal may be slow
    snapshot = state.records
    answered = snapshot.answered
    report = read_report(configuration.run_directory)
    hold = HoldFile(configuration.run_directory).read(clock.since_boot())
    return {
        "nodeName": configuration.node_name,
        "agentVersion": AGENT_VERSION,
        "dynamicConfig": configuration.dynamic_config,
        "stateDirectory": configuration.state_directory,
        "daemon": {
            "running": is_listening(configuration.run_directory),
            "report": None if report is None else report.to_dict(),
        },
        "using": {
            "record": state.active.record_name,
            "left": state.active.fallback_reason,
            **_record(state.active_record),
        },
        "current": None if snapshot.current is None else _record(snapshot.current),
        "lastKnownGood": None if snapshot.last_known_good is None else _record(snapshot.last_known_good),
        "inTrial": in_trial(state.active_record, snapshot.last_known_good),
        "hold": None if hold is None else hold._asdict(),
        "assignment": {
            "id": answered.id,
            "source": None if answered.source is None else answered.source.to_dict(),
            "outcome": None if answered.failure is None else answered.failure.to_dict(),
            "retried": answered.retried,
        },
        "badConfigs": {uid: mark._asdict() for uid, mark in sorted(state.bad_configs.items())},
        "components": components,
        "trust": None if trust is None else {"mode": trust.mode, "floors": trust.floors, "problem": trust.problem},
        "damaged": damaged,
        "faults": faults,
    }


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(path, wait=LOCK_WAIT))
        except OSError as error:
            if error.errno not in _CANNOT_LOCK:
                raise
        yield


def _components(configuration: AgentConfiguration, store: Store, state: NodeState) -> dict[str, Any]:
    drift = InitConfigDrift(configuration)
    return {
        name: {
            "unit": "" if component.manifest else component.unit,
            "manifest": _manifest(component, store),
            "version": state.tracking_versions[name],
            "config": store.config_path(name),
            "crashes": state.crashes[name],
            "lastStart": _start(state.last_start(name)),
            "shadowed": list(
                overridden_fields(store, name, digest(store.read_config(name) or b""), state.tracking_versions[name])
            ),
            "drift": drift.drifted_origin(name),
            "notJudged": _layers_not_judged(name, state.tracking_versions[name]),
        }
        for name, component in configuration.components.items()
    }


def _manifest(component: ComponentConfiguration, store: Store) -> dict[str, str] | None:
    """Return where the manifest of a static Pod is, and why nothing is written over it; None for a unit."""
    if not component.manifest:
        return None
    note, config = read_manifest_note(store, component.name), digest(store.read_config(component.name) or b"")
    return {"path": component.manifest, "problem": note.reason_to_wait(config)}


def _layers_not_judged(name: str, version: str) -> list[str]:
    """Return the layers of data that the agent lacks of a component's release, whatever its config."""
    # Here: nothing else in this file needs the engine.
    from .._componentconfig._schema.kinds import MAIN_KINDS
    from .._componentconfig._schema.releases import is_kubernetes_version, missing_layers, parse_minor

    if name not in MAIN_KINDS or not is_kubernetes_version(version):
        return []
    return [str(layer) for layer in missing_layers(parse_minor(version))]


def _record(record: ConfigRecord) -> dict[str, Any]:
    if record.source is None:
        return {"source": None}
    return {
        "source": record.source.to_dict(),
        "adoptedAt": record.adopted_at,
        "trialDuration": record.trial.duration,
        "crashLoopThreshold": record.trial.crash_loop_threshold,
        "healthySeconds": record.healthy_seconds,
        "trust": None if record.trust is None else record.trust.to_dict(),
    }


def _crash(starts: Sequence[Start], messages: LastMessageReader | None) -> dict[str, str] | None:
    """Return the time of a component's last crash and its last message; None if it did not crash."""
    for start in reversed(starts):
        if start.end is not None and is_crash(start.end):
            message = messages(start.invocation) if messages is not None and has_last_words(start.end) else ""
            return {"time": start.end.time, "message": message}
    return None


def _start(start: Start | None) -> dict[str, Any] | None:
    if start is None:
        return None
    return {"time": start.time, "config": start.config[:10], "crashed": start.end is not None and is_crash(start.end)}


_WENT_BACK = ("CrashLoop", "NotHealthy", "KnownBad")


def crash_count(crashes: int) -> str:
    """Return a number of crashes as text."""
    return f"{crashes} crash" if crashes == 1 else f"{crashes} crashes"


def next_step(status: Mapping[str, Any]) -> str:
    """Return what the agent does next without an operator's action."""
    using, outcome = status["using"], status["assignment"]["outcome"]
    if not status["dynamicConfig"]:
        return "nothing: the local config stays"
    if status["faults"]:
        return "nothing, until the agent can use its own files; what runs stays"
    if using["left"]:
        return f"the next start of a component rolls back to last-known-good: current is {using['left']}"
    if status["inTrial"]:
        remaining = max(0.0, using["trialDuration"] - using["healthySeconds"])
        return (
            f"after at most {remaining:.0f} more healthy seconds it is last-known-good; "
            f"{crash_count(using['crashLoopThreshold'] + 1)}, or no health, and the node rolls back"
        )
    if not status["daemon"]["running"]:
        return "nothing until the agent runs; a crash loop in a trial still rolls back"
    if _is_stopped(status):
        return "the unit's next start reads this config"
    if outcome is not None and outcome["suspect"]:
        return "it stays on last-known-good, which fails as well: the cause may lie elsewhere"
    if outcome is not None and outcome["doubt"] and not status["assignment"]["retried"]:
        return "the assigned config is tried again once last-known-good is healthy: it may not be at fault"
    if outcome is not None:
        return "what runs stays, until another config is assigned"
    if status["assignment"]["source"] != using["source"] and status["assignment"]["id"]:
        return "the assigned config is fetched and checked; what runs stays until then"
    report = status["daemon"]["report"]
    if report is not None and report["apiTrouble"]:
        return "the API is asked again, with growing pauses; nothing that runs is changed"
    return "nothing, until another config is assigned"


def operator_advice(status: Mapping[str, Any]) -> list[str]:
    """Return what an operator can do at this node or in the cluster; an empty list if nothing is wrong.

    A long command has its own line.
    """
    outcome = status["assignment"]["outcome"]
    advice = []
    if not status["daemon"]["running"]:
        advice.append("start the agent: systemctl start configok-agent")
    elif _is_stopped(status):
        advice.append("start the unit that is stopped; where it is masked, unmask it first")
    if outcome is not None and outcome["suspect"]:
        advice += _where_components_say(status["components"])
    if outcome is not None and outcome["kind"] in _WENT_BACK:
        advice.append(f"have it tried again, once the cause is gone:\nconfigok-agent forget-bad {outcome['uid']}")
    elif outcome is not None and outcome["kind"] == "Untrusted":
        advice.append("have the bundle signed by a signer that this node trusts, then roll it out again")
    elif outcome is not None:
        advice.append(
            "publish a config that validates, and assign that; "
            "or assign this one with forget_bad, once what it needs is on this host"
        )
    if status["faults"]:
        advice.append(f"give the agent its files back: root:root and mode 0700, writable, {status['stateDirectory']}")
    if status["damaged"]:
        advice.append(f"look at *.corrupt-* in {status['stateDirectory']}, and remove them")
    return advice


def _where_components_say(components: Mapping[str, Any]) -> list[str]:
    units = ", ".join(component["unit"] for component in components.values() if component["unit"])
    pods = ", ".join(name for name, component in components.items() if not component["unit"])
    return [
        *([f"look at what the component says: journalctl -u {units}"] if units else []),
        *([f"look at what the component says: /var/log/pods has the logs of {pods}"] if pods else []),
    ]


def _is_stopped(status: Mapping[str, Any]) -> bool:
    report = status["daemon"]["report"]
    return bool(report and report["configOK"] and report["configOK"]["cause"] == "UnitStopped")


_WIDTH = 80
_INDENT = 17
_MOST_LINES = 3  # for one text; --json and the journal have all of it
_MOST_OF_A_KIND = 2  # bad configs, damaged files, shadowed fields


def render_status(status: Mapping[str, Any]) -> str:
    """Return the description of a node as text."""
    lines = _row("node", status["nodeName"])
    lines += _row("agent", _agent(status))
    report = status["daemon"]["report"]
    if report is not None:
        lines += _condition(report, running=status["daemon"]["running"])
        lines += _row("API", _api(report))
    using, good, assignment = status["using"], status["lastKnownGood"], status["assignment"]
    went_back = assignment["outcome"] is not None and not status["inTrial"]  # or the config was never adopted
    lines += _source("uses", f"{'last-known-good' if went_back else using['record']}: ", using)
    if status["inTrial"]:
        lines += _row("trial", _trial(status))
    if good is None and status["current"] is None and not using["left"]:
        lines += _row("last-known-good", "the local config")
    elif good is None:
        lines += _row("last-known-good", "none on record: the local config takes its place")
    elif good["source"] == using["source"]:
        lines += _row("last-known-good", "the same")
    else:
        lines += _source("last-known-good", "", good)
    lines += _assigned(assignment, using)
    lines += _trust(status["trust"])
    for name, component in status["components"].items():
        lines += _component(name, component)
    newest = sorted(status["badConfigs"].items(), key=lambda item: item[1]["time"], reverse=True)
    lines += _first_few("bad config", [_bad(uid, mark) for uid, mark in newest])
    lines += _first_few("damaged", [f"{name} was damaged and set aside" for name in status["damaged"]])
    lines += _first_few("fault", status["faults"])
    if status["hold"] is not None:
        lines += _row("hold", Hold(**status["hold"]).sentence(SystemClock().since_boot()))
    lines += _row("next", next_step(status))
    for advice in operator_advice(status):
        for index, part in enumerate(advice.split("\n")):
            lines += _row("" if index else "you can", part)
    return "\n".join(lines)


def _agent(status: Mapping[str, Any]) -> str:
    if not status["dynamicConfig"]:
        return f"{status['agentVersion']}, dynamic configuration is turned off on this node"
    if not status["daemon"]["running"]:
        return f"{status['agentVersion']}, the daemon does not run"
    report = status["daemon"]["report"]
    if report is None:
        return f"{status['agentVersion']}, running"
    return f"{report['agentVersion']}, running since {report['startedAt']} (pid {report['pid']})"


def _condition(report: Mapping[str, Any], *, running: bool) -> list[str]:
    condition = report["configOK"]
    if condition is None:
        return _row("ConfigOK", "no report yet: the agent has not reached the API server")
    as_of = "" if running else " (as the daemon said last)"
    return _row("ConfigOK", f"{condition['status']}{as_of}: {condition['message']}") + _row("", condition["reason"])


def _api(report: Mapping[str, Any]) -> str:
    if report["configOK"] is None:
        return f"no answer: {report['apiTrouble']}" if report["apiTrouble"] else "no answer yet"
    written = "ConfigOK is written to the Node" if report["written"] else "ConfigOK is not written yet"
    if report["writtenAt"]:
        written += f", last written {report['writtenAt']}"
    return f"no answer: {report['apiTrouble']}; {written}" if report["apiTrouble"] else f"answers; {written}"


def _trial(status: Mapping[str, Any]) -> str:
    using = status["using"]
    crashes = max((component["crashes"] for component in status["components"].values()), default=0)
    healthy, duration = using["healthySeconds"], using["trialDuration"]
    allowed = using["crashLoopThreshold"]
    # The daemon saves the healthy seconds once a minute.
    return f"healthy for at least {healthy:.0f} of {duration:.0f} s, {crash_count(crashes)} ({allowed} allowed)"


def _assigned(assignment: Mapping[str, Any], using: Mapping[str, Any]) -> list[str]:
    if not assignment["id"]:
        return _row("assigned", "nothing yet")
    number = f"assignment {assignment['id']}"
    if assignment["source"] == using["source"]:
        lines = _row("assigned", f"the same as it uses, {number}")
    else:
        lines = _source("assigned", "", assignment, number)
    outcome = assignment["outcome"]
    if outcome is not None:
        lines += _row("", f"failed ({outcome['kind']}): {outcome['text']}")
    return lines


def _trust(trust: Mapping[str, Any] | None) -> list[str]:
    if trust is None:
        return []
    floors = [f"{audience} from sequence {floor} on" for audience, floor in sorted(trust["floors"].items())]
    lines = _row("trust", ", ".join([trust["mode"] or "no bundle is adopted", *floors]))
    return lines + (_row("", trust["problem"]) if trust["problem"] else [])


def _signers(config: Mapping[str, Any]) -> list[str]:
    trust = config.get("trust")
    names = [f"{signer['name']} ({signer['fingerprint']})" for signer in trust["signers"]] if trust else []
    return _first_few("", [f"signed by {name}" for name in names])


def _component(name: str, component: Mapping[str, Any]) -> list[str]:
    start = component["lastStart"]
    started = "no start on record"
    if start is not None:
        started = f"started {start['time']}" + (", crashed" if start["crashed"] else "")
    lines = _row(name, f"{component['version']}, {started}, {crash_count(component['crashes'])} since the adoption")
    crash = component["lastCrash"]
    if crash is not None and crash["message"]:
        lines += _row("", f"crashed {crash['time']}, said last: {crash['message']}")
    manifest = component["manifest"]
    if manifest is not None and manifest["problem"]:
        lines += _row("", f"nothing is written: {manifest['problem']}")
    lines += _first_few("", [f"not from the config: {field}" for field in component["shadowed"]])
    if component["drift"]:
        lines += _row("", f"{component['drift']} has changed since it became the init config")
    if component["notJudged"]:
        lines += _row("not judged", f"{name} {component['version']}: {', '.join(component['notJudged'])}")
    return lines


def _bad(uid: str, mark: Mapping[str, Any]) -> str:
    name = f" ({mark['name']})" if mark.get("name") else ""
    return f"{uid}{name} {mark['time']} {mark['reason']}"


def _source(label: str, before: str, config: Mapping[str, Any], after: str = "") -> list[str]:
    if config["source"] is None:
        return _row(label, f"{before}the local config" + (f", {after}" if after else ""))
    reference = config["source"]["configMap"]
    adopted = config.get("adoptedAt")
    more = [f"UID: {reference['uid']}", *([after] if after else []), *([adopted] if adopted else [])]
    return _row(label, f"{before}{reference['name']}") + _row("", ", ".join(more)) + _signers(config)


def _first_few(label: str, texts: Sequence[str]) -> list[str]:
    """Return the first few texts as rows, and the number of the others."""
    lines: list[str] = []
    for text in texts[:_MOST_OF_A_KIND]:
        lines += _row("" if lines else label, text)
    if len(texts) > _MOST_OF_A_KIND:
        lines += _row("", f"and {len(texts) - _MOST_OF_A_KIND} more")
    return lines


def _row(label: str, text: str) -> list[str]:
    """Return a text as lines after a label, shortened to a few lines."""
    lines = [""]
    room = _WIDTH - _INDENT
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        while len(word) > room:
            lines[-1], word = word[:room], word[room:]
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: room - 4] + " ..."]
    return [f"{label if index == 0 else '':<{_INDENT}}{line}".rstrip() for index, line in enumerate(lines)]


def forget_bad(configuration: AgentConfiguration, uid: str | None) -> list[str]:
    """Forget one bad UID, or all of them (None); return the forgotten UIDs, sorted.

    Notify the daemon, which then retries a config that is still assigned. Raises LockTimeout, OSError.
    """
    clock = SystemClock()
    store = Store(configuration.state_directory, now=clock.now)
    with locked(store.lock, wait=LOCK_WAIT):
        forgotten = Transactions(configuration, store, clock).forget_bad(uid)
    notify_agent(configuration.run_directory)
    return forgotten
