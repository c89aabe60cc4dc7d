# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read and validate the documents of a bundle, compare it with what nodes use, and publish it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..._componentconfig import ConfigError
from ..._componentconfig._documents.component_file import load_for_check
from ..._componentconfig._schema.releases import is_kubernetes_version
from ..._componentconfig.check import check
from ..._componentconfig.findings import (
    Finding,
    InvalidConfig,
    bounded,
    finding_lines,
    judged,
    not_judged_causes,
)
from ..._componentconfig.load import Config, load
from ..._kube.api_client import Client
from ..._kube.api_paths import VERSION, config_map
from ..._nodeconfig.bundle import Bundle, build_bundle
from ..._nodeconfig.bundle_trial import Trial
from ..._nodeconfig.well_known import NAMESPACE_BUNDLES
from ..._rollout import ConfigRefused, RolloutRefused, UnusableDocument
from ..._rollout._decisions.statements import StatementOptions, check_floor, floor_of
from ..._rollout._nodes.left_out import is_within_skew, leave_out
from ..._rollout._nodes.node_view import NodeView
from ..._rollout._record.record import Record
from ..._rollout._record.record_store import read_record
from ..._rollout._record.revisions import (
    bundle_statement,
    foreign_statement,
    parse_bundle,
    publish_bundle,
    read_statement,
)
from ..._rollout.plan import Target
from ..._text import and_more, count_of, first_names
from ..._trust.statement import Statement
from .._cel import cel_checker
from .._pool_nodes import PoolNodes, read_pool_nodes
from .._signing import Endorsement, Endorser, key_warnings, read_signing_key, unused_options
from ..bundle_changes import (
    NodeGroup,
    Overrides,
    SourceDocument,
    current_documents,
    denied_findings,
    diff_documents,
    group_changes,
    render_changes,
)
from ..option_validator import NO_OPTION_VALIDATOR, OptionValidator

_NAMES_SHOWN = 4
_NAMES_IN_RESULT = 20  # for each finding: Ansible shows the whole result of a failed task
_VAULT = "$ANSIBLE_VAULT;"  # the beginning of a file that is encrypted
_WARNINGS_SHOWN = 10


# Of a bundle that is not published yet, the nodes of its pool and their record.
RefusalsOf = Callable[[Bundle, PoolNodes, Record], Sequence[str]]
# Whether the nodes of a pool trust a bundle that another party has published.
TrustedBy = Callable[[Bundle, PoolNodes], bool]


class Publication(NamedTuple):
    """What is published for a pool, and how.

    documents: by component. kubernetes_versions: for which they are validated; none for those of the nodes. overrides:
    the user's own disruption classes. trial: None for the agents' defaults. check: let the API server validate the
    bundle, and change nothing. validator: of ComponentOptions.
    """

    pool: str
    documents: Mapping[str, SourceDocument]
    kubernetes_versions: Sequence[str] = ()
    overrides: Overrides | None = None
    trial: Trial | None = None
    namespace: str = NAMESPACE_BUNDLES
    change_cause: str = ""
    author: str = ""
    check: bool = False
    validator: OptionValidator = NO_OPTION_VALIDATOR


class Draft(NamedTuple):
    """A validated bundle that is not published, and what it changes.

    config_map: to be created. groups: the changes by nodes. findings: warnings. before: the documents of the pool's
    last complete rollout. after: those of the bundle. versions: the Kubernetes versions that it was validated for.
    left_out: nodes that would refuse it, with the reason; the other parts are about the other nodes.
    """

    config_map: dict[str, Any]
    groups: Sequence[NodeGroup]
    findings: Sequence[Finding]
    before: Mapping[str, str]
    after: Mapping[str, str]
    versions: Sequence[str]
    pool_nodes: PoolNodes
    record: Record
    left_out: Mapping[str, str]


class Release(NamedTuple):
    """A draft that was published (in check mode: that is valid).

    bundle: with its statement and signatures. warnings: about them. endorsement: of a new bundle, else None.
    is_recorded: whether the record has the revision; otherwise the next rollout adds it. floor_before: of the pool,
    without the bundle.
    """

    draft: Draft
    target: Target
    revision: int
    changed: bool
    bundle: Bundle
    warnings: tuple[str, ...]
    endorsement: Endorsement | None
    is_recorded: bool
    floor_before: int


def prepare(
    client: Client,
    publication: Publication,
    views: Sequence[NodeView],
    *,
    now: str,
    endorser: Endorser | None = None,
    refusals_of: RefusalsOf | None = None,
    trusted_by: TrustedBy | None = None,
) -> Release:
    """Build, validate, compare and publish the bundle of a pool's documents.

    views: the nodes of the pool, with which the bundle is compared; empty for none. endorser: signs a new bundle.
    refusals_of: returns why nodes would refuse a new bundle, which then is not published. trusted_by: returns whether
    nodes trust one that is published. Raises ConfigRefused,
    UnusableDocument, InvalidBundle, RolloutRefused, RolloutError, KubeError.
    """
    drafted = draft(client, publication, views)

    def endorse(config_map: dict[str, Any], record: Record) -> dict[str, Any]:
        endorsed = config_map if endorser is None else endorser(config_map, record)
        refusals = () if refusals_of is None else refusals_of(parse_bundle(endorsed), drafted.pool_nodes, record)
        if refusals:
            raise RolloutRefused(refusals)
        return endorsed

    warnings: list[str] = []

    def vouch(bundle: Bundle, statement: Statement, record: Record) -> bool:
        name = bundle.source.name
        has_made = endorser is not None and endorser.has_made(bundle, statement)
        if has_made or (trusted_by is not None and trusted_by(bundle, drafted.pool_nodes)):
            check_floor(
                record, statement, StatementOptions() if endorser is None else endorser.options.statement, place=name
            )
            return True
        if endorser is not None and endorser.options.wants_statement:
            raise RolloutRefused([foreign_statement(name, statement, publication.pool)])
        warnings.append(f"the statement of {name} does not count: no trusted party vouches for it")
        return False

    published = publish_bundle(
        client, drafted.config_map, now=now, check=publication.check, endorse=endorse, vouch=vouch
    )
    bundle = parse_bundle(published.config_map)
    if endorser is not None and not published.created:
        # It keeps the statement that it has, and who moves the pool need not have the key.
        warnings += unused_options(endorser.options, bundle_statement(bundle))
    elif endorser is not None and endorser.options.key:
        warnings += key_warnings(read_signing_key(endorser.options.key))
    return Release(
        drafted,
        published.target,
        published.revision,
        published.changed,
        bundle,
        tuple(warnings),
        endorser.endorsement if endorser is not None and published.created else None,
        published.is_recorded,
        floor_of(drafted.record, without=bundle.source.uid),
    )


def prepare_statement(
    client: Client, publication: Publication, views: Sequence[NodeView], endorser: Endorser
) -> tuple[Draft, Statement]:
    """Build, validate and compare a bundle, and return the statement that signers are to sign; publish nothing.

    That of a bundle that is published already is not changed. The errors are those of prepare.
    """
    drafted = draft(client, publication, views)
    metadata = drafted.config_map["metadata"]
    present = client.find(config_map(metadata["namespace"], metadata["name"]))
    statement = None if present is None else read_statement(present)
    if present is None or statement is None:
        return drafted, endorser.statement_to_sign(drafted.config_map, drafted.record)
    numbers = (statement.sequence, statement.floor)
    is_known = drafted.record.has_statement(present["metadata"]["uid"], *numbers)
    if not is_known and not endorser.has_made(parse_bundle(present), statement):
        raise RolloutRefused([foreign_statement(metadata["name"], statement, publication.pool)])
    return drafted, statement


def draft(client: Client, publication: Publication, views: Sequence[NodeView]) -> Draft:
    """Build, validate and compare the bundle of a pool's documents. The parameters and errors are those of prepare."""
    pool, documents = publication.pool, publication.documents
    texts = {component: document.text for component, document in documents.items()}
    bundle = build_bundle(
        pool,
        texts,
        trial=publication.trial,
        namespace=publication.namespace,
        change_cause=publication.change_cause,
        author=publication.author,
    )
    findings, pool_nodes, versions, left_out = _validate_for_nodes(client, publication, views)
    record = read_record(client, pool)
    before = current_documents(client, record)
    groups = _release_groups(publication, pool_nodes, before, texts)
    return Draft(bundle, groups, findings, before, texts, versions, pool_nodes, record, left_out)


def _validate_for_nodes(
    client: Client, publication: Publication, views: Sequence[NodeView]
) -> tuple[list[Finding], PoolNodes, list[str], dict[str, str]]:
    """Validate documents for the versions and the deny policies of nodes. The errors are those of prepare.

    Returns the warnings, the nodes that may have the documents, the versions of those, and the nodes left out: a few
    nodes that would refuse the documents, so that no node decides about another one.
    """
    documents, declared = publication.documents, list(publication.kubernetes_versions)
    versions = {} if declared else _node_versions(views)
    pool_nodes = read_pool_nodes(client, views)
    refusing: dict[str, str] = {}
    left_out: dict[str, str] = {}
    while True:
        fitting = pool_nodes._replace(views=[view for view in pool_nodes.views if view.name not in left_out])
        judged_for = {name: version for name, version in versions.items() if name not in left_out}
        denied = denied_findings(fitting, documents, publication.validator)
        findings = check_documents(documents, declared, judged_for, denied, validator=publication.validator)
        refusing.update(_refusing_nodes(findings))
        few = _few_of(refusing, views, _outside_skew(client, refusing, versions))
        if few == left_out:
            break
        left_out = few  # fewer versions have other findings
    raise_refused(findings)
    return findings, fitting, declared or sorted(set(judged_for.values())), left_out


def _outside_skew(client: Client, names: Iterable[str], versions: Mapping[str, str]) -> set[str]:
    """Return the nodes, of these names, whose version the API server does not support."""
    asked = [name for name in names if name in versions]
    server_version = str(client.get(VERSION).get("gitVersion") or "") if asked else ""
    return {name for name in asked if not is_within_skew(versions[name], server_version)}


def _few_of(refusing: Mapping[str, str], views: Sequence[NodeView], outside: Collection[str]) -> dict[str, str]:
    """Return the nodes to leave out. outside: those with a version that is none of the cluster, however many."""
    if len(outside) == len(views):
        return {}
    within = {name: reason for name, reason in refusing.items() if name not in outside}
    few = leave_out(within, len(views) - len(outside))
    return {name: reason for name, reason in refusing.items() if name in outside or name in few}


def _refusing_nodes(findings: Iterable[Finding]) -> dict[str, str]:
    """Return the nodes that would refuse a config, each with the first reason."""
    refusing: dict[str, str] = {}
    for finding in findings:
        for name in finding.nodes if finding.is_refusal else ():
            refusing.setdefault(name, f"it would refuse the config: {finding}")
    return refusing


def _node_versions(views: Iterable[NodeView]) -> dict[str, str]:
    """Return the kubelet version of each node. Omits invalid versions: the plan skips these nodes, with the reason."""
    return {
        view.name: view.system.kubelet_version for view in views if is_kubernetes_version(view.system.kubelet_version)
    }


def _release_groups(
    publication: Publication, pool_nodes: PoolNodes, before: Mapping[str, str], after: Mapping[str, str]
) -> list[NodeGroup]:
    """Return the changes by nodes; without nodes, the changes to the pool's last complete rollout."""
    overrides = publication.overrides
    if pool_nodes.views:
        return group_changes(pool_nodes, after, overrides)
    changes = diff_documents(before, after, publication.kubernetes_versions, overrides)
    return [NodeGroup((), changes if before else None)] if changes else []


def left_out_warnings(left_out: Mapping[str, str]) -> list[str]:
    """Return a sentence for each reason for which a rollout would leave nodes out, with the nodes."""
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        names_by_reason.setdefault(reason, []).append(name)
    return [
        f"a rollout leaves out {count_of(len(names), 'node')} ({first_names(sorted(names), _NAMES_SHOWN)}): {reason}"
        for reason, names in list(names_by_reason.items())[:_WARNINGS_SHOWN]
    ]


def render_release(release: Release) -> list[str]:
    """Return the changes of a release, and the fields that nodes may deny, as human-readable lines."""
    lines = render_changes(f"{release.target.name} is revision {release.revision}", release.draft.groups)
    return lines + [f"Warning: {finding}" for finding in release.draft.findings if finding.rule == "denied"]


def read_documents(documents: Mapping[str, Any] | None, src: Mapping[str, str] | None) -> dict[str, SourceDocument]:
    """Return the document of each component.

    documents: component -> text, or data that is encoded as JSON; src: component -> path. Raises UnusableDocument.
    """
    sources: dict[str, SourceDocument] = {}
    for component, value in (documents or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, indent=2, sort_keys=True) + "\n"
        sources[component] = SourceDocument(component, text)
    for component, path in (src or {}).items():
        if component in sources:
            raise UnusableDocument(f"the config of {component} is given twice, as a document and as a file")
        try:
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
        except (OSError, ValueError) as error:  # ValueError also for a path with a null character
            raise UnusableDocument(f"the config of {component} cannot be read from {path}: {error}") from error
        _refuse_encrypted(path, text)
        sources[component] = SourceDocument(path, text)
    return sources


def read_layered_document(files: Sequence[str], component: str) -> SourceDocument:
    """Return the document that layers are merged to, the lowest first.

    Raises UnusableDocument for a file that cannot be read, ConfigRefused for one that is not a config.
    """
    layers = []
    for path in files:
        try:
            with open(path, "rb") as stream:
                layers.append((path, stream.read()))
        except (OSError, ValueError) as error:  # ValueError for a path with a null character
            raise UnusableDocument(
                f"layers: {path} cannot be read: {getattr(error, 'strerror', None) or error}"
            ) from error
        _refuse_encrypted(*layers[-1])
    try:
        return SourceDocument(files[-1], _load(tuple(layers), component).text, tuple(layers))
    except InvalidConfig as error:
        raise _refusal(list(error.findings)) from error


def _refuse_encrypted(path: str, content: bytes | str) -> None:
    """Raise UnusableDocument for a file that ansible-vault has encrypted."""
    if content[: len(_VAULT)] in (_VAULT, _VAULT.encode()):
        raise UnusableDocument(
            f"{path} is encrypted with ansible-vault: decrypt it, and leave secrets out, because every node can read "
            "a bundle"
        )


def _load(layers: tuple[tuple[str, bytes], ...], component: str) -> Config:
    return load_for_check(*layers[0], component) if len(layers) == 1 else load(layers)


def check_documents(
    documents: Mapping[str, SourceDocument],
    versions: Sequence[str],
    nodes: Mapping[str, str],
    denied: Sequence[Finding] = (),
    *,
    validator: OptionValidator = NO_OPTION_VALIDATOR,
) -> list[Finding]:
    """Return all findings in documents for these Kubernetes versions, bounded.

    versions: "1.35" or "v1.35.2"; nodes: the version of each, by name; without both, the newest known version. denied:
    findings about fields that nodes deny. validator: of ComponentOptions. Raises UnusableDocument for an invalid
    version.
    """
    findings: list[Finding] = [*denied]
    for component, document in sorted(documents.items()):
        try:
            findings += _check_document(document, component, versions, nodes, validator)
        except ConfigError as error:
            raise UnusableDocument(str(error)) from error
    return bounded(findings)


def raise_refused(findings: Sequence[Finding]) -> None:
    """Raise ConfigRefused if a component or the policy refuses the config."""
    if any(finding.is_refusal for finding in findings):
        raise _refusal(findings)


def version_warnings(
    documents: Mapping[str, str], views: Iterable[NodeView], validator: OptionValidator = NO_OPTION_VALIDATOR
) -> list[str]:
    """Return a sentence for each part of a bundle that the kubelet version of a node would refuse, with the nodes.

    And one for each cause for which a part was not judged.

    Raises UnusableDocument.
    """
    nodes = _node_versions(views)
    sentences = []
    for component, text in sorted(documents.items()) if nodes else ():
        try:
            findings = _check_document(SourceDocument(component, text), component, (), nodes, validator)
        except ConfigError as error:
            raise UnusableDocument(str(error)) from error
        for finding in findings:
            if finding.is_refusal:
                # Of some of the nodes, the text names them itself.
                is_of_all = len(finding.nodes) == len(nodes)
                where = f" (Kubernetes {', '.join(finding.versions)}: {first_names(finding.nodes, _NAMES_SHOWN)})"
                sentences.append(f"{component}: {finding.text}{where if is_of_all else ''}")
        sentences += [f"{component}: not judged: {cause}" for cause in not_judged_causes(findings)]
    more = len(sentences) - _WARNINGS_SHOWN
    return sentences if more <= 0 else [*sentences[:_WARNINGS_SHOWN], f"{count_of(more, 'more field')} like these"]


def _refusal(findings: Sequence[Finding]) -> ConfigRefused:
    refused = [f"{finding.level}: {finding}" for finding in findings if finding.is_refusal]
    return ConfigRefused(
        f"the config is refused, nothing was published: {refused[0]}{and_more(len(refused) - 1)}",
        [
            {**finding.as_dict(), "nodes": list(finding.nodes[:_NAMES_IN_RESULT]), "node_count": len(finding.nodes)}
            for finding in judged(findings)
        ],
        finding_lines(findings),
    )


def _check_document(
    document: SourceDocument,
    component: str,
    versions: Sequence[str],
    nodes: Mapping[str, str] | None,
    validator: OptionValidator,
) -> list[Finding]:
    layers = document.layers or ((document.name, document.text.encode("utf-8", "surrogateescape")),)
    try:
        config = _load(layers, component)
    except InvalidConfig as error:
        return list(error.findings)
    return check(
        config,
        component=component,
        versions=versions,
        nodes=nodes,
        bundle=True,
        expressions=cel_checker,
        arguments=validator.arguments,
    )
