# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks provision and remove on real nodes: what they find out, refuse, change, leave alone and take back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import read_unit_start
from ansible_collections.configok.node.plugins.modules import component_unit_info
from support.ansible_runs.playbooks import PlaybookRun, finish, start
from support.machines import CONFIG_PATHS, KUBECONFIG, Node, NodeSpec, Testbed, Unavailable
from support.releases.data_files import GONE, NEXT, next_release
from support.session.unavailable import leave_out

OURS = "/var/lib/configok/components/kubelet/config.yaml"
INIT = "/etc/configok/init/kubelet.yaml"
KEPT = CONFIG_PATHS["plain"]
# What is in the directories that may hold anything of ours, with the contents of the files.
LISTED = """
for one in /etc /usr/local /var/lib/configok /run/configok; do
    find "$one" -printf "%y %m %U:%G %p %l\n" 2> /dev/null
done
find /etc /usr/local -type f -exec sha256sum {} +
"""


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    """A node with a directory of drop-ins, kubeadm's, and one without."""
    try:
        started = Testbed.start("provision", [NodeSpec("packaged"), NodeSpec("plain", layout="plain")])
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


def files(node: Node) -> list[str]:
    return sorted(node.run(["sh", "-c", LISTED], timeout=60).stdout.splitlines())


def active_files(node: Node) -> list[str]:
    """Return the files that the kubelet's flags name, in order: what systemd really passes."""
    pid = node.run(["systemctl", "show", "--property=MainPID", "--value", "kubelet.service"]).stdout.strip()
    words = node.read(f"/proc/{pid}/cmdline").split("\0")
    return [word.partition("=")[2] for word in words if word.startswith("--config=")]


def restart(node: Node) -> None:
    node.run(["systemctl", "restart", "kubelet.service"])
    node.wait_healthy()


def changed(run: PlaybookRun, node: Node) -> str:
    [line] = [line for line in run.output.splitlines() if line.startswith(f"{node.name} ") and "changed=" in line]
    return line.split("changed=")[1].split()[0]


def examples_run(bed: Testbed, node: Node) -> None:
    """Run the module's own examples; the last needs a node that starts its kubelet through the agent."""
    tasks = yaml.safe_load(component_unit_info.EXAMPLES)
    book = bed.state / "examples.yml"
    book.write_text(yaml.safe_dump([{"hosts": node.name, "gather_facts": False, "tasks": tasks}], sort_keys=False))
    run = finish(start([book.name, "-i", str(bed.inventory)], directory=bed.state, kubeconfig=bed.kubeconfig))
    assert run.code == 0, run.output
    assert f"ok={len(tasks)} " in run.output


@pytest.mark.slow
@pytest.mark.contract("unit.verified-when-merged", "init.drift-taken-over")
def test_a_running_node_is_taken_over_and_given_back(bed: Testbed) -> None:
    node = bed.node("plain")
    before, starts = files(node), node.kubelet_starts()

    looked = node.provision(check=True, diff=True)
    assert files(node) == before
    assert int(changed(looked, node)) > 0
    assert f"+  --config={OURS}" in looked.output  # the command line as it will be

    node.provision()
    assert node.kubelet_starts() == starts
    assert active_files(node) == [KEPT]
    assert node.read(INIT) == node.read(KEPT)

    # Its next start goes through the agent, and is then what is verified.
    restart(node)
    assert active_files(node)[-1] == OURS
    assert changed(node.provision(), node) == "0"
    examples_run(bed, node)

    # An operator rewrites the file that the init config came from, and the agent is upgraded.
    config = yaml.safe_load(node.read(KEPT))
    node.write(KEPT, yaml.safe_dump({**config, "maxPods": 77}))
    node.run(["sh", "-c", "echo >> /usr/local/lib/configok/configok-agent.pyz"])
    starts = node.kubelet_starts()
    later = node.provision()
    assert "has changed since kubelet's init config was taken from it: the init config stays as it is" in later.output
    assert yaml.safe_load(node.read(INIT)) == config
    taken = node.provision(node_take_over_init_config=True)
    assert "it is taken over now" in taken.output
    assert yaml.safe_load(node.read(INIT))["maxPods"] == 77
    assert node.kubelet_starts() == starts
    node.write(KEPT, yaml.safe_dump(config))

    node.run(["sh", "-c", f"echo '# mine' > {KEPT}.mine"])  # an operator's file, which stays
    node.remove()
    assert node.kubelet_starts() == starts
    restart(node)
    assert active_files(node) == [KEPT]
    node.run(["rm", f"{KEPT}.mine"])
    node.run(["touch", "--date=@0", KEPT])
    remaining = [line for line in files(node) if line not in before]
    assert [line for line in remaining if KEPT not in line] == []
    assert [line for line in before if line not in files(node) and KEPT not in line] == []


@pytest.mark.slow
def test_a_node_that_does_not_report_ends_the_run_before_the_next_is_touched(bed: Testbed) -> None:
    first, second = bed.nodes
    fleet = {"provision_hosts": f"{first.name}:{second.name}", "provision_serial": 1, "provision_timeout": 6}
    original, before, starts = first.read(KUBECONFIG), files(second), [node.kubelet_starts() for node in bed.nodes]
    # The kubelet has read it; the agent will reach no API server.
    first.write(KUBECONFIG, original.replace(bed.api.url, "https://127.0.0.1:9"))
    try:
        run = first.play("provision", fleet)
    finally:
        first.write(KUBECONFIG, original)
    assert run.code != 0
    assert f"{first.name}: no ConfigOK condition (after 6s)" in run.output
    assert files(second) == before

    # Once it is repaired, the same command continues, through the whole fleet.
    run = first.play("provision", {**fleet, "provision_timeout": 120})
    assert run.code == 0, run.output
    assert int(changed(run, second)) > 0
    assert [node.kubelet_starts() for node in bed.nodes] == starts
    first.remove(**fleet)
    assert files(second) == before


EXEC = {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws-iam-authenticator"}


def with_exec_plugin(text: str) -> str:
    config = yaml.safe_load(text)
    config["users"] = [{"name": user["name"], "user": {"exec": EXEC}} for user in config["users"]]
    return yaml.safe_dump(config)


@pytest.mark.parametrize(
    ("path", "change", "sentence"),
    [
        pytest.param(
            KUBECONFIG,
            with_exec_plugin,
            "needs the exec plugin aws-iam-authenticator, which is not run here",
            marks=pytest.mark.contract("manners.exec-plugin"),
            id="exec plugin",
        ),
        pytest.param(
            CONFIG_PATHS["kubeadm"],
            lambda text: text + "maxPodz: 5\n",
            "maxPodz",
            marks=pytest.mark.contract("init.provisioning-is-stricter"),
            id="a field that only strict decoding refuses",
        ),
        pytest.param(
            "/etc/default/kubelet",
            lambda text: "KUBELET_EXTRA_ARGS=--dynamic-config-dir=/var/lib/kubelet/dynamic\n",
            "kubelet.service uses --dynamic-config-dir=/var/lib/kubelet/dynamic",
            id="dynamic config dir",
        ),
    ],
)
def test_a_host_that_cannot_be_provisioned_is_refused_before_anything_is_changed(
    bed: Testbed, path: str, change: Callable[[str], str], sentence: str
) -> None:
    node = bed.node("packaged")
    original = node.read(path)
    node.write(path, change(original))
    try:
        before = files(node)
        run = node.play("provision")
        assert run.code != 0
        assert sentence in run.output
        assert files(node) == before
    finally:
        node.write(path, original)


@pytest.mark.slow
def test_an_init_config_is_validated_with_release_data(bed: Testbed, tmp_path: Path) -> None:
    node = bed.node("packaged")
    path = CONFIG_PATHS["kubeadm"]
    original = node.read(path)
    newer = {"name": "kubelet", "version_command": ["/bin/echo", f"Kubernetes v1.{NEXT}.0"]}
    variables = {"node_components": [newer]}
    release_data = next_release(tmp_path / "release.yaml")
    (tmp_path / "broken.yaml").write_text("maxPods: 60\n")
    node.write(path, original + f"featureGates: {{{GONE}: true}}\n")
    try:
        before = files(node)
        without = node.play("provision", variables, check=True)
        assert f"not judged: fields, defaults, gates, flags and rules of Kubernetes 1.{NEXT}" in without.output
        assert "unknown feature gate" not in without.output
        for file, sentence in (
            (release_data, f"featureGates.{GONE}: true: unknown feature gate"),
            ("broken.yaml", "broken.yaml: the file: has the unknown key"),
            ("none.yaml", "none.yaml is not a file on this machine"),
        ):
            run = node.play("provision", {**variables, "release_data": str(tmp_path / file)}, check=True)
            assert run.code != 0
            assert sentence in run.output.replace('\\"', '"'), run.output
        assert files(node) == before
    finally:
        node.write(path, original)


# Command lines and variables, and what systemd makes of them is compared with what we make of them.
UNIT = r"""[Service]
Type=oneshot
Environment="A=one two" 'B=x "y z" w' C=\x41\tb D=100%% E=
Environment="PLAIN=from the unit"
EnvironmentFile=-/etc/probe-missing
EnvironmentFile=/etc/probe.d/*.env
ExecStart=@/usr/bin/python3 named /opt/probe.py $A "$B" ${A} x${C}y $$A $UNSET "${UNSET}"   # a comment in between
  --config=${D} 'single "quoted"'mid"dle \s" \; \x2dz   $PLAIN $ONE $TWO $E
"""
PROBE = """import json, sys
json.dump(sys.argv[1:], open("/run/probe.json", "w"))
"""
ONE = r"""# first
ONE='--x "y z"' tail
TWO=first
 SPACED = a b \
c
"""
TWO = r"""TWO="say \"it\" $HOME \n"more\x
export NOT=1
PLAIN=from a file
"""


def test_command_lines_are_expanded_as_systemd_does_it(bed: Testbed) -> None:
    node = bed.node("packaged")
    names = ["/etc/systemd/system/probe.service", "/opt/probe.py", "/etc/probe.d/1.env", "/etc/probe.d/2.env"]
    for name, text in zip(names, (UNIT, PROBE, ONE, TWO)):
        node.write(name, text)
    node.run(["systemctl", "daemon-reload"])
    node.run(["systemctl", "start", "probe.service"])
    expected = json.loads(node.read("/run/probe.json"))
    arguments = [argument.text for argument in read_unit_start([UNIT], [ONE, TWO]).arguments]
    node.run(["rm", "-rf", *names, "/etc/probe.d"])
    assert arguments[1:] == expected
