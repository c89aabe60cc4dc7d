# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Validation rules of credential-provider as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"CredentialProviderConfig":{"providers":{"fields":["providers"],"since":20},"provider-name":{"fields":
["providers[].name"],"since":20},"provider-unique":{"fields":["providers[].name"],"since":20},"provider-version":
{"fields":["providers[].apiVersion"],"since":20},"match-images":{"fields":["providers[].matchImages"],"since":20},
"cache-duration":{"fields":["providers[].defaultCacheDuration"],"since":20},"token-gate":{"fields":
["providers[].tokenAttributes"],"since":33,"level":"warning"},"token-version":{"fields":
["providers[].tokenAttributes","providers[].apiVersion"],"since":33},"token-audience":{"fields":
["providers[].tokenAttributes.serviceAccountTokenAudience"],"since":33},"token-required":{"fields":
["providers[].tokenAttributes.requireServiceAccount"],"since":33},"token-cache":{"fields":
["providers[].tokenAttributes.cacheType"],"since":34},"token-keys":{"fields":
["providers[].tokenAttributes.requiredServiceAccountAnnotationKeys",
"providers[].tokenAttributes.optionalServiceAccountAnnotationKeys"],"since":33}},"values":{"versions":{"20":
["v1alpha1"],"24":["v1alpha1","v1beta1"],"26":["v1alpha1","v1beta1","v1"]}}}
"""
