# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the flags and files of a static-Pod component that a node refuses in a bundle.

What a bundle may set is an allow list, since a flag of the API server can hand out the cluster. A node's own config
allows more, but never what the trust between nodes and the API server rests on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .._componentconfig import ConfigError
from .._componentconfig._scalars.field_path import Path
from .._componentconfig._scalars.numbers import parse_bool
from .._componentconfig.bundle_policy import matching_fields
from .._componentconfig.component_options import (
    COMPONENT_OPTIONS,
    ETCD,
    FLAG_COMPONENTS,
    Options,
    OptionsFile,
    bundle_flags,
    file_flags,
    flag_texts,
    flag_value,
    read_options,
)
from .._componentconfig.findings import RULE_DENIED, Finding, Level, show
from .denials import DenialsOfKind, is_weak_suite
from .denied_fields import DENIED_FIELDS, DenyPolicy

_FLAG_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_UNLESS_ALLOWED = "unless the node's own config allows it (allowedFields)"
_MOST_VERBOSE = 7  # from 8 on, requests and responses are logged with the secrets in them
_MOST_REQUESTS = 1000  # a second
_WEAK_TLS = ("VersionTLS10", "VersionTLS11")

BUNDLE_PLUGINS = ("EventRateLimit", "PodNodeSelector", "PodSecurity", "PodTolerationRestriction", "ResourceQuota")
"""The admission plugins that a bundle may configure: the configuration of no other is limits and defaults alone."""

_PLUGIN_GROUPS = (
    "eventratelimit.admission.k8s.io",
    "pod-security.admission.config.k8s.io",
    "podtolerationrestriction.admission.k8s.io",
    "resourcequota.admission.k8s.io",
)
_GUARDS = (
    *("CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction", "ClusterTrustBundleAttest"),
    *("DenyServiceExternalIPs", "ImagePolicyWebhook", "LimitRanger", "MutatingAdmissionPolicy"),
    *("MutatingAdmissionWebhook", "NamespaceLifecycle", "OwnerReferencesPermissionEnforcement", "PodSecurity"),
    *("ResourceQuota", "ServiceAccount", "ValidatingAdmissionWebhook"),
)
"""Admission plugins that guard a cluster, or that ask those who do."""

_PROBED = ("advertise-address", "anonymous-auth", "bind-address", "listen-metrics-urls", "secure-port")
_ENCRYPTION = ("encryption-provider-config", "experimental-encryption-provider-config")
_NEEDED_PLUGIN = "NodeRestriction"
_PROTECTED_PLUGINS = (_NEEDED_PLUGIN, "ValidatingAdmissionPolicy")
_NEEDED_MODES = ("Node", "RBAC")
_PROTECTED_GATES = ("AllBeta", "AuthorizeNodeWithSelectors", "ValidatingAdmissionPolicy")
_PROTECTED_APIS = (
    *("api/all", "api/ga", "v1", "admissionregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io"),
    *("certificates.k8s.io", "rbac.authorization.k8s.io"),
)
_MERGED = ("feature-gates", "runtime-config")
_SECRET_FILE = re.compile(r"key|token|kubeconfig|cloud-config")


def option_denials(data: Mapping[str, Any], policy: DenyPolicy) -> Iterator[Finding]:
    """Yield the flags and files of a decoded ComponentOptions document that a node refuses."""
    options = read_options(data)
    if options.component not in FLAG_COMPONENTS:
        message = "is refused: the flags of this component are not known, so that none can be denied"
        yield _denied(("component",), message, data.get("component"))
        return
    refused = [*_refused_flags(options), *_refused_files(options)]
    yield from refused
    denied = [*_denied_flags(options), *_denied_values(options), *_denied_files(options), *_additional(options, policy)]
    allowed = [path for pattern in policy.allowed for path in _matching_paths(options, pattern)]
    covered = {finding.path for finding in refused}
    for finding in denied:
        if finding.path not in covered and not any(finding.path[: len(path)] == path for path in allowed):
            covered.add(finding.path)
            yield finding


def _denied(path: Path, message: str, value: Any = None) -> Finding:
    return Finding(path, message, RULE_DENIED, Level.POLICY, show(value, path))


def _matching_paths(options: Options, pattern: str) -> Iterator[Path]:
    """Yield the paths of a document that a pattern names; a flag may have dashes or underscores in it."""
    if pattern == "*":
        yield ()
    if pattern.startswith("flags."):
        pattern = pattern.replace("_", "-")
    files = {
        file.name: {"path": file.path} if file.content is None else {"content": file.content} for file in options.files
    }
    named = {"flags": dict.fromkeys(options.flags, True), "files": files}
    for path, _value in matching_fields(named, pattern):
        yield options.field_of(str(path[1])) if path[0] == "flags" and len(path) > 1 else path
    for file in options.files:  # which sets a flag
        if file.flag and pattern == f"flags.{file.flag}":
            yield file.field


def _additional(options: Options, policy: DenyPolicy) -> Iterator[Finding]:
    for pattern in policy.additional:
        for path in _matching_paths(options, pattern):
            yield _denied(path, f"the field is denied, {_UNLESS_ALLOWED}")


def _denied_flags(options: Options) -> Iterator[Finding]:
    known, named = bundle_flags(options.component), file_flags(options.component)
    for flag, value in options.flags.items():
        if flag in known and flag in named and value is not None:
            message = f"a path is denied in bundles, which hold the file itself (files), {_UNLESS_ALLOWED}"
            yield _denied(options.field_of(flag), message, value)
        elif flag in known and flag in _MERGED and value is None:
            message = f"without what the manifest has of it, it is denied, {_UNLESS_ALLOWED}"
            yield _denied(options.field_of(flag), message)
        elif flag not in known:
            yield _denied(options.field_of(flag), f"the flag is denied in bundles, {_UNLESS_ALLOWED}", value)


def _denied_values(options: Options) -> Iterator[Finding]:
    for flag, most in (("v", _MOST_VERBOSE), ("kube-api-qps", _MOST_REQUESTS), ("kube-api-burst", _MOST_REQUESTS)):
        number = _number(options, flag)
        if number is not None and not 0 <= number <= most:
            yield _denied_value(options, flag, f"below 0 and above {most} the flag is denied, {_UNLESS_ALLOWED}")
    if _text(options, "tls-min-version") in _WEAK_TLS:
        yield _denied_value(options, "tls-min-version", f"a weak version is denied, {_UNLESS_ALLOWED}")
    guards = [name for name in _items(options, "disable-admission-plugins") if name in _GUARDS]
    if guards:
        message = f"without {' and '.join(guards)} it is denied, {_UNLESS_ALLOWED}"
        yield _denied_value(options, "disable-admission-plugins", message)
    suites = [suite for suite in _items(options, "tls-cipher-suites") if is_weak_suite(suite)]
    if suites:
        message = f"the weak cipher suite {show(suites[0])} is denied, {_UNLESS_ALLOWED}"
        yield _denied_value(options, "tls-cipher-suites", message)


def _denied_value(options: Options, flag: str, message: str) -> Finding:
    return _denied(options.field_of(flag), message, options.flags[flag])


def _denied_files(options: Options) -> Iterator[Finding]:
    known = bundle_flags(options.component)
    for file in options.files:
        if file.content is None:
            yield _denied((*file.field, "path"), f"a path is denied in bundles, {_UNLESS_ALLOWED}", file.path)
        elif file.flag and file.flag not in known:
            yield _denied(file.field, f"the flag --{file.flag} is denied in bundles, {_UNLESS_ALLOWED}")
        elif not file.flag and not _is_plugin_config(file.content):
            yield _denied(file.field, f"a file of this kind is denied in bundles, {_UNLESS_ALLOWED}")
        elif file.flag and not isinstance(file.content, Mapping):
            yield _denied(file.field, f"a text is denied in bundles, which cannot be checked, {_UNLESS_ALLOWED}")
        yield from _denied_content(file)


def _is_plugin_config(content: Any) -> bool:
    group = str(content.get("apiVersion", "")).partition("/")[0] if isinstance(content, Mapping) else ""
    return group in _PLUGIN_GROUPS


def _denied_content(file: OptionsFile) -> Iterator[Finding]:
    """Yield the parts of a file that name servers, paths and credentials."""
    content = file.content if isinstance(file.content, Mapping) else {}
    path = (*file.field, "content")
    if content.get("kind") == "AdmissionConfiguration":
        plugins = content.get("plugins")
        for index, plugin in enumerate(plugins if isinstance(plugins, list) else ()):
            name, where = (plugin.get("name"), plugin.get("path")) if isinstance(plugin, Mapping) else (None, None)
            if name not in BUNDLE_PLUGINS:
                message = f"the plugin is denied in bundles, which configure {', '.join(BUNDLE_PLUGINS)}"
                yield _denied((*path, "plugins", index), f"{message}, {_UNLESS_ALLOWED}")
            if isinstance(where, str) and where.startswith("/"):
                message = f"a path outside of the bundle is denied, {_UNLESS_ALLOWED}"
                yield _denied((*path, "plugins", index, "path"), message, where)
    elif content.get("kind") == "KubeSchedulerConfiguration":
        for pattern in DENIED_FIELDS["KubeSchedulerConfiguration"]:
            for field, value in matching_fields(content, pattern):
                yield _denied((*path, *field), f"the field is denied in bundles, {_UNLESS_ALLOWED}", value)


def _refused_flags(options: Options) -> Iterator[Finding]:
    """Yield the flags that no node takes from a bundle, whatever its own config allows."""
    for flag in options.flags:
        if not _FLAG_NAME.fullmatch(flag):
            yield _denied_value(options, flag, "is refused: it is not the name of a flag")
        elif any("$(" in text for text in _texts(options, flag)):
            yield _denied_value(options, flag, "is refused: the kubelet replaces $(NAME) in the arguments of a Pod")
    if options.component == ETCD:
        known = bundle_flags(ETCD)
        for flag in (flag for flag in options.flags if flag not in known):
            yield _denied_value(options, flag, f"is refused: of etcd only {', '.join(sorted(known))} can be changed")
    for flag in (*_PROBED, *_ENCRYPTION, "admission-control"):
        if flag in options.flags:
            yield _denied_value(options, flag, f"is refused: {_reason(flag)}")
    if _lacks(options, "enable-admission-plugins", (_NEEDED_PLUGIN,)):
        message = f"is refused: it must keep {_NEEDED_PLUGIN}, which holds each kubelet to its own node"
        yield _denied_value(options, "enable-admission-plugins", message)
    disabled = [name for name in _items(options, "disable-admission-plugins") if name in _PROTECTED_PLUGINS]
    if disabled:
        message = f"is refused: {' and '.join(disabled)} must stay, on which the trust in nodes rests"
        yield _denied_value(options, "disable-admission-plugins", message)
    modes = _items(options, "authorization-mode")
    if _lacks(options, "authorization-mode", _NEEDED_MODES) or "AlwaysAllow" in modes:
        message = f"is refused: it must keep {' and '.join(_NEEDED_MODES)}, without AlwaysAllow"
        yield _denied_value(options, "authorization-mode", message)
    gates = [gate for gate in _switched_off(options, "feature-gates") if gate in _PROTECTED_GATES]
    if gates:
        yield _denied_value(options, "feature-gates", f"is refused: {' and '.join(gates)} must not be switched off")
    apis = [key for key in _switched_off(options, "runtime-config") if _is_protected(key)]
    if apis:
        yield _denied_value(options, "runtime-config", f"is refused: {' and '.join(apis)} must stay on")


def _reason(flag: str) -> str:
    if flag in _ENCRYPTION:
        return "after a rollback newer objects cannot be read: change it by hand, on all servers"
    if flag == "admission-control":
        return "it replaces all admission plugins: use enable-admission-plugins"
    return "the probes in the manifest need it as it is, and would kill the component"


def _is_protected(api: str) -> bool:
    group = api.partition("/")[0]
    return api in _PROTECTED_APIS or group in _PROTECTED_APIS


def _refused_files(options: Options) -> Iterator[Finding]:
    """Yield the files that no node takes from a bundle, whatever its own config allows."""
    named = file_flags(options.component)
    for file in options.files:
        content, path = file.content, (*file.field, "content")
        if options.component == ETCD:
            yield _denied(file.field, "is refused: no flag of etcd that can be changed names a file")
        elif isinstance(content, Mapping):
            yield from _refused_document(content, path)
        elif content is not None and (named[file.flag].kind if file.flag in named else not file.flag):
            yield _denied(path, "is refused: write it as a document, which can be checked, or name its path")
        elif content is not None and _SECRET_FILE.search(file.flag):
            yield _denied(path, "is refused: it may hold a secret: name its path")


def _refused_document(content: Mapping[str, Any], path: Path) -> Iterator[Finding]:
    kind = str(content.get("kind"))
    if kind in ("EncryptionConfig", "EncryptionConfiguration"):
        yield _denied(path, "is refused: its keys are secrets: name the path of a file")
    elif kind == "AuthenticationConfiguration" and content.get("anonymous") is not None:
        yield _denied((*path, "anonymous"), f"is refused: {_reason('anonymous-auth')}")
    elif kind == "AuthorizationConfiguration":
        authorizers = content.get("authorizers")
        items = authorizers if isinstance(authorizers, list) else []
        types = [str(item.get("type")) for item in items if isinstance(item, dict)]
        if not set(_NEEDED_MODES) <= set(types) or "AlwaysAllow" in types:
            message = f"is refused: it must keep {' and '.join(_NEEDED_MODES)}, without AlwaysAllow"
            yield _denied((*path, "authorizers"), message)


def _lacks(options: Options, flag: str, needed: Collection[str]) -> bool:
    """Return whether a flag takes away what must stay: it has not all of that, or is removed."""
    return flag in options.flags and not set(needed) <= set(_items(options, flag))


def _texts(options: Options, flag: str) -> Sequence[str]:
    value = options.flags.get(flag)
    try:
        return [] if value is None else flag_texts(options.component, flag, value)
    except ConfigError:
        return []  # the check of its type finds it


def _text(options: Options, flag: str) -> str:
    return (_texts(options, flag) or ("",))[-1].strip()


def _items(options: Options, flag: str) -> list[str]:
    """Return the items of a list as the component reads it, which takes quotes away."""
    try:
        return [item.strip() for item in flag_value("list", _texts(options, flag))]
    except ConfigError:
        return []  # the check of its value finds it


def _switched_off(options: Options, flag: str) -> list[str]:
    pairs = [item.partition("=") for text in _texts(options, flag) for item in text.split(",")]
    return [key.strip().removeprefix("kube:") for key, _equals, value in pairs if parse_bool(value.strip()) is False]


def _number(options: Options, flag: str) -> float | None:
    """Return the number that a flag sets, as the component parses it; None for none."""
    texts = _texts(options, flag)
    for form in ("int", "float") if texts else ():
        try:
            return float(flag_value(form, texts))
        except (ConfigError, OverflowError):
            continue
    return None


OPTION_DENIALS: Mapping[str, DenialsOfKind] = {COMPONENT_OPTIONS: option_denials}
"""For `denials`, where there may be such documents."""
