# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials from one kubeconfig file, with PyYAML only. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import base64
import binascii
import os
import traceback
from typing import Any

from ._credentials_types import Credentials
from ._errors import CredentialsError, MissingLibrary

try:
    import yaml
except ImportError:
    HAS_YAML = False
    YAML_IMPORT_ERROR = traceback.format_exc()
else:
    HAS_YAML = True
    YAML_IMPORT_ERROR = ""

__all__ = ["HAS_YAML", "YAML_IMPORT_ERROR", "NeedsPlugin", "from_kubeconfig"]

_LARGEST = 1024 * 1024


class NeedsPlugin(CredentialsError):
    """The user of a kubeconfig is known only to a program or a library that is not run here."""


def from_kubeconfig(path: str, *, context: str | None = None) -> Credentials:
    """Return the credentials of a kubeconfig's context (default: its current one); raise CredentialsError.

    Files that it names are relative to its own directory and are read again when they change; so is the kubeconfig. A
    user that needs an exec plugin or an auth provider is refused (NeedsPlugin): a node has neither.
    """
    path = os.path.abspath(os.path.expanduser(path))
    config = _read(path)
    name = context or config.get("current-context")
    if not name:
        raise CredentialsError(f"{path} has no current-context")
    chosen = _named(path, config, "contexts", "context", name)
    cluster = _named(path, config, "clusters", "cluster", chosen.get("cluster"))
    # A context without a user is anonymous.
    user = _named(path, config, "users", "user", chosen["user"]) if chosen.get("user") else {}
    for key, what in (("exec", "the exec plugin"), ("auth-provider", "the auth provider")):
        if user.get(key):
            program = user[key].get("command") or user[key].get("name") if isinstance(user[key], dict) else None
            raise NeedsPlugin(
                f"user {chosen['user']!r} in {path} needs {what} {program or ''}".rstrip()
                + ", which is not run here: give a kubeconfig with a client certificate or a token file"
            )
    if any(key.startswith("as") for key in user):
        raise CredentialsError(f"user {chosen['user']!r} in {path} impersonates another, which is not supported")
    server = cluster.get("server")
    if not isinstance(server, str) or not server:
        raise CredentialsError(f"cluster {chosen.get('cluster')!r} in {path} has no server")
    where = _Where(path, os.path.dirname(path))
    ca_data = where.data(cluster, "certificate-authority-data")
    cert_data = where.data(user, "client-certificate-data")
    key_data = where.data(user, "client-key-data")
    token_file = where.file(user, "tokenFile")
    return Credentials(
        server=server.rstrip("/"),
        ca_file=None if ca_data else where.file(cluster, "certificate-authority"),
        ca_data=ca_data,
        cert_file=None if cert_data else where.file(user, "client-certificate"),
        key_file=None if key_data else where.file(user, "client-key"),
        cert_data=cert_data,
        key_data=key_data,
        token=None if token_file else where.text(user, "token"),
        token_file=token_file,
        username=where.text(user, "username"),
        password=where.text(user, "password"),
        tls_server_name=where.text(cluster, "tls-server-name"),
        verify=cluster.get("insecure-skip-tls-verify") is not True,
        proxy=where.text(cluster, "proxy-url"),
        namespace=where.text(chosen, "namespace"),
        source=path,
        refresh=lambda: from_kubeconfig(path, context=context),
    )


def _read(path: str) -> dict[str, Any]:
    if not HAS_YAML:
        raise MissingLibrary("PyYAML", YAML_IMPORT_ERROR)
    try:
        with open(path, "rb") as stream:
            text = stream.read(_LARGEST + 1)
    except OSError as exc:
        raise CredentialsError(f"the kubeconfig {path} cannot be read: {exc.strerror}") from exc
    if len(text) > _LARGEST:
        raise CredentialsError(f"the kubeconfig {path} is larger than 1 MiB")
    try:
        # Not the loader in C: deep nesting ends the whole process there, and here in a RecursionError.
        config = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        # Not the parser's own words: they quote the line, which may be a key.
        mark = getattr(exc, "problem_mark", None)
        line = f" (line {mark.line + 1})" if mark is not None else ""
        raise CredentialsError(f"the kubeconfig {path} is not YAML{line}") from exc
    if not isinstance(config, dict):
        raise CredentialsError(f"the kubeconfig {path} holds no kubeconfig")
    return config


def _named(path: str, config: dict[str, Any], plural: str, singular: str, name: object) -> dict[str, Any]:
    entries = config.get(plural)
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("name") == name:
            found = entry.get(singular)
            return found if isinstance(found, dict) else {}
    raise CredentialsError(f"{path} has no {singular} {name!r}")


class _Where:
    """How values of one kubeconfig are read; errors name it."""

    def __init__(self, path: str, directory: str) -> None:
        self._path = path
        self._directory = directory

    def text(self, mapping: dict[str, Any], key: str) -> str | None:
        value = mapping.get(key)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            # YAML 1.1 makes a boolean of an unquoted n, no, on.
            raise CredentialsError(f"{key} in {self._path} is not text: put it in quotes")
        return value

    def file(self, mapping: dict[str, Any], key: str) -> str | None:
        value = self.text(mapping, key)
        return None if value is None else os.path.join(self._directory, value)

    def data(self, mapping: dict[str, Any], key: str) -> bytes | None:
        value = self.text(mapping, key)
        if value is None:
            return None
        try:
            return base64.b64decode("".join(value.split()), validate=True)
        except (binascii.Error, ValueError) as exc:
            raise CredentialsError(f"{key} in {self._path} is not base64") from exc
