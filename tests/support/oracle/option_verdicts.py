# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare our verdict on sets of options with that of the real component, which reads its flags and ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Callable, NamedTuple

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.component_flags import (
    ComponentFlags,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._options._document import (
    flag_arguments,
    read_options,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from ansible_collections.configok.node.plugins.module_utils._componentconfig.option_check import OPTION_CHECK
from support.api.startup_files import ApiServerFiles, refusal_of_client
from support.configs.options import component_options
from support.oracle.option_sets import OptionSet

__all__ = ["OptionVerdict", "compare_options", "explanations"]

_LATER = "it looks at the flag after its kubeconfig, which it does not get here"
_UNUSED = "it looks at the flag only if another one turns the feature on"
_BUILD = "a build without JSON logs, or one that only warns about unknown gates, as those of some distributions are"
_NAMES = "the data do not have the names of controllers"
_EMPTY = "we take an empty value for a flag that is not set"
_HOST = "the host, which is not in the options"
_OLD = "a flag without effect, whose empty value the component refuses"
_UNDERSCORES = "a release that has the flag with underscores only"

_OF_CLIENTS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period"),
            *(
                "leader-elect-resource-lock",
                "tls-cipher-suites",
                "tls-curve-preferences",
                "tls-min-version",
                "cidr-allocator-type",
            ),
            "cloud-provider",
        ),
        _LATER,
    ),
    "controllers": _NAMES,
    "concurrent-rc-syncs": _UNDERSCORES,
}
_OF_ALL: Mapping[str, str] = {
    "address": _OLD,
    **dict.fromkeys(("feature-gates", "log-json-info-buffer-size", "log-json-split-stream", "logging-format"), _BUILD),
}
EXPLAINED: Mapping[str, Mapping[str, str]] = {
    "kube-apiserver": {
        **_OF_ALL,
        **dict.fromkeys(
            (
                *("audit-log-format", "audit-log-mode", "audit-log-version", "audit-webhook-mode"),
                *("audit-webhook-version", "authentication-token-webhook-version", "authorization-webhook-version"),
                *("endpoint-reconciler-type", "storage-media-type"),
            ),
            _UNUSED,
        ),
        **dict.fromkeys(
            (
                *("oidc-client-id", "oidc-groups-claim", "oidc-groups-prefix", "oidc-issuer-url"),
                *("oidc-signing-algs", "oidc-username-claim", "oidc-username-prefix"),
            ),
            _EMPTY,
        ),
        "audit-log-path": _HOST,
        "insecure-bind-address": _OLD,
        **dict.fromkeys(("cloud-provider-gce-l7lb-src-cidrs", "cloud-provider-gce-lb-src-cidrs"), _OLD),
    },
    "kube-controller-manager": {**_OF_ALL, **_OF_CLIENTS},
    "kube-scheduler": {**_OF_ALL, **_OF_CLIENTS},
}
"""The flags about which we and a component may disagree, with the reason."""


class OptionVerdict(NamedTuple):
    """What we say against a set of options, and what the component says; "" for nothing."""

    name: str
    options: OptionSet
    ours: str
    theirs: str

    @property
    def agrees(self) -> bool:
        """Whether both refuse the set, or neither does."""
        return bool(self.ours) == bool(self.theirs)

    def __str__(self) -> str:
        return f"{self.name}: we say {self.ours or 'nothing'}, it says {self.theirs or 'nothing'}"


def explanations(component: str, verdict: OptionVerdict) -> list[str]:
    """Return why the two may disagree about a set, [] without a reason."""
    reasons = EXPLAINED[component]
    return list(dict.fromkeys(reasons[flag] for flag in verdict.options if flag in reasons))


def compare_options(
    component: str, minor: int, sets: Iterable[tuple[str, OptionSet]], directory: Path
) -> Iterator[OptionVerdict]:
    """Yield both verdicts on sets of options, without those that no command line can have.

    directory: for the files of kube-apiserver. Raises Unavailable without the component.
    """
    ask, base = _oracle(component, directory)
    for name, flags in sets:
        document = component_options(flags, component=component)
        arguments = list(flag_arguments(read_options(document)))
        if any(argument.error for argument in arguments):
            continue
        theirs = ask([f"--{argument.name}={argument.value}" for argument in arguments])
        findings = check(
            json.dumps(document),
            component=component,
            versions=[f"1.{minor}"],
            flags=ComponentFlags(base),
            arguments=OPTION_CHECK,
        )
        ours = [finding.text for finding in findings if finding.level is Level.COMPONENT]
        yield OptionVerdict(name, flags, "; ".join(ours), theirs or "")


def _oracle(component: str, directory: Path) -> tuple[Callable[[list[str]], str | None], list[str]]:
    """Return what asks a component about flags, and the flags that it gets besides."""
    if component == "kube-apiserver":
        server = ApiServerFiles(directory)
        return server.refuses_flags, server.flags
    return lambda words: refusal_of_client(component, words, directory / "none"), []
