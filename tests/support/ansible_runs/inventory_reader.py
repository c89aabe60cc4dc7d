# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs ansible-inventory as often as it is asked to, each time in a child of its own.

Most of the time of a run goes into imports, which are made once. For any Python that has ansible-core: it imports
nothing of ours. A request is a line of JSON: the arguments, and what is added to the environment. So is the answer: the
exit code, and the text of both outputs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile

from ansible.cli.inventory import main


def _run(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Return the exit code and both outputs of a run."""
    with TemporaryFile() as out, TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            with open(os.devnull, "rb") as nothing:
                for number, file in enumerate((nothing, out, err)):
                    os.dup2(file.fileno(), number)
            os.environ.update(environment)
            sys.argv = ["ansible-inventory", *arguments]
            os._exit(_exit_code())
        _pid, status = os.waitpid(child, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return os.waitstatus_to_exitcode(status), texts[0], texts[1]


def _exit_code() -> int:
    """Run ansible-inventory; return what it ends with."""
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_run(**json.loads(line))), flush=True)
