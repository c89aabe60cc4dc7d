# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the engine does not share recorded verdicts on kubeadm's files."""

from __future__ import annotations

from collections.abc import Callable

from support.verdicts.comparison import Disagreement

from ._cause import Category, Cause, accepts, refuses

__all__ = ["CAUSES"]

_KINDS = frozenset({"kubeadm"})


def _refuses_fields(rule: str, *fields: str) -> Callable[[Disagreement], bool]:
    """Return whether the engine refuses a file by one rule alone, and only fields of these names."""
    return lambda disagreement: (
        refuses(rule)(disagreement) and all(finding.path[-1] in fields for finding in disagreement.findings)
    )


_IGNORED_ERRORS = ("ignored-errors", "reset-ignored-errors", "upgrade-ignored-errors")
_AT_START = ("discovery-hash-format", "upgrade-version", *_IGNORED_ERRORS, "enum")


def _ends_by(*rules: str) -> Callable[[Disagreement], bool]:
    """Return whether the engine refuses a file by one of these rules first, and only by rules about the run."""
    return lambda disagreement: (
        refuses(*_AT_START)(disagreement)
        and disagreement.findings[0].rule in rules
        and all(
            finding.rule != "enum" or finding.path[-1] in ("effect", "pathType") for finding in disagreement.findings
        )
    )


CAUSES: tuple[Cause, ...] = (
    Cause(
        "kubeadm: `join` refuses the hash of a CA's key only when it connects",
        Category.STARTS,
        _KINDS,
        _ends_by("discovery-hash-format"),
    ),
    Cause(
        "kubeadm: `upgrade` refuses a version only when it looks it up",
        Category.STARTS,
        _KINDS,
        _ends_by("upgrade-version"),
    ),
    Cause(
        "kubeadm: each command refuses ignored errors only when it begins, together with those of the command line",
        Category.STARTS,
        _KINDS,
        _ends_by(*_IGNORED_ERRORS),
    ),
    Cause(
        "kubeadm: the kubelet ends with the effect of a taint, and refuses a static pod with the type of a path",
        Category.STARTS,
        _KINDS,
        _ends_by("enum"),
    ),
    Cause(
        "kubeadm: a kind that kubeadm does not know is skipped with a warning; the engine validates nothing of it",
        Category.BY_DESIGN,
        _KINDS,
        _refuses_fields("kind", "kind"),
    ),
    Cause(
        "kubeadm: whether the file of `discovery.file` exists is not a question to the config",
        Category.BY_DESIGN,
        _KINDS,
        accepts(r"^discovery\.file\.kubeConfigPath: .*: not a valid HTTPS URL or a file on disk"),
    ),
)
