# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields hold paths, and what a relative one means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.path_fields import (
    PATH_FIELDS,
    is_relative,
    resolve_paths,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.bundle_policy import bundle_findings

LOOKS_LIKE_A_PATH = re.compile(
    r"(file|files|path|paths|dir|directory|folder|mount|volume|conf|kubeconfig|socket|udsname"
    r"|certificate|certificate-authority|client-key|clientkey|clientcert|cabundle|certificateauthority|endpoint)$",
    re.IGNORECASE,
)
NO_PATHS = {
    r"conditions\.\*\.path": "a path of URLs",
    r"issuer\.certificateAuthority": "certificates, written out",
    r"extraVolumes\.\*\.mountPath": "inside the container",
    r"fieldRef\.fieldPath": "a field of the pod",
    r"fileKeyRef\.path": "inside a volume of the pod",
    r"(^|\.)criSocket": "a URL, or a path that kubeadm makes one",
    r"^discovery\.file\.kubeConfigPath": "a URL as well",
    r"[eE]ndpoint$": "a URL, or a host and a port",
}
"""Fields that only look like paths, as patterns, each with the reason."""


def fields_of(fields: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield all fields of a tree, as path and type; `*` for any index or key."""
    for name, field in fields.items():
        kind = field.get("type", "string")
        yield above + name, kind
        many = kind.startswith(("list<", "map<"))
        yield from fields_of(field.get("fields", {}), f"{above}{name}{'.*' if many else ''}.")


def test_no_path_field_is_forgotten() -> None:
    """A new field whose name looks like a path belongs in the table of paths, or above with a reason."""
    forgotten = [
        f"{kind.kind} {kind.api_version}: {path}"
        for kind in kinds()
        for path, type_name in fields_of(kind.fields)
        if type_name in ("string", "list<string>")
        and LOOKS_LIKE_A_PATH.search(path)
        and path not in PATH_FIELDS.get(kind.kind, ())
        and not any(re.search(pattern, path) for pattern in NO_PATHS)
    ]
    assert forgotten == []


def test_every_exception_is_needed() -> None:
    paths = {path for kind in kinds() for path, type_name in fields_of(kind.fields)}
    assert [pattern for pattern in NO_PATHS if not any(re.search(pattern, path) for path in paths)] == []


def test_the_table_names_fields_that_are_there() -> None:
    known = {(kind.kind, path): type_name for kind in kinds() for path, type_name in fields_of(kind.fields)}
    assert {known.get((kind, path)) for kind, paths in PATH_FIELDS.items() for path in paths} == {"string"}


@pytest.mark.parametrize(
    ("kind", "data", "resolved"),
    [
        ("KubeletConfiguration", {"staticPodPath": "m"}, {"staticPodPath": "/etc/k/m"}),
        ("KubeletConfiguration", {"staticPodPath": "../m/./"}, {"staticPodPath": "/etc/m"}),
        ("KubeletConfiguration", {"staticPodPath": "/m/"}, {"staticPodPath": "/m/"}),
        ("KubeletConfiguration", {"resolvConf": "", "tlsCertFile": None}, {"resolvConf": "", "tlsCertFile": None}),
        ("KubeletConfiguration", {"podLogsDir": 7, "authentication": "x"}, {"podLogsDir": 7, "authentication": "x"}),
        (
            "KubeletConfiguration",
            {"authentication": {"x509": {"clientCAFile": "ca", "y": 1}, "z": 2}},
            {"authentication": {"x509": {"clientCAFile": "/etc/k/ca", "y": 1}, "z": 2}},
        ),
        # Against the working directory of kube-proxy, which is unknown here.
        (
            "KubeProxyConfiguration",
            {"clientConnection": {"kubeconfig": "k"}},
            {"clientConnection": {"kubeconfig": "k"}},
        ),
        (
            "AdmissionConfiguration",
            {"plugins": [{"path": "a"}, {"path": "/b"}, {}]},
            {"plugins": [{"path": "/etc/k/a"}, {"path": "/b"}, {}]},
        ),
        (
            "Config",
            {"users": [{"user": {"exec": {"command": "aws"}}}, {"user": {"exec": {"command": "bin/aws"}}}]},
            {"users": [{"user": {"exec": {"command": "aws"}}}, {"user": {"exec": {"command": "/etc/k/bin/aws"}}}]},
        ),
        ("Unknown", {"path": "a"}, {"path": "a"}),
    ],
)
def test_relative_paths_mean_what_the_component_makes_of_them(kind: str, data: Any, resolved: Any) -> None:
    before = deepcopy(data)
    assert resolve_paths(data, kind, "/etc/k") == resolved
    assert data == before


@pytest.mark.parametrize("data", [None, [], "text", {"plugins": {"path": "a"}}, {"plugins": "x"}])
def test_other_shapes_stay(data: Any) -> None:
    assert resolve_paths(data, "AdmissionConfiguration", "/etc") == data


def test_a_relative_path_in_a_bundle_is_refused_unless_it_is_a_program_name() -> None:
    command = "users.*.user.exec.command"
    assert [is_relative(command, value) for value in ("aws", "bin/aws", "/bin/aws", "")] == [False, True, False, False]
    data = {"users": [{"user": {"exec": {"command": "aws"}, "client-key": "key"}}]}
    paths = [finding.path for finding in bundle_findings(data, "Config") if finding.rule == "relative-path"]
    assert paths == [("users", 0, "user", "client-key")]
