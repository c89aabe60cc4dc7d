# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors of the packages, as one sentence of a module.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible.module_utils.basic import missing_required_lib

from .._cluster._errors import ClusterRefused
from .._kube._errors import KubeError, MissingLibrary, Unreachable
from .._nodeconfig._bundle import InvalidBundle
from .._nodeconfig._config_source import InvalidConfigSource
from .._nodeconfig._text import sanitize_all, sanitize_lines
from .._nodeconfig._trial import InvalidTrial
from .._rollout._errors import RolloutError
from ._errors import ConfigRefused, UnusableDocument

__all__ = ["EXPECTED_ERRORS", "sentences"]

EXPECTED_ERRORS = (
    ClusterRefused,
    InvalidBundle,
    InvalidConfigSource,
    InvalidTrial,
    KubeError,
    RolloutError,
    UnusableDocument,
)


@contextmanager
def sentences(module: Any) -> Iterator[None]:
    """Turn every error that is expected into fail_json with its sentence; module is an AnsibleModule.

    What is not expected is a fault of ours and keeps its traceback.
    """
    try:
        yield
    except MissingLibrary as error:
        module.fail_json(msg=missing_required_lib(error.library), exception=error.import_error)
    except ConfigRefused as error:
        shown = sanitize_all({"findings": error.findings, "lines": error.lines})
        module.fail_json(msg=sanitize_lines(str(error)), **shown)
    except Unreachable as error:
        module.fail_json(msg=f"{sanitize_lines(str(error))}: run it again when the API server answers")
    except EXPECTED_ERRORS as error:
        module.fail_json(msg=sanitize_lines(str(error)))
