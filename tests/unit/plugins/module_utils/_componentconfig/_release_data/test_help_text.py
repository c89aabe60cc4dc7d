# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Help texts: flags with types and defaults, gates with stages and defaults."""

from __future__ import annotations

import time

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._release_data._help_text import (
    GateDefault,
    parse_help,
    parse_version,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.overlays import OverlayFlag

KUBELET = """\
The kubelet works on a node. It does not take --these words for a flag.

Usage:
  kubelet [flags]

Flags:
      --anonymous-auth                      Lets everyone in. (default true) (DEPRECATED: use the file (--config).)
      --cert-dir string                     Where certificates are. (default "/var/lib/kubelet/pki")
      --docker-root string                  DEPRECATED: a fallback (default: /var/lib/docker) (default "/var/docker")
      --eviction-hard mapStringString       Thresholds. (default memory.available<100Mi,nodefs.available<10%)
      --feature-gates mapStringBool         Switches. Options are:
                APIThing=true|false (BETA - default=true)
                kube:SomeThing=true|false (ALPHA - default=false)
                apiserver-extension:Other=true|false (ALPHA - default=false) (DEPRECATED: use the file.)
  -h, --help                                help for kubelet
      --enforce-node-allocatable strings    Levels. (default [pods])
      --log_dir string                      No more.
      --tls-cipher-suites strings           Names.
                Preferred values: A, B.
      --v-old                               Old.
  -v, --v Level                             number for the log level verbosity
      --version version[=true]              Print version information and quit
      --vmodule pattern=N,...               a list of pattern=N
"""
API_SERVER = """\
Usage:
  kube-apiserver [flags]

Generic flags:

      --feature-gates colonSeparatedMultimapStringString   Pairs. If there is no component, it is "kube". Options are:
                                                           kube:AllAlpha=true|false (ALPHA - default=false)
                                                           kube:WatchThing=true|false (BETA - default=false)
      --max-requests int                                   Requests. (default 400)

Etcd flags:

      --etcd-servers strings                               Servers.
"""


def test_flags_have_the_type_of_their_value_and_their_default() -> None:
    flags = parse_help(KUBELET).flags
    assert flags == {
        "anonymous-auth": OverlayFlag("", "true"),
        "cert-dir": OverlayFlag("string", "/var/lib/kubelet/pki"),
        "docker-root": OverlayFlag("string", "/var/docker"),
        "eviction-hard": OverlayFlag("mapStringString", "memory.available<100Mi,nodefs.available<10%"),
        "feature-gates": OverlayFlag("mapStringBool", None),
        "enforce-node-allocatable": OverlayFlag("strings", "[pods]"),
        "log_dir": OverlayFlag("string", None),
        "tls-cipher-suites": OverlayFlag("strings", None),
        "v-old": OverlayFlag("", None),
        "v": OverlayFlag("Level", None),
        "version": OverlayFlag("version", None),
        "vmodule": OverlayFlag("pattern=N,...", None),
    }


@pytest.mark.parametrize(
    ("text", "component", "gates"),
    [
        (KUBELET, "kubelet", {"APIThing": GateDefault("Beta", True), "SomeThing": GateDefault("Alpha", False)}),
        (
            API_SERVER,
            "kube-apiserver",
            {"AllAlpha": GateDefault("Alpha", False), "WatchThing": GateDefault("Beta", False)},
        ),
    ],
)
def test_gates_are_those_of_kubernetes_with_and_without_a_prefix(
    text: str, component: str, gates: dict[str, GateDefault]
) -> None:
    help_text = parse_help(text)
    assert (help_text.component, help_text.gates) == (component, gates)


def test_flags_of_all_sections_are_found() -> None:
    assert set(parse_help(API_SERVER).flags) == {"feature-gates", "max-requests", "etcd-servers"}


def test_the_gates_of_kubeadm_are_its_own() -> None:
    assert parse_help(KUBELET.replace("  kubelet [", "  kubeadm init [")).gates == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not the help of a component"),
        ("Usage:\n  etcd [flags]\n\n      --name string   its name\n", "must name one of kubelet, kube-apiserver"),
        ("Usage:\n  kubelet [flags]\n", "the help of kubelet shows no flag"),
        (KUBELET * 4000, "characters is that of no component"),
    ],
)
def test_other_texts_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        parse_help(text)


@pytest.mark.parametrize("line", ["      --a" + " " * 100_000 + "x", "--" * 100_000, "(default " * 100_000])
def test_hostile_lines_cost_no_time(line: str) -> None:
    began = time.monotonic()
    parse_help(KUBELET + line + "\n")
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("Kubernetes v1.38.0\n", "v1.38.0"),
        ("W1216 a warning\nKubernetes v1.38.0-rc.1+k3s1\n", "v1.38.0-rc.1+k3s1"),
        ("v1.38.0\n", "v1.38.0"),
    ],
)
def test_the_version_is_found(text: str, version: str) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize("text", ["", "etcd Version: 3.6.0", "Kubernetes v1.38", "unknown flag: --version"])
def test_a_text_without_a_version_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a Kubernetes version"):
        parse_version(text)
