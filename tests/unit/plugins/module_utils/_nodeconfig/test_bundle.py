# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle: content-addressed, immutable, verified before it is used."""

from __future__ import annotations

import copy
from typing import Any, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import (
    MAX_BYTES,
    Bundle,
    InvalidBundle,
    build_bundle,
    content_hash,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.configs.kubelet import kubelet_config
from support.fuzz.settings import fuzz

UID = "5f1c6dd2-8d3c-4d7a-9e57-0c6c0b1c2a11"
DOCUMENT = kubelet_config("maxPods: 50")


def stored(**changes: Any) -> dict[str, Any]:
    """Return a bundle as the API server would return it."""
    config_map = build_bundle("workers", {"kubelet": DOCUMENT}, trial=Trial(60.0, 2))
    config_map["metadata"]["uid"] = UID
    config_map.update(changes)
    return config_map


def test_name_is_the_pool_and_ten_digits_of_the_hash() -> None:
    config_map = build_bundle("workers", {"kubelet": DOCUMENT})
    assert config_map["metadata"]["name"] == "workers-" + content_hash({"kubelet": DOCUMENT})[:10]
    assert config_map["immutable"] is True
    assert config_map["metadata"]["labels"]["configok.dev/hash-scheme"] == "1"


@pytest.mark.complaint("karpenter-aws #5373: a new release changed the hash and rolled the whole fleet")
def test_hash_scheme_1_never_changes() -> None:
    # A changed value would roll out to every fleet again: a new hash function needs a new scheme.
    assert content_hash({"kubelet": DOCUMENT}) == ("59c2f40c9ac878d453d411dff160e30c8e2bf0cb0e6041f5d6927d43423a4d44")


def test_the_name_depends_on_the_content_and_not_on_its_description() -> None:
    first = build_bundle("workers", {"a": "x: 1\n", "b": "y: 2\n"}, change_cause="one", author="me")
    second = build_bundle("workers", {"b": "y: 2\n", "a": "x: 1\n"})
    assert first["metadata"]["name"] == second["metadata"]["name"]


def test_the_trial_is_part_of_the_content() -> None:
    plain = build_bundle("workers", {"kubelet": DOCUMENT})
    tried = build_bundle("workers", {"kubelet": DOCUMENT}, trial=Trial(60.0, 2))
    assert plain["metadata"]["name"] != tried["metadata"]["name"]


@pytest.mark.contract("trial.of-the-bundle")
def test_a_bundle_is_read_back() -> None:
    bundle = Bundle.from_config_map(stored())
    assert bundle.documents == {"kubelet": DOCUMENT}
    assert bundle.trial == Trial(60.0, 2)
    assert bundle.source.uid == UID


def test_the_pinned_uid_is_required() -> None:
    source = Bundle.from_config_map(stored()).source
    assert Bundle.from_config_map(stored(), source).source == source
    other = ConfigSource(source.namespace, source.name, UID.replace("5", "6"))
    with pytest.raises(InvalidBundle, match=f"has uid {UID}, but {other.uid} is assigned"):
        Bundle.from_config_map(stored(), other)


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    config_map = copy.deepcopy(stored())
    change(config_map)
    return config_map


@pytest.mark.contract("source.correct", "source.fetched-once")
@pytest.mark.parametrize(
    ("config_map", "message"),
    [
        ("x", "not a ConfigMap"),
        ({}, "not a ConfigMap"),
        (stored(kind="Secret"), "is a Secret, not a ConfigMap"),
        (stored(immutable=False), "is not immutable"),
        (stored(data={}), "has no data"),
        (stored(data=None), "has no data"),
        (stored(data={"kubelet": ""}), "must hold a document"),
        (stored(data={"../kubelet": "x"}), "must be the bare name"),
        (stored(data={"trial": "{}"}), "only a trial"),
        (stored(data={"kubelet": "x" * MAX_BYTES}), "at most 1048576"),
        (stored(binaryData={"a": "eA=="}), "has binaryData"),
        (stored(data={"kubelet": DOCUMENT + "# changed\n"}), "does not hold what its name says"),
        (changed(lambda c: c["metadata"]["labels"].update({"configok.dev/hash-scheme": "2"})), "hash scheme '2'"),
        (changed(lambda c: c["metadata"].pop("uid")), "must have a namespace, a name and a uid"),
        (changed(lambda c: c["metadata"].update(uid="../x")), "must have a namespace, a name and a uid"),
        (
            changed(lambda c: c["metadata"]["annotations"].update({"configok.dev/content-hash": "0" * 64})),
            "does not hold what its name says",
        ),
    ],
)
def test_what_is_not_used(config_map: Any, message: str) -> None:
    with pytest.raises(InvalidBundle, match=message):
        Bundle.from_config_map(config_map)


@pytest.mark.contract("trial.of-the-bundle")
@pytest.mark.parametrize("trial", ["x", "[]", '{"trialDuration": "soon"}', '{"crashLoopThreshold": 11}', '{"a": 1}'])
def test_a_bad_trial_is_refused(trial: str) -> None:
    data = {"kubelet": DOCUMENT, "trial": trial}
    config_map = stored(data=data)
    config_map["metadata"]["name"] = "workers-" + content_hash(data)[:10]
    config_map["metadata"]["annotations"] = {}
    with pytest.raises(InvalidBundle, match="ConfigMap configok-system/workers-"):
        Bundle.from_config_map(config_map)


@pytest.mark.parametrize(
    ("pool", "documents", "message"),
    [
        ("Workers", {"kubelet": DOCUMENT}, "must be a DNS label"),
        ("w" * 53, {"kubelet": DOCUMENT}, "at most 52 characters"),
        ("workers", {}, "has no data"),
        ("workers", {"trial": "{}"}, "is not a component"),
        ("workers", {"kubelet": "  \n"}, "must hold a document"),
        ("workers", {"kubelet": "x" * MAX_BYTES}, "at most 1048576"),
    ],
)
def test_what_is_not_built(pool: str, documents: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidBundle, match=message):
        build_bundle(pool, documents)


def test_the_longest_pool_still_fits_a_label() -> None:
    assert len(build_bundle("w" * 52, {"kubelet": DOCUMENT})["metadata"]["name"]) == 63


@fuzz(100)
@given(
    st.dictionaries(st.from_regex(r"[a-z]([-a-z0-9]{0,10}[a-z0-9])?\Z"), st.text(min_size=1), min_size=1, max_size=4)
)
def test_what_is_built_is_accepted(documents: dict[str, str]) -> None:
    try:
        config_map = build_bundle("workers", documents)
    except InvalidBundle:
        return
    config_map["metadata"]["uid"] = UID
    assert Bundle.from_config_map(config_map).documents == documents


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10m", 600.0), ("1h30m", 5400.0), ("90s", 90.0), ("500ms", 0.5), ("0", 0.0), (5, 5.0), ("1.5s", 1.5)],
)
def test_the_duration_of_a_trial_is_parsed(text: Any, seconds: float) -> None:
    trial = Trial.of(text)
    assert trial.duration == seconds
    assert Trial.parse(trial.encode()) == trial


@pytest.mark.parametrize("text", ["", "soon", "-1s", "10", "1x", "1m2", True, [], "721h", float("nan")])
def test_a_value_that_is_not_a_duration_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="must be a duration such as 10m"):
        Trial.of(text)
