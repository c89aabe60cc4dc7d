# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The task files of the providers on a real host: up, down, killed, broken, and off the host again."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.ansible_runs.playbooks import PlaybookRun, kill
from support.documentation import named_files
from support.machines import BARE, Node, NodeSpec, ProviderRuns, Testbed, Unavailable
from support.session.patience import LONGEST_WAIT
from support.session.unavailable import leave_out

ROOT = Path(__file__).resolve().parents[3]
HOST = "b1"
RUNTIMES = ("1.6.20~ds1-1+deb12u2", "1.6.20~ds1-1+deb12u3")
# What must not be left behind.
OURS = "/etc/kubernetes /etc/cni /var/lib/kubelet /var/lib/configok-machine /usr/local/lib/configok-machine /opt/cni"
# Runs on the host. Kills dpkg as soon as its log has the text of the first argument; with a second one, also the
# processes that have started dpkg: apt-get, and the module.
KILLER = """
import os, signal, sys

def fields(pid):
    with open(f"/proc/{pid}/stat") as file:
        name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
    return name, int(rest.split()[1])

with open("/var/log/dpkg.log") as log:
    log.seek(0, os.SEEK_END)
    text = ""
    while sys.argv[1] not in text:
        text += log.read()
family = [next(int(pid) for pid in os.listdir("/proc") if pid.isdigit() and fields(pid)[0] == "dpkg")]
while sys.argv[2:] and fields(fields(family[-1])[1])[0] in ("apt-get", "sh", "python3"):
    family.append(fields(family[-1])[1])
names = [fields(pid)[0] for pid in family]
for pid in reversed(family):
    os.kill(pid, signal.SIGKILL)
print(" ".join(names))
"""


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    try:
        started = Testbed.start("providers", [NodeSpec(HOST, layout=BARE)])
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


@pytest.fixture(scope="module")
def facts(bed: Testbed) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(bed.bare_machines.read_text())
    return loaded


@pytest.fixture
def host(bed: Testbed) -> Node:
    return bed.node(HOST)


@pytest.fixture
def provider(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a DebianHost."""
    return dict(facts["machines"]["bookworm"]["provider"])


def runs(bed: Testbed, facts: Mapping[str, Any], role: str) -> ProviderRuns:
    return ProviderRuns(
        role,
        inventory=bed.inventory,
        kubeconfig=bed.kubeconfig,
        client=bed.client,
        facts=facts,
        state=bed.state / "provider",
    )


def passed(run: PlaybookRun) -> PlaybookRun:
    assert run.code == 0, run.output[-4000:]
    assert "bootstrap-token" not in run.output
    return run


def kubelet_version(host: Node, program: str = "/usr/bin/kubelet") -> str:
    return host.run([program, "--version"]).stdout.split("v")[-1].strip()


def left(host: Node) -> str:
    return host.run(
        ["sh", "-c", f"ls -d {OURS} 2>/dev/null; systemctl list-units --no-legend 'kube*'"], check=False
    ).stdout


@pytest.mark.slow
def test_a_debian_host(bed: Testbed, facts: dict[str, Any], host: Node, provider: dict[str, Any]) -> None:
    debian = runs(bed, facts, "configok.node.debian_host")
    first = {"kubelet": "1.20.2", "runtime": RUNTIMES[0]}
    second = {"kubelet": "1.20.3", "runtime": RUNTIMES[1]}

    assert passed(debian.create(HOST, provider, "--check", "--diff", **first)).changed
    assert left(host) == ""
    passed(debian.create(HOST, provider, **first))
    host.wait_ready()
    assert not host.exists("/etc/kubernetes/bootstrap-kubelet.conf")
    assert passed(debian.create(HOST, provider, **first)).changed == 0
    assert host.run(["apt-mark", "showhold"]).stdout.split() == ["containerd", "kubelet"]

    refused = passed(debian.run("plan", HOST, provider, kubelet="1.20.9"))
    assert "no source of packages offers kubelet 1.20.9: there is 1.20.4-1.1, 1.20.3-1.1, 1.20.2-1.1" in refused.output
    other = passed(debian.run("plan", HOST, provider, machine="b2", **second))
    assert "the host is the machine b1, not b2" in other.output

    # Killed at any moment and run again, it converges; a second run waits for what is left of the first one.
    for moment in (3.0, 5.0, 8.0, 12.0):
        started = debian.start("update", HOST, provider, **second)
        time.sleep(moment)
        kill(started)
    # As a host that crashes while dpkg unpacks the kubelet.
    half = r"/^Package: kubelet$/,/^$/s/^Status: .*/Status: hold reinstreq half-installed/"
    host.run(["sed", "-i", half, "/var/lib/dpkg/status"])
    assert 'refusals": []' in passed(debian.run("plan", HOST, provider, **second)).output.replace("\\", "")
    passed(debian.run("update", HOST, provider, **second))
    assert host.run(["dpkg", "--audit"]).stdout == ""
    assert kubelet_version(host) == "1.20.3"
    assert RUNTIMES[1] in host.run(["dpkg-query", "-W", "containerd"]).stdout
    assert passed(debian.run("update", HOST, provider, **second)).changed == 0

    # The same if the host itself loses what installs: the packages are half installed, or not configured.
    check_killed_on_host(debian, host, provider, first, "half-installed kubelet")
    check_killed_on_host(debian, host, provider, second, "unpacked kubelet", "the module too")

    # The rollback of an update that did not get as far as the host undoes nothing of the update before.
    nowhere = {**provider, "packages": {**provider["packages"], "source": "deb http://127.0.0.1:9/none ./"}}
    failed = debian.run("update", HOST, nowhere, kubelet="1.20.5", runtime=RUNTIMES[0])
    assert "apt could not read the source of packages" in failed.output
    extra = {**provider, "packages": {**provider["packages"], "extra": ["configok-no-such-package"]}}
    refused = passed(debian.run("plan", HOST, extra, **second))
    assert "no source of packages offers configok-no-such-package" in refused.output
    assert debian.run("update", HOST, extra, **second).code != 0
    host.wait_healthy()
    nowhere["packages"]["extra"] = ["configok-no-such-package"]
    passed(debian.run("rollback", HOST, nowhere, **second))
    assert kubelet_version(host) == "1.20.3"
    assert host.exists("/var/lib/kubelet/config.yaml")
    assert passed(debian.run("update", HOST, provider, **second)).changed == 0

    broken = debian.run("update", HOST, provider, kubelet="1.20.4", runtime=RUNTIMES[0])
    assert broken.code != 0
    assert "the kubelet does not become healthy" in broken.output
    assert "this build of the tests does not start" in broken.output
    # A rollback needs no source of packages, and puts the files back too.
    broken_flags = {**provider, "kubeletFlags": {**provider.get("kubeletFlags", {}), "max-pods": "none"}}
    assert debian.run("update", HOST, broken_flags, **second).code != 0
    offline = {**broken_flags, "packages": {**provider["packages"], "source": "deb http://127.0.0.1:9/none ./"}}
    passed(debian.run("rollback", HOST, offline, **second))
    assert kubelet_version(host) == "1.20.3"
    assert RUNTIMES[1] in host.run(["dpkg-query", "-W", "containerd"]).stdout
    host.wait_ready()

    assert passed(debian.run("delete", HOST, provider, "--check")).changed
    host.wait_healthy()
    started = debian.start("delete", HOST, provider)
    time.sleep(4.0)
    kill(started)
    passed(debian.run("delete", HOST, provider))
    assert left(host) == ""
    assert not re.search(r"kubelet|containerd|conntrack", host.run(["dpkg-query", "-W"]).stdout)
    assert passed(debian.run("delete", HOST, provider)).changed == 0


def check_killed_on_host(
    debian: ProviderRuns, host: Node, provider: dict[str, Any], versions: dict[str, str], *arguments: str
) -> None:
    """Update the machine, kill dpkg on its host in the middle, and check that a second run repairs and ends it."""
    with ThreadPoolExecutor() as pool:
        killer = pool.submit(host.run, ["python3", "-c", KILLER, *arguments], timeout=LONGEST_WAIT)
        failed = debian.run("update", HOST, provider, **versions)
        killed = killer.result().stdout.split()
    assert failed.code != 0, failed.output
    assert set(killed) >= ({"dpkg", "apt-get", "python3"} if arguments[1:] else {"dpkg"})
    assert "kubelet" in host.run(["dpkg", "--audit"]).stdout
    passed(debian.run("update", HOST, provider, **versions))
    assert kubelet_version(host) == versions["kubelet"]
    assert versions["runtime"] in host.run(["dpkg-query", "-W", "containerd"]).stdout
    assert host.run(["dpkg", "--audit"]).stdout == ""
    assert not host.exists("/usr/sbin/policy-rc.d")
    host.wait_ready()


@pytest.mark.slow
def test_another_kind_of_runtime(bed: Testbed, facts: dict[str, Any], host: Node, provider: dict[str, Any]) -> None:
    debian = runs(bed, facts, "configok.node.debian_host")
    containerd = {"kubelet": "1.20.2", "runtime": RUNTIMES[1]}
    crio = {"kubelet": "1.20.2", "runtime": "1.20.0", "runtime_name": "cri-o"}
    of_crio = {**provider, "containerRuntimeConfig": ""}
    passed(debian.create(HOST, provider, **containerd))
    host.wait_ready()

    assert 'refusals": []' in passed(debian.run("plan", HOST, of_crio, **crio)).output.replace("\\", "")
    assert passed(debian.run("update", HOST, of_crio, "--check", **crio)).changed
    started = debian.start("update", HOST, of_crio, **crio)
    time.sleep(6.0)
    kill(started)
    passed(debian.run("update", HOST, of_crio, **crio))
    host.wait_ready()
    assert runtime_units(host) == {"containerd": "inactive disabled", "crio": "active enabled"}
    command = host.run(["sh", "-c", "tr '\\0' ' ' < /proc/$(systemctl show -P MainPID kubelet)/cmdline"]).stdout
    assert "unix:///run/crio/crio.sock" in command
    assert passed(debian.run("update", HOST, of_crio, **crio)).changed == 0

    # A Machine that no longer names its runtime does not lose it.
    refused = passed(debian.run("plan", HOST, of_crio, kubelet="1.20.3"))
    assert "the host runs CRI-O, and the Machine names no runtime" in refused.output
    assert runtime_units(host)["crio"] == "active enabled"

    offline = {**provider, "packages": {**provider["packages"], "source": "deb http://127.0.0.1:9/none ./"}}
    passed(debian.run("rollback", HOST, offline, **containerd))
    host.wait_ready()
    assert runtime_units(host) == {"containerd": "active enabled", "crio": "inactive disabled"}
    passed(debian.run("delete", HOST, provider))
    assert left(host) == ""
    assert host.run(["sh", "-c", "ls -d /run/crio /var/lib/containers 2>/dev/null"], check=False).stdout == ""
    assert not re.search(r"kubelet|containerd|cri-o", host.run(["dpkg-query", "-W"]).stdout)


def runtime_units(host: Node) -> dict[str, str]:
    """Return whether the units of the runtimes are active and enabled."""
    return {
        unit: " ".join(
            host.run(["systemctl", verb, f"{unit}.service"], check=False).stdout.strip()
            for verb in ("is-active", "is-enabled")
        )
        for unit in ("containerd", "crio")
    }


@pytest.mark.slow
def test_a_host_from_archives(
    bed: Testbed, facts: dict[str, Any], host: Node, provider: dict[str, Any], tmp_path: Path
) -> None:
    binary = runs(bed, facts, "configok.node.binary_host")
    del provider["packages"]
    provider["containerRuntimeConfig"] = provider["containerRuntimeConfig"].replace("/usr/lib/cni", "/opt/cni/bin")
    provider["archives"] = archives(bed, facts, host, tmp_path)

    passed(binary.create(HOST, provider, "--check", kubelet="1.20.2", runtime="1.6.20"))
    passed(binary.create(HOST, provider, kubelet="1.20.2", runtime="1.6.20"))
    host.wait_ready()
    assert passed(binary.create(HOST, provider, kubelet="1.20.2", runtime="1.6.20")).changed == 0
    runc = in_use(host, "runc")
    newer = {**provider, "archives": [*provider["archives"][:-1], patched(provider["archives"][-1], tmp_path)]}
    passed(binary.run("update", HOST, newer, kubelet="1.20.3", runtime="1.6.20"))
    assert kubelet_version(host, "/usr/local/bin/kubelet") == "1.20.3"
    assert in_use(host, "runc") not in ("", runc)
    passed(binary.run("rollback", HOST, {**provider, "archives": []}, kubelet="1.20.2"))
    assert kubelet_version(host, "/usr/local/bin/kubelet") == "1.20.2"
    assert in_use(host, "runc") == runc

    damaged = [{**item, "sha256": "0" * 64} for item in provider["archives"]]
    refused = passed(binary.run("plan", HOST, {**provider, "archives": damaged}, kubelet="1.20.3", runtime="1.6.20"))
    assert "is declared" in refused.output

    passed(binary.run("delete", HOST, provider))
    assert left(host) == ""
    assert host.run(["ls", "/usr/local/bin"]).stdout == ""
    assert passed(binary.run("delete", HOST, provider)).changed == 0


def in_use(host: Node, component: str) -> str:
    """Return the version of a component of a BinaryHost."""
    return host.run(["readlink", f"/usr/local/lib/configok-machine/{component}/current"]).stdout.strip()


def patched(archive: Mapping[str, str], directory: Path) -> dict[str, str]:
    """Return an archive of the same version with another checksum."""
    file = directory / "patched"
    file.write_bytes(Path(archive["path"]).read_bytes() + b"\0")
    return {**archive, "path": str(file), "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def plan_of_a_node_of_the_user(image: ProviderRuns, host: Node, fields: Mapping[str, Any]) -> None:
    """Ask about the node as if no provider had made it one."""
    declared = {**fields, "kubeletFlags": {"v": "4"}}
    host.run(["mv", "/var/lib/configok-machine", "/var/lib/aside"])
    try:
        changed = image.run("plan", HOST, declared, changes=["spec.providerConfig"])
        unchanged = image.run("plan", HOST, declared, changes=["spec.versions.kubelet"])
    finally:
        host.run(["mv", "/var/lib/aside", "/var/lib/configok-machine"])
    (refusal,) = refusals(changed)
    assert "keeps its own files, so a change of" in refusal
    assert "kubeletFlags has no effect: undo it in the file" in refusal
    assert refusals(unchanged) == []
    assert "these fields of providerConfig have no effect" in unchanged.output
    assert refusals(image.run("plan", HOST, declared, changes=["spec.providerConfig"])) == []


def refusals(run: PlaybookRun) -> list[str]:
    """Return what a plan refuses."""
    text = passed(run).output.replace('\\"', '"').partition("OUTCOME ")[2]
    outcome, _end = json.JSONDecoder().raw_decode(text)
    return list(outcome["refusals"])


def archives(bed: Testbed, facts: dict[str, Any], host: Node, directory: Path) -> list[dict[str, str]]:
    """Return archives of what the packages of the testbed hold."""
    source = facts["machines"]["bookworm"]["provider"]["packages"]["source"].split()[1]
    script = (
        "set -e; rm -rf /tmp/a; mkdir -p /tmp/a/lists/partial; cd /tmp/a; echo 'deb [trusted=yes] $1 ./' > list; "
        'o="-o Dir::Etc::sourcelist=/tmp/a/list -o Dir::Etc::sourceparts=- -o Dir::State::lists=/tmp/a/lists '
        '-o Dir::Cache=/tmp/a -o APT::Sandbox::User=root"; sed -i "s|[$]1|$1|" list; apt-get -qq $o update; '
        "for p in kubelet=1.20.2-1.1 kubelet=1.20.3-1.1 containerd runc containernetworking-plugins; do "
        "apt-get -qq $o download $p; done; for f in *.deb; do dpkg-deb -x $f ${f%%_amd64.deb}; done; "
        "mkdir -p c/bin; cp containerd_*/usr/bin/* c/bin/; tar -C c -czf containerd.tar.gz .; "
        "tar -C containernetworking*/usr/lib/cni -czf cni.tgz ."
    )
    host.run(["sh", "-c", script, "sh", source], timeout=180)
    view = host.machine.view / "tmp/a"
    items = [("kubelet", f"1.20.{patch}", f"kubelet_1.20.{patch}-1.1/usr/bin/kubelet") for patch in (2, 3)]
    items += [("containerd", "1.6.20", "containerd.tar.gz"), ("cni", "1.1.1", "cni.tgz")]
    runc = next(path.name for path in view.glob("runc_*") if path.is_dir())
    items.append(("runc", "1.1.5", f"{runc}/usr/sbin/runc"))
    declared = []
    for component, version, inside in items:
        file = directory / f"{component}-{version}"
        shutil.copyfile(view / inside, file)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        declared.append({"component": component, "version": version, "path": str(file), "sha256": digest})
    host.run(["rm", "-rf", "/tmp/a"])
    return declared


@pytest.mark.slow
def test_the_provider_of_the_page(bed: Testbed, facts: dict[str, Any], host: Node, provider: dict[str, Any]) -> None:
    page = named_files(ROOT / "docs/machines-providers.md")
    for path, text in page.items():
        if path.startswith("roles/image_host/"):
            file = bed.state / "provider" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    image = runs(bed, facts, "image_host")
    fields = {**provider, "image": "debian-12-kubelet"}
    assert "has no kubelet in /usr/bin" in passed(image.run("plan", HOST, fields)).output
    source = provider["packages"]["source"].replace("deb ", "deb [trusted=yes] ", 1)
    host.write("/etc/apt/sources.list.d/image.list", f"{source}\n")
    host.run(["apt-get", "-qq", "update"], timeout=LONGEST_WAIT)
    packages = ["kubelet=1.20.2-1.1", f"containerd={RUNTIMES[0]}", "containernetworking-plugins"]
    host.run(["apt-get", "-qq", "-y", "--no-install-recommends", "install", *packages], timeout=180)
    host.run(["systemctl", "disable", "--now", "kubelet"])
    assert refusals(image.run("plan", HOST, fields, machine_planned_action="create")) == []
    passed(image.create(HOST, fields))
    host.wait_ready()
    assert refusals(image.run("plan", HOST, fields, machine_planned_action="replace")) == []
    assert "the host is the machine b1, not b2" in "".join(
        refusals(image.run("plan", HOST, fields, machine="b2", machine_planned_action="replace"))
    )
    plan_of_a_node_of_the_user(image, host, fields)
    assert passed(image.create(HOST, fields)).changed == 0
    assert "is replaced" in image.run("update", HOST, fields).output
    passed(image.run("delete", HOST, fields))
    assert not host.exists("/etc/kubernetes/kubelet.conf")
    assert "kubelet" in host.run(["dpkg-query", "-W"]).stdout  # of the image
