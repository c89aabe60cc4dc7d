# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A component that does not read the agent's file: ConfigOK is not True."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import Bench

pytestmark = pytest.mark.usefixtures("no_fsync")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def restart_with(bench: Bench, *flags: str, program: str = "/usr/bin/kubelet", ours: bool = True) -> None:
    """Restart the component with these flags, as after a change of its unit."""
    config = (f"--config={bench.store.config_path('kubelet')}",) if ours else ()
    bench.argv = (program, *config, *flags)
    bench._restart("kubelet")
    bench.run(15)  # the status of a flapping component is written at most every 10 s


def ancestor(directory: Path, assigned: str) -> str:
    """Create the directory of the kubelet's own dynamic config; return the flag that names it."""
    meta = directory / "dynamic/store/meta"
    meta.mkdir(parents=True, exist_ok=True)
    (meta / "assigned").write_text(assigned)
    return f"--dynamic-config-dir={directory}/dynamic"


@pytest.mark.contract("condition.not-read")
def test_a_config_source_of_the_kubelets_own_is_a_conflict(bench: Bench, tmp_path: Path) -> None:
    good = bench.good_node()
    restart_with(
        bench, ancestor(tmp_path, "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: SerializedNodeConfigSource")
    )
    assert bench.words == (
        "Unknown",
        f"current (UID: {good.uid}) not in use",
        f"kubelet runs with --dynamic-config-dir={tmp_path}/dynamic: spec.configSource of the Node replaces "
        f"{bench.store.config_path('kubelet')}",
    )
    assert bench.status.cause == "NotRead"
    ancestor(tmp_path, "")  # spec.configSource was removed: the kubelet restarts itself
    bench._restart("kubelet")
    bench.run(15)
    assert bench.words[:2] == ("True", f"using current (UID: {good.uid})")


def test_an_unused_dynamic_config_directory_is_not_a_conflict(bench: Bench, tmp_path: Path) -> None:
    good = bench.good_node()
    restart_with(bench, f"--dynamic-config-dir={tmp_path}/nothing")
    assert bench.words[:2] == ("True", f"using current (UID: {good.uid})")


@pytest.mark.contract("condition.not-read")
def test_a_config_flag_that_names_another_file_is_a_conflict(bench: Bench, tmp_path: Path) -> None:
    good = bench.good_node()
    restart_with(bench, f"--config={tmp_path}/other.yaml")
    assert bench.words == (
        "Unknown",
        f"current (UID: {good.uid}) not in use",
        f"kubelet runs with --config={tmp_path}/other.yaml, not with {bench.store.config_path('kubelet')}",
    )
    (tmp_path / "link.yaml").symlink_to(bench.store.config_path("kubelet"))
    restart_with(bench, f"--config={tmp_path}/link.yaml")
    assert bench.words[0] == "True"


@pytest.mark.contract("condition.not-read")
def test_a_component_without_the_flag_reads_no_file(bench: Bench) -> None:
    bench.good_node()
    restart_with(bench, "--v=2", ours=False)
    assert bench.words[2].startswith("kubelet runs without --config, so it does not read /")
    restart_with(bench, "--v=2", program="/opt/wrapper", ours=False)  # its flags for the kubelet are unknown
    assert bench.words[0] == "True"


@pytest.mark.contract("condition.not-read")
def test_what_is_not_read_does_not_pass_its_trial(bench: Bench, tmp_path: Path) -> None:
    good = bench.good_node()
    restart_with(bench, f"--config={tmp_path}/other.yaml")
    source = bench.publish("maxPods: 130\n", trial=Trial(60.0, 3))
    bench.assign(source)
    bench.run(600)
    snapshot = bench.store.read_records()
    assert (snapshot.current.source, snapshot.last_known_good.source) == (source, good)  # type: ignore[union-attr]
    assert bench.words[:2] == ("Unknown", f"current (UID: {source.uid}) not in use")
    restart_with(bench)
    bench.run(100)
    assert bench.store.read_records().last_known_good.source == source  # type: ignore[union-attr]


def test_a_component_that_started_before_provisioning_is_not_a_conflict(bench: Bench, tmp_path: Path) -> None:
    """Provisioning restarts nothing: until its next start a component keeps its old flags and config."""
    bench.store.write_startups("kubelet", bench.store.tracking_version("kubelet", "v1.35.0"), [])
    bench.argv = ("/usr/bin/kubelet", f"--config={tmp_path}/before.yaml")
    bench.daemon = bench.new_daemon()
    bench.run(5)
    assert bench.words[:2] == ("True", "using current (init)")

    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(0.3)
    bench.argv = (
        "/usr/bin/kubelet",
        f"--config={bench.store.config_path('kubelet')}",
    )  # of the adopting start
    bench.run(15)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    messages = [patch["status"]["conditions"][0]["message"] for patch in bench.api.patches]
    assert not any("not in use" in message for message in messages)


def test_what_components_outside_of_the_bundle_read_says_nothing_about_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("kubelet", "kube-proxy"))
    bench.argv = ("/usr/bin/kubelet", f"--config={bench.store.config_path('kubelet')}")  # of both
    for component in bench.processes:
        bench._restart(component)
    bench.run(30)
    assert bench.words[2].startswith("kube-proxy runs with --config=")
    source = bench.publish(documents={"kubelet": "maxPods: 120\n"}, trial=Trial(5.0, 3))
    bench.assign(source)
    bench.run(60)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    assert bench.status.last_known_good == source
