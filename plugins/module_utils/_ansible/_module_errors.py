# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the documents of a bundle, as types.

Apart from the code that finds it, so that a module which only reports errors need not load the engine.
Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ansible.module_utils.basic import missing_required_lib

from .._cluster import ClusterRefused
from .._kube._api_errors import KubeError, MissingLibrary, Unreachable
from .._nodeconfig._assignment import InvalidConfigSource
from .._nodeconfig._bundle import InvalidBundle
from .._nodeconfig._bundle_trial import InvalidTrial
from .._nodeconfig._untrusted import sanitize_all, sanitize_lines
from .._rollout._rollout_errors import RolloutError

__all__ = ["ConfigRefused", "EXPECTED_ERRORS", "UnusableDocument", "fail_on_errors"]


class UnusableDocument(Exception):
    """A document that cannot be read, or is given twice; the text is one sentence."""


class ConfigRefused(Exception):
    """A config that must not be published; findings, as plain data, and lines say why, warnings included."""

    def __init__(self, message: str, findings: Sequence[dict[str, Any]], lines: Sequence[str]) -> None:
        self.findings = list(findings)
        self.lines = list(lines)
        super().__init__(message)


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
def fail_on_errors(module: Any) -> Iterator[None]:
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
