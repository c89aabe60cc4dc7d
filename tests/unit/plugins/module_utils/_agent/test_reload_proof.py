# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that was to be read again is in use only once the API server shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._instance_client import InstanceClients
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_note import (
    FileChange,
    ManifestNote,
    Reload,
    WrittenManifest,
    read_manifest_note,
    write_manifest_note,
)
from ansible_collections.configok.node.plugins.module_utils._agent._reload_proof import ReloadProof
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import ConfigRecord
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, Unreachable
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import FakeClock

URL = "https://10.0.0.1:6443/readyz"
UID = "00000000-0000-0000-0000-000000000001"
BOOT = 5000.0  # seconds since the epoch
FLAG, FILE = "authentication-config", "/options/authn.yaml"
IN_USE = "apiserver_authentication_config_controller_last_config_info"
TIME = "apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds"


class Instance:
    """An API server that a test lets succeed or fail."""

    def __init__(self, store: Store, clock: FakeClock) -> None:
        self.store, self.clock = store, clock
        self.times: dict[str, float] = {}
        self.in_use = ""  # before 1.34, no metric shows it
        self.error: Exception | None = None
        self.reads = 0
        self.slow = 0.0
        self.unit = Unit("static Pod", "active", invocation="pod/0", pid=7, active_since=10.0)
        clients = InstanceClients(Credentials("https://balancer"), self.client)
        self.probe = ReloadProof(
            store, clock, clients, epoch=self.epoch, command_line=self.command_line, sleep=self.sleep
        )

    def epoch(self) -> float:
        return BOOT + self.clock.seconds

    def sleep(self, seconds: float) -> None:
        self.clock.seconds += seconds

    def command_line(self, pid: int) -> list[str]:
        assert pid == self.unit.pid
        return ["kube-apiserver", "--authorization-config", "/etc/authz.yaml", f"--{FLAG}={FILE}"]

    def client(self, credentials: Credentials) -> Instance:
        assert credentials.server == "https://10.0.0.1:6443"
        return self

    def stream(self, path: str, **_options: Any) -> Iterator[bytes]:
        assert path == "/metrics"
        self.reads += 1
        if self.error is not None:
            raise self.error
        return self._lines()

    def _lines(self) -> Iterator[bytes]:
        yield b"# HELP"
        self.clock.seconds += self.slow
        for status, at in self.times.items():
            yield f'{TIME}{{status="{status}"}} {at}'.encode()
        if self.in_use:
            yield f'{IN_USE}{{apiserver_id_hash="sha256:ff",hash="sha256:{self.in_use}"}} 1'.encode()

    def written(self, content: str = "bb", *, tried: float = 0.0) -> None:
        """Note that a file is written now. tried: when the content was written that it takes back."""
        reload = Reload(FILE, FLAG, content, self.clock.seconds, self.clock.boot_id(), tried)
        written = WrittenManifest(reloaded={FILE: content})
        write_manifest_note(self.store, "kube-apiserver", ManifestNote(written=written, reload=reload))

    def healthy_for(self, seconds: float) -> None:
        """Let the content be of a config whose trial takes 60 healthy seconds."""
        source = ConfigSource("kube-system", "config", UID)
        trial, seen = Trial(duration=60.0), seconds > 0
        self.store.write_current(ConfigRecord(source, trial=trial, healthy_seconds=seconds, seen_healthy=seen))

    def probed(self, seconds: float = 1.0) -> ProbeResult | None:
        """Probe some time later."""
        self.clock.seconds += seconds
        return self.probe(URL, self.unit)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    instance = Instance(Store(str(tmp_path), now=lambda: "now"), FakeClock())
    instance.healthy_for(0.0)
    return instance


def test_nothing_is_asked_without_such_a_file(instance: Instance) -> None:
    assert instance.probed() is None
    assert instance.reads == 0


def test_a_file_is_in_use_once_a_reload_is_shown(instance: Instance) -> None:
    instance.written()
    waits = instance.probed()
    assert waits is not None
    assert (waits.ok, waits.is_final) == (False, False)
    instance.times["success"] = instance.epoch()
    assert instance.probed() is None
    reads = instance.reads
    assert instance.probed() is None
    assert instance.reads == reads, "it is asked once"


def test_a_refused_file_is_a_failure_at_once(instance: Instance) -> None:
    instance.written()
    instance.times["failure"] = instance.epoch() + 0.5
    result = instance.probed()
    assert result is not None
    assert result.is_final
    assert result.detail == f"it refuses {FILE}, and keeps the content before"


@pytest.mark.parametrize(("error", "reason"), [(None, ""), (Forbidden("no"), ": no")], ids=["silent", "forbidden"])
def test_a_file_that_is_not_shown_in_time_is_a_failure(
    instance: Instance, error: Exception | None, reason: str
) -> None:
    instance.written()
    instance.error = error
    for _second in range(75):
        result = instance.probed()
        assert result is not None
        assert not result.is_final
        assert result.detail == f"it has not shown that it uses {FILE}{reason}"
    assert instance.reads < 30, "the metrics are read less and less often"
    result = instance.probed(8.0)
    assert result is not None
    assert result.is_final


def test_an_api_server_that_has_started_since_has_read_the_file(instance: Instance) -> None:
    instance.written()
    instance.unit = instance.unit._replace(active_since=instance.clock.seconds + 1)
    assert instance.probed(2.0) is None
    assert instance.reads == 0


def test_the_metrics_are_not_read_in_each_of_many_probes(instance: Instance) -> None:
    instance.written()
    for _probe in range(8):
        assert instance.probed(0.25) is not None
    assert instance.reads == 2


def test_a_reload_can_be_shown_by_the_instance_that_was_probed(instance: Instance) -> None:
    assert not instance.probe.can_show(), "none was probed yet"
    instance.probed()
    assert instance.probe.can_show()
    reads = instance.reads
    instance.error = Forbidden("no")
    assert not instance.probe.can_show()
    assert instance.reads == reads + 1


@pytest.mark.parametrize(
    ("failed", "succeeded", "in_use", "can_show"),
    [
        (-129.0, None, "", False),
        (-129.0, None, "cc", False),
        (-129.0, None, "bb", True),
        (-131.0, None, "", True),
        (-20.0, -10.0, "", True),
    ],
    ids=["lately", "another one is in use", "it is in use", "long ago", "taken since"],
)
def test_a_content_that_was_refused_a_short_time_ago_may_be_tried_again(
    instance: Instance,
    caplog: pytest.LogCaptureFixture,
    failed: float,
    succeeded: float | None,
    in_use: str,
    can_show: bool,
) -> None:
    """How that ends would count for the next content, which is read by a restart."""
    caplog.set_level("INFO")
    instance.written("bb")
    instance.probed()
    instance.in_use = in_use
    instance.times["failure"] = instance.epoch() + failed
    if succeeded is not None:
        instance.times["success"] = instance.epoch() + succeeded
    assert instance.probe.can_show() is can_show
    assert (f"may still ask for the content of {FLAG} before" in caplog.text) is not can_show


def test_a_busy_instance_is_asked_twice_whether_it_can_show_a_reload(
    instance: Instance, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    instance.probed()
    instance.error = Unreachable("slow")
    assert not instance.probe.can_show()
    assert instance.reads == 2
    assert "no reload of a file can be shown: slow" in caplog.text
    instance.error = None
    assert instance.probe.can_show()


def test_a_content_that_is_taken_back_needs_no_reload_if_it_was_never_left(instance: Instance) -> None:
    instance.times["success"] = instance.epoch() - 100
    tried = instance.clock.seconds
    instance.clock.seconds += 5
    instance.written("aa", tried=tried)
    assert instance.probed() is None


def test_a_content_that_is_taken_back_must_be_read_if_the_process_has_started_with_the_other(
    instance: Instance,
) -> None:
    tried = instance.clock.seconds
    instance.unit = instance.unit._replace(active_since=tried + 1)
    instance.clock.seconds += 5
    instance.written("aa", tried=tried)
    assert instance.probed() is not None
    instance.times["success"] = instance.epoch()
    assert instance.probed() is None


def test_a_content_that_is_taken_back_is_not_judged_without_metrics(
    instance: Instance, caplog: pytest.LogCaptureFixture
) -> None:
    instance.error = Forbidden("no")
    instance.written("aa", tried=instance.clock.seconds - 5)
    assert instance.probed() is not None
    assert instance.probed(10.0) is None
    assert f"whether {FILE} is in use is not judged: no" in caplog.text


def test_a_content_whose_trial_is_over_is_not_judged_without_metrics(
    instance: Instance, caplog: pytest.LogCaptureFixture
) -> None:
    """An agent that has started since asks again."""
    instance.error = Forbidden("no")
    instance.written()
    instance.healthy_for(60.0)
    assert [instance.probed(30.0), instance.probed(1.0)] == [None, None]
    assert caplog.text.count(f"whether {FILE} is in use is not judged: no") == 1


@pytest.mark.parametrize("how", ["another boot", "a write that did not happen"])
def test_a_note_on_what_is_not_in_place_asks_nothing(instance: Instance, how: str) -> None:
    instance.written()
    note = read_manifest_note(instance.store, "kube-apiserver")
    changed = (
        note._replace(reload=note.reload._replace(boot_id="another"))
        if how == "another boot"
        else note._replace(written=note.written._replace(reloaded={FILE: "aa"}))
    )
    write_manifest_note(instance.store, "kube-apiserver", changed)
    assert instance.probed(20.0) is None
    assert instance.reads == 0


def test_metrics_that_take_too_long_show_nothing(instance: Instance) -> None:
    instance.written()
    instance.slow, instance.times["failure"] = 6.0, 1.0
    result = instance.probed(76.0)
    assert result is not None
    assert result.is_final
    assert "the answer takes more than 5 s" in result.detail


OTHER = f"it uses another content of {FILE} than the one on disk, which its next start reads"


def test_what_is_in_use_is_compared_with_the_disk_once_a_minute(instance: Instance) -> None:
    instance.in_use = "bb"
    instance.written()
    assert [instance.probed(), instance.probed()] == [None, None]
    reads = instance.reads
    for _minute in range(3):
        assert [instance.probed(30.0), instance.probed(30.0)] == [None, None]
    assert instance.reads == reads + 3


def test_a_content_that_is_no_longer_in_use_is_a_failure_until_it_is_again(instance: Instance) -> None:
    instance.in_use = "bb"
    instance.written()
    assert [instance.probed(), instance.probed()] == [None, None]
    instance.in_use = "cc"
    for result in (instance.probed(60.0), instance.probed()):
        assert result == ProbeResult(False, OTHER)
    instance.in_use = "bb"
    assert instance.probed() is None, "one that is not as it should be is read in each probe"


def test_files_that_a_start_has_read_are_compared_too(instance: Instance) -> None:
    write_manifest_note(instance.store, "kube-apiserver", ManifestNote(written=WrittenManifest(reloaded={FILE: "bb"})))
    instance.in_use = "cc"
    assert instance.probed() is None
    assert instance.probed(60.0) == ProbeResult(False, OTHER)
    instance.unit = instance.unit._replace(invocation="pod/1")
    assert instance.probed(1.0) is None, "the next start has its own content"


def test_the_metrics_are_read_once_for_all_files(instance: Instance) -> None:
    written = WrittenManifest(reloaded={"/etc/authz.yaml": "aa", FILE: "bb"})
    write_manifest_note(instance.store, "kube-apiserver", ManifestNote(written=written))
    instance.in_use = "cc"
    assert [instance.probed(), instance.probed(60.0)] == [None, ProbeResult(False, OTHER)]
    assert instance.reads == 1


@pytest.mark.parametrize("how", ["no hash", "forbidden", "a file of the node", "no process"])
def test_what_no_metric_shows_is_not_compared(instance: Instance, how: str) -> None:
    path = "/etc/other.yaml" if how == "a file of the node" else FILE
    write_manifest_note(instance.store, "kube-apiserver", ManifestNote(written=WrittenManifest(reloaded={path: "bb"})))
    instance.in_use = "" if how == "no hash" else "cc"
    instance.error = Forbidden("no") if how == "forbidden" else None
    instance.unit = instance.unit._replace(pid=None if how == "no process" else instance.unit.pid)
    assert [instance.probed(), instance.probed(60.0)] == [None, None]


A, B, C = ({FILE: content, "/options/other.yaml": "x"} for content in ("aa", "bb", "cc"))


@pytest.mark.parametrize(
    ("last", "written", "good", "after", "tried"),
    [
        (Reload(), A, A, "bb", 0.0),
        (Reload(FILE, FLAG, "bb", 90.0, "boot"), B, A, "aa", 90.0),
        (Reload(FILE, FLAG, "bb", 90.0, "before"), B, A, "aa", 0.0),
        (Reload(FILE, FLAG, "bb", 90.0, "boot"), B, A, "cc", None),
        (Reload("/options/other.yaml", FLAG, "x", 90.0, "boot"), B, A, "aa", None),
        (Reload(FILE, FLAG, "aa", 90.0, "boot", 80.0), A, A, "cc", None),
        (Reload(FILE, FLAG, "aa", 20.0, "boot", 10.0), A, A, "cc", 0.0),
        (Reload(FILE, FLAG, "aa", 90.0, "boot"), A, A, "cc", 0.0),
        (Reload(), A, None, "bb", None),
    ],
    ids=[
        "from last-known-good",
        "back to it",
        "back to it after a boot",
        "to a third content",
        "back, when another file was read last",
        "to another one shortly after one was taken back",
        "to another one long after",
        "to the next one after a promotion",
        "when last-known-good has another manifest",
    ],
)
def test_a_file_is_read_again_on_the_way_from_last_known_good_and_back(
    last: Reload, written: dict[str, str], good: dict[str, str] | None, after: str, tried: float | None
) -> None:
    note = ManifestNote(written=WrittenManifest(reloaded=written), reload=last)
    reload = note.next_reload(FileChange(FILE, written[FILE], after), FLAG, good, 100.0, "boot")
    assert reload == (None if tried is None else Reload(FILE, FLAG, after, 100.0, "boot", tried))
