# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Map the kubelet's flags to the fields that they override.

Nearly every flag is its field in lower case with dashes; the exceptions are listed here, taken from the flags that the
kubelet registers for its config (1.20) and from the fields that were flags before (1.21 and newer). A flag wins over
the whole field, feature gates over single keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

CONFIG_DIRECTORY = "config-dir"
FEATURE_GATES = "featureGates"

_IRREGULAR_NAMES = {
    "anonymous-auth": "authentication.anonymous.enabled",
    "authentication-token-webhook": "authentication.webhook.enabled",
    "authentication-token-webhook-cache-ttl": "authentication.webhook.cacheTTL",
    "authorization-mode": "authorization.mode",
    "authorization-webhook-cache-authorized-ttl": "authorization.webhook.cacheAuthorizedTTL",
    "authorization-webhook-cache-unauthorized-ttl": "authorization.webhook.cacheUnauthorizedTTL",
    "client-ca-file": "authentication.x509.clientCAFile",
    "contention-profiling": "enableContentionProfiling",
    "event-qps": "eventRecordQPS",
    "experimental-kernel-memcg-notification": "kernelMemcgNotification",
    "experimental-logging-sanitization": "logging.sanitization",
    "image-gc-high-threshold": "imageGCHighThresholdPercent",
    "image-gc-low-threshold": "imageGCLowThresholdPercent",
    "kube-api-content-type": "contentType",
    "log-flush-frequency": "logging.flushFrequency",
    "log-json-info-buffer-size": "logging.options.json.infoBufferSize",
    "log-json-split-stream": "logging.options.json.splitStream",
    "log-text-info-buffer-size": "logging.options.text.infoBufferSize",
    "log-text-split-stream": "logging.options.text.splitStream",
    "logging-format": "logging.format",
    "manifest-url": "staticPodURL",
    "manifest-url-header": "staticPodURLHeader",
    "minimum-image-ttl-duration": "imageMinimumGCAge",
    "pod-manifest-path": "staticPodPath",
    "pod-max-pids": "podPidsLimit",
    "registry-qps": "registryPullQPS",
    "reserved-cpus": "reservedSystemCPUs",
    "rotate-server-certificates": "serverTLSBootstrap",
    "v": "logging.verbosity",
    "vmodule": "logging.vmodule",
}


def parse_flags(argv: Sequence[str]) -> list[tuple[str, str]]:
    """Return the flags of a command line in their order, each with its value ("" for a bare switch).

    ``argv`` begins with the program. The kubelet takes no other arguments, so a word after a flag is its value.
    """
    flags: list[tuple[str, str]] = []
    for word in argv[1:]:
        if word.startswith("-") and len(word) > 1 and word[1] not in "0123456789":
            name, _equals, value = word.lstrip("-").partition("=")
            flags.append((name.replace("_", "-"), value))
        elif flags and not flags[-1][1]:
            flags[-1] = (flags[-1][0], word)
    return flags


def flag_field(flag: str, fields: Iterable[str]) -> str:
    """Return the path of the field that a flag wins over, "" if it is not among ``fields`` (top-level names)."""
    irregular = _IRREGULAR_NAMES.get(flag)
    if irregular is not None:
        return irregular
    plain = flag.replace("-", "").lower()
    return next((field for field in fields if field.lower() == plain), "")


def parse_pairs(value: str) -> dict[str, str]:
    """Return the keys and values of a flag that takes a map, for example ``cpu=500m,memory=1Gi``."""
    pairs = (part.partition("=") for part in value.split(",") if "=" in part)
    return {key.strip(): text.strip() for key, _separator, text in pairs}


def fields_set_by_flags(argv: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return the fields of a file (paths of its leaves) that the flags win over, sorted.

    Each is written as ``maxPods (--max-pods)``, feature gates as ``featureGates.Name (--feature-gates)``.
    """
    tops = sorted({path.partition(".")[0] for path in paths})
    overridden = set()
    for flag, value in parse_flags(argv):
        field = flag_field(flag, tops)
        if field == FEATURE_GATES:
            paths_of_flag = [f"{FEATURE_GATES}.{gate}" for gate in parse_pairs(value)]
        else:
            paths_of_flag = [field] if field else []
        for flag_path in paths_of_flag:
            if any(path == flag_path or path.startswith(f"{flag_path}.") for path in paths):
                overridden.add(f"{flag_path} (--{flag})")
    return sorted(overridden)
