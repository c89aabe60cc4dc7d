# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials for an API server, read from a kubeconfig or elsewhere, and their TLS context."""

from __future__ import annotations

import base64
import binascii
import os
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from .api_errors import CredentialsError, MissingLibrary

if TYPE_CHECKING:
    import ssl

# Changes with a file's content, symlinks followed: modification time (ns), inode, size. None: the file is unreadable.
Stamp = Optional[tuple[int, int, int]]


class Credentials(NamedTuple):
    """The address of an API server and the credentials for it.

    server is a URL. CA, certificate, key and token are each a path or the data itself (PEM bytes, for the token the
    text); a path is read again when its file changes. basic is a user name and a password. Without a CA the system's
    are used; verify=False trusts every server. namespace is the context's. source is the file that this was read from,
    if it is to be read again when it changes. refresh, if set, loads these credentials again (reads the files, runs the
    exec plugin) or raises CredentialsError; the client calls it when source changes and after a 401.
    """

    server: str
    ca_file: str | None = None
    ca_data: bytes | None = None
    cert_file: str | None = None
    key_file: str | None = None
    cert_data: bytes | None = None
    key_data: bytes | None = None
    token: str | None = None
    token_file: str | None = None
    basic: tuple[str, str] | None = None
    tls_server_name: str | None = None
    verify: bool = True
    proxy: str | None = None
    namespace: str | None = None
    source: str | None = None
    refresh: Callable[[], Credentials] | None = None

    def __repr__(self) -> str:
        """Return a text without secrets."""
        return f"Credentials(server={self.server!r}, source={self.source!r})"

    def without_identity(self) -> Credentials:
        """Return the address and the CA alone."""
        return Credentials(
            server=self.server,
            ca_file=self.ca_file,
            ca_data=self.ca_data,
            tls_server_name=self.tls_server_name,
            verify=self.verify,
            proxy=self.proxy,
        )

    def files(self) -> tuple[str, ...]:
        """Return the paths whose change requires new connections; source, if any, comes first."""
        paths = (self.source, self.ca_file, self.cert_file, self.key_file, self.token_file)
        return tuple(path for path in paths if path)


def file_stamps(paths: tuple[str, ...]) -> tuple[Stamp, ...]:
    """Return a comparable stamp for each path."""
    return tuple(_stamp(path) for path in paths)


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


_MAX_BYTES = 1024 * 1024


class PluginRequired(CredentialsError):
    """The user of a kubeconfig needs a program or a library that is not run here. plugin: in words, with its hint."""

    def __init__(self, user: str, plugin: str, hint: object) -> None:
        super().__init__(
            f"{user} needs {plugin}, which is not run here: give a kubeconfig with a client certificate or a token file"
        )
        self.plugin = f"{plugin} ({hint})" if hint else plugin


def from_kubeconfig(path: str, *, context: str | None = None) -> Credentials:
    """Return the credentials of a kubeconfig's context (default: its current one); raise CredentialsError.

    Files that it names are relative to its own directory and are read again when they change, as the kubeconfig is.
    Raises PluginRequired for a user that needs an exec plugin or an auth provider: a node has neither.
    """
    path = os.path.abspath(os.path.expanduser(path))
    config = _read(path)
    name = context or config.get("current-context")
    if not name:
        raise CredentialsError(f"{path} has no current-context")
    chosen = _find_entry(path, config, "contexts", "context", name)
    cluster = _find_entry(path, config, "clusters", "cluster", chosen.get("cluster"))
    # A context without a user is anonymous.
    user = _find_entry(path, config, "users", "user", chosen["user"]) if chosen.get("user") else {}
    for key, what in (("exec", "the exec plugin"), ("auth-provider", "the auth provider")):
        if user.get(key):
            plugin = user[key] if isinstance(user[key], dict) else {}
            program = plugin.get("command") or plugin.get("name") or ""
            what = f"{what} {program}".rstrip()
            raise PluginRequired(f"user {chosen['user']!r} in {path}", what, plugin.get("installHint"))
    if any(key.startswith("as") for key in user):
        raise CredentialsError(f"user {chosen['user']!r} in {path} impersonates another, which is not supported")
    server = cluster.get("server")
    if not isinstance(server, str) or not server:
        raise CredentialsError(f"cluster {chosen.get('cluster')!r} in {path} has no server")
    reader = _EntryReader(path, os.path.dirname(path))
    ca_data = reader.data(cluster, "certificate-authority-data")
    cert_data = reader.data(user, "client-certificate-data")
    key_data = reader.data(user, "client-key-data")
    token_file = reader.file(user, "tokenFile")
    username = reader.text(user, "username")
    return Credentials(
        server=server.rstrip("/"),
        ca_file=None if ca_data else reader.file(cluster, "certificate-authority"),
        ca_data=ca_data,
        cert_file=None if cert_data else reader.file(user, "client-certificate"),
        key_file=None if key_data else reader.file(user, "client-key"),
        cert_data=cert_data,
        key_data=key_data,
        token=None if token_file else reader.text(user, "token"),
        token_file=token_file,
        basic=None if username is None else (username, reader.text(user, "password") or ""),
        tls_server_name=reader.text(cluster, "tls-server-name"),
        verify=cluster.get("insecure-skip-tls-verify") is not True,
        proxy=reader.text(cluster, "proxy-url"),
        namespace=reader.text(chosen, "namespace"),
        source=path,
        refresh=lambda: from_kubeconfig(path, context=context),
    )


def clusters_of_kubeconfig(path: str) -> dict[str, Any]:
    """Return the parts of a kubeconfig that do not depend on its users, {} for a file that cannot be read."""
    try:
        config = _read(path)
    except CredentialsError:
        return {}
    return {name: config.get(name) for name in ("current-context", "contexts", "clusters")}


def _read(path: str) -> dict[str, Any]:
    try:
        import yaml
    except ImportError as exc:
        raise MissingLibrary("PyYAML", traceback.format_exc()) from exc
    try:
        with open(path, "rb") as stream:
            text = stream.read(_MAX_BYTES + 1)
    except OSError as exc:
        raise CredentialsError(f"the kubeconfig {path} cannot be read: {exc.strerror}") from exc
    if len(text) > _MAX_BYTES:
        raise CredentialsError(f"the kubeconfig {path} is larger than 1 MiB")
    try:
        # Not the loader in C: deep nesting would crash the process there; here it raises RecursionError.
        config = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        # Without the parser's message: it quotes the line, which may be a key.
        mark = getattr(exc, "problem_mark", None)
        line = f" (line {mark.line + 1})" if mark is not None else ""
        raise CredentialsError(f"the kubeconfig {path} is not YAML{line}") from exc
    if not isinstance(config, dict):
        raise CredentialsError(f"the kubeconfig {path} holds no kubeconfig")
    return config


def _find_entry(path: str, config: dict[str, Any], plural: str, singular: str, name: object) -> dict[str, Any]:
    entries = config.get(plural)
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("name") == name:
            value = entry.get(singular)
            return value if isinstance(value, dict) else {}
    raise CredentialsError(f"{path} has no {singular} {name!r}")


class _EntryReader:
    """Reads values of one kubeconfig; errors name it."""

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


def ssl_context(credentials: Credentials) -> ssl.SSLContext:
    """Return the TLS context for credentials; raise CredentialsError where a file cannot be used."""
    import ssl  # not at the top: the hooks import this file for its types

    try:
        cadata = credentials.ca_data.decode("ascii") if credentials.ca_data else None
        context = ssl.create_default_context(cafile=None if cadata else credentials.ca_file, cadata=cadata)
    except (OSError, ValueError) as exc:
        raise CredentialsError(f"the CA {credentials.ca_file or '(inline)'} cannot be used: {exc}") from exc
    # Python 3.13 refuses CAs without an authority key id, which clusters have and every other client accepts.
    context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
    if not credentials.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if credentials.cert_file or credentials.cert_data:
        _load_client_certificate(context, credentials)
    return context


def _load_client_certificate(context: ssl.SSLContext, credentials: Credentials) -> None:
    if not credentials.key_file and not credentials.key_data:
        raise CredentialsError(f"the client certificate {credentials.cert_file or '(inline)'} has no key")
    try:
        if not credentials.cert_data and not credentials.key_data and credentials.cert_file:
            context.load_cert_chain(credentials.cert_file, credentials.key_file, password=_no_password)
            return
        import tempfile  # half a megabyte, and most nodes have files

        # The ssl module reads certificates only from files: a private directory for the moment of reading.
        with tempfile.TemporaryDirectory(prefix="configok-") as directory:
            cert = credentials.cert_file
            if credentials.cert_data:
                cert = _private_file(directory, "cert", credentials.cert_data)
            key = credentials.key_file
            if credentials.key_data:
                key = _private_file(directory, "key", credentials.key_data)
            context.load_cert_chain(str(cert), key, password=_no_password)
    except (OSError, ValueError) as exc:
        names = " and ".join(name or "(inline)" for name in (credentials.cert_file, credentials.key_file))
        raise CredentialsError(f"the client certificate and key {names} cannot be used: {exc}") from exc


def _private_file(directory: str, name: str, data: bytes) -> str:
    path = os.path.join(directory, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(data)
    return path


def _no_password() -> str:
    """Answer for an encrypted key: without this OpenSSL would ask on the terminal and hang a daemon."""
    raise ValueError("the key is encrypted")
