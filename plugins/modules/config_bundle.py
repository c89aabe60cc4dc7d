#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publish a bundle."""

from __future__ import annotations

DOCUMENTATION = r"""
module: config_bundle
short_description: Publish a bundle of component configs for a pool
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Validates component configs and publishes them as a bundle, one immutable ConfigMap that is named by its content.
  - A config that a component would refuse, or that policy refuses, is not published. Neither is a config with a field
    that the Nodes matched by O(label_selector) deny.
  - Configs are validated for every version of O(kubernetes_versions), or of the kubelets of the Nodes that
    O(label_selector) matches; findings that affect only some of them name the versions and the Nodes. A few Nodes that
      would refuse it are a warning; a rollout leaves them out.
  - The same content is the same bundle, so publishing it again changes nothing.
  - A config that failed in this pool before is refused.
  - Publishing changes no node. M(configok.node.rollout) publishes in the same way, and then moves the pool.
  - With O(signing_key), or O(statement_file) and O(signature_files), a new bundle gets a statement and signatures.
    Nodes verify them if their C(node_trust_mode) is not V(off). Signing needs C(ssh-keygen) of OpenSSH 8.1 or newer.
  - Credentials that may create bundles and only read records suffice. The next rollout then adds the revision.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  pool:
    description:
      - The pool of the bundle, a DNS label of at most 52 characters. The names of its bundles begin with it.
    type: str
    required: true
  documents:
    description:
      - A mapping of component, for example V(kubelet), to its config, as text or as data.
      - Text is published as it is, data as JSON.
    type: dict
  src:
    description:
      - A mapping of component to the path of a file with its config.
    type: dict
  trial_duration:
    description:
      - How long a config must be healthy on a node before it becomes last-known-good, for example V(10m).
      - The defaults of the agents, if neither this nor O(crash_loop_threshold) is set, are V(10m) and V(3).
    type: str
  crash_loop_threshold:
    description:
      - How many crashes of a component during the trial are tolerated before the node rolls back, V(0) to V(10).
    type: int
  kubernetes_versions:
    description:
      - The Kubernetes versions for which the configs must be valid, for example V(1.35) or V(v1.35.2). Write them in
        quotes.
      - Versions before 1.20 are errors.
      - The default is the versions of the Nodes that O(label_selector) matches, else the newest known version.
    type: list
    elements: str
  label_selector:
    description:
      - A label selector for the Nodes of the pool, from which their versions are read.
    type: str
  disruption_overrides:
    description:
      - A mapping of component to your own classes of what changing a field requires of a node, by field path, as
        M(configok.node.component_config_diff) takes them. They are only reported.
    type: dict
  change_cause:
    description:
      - The reason for the change, for the history of the pool.
    type: str
    default: ""
  published_by:
    description:
      - The author of the change, for the history of the pool.
    type: str
    default: ""
  namespace:
    description:
      - The namespace of bundles. Each node takes bundles from one namespace, by default from this one.
      - Any other namespace must be listed in O(configok.node.cluster_access#module:bundle_namespaces).
    type: str
    default: configok-system
  signing_key:
    description:
      - The file of the key that signs a new bundle. A private key, or a public key (C(.pub)) or certificate
        (C(-cert.pub)) whose private key is in C(ssh-agent) or next to it.
      - Keys in PKCS#11 and FIDO2 tokens are used through C(ssh-agent).
      - A bundle that is published already is not signed again; M(configok.node.config_signature) adds signatures.
    type: path
  signing_passphrase:
    description:
      - The passphrase of O(signing_key), if it is encrypted. It is not the PIN of a token.
    type: str
  sequence:
    description:
      - The sequence of the bundle's statement. Nodes refuse a sequence below the highest floor that they have accepted.
      - By default above the highest in the record of the pool.
    type: int
  floor:
    description:
      - The lowest sequence that nodes accept from now on, which withdraws older bundles.
      - By default the lowest sequence of the pool's newest 10 bundles, and of those that the record needs, so that an
        undo to them needs no new signature. Never below the floor before.
    type: int
  not_after:
    description:
      - The last moment at which a node may adopt the bundle, for example V(2027-01-31T00:00:00Z). Write it in quotes.
      - By default there is no end. It takes no config away from a node that uses it already.
    type: str
  cluster:
    description:
      - The cluster that the statement names, as C(node_trust_clusters) of its nodes names it. Nodes of another cluster
        refuse the bundle.
      - By default the statement is for any cluster, and nodes with C(node_trust_clusters) refuse it.
    type: str
  statement_file:
    description:
      - The file with the statement, to be signed on the other side of an air gap.
      - With O(publish=false), the file is written. Sign it with
        C(ssh-keygen -Y sign -f KEY -n bundle@configok.dev FILE), which writes C(FILE.sig).
      - Otherwise, the bundle is published with this statement, O(signature_files) and the signature of O(signing_key).
        A statement about other content is refused.
      - A rollout publishes the layers of a pool file without their comments. To write the statement of that content,
        give O(documents) the C(text) that M(configok.node.component_config) returns for the same files.
    type: path
  signature_files:
    description:
      - Files with signatures of O(statement_file). A signature that is not of this statement is refused.
    type: list
    elements: path
  publish:
    description:
      - Whether to publish the bundle. With V(false), it is validated, its statement is written to O(statement_file),
        and nothing in the cluster is changed.
    type: bool
    default: true
  release_data:
    description:
      - A file on the controller that M(configok.node.release_data) has written. A draft that no person has accepted is
        an error.
    type: raw
seealso:
  - module: configok.node.config_signature
  - module: configok.node.component_config
  - module: configok.node.rollout
  - module: configok.node.config_source
"""

EXAMPLES = r"""
- name: Publish a kubelet config for the workers
  configok.node.config_bundle:
    pool: workers
    label_selector: node-role.kubernetes.io/worker
    src:
      kubelet: files/kubelet.yaml
    trial_duration: 10m
    change_cause: room for more pods
  register: published

- name: Publish data
  configok.node.config_bundle:
    pool: workers
    kubernetes_versions: ["1.34", "1.35"]
    documents:
      kubelet:
        apiVersion: kubelet.config.k8s.io/v1beta1
        kind: KubeletConfiguration
        maxPods: 60

- name: Publish a signed bundle, with a key in ssh-agent
  configok.node.config_bundle:
    pool: workers
    src:
      kubelet: files/kubelet.yaml
    signing_key: files/alice.pub
    not_after: "2099-12-31T00:00:00Z"

- name: Write a statement, to be signed where there is no network
  configok.node.config_bundle:
    pool: workers
    src:
      kubelet: files/next.yaml
    statement_file: statement.json
    publish: false
  register: drafted

# ssh-keygen -Y sign -f KEY -n bundle@configok.dev statement.json

- name: Publish with the signature from there
  configok.node.config_bundle:
    pool: workers
    src:
      kubelet: files/next.yaml
    statement_file: statement.json
    signature_files: [statement.json.sig]
"""

RETURN = r"""
bundle:
  description: The bundle.
  returned: success
  type: dict
  contains:
    namespace:
      description: The namespace of the ConfigMap.
      type: str
      sample: configok-system
    name:
      description: The name of the ConfigMap.
      type: str
      sample: workers-0a1b2c3d4e
    uid:
      description: The uid of the ConfigMap, empty in check mode for a bundle that is not published.
      type: str
      sample: 5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11
    content_hash:
      description: The SHA-256 of the content, in hexadecimal.
      type: str
      sample: 0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9
    components:
      description: The components it holds a config for.
      type: list
      elements: str
      sample: [kubelet]
    trial:
      description: The trial, as JSON.
      type: str
      sample: '{"crashLoopThreshold": 3, "trialDuration": "600s"}'
config_source:
  description: The reference to the bundle, as M(configok.node.config_source) takes it. Null if it is not published.
  returned: success
  type: dict
  sample: {configMap: {namespace: configok-system, name: workers-0a1b2c3d4e, uid: 5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11}}
revision:
  description: The revision of the pool that this bundle has, or will get (see RV(recorded)).
  returned: success
  type: int
  sample: 2
recorded:
  description:
    - Whether the record of the pool has the revision. V(false) if these credentials may not write records, and in check
      mode or without O(publish) for a bundle that is not published.
  returned: success
  type: bool
  sample: true
statement:
  description: The statement of the bundle. Null without one.
  returned: success
  type: dict
  contains:
    text:
      description: The exact text that is signed.
      type: str
      sample: '{"pool":"workers","contentHash":"0a1b","hashScheme":"1","sequence":4,"floor":2}'
    sequence:
      description: Its sequence.
      type: int
      sample: 4
    floor:
      description: The lowest sequence that nodes accept from then on.
      type: int
      sample: 2
    not_after:
      description: The last moment of adoption, empty for no end.
      type: str
      sample: "2099-12-31T00:00:00Z"
    cluster:
      description: The cluster that it is for, empty for any.
      type: str
      sample: east
signatures:
  description:
    - The signatures of the bundle, as M(configok.node.config_signature) lists them. In check mode, a new bundle has
      none of O(signing_key).
  returned: success
  type: list
  elements: dict
  sample: [{fingerprint: "SHA256:Ud3fPDtTQwfpfMUYVpWmA7ZHlxjcaUsDL4cNBNTGCFQ", type: ssh-ed25519, problem: ""}]
signing_command:
  description: The command that signs O(statement_file). Empty with O(publish=true).
  returned: success
  type: str
  sample: ssh-keygen -Y sign -f KEY -n bundle@configok.dev statement.json
field_changes:
  description:
    - The fields in which it differs from the present configs of the nodes that O(label_selector) matches, which are a
      bundle or their init config; without nodes, from the config of the pool's last complete rollout.
    - Nodes whose present values are unknown are left out. Secrets are not shown.
  returned: success
  type: list
  elements: dict
  contains:
    component:
      description: The component.
      type: str
      sample: kubelet
    path:
      description: The path of the field.
      type: str
      sample: maxPods
    before:
      description: Its value before, as short JSON, null if it was absent.
      type: str
      sample: "110"
    after:
      description: Its value now, as short JSON, null if it is absent.
      type: str
      sample: "60"
    nodes:
      description: The Nodes on which it changes.
      type: list
      elements: str
      sample: [node-1, node-2]
    disruption:
      description:
        - The class of what the change requires of a node, as M(configok.node.component_config_diff) returns it, with
          its C(meaning), a C(note), the C(state_file) to remove, the C(peer) that follows and a C(condition).
      type: str
      sample: restart-may-reject
text:
  description: The bundle and what it changes, as human-readable lines.
  returned: success
  type: list
  elements: str
  sample:
    - "workers-0a1b2c3d4e is revision 2. What it changes:"
    - "  kubelet syncFrequency  \"1m\" -> \"2m\"  [restart]"
    - "  overall: restart: a kubelet restart applies it; running pods keep running"
kubernetes_versions:
  description: The versions that it was validated for, empty for the newest known version.
  returned: success
  type: list
  elements: str
  sample: [v1.34.5, v1.35.2]
findings:
  description:
    - The findings in the configs, as M(configok.node.component_config) returns them. Those of a refused config have at
      most 20 names in C(nodes), and the number of the nodes in C(node_count).
  returned: success, or when the config is refused
  type: list
  elements: dict
  sample: []
not_judged:
  description: What could not be judged and why, as M(configok.node.component_config) returns it. It stops nothing.
  returned: success
  type: list
  elements: dict
  sample: []
lines:
  description: The findings as human-readable lines.
  returned: success, or when the config is refused
  type: list
  elements: str
  sample: ["component: kubelet.yaml:3: maxPods: -1: must be >= 0"]
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import NAMESPACE_BUNDLES
from ansible_collections.configok.node.plugins.module_utils._operations._publishing import (
    Publication,
    publish,
    read_documents,
    write_statement,
)
from ansible_collections.configok.node.plugins.module_utils._operations._signing import (
    Endorser,
    SigningOptions,
    SshKeygen,
    module_runner,
)
from ansible_collections.configok.node.plugins.module_utils._operations.bundle_changes import text_diff
from ansible_collections.configok.node.plugins.module_utils._operations.release_facts import using_release_facts
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.statements import StatementOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import current_time
from ansible_collections.configok.node.plugins.module_utils._text import sanitize, sanitize_all


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {
        **KUBE_ARGUMENT_SPEC,
        "pool": {"type": "str", "required": True},
        "documents": {"type": "dict"},
        "src": {"type": "dict"},
        "trial_duration": {"type": "str"},
        "crash_loop_threshold": {"type": "int"},
        "kubernetes_versions": {"type": "list", "elements": "str"},
        "label_selector": {"type": "str"},
        "disruption_overrides": {"type": "dict"},
        "change_cause": {"type": "str", "default": ""},
        "published_by": {"type": "str", "default": ""},
        "namespace": {"type": "str", "default": NAMESPACE_BUNDLES},
        # The path of a key is not a secret.
        "signing_key": {"type": "path", "no_log": False},
        "signing_passphrase": {"type": "str", "no_log": True},
        "sequence": {"type": "int"},
        "floor": {"type": "int"},
        "not_after": {"type": "str"},
        "cluster": {"type": "str"},
        "statement_file": {"type": "path"},
        "signature_files": {"type": "list", "elements": "path"},
        "publish": {"type": "bool", "default": True},
        "release_data": {"type": "raw"},
    }


def trial_of(params: dict[str, Any]) -> Trial | None:
    """Return the trial of the bundle, or None for the agents' defaults. Raises InvalidTrial."""
    duration, threshold = params["trial_duration"], params["crash_loop_threshold"]
    return None if duration is None and threshold is None else Trial.of(duration, threshold)


def publication_of(params: dict[str, Any], *, check: bool) -> Publication:
    """Return what the options publish. Raises UnusableDocument, InvalidTrial."""
    return Publication(
        params["pool"],
        read_documents(params["documents"], params["src"]),
        params["kubernetes_versions"] or (),
        params["disruption_overrides"],
        trial_of(params),
        params["namespace"],
        params["change_cause"],
        params["published_by"],
        check,
    )


def signing_options(params: dict[str, Any]) -> SigningOptions:
    """Return how the bundle is signed."""
    return SigningOptions(
        params["signing_key"] or "",
        params["signing_passphrase"] or "",
        params["statement_file"] or "",
        tuple(params["signature_files"] or ()),
        StatementOptions(
            params["sequence"], params["floor"], params["not_after"] or "", cluster=params["cluster"] or ""
        ),
    )


def main() -> None:
    """Validate the configs, and publish them as a bundle or write its statement."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        required_one_of=[("documents", "src")],
        required_by={"signature_files": "statement_file", "signing_passphrase": "signing_key"},
        required_if=[("publish", False, ["statement_file"])],
        supports_check_mode=True,
    )
    options = signing_options(module.params)
    if not module.params["publish"] and (options.key or options.signature_files):
        module.fail_json(
            msg="publish=false writes the statement only: sign it with configok.node.config_signature or ssh-keygen, "
            "and give signing_key or signature_files when it is published"
        )
    params, now = module.params, current_time()
    ssh_keygen = SshKeygen(module_runner(module), module.tmpdir)
    endorser = Endorser(options, ssh_keygen, now=now, check=module.check_mode)
    with fail_on_errors(module), using_release_facts(params["release_data"]), client_from_params(params) as client:
        publication = publication_of(params, check=module.check_mode or not params["publish"])
        views = list_nodes(client, selector=params["label_selector"]) if params["label_selector"] else []
        if params["publish"]:
            publishing = publish(client, publication, views, endorser, now=now)
        else:
            publishing = write_statement(client, publication, views, endorser, check=module.check_mode)
        for warning in publishing.warnings:
            module.warn(sanitize(warning))
        result = publishing.result
        if module._diff:
            result["diff"] = sanitize_all(text_diff(publishing.before, publishing.after))
        module.exit_json(**result)


if __name__ == "__main__":
    main()
