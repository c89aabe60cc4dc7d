# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes of single objects, with the rules of the real server's registries.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import datetime
import random
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from .authorization import Action, User, authorize, restrict_node
from .field_shapes import Mismatch, round_trip
from .resources import RESOURCES, Target
from .statuses import (
    ApiError,
    already_exists,
    bad_request,
    conflict,
    forbidden,
    invalid,
    not_found,
    not_implemented,
    success,
)
from .storage import Storage, Stored
from .validation import validate

__all__ = ["Operations", "now"]

_BY_NAME = {resource.name: resource for resource in RESOURCES}
_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


def now() -> str:
    """Return the present time as metadata have it: whole seconds, UTC."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Operations:
    """The verbs on one object. Each returns the answer's body: the object, or a Status."""

    def __init__(self, storage: Storage, *, random_source: random.Random | None = None) -> None:
        self._storage = storage
        self._random = random_source or random.Random()

    def get(self, target: Target) -> Stored:
        """Return the stored object. Raises ApiError 404."""
        stored = self._storage.get(target.resource, target.namespace, target.name)
        if stored is None:
            raise not_found(target.resource.name, target.resource.group, target.name)
        return stored

    def create(self, user: User, target: Target, body: Mapping[str, Any], *, dry_run: bool) -> dict[str, Any]:
        """Create an object: identity, defaults, namespace, validation, admission."""
        resource = target.resource
        _check_kind(target, body)
        requested = _metadata_of(body)
        if requested.get("resourceVersion"):
            raise ApiError(500, "", "resourceVersion should not be set on objects to be created")
        metadata = {key: value for key, value in requested.items() if not key.startswith("deletion")}
        metadata.update(uid=str(uuid.uuid4()), creationTimestamp=now())
        metadata.pop("namespace", None)
        if resource.namespaced:
            if requested.get("namespace") not in (None, "", target.namespace):
                raise bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request"
                )
            metadata["namespace"] = target.namespace
        if metadata.get("generateName") and not metadata.get("name"):
            suffix = "".join(self._random.choice(_SUFFIX_LETTERS) for _letter in range(5))
            metadata["name"] = metadata["generateName"][:58] + suffix
        item = _decoded(target, {**body, "metadata": metadata}, None)
        with self._storage.lock:
            self._check_namespace(target, metadata.get("name", ""))
            action = Action("create", resource, "", target.namespace, metadata.get("name", ""))
            restrict_node(user, action, None, item)
            _refuse_escalation(user, target)
            validate(resource, item, None)
            name = item["metadata"]["name"]
            if self._storage.get(resource, target.namespace, name) is not None:
                raise already_exists(resource.name, resource.group, name)
            return item if dry_run else self._storage.put(resource, item).item

    def _check_namespace(self, target: Target, name: str) -> None:
        if not target.resource.namespaced:
            return
        namespace = self._storage.get(_BY_NAME["namespaces"], "", target.namespace)
        if namespace is None:
            raise not_found("namespaces", "", target.namespace)
        if namespace.item["metadata"].get("deletionTimestamp"):
            raise forbidden(
                target.resource.name,
                target.resource.group,
                name,
                f"unable to create new content in namespace {target.namespace} because it is being terminated",
            )

    def replace(
        self, user: User, target: Target, body: Mapping[str, Any], *, dry_run: bool
    ) -> tuple[dict[str, Any], bool]:
        """Replace an object (PUT). Return it, and whether this call created it."""
        resource = target.resource
        _check_kind(target, body)
        metadata = _metadata_of(body)
        if not metadata.get("name"):
            raise bad_request(
                f"the name of the object ({target.name} based on URL) was undeterminable: name must be provided"
            )
        _check_names(target, metadata)
        with self._storage.lock:
            old = self._storage.get(resource, target.namespace, target.name)
            if old is None:
                if metadata.get("uid"):
                    raise conflict(
                        resource.name,
                        resource.group,
                        target.name,
                        f"Precondition failed: UID in precondition: {metadata['uid']}, UID in object meta: ",
                    )
                if not resource.create_on_update or target.subresource:
                    raise not_found(resource.name, resource.group, target.name)
                authorize(user, Action("create", resource, "", target.namespace, target.name), self._storage)
                return self.create(user, target, body, dry_run=dry_run), True
            if not metadata.get("resourceVersion") and not resource.unconditional_update:
                cause = (
                    "FieldValueInvalid",
                    "metadata.resourceVersion",
                    "Invalid value: 0x0: must be specified for an update",
                )
                raise invalid(resource.name, resource.group, target.name, [cause])
            return self._commit(user, "update", target, old, body, dry_run=dry_run), False

    def patch(
        self,
        user: User,
        target: Target,
        apply: Callable[[Mapping[str, Any]], Any],
        *,
        dry_run: bool,
    ) -> dict[str, Any]:
        """Change an object (PATCH). apply: makes the new object from the present one."""
        with self._storage.lock:
            old = self.get(target)
            body = apply(old.item)
            if not isinstance(body, Mapping):
                raise _unfit_patch("it leaves no object")
            for field in ("kind", "apiVersion"):
                if body.get(field) != old.item[field]:
                    raise _unfit_patch(f"it changes {field}")
            _check_names(target, _metadata_of(body))
            return self._commit(user, "patch", target, old, body, dry_run=dry_run)

    def _commit(
        self, user: User, verb: str, target: Target, old: Stored, body: Mapping[str, Any], *, dry_run: bool
    ) -> dict[str, Any]:
        resource = target.resource
        before = old.item["metadata"]
        requested = _metadata_of(body)
        if requested.get("uid") not in (None, "", before["uid"]):
            if verb == "patch":
                cause = (
                    "FieldValueInvalid",
                    "metadata.uid",
                    f'Invalid value: "{requested["uid"]}": field is immutable',
                )
                raise invalid(resource.kind, resource.group, target.name, [cause])
            raise conflict(
                resource.name,
                resource.group,
                target.name,
                f"Precondition failed: UID in precondition: {requested['uid']}, UID in object meta: {before['uid']}",
            )
        if requested.get("resourceVersion") not in (None, "", before["resourceVersion"]):
            raise conflict(resource.name, resource.group, target.name)
        metadata = {**requested, **{key: before[key] for key in _KEPT if key in before}}
        for key in _KEPT:
            if key not in before:
                metadata.pop(key, None)
        parts = {**body, "metadata": metadata}
        # A write of the main resource does not change its status, nor the other way round. Both write the metadata.
        if resource.kind in ("Node", "Namespace"):
            kept = "spec" if target.subresource == "status" else "status"
            parts[kept] = old.item.get(kept)
        item = _decoded(target, parts, old.item, patched=verb == "patch")
        action = Action(verb, resource, target.subresource, target.namespace, target.name)
        restrict_node(user, action, old.item, item)
        _refuse_escalation(user, target)
        validate(resource, item, old.item)
        if before.get("deletionTimestamp") and not item["metadata"].get("finalizers") and resource.kind != "Namespace":
            return item if dry_run else self._storage.remove(resource, old).item
        if item == old.item:
            return old.item  # a write that changes nothing has no version of its own, and no watch sees it
        return item if dry_run else self._storage.put(resource, item).item

    def delete(self, user: User, target: Target, options: Mapping[str, Any], *, dry_run: bool) -> dict[str, Any]:
        """Delete one object, with preconditions and finalizers. Return a Status, or the object that finalizers hold."""
        resource = target.resource
        if options.get("propagationPolicy") not in (None, "", "Background") or options.get("orphanDependents"):
            raise not_implemented("a propagationPolicy other than Background")
        with self._storage.lock:
            old = self.get(target)
            metadata = old.item["metadata"]
            _check_preconditions(target, metadata, options.get("preconditions") or {})
            action = Action("delete", resource, "", target.namespace, target.name)
            restrict_node(user, action, old.item, None)
            if resource.kind == "Namespace":
                return self._delete_namespace(target, old, dry_run=dry_run)
            if metadata.get("finalizers"):
                if dry_run or metadata.get("deletionTimestamp"):
                    return old.item
                going = {**metadata, "deletionTimestamp": now(), "deletionGracePeriodSeconds": 0}
                return self._storage.put(resource, {**old.item, "metadata": going}).item
            if not dry_run:
                self._storage.remove(resource, old)
        details = {"name": target.name, "group": resource.group, "kind": resource.name, "uid": metadata["uid"]}
        return success({key: value for key, value in details.items() if value})

    def _delete_namespace(self, target: Target, old: Stored, *, dry_run: bool) -> dict[str, Any]:
        """Mark it, then remove its objects and itself at once, as a cluster's namespace controller does later."""
        if target.name in ("default", "kube-system", "kube-public"):
            raise forbidden("namespaces", "", target.name, "this namespace may not be deleted")
        metadata = {**old.item["metadata"], "deletionTimestamp": now()}
        going = {**old.item, "metadata": metadata, "status": {"phase": "Terminating"}}
        if dry_run:
            return going
        stored = self._storage.put(target.resource, going)
        for resource in RESOURCES:
            if resource.namespaced:
                for child in self._storage.all(resource, target.name):
                    self._storage.remove(resource, child)
        self._storage.remove(target.resource, stored)
        return stored.item


_KEPT = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp",
         "deletionGracePeriodSeconds")  # fmt: skip


def _metadata_of(body: Mapping[str, Any]) -> dict[str, Any]:
    metadata = body.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise bad_request("metadata is not an object")
    return dict(metadata or {})


def _unfit_patch(why: str) -> ApiError:
    return invalid("", "", "", [("FieldValueInvalid", "patch", f"Invalid value: {why}")])


def _decoded(
    target: Target, body: Mapping[str, Any], old: Mapping[str, Any] | None, *, patched: bool = False
) -> dict[str, Any]:
    """Return the object with its fields checked and its defaults. Raises ApiError 400, or 422 for a patch."""
    resource = target.resource
    try:
        return _defaults(round_trip(resource, body, old))
    except Mismatch as problem:
        if patched:
            raise _unfit_patch(str(problem)) from None
        raise bad_request(
            f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {problem}'
        ) from None


def _check_kind(target: Target, body: Mapping[str, Any]) -> None:
    kind, version = body.get("kind"), body.get("apiVersion")
    if version not in (None, "", target.resource.api_version):
        raise bad_request(
            f"the API version in the data ({version}) does not match the expected API version "
            f"({target.resource.api_version})"
        )
    if kind not in (None, "", target.resource.kind):
        raise bad_request(
            f'{kind} in version "{target.resource.version}" cannot be handled as a {target.resource.kind}: '
            "the kinds do not match"
        )


def _check_names(target: Target, metadata: Mapping[str, Any]) -> None:
    if metadata.get("name") != target.name:
        raise bad_request(
            f"the name of the object ({metadata.get('name', '')}) does not match the name on the URL ({target.name})"
        )
    if target.resource.namespaced and metadata.get("namespace") not in (None, "", target.namespace):
        raise bad_request(
            f"the namespace of the object ({metadata['namespace']}) does not match the namespace on the request "
            f"({target.namespace})"
        )


def _check_preconditions(target: Target, metadata: Mapping[str, Any], preconditions: Mapping[str, Any]) -> None:
    resource = target.resource
    for field, name, why in (
        ("uid", "UID", "The object might have been deleted and then recreated"),
        ("resourceVersion", "ResourceVersion", "The object might have been modified"),
    ):
        if preconditions.get(field) not in (None, metadata[field]):
            raise conflict(
                resource.kind,
                resource.group,
                target.name,
                f"the {name} in the precondition ({preconditions[field]}) does not match the {name} in record "
                f"({metadata[field]}). {why}",
            )


def _refuse_escalation(user: User, target: Target) -> None:
    """Refuse RBAC writes, except by administrators: this server does not compare what a user may grant."""
    if target.resource.group == "rbac.authorization.k8s.io" and "system:masters" not in user.groups:
        raise not_implemented("writes of RBAC objects by users outside system:masters")


def _defaults(item: dict[str, Any]) -> dict[str, Any]:
    kind, metadata = item["kind"], item["metadata"]
    if kind == "Namespace":
        name = metadata.get("name", "")
        metadata = {**metadata, "labels": {**metadata.get("labels", {}), "kubernetes.io/metadata.name": name}}
        spec, status = item["spec"] or {"finalizers": ["kubernetes"]}, item["status"] or {"phase": "Active"}
        return {**item, "metadata": metadata, "spec": spec, "status": status}
    if kind == "Node" and "resourceVersion" not in metadata:
        # The admission plugin TaintNodesByCondition: it adds the taint not-ready to a new Node.
        taints = item["spec"].get("taints", [])
        if not any(taint["key"] == _NOT_READY["key"] and taint["effect"] == _NOT_READY["effect"] for taint in taints):
            return {**item, "spec": {**item["spec"], "taints": [*taints, dict(_NOT_READY)]}}
    if kind in ("RoleBinding", "ClusterRoleBinding"):
        group = "rbac.authorization.k8s.io"
        subjects = [
            {**subject, "apiGroup": group} if subject["kind"] in ("User", "Group") else subject
            for subject in item.get("subjects", [])
        ]
        result = {**item, "roleRef": {**item["roleRef"], "apiGroup": item["roleRef"]["apiGroup"] or group}}
        return {**result, "subjects": subjects} if subjects else result
    return item
