# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode, default, convert, layer, check, compare and explain Kubernetes component config files.

The façade is six verbs, each in the file of its name:

    load(layers)                                   decode layers, merge them, know the origin of every field
    check(config, versions=..., host=...)          return all findings for a set of Kubernetes versions
    compare(before, after, versions)               return the fields that differ and what each change asks of a node
    explain(path, kind=..., version=...)           return what is known about a field, a kind or a feature gate
    convert(source, api_version, versions=...)     return a file in another API version, and its losses
    migrate(component, argv, version=...)          return a config file for a component's flags

Next to them are policies: _bundle_policy, _denied_fields and _denials (fields that a bundle must not set), _drop_ins
(the kubelet's --config-dir), _disruption (restart, drain, reboot) and _live_config (a kubelet's /configz). All of it
stands on

    _findings, _exceptions    the one finding type, and the one error type
    _codec                    YAML and JSON as Kubernetes reads and writes them
    _scalars                  durations, quantities, names, addresses, field paths, secrets
    _schema                   kinds, fields, defaults, types, feature gates and releases
    _flags                    command lines, and the fields that flags stand for
    _conversions              what differs between the versions of a kind besides its fields
    _rules                    one file of rules for each component, and those about the host
    _data                     the generated facts, imported on first use

Import a verb from its file: ansible-core ships every file that an import names, so that a module ships only what it
calls. This package imports nothing of the collection outside itself and does no I/O. Beside ImportError, where PyYAML
is missing, it raises ConfigError and nothing else.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__: list[str] = []
