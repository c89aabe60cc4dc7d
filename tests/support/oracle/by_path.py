# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by path: files that exist, are missing, or are something else, with absolute paths and relative ones."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case, config

__all__ = ["FILES", "PAIR", "by_path"]

_HOME = "/etc/kubernetes/oracle"
PAIR = f"{_HOME}/pair.pem"
"""A certificate and its key in one file, which the oracle puts there."""
FILES = {
    f"{_HOME}/garbage": "not PEM\n",
    f"{_HOME}/empty": "",
    f"{_HOME}/broken.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    f"{_HOME}/directory/file": "",
}
"""Texts by path that the oracle puts on its node."""
_WRONG = ("garbage", "empty", "directory", "missing", "broken.pem")


def by_path() -> Iterator[Case]:
    """Return the cases of each field that holds a path."""
    for place, prefix in (("absolute", _HOME), ("relative", "../../../../etc/kubernetes/oracle")):
        pair = f"{prefix}/pair.pem"
        yield config(f"path {place} pair", {"tlsCertFile": pair, "tlsPrivateKeyFile": pair})
        yield config(f"path {place} certificate alone", {"tlsCertFile": pair})
        yield config(f"path {place} key alone", {"tlsPrivateKeyFile": pair})
        yield config(f"path {place} authority", {"authentication.x509.clientCAFile": pair})
        for name in _WRONG:
            path = f"{prefix}/{name}"
            yield config(f"path {place} certificate {name}", {"tlsCertFile": path, "tlsPrivateKeyFile": pair})
            yield config(f"path {place} key {name}", {"tlsCertFile": pair, "tlsPrivateKeyFile": path})
            yield config(f"path {place} authority {name}", {"authentication.x509.clientCAFile": path})
            for field in ("staticPodPath", "resolvConf", "volumePluginDir"):
                yield config(f"path {place} {field} {name}", {field: path})
    bootstrap = {"serverTLSBootstrap": True}
    yield config("path bootstrap with a missing pair", {**bootstrap, "tlsCertFile": "/a", "tlsPrivateKeyFile": "/b"})
