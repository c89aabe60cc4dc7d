# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the names of a run's extra variables on the controller, which alone can tell them from other variables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible import context
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.splitter import parse_kv
from ansible.plugins.action import ActionBase

from ansible_collections.configok.node.plugins.module_utils._rollout._pool_keys import find_unknown_variables


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


class ActionModule(ActionBase):
    """The action plugin pool_check; plugins/modules/pool_check.py documents it."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Check the names, and fail with one message for all that would be ignored by mistake."""
        super().run(tmp, task_vars)
        self.validate_argument_spec({})
        try:
            groups = list(extra_variables(context.CLIARGS.get("extra_vars") or (), self._loader))
        except AnsibleError as error:
            # Ansible has read them already; some can be read only once (a pipe), which is not an error.
            return {"changed": False, "errors": [], "msg": f"the extra variables cannot be read again: {error}"}
        errors = find_unknown_variables(groups)
        if errors:
            return {"failed": True, "changed": False, "errors": errors, "msg": "; ".join(errors)}
        return {"changed": False, "errors": []}
