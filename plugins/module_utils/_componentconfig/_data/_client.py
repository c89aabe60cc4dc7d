# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of client as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"v1 Config":{"component":"client","fields":{"kind":{"optional":1},"apiVersion":{"optional":1},"preferences":{"type":
"object","optional":1,"fields":{"colors":{"type":"bool","optional":1},"extensions":{"type":"list<object>","optional":
1,"fields":{"name":{},"extension":{"type":"any"}}}}},"clusters":{"type":"list<object>","fields":{"name":{},"cluster":
{"type":"object","fields":{"server":{},"tls-server-name":{"optional":1},"insecure-skip-tls-verify":{"type":"bool",
"optional":1},"certificate-authority":{"optional":1},"certificate-authority-data":{"type":"bytes","optional":1},
"proxy-url":{"optional":1},"disable-compression":{"type":"bool","optional":1,"since":26},"extensions":{"type":
"list<object>","optional":1,"fields":{"name":{},"extension":{"type":"any"}}}}}}},"users":{"type":"list<object>",
"fields":{"name":{},"user":{"type":"object","fields":{"client-certificate":{"optional":1},"client-certificate-data":
{"type":"bytes","optional":1},"client-key":{"optional":1},"client-key-data":{"type":"bytes","optional":1},"token":
{"optional":1},"tokenFile":{"optional":1},"as":{"optional":1},"as-uid":{"optional":1,"since":23},"as-groups":{"type":
"list<string>","optional":1},"as-user-extra":{"type":"map<list<string>>","optional":1},"username":{"optional":1},
"password":{"optional":1},"auth-provider":{"type":"object","optional":1,"nullable":1,"fields":{"name":{},"config":
{"type":"map<string>"}}},"exec":{"type":"object","optional":1,"nullable":1,"fields":{"command":{},"args":{"type":
"list<string>","optional":1},"env":{"type":"list<object>","optional":1,"fields":{"name":{},"value":{}}},"apiVersion":
{"optional":1},"installHint":{"optional":1},"provideClusterInfo":{"type":"bool"},"interactiveMode":{"type":"enum",
"optional":1,"since":22,"enum":["Never","IfAvailable","Always"]}}},"extensions":{"type":"list<object>","optional":1,
"fields":{"name":{},"extension":{"type":"any"}}}}}}},"contexts":{"type":"list<object>","fields":{"name":{},"context":
{"type":"object","fields":{"cluster":{},"user":{},"namespace":{"optional":1},"extensions":{"type":"list<object>",
"optional":1,"fields":{"name":{},"extension":{"type":"any"}}}}}}},"current-context":{},"extensions":{"type":
"list<object>","optional":1,"fields":{"name":{},"extension":{"type":"any"}}}}},
"kubectl.config.k8s.io/v1alpha1 Preference":{"component":"kubectl","fields":{"overrides":{"type":"list<object>",
"fields":{"command":{},"flags":{"type":"list<object>","fields":{"name":{},"default":{}}}}},"aliases":{"type":
"list<object>","fields":{"name":{},"command":{},"prependArgs":{"type":"list<string>","optional":1},"appendArgs":
{"type":"list<string>","optional":1},"flags":{"type":"list<object>","optional":1,"fields":{"name":{},"default":
{}}}}}}},"kubectl.config.k8s.io/v1beta1 Preference":{"component":"kubectl","fields":{"defaults":{"type":
"list<object>","fields":{"command":{},"options":{"type":"list<object>","fields":{"name":{},"default":{}}}}},"aliases":
{"type":"list<object>","fields":{"name":{},"command":{},"prependArgs":{"type":"list<string>","optional":1},
"appendArgs":{"type":"list<string>","optional":1},"options":{"type":"list<object>","optional":1,"fields":{"name":{},
"default":{}}}}},"credentialPluginPolicy":{"type":"enum","optional":1,"since":35,"enum":["AllowAll","DenyAll",
"Allowlist"]},"credentialPluginAllowlist":{"type":"list<object>","optional":1,"since":35,"fields":{"name":{"optional":
1,"since":35},"command":{"optional":1,"since":36}}}}}}
"""
