# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials of agents and users: kubeconfigs, merged ones, exec plugins, service accounts, overriding options."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    ENVIRONMENT,
    KUBE_ARGUMENT_SPEC,
    client_from_params,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import CredentialsError
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import PluginRequired, from_kubeconfig
from ansible_collections.configok.node.plugins.module_utils._kube.user_credentials import load_credentials

Write = Callable[..., str]
SECRET = base64.b64encode(b"PEM").decode()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a kubeconfig with one context and returns its path."""

    def make(user: Any = None, cluster: Any = None, name: str = "config", **more: Any) -> str:
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "ctx",
            "contexts": [{"name": "ctx", "context": {"cluster": "c", "user": "u", "namespace": "ns"}}],
            "clusters": [{"name": "c", "cluster": cluster or {"server": "https://api:6443/"}}],
            "users": [{"name": "u", "user": user or {}}],
            **more,
        }
        path = tmp_path / name
        path.write_text(json.dumps(config))
        return str(path)

    return make


def test_a_kubelets_kubeconfig_is_read(write: Write, tmp_path: Path) -> None:
    path = write(
        {"client-certificate": "pki/current.pem", "client-key": "/abs/key.pem"},
        {"server": "https://api:6443/", "certificate-authority-data": SECRET, "tls-server-name": "kubernetes"},
    )
    credentials = from_kubeconfig(path)
    assert credentials.server == "https://api:6443"
    assert (credentials.cert_file, credentials.key_file) == (str(tmp_path / "pki/current.pem"), "/abs/key.pem")
    assert (credentials.ca_data, credentials.tls_server_name, credentials.verify, credentials.namespace) == (
        b"PEM",
        "kubernetes",
        True,
        "ns",
    )
    assert credentials.files() == (path, str(tmp_path / "pki/current.pem"), "/abs/key.pem")
    assert credentials.refresh is not None
    assert credentials.refresh()._replace(refresh=None) == credentials._replace(refresh=None)


def test_data_and_token_files_win_as_in_kubectl(write: Write, tmp_path: Path) -> None:
    credentials = from_kubeconfig(
        write({"client-certificate": "x", "client-certificate-data": SECRET, "token": "t", "tokenFile": "token"})
    )
    assert (credentials.cert_file, credentials.cert_data) == (None, b"PEM")
    assert (credentials.token, credentials.token_file) == (None, str(tmp_path / "token"))


@pytest.mark.contract("manners.exec-plugin")
@pytest.mark.parametrize(
    ("user", "words"),
    [
        ({"exec": {"command": "aws"}}, "user 'u' in .* needs the exec plugin aws, which is not run here"),
        ({"auth-provider": {"name": "oidc"}}, "needs the auth provider oidc"),
    ],
)
def test_plugins_are_refused_on_a_node(write: Write, user: Any, words: str) -> None:
    with pytest.raises(PluginRequired, match=words):
        from_kubeconfig(write(user))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"current-context": None}, "has no current-context"),
        ({"current-context": "other"}, "has no context 'other'"),
        ({"contexts": None}, "has no context 'ctx'"),
        ({"clusters": []}, "has no cluster 'c'"),
        ({"users": [7]}, "has no user 'u'"),
        ({"cluster": {"insecure-skip-tls-verify": True}}, "cluster 'c' in .* has no server"),
        ({"user": {"token": True}}, "token in .* is not text: put it in quotes"),
        ({"user": {"client-key-data": "%%%"}}, "client-key-data in .* is not base64"),
        ({"user": {"as": "root"}}, "impersonates another"),
    ],
)
def test_the_message_names_the_error_in_the_kubeconfig(write: Write, change: Any, words: str) -> None:
    with pytest.raises(CredentialsError, match=words):
        from_kubeconfig(write(**change))


@pytest.mark.contract("manners.no-secret")
@pytest.mark.parametrize("text", ["", "- a", "token: s3cret: x", "\x00", "a: &a [*a", "[" * 100_000])
def test_a_file_that_is_not_a_kubeconfig_is_not_quoted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(CredentialsError) as caught:
        from_kubeconfig(str(path))
    assert str(path) in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(CredentialsError, match="the kubeconfig /nowhere/config cannot be read: No such file"):
        from_kubeconfig("/nowhere/config")


def test_options_win_also_after_a_refresh(write: Write) -> None:
    credentials = load_credentials(
        kubeconfig=write({"token": "t"}), host="https://other", api_key="given", validate_certs=False, environ={}
    )
    assert (credentials.server, credentials.token, credentials.verify) == ("https://other", "given", False)
    assert credentials.refresh is not None
    assert credentials.refresh()._replace(refresh=None) == credentials._replace(refresh=None)


def test_host_and_key_need_no_kubeconfig(write: Write) -> None:
    credentials = load_credentials(host="https://x", api_key="k", environ={"KUBECONFIG": write({"token": "t"})})
    assert (credentials.server, credentials.token, credentials.source) == ("https://x", "k", None)


def test_the_service_account_is_used_in_a_pod(tmp_path: Path) -> None:
    environ = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443", "KUBECONFIG": "/nowhere"}
    credentials = load_credentials(environ=environ, service_account=str(tmp_path))
    assert credentials.server == "https://[fd00::1]:443"
    assert (credentials.ca_file, credentials.token_file) == (str(tmp_path / "ca.crt"), str(tmp_path / "token"))


def test_credentials_must_be_given() -> None:
    with pytest.raises(CredentialsError, match="no API server is given"):
        load_credentials(environ={"KUBECONFIG": "/nowhere"})
    with pytest.raises(CredentialsError, match="there is no kubeconfig /nowhere"):
        load_credentials(kubeconfig="/nowhere", environ={})


def test_several_kubeconfigs_are_merged(write: Write) -> None:
    first = write(name="one", users=[])
    second = write({"client-certificate-data": SECRET, "client-key-data": SECRET}, name="two", contexts=[], clusters=[])
    credentials = load_credentials(environ={"KUBECONFIG": f"{first}:/nowhere:{second}"})
    assert credentials.server == "https://api:6443"
    assert (credentials.cert_data, credentials.key_data, credentials.cert_file) == (b"PEM", b"PEM", None)
    # A second time: the package remembers the names of removed files.
    assert credentials.refresh is not None
    assert credentials.refresh().cert_data == b"PEM"


def exec_user(tmp_path: Path, script: str) -> dict[str, Any]:
    program = tmp_path / "plugin"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": str(program),
            "interactiveMode": "Never",
            "provideClusterInfo": False,
        }
    }


def test_an_exec_plugin_is_run_and_run_again(write: Write, tmp_path: Path) -> None:
    script = f"""
n=$(cat {tmp_path}/count 2>/dev/null || echo 0); n=$((n + 1)); echo $n >{tmp_path}/count
echo '{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",'
echo ' "status": {{"token": "token-'$n'"}}}}'
"""
    credentials = load_credentials(kubeconfig=write(exec_user(tmp_path, script)), environ={})
    assert credentials.token == "token-1"
    assert credentials.refresh is not None
    assert credentials.refresh().token == "token-2"


def test_a_failing_exec_plugin_does_not_make_the_user_anonymous(write: Write, tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match=r"gives no credentials: .*sorry"):
        load_credentials(kubeconfig=write(exec_user(tmp_path, "echo sorry >&2; exit 3")), environ={})


def test_an_exec_plugin_that_is_of_no_use_is_named_with_its_hint(write: Write, tmp_path: Path) -> None:
    user = exec_user(tmp_path, "echo please log in")
    with pytest.raises(CredentialsError, match=rf"the exec plugin {tmp_path}/plugin: exec: failed to decode"):
        load_credentials(kubeconfig=write(user), environ={})
    user["exec"].update(command=str(tmp_path / "missing"), installHint="install the tool with `make tool`")
    with pytest.raises(
        CredentialsError,
        match=rf"the exec plugin {tmp_path}/missing \(install the tool with `make tool`\): .*No such file",
    ):
        load_credentials(kubeconfig=write(user), environ={})


def test_params_win_over_the_environment() -> None:
    environ = {"K8S_AUTH_HOST": "https://env", "K8S_AUTH_API_KEY": "k", "K8S_AUTH_VERIFY_SSL": "no"}
    with client_from_params({"connections": 3, "request_timeout": 5}, environ) as client:
        assert client.server == "https://env"
    with client_from_params({"host": "https://given"}, environ) as client:
        assert client.server == "https://given"
    with pytest.raises(CredentialsError, match="K8S_AUTH_VERIFY_SSL is 'maybe'"):
        client_from_params({}, {**environ, "K8S_AUTH_VERIFY_SSL": "maybe"})


def test_the_documentation_equals_the_spec() -> None:
    source = Path(load_credentials.__code__.co_filename).parents[2] / "doc_fragments" / "kube.py"
    names: dict[str, Any] = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    options = yaml.safe_load(names["ModuleDocFragment"].DOCUMENTATION)["options"]
    assert set(options) == set(KUBE_ARGUMENT_SPEC)
    for name, option in options.items():
        spec = KUBE_ARGUMENT_SPEC[name]
        assert (option["type"], option.get("default")) == (spec["type"], spec.get("default"))
        if name in ENVIRONMENT:
            assert f"E({ENVIRONMENT[name]})" in " ".join(option["description"])
