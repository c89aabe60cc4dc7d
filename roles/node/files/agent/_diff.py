# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""diff: compare two component configs field by field, or one with itself under two Kubernetes versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ._componentconfig._documents.read_file import load_file
from ._componentconfig.compare import Comparison, compare
from ._componentconfig.load import Config
from ._files import input_errors, read_file
from ._flags_file import read_flags
from ._output import show, show_json

__all__ = ["diff_files", "diff_versions"]

_SAME, _DIFFERENT = 0, 1


def diff_files(names: Sequence[str], versions: tuple[str, str], *, as_json: bool) -> int:
    """Print the differences of two files; return 0 if there are none, 1 if there are some. Raises UnusableInput.

    names: paths, "-" for standard input. versions: of the component that reads each, "" for the newest known.
    """
    with input_errors(names[0]):
        before, after = (load_file(name, read_file(name)) for name in names)
        comparisons = [(kind, compare(*pair, versions)) for kind, pair in _pairs(before, after)]
    if as_json:
        changes = [{"kind": kind, **change.as_dict()} for kind, both in comparisons for change in both.changes]
        show_json(changes)
    else:
        show("\n".join(_lines(comparisons)))
    return _DIFFERENT if any(comparison.changes for _kind, comparison in comparisons) else _SAME


def _pairs(before: Config, after: Config) -> Iterator[tuple[str, tuple[Config | None, Config | None]]]:
    """Yield the documents that belong together by their kinds; None for one that only one file has."""
    if not before.others and not after.others:
        yield str(after.data["kind"]), (before, after)
        return
    sides = [
        {str(document.data["kind"]): Config(document, (document,)) for document in config.documents}
        for config in (before, after)
    ]
    for kind in dict.fromkeys([*sides[0], *sides[1]]):
        yield kind, (sides[0].get(kind), sides[1].get(kind))


def _lines(comparisons: Sequence[tuple[str, Comparison]]) -> list[str]:
    """Return the lines of all comparisons that differ, under their kinds if the files have several documents."""
    differing = [(kind, comparison) for kind, comparison in comparisons if comparison.changes]
    if len(comparisons) == 1 or not differing:
        return comparisons[0][1].lines
    return [line for kind, comparison in differing for line in (f"{kind}:", *comparison.lines)]


def diff_versions(name: str, versions: tuple[str, str], *, flags_file: str, as_json: bool) -> int:
    """Print what an upgrade changes for a file; return 0 if nothing, 1 if anything. Raises UnusableInput.

    versions: that the component has and will have, the second "" for the newest known. flags_file: has its flags, ""
    for none.
    """
    from ._componentconfig.option_check import OPTION_CHECK
    from ._componentconfig.upgrade import upgrade

    with input_errors(name):
        flags = read_flags(flags_file).words if flags_file else ()
        result = upgrade(load_file(name, read_file(name)), *versions, flags=flags, arguments=OPTION_CHECK)
    if as_json:
        show_json(result.as_dict())
    else:
        show("\n".join(result.lines))
    return _DIFFERENT if result else _SAME
