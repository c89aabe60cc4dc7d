# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Validation rules of client as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"Config":{"names-unique":{"fields":["clusters[].name","users[].name","contexts[].name"],"since":20},
"current-context":{"fields":["current-context"],"since":20},"no-context":{"fields":["current-context"],"since":20,
"level":"warning"},"context-cluster":{"fields":["contexts","clusters","current-context"],"since":20},"context-user":
{"fields":["contexts","users","current-context"],"since":20,"level":"policy"},"context-namespace":{"fields":
["contexts[].context.namespace"],"since":20,"level":"policy"},"references":{"fields":["contexts","clusters","users"],
"since":20,"level":"warning"},"cluster-server":{"fields":["clusters[].cluster.server"],"since":20},
"cluster-authority":{"fields":["clusters"],"since":20},"cluster-insecure":{"fields":
["clusters[].cluster.insecure-skip-tls-verify"],"since":20},"cluster-proxy":{"fields":
["clusters[].cluster.proxy-url"],"since":20},"user-one-way":{"fields":["users"],"since":20},"user-certificate":
{"fields":["users"],"since":20},"user-exec":{"fields":["users[].user.exec"],"since":20},"user-exec-version":{"fields":
["users[].user.exec.apiVersion"],"since":20},"user-exec-interactive":{"fields":["users[].user.exec.interactiveMode"],
"since":22},"user-impersonates":{"fields":["users"],"since":20},"embedded-secret":{"fields":["users"],"since":20,
"level":"policy"}},"Preference":{"alias-name":{"fields":["aliases[].name"],"since":33},"alias-unique":{"fields":
["aliases[].name"],"since":33},"option-name":{"fields":["aliases","defaults","overrides"],"since":33},
"plugin-allowlist":{"fields":["credentialPluginPolicy","credentialPluginAllowlist"],"since":35}},
"LeaderMigrationConfiguration":{"leader-name":{"fields":["leaderName"],"since":21},"leader-lock":{"fields":
["resourceLock"],"since":21},"leader-controllers":{"fields":["controllerLeaders[].name",
"controllerLeaders[].component"],"since":21}},"KubeControllerManagerConfiguration":{"not-read":{"fields":
["apiVersion"],"since":20,"level":"warning"}},"values":{"execVersions":{"20":["v1alpha1","v1beta1"],"22":["v1alpha1",
"v1beta1","v1"],"24":["v1beta1","v1"]}}}
"""
