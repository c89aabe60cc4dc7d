# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evict a pod through the Eviction API, which keeps PodDisruptionBudgets."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ..._kube.api_client import Client, Object
from ..._kube.api_errors import BadRequest, Conflict, Forbidden, Invalid, NotFound, TooManyRequests
from ..._kube.api_paths import eviction
from ..._text import sanitize
from ._pods import PodRef

_V1 = "policy/v1"
_V1BETA1 = "policy/v1beta1"  # before Kubernetes 1.22
_TERMINATING = "NamespaceTerminating"


class EvictionOutcome(Enum):
    """The answer to an eviction."""

    EVICTED = "evicted"
    GONE = "gone"
    BLOCKED = "blocked"  # for now: it is to be asked again
    REFUSED = "refused"


class Eviction(NamedTuple):
    """An outcome with its reason. retry_after: seconds that the server asks to wait, 0 for none."""

    outcome: EvictionOutcome
    reason: str = ""
    retry_after: float = 0.0


class Evictor:
    """Evicts pods. grace_period: seconds for each pod, None for the pod's own. Safe for many threads."""

    def __init__(self, client: Client, grace_period: int | None) -> None:
        self._client = client
        self._grace_period = grace_period
        self._version = _V1

    def evict(self, pod: PodRef) -> Eviction:
        """Evict a pod of this uid. Raises KubeError for what is not an answer about this pod."""
        version = self._version  # another thread may change it while the server answers
        try:
            try:
                answer = self._create(pod, version)
            except BadRequest as error:
                if version == _V1BETA1 or "Eviction" not in error.message:
                    raise
                answer = self._create(pod, _V1BETA1)
                self._version = _V1BETA1
        except (NotFound, Conflict):  # Conflict: another pod has this name now
            return Eviction(EvictionOutcome.GONE)
        except TooManyRequests as error:
            reason = sanitize("; ".join(error.cause_messages) or error.message)
            return Eviction(EvictionOutcome.BLOCKED, reason, error.retry_after or 0.0)
        except Forbidden as error:
            if _TERMINATING in error.causes:
                return Eviction(EvictionOutcome.BLOCKED, "its namespace is being deleted")
            return Eviction(EvictionOutcome.REFUSED, sanitize(error))
        except (BadRequest, Invalid) as error:
            return Eviction(EvictionOutcome.REFUSED, sanitize(error))
        if answer.get("status") == "Failure":  # with HTTP status 201: the pod has several PodDisruptionBudgets
            return Eviction(EvictionOutcome.REFUSED, sanitize(answer.get("message") or "the eviction failed"))
        return Eviction(EvictionOutcome.EVICTED)

    def _create(self, pod: PodRef, version: str) -> Object:
        options: Object = {"preconditions": {"uid": pod.uid}}
        if self._grace_period is not None:
            options["gracePeriodSeconds"] = self._grace_period
        body = {
            "apiVersion": version,
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": options,
        }
        return self._client.create(eviction(pod.namespace, pod.name), body)
