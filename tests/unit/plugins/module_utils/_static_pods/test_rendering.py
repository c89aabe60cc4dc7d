# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options applied to an init manifest: flags, files, mounts, and the hash that names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_options import (
    Options,
    read_options,
)
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import Manifest, Mount, read_manifest
from ansible_collections.configok.node.plugins.module_utils._static_pods.mounts import (
    HostPath,
    host_path_problem,
    mount_findings,
)
from ansible_collections.configok.node.plugins.module_utils._static_pods.rendered_manifest import (
    RenderedManifest,
    hash_options,
    render,
)
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import AUDIT_POLICY, KUBEADM_APISERVER, component_options


def init(*flags: str, component: str = "kube-apiserver", **container: Any) -> Manifest:
    return read_manifest(manifest_bytes(kubeadm_pod(component, *flags, **container)), f"{component}.yaml")


def options(
    flags: Mapping[str, Any] | None = None,
    files: Mapping[str, Any] | None = None,
    component: str = "kube-apiserver",
) -> Options:
    return read_options(component_options(flags, files, component))


def added(rendered: RenderedManifest, before: Manifest) -> list[str]:
    return [argument for argument in rendered.manifest.arguments if argument not in before.arguments]


def gone(rendered: RenderedManifest, before: Manifest) -> list[str]:
    return [argument for argument in before.arguments if argument not in rendered.manifest.arguments]


def test_no_options_are_the_init_manifest_byte_for_byte() -> None:
    before = init()
    rendered = render(before, options())
    assert rendered == RenderedManifest(before)
    assert rendered.manifest.source == before.source


def test_options_replace_add_and_remove_flags() -> None:
    before = init("--profiling=true", "--event-ttl=2h", "--vmodule=a=1")
    rendered = render(before, options({"profiling": False, "event-ttl": None, "audit-log-maxage": 30}))
    assert added(rendered, before) == ["--profiling=false", "--audit-log-maxage=30"]
    assert gone(rendered, before) == ["--profiling=true", "--event-ttl=2h"]
    assert rendered.manifest.arguments.index("--profiling=false") == before.arguments.index("--profiling=true")
    pod, pod_before = dict(rendered.manifest.pod), dict(before.pod)
    assert rendered.manifest.applied_options == rendered.options_hash
    assert pod["spec"]["volumes"] == pod_before["spec"]["volumes"]
    assert pod["spec"]["containers"][0] == {
        **pod_before["spec"]["containers"][0],
        "command": ["kube-apiserver", *rendered.manifest.arguments],
    }
    assert {**pod["metadata"], "annotations": None} == {**pod_before["metadata"], "annotations": None}
    assert rendered.files == {}


def test_every_use_of_a_flag_is_replaced_however_it_is_written() -> None:
    before = init("--event-ttl", "2h", "--enable_admission_plugins=A", "--v", "2", "-v=4")
    rendered = render(
        before, options({"event-ttl": "1h", "enable-admission-plugins": ["NodeRestriction", "B"], "v": 3})
    )
    arguments = rendered.manifest.arguments
    assert [word for word in arguments if "2h" in word or word.startswith("-v") or word == "--v"] == []
    assert [word for word in arguments if "admission" in word] == ["--enable-admission-plugins=NodeRestriction,B"]
    assert len(arguments) == len(KUBEADM_APISERVER) + 2


@pytest.mark.parametrize(
    ("below", "gates", "result"),
    [
        (["--feature-gates=A=true,B=false"], {"B": True, "C": False}, "A=true,B=true,C=false"),
        (["--feature-gates=A=true", "--feature-gates=B=true"], {"A": False}, "A=false,B=true"),
        (["--feature-gates=kube:A=true"], {"A": False}, "A=false"),
        (["--feature-gates=$(GATES)"], {"A": False}, "$(GATES),A=false"),
        ([], {"B": True, "A": True}, "A=true,B=true"),
        (["--feature-gates="], {"A": True}, "A=true"),
    ],
)
def test_feature_gates_are_merged_by_key(below: list[str], gates: Mapping[str, bool], result: str) -> None:
    rendered = render(init(*below), options({"feature-gates": gates}))
    named = [word for word in rendered.manifest.arguments if "feature-gates" in word]
    assert named == [f"--feature-gates={result}"]


def test_an_empty_list_leaves_a_repeated_flag_without_any_use() -> None:
    rendered = render(init("--tls-sni-cert-key=a,b", "--tls-sni-cert-key=c,d"), options({"tls-sni-cert-key": []}))
    assert [word for word in rendered.manifest.arguments if "sni" in word] == []


def test_the_kubelet_expands_nothing_in_a_value() -> None:
    rendered = render(init(), options({"audit-log-format": "$(HOME)$"}))
    assert rendered.manifest.arguments[-1] == "--audit-log-format=$$(HOME)$$"


def test_a_flag_that_a_release_knows_with_underscores_only_has_them() -> None:
    component = "kube-controller-manager"
    rendered = render(init(component=component), options({"concurrent-rc-syncs": 3}, component=component))
    assert rendered.manifest.arguments[-1] == "--concurrent_rc_syncs=3"


def test_files_are_in_a_directory_that_their_hash_names_and_that_is_mounted_whole() -> None:
    plugins = [{"name": "EventRateLimit", "path": "limits.yaml"}]
    admission = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration", "plugins": plugins}
    limits = {"apiVersion": "eventratelimit.admission.k8s.io/v1alpha1", "kind": "Configuration", "limits": []}
    files = {
        "admission.yaml": {"content": admission},
        "limits.yaml": {"content": limits},
        "audit.yaml": {"content": AUDIT_POLICY},
        "webhook.conf": {"flag": "audit-webhook-config-file", "content": "a text\n"},
    }
    before = init()
    rendered = render(before, options(files=files))
    directory = f"/etc/kubernetes/configok/kube-apiserver/{rendered.options_hash}"
    assert rendered.directory == directory
    assert added(rendered, before) == [
        f"--admission-control-config-file={directory}/admission.yaml",
        f"--audit-policy-file={directory}/audit.yaml",
        f"--audit-webhook-config-file={directory}/webhook.conf",
    ]
    assert (
        yaml.safe_load(rendered.files["admission.yaml"]) == admission
    )  # a relative path begins at this file's directory
    assert yaml.safe_load(rendered.files["limits.yaml"]) == limits
    assert rendered.files["webhook.conf"] == b"a text\n"
    parent = "/etc/kubernetes/configok/kube-apiserver"
    spec = rendered.manifest.pod["spec"]
    assert spec["volumes"][-1] == {"name": "configok-options", "hostPath": {"path": parent, "type": "Directory"}}
    mount = {"name": "configok-options", "mountPath": parent, "readOnly": True}
    assert spec["containers"][0]["volumeMounts"][-1] == mount


def test_the_hash_is_of_what_is_asked_for_and_nothing_else() -> None:
    first = options({"a": 1, "feature-gates": {"A": True, "B": True}}, {"x.yaml": {"content": AUDIT_POLICY}})
    reordered = dict(reversed(list(AUDIT_POLICY.items())))
    same = options({"feature-gates": {"B": "true", "A": True}, "a": "1"}, {"x.yaml": {"content": reordered}})
    assert hash_options(first) == hash_options(same)
    assert render(init(), first) == render(init(), same)
    changed = [
        options({**first.flags, "a": 2}, {"x.yaml": {"content": AUDIT_POLICY}}),
        options({**first.flags, "b": None}, {"x.yaml": {"content": AUDIT_POLICY}}),
        options(first.flags, {"x.yaml": {"content": {**AUDIT_POLICY, "omitStages": []}}}),
        options(first.flags, {"y.yaml": {"content": AUDIT_POLICY}}),
    ]
    assert len({hash_options(item) for item in (first, *changed)}) == 5
    assert render(init(image="other:1"), first).options_hash == hash_options(first)


def test_the_kubelet_reads_each_text_of_a_manifest_as_it_was() -> None:
    pod = kubeadm_pod("kube-apiserver")
    texts = ["on", "1e3", "017", "~", "null", "1:20", "2020-01-01", "yes", "=", "a: b", "# c", " x", "0x1f", "1_000"]
    pod["metadata"]["annotations"] = {f"key{number}": text for number, text in enumerate(texts)}
    before = read_manifest(manifest_bytes(pod), "kube-apiserver.yaml")
    after = render(before, options({"event-ttl": "1h"})).manifest
    for key, text in before.pod["metadata"]["annotations"].items():
        assert after.pod["metadata"]["annotations"][key] == text


@pytest.mark.parametrize(
    ("command", "args", "fields"),
    [
        (["kube-apiserver"], ["--a"], ("command", ["kube-apiserver"], ["--a", "--event-ttl=1h"])),
        (["kube-apiserver", "--a"], ["--b"], ("command", ["kube-apiserver", "--a", "--b", "--event-ttl=1h"], None)),
        (["/go-runner"], ["kube-apiserver"], ("command", ["/go-runner"], ["kube-apiserver", "--event-ttl=1h"])),
        (["kube-apiserver"], None, ("command", ["kube-apiserver", "--event-ttl=1h"], None)),
    ],
)
def test_arguments_stay_in_the_field_that_has_them(
    command: list[str], args: list[str] | None, fields: tuple[str, list[str], list[str] | None]
) -> None:
    container = render(init(command=command, args=args), options({"event-ttl": "1h"})).manifest.container
    assert ("command", container.get("command"), container.get("args")) == fields


PLUGIN_ELSEWHERE = {
    "apiVersion": "apiserver.config.k8s.io/v1",
    "kind": "AdmissionConfiguration",
    "plugins": [{"name": "EventRateLimit", "path": "/opt/limits.yaml"}],
}
AUDIT_LOG = {"audit-log-path": "/var/log/audit/a.log"}


def test_a_path_outside_the_mounts_is_mounted_where_the_node_allows_it() -> None:
    before, own = init(), options(AUDIT_LOG)
    allowed = [HostPath("/var/log/audit", is_writable=True)]
    assert list(mount_findings(before, own, allowed)) == []
    spec = render(before, own, host_paths=allowed).manifest.pod["spec"]
    volume = {"name": "configok-options", "hostPath": {"path": "/var/log/audit", "type": "Directory"}}
    assert spec["volumes"][-1] == volume
    mount = {"name": "configok-options", "mountPath": "/var/log/audit", "readOnly": False}
    assert spec["containers"][0]["volumeMounts"][-1] == mount
    nested = [HostPath("/srv/k8s/audit", is_writable=True), HostPath("/srv/k8s")]
    log = {"audit-log-path": "/srv/k8s/audit/a.log", "audit-policy-file": "/srv/k8s/p.yaml"}
    for order in (nested, nested[::-1]):
        assert list(mount_findings(before, options(log), order)) == []
        mounts = render(before, options(log), host_paths=order).manifest.mounts
        assert {Mount("/srv/k8s", "/srv/k8s"), Mount("/srv/k8s/audit", "/srv/k8s/audit", True)} <= set(mounts)
    both = options({**AUDIT_LOG, "log-file": "/var/log/audit/b.log"}, {"audit.yaml": {"content": AUDIT_POLICY}})
    names = [volume["name"] for volume in render(before, both, host_paths=allowed).manifest.pod["spec"]["volumes"]]
    assert names[2:] == ["configok-options", "configok-options-1"]


@pytest.mark.parametrize(
    ("flags", "files", "allowed", "field", "sentence"),
    [
        (AUDIT_LOG, {}, [], ("flags", "audit-log-path"), "the node's own config does not allow it (hostPaths)"),
        (AUDIT_LOG, {}, [HostPath("/var/log")], ("flags", "audit-log-path"), "to be read only (hostPaths)"),
        (AUDIT_LOG, {}, [HostPath("/var/lo")], ("flags", "audit-log-path"), "does not allow it (hostPaths)"),
        (
            {"audit-log-path": "/etc/ssl/certs/a.log"},
            {},
            [],
            ("flags", "audit-log-path"),
            "the manifest mounts /etc/ssl/certs read-only",
        ),
        (
            {"audit-policy-file": "/etc/kubernetes/policy.yaml"},
            {},
            [HostPath("/etc")],
            ("flags", "audit-policy-file"),
            "nothing below /etc/kubernetes, /var/lib/kubelet, /var/lib/etcd is mounted for a bundle",
        ),
        (
            {},
            {"a.yaml": {"content": PLUGIN_ELSEWHERE}},
            [],
            ("files", "a.yaml", "content", "plugins", 0, "path"),
            "does not allow it (hostPaths)",
        ),
        (
            {"audit-policy-file": "/opt/p.yaml"},
            {},
            [HostPath("/opt/p.yaml")],
            ("flags", "audit-policy-file"),
            "to be mounted, which must be a directory (hostPaths)",
        ),
        (
            {},
            {"a": {"flag": "audit-policy-file", "path": "p.yaml"}},
            [],
            ("files", "a", "path"),
            "must be an absolute path",
        ),
        (
            {},
            {"enc.yaml": {"flag": "encryption-provider-config", "path": "/var/lib/etcd/../etcd/enc.yaml"}},
            [HostPath("/var")],
            ("files", "enc.yaml", "path"),
            "nothing below",
        ),
    ],
)
def test_what_the_container_cannot_have_is_a_finding(
    flags: Mapping[str, Any],
    files: Mapping[str, Any],
    allowed: list[HostPath],
    field: tuple[str, ...],
    sentence: str,
) -> None:
    (finding,) = mount_findings(init(), options(flags, files), allowed)
    assert finding.path == field
    assert sentence in finding.message


def test_a_volume_that_is_not_of_the_node_has_none_of_its_files() -> None:
    pod = kubeadm_pod("kube-apiserver")
    pod["spec"]["volumes"].append({"name": "empty", "emptyDir": {}})
    pod["spec"]["containers"][0]["volumeMounts"].append({"name": "empty", "mountPath": "/var/log/audit"})
    manifest = read_manifest(manifest_bytes(pod), "kube-apiserver.yaml")
    (finding,) = mount_findings(manifest, options(AUDIT_LOG), [HostPath("/var/log/audit", is_writable=True)])
    assert "which is not a directory of the node" in finding.message


@pytest.mark.parametrize(
    "path", ["/", "/etc", "/etc/kubernetes", "/etc/kubernetes/x", "/var", "/var/lib", "logs", "/a/../b"]
)
def test_a_directory_with_the_keys_of_a_cluster_is_never_mounted(path: str) -> None:
    assert host_path_problem(HostPath(path)) != ""
    assert host_path_problem(HostPath("/var/log/audit")) == ""


@pytest.mark.parametrize("kind", ["File", ""])
@pytest.mark.parametrize("place", ["flags", "files"])
def test_a_file_that_is_read_again_is_not_mounted_alone(kind: str, place: str) -> None:
    pod = kubeadm_pod("kube-apiserver")
    pod["spec"]["volumes"].append({"name": "one", "hostPath": {"path": "/opt/authn.yaml", "type": kind}})
    pod["spec"]["containers"][0]["volumeMounts"].append({"name": "one", "mountPath": "/opt/authn.yaml"})
    manifest = read_manifest(manifest_bytes(pod), "kube-apiserver.yaml")
    own = (
        options({"authentication-config": "/opt/authn.yaml"})
        if place == "flags"
        else options(files={"authn.yaml": {"flag": "authentication-config", "path": "/opt/authn.yaml"}})
    )
    (finding,) = mount_findings(manifest, own, [])
    assert "as a single file, so that a new one is never seen there" in finding.message


@pytest.mark.parametrize("arguments", [["--event-ttl"], ["word"], ["--"], ["-x"]])
def test_a_manifest_that_the_component_does_not_take_gets_no_options(arguments: list[str]) -> None:
    with pytest.raises(ConfigError, match="the arguments of kube-apiserver cannot be read"):
        render(init(*arguments), options({"profiling": False}))


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8)
VALUES = st.one_of(
    WORDS, st.booleans(), st.integers(-5, 5), st.lists(st.sampled_from(["a", "b"]), max_size=2), st.none()
)
FLAGS = st.dictionaries(
    st.sampled_from(["event-ttl", "profiling", "v", "vmodule", "x-unknown", "goaway-chance"]), VALUES
)
BASE = st.lists(
    st.one_of(
        st.sampled_from(
            ["--event-ttl=1h", "--event-ttl", "2h", "--profiling", "-v=3", "--v", "--", "word", "--x_unknown"]
        ),
        WORDS,
    ),
    max_size=6,
)


@given(FLAGS, BASE)
def test_options_applied_twice_are_applied_once(flags: dict[str, Any], base: list[str]) -> None:
    """Whatever the arguments are: the flags of options are there once, and all others are as they were."""
    before, own = init(*base), options(flags)
    try:
        once = render(before, own)
    except ConfigError:
        return  # a value of a type that the flag cannot have, or arguments that the component does not take
    twice = render(once.manifest, own)
    assert sorted(twice.manifest.arguments) == sorted(once.manifest.arguments)
    kept = [word for word in KUBEADM_APISERVER if word in once.manifest.arguments]
    assert kept == list(KUBEADM_APISERVER)
