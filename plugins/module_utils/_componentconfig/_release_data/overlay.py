# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn a file of release data into an overlay of the shipped data, and accept a draft."""

from __future__ import annotations

from dataclasses import replace

from .. import ConfigError
from .._schema.overlays import Layer, ReleaseOverlay
from .._schema.releases import minor_name, newest_minor
from ._changes import changed_defaults, check_defaults, digest_of
from .file_format import Acceptance, ReleaseData, read, write


def overlay_of(text: str | bytes, file: str = "release data") -> ReleaseOverlay:
    """Return the overlay of a file's text. file: what messages call the text.

    Raises ConfigError for a text that is not release data, for a release that the shipped data cover as a whole, and
    for a draft whose difference no person has accepted.
    """
    data = read(text, file)
    check_minor(data.minor, file)
    check_defaults(data, file)
    accepted = data.acceptance.diff if data.acceptance is not None else ""
    if data.is_draft and not accepted:
        raise ConfigError(f"{file} is a draft: `release-data accept {file}` shows its difference, and accepts it")
    if accepted and accepted != digest_of(data):
        raise ConfigError(
            f"{file} has another difference from Kubernetes {minor_name(newest_minor())} than the accepted one: "
            f"`release-data accept {file}` shows it, and accepts it"
        )
    return ReleaseOverlay(
        data.minor,
        {name: (gate.stage, gate.default, gate.locked) for name, gate in data.gates.values.items()},
        data.flags.values,
        changed_defaults(data),
        frozenset(_whole_layers(data)),
    )


def check_minor(minor: int, file: str) -> None:
    """Raise ConfigError unless the shipped data lack a release: release data change nothing that is shipped.

    file: what has the release, for the message.
    """
    if minor <= newest_minor():
        raise ConfigError(
            f"{file} is of Kubernetes {minor_name(minor)}, which is known here: release data are for a release "
            f"after {minor_name(newest_minor())}"
        )


def _whole_layers(data: ReleaseData) -> list[Layer]:
    """Return the layers that lack nothing.

    Metrics do not say which gates are locked. Help has the defaults of fields with a flag only.
    """
    layers: list[Layer] = ["gates"] if data.gates.is_of_binaries else []
    if data.flags.values:
        layers.append("flags")
    if any(source.kind == "running component" for source in data.defaults.sources):
        layers.append("defaults")
    return layers


def accept(text: str | bytes, digest: str, by: str, at: str, file: str = "release data") -> str:
    """Return the text of a file with its difference accepted. Raises ConfigError if the difference has another hash.

    digest: the hash of the difference that a person has seen. by, at: the name of the person, and the time (UTC).
    """
    data = read(text, file)
    check_minor(data.minor, file)
    check_defaults(data, file)
    actual = digest_of(data)
    if digest != actual:
        raise ConfigError(f"the difference of {file} has the hash {actual}, not the one that is accepted: look at it")
    accepted = write(replace(data, acceptance=Acceptance(by, at, actual)))
    read(accepted, file)  # a name or a time that the file cannot have
    return accepted
