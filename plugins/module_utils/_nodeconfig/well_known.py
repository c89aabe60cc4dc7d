# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names that users and clusters see: annotations, labels, namespaces.

They are contracts (docs/development/architecture.md): a name here never changes its meaning.
"""

from __future__ import annotations

VERSION = "0.1.0"  # of the collection and its agent, the same as in galaxy.yml

ANNOTATION_CONFIG_SOURCE = "configok.dev/config-source"
ANNOTATION_ASSIGNMENT = "configok.dev/assignment"
ANNOTATION_CONFIG_STATUS = "configok.dev/config-status"
ANNOTATION_CORDONED_BY = "configok.dev/cordoned-by"
ANNOTATION_MACHINE = "configok.dev/machine"  # what the Machine of a Node has set on it

# On kubeadm's own record.
ANNOTATION_KUBEADM_SYNC = "configok.dev/kubeadm-sync"  # what a pool has written there, and what was there before

# On bundles.
ANNOTATION_CONTENT_HASH = "configok.dev/content-hash"
ANNOTATION_CHANGE_CAUSE = "configok.dev/change-cause"
ANNOTATION_AUTHOR = "configok.dev/author"
ANNOTATION_STATEMENT = "configok.dev/statement"
ANNOTATION_SIGNATURES = "configok.dev/signatures"
LABEL_HASH_SCHEME = "configok.dev/hash-scheme"
LABEL_POOL = "configok.dev/pool"

# On the local configs of nodes that provisioning publishes.
LABEL_LOCAL_CONFIG = "configok.dev/local-config"

# On Nodes, for users: kubectl get nodes -L configok.dev/config,configok.dev/config-ok
LABEL_CONFIG = "configok.dev/config"
LABEL_CONFIG_OK = "configok.dev/config-ok"

CONDITION_CONFIG_OK = "ConfigOK"

NAMESPACE_BUNDLES = "configok-system"
NAMESPACE_ROLLOUTS = "configok-rollouts"


def missing_namespace(name: str) -> str:
    """Return the message for a namespace that the role for clusters has not created."""
    return f"the namespace {name} does not exist: prepare the cluster with the role configok.node.cluster"
