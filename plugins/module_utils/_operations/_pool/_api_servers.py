# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the other API servers of a cluster: a run asks them while the one that its kubeconfig names restarts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..._kube.api_client import Client, Object
from ..._kube.api_errors import Forbidden, KubeError, NotFound
from ..._kube.api_paths import API_SERVER_ENDPOINTS
from ..._kube.parallel import run_parallel
from ..._rollout._pool.policy import Policy
from ..._text import first_names, sanitize

_MAX_TEXT = 200
_MOST = 20  # servers; etcd has seven members at most
_NOT_ASKED = "no other API server is asked while one restarts"


class OtherApiServers(NamedTuple):
    """The URLs of other API servers, each of which has answered, and sentences about what cannot be asked."""

    urls: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return what a user reads of them."""
        return [f"While its API server restarts, this run asks {first_names(self.urls, _MOST)}."] if self.urls else []


def find_api_servers(client: Client, policy: Policy) -> OtherApiServers:
    """Return the other API servers of a control plane: those of the pool file, or else those that the cluster names.

    A server counts if it answers this run as one of the same cluster: with the same Endpoints default/kubernetes, which
    the API servers keep themselves (Endpoints, not an EndpointSlice: releases before 1.21 have that in a beta).
    """
    named = policy.disruptions.api_servers
    if named == () or (named is None and policy.gates.control_plane is None):
        return OtherApiServers()
    try:
        endpoints = client.get(API_SERVER_ENDPOINTS)
    except NotFound:
        return OtherApiServers(warnings=(f"{_NOT_ASKED}: the cluster has no Endpoints default/kubernetes",))
    except Forbidden:
        return OtherApiServers(
            warnings=(
                f"{_NOT_ASKED}: this run may not get the Endpoints default/kubernetes, which have them: run the role "
                "configok.node.cluster again",
            )
        )
    except KubeError as error:
        return OtherApiServers(warnings=(f"{_NOT_ASKED}: {sanitize(error, _MAX_TEXT)}",))
    urls = _urls_of(endpoints) if named is None else named
    others = [url for url in urls if url != client.server][:_MOST]
    if not others or (named is None and len(urls) == 1):
        return OtherApiServers()
    refusal = client.why_no_instances()
    if refusal:
        return OtherApiServers(warnings=(f"{_NOT_ASKED}: {sanitize(refusal, _MAX_TEXT)}",))
    return _reached(client, others, endpoints["metadata"]["uid"])


def _reached(client: Client, urls: Sequence[str], uid: str) -> OtherApiServers:
    """Ask each server for its Endpoints, and return those of the cluster, in this order."""

    def ask(url: str) -> str:
        with client.at_instance(url) as instance:
            return str(instance.get(API_SERVER_ENDPOINTS)["metadata"]["uid"])

    answers = dict(run_parallel(ask, urls))
    problems = {url: _problem(answers[url], uid) for url in urls}
    return OtherApiServers(
        tuple(url for url in urls if not problems[url]),
        tuple(
            f"{url} is not asked while another API server restarts: {text}" for url, text in problems.items() if text
        ),
    )


def _problem(answer: str | KubeError, uid: str) -> str:
    if isinstance(answer, KubeError):
        return sanitize(answer, _MAX_TEXT)
    return "" if answer == uid else "it is one of another cluster"


def _urls_of(endpoints: Object) -> tuple[str, ...]:
    """Return the URLs of the API servers in their Endpoints, sorted."""
    return tuple(
        sorted(
            f"https://{_host(address.get('ip'))}:{port.get('port')}"
            for subset in endpoints.get("subsets") or ()
            for address in subset.get("addresses") or ()
            for port in subset.get("ports") or ()
        )
    )


def _host(address: Any) -> str:
    text = str(address)
    return f"[{text}]" if ":" in text else text
