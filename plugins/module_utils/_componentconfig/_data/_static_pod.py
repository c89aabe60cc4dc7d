# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of static-pod as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{},"kinds":{"options.configok.dev/v1alpha1 ComponentOptions":{"description":
["The desired flags and files of one component of the control plane that runs as a static Pod."],"fields":
{"component":{"enum":["kube-apiserver","kube-controller-manager","kube-scheduler","etcd"]},"flags":{"type":
"map<any>"},"files":{"type":"map<object>","fields":{"flag":{},"path":{},"content":{"type":"any","nullable":1}}}}}}}
"""
