# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users of other systems complain about, read from public issues and documents, and what holds here.

Each complaint has a test that names it: ``@pytest.mark.complaint("kubespray #11395: took down 20% of the workers")``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["COMPLAINTS", "PENDING", "Complaint"]


class Complaint(NamedTuple):
    """A complaint.

    words: in short, as its users put it. references: where it is published, as a test may name them. answer: what holds
    here.
    """

    words: str
    references: tuple[str, ...]
    answer: str

    @property
    def names(self) -> list[str]:
        """Return the names by which a test may refer to this complaint."""
        return [f"{reference}: {self.words}" for reference in self.references]


COMPLAINTS = (
    Complaint(
        "an agent restart restarted kubelets with unchanged config",
        ("openshift-ansible #11007",),
        "A fingerprint of the config is on the node's disk; a restart of the agent restarts no component.",
    ),
    Complaint(
        "an API outage crashed the agent into mass restarts",
        ("openshift-tools #4349",),
        "The agent survives an API outage and restarts no component.",
    ),
    Complaint(
        "the playbook could not know when the asynchronous agent was done",
        ("openshift-ansible PR #9983",),
        "The gate waits for ConfigOK for this uid, after this assignment.",
    ),
    Complaint(
        "invalid values rendered nodes unusable",
        ("MCO #2357",),
        "A config is validated for each version in the pool before it is published, and on the node before it is used.",
    ),
    Complaint(
        "validation was wrong about percentages, and was reverted",
        ("MCO PR #2390", "MCO PR #2383"),
        "Validation is compared with the real kubelet, value by value.",
    ),
    Complaint(
        "deleting the bad config does not recover; stuck Degraded",
        ("MCO #1443", "MCO #320"),
        "Any new uid, or the old one, recovers a node, without edits by hand.",
    ),
    Complaint(
        "took down 20% of the workers",
        ("kubespray #11395",),
        "A bad config reaches no node outside the canary that shows the fault.",
    ),
    Complaint(
        "a changed template restarts kubelets in parallel, without a health gate",
        ("kubespray #5508",),
        "Never more nodes than maxUnavailable at a time, and none after a node that fails beyond the budget.",
    ),
    Complaint(
        "nodes left cordoned by repeated failing runs",
        ("kubespray #6545", "kubespray #6281", "system-upgrade-controller #71"),
        "A run uncordons what it cordoned, also after a kill.",
    ),
    Complaint(
        "one bad apply and the node is gone; health-based revert wanted",
        ("Talos #4724", "Talos #7988"),
        "A node returns to its last-known-good config by itself.",
    ),
    Complaint(
        '"no data" counted as success, or aborted',
        ("argo-rollouts #1905", "argo-rollouts #3015", "argo-rollouts #1411"),
        "A gate has three answers, and *don't know* never passes: the rollout pauses.",
    ),
    Complaint(
        "a budget slot leaked",
        ("kubernetes-nmstate PR #854", "bootc-operator #158", "brupop #650"),
        "Each node has a deadline, after which its slot is free.",
    ),
    Complaint(
        "wrong denominator when nodes go NotReady",
        ("nmstate #473",),
        "Denominators are frozen when the rollout starts.",
    ),
    Complaint(
        "a budget that can never be met starves silently",
        ("flightctl #892",),
        "A budget that allows nothing is refused before the start.",
    ),
    Complaint(
        "concurrency exceeded in 30 % of the runs",
        ("system-upgrade-controller #77",),
        "Never more than maxUnavailable: tested as a property.",
    ),
    Complaint(
        "status hides the reason",
        ("system-upgrade-controller #221", "k0s #4007", "argo-rollouts #404"),
        "The agent's own words are on the first screen.",
    ),
    Complaint(
        "re-applying a repaired plan does nothing",
        ("k0s #4006",),
        "Running a rollout again is always right, and resumes it.",
    ),
    Complaint(
        "a new release changed the hash and rolled the whole fleet",
        ("karpenter-aws #5373",),
        "The name of a bundle depends on its content and on a versioned hash scheme.",
    ),
    Complaint(
        "pausing also stopped certificate rotation",
        ("MCO docs",),
        "A pause stops one rollout and nothing else.",
    ),
    Complaint(
        "flags silently win over the file",
        ("kubernetes #131355",),
        "A field that a flag shadows is named in the node's status and in the plan.",
    ),
    Complaint(
        "a zero cannot be set",
        ("kubernetes #67580",),
        "A diff shows the effective config, with what the component makes of a zero; its /configz is the proof.",
    ),
    Complaint(
        "a kubelet restart flips readiness of pods",
        ("kubernetes #100277", "gardener #8512"),
        "A restart counts as unavailability, its flapping is not a failure, and a soak follows.",
    ),
    Complaint(
        "changing the CPU manager policy crash-loops until a state file is deleted and the node drained",
        ("kubespray #8535", "Talos #7504", "bottlerocket #1465"),
        "The table of disruptions knows the field: the node is drained and the agent sets the state file aside.",
    ),
    Complaint(
        "customisations lost at upgrade",
        ("kubeadm #3049", "kubeadm #970"),
        "Configs are layers in git, and a plan shows the effective difference before anything changes.",
    ),
    Complaint(
        "per-node values over a shared config",
        ("MCO #1720", "kubeadm #2367"),
        "A node's instance config is laid over the bundle.",
    ),
    Complaint(
        "1,000 nodes repointed by hand",
        ("kubernetes #72510",),
        "One run moves a whole pool, in waves, with one PATCH per node.",
    ),
    Complaint(
        "removed: it needed stronger reliability promises and a limit on what may change",
        ("enhancements #281",),
        "Faults are injected at every step of a change, and denied fields cannot be set by a bundle.",
    ),
)

# Complaints without a test yet, by their words, with the reason. It should be empty.
PENDING: Mapping[str, str] = {}
