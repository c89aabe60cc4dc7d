# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module's main() in this process, as Ansible would on the host."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock

from ansible.module_utils import basic
from ansible.module_utils.common import warnings

try:
    from ansible.module_utils import _internal
except ImportError:  # before ansible-core 2.19
    _internal = basic

__all__ = ["run_module"]


def run_module(
    main: Callable[[], None], arguments: Mapping[str, Any], *, check: bool = False, diff: bool = False
) -> dict[str, Any]:
    """Return the result that the module printed; a failed one has "failed". Other exceptions are not caught."""
    options = {
        **arguments,
        "_ansible_check_mode": check,
        "_ansible_diff": diff,
        "_ansible_tmpdir": tempfile.gettempdir(),
    }
    encoded = json.dumps({"ANSIBLE_MODULE_ARGS": options}).encode()
    output = io.StringIO()
    with (
        mock.patch.object(basic, "_ANSIBLE_ARGS", encoded),
        # Only since ansible-core 2.19.
        mock.patch.object(basic, "_ANSIBLE_PROFILE", "legacy", create=True),
        # Warnings are of this module alone, and in its result: with parts of the controller in this process, they
        # would be displayed instead.
        mock.patch.object(_internal, "is_controller", False, create=True),
        mock.patch.object(warnings, "_global_warnings", type(warnings._global_warnings)()),
        contextlib.redirect_stdout(output),
    ):
        try:
            main()
        except SystemExit:
            pass
        else:
            raise AssertionError("the module ended without a result")
    result: dict[str, Any] = json.loads(output.getvalue().strip().splitlines()[-1])
    result.pop("invocation", None)
    return result
