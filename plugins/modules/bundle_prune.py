#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Delete the old bundles of a pool."""

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_prune
short_description: Delete the old bundles of a pool
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Deletes the bundles of a pool, except the newest O(limit).
  - A bundle stays if a Node of the cluster names it (as assigned, active or last-known-good), if the record of a pool
    names it, or if the next undo would go there.
  - The revision stays in the history of the pool, which says when it was pruned. To undo to it, publish its config
    again.
  - Takes the lock of the pool, so it fails while a runner moves the pool.
  - Needs an identity that may delete ConfigMaps in the namespaces of bundles, which a runner may only with
    O(configok.node.cluster_access#module:runner_prune).
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.pool
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
    details:
      - The API server checks the deletions with C(dryRun=All).
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  limit:
    description:
      - How many bundles are kept, counted from the newest, from 1 to 100.
    type: int
    default: 10
seealso:
  - module: configok.node.config_bundle
  - module: configok.node.config_status_info
"""

EXAMPLES = r"""
- name: Delete the old bundles of the workers
  configok.node.bundle_prune:
    pool: workers
    limit: 5
"""

RETURN = r"""
deleted:
  description: The bundles that were deleted, the oldest first.
  returned: success
  type: list
  elements: dict
  sample: [{revision: 1, namespace: configok-system, name: workers-0a1b2c3d4e}]
kept:
  description: The bundles beyond O(limit) that stay, the oldest first, each with the reason.
  returned: success
  type: list
  elements: dict
  sample:
    - {revision: 2, namespace: configok-system, name: workers-5f6a7b8c9d, reason: node node-7 names it}
text:
  description: The same as human-readable lines.
  returned: success
  type: list
  elements: str
  sample:
    - revision 1 (workers-0a1b2c3d4e) was deleted
    - "revision 2 (workers-5f6a7b8c9d) stays: node node-7 names it"
"""

import uuid
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Revision
from ansible_collections.configok.node.plugins.module_utils._rollout._run.bundle_pruning import prune_bundles
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {
        **KUBE_ARGUMENT_SPEC,
        "pool": {"type": "str", "required": True},
        "limit": {"type": "int", "default": 10},
    }


def _bundle(revision: Revision) -> dict[str, Any]:
    return {"revision": revision.number, "namespace": revision.namespace, "name": revision.name}


def main() -> None:
    """Delete the old bundles."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    params = module.params
    if not 1 <= params["limit"] <= 100:
        module.fail_json(msg=f"limit is {params['limit']}: it must be from 1 to 100")
    with fail_on_errors(module), client_from_params(params) as client:
        runner = f"configok.node.bundle_prune ({uuid.uuid4().hex[:8]})"
        result = prune_bundles(
            client, params["pool"], params["limit"], runner=runner, clock=Clock(), check=module.check_mode
        )
        deleted = [_bundle(revision) for revision in result.choice.deleted]
        kept = [{**_bundle(bundle.revision), "reason": bundle.reason} for bundle in result.choice.kept]
        names = "".join(f"{bundle['namespace']}/{bundle['name']}\n" for bundle in deleted)
        module.exit_json(
            changed=bool(deleted),
            diff={"before": names, "after": ""},
            **sanitize_all({"deleted": deleted, "kept": kept, "text": result.lines()}),
        )


if __name__ == "__main__":
    main()
