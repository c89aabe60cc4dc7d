# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules about the files of clients and of the controller managers, by id in schema/client_validation_rules.json.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ._context import Context, Fault, Rule, RuleSet
from ._kubeconfig import KUBECONFIG_RULES
from ._shapes import all_of, checked, required, unique

__all__ = ["CLIENT_RULE_SETS"]

_ALIAS = re.compile(r"[a-zA-Z]+")
_OPTIONS = ("aliases[].options[]", "defaults[].options[]", "aliases[].flags[]", "overrides[].flags[]")
"""Where flags are named, in v1beta1 and in v1alpha1."""


def _allowlist(c: Context) -> Iterator[Fault]:
    wanted, given = c.given("credentialPluginPolicy") == "Allowlist", bool(c.given("credentialPluginAllowlist"))
    if wanted != given:
        words = "must hold at least one plugin with" if wanted else "is only allowed with"
        yield ("credentialPluginAllowlist",), f"{words} credentialPluginPolicy: Allowlist"


def _not_read(c: Context) -> Iterator[Fault]:
    yield ("kind",), "no binary reads this kind from a file: kube-controller-manager only has flags"


_RULES: dict[str, dict[str, Rule]] = {
    "Config": KUBECONFIG_RULES,
    "Preference": {
        "alias-name": checked(
            "aliases[].name", lambda name: bool(_ALIAS.fullmatch(name)), "must be letters only", absent=""
        ),
        "alias-unique": unique("aliases[].name"),
        "option-name": all_of(
            *(
                checked(
                    f"{options}.name",
                    lambda name: not name.startswith("-"),
                    "must be a flag's long name, without dashes",
                )
                for options in _OPTIONS
            )
        ),
        "plugin-allowlist": _allowlist,
    },
    "LeaderMigrationConfiguration": {
        "leader-name": checked("leaderName", bool, "is required", absent=""),
        "leader-lock": checked(
            "resourceLock", lambda lock: lock in ("", "leases", "endpoints"), "must be leases or endpoints"
        ),
        "leader-controllers": all_of(required("controllerLeaders[].name"), required("controllerLeaders[].component")),
    },
    "KubeControllerManagerConfiguration": {"not-read": _not_read},
}

CLIENT_RULE_SETS: dict[str, tuple[RuleSet, ...]] = {
    kind: (RuleSet("client", kind, rules),) for kind, rules in _RULES.items()
}
"""The rules by kind."""
