# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases in which the kubelet and our validation disagree, each with its reason.

The test fails for any other disagreement, and for one that no longer exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["EXPLAINED", "RACES", "Explanation", "explained_at"]


class Explanation(NamedTuple):
    """Why the two disagree, and the first and the last minor in which they do."""

    reason: str
    first: int = 20
    last: int = 99


_LIMIT = "we read no more than a component config needs, so that hostile input costs nothing"
_PEM = "we look for the frame of a certificate in a file, and not into it"
_ADDRESS = "we do not look for the addresses of the host"
_RUN_ONCE = "with runOnce it ends with an error only where no pods come within a second"
_FLAG_RESETS = "the kubelet's flag for this field resets it before the kubelet validates it"
_USER_IDS = "the number of user ids that a node has for its pods is not in the config"
_ENDPOINT = "the engine does not ask the endpoint of an image service"
_TIMEOUT = "the response time of the container runtime is not in the config"

EXPLAINED: Mapping[str, Explanation] = {
    "path absolute authority broken.pem": Explanation(_PEM),
    "path absolute certificate broken.pem": Explanation(_PEM),
    "path relative authority broken.pem": Explanation(_PEM),
    "path relative certificate broken.pem": Explanation(_PEM),
    "text depth 70": Explanation(_LIMIT),
    "text large": Explanation(_LIMIT),
    "text many": Explanation(_LIMIT),
    "text maxPods: 1e1_0": Explanation(
        "the JSON reader of 1.20 takes some numbers that are too large for others", last=22
    ),
    "field maxOpenFiles 3": Explanation("the number of files that a kubelet opens is not in its config"),
    "corner address='010.0.0.1'": Explanation(
        "built with a newer Go than its release had, which takes no leading zeros"
    ),
    "corner address='192.0.2.1'": Explanation(_ADDRESS),
    "corner address='fe80::1'": Explanation(_ADDRESS),
    "corner tlsCertFile='/etc/kubernetes/pki/ca.crt', tlsPrivateKeyFile='/etc/kubernetes/oracle/pair.pem'": Explanation(
        _PEM
    ),
    "corner runOnce=True, staticPodURL='http://127.0.0.1:1'": Explanation(_RUN_ONCE, last=31),
    "field runOnce True": Explanation(_RUN_ONCE, last=31),
    "field logging.options.text.splitStream True": Explanation(_FLAG_RESETS, first=30),
    "field logging.options.json.splitStream True": Explanation(_FLAG_RESETS, first=30),
    "field imageServiceEndpoint 'none'": Explanation(_ENDPOINT, first=27),
    "corner maxPods=2147483647, podsPerCore=1": Explanation(_USER_IDS, first=30),
    'text JSON with "nobody": 1e400': Explanation("a number that no field takes is left out with its field", first=36),
    "corner runtimeRequestTimeout='1ns'": Explanation(_TIMEOUT),
}
"""Names of cases, and why."""

RACES: Mapping[str, str] = {
    # The read-only server ends the kubelet when it comes second, the health server only logs: we refuse it.
    "corner healthzPort=10255, readOnlyPort=10255": "which of two servers has a port first differs from start to start",
}
"""Names of cases that the kubelet itself answers now so, now otherwise, and why."""


def explained_at(minor: int) -> dict[str, str]:
    """Return the names of the cases that disagree in a minor, and why."""
    return {name: why.reason for name, why in EXPLAINED.items() if why.first <= minor <= why.last}
