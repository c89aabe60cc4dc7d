# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes versions and sets of them."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    JUDGED_LAYERS,
    Layer,
    known_minors,
    minor_names,
    missing_layers,
    newest_minor,
    parse_minor,
    release_layers,
)


@pytest.mark.parametrize(
    "text", ["1.27", "v1.27", "1.27.3", "v1.27.3-gke.100", "1.27+", "v1.27.0-alpha.1+abc", " 1.27 "]
)
def test_a_minor_is_parsed_from_any_version(text: str) -> None:
    assert parse_minor(text) == 27


@pytest.mark.parametrize("text", ["1.२७", "2.27", "1.1000", "1", "x1.27"])
def test_text_that_is_not_a_version_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a Kubernetes version"):
        parse_minor(text)


@pytest.mark.parametrize(
    ("minors", "text"), [([], ""), ([27], "1.27"), ([20, 21, 22, 31], "1.20 to 1.22, 1.31"), ([3, 1, 3], "1.1, 1.3")]
)
def test_minors_are_named_in_ranges(minors: list[int], text: str) -> None:
    assert minor_names(minors) == text


def test_every_known_release_says_from_what_kind_of_source_and_of_which_month_each_layer_is() -> None:
    for minor in known_minors():
        layers = release_layers(minor)
        assert set(JUDGED_LAYERS) <= set(layers)
        for layer in layers.values():
            assert layer.source
            assert 2020 <= int(layer.date[:4]) <= 2026
            assert 1 <= int(layer.date[5:]) <= 12


def test_the_newest_release_with_whole_data_is_known() -> None:
    assert newest_minor() >= 37
    assert missing_layers(newest_minor()) == ()
    assert missing_layers(37, Layer) == ()
    assert missing_layers(36) == ()
    assert missing_layers(36, Layer) == (Layer.MEANINGS,)


def test_a_release_after_the_newest_whole_one_lacks_a_layer() -> None:
    for minor in range(newest_minor() + 1, 60):
        parts = [layer for layer, source in release_layers(minor).items() if not source.is_whole]
        assert set(parts) <= set(missing_layers(minor, Layer))
        assert missing_layers(minor) != ()
    assert missing_layers(60) == JUDGED_LAYERS
