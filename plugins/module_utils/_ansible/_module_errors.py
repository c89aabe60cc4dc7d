# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn expected errors into fail_json. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible.module_utils.basic import missing_required_lib

from .._cluster import ClusterRefused
from .._kube._api_errors import KubeError, MissingLibrary, Unreachable
from .._nodeconfig._untrusted import InvalidText, sanitize_all, sanitize_lines
from .._rollout._rollout_errors import ConfigRefused, RolloutError

__all__ = ["EXPECTED_ERRORS", "fail_on_errors"]

EXPECTED_ERRORS = (ClusterRefused, InvalidText, KubeError, RolloutError)


@contextmanager
def fail_on_errors(module: Any) -> Iterator[None]:
    """Turn every expected error into fail_json with its sentence; module is an AnsibleModule.

    Any other error is a bug in this collection and keeps its traceback.
    """
    try:
        yield
    except MissingLibrary as error:
        module.fail_json(msg=missing_required_lib(error.library), exception=error.import_error)
    except ConfigRefused as error:
        details = sanitize_all({"findings": error.findings, "lines": error.lines})
        module.fail_json(msg=sanitize_lines(str(error)), **details)
    except Unreachable as error:
        module.fail_json(msg=f"{sanitize_lines(str(error))}: run it again when the API server answers")
    except EXPECTED_ERRORS as error:
        module.fail_json(msg=sanitize_lines(str(error)))
