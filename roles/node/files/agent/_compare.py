# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""compare: compare the kubelet's live config (/configz) with its file."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Mapping
from typing import Any, NamedTuple

from ._agent._agent_configuration import AgentConfiguration
from ._agent._probes import serving_address
from ._agent._store._rendered_files import field_paths
from ._agent._store._store import Store
from ._agent._system_clock import SystemClock
from ._agent._validation._node_inputs import read_node_inputs
from ._agent._validation._shadowed_fields import fields_set_elsewhere
from ._agent._validation._validate_on_node import drop_in_documents, effective_config, probed_values
from ._componentconfig import ConfigError
from ._componentconfig._codec.document import Document, decode
from ._componentconfig._schema.releases import minor_of, newest_minor
from ._componentconfig.check import config_at
from ._componentconfig.findings import InvalidConfig
from ._componentconfig.live_config import differences
from ._foreign import load_json
from ._kube.api_errors import KubeError
from ._kube.credentials import from_kubeconfig
from ._output import show, show_json

__all__ = ["compare"]

_TIMEOUT = 3.0  # seconds of silence
_MAX_BYTES = 4 * 1024 * 1024
_REFUSED = "the kubelet does not let this node read its /configz: grant nodes/configz (Kubernetes 1.33 and newer)"


class _Unavailable(Exception):
    """The live config is not available; the text says why."""


class _Comparison(NamedTuple):
    differences: list[str]
    unknown: str = ""


def compare(configuration: AgentConfiguration, component: str, *, as_json: bool) -> int:
    """Print the differences; return 0 if there are none, 1 if there are some, 2 if the live config is not available."""
    try:
        comparison = _Comparison(_compare(configuration, component))
    except _Unavailable as error:
        comparison = _Comparison([], str(error))
    if as_json:
        show_json(comparison._asdict())
    else:
        for line in comparison.differences or [comparison.unknown or "the live config is what the file says"]:
            show(line)
    return 2 if comparison.unknown else int(bool(comparison.differences))


def _compare(configuration: AgentConfiguration, component: str) -> list[str]:
    store = Store(configuration.state_directory, now=SystemClock().now)
    settings = configuration.components[component]
    version = store.known_version(component, settings.version)
    try:
        minor = minor_of(version)
    except ConfigError:
        version, minor = "", newest_minor()
    try:
        document = decode(store.read_config(component) or b"", file=store.config_path(component))
        inputs = read_node_inputs(settings, store)
        empty: list[Document] | None = None if drop_in_documents(inputs) is None else []
        probed = probed_values(document, inputs, version)
    except (InvalidConfig, OSError) as error:
        raise _Unavailable(str(error)) from error
    # Its own file, whose empty values may mean their defaults because there are drop-ins.
    config = config_at(effective_config([document], (component,), minor, empty), minor)
    address = serving_address(settings, {**document.data, **probed}) if config is not None else None
    if config is None or address is None:
        raise _Unavailable(f"{component} serves no /configz that this agent knows")
    by_others = fields_set_elsewhere(store, component, field_paths(document.data))
    return differences(config, _live(configuration, *address), by_others)


def _live(configuration: AgentConfiguration, host: str, port: int) -> Mapping[str, Any]:
    """Ask the kubelet itself: the way through the API server would need nodes/proxy, which the agent does without."""
    # The kubelet is on this machine and may have a self-signed certificate. A client certificate gives nothing away.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        credentials = from_kubeconfig(configuration.kubeconfig)
        if credentials.cert_file is None:
            raise _Unavailable(f"{configuration.kubeconfig} names no file with a client certificate")
        context.load_cert_chain(credentials.cert_file, credentials.key_file)
        connection = http.client.HTTPSConnection(host, port, timeout=_TIMEOUT, context=context)
        try:
            connection.request("GET", "/configz")
            answer = connection.getresponse()
            text = answer.read(_MAX_BYTES + 1)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, KubeError) as error:
        raise _Unavailable(f"https://{host}:{port}/configz: {' '.join(str(error).split())[:200]}") from error
    if answer.status in (401, 403):
        raise _Unavailable(_REFUSED)
    if len(text) > _MAX_BYTES:
        raise _Unavailable(f"https://{host}:{port}/configz answers more than {_MAX_BYTES >> 20} MiB")
    try:
        live = load_json(text)["kubeletconfig"]
    except (ValueError, KeyError, TypeError) as error:
        raise _Unavailable(f"https://{host}:{port}/configz answers {answer.status}, and no config") from error
    return live if isinstance(live, dict) else {}
