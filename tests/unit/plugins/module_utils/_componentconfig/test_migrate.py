# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From flags to a file: what is written, what stays, what is refused; the effective config does not change."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set
from ansible_collections.configok.node.plugins.module_utils._componentconfig.migrate import Migration, migrate
from support.configs.kubelet import KUBELET_HEADER, KUBELET_KIND
from support.fuzz.settings import fuzz
from support.releases.names import NEXT_RELEASE

LEGACY = {
    "readOnlyPort": 10255,
    "authentication": {"webhook": {"enabled": False}, "anonymous": {"enabled": True}},
    "authorization": {"mode": "AlwaysAllow"},
}


def move(text: str, *, minor: int = 30, component: str = "kubelet", **more: Any) -> Migration:
    return migrate(component, [component, *text.split()], version=f"1.{minor}", **more)


def document(migration: Migration) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(migration.text)
    return {key: value for key, value in data.items() if key not in ("apiVersion", "kind")}


def kept_words(migration: Migration) -> list[str]:
    return [word for flag in migration.flags for word in flag.words]


def messages(migration: Migration, level: str = "component") -> list[str]:
    return [finding.message for finding in migration.findings if finding.level == level]


def test_flags_and_the_defaults_of_flags_become_fields() -> None:
    migration = move("--max-pods=50 --cluster-dns=10.0.0.10 --kubeconfig=/k", minor=24)
    assert document(migration) == {**LEGACY, "clusterDNS": ["10.0.0.10"], "maxPods": 50}
    assert kept_words(migration) == ["--config=/var/lib/kubelet/config.yaml", "--kubeconfig=/k"]
    assert [dropped.field for dropped in migration.dropped] == ["maxPods", "clusterDNS"]
    assert not messages(migration)
    assert migration.before == migration.after


def test_from_1_25_no_file_means_no_hard_eviction() -> None:
    assert document(move("--max-pods=50", minor=25))["evictionHard"] == {}
    assert "evictionHard" not in document(move("--max-pods=50", minor=24))


def test_a_file_keeps_its_order_and_flags_win_over_whole_fields_and_single_gates() -> None:
    text = (
        f"{KUBELET_HEADER}maxPods: 10\nkubeReserved: {{cpu: 1}}\nfeatureGates: {{A: true, B: true}}\naddress: 0.0.0.0\n"
    )
    migration = move(
        "--config=/etc/k.yaml --kube-reserved=memory=1Gi --feature-gates=B=false --max-pods=11 --root-dir=/r",
        config=("/etc/k.yaml", text),
    )
    assert list(yaml.safe_load(migration.text)) == [
        "apiVersion", "kind", "maxPods", "kubeReserved", "featureGates", "address",
    ]  # fmt: skip
    assert document(migration)["kubeReserved"] == {"memory": "1Gi"}
    assert document(migration)["featureGates"] == {"A": True, "B": False}
    assert document(migration)["maxPods"] == 11
    assert kept_words(migration) == ["--config=/etc/k.yaml", "--root-dir=/r"]


def test_a_default_that_would_follow_from_a_field_is_written_as_it_is_today() -> None:
    # In a file, the update frequency is the default of the report frequency; flags are applied after the defaults.
    assert document(move("--node-status-update-frequency=4s"))["nodeStatusReportFrequency"] == "5m0s"


@pytest.mark.parametrize(
    ("flags", "minor", "stays"),
    [
        ("--resolv-conf=", 20, "--resolv-conf="),  # no pointer before 1.23
        ("--sync-frequency=0", 30, "--sync-frequency=0"),
        ("--container-runtime-endpoint=unix:///r", 26, "--container-runtime-endpoint=unix:///r"),
        ("--register-with-taints=a:NoSchedule", 22, "--register-with-taints=a:NoSchedule"),
        ("-v 4", 22, "-v 4"),
        ("--root-dir=/data", 36, "--root-dir=/data"),
    ],
)
def test_what_the_file_cannot_say_stays(flags: str, minor: int, stays: str) -> None:
    migration = move(flags, minor=minor)
    assert " ".join(kept_words(migration)[1:]) == stays
    assert migration.flags[1].reason
    assert migration.before == migration.after


@pytest.mark.parametrize(
    ("flags", "minor", "field", "value"),
    [
        ("--resolv-conf=", 30, "resolvConf", ""),
        ("--container-runtime-endpoint=unix:///r", 27, "containerRuntimeEndpoint", "unix:///r"),
        ("-v4", 23, "logging", {"verbosity": 4}),
        ("--log-flush-frequency=5s", 27, "logging", {"flushFrequency": 5_000_000_000}),
        ("--log-flush-frequency=5s", 28, "logging", {"flushFrequency": "5s"}),
        ("--seccomp-default", 30, "seccompDefault", True),
        ("--reserved-memory 0:memory=1Gi", 30, "reservedMemory", [{"numaNode": 0, "limits": {"memory": "1Gi"}}]),
        ("--iptables-drop-bit=3", 31, "iptablesDropBit", 3),  # the flag is gone, the field is not
    ],
)
def test_what_a_newer_file_can_say_goes_into_it(flags: str, minor: int, field: str, value: Any) -> None:
    migration = move(flags, minor=minor)
    assert document(migration)[field] == value
    assert len(kept_words(migration)) == 1


def test_what_one_node_alone_can_have_goes_into_its_instance_config() -> None:
    migration = move("--provider-id=example://n1 --register-with-taints=a=b:NoSchedule --node-ip=10.0.0.1")
    assert migration.instance_config == {
        "providerID": "example://n1",
        "registerWithTaints": [{"key": "a", "value": "b", "effect": "NoSchedule"}],
    }
    assert [flag.name for flag in migration.flags if flag.is_of_node] == ["node-ip"]
    assert "providerID" not in migration.text


@pytest.mark.parametrize(
    ("flags", "minor", "why"),
    [
        ("--container-runtime=remote", 27, "1.27 and newer do not have it: the only runtime"),
        ("--network-plugin=cni", 24, "1.24 and newer do not have it: the container runtime"),
        ("--pod-infra-container-image=x", 35, "1.35 and newer do not have it"),
        ("--logtostderr=true", 26, "1.26 and newer do not have it"),
        ("--seccomp-default=false", 30, "what the file says without it"),
    ],
)
def test_flags_that_no_longer_have_an_effect_are_dropped(flags: str, minor: int, why: str) -> None:
    migration = move(flags, minor=minor)
    assert len(kept_words(migration)) == 1
    assert why in migration.dropped[-1].reason


@pytest.mark.parametrize(
    ("flags", "minor", "why"),
    [
        ("--dynamic-config-dir=/d", 24, "dynamic configuration is gone"),
        ("--reserved-memory=0:memory=1Gi", 20, "it comes with 1.21"),
        ("--max-pods=many", 30, '"many": must be a whole number: the component refuses it, too'),
        ("--feature-gates=NodeSwap=maybe", 30, '"maybe": must be true or false'),
        ("--manifest-url-header=Token=hunter2hunter2", 30, "--manifest-url-header: must be a list of key:value"),
        ("--fail-swap-on false", 30, "'false' is not a flag"),
    ],
)
def test_what_can_neither_go_nor_stay_is_refused(flags: str, minor: int, why: str) -> None:
    assert any(why in message for message in messages(move(flags, minor=minor)))


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("--storage-driver-password=hunter2", ["--storage-driver-password=(a secret, not shown)"]),
        ("--storage-driver-password hunter2", ["--storage-driver-password=(a secret, not shown)"]),
        ("--root-dir=http://u:hunter2@p", ["--root-dir=(a secret, not shown)"]),
        ("--storage-driver-password=", ["--storage-driver-password="]),
        ("--exit-on-lock-contention --root-dir /r", ["--exit-on-lock-contention", "--root-dir", "/r"]),
    ],
)
def test_a_secret_of_a_flag_that_stays_is_not_shown(flags: str, shown: list[str]) -> None:
    migration = move(flags)
    assert [word for flag in migration.flags[1:] for word in flag.shown_words] == shown
    assert kept_words(migration)[1:] == flags.split()
    assert "hunter2" not in "".join(migration.lines)


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "1e400"])
@pytest.mark.parametrize("component", ["kube-proxy", "kube-scheduler"])
def test_a_number_that_no_file_can_hold_is_refused(component: str, value: str) -> None:
    migration = move(f"--kube-api-qps={value}", component=component)
    assert f'--kube-api-qps: "{value}": must be a finite number: the component refuses it, too' in messages(migration)


def test_a_drop_in_keeps_the_flag_that_wins_over_it() -> None:
    migration = move(
        "--config-dir=/d --max-pods=50 --cluster-domain=a",
        drop_ins=[("/d/10.conf", f"{KUBELET_HEADER}maxPods: 30\n")],
    )
    assert kept_words(migration)[1:] == ["--config-dir=/d", "--max-pods=50"]
    assert migration.flags[-1].reason == "/d/10.conf sets maxPods too, and wins over the file"


def test_a_file_that_adds_defaults_leaves_hard_eviction_to_the_flag() -> None:
    text = f"{KUBELET_HEADER}mergeDefaultEvictionSettings: true\n"
    migration = move("--config=/c --eviction-hard=memory.available<50Mi", minor=34, config=("/c", text))
    assert kept_words(migration)[1:] == ["--eviction-hard=memory.available<50Mi"]
    assert 'gets its defaults too: {"memory.available": "50Mi", "nodefs.available": "10%"' in migration.flags[1].reason
    assert migration.before == migration.after
    assert len(migration.after["evictionHard"]) == 1


@pytest.mark.parametrize(
    ("component", "kind", "order"),
    [
        ("kubelet", "kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration", ["f", "a", "b"]),
        ("kube-proxy", "kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration", ["a", "b", "f"]),
    ],
)
def test_levels_of_files_are_added_to_those_of_the_present_file(component: str, kind: str, order: list[str]) -> None:
    """component-base/logs/api/v1/pflags.go appends; kube-proxy's copyLogsFromFlags puts the flags first."""
    text = f"apiVersion: {kind}\nlogging: {{vmodule: [{{filePattern: f, verbosity: 1}}]}}\n"
    migration = move("--config=/c --vmodule=a=1 --vmodule=b=2", component=component, config=("/c", text))
    assert [module["filePattern"] for module in document(migration)["logging"]["vmodule"]] == order
    assert migration.before == migration.after


def test_paths_are_written_out() -> None:
    migration = move("--pod-manifest-path=manifests", directory="/srv")
    assert document(migration)["staticPodPath"] == "/srv/manifests"
    text = f"{KUBELET_HEADER}staticPodPath: manifests\n"
    assert document(move("--config=a/b.yaml", config=("a/b.yaml", text)))["staticPodPath"] == "/a/manifests"


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        ("---node-labels=node.kubernetes.io/name=x", "kubelet has no such flag, did you mean --node-labels?"),
        ("--clustered=1", "kubelet has no such flag"),
        ("--max-pod 58", "kubelet has no such flag, did you mean --max-pods?"),
        ("--Max-Pods=58", "kubelet has no such flag, did you mean --max-pods?"),
        ("-max-pods=58", "'-max-pods=58' is not a flag: the component takes nothing else"),
        ("--cloud-provider=aws", "write external"),
        ("--node-labels=node-role.kubernetes.io/worker=", "the kubelet may not set the label"),
    ],
)
def test_a_flag_that_the_component_refuses_is_refused(flags: str, why: str) -> None:
    migration = move(flags, minor=30)
    assert any(why in message for message in messages(migration, "component"))
    assert {flag.name for flag in migration.flags} <= {"config", "cloud-provider", "node-labels"}


@pytest.mark.parametrize(
    "flags",
    [
        "--client-ca-file=${SNAP_DATA}/certs/ca.crt",
        "--kubeconfig=$(dirname /a)/b",
        "--max-pods={{max_pods}}",
        "--node-ip=$NODE_IP",
        "--hostname-override=%H",
        "--pod-manifest-path=<%=path%>",
        "--eviction-hard=${HARD}",
        "--feature-gates=NodeSwap=true,${GATES}",
    ],
)
def test_a_flag_with_an_unexpanded_variable_stays_as_it_is(flags: str) -> None:
    argv = ["kubelet", flags, "--anonymous-auth=false"]
    migration = migrate("kubelet", argv, version="1.30", directory="/srv")
    assert kept_words(migration) == ["--config=/var/lib/kubelet/config.yaml", flags]
    assert migration.flags[-1].reason == "its value has an unexpanded variable"
    assert messages(migration, "not-judged") == ["the value of a flag"]
    assert not messages(migration, "component")
    assert not any(sign in f"{migration.text}{migration.before}" for sign in ("$", "{{", "%H", "<%"))
    assert migration.before == migration.after


def test_a_word_that_is_a_variable_stays_too() -> None:
    migration = migrate("kubelet", ["kubelet", "$KUBELET_EXTRA_ARGS", "--max-pods=7"], version="1.30")
    assert kept_words(migration)[1:] == ["$KUBELET_EXTRA_ARGS"]
    assert messages(migration, "not-judged") == ["a part of the command line"]
    assert document(migration)["maxPods"] == 7


def test_an_unexpanded_flag_that_a_file_makes_ignored_is_refused() -> None:
    why = "--cluster-cidr: its value has an unexpanded variable: expand it first"
    assert why in messages(move("--cluster-cidr=${CIDR}", component="kube-proxy", minor=30))


@pytest.mark.parametrize(
    ("component", "config", "why"),
    [
        ("nginx", None, "are not known here"),
        ("kubelet", ("/c", "kind: ["), ""),
        ("kubelet", ("/c", "- a\n"), "must be a mapping"),
        ("kubelet", ("/c", "apiVersion: v1\nkind: Pod\n"), "must be a KubeletConfiguration"),
    ],
)
def test_where_there_can_be_no_file_one_sentence_says_why(component: str, config: Any, why: str) -> None:
    migration = move("--max-pods=1", component=component, config=config)
    assert migration.text == ""
    assert len(migration.findings) == 1
    assert why in migration.findings[0].message


def test_the_file_that_flags_name_is_needed() -> None:
    assert messages(move("--config=/etc/k.yaml")) == ["it reads /etc/k.yaml, whose text is needed, too"]


def test_kube_proxy_ignores_flags_when_it_has_a_config_file() -> None:
    text = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ipvs\n"
    migration = move(
        "--config=/p --proxy-mode=iptables --hostname-override=n1 --v=2", component="kube-proxy", config=("/p", text)
    )
    assert document(migration) == {"mode": "ipvs", "logging": {"verbosity": 2}}
    assert migration.instance_config == {"hostnameOverride": "n1"}
    assert [dropped.reason for dropped in migration.dropped if not dropped.field] == [
        "kube-proxy ignores it with --config"
    ]


def test_the_flags_of_kube_proxy_are_moved_to_a_new_file() -> None:
    migration = move(
        "--proxy-mode=ipvs --metrics-bind-address=::1 --metrics-port=99 --kube-api-qps=5.5 --masquerade-all",
        component="kube-proxy",
    )
    assert document(migration) == {
        "clientConnection": {"qps": 5.5},
        "metricsBindAddress": "[::1]:99",
        "mode": "ipvs",
        "iptables": {"masqueradeAll": True},
    }
    assert "cannot switch this server off" in messages(move("--healthz-port=0", component="kube-proxy"))[0]


@pytest.mark.parametrize(
    ("minor", "flags", "expected"),
    [
        (36, "--proxy-mode=ipvs", {"mode": "ipvs", "ipvs": {"minSyncPeriod": "1s"}}),
        (36, "--proxy-mode=ipvs --ipvs-min-sync-period=5s", {"mode": "ipvs", "ipvs": {"minSyncPeriod": "5s"}}),
        (36, "--proxy-mode=iptables", {"mode": "iptables"}),
        (30, "--proxy-mode=ipvs", {"mode": "ipvs"}),
        (
            36,
            "--proxy-mode=nftables --iptables-min-sync-period=7s --iptables-sync-period=9s --masquerade-all",
            {
                "mode": "nftables",
                "nftables": {"minSyncPeriod": "7s", "syncPeriod": "9s", "masqueradeAll": True},
            },
        ),
        (
            30,
            "--proxy-mode=nftables --masquerade-all --feature-gates=NFTablesProxyMode=true",
            {
                "mode": "nftables",
                "iptables": {"masqueradeAll": True},
                "featureGates": {"NFTablesProxyMode": True},
            },
        ),
    ],
)
def test_flags_of_kube_proxy_that_depend_on_its_mode_become_fields(minor: int, flags: str, expected: Any) -> None:
    """cmd/kube-proxy/app/options.go (1.31): a flag of iptables mode sets nftables mode too, its default IPVS mode."""
    migration = move(flags, component="kube-proxy", minor=minor)
    assert not messages(migration)
    assert document(migration) == expected


@pytest.mark.parametrize("component", ["kube-proxy", "kube-scheduler"])
def test_a_relative_path_is_one_of_the_working_directory(component: str) -> None:
    """Their files' paths are not resolved against the file: they begin at the working directory as well."""
    migration = move("--kubeconfig=a.conf", component=component, directory="/srv")
    assert document(migration) == {"clientConnection": {"kubeconfig": "/srv/a.conf"}}
    assert not messages(migration)


def test_kube_proxy_keeps_the_flags_of_cadvisor() -> None:
    migration = move("--machine-id-file=/a --boot-id-file=/b", component="kube-proxy", minor=36)
    assert kept_words(migration)[1:] == ["--machine-id-file=/a", "--boot-id-file=/b"]
    assert not messages(migration)


def test_the_flags_of_kube_scheduler_are_moved() -> None:
    migration = move(
        "--kubeconfig=/s --leader-elect=false --secure-port=10259 --feature-gates=A=true", component="kube-scheduler"
    )
    assert document(migration) == {"leaderElection": {"leaderElect": False}, "clientConnection": {"kubeconfig": "/s"}}
    assert [flag.name for flag in migration.flags] == ["config", "secure-port", "feature-gates"]
    assert yaml.safe_load(migration.text)["apiVersion"] == "kubescheduler.config.k8s.io/v1"
    assert messages(move("--policy-config-file=/p", component="kube-scheduler", minor=20))


@pytest.mark.parametrize("flag", ["--port=0", "--address=127.0.0.1"])
def test_the_schedulers_server_without_tls_is_set_by_its_file(flag: str) -> None:
    """cmd/kube-scheduler/app/options (1.20): with a file, only its bind addresses count, and they have a default."""
    (why,) = messages(move(flag, component="kube-scheduler", minor=20))
    assert "a file says it as healthzBindAddress and metricsBindAddress" in why
    assert move(flag, component="kube-scheduler", minor=24).dropped[0].reason.endswith("the server without TLS is gone")


@pytest.mark.parametrize(
    ("component", "kind", "flag"),
    [
        ("kube-proxy", "kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration", "--healthz-port=0"),
        ("kube-scheduler", "kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration", "--port=0"),
    ],
)
def test_flags_without_an_effect_next_to_the_present_file_are_dropped(component: str, kind: str, flag: str) -> None:
    migration = move(f"--config=/c {flag}", component=component, minor=20, config=("/c", f"apiVersion: {kind}\n"))
    assert [dropped.reason for dropped in migration.dropped] == [f"{component} ignores it with --config"]
    assert not messages(migration)


FOUND = flag_set("kubelet")
assert FOUND is not None
KUBELET = FOUND
TEXTS: dict[str, st.SearchStrategy[str]] = {
    "string": st.sampled_from(["", "none", "/a/b", "0.0.0.0", "x y", "true", "1e3"]),
    "bool": st.sampled_from(["true", "false", "T", "0"]),
    "int": st.integers(-2, 300).map(str),
    "float": st.sampled_from(["0", "1.5", "50"]),
    "duration": st.sampled_from(["0", "0s", "1m", "90s", "1.5h", "10ms"]),
    "list": st.lists(st.sampled_from(["a", "b", "10.0.0.1"]), max_size=3).map(",".join),
    "map": st.lists(st.sampled_from(["cpu=1", "memory=1Gi", "pid=0"]), max_size=3).map(",".join),
    "mapLess": st.lists(st.sampled_from(["memory.available<1Gi", "nodefs.available<5%"]), max_size=2).map(",".join),
    "mapBool": st.lists(st.sampled_from(["NodeSwap=true", "AllAlpha=false", "X=t"]), max_size=3).map(",".join),
    "headers": st.sampled_from(["", "a:b", "a:b,a:c,d:e"]),
    "taints": st.sampled_from(["", "a=b:NoSchedule", "a:NoExecute,b=c:NoSchedule"]),
    "reservedMemory": st.sampled_from(["", "0:memory=1Gi", "0:memory=1Gi;1:memory=2Gi"]),
    "vmodule": st.sampled_from(["", "a=1", "a=1,b*=2"]),
    "looseMap": st.sampled_from(["", "a=b", "a,b=c"]),
    "tristate": st.sampled_from(["true", "false", "raw"]),
}


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[int, list[str]]:
    """Draw a minor, and flags that its kubelet has."""
    minor = draw(st.integers(20, 36))
    known = [flag for flag in KUBELET.flags.values() if flag.known_at(minor) and flag.name != "config"]
    flags = draw(st.lists(st.sampled_from(known), max_size=12))
    return minor, [f"--{flag.name}={draw(TEXTS[flag.form])}" for flag in flags]


@fuzz(150)
@given(command_lines(), st.sampled_from(["", "maxPods: 7\nnodeStatusUpdateFrequency: 3s\n", "resolvConf: ''\n"]))
def test_nothing_that_the_component_does_changes(line: tuple[int, list[str]], fields: str) -> None:
    minor, words = line
    config = ("/c.yaml", KUBELET_HEADER + fields) if fields else None
    if config:
        words = [*words, "--config=/c.yaml"]
    migration = migrate("kubelet", ["kubelet", *words], version=f"1.{minor}", config=config)
    assert not [finding for finding in migration.findings if "instead of" in finding.message]
    if not any(finding.rule == "flags" and finding.level == "component" for finding in migration.findings):
        assert migration.before == migration.after


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = [flag.field[0] for flag in KUBELET.flags.values() if flag.field]


@fuzz(100)
@given(command_lines(), st.dictionaries(st.sampled_from(NAMES), ANYTHING, max_size=5))
def test_whatever_the_present_file_holds_there_is_an_answer(
    line: tuple[int, list[str]], fields: dict[Any, Any]
) -> None:
    minor, words = line
    text = json.dumps({**KUBELET_KIND, **fields})
    migration = migrate("kubelet", ["kubelet", *words, "--config=/c"], version=f"1.{minor}", config=("/c", text))
    assert migration.text or migration.findings


def test_a_version_newer_than_the_data_is_not_judged_in_full() -> None:
    migration = migrate("kubelet", ["kubelet", "--max-pods=1"], version=f"v{NEXT_RELEASE}.2")
    assert migration.text
    assert [finding.level for finding in migration.findings] == ["not-judged"]
    with pytest.raises(ConfigError, match=r"Kubernetes 1.19 is not known here"):
        migrate("kubelet", ["kubelet"], version="v1.19.2")
