# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""check: say whether the agent can work on this node, before anything is changed on it."""

from __future__ import annotations

from collections.abc import Iterator

from ._agent._agent_configuration import AgentConfiguration
from ._agent._manifest_survey import survey_manifests
from ._agent._ssh_keygen_command import missing_ssh_keygen
from ._agent._store._store import Store
from ._agent._trust_settings import parse_trust_policy
from ._agent._validation._validate_on_node import check_deny_policy
from ._kube.api_errors import KubeError
from ._kube.credentials import from_kubeconfig
from ._output import complain, show
from ._processes import run_command

__all__ = ["check_node"]

_OK, _REFUSED = 0, 1


def check_node(configuration: AgentConfiguration, store: Store) -> int:
    """Print what is wrong, and the static Pods that are left alone; return 0, or 1 if anything is wrong.

    Raises InvalidConfiguration, OSError.
    """
    check_deny_policy(configuration)
    survey = survey_manifests(configuration, store)
    problems = [*_trust_problems(configuration), *_credential_problems(configuration), *survey.problems]
    for problem in problems:
        complain(problem)
    if survey.others:
        show(f"left alone: the static Pods {', '.join(survey.others)}")
    return _REFUSED if problems else _OK


def _trust_problems(configuration: AgentConfiguration) -> Iterator[str]:
    policy = parse_trust_policy(configuration)
    if policy.mode == "require" and not policy.clusters:
        yield "trust.clusters must name the cluster of this node, because mode is require: set node_trust_clusters"
    if policy.mode != "off" and policy.verifier == "ssh-keygen":
        missing = missing_ssh_keygen(run_command)
        if missing:
            yield f"trust.verifier is ssh-keygen, but {missing}: install OpenSSH 8.1 or newer, or set it to builtin"


def _credential_problems(configuration: AgentConfiguration) -> Iterator[str]:
    try:
        from_kubeconfig(configuration.kubeconfig)
    except KubeError as error:
        yield str(error)
