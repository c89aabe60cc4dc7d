# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of variables and options as plain data, whichever version of ansible-core they are from.

Private to configok.node.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Any

from ansible import template

__all__ = ["keeping_types", "plain"]


def plain(value: Any) -> Any:
    """Return a value without the types of Ansible: trusted text, vaulted text and tagged numbers are what they say."""
    if isinstance(value, str):
        return str.__str__(value)
    if getattr(value, "__ENCRYPTED__", False):  # vaulted text of ansible-core before 2.19
        return str(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    for number in (int, float):
        if isinstance(value, number) and not isinstance(value, bool):
            return number(value)
    return value


def keeping_types(templar: Any) -> Any:
    """Return a templar whose templates keep the type of their value.

    From ansible-core 2.19 on, every templar does. Before, the value of "{{ 60 | int }}" is text.
    """
    if hasattr(template, "trust_as_template") or templar.jinja2_native:
        return templar
    as_text = importlib.import_module("ansible.template.native_helpers").ansible_eval_concat

    def concat(nodes: Iterable[Any]) -> Any:
        head = list(islice(nodes, 2))
        if len(head) == 1 and isinstance(head[0], (int, float)):
            return head[0]
        return as_text(node for node in chain(head, nodes))

    base: Any = vars(template)["AnsibleEnvironment"]
    environment = type("TypedEnvironment", (base,), {"concat": staticmethod(concat)})
    return templar.copy_with_new_env(environment_class=environment)
