# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes config files for the modules that need no cluster, and reports their errors in one sentence."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible.module_utils.basic import missing_required_lib

from .._componentconfig import ConfigError
from .._operations import UnusableInput
from .._text import sanitize, sanitize_lines


def write_config(module: Any, path: str, text: str) -> bool:
    """Write a config to a file atomically unless the file has it; a new file is for its owner only.

    Returns whether anything changes, in check mode too. Raises OSError, and UnusableInput for a path without a file.
    """
    data = text.encode()
    directory = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise UnusableInput(f"Cannot write {path}: it is a directory, name a file in it")
    if not os.path.isdir(directory):
        raise UnusableInput(f"Cannot write {path}: there is no directory {directory}")
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return False
    if not module.check_mode:
        handle, name = tempfile.mkstemp(dir=module.tmpdir)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0o077)
        try:
            module.atomic_move(name, path)
        finally:
            os.umask(umask)
    return True


@contextmanager
def fail_on_file_errors(module: Any) -> Iterator[None]:
    """Turn the errors of a file, a document or an option into fail_json; the message is one sentence."""
    try:
        yield
    except ImportError as error:
        module.fail_json(msg=missing_required_lib("PyYAML"), exception=str(error))
    except OSError as error:
        # A task's directory is not its playbook's: a relative path may name a different file from the intended one.
        known = error.filename is None or os.path.isabs(error.filename)
        where = error.filename if known else f"{error.filename} in {os.getcwd()}"
        module.fail_json(msg=sanitize(f"Cannot read {where}: {error.strerror}."))
    except (ConfigError, UnusableInput) as error:
        sentence = sanitize_lines(str(error))
        module.fail_json(msg=sentence if sentence.endswith("?") else f"{sentence}.")
