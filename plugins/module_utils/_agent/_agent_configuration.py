# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the agent's own config: one strict, versioned AgentConfiguration file.

``prestart`` reads it before every start of a component. JSON, which the role writes, is therefore tried first, and a
YAML library is imported only for a file that is not JSON.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from .._componentconfig._options import FLAG_COMPONENTS
from .._foreign import InvalidText, load_json
from .._nodeconfig.denied_fields import DenyPolicy
from .._nodeconfig.durations import InvalidDuration, setting_duration
from .._nodeconfig.strict_mapping import MessageForm, StrictFields, boolean, integer, matching
from .._nodeconfig.well_known import NAMESPACE_BUNDLES

API_VERSION = "agent.config.configok.dev/v1alpha1"
KIND = "AgentConfiguration"
_MAX_BYTES = 256 * 1024

_COMPONENT = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")
_NODE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_UNIT = re.compile(r"[A-Za-z0-9:_.\\@-]{1,240}\.service\Z")
_VERSION = re.compile(r"v?[0-9]+\.[0-9]+(\.[0-9]+)?([-+][0-9A-Za-z.+-]+)?\Z")
_PROM_FILE = re.compile(r"(/[^/\0\n]+)+\.prom\Z")
_LOOPBACK = re.compile(r"(127\.0\.0\.1|\[::1\]):([1-9][0-9]{0,4})\Z")
_URL = re.compile(r"https?://[^\s/]+(/\S*)?\Z")
# As the engine's denials read them. "*" alone means every field.
_FIELD_PATH = re.compile(r"(\*|[A-Za-z0-9_-]+)(\.(\*|[A-Za-z0-9_-]+))*\Z")


class InvalidConfiguration(ValueError):
    """An AgentConfiguration that cannot be used. ``errors`` has one sentence for each error; str() has all of them."""

    def __init__(self, errors: list[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(errors))


class ComponentConfiguration(NamedTuple):
    """The settings of one component."""

    name: str
    unit: str
    init_config: str = ""  # path of the local file the node was provisioned with, "" means none
    init_config_origin: str = ""  # path of the file that it is a copy of, "" means: of none
    instance_config: str = ""  # path of the fields of this node alone, laid over every bundle, "" means none
    version: str = ""  # the component's version; "" means: ask version_command
    version_command: tuple[str, ...] = ()
    check_command: tuple[str, ...] = ()  # the component's own check of a file, whose path is appended
    root_directory: str = ""  # where the component keeps its state files, "" means nowhere
    health_url: str = ""  # "" means: from the effective config, where the component is known
    serving_probe: bool = True  # expect a TLS handshake on the serving port
    lease: bool = False  # expect the Node's Lease to be renewed
    host_checks: bool = True  # check the host before the component is touched: files, swap, cgroups, ...
    manifest: str = ""  # path of the manifest that the kubelet runs it from, "" means: it is a unit
    host_paths: tuple[tuple[str, bool], ...] = ()  # directories that its options may name, and whether it may write
    deny: DenyPolicy = DenyPolicy()  # the fields that no bundle may set


class HealthSettings(NamedTuple):
    """How the health of components is probed; in seconds, and in failed probes."""

    timeout: float = 120.0
    unhealthy_threshold: int = 3
    probe_interval: float = 10.0


class MetricsSettings(NamedTuple):
    """Where metrics are published; "" means nowhere."""

    file: str = ""  # path of a .prom file for node_exporter's textfile collector
    address: str = ""  # 127.0.0.1:PORT or [::1]:PORT to serve metrics on


class AgentConfiguration(NamedTuple):
    """A node's AgentConfiguration with its defaults; durations are in seconds."""

    node_name: str
    kubeconfig: str
    components: Mapping[str, ComponentConfiguration]
    namespace: str = NAMESPACE_BUNDLES  # the one namespace from which this node takes bundles
    state_directory: str = "/var/lib/configok"
    run_directory: str = "/run/configok"
    dynamic_config: bool = True
    configz: bool = False  # compare the kubelet's live config with its file, where the cluster allows it
    settling_time: float = 0.5
    health: HealthSettings = HealthSettings()
    heartbeat_interval: float = 600.0
    checkpoints_kept: int = 5
    metrics: MetricsSettings = MetricsSettings()
    trust: Any = None  # the section as it is written: the hooks do not need it
    file: str = ""  # where it was read


_DEFAULTS = AgentConfiguration("", "", {})


def load_configuration(path: str) -> AgentConfiguration:
    """Read the file. Raises InvalidConfiguration, also when it cannot be read."""
    try:
        with open(path, "rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InvalidConfiguration([f"{path}: cannot be read: {error.strerror or error}"]) from error
    if len(raw) > _MAX_BYTES:
        raise InvalidConfiguration([f"{path}: is larger than {_MAX_BYTES} bytes"])
    try:
        return parse_configuration(raw.decode("utf-8"), file=path)
    except UnicodeDecodeError as error:
        raise InvalidConfiguration([f"{path}: is not UTF-8 text"]) from error


def parse_configuration(text: str, *, file: str) -> AgentConfiguration:
    """Parse the configuration in ``text``, JSON or YAML; ``file`` names it in messages.

    Raises InvalidConfiguration with all errors at once, each a sentence with the field's path.
    """
    data = _decode(text, file)
    top = StrictFields(data, "", [], _message_form(file))
    version, kind = top.take("apiVersion"), top.take("kind")
    if (version, kind) != (API_VERSION, KIND):
        top.error("apiVersion", version, f"together with kind {kind!r}, must be {API_VERSION} and {KIND}")
        raise InvalidConfiguration(top.errors)  # errors in the fields of another kind or version would not help
    values: dict[str, Any] = {
        "node_name": top.require("nodeName", _node_name, ""),
        "kubeconfig": top.require("kubeconfig", _path, ""),
        "namespace": top.get("namespace", _component_name, _DEFAULTS.namespace),
        "state_directory": top.get("stateDirectory", _path, _DEFAULTS.state_directory),
        "run_directory": top.get("runDirectory", _path, _DEFAULTS.run_directory),
        "dynamic_config": top.get("dynamicConfig", boolean, _DEFAULTS.dynamic_config),
        "configz": top.get("configz", boolean, _DEFAULTS.configz),
        "settling_time": top.get("settlingTime", _duration(0.0), _DEFAULTS.settling_time),
        "health": HealthSettings(
            top.get("healthTimeout", _duration(0.1), _DEFAULTS.health.timeout),
            top.get("unhealthyThreshold", integer(1, 1000), _DEFAULTS.health.unhealthy_threshold),
            top.get("probeInterval", _duration(0.1), _DEFAULTS.health.probe_interval),
        ),
        "heartbeat_interval": top.get("heartbeatInterval", _duration(1.0), _DEFAULTS.heartbeat_interval),
        "checkpoints_kept": top.get("checkpointsKept", integer(2, 1000), _DEFAULTS.checkpoints_kept),
        "metrics": MetricsSettings(
            top.get("metricsFile", _metrics_file, ""),
            top.get("metricsAddress", _metrics_address, ""),
        ),
        "components": _components(top),
        "trust": top.take("trust"),
        "file": file,
    }
    top.reject_unknown()
    if top.errors:
        raise InvalidConfiguration(top.errors)
    return AgentConfiguration(**values)


def trust_fields(configuration: AgentConfiguration) -> StrictFields:
    """Return the fields of the section trust, which only those who verify bundles parse."""
    value = configuration.trust
    if isinstance(value, Mapping) and value.get("mode") is False:
        value = {**value, "mode": "off"}  # in YAML, off is a boolean
    return StrictFields(value, "trust", [], _message_form(configuration.file or "AgentConfiguration"))


def _components(top: StrictFields) -> dict[str, ComponentConfiguration]:
    entries = top.take("components")
    if not isinstance(entries, dict) or not entries:
        top.error("components", entries, "must be an object with one key for each component, at least one")
        return {}
    components = {}
    for name, data in entries.items():
        path = f"components.{name}"
        if not isinstance(name, str) or not _COMPONENT.match(name) or name == "trial":
            top.error(path, name, "must be the bare name of a component, for example kubelet")
            continue
        fields = top.nested(path, data)
        kubelet = name == "kubelet"
        components[name] = ComponentConfiguration(
            name=name,
            unit=fields.get("unit", _unit, f"{name}.service"),
            init_config=fields.get("initConfig", _optional_path, ""),
            init_config_origin=fields.get("initConfigOrigin", _optional_path, ""),
            instance_config=fields.get("instanceConfig", _optional_path, ""),
            version=fields.get("version", _version, ""),
            version_command=fields.get("versionCommand", _command, ()),
            check_command=fields.get("checkCommand", _command, ()),
            root_directory=fields.get("rootDirectory", _optional_path, "/var/lib/kubelet" if kubelet else ""),
            health_url=fields.get("healthURL", _url, ""),
            serving_probe=fields.get("servingProbe", boolean, kubelet),
            lease=fields.get("lease", boolean, kubelet),
            host_checks=fields.get("hostChecks", boolean, True),
            manifest=_manifest(fields, name),
            host_paths=_host_paths(fields),
            deny=DenyPolicy(
                additional=fields.get("additionalDeniedFields", _field_paths, ()),
                allowed=fields.get("allowedFields", _field_paths, ()),
            ),
        )
        fields.reject_unknown()
    return components


def _manifest(component: StrictFields, name: str) -> str:
    path = component.get("staticPod", _optional_path, "")
    if path and name not in FLAG_COMPONENTS:
        component.error("staticPod", path, f"is for components that have options: {', '.join(FLAG_COMPONENTS)}")
        return ""
    return path


def _host_paths(component: StrictFields) -> tuple[tuple[str, bool], ...]:
    """Return the directories of hostPaths; _validation/_validate_on_node.py says which can be mounted."""
    entries = component.take("hostPaths")
    if entries is not None and not isinstance(entries, list):
        component.error("hostPaths", entries, "must be a list of objects with path and, if it may write, writable")
        return ()
    paths = []
    for index, entry in enumerate(entries or ()):
        fields = component.nested(f"hostPaths[{index}]", entry)
        paths.append((fields.require("path", _path, ""), fields.get("writable", boolean, False)))
        fields.reject_unknown()
    return tuple(paths)


def _decode(text: str, file: str) -> Any:
    try:
        return load_json(text, make_object=lambda pairs: _no_duplicates(pairs, file))
    except InvalidText:
        pass  # not JSON, so YAML
    from .._componentconfig._codec.document import decode  # not at the top: prestart pays for every import
    from .._componentconfig.findings import InvalidConfig

    try:
        document = decode(text, file=file)
    except InvalidConfig as error:
        raise InvalidConfiguration([str(error)]) from error
    if document.findings:
        raise InvalidConfiguration([str(finding) for finding in document.findings])
    return document.data


def _no_duplicates(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        twice = Counter(name for name, _value in pairs).most_common(1)[0][0]
        raise InvalidConfiguration([f"{file}: the field {twice!r} is there twice"])
    return fields


def _message_form(file: str) -> MessageForm:
    def message(path: str, value: Any, sentence: str) -> str:
        shown = "" if value is None else f": {json.dumps(value, default=str)[:80]}"
        return f"{file}: {path}{shown} {sentence}"

    return MessageForm(
        file="the file",
        error=message,
        not_a_mapping=lambda _value: "must hold an object",
        unknown=lambda _path, names: [(name, "is an unknown field") for name in names],
    )


_node_name = matching(_NODE, "must be the name of a Node (lower case letters, digits, - and .)", longest=253)
_component_name = matching(_COMPONENT, "must be a DNS label (lower case letters, digits and -)")
_unit = matching(_UNIT, "must be the name of a systemd service unit, for example kubelet.service")
_version = matching(_VERSION, "must be a version such as v1.35.2")
_url = matching(_URL, "must be an http or https address")
_path = matching(re.compile(r"/[^\0\n]*\Z"), "must be an absolute path")


def _optional_path(value: Any) -> str:
    return "" if value == "" else _path(value)


def _metrics_file(value: Any) -> str:
    if value != "" and not (isinstance(value, str) and len(value) <= 4096 and _PROM_FILE.match(value)):
        raise ValueError("must be an absolute path that ends with .prom, what the textfile collector reads")
    return str(value)


def _metrics_address(value: Any) -> str:
    match = _LOOPBACK.match(value) if isinstance(value, str) else None
    if value != "" and (match is None or int(match[2]) > 65535):
        raise ValueError("must be 127.0.0.1:PORT or [::1]:PORT: metrics are served on loopback alone")
    return str(value)


def _duration(minimum: float) -> Callable[[Any], float]:
    def convert(value: Any) -> float:
        try:
            seconds = setting_duration(value)
        except InvalidDuration as error:
            raise ValueError("must be a duration such as 10m, 90s or 500ms, at most 720h") from error
        if seconds < minimum:
            raise ValueError(f"must be at least {minimum:g}s")
        return seconds

    return convert


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError("must be a list of strings")
    return tuple(value)


def _command(value: Any) -> tuple[str, ...]:
    words = _strings(value)
    if words and not words[0].startswith("/"):
        raise ValueError("must begin with the absolute path of a program")
    return words


def _field_paths(value: Any) -> tuple[str, ...]:
    paths = _strings(value)
    if not all(_FIELD_PATH.match(path) for path in paths):
        raise ValueError("must be a list of field paths such as authentication.anonymous")
    return paths
