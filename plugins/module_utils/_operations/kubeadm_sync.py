# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the flags that a control-plane pool uses into kubeadm's own record, from which an upgrade writes manifests."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._componentconfig._codec.yaml_text import encode
from .._componentconfig.component_options import COMPONENT_OPTIONS, FLAG_COMPONENTS
from .._componentconfig.findings import InvalidConfig
from .._componentconfig.load import load
from .._kube.api_client import Client
from .._kube.api_errors import Conflict, KubeError, NotFound
from .._kube.api_paths import config_map
from .._nodeconfig.bundle import Bundle, InvalidBundle
from .._nodeconfig.denied_fields import DenyPolicy
from .._nodeconfig.well_known import ANNOTATION_KUBEADM_SYNC
from .._rollout import RolloutError
from .._rollout._record.record import COMPLETE
from .._rollout._record.record_store import read_record
from .._text import sanitize
from . import UnusableInput
from ._kubeadm_arguments import SyncNote, with_documents

NAMESPACE, NAME, KEY = "kube-system", "kubeadm-config", "ClusterConfiguration"
_WHERE = f"ConfigMap {NAMESPACE}/{NAME}"
_CONTEXT = 1  # lines of a patch around each change
_MAX_TEXT = 300
_ATTEMPTS = 5  # to write what others write at the same time


class KubeadmSync(NamedTuple):
    """The texts of the ClusterConfiguration before and after, and what is left out of it, in sentences."""

    before: str
    after: str
    changed: bool
    left_out: tuple[str, ...]

    def lines(self, *, check: bool) -> list[str]:
        """Return what was done as lines for a person. check: nothing was."""
        verb = ("would be written" if check else "is written") if self.changed else "is as the pool has it"
        return [f"{_WHERE} {verb}", *self._left_out_lines()]

    def comparison(self) -> list[str]:
        """Return what an upgrade by kubeadm would undo as lines for a person, with the patch that prevents it."""
        if self.before == self.after:
            return [f"{_WHERE} has the flags of this pool: an upgrade by kubeadm keeps them", *self._left_out_lines()]
        patch = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), KEY, f"{KEY} with this pool", n=_CONTEXT, lineterm=""
        )
        return [
            f"{_WHERE} differs: an upgrade by kubeadm would undo flags of this pool, and configok.node.kubeadm_sync "
            "writes this patch:",
            *(f"  {line}" for line in patch),
            *self._left_out_lines(),
        ]

    def _left_out_lines(self) -> list[str]:
        return [f"not written: {reason}" for reason in self.left_out]


def sync_kubeadm_config(
    client: Client, pool: str, *, allowed_fields: Sequence[str] = (), check: bool = False
) -> KubeadmSync:
    """Write the flags that all nodes of a pool use into kubeadm's ClusterConfiguration.

    allowed_fields: what a bundle may set beyond the allow list, as in the nodes' own config. check: let the API server
    validate the change (dryRun=All), and change nothing. An edit of another party at the same time is kept. Raises
    UnusableInput, RolloutError, KubeError.
    """
    documents = _documents(client, pool)
    policy = DenyPolicy(allowed=tuple(allowed_fields))
    path = config_map(NAMESPACE, NAME)
    for attempt in range(_ATTEMPTS):
        item = _config_map(client)
        synced, body = _with_documents(item, pool, documents, policy)
        if not synced.changed:
            return synced
        try:
            client.replace(path, body, dry_run=check)
        except Conflict:
            if attempt == _ATTEMPTS - 1:
                raise
            continue
        return synced
    raise RuntimeError("unreachable")


def compare_kubeadm_config(client: Client, pool: str, *, allowed_fields: Sequence[str] = ()) -> list[str]:
    """Return what an upgrade by kubeadm would undo of a pool's flags, as lines for a person.

    It only reads; what cannot be read is not judged. allowed_fields: as for sync_kubeadm_config.
    """
    try:
        documents, item = _documents(client, pool), _config_map(client)
        synced, _body = _with_documents(item, pool, documents, DenyPolicy(allowed=tuple(allowed_fields)))
    except (UnusableInput, RolloutError, KubeError) as error:
        return [f"not judged: whether an upgrade by kubeadm keeps the flags of this pool: {sanitize(error, _MAX_TEXT)}"]
    return synced.comparison()


def _config_map(client: Client) -> dict[str, Any]:
    try:
        return client.get(config_map(NAMESPACE, NAME))
    except NotFound:
        raise UnusableInput(f"there is no {_WHERE}: kubeadm did not make this cluster") from None


def _documents(client: Client, pool: str) -> dict[str, dict[str, Any]]:
    """Return the options that the nodes of a pool use, by component; {} for the init config."""
    rollout = read_record(client, pool).rollout
    if rollout is None:
        raise RolloutError(f"pool {pool} was never rolled out: run configok.node.rollout first")
    if rollout.target.is_machines:
        raise RolloutError(f"{pool} is a rollout of Machines: give a pool")
    if rollout.phase != COMPLETE:
        raise RolloutError(
            f"the last rollout of pool {pool} is {rollout.phase}, and kubeadm gets what all nodes use: complete it, or "
            "undo it"
        )
    target = rollout.target
    if target.is_init:
        return {}
    try:
        bundle = Bundle.from_config_map(client.get(config_map(target.namespace, target.name)), target.source)
    except (NotFound, InvalidBundle) as error:
        raise RolloutError(f"the bundle {target.name} of pool {pool} cannot be used: {error}") from error
    return {name: _document(name, text) for name, text in bundle.documents.items() if name in FLAG_COMPONENTS}


def _document(component: str, text: str) -> dict[str, Any]:
    data = _decoded(text, component)
    if data.get("kind") != COMPONENT_OPTIONS or data.get("component") != component:
        raise RolloutError(f"the document {component} of the bundle is not {COMPONENT_OPTIONS} of {component}")
    return data


def _decoded(text: str, where: str) -> dict[str, Any]:
    try:
        return dict(load([(where, text)]).data)
    except InvalidConfig as error:
        raise UnusableInput(f"{where} cannot be read: {error}") from error


def _with_documents(
    item: Mapping[str, Any], pool: str, documents: Mapping[str, Mapping[str, Any]], policy: DenyPolicy
) -> tuple[KubeadmSync, dict[str, Any]]:
    """Return the change of the ConfigMap, and the ConfigMap with it."""
    data, metadata = dict(item.get("data") or {}), dict(item["metadata"])
    annotations = dict(metadata.get("annotations") or {})
    before, text = str(data.get(KEY) or ""), annotations.get(ANNOTATION_KUBEADM_SYNC, "")
    if not before:
        raise UnusableInput(f"{_WHERE} has no key {KEY}")
    try:
        note = SyncNote.parse(text) if text else SyncNote(pool)
    except UnusableInput as error:
        raise UnusableInput(f"annotation {ANNOTATION_KUBEADM_SYNC} of {_WHERE} cannot be read: {error}") from error
    if note.pool != pool:
        raise UnusableInput(
            f"pool {note.pool} has written {_WHERE}, and a cluster has one such pool: undo it to revision 0 and sync "
            f"it, or remove the annotation {ANNOTATION_KUBEADM_SYNC}"
        )
    if not documents and not note.components:
        raise UnusableInput(f"pool {pool} uses no options of {', '.join(FLAG_COMPONENTS)}: there is nothing to write")
    configuration = _decoded(before, f"{KEY} of {_WHERE}")
    synced = with_documents(configuration, note, documents, policy)
    after = before if synced.configuration == configuration else encode(synced.configuration, indents_lists=False)
    if synced.note.components:
        annotations[ANNOTATION_KUBEADM_SYNC] = synced.note.text()
    else:
        annotations.pop(ANNOTATION_KUBEADM_SYNC, None)
    body = {**item, "metadata": {**metadata, "annotations": annotations}, "data": {**data, KEY: after}}
    has_changed = body["data"] != data or annotations != (metadata.get("annotations") or {})
    return KubeadmSync(before, after, has_changed, synced.left_out), body
