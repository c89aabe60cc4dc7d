# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle: all configs that change in unison on a node, as one immutable ConfigMap."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._foreign import InvalidText
from .assignment import UID_PATTERN, ConfigSource
from .bundle_trial import TRIAL_KEY, Trial
from .well_known import (
    ANNOTATION_AUTHOR,
    ANNOTATION_CHANGE_CAUSE,
    ANNOTATION_CONTENT_HASH,
    ANNOTATION_SIGNATURES,
    ANNOTATION_STATEMENT,
    LABEL_HASH_SCHEME,
    LABEL_POOL,
    NAMESPACE_BUNDLES,
)

# The version of the hash algorithm. A new one names new bundles only, so that an upgrade moves no node.
HASH_SCHEME = "1"
MAX_BYTES = 1024 * 1024  # Kubernetes' limit for a ConfigMap
MAX_POOL_LENGTH = 52  # with "-" and 10 hexadecimal digits a name fits the 63 characters of a label
_KEY = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")


class InvalidBundle(InvalidText):
    """A bundle that cannot be built or must not be used."""


def content_hash(data: Mapping[str, str]) -> str:
    """Return the SHA-256, in hexadecimal, of a bundle's canonical data (hash scheme 1: sorted JSON in UTF-8)."""
    text = json.dumps(dict(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _validated_data(data: Any) -> dict[str, str]:
    if not isinstance(data, dict) or not data:
        raise InvalidBundle("the bundle has no data: one key per component is needed")
    size = 0
    for key, text in data.items():
        if not isinstance(key, str) or not _KEY.match(key):
            raise InvalidBundle(f"the bundle's key {str(key)[:100]!r} must be the bare name of a component")
        if not isinstance(text, str) or not text.strip():
            raise InvalidBundle(f"the bundle's key {key!r} must hold a document, but is empty")
        size += len(key.encode()) + len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise InvalidBundle(f"the bundle holds {size} bytes, at most {MAX_BYTES} (1 MiB) are allowed")
    if set(data) == {TRIAL_KEY}:
        raise InvalidBundle("the bundle holds only a trial: at least one component is needed")
    return dict(data)


class Bundle(NamedTuple):
    """A bundle that was read from the API server or from a checkpoint, and verified."""

    source: ConfigSource
    documents: Mapping[str, str]  # component -> its config document, as text
    trial: Trial
    content_hash: str
    pool: str = ""  # by its name
    statement: str = ""  # with signatures: as its annotations say, not verified here
    signatures: str = ""

    @classmethod
    def from_config_map(cls, config_map: Any, source: ConfigSource | None = None) -> Bundle:
        """Verify a ConfigMap as a bundle, and as the bundle that ``source`` pins, if given.

        Raises InvalidBundle: another object, not immutable, wrong keys, too large, changed content, a bad trial.
        """
        if not isinstance(config_map, dict) or not isinstance(config_map.get("metadata"), dict):
            raise InvalidBundle("the object is not a ConfigMap")
        if config_map.get("kind", "ConfigMap") != "ConfigMap":
            raise InvalidBundle(f"the object is a {str(config_map['kind'])[:100]}, not a ConfigMap")
        metadata = config_map["metadata"]
        reference = tuple(metadata.get(part) for part in ("namespace", "name", "uid"))
        if not all(isinstance(part, str) and part for part in reference) or not UID_PATTERN.match(reference[2]):
            raise InvalidBundle("the ConfigMap must have a namespace, a name and a uid")
        where = f"ConfigMap {reference[0]}/{reference[1]}"
        if source is not None and reference != (source.namespace, source.name, source.uid):
            raise InvalidBundle(f"{where} has uid {reference[2]}, but {source.uid} is assigned")
        if config_map.get("immutable") is not True:
            raise InvalidBundle(f"{where} is not immutable")
        if config_map.get("binaryData"):
            raise InvalidBundle(f"{where} has binaryData, only data is allowed")
        data = _validated_data(config_map.get("data"))
        labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
        if not isinstance(labels, dict) or not isinstance(annotations, dict):
            raise InvalidBundle(f"{where} has invalid labels or annotations")
        scheme = labels.get(LABEL_HASH_SCHEME)
        if scheme != HASH_SCHEME:
            raise InvalidBundle(f"{where} has hash scheme {scheme!r}, this version knows {HASH_SCHEME!r}")
        digest = content_hash(data)
        claimed = annotations.get(ANNOTATION_CONTENT_HASH)
        if not reference[1].endswith("-" + digest[:10]) or claimed not in (None, digest):
            raise InvalidBundle(f"{where} does not hold what its name says: its content has hash {digest[:10]}")
        try:
            trial = Trial.parse(data.pop(TRIAL_KEY)) if TRIAL_KEY in data else Trial()
        except InvalidText as error:
            raise InvalidBundle(f"{where}: {error}") from error
        return cls(
            ConfigSource(*reference),
            data,
            trial,
            digest,
            reference[1][:-11],
            _text(annotations.get(ANNOTATION_STATEMENT)),
            _text(annotations.get(ANNOTATION_SIGNATURES)),
        )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def build_bundle(
    pool: str,
    documents: Mapping[str, str],
    *,
    trial: Trial | None = None,
    namespace: str = NAMESPACE_BUNDLES,
    change_cause: str = "",
    author: str = "",
) -> dict[str, Any]:
    """Return the ConfigMap to publish: the same documents and trial always give the same name.

    pool: a DNS label of at most 52 characters. documents: component -> text. Raises InvalidBundle.
    """
    if not _KEY.match(pool) or len(pool) > MAX_POOL_LENGTH:
        raise InvalidBundle(
            f"pool {pool[:100]!r} must be a DNS label (a-z, 0-9, -) of at most {MAX_POOL_LENGTH} characters"
        )
    if TRIAL_KEY in documents:
        raise InvalidBundle(f"{TRIAL_KEY!r} is not a component: give trialDuration and crashLoopThreshold apart")
    data = dict(documents)
    if trial is not None:
        data[TRIAL_KEY] = trial.encode()
    data = _validated_data(data)
    digest = content_hash(data)
    annotations = {ANNOTATION_CONTENT_HASH: digest}
    if change_cause:
        annotations[ANNOTATION_CHANGE_CAUSE] = change_cause
    if author:
        annotations[ANNOTATION_AUTHOR] = author
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "namespace": namespace,
            "name": f"{pool}-{digest[:10]}",
            "labels": {LABEL_POOL: pool, LABEL_HASH_SCHEME: HASH_SCHEME},
            "annotations": annotations,
        },
        "immutable": True,
        "data": data,
    }


def with_statement(config_map: Mapping[str, Any], statement: str, signatures: str) -> dict[str, Any]:
    """Return the ConfigMap of a bundle with its statement and the annotation of its signatures, "" for none."""
    metadata = dict(config_map["metadata"])
    annotations = {**(metadata.get("annotations") or {}), ANNOTATION_STATEMENT: statement}
    if signatures:
        annotations[ANNOTATION_SIGNATURES] = signatures
    return {**config_map, "metadata": {**metadata, "annotations": annotations}}
