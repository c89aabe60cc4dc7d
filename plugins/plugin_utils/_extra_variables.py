# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The extra variables of this run: the names that a rollout would ignore by mistake."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible import context
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.splitter import parse_kv

from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_keys import (
    POOL_FILE,
    FileKeys,
    find_unknown_keys,
    find_unknown_variables,
)

__all__ = ["extra_variables", "unknown_file_keys", "unknown_variables"]

_FILE_KEYS = "pool_file_keys"  # set by read_pool.yml of the project for AWX


def extra_variables(arguments: Iterable[str], loader: DataLoader) -> Iterator[list[str]]:
    """Yield the names of the variables of each -e, as Ansible reads them."""
    for argument in arguments:
        if argument.startswith("@"):
            # Ansible has read the file already, relative to the current directory; the loader has kept it.
            value: Any = loader.load_from_file(os.path.join(os.getcwd(), os.path.expanduser(argument[1:])))
        elif argument[:1] in ("[", "{"):
            value = loader.load(argument)
        else:
            value = parse_kv(argument)
        yield [str(name) for name in value] if isinstance(value, Mapping) else []


def unknown_variables(loader: DataLoader, file: FileKeys = POOL_FILE) -> list[str]:
    """Return a sentence for each extra variable of this run that a rollout would ignore by mistake.

    file: the keys of the file that the run takes.
    Raises AnsibleError when they cannot be read a second time, for example from a pipe.
    """
    return find_unknown_variables(list(extra_variables(context.CLIARGS.get("extra_vars") or (), loader)), file)


def unknown_file_keys(variables: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each key of a pool file that a playbook has read, and that a rollout would ignore."""
    return find_unknown_keys([str(name) for name in variables.get(_FILE_KEYS) or ()])
