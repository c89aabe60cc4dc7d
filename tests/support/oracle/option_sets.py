# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make sets of options for a component of the control plane: each flag with good and bad values, and some by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import known_flags
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._pflag import Flag
from ansible_collections.configok.node.plugins.module_utils._componentconfig._options._facts import file_flags

__all__ = ["OptionSet", "option_sets"]

OptionSet = Mapping[str, Any]
"""The `flags` of ComponentOptions."""

VALUES: Mapping[str, Sequence[Any]] = {
    "bool": (True, False, "true", "0", "maybe", 2),
    "int": (1, 0, -1, 5, "7", "0x10", "x", 1.5, 2**31, 2**63),
    "float": (0.01, 0, -1, 0.5, 1, "x", "1e3"),
    "duration": ("10s", "0s", "-1s", "1h30m", "500ms", "10", "x", ""),
    "quantity": ("10Mi", "0", "-5", "x"),
    "string": ("x", "", 5),
    "profileName": ("x",),
    "int32": (1, 0, -1, 5, "7", "x", 1.5, 2**31, 2**31 - 1),
    "uint": (1, 0, -1, "x"),
    "level": (1, "x", -1),
    "stringToString": ({"a": "b"}, {"metric,label": "x,y"}, "m,l=x", "m"),
    "list": (["a"], ["a", "b"], "a,b", [], [1, True]),
    "array": (["a"], "a,b"),
    "map": ({"a": "b"}, "a=b,c=d", "a"),
    "looseMap": ({"api/all": True}, "api/ga=true", "api/beta"),
    "mapBool": ({"AllAlpha": False}, {"AllBeta": True}, {"NoSuchGate": True}, "AllAlpha=x", "AllAlpha"),
    "vmodule": ("a=1", {"a": 2}, "a", "a=x"),
    "intList": ([1, 2], "1,x"),
    "ip": ("127.0.0.1", "::1", "127.0.0", ""),
    "portRange": ("30000-30100", "30000+10", "30100-30000", "x"),
    "addressPort": ("127.0.0.1:80", "x"),
    "certKeyPairs": ("a",),
    "tristate": ("maybe",),
}
"""Values by the form of a flag: some that it takes, and some that it does not."""

GOOD_VALUES: Mapping[str, Sequence[Any]] = {
    "allow-metric-labels": ({"metric,label": "a,b", "other,label": "c"},),
    "cors-allowed-origins": (["^https://example[.]org$"],),
    "disable-admission-plugins": (["PodNodeSelector"],),
    "disabled-metrics": (["a_metric"],),
    "enable-admission-plugins": (["NodeRestriction", "AlwaysPullImages"],),
    "etcd-servers-overrides": (["/events#http://127.0.0.1:2"],),
    "kubernetes-service-node-port": (30001, "0x7531"),
    "requestheader-uid-headers": (["X-Remote-Uid"],),
    "runtime-config": ({"apps/v1": True, "api/alpha": False}, "apps/v1"),
    "service-account-jwks-uri": ("https://example.org/keys",),
    "service-account-max-token-expiration": ("2h",),
    "strict-transport-security-directives": (["max-age=3600", "includeSubDomains"],),
    "tls-cipher-suites": (["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"],),
    "tls-curve-preferences": ([29, 23],),
    "watch-cache-sizes": (["pods#100", "deployments.apps#0"],),
}
"""Values by flag, for those of which few texts are good."""

LEFT_OUT = frozenset(
    (
        # The oracle needs them as they are.
        *("advertise-address", "bind-address", "etcd-servers", "kubeconfig", "secure-port", "service-account-issuer"),
        *("service-account-key-file", "service-account-signing-key-file", "service-cluster-ip-range"),
        *("tls-cert-file", "tls-private-key-file"),
        # The component does something else, or writes somewhere else.
        *("cert-dir", "help", "version", "log-dir", "log-file", "write-config-to", "debug-socket-path"),
        # Parsed before all others, with messages of another form.
        *("log-backtrace-at", "logtostderr", "stderrthreshold", "v", "vmodule"),
    )
)
_BY_CHANCE = 200
_SEED = 20260101


def option_sets(component: str, minor: int) -> Iterator[tuple[str, OptionSet]]:
    """Yield sets of options with their names: each flag of a minor with each value, and sets of several by chance."""
    known = known_flags(component)
    assert known is not None
    files = file_flags(component)  # they are tested with their kinds
    flags = [
        flag
        for name, flag in sorted(known.flags.items())
        if name not in LEFT_OUT and name not in files and flag.known_at(minor)
    ]
    for flag in flags:
        for value in (*_values(flag, minor), *GOOD_VALUES.get(flag.name, ())):
            yield f"flag {flag.name}={value!r}", {flag.name: value}
    chance = random.Random(_SEED)
    for number in range(_BY_CHANCE):
        some = chance.sample(flags, chance.randint(2, 5))
        yield f"chance {number}", {flag.name: chance.choice(_values(flag, minor)) for flag in some}


def _values(flag: Flag, minor: int) -> Sequence[Any]:
    closed = flag.values_at(minor)
    if not closed:
        return VALUES[flag.form]
    named = [value for value in closed if value]
    return [*([[name] for name in named] if flag.form == "list" else named), "nonsense"]
