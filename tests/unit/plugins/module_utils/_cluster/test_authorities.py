# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CA of the clients that a new kubelet accepts is that of the API server, wherever the run's kubeconfig is from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster import ClusterRefused
from ansible_collections.configok.node.plugins.module_utils._cluster._access_objects import Access, desired_objects
from ansible_collections.configok.node.plugins.module_utils._cluster.authorities import client_ca
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from support.api.servers import Embedded, start_embedded

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nY2xpZW50cw==\n-----END CERTIFICATE-----\n"
NAME = "extension-apiserver-authentication"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Embedded]:
    server = start_embedded(tmp_path)
    yield server
    server.stop()


def write(api: Embedded, data: Any) -> None:
    """Write what kube-apiserver says of its own flags."""
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": data}
    api.client().create(paths.config_maps("kube-system"), body)


def test_it_is_the_authority_that_the_api_server_names(api: Embedded) -> None:
    write(api, {"client-ca-file": f"a comment\n{CERTIFICATE}", "requestheader-client-ca-file": "of a proxy"})
    assert client_ca(api.client()) == CERTIFICATE


@pytest.mark.parametrize("data", [None, {}, {"client-ca-file": ""}, {"client-ca-file": "no certificate"}])
def test_without_an_authority_a_machine_is_refused_in_one_sentence(api: Embedded, data: Any) -> None:
    if data is not None:
        write(api, data)
    with pytest.raises(ClusterRefused) as refused:
        client_ca(api.client())
    assert str(refused.value) == (
        f"ConfigMap kube-system/{NAME} has no certificate in client-ca-file, so a new kubelet would not know whose "
        "certificates to accept: start kube-apiserver with --client-ca-file"
    )


def test_the_role_for_machines_reads_that_config_map_and_no_other_there() -> None:
    subject = {"kind": "User", "name": "builder"}
    rules = [
        rule
        for item in desired_objects(Access(machine_subjects=[subject]))
        if item["metadata"].get("namespace") == "kube-system"
        for rule in item.get("rules", ())
        if "configmaps" in rule["resources"]
    ]
    assert rules == [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [NAME], "verbs": ["get"]}]
