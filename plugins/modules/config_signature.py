#!/usr/bin/python
# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add, list and verify the signatures of a bundle."""

from __future__ import annotations

DOCUMENTATION = r"""
module: config_signature
short_description: Add, list and verify the signatures of a bundle
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Signs the statement of a bundle, in a file or in the cluster, or adds signatures that others made.
  - Lists all signatures. Given O(keys) or O(authorities), verifies them as a node with these in its trust policy does,
    and fails if the node would refuse the bundle. Floors are not compared.
  - Signing needs C(ssh-keygen) of OpenSSH 8.1 or newer.
  - Signatures do not belong to a bundle's content, so adding one changes no node. A node that refused a bundle as
    C(Untrusted) reads it again when it is assigned it again.
extends_documentation_fragment:
  - configok.node.kube
  - configok.node.attributes
  - configok.node.attributes.localhost
  - configok.node.attributes.actiongroup_configok
attributes:
  check_mode:
    support: full
    details:
      - Nothing is signed or written. RV(signatures) has no new signature of O(signing_key).
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - A key that has signed already does not sign again.
options:
  statement_file:
    description:
      - The file of a statement that O(configok.node.config_bundle#module:statement_file) has written.
      - With O(bundle), the statement for a bundle that was published without one.
    type: path
  signature_file:
    description:
      - The file with the signatures of O(statement_file), any number of them. By default its name with C(.sig) at its
        end, as C(ssh-keygen) writes it.
      - Not used with O(bundle).
    type: path
  bundle:
    description:
      - The name of a published bundle. To add signatures to it, the credentials must be allowed to patch ConfigMaps in
        O(namespace). The roles of this collection do not allow it, and its admission policies allow it only to
        break-glass subjects.
    type: str
  namespace:
    description:
      - The namespace of O(bundle).
    type: str
    default: configok-system
  signing_key:
    description:
      - The file of the key that signs, as with O(configok.node.config_bundle#module:signing_key).
    type: path
  signing_passphrase:
    description:
      - The passphrase of O(signing_key), if it is encrypted. It is not the PIN of a token.
    type: str
  signature_files:
    description:
      - Files with signatures to add. A signature that is not of this statement is refused.
    type: list
    elements: path
  keys:
    description:
      - Public keys of signers, as in C(node_trust_keys).
    type: list
    elements: str
  authorities:
    description:
      - Public keys of authorities, as in C(node_trust_authorities).
    type: list
    elements: str
  threshold:
    description:
      - How many signers must have signed, as in C(node_trust_threshold).
    type: int
    default: 1
  revoked:
    description:
      - Fingerprints and public keys that are not trusted, as in C(node_trust_revoked).
    type: list
    elements: str
  verifier:
    description:
      - What verifies, as in C(node_trust_verifier).
    type: str
    choices: [builtin, ssh-keygen]
    default: builtin
  pool:
    description:
      - The pool that the statement must be for. By default any.
    type: str
seealso:
  - module: configok.node.config_bundle
"""

EXAMPLES = r"""
- name: Sign a statement
  configok.node.config_signature:
    statement_file: statement.json
    signing_key: files/alice.pub

- name: List who has signed, and require alice
  configok.node.config_signature:
    statement_file: statement.json
    keys: "{{ [lookup('ansible.builtin.file', 'files/alice.pub')] }}"
  register: signed

- name: Let a second person sign a published bundle
  configok.node.config_signature:
    bundle: "{{ published.bundle.name }}"
    signing_key: files/bob.pub
"""

RETURN = r"""
statement:
  description: The statement.
  returned: success
  type: dict
  sample: {text: '{"pool":"workers"}', sequence: 4, floor: 2, not_after: "", cluster: east}
signatures:
  description: The signatures, in their order.
  returned: success
  type: list
  elements: dict
  contains:
    fingerprint:
      description: The fingerprint of the signing key, as C(ssh-keygen -l) shows it.
      type: str
      sample: SHA256:Ud3fPDtTQwfpfMUYVpWmA7ZHlxjcaUsDL4cNBNTGCFQ
    type:
      description: The type of the key or certificate.
      type: str
      sample: ssh-ed25519
    key_id:
      description: The key id of the certificate, empty without one.
      type: str
      sample: alice
    principals:
      description: The principals of the certificate.
      type: list
      elements: str
      sample: [pool-workers]
    valid_after:
      description: When the certificate begins to be valid, empty without a beginning.
      type: str
      sample: "2026-11-01T08:00:00Z"
    valid_before:
      description: When the certificate ends, empty without an end.
      type: str
      sample: "2026-11-01T16:00:00Z"
    authority:
      description: The fingerprint of the authority of the certificate.
      type: str
      sample: SHA256:4pxqSJQw2MqhQJmzBKhWd3XxGdLRdxYRK5lTuvRJXqI
    problem:
      description: Why the signature cannot be read, empty if it can.
      type: str
      sample: ""
trusted:
  description: Whether a node with this trust policy accepts the bundle. Null without O(keys) and O(authorities).
  returned: success
  type: bool
  sample: true
signers:
  description: The signers that count, with C(fingerprint), C(name), C(authority), C(valid_until) and C(users).
  returned: success
  type: list
  elements: dict
  sample: [{fingerprint: "SHA256:Ud3fPDtTQwfpfMUYVpWmA7ZHlxjcaUsDL4cNBNTGCFQ", name: alice}]
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.configok.node.plugins.module_utils._ansible.api_module import (
    KUBE_ARGUMENT_SPEC,
    client_from_params,
    fail_on_errors,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import NAMESPACE_BUNDLES
from ansible_collections.configok.node.plugins.module_utils._operations._signing import (
    SshKeygen,
    module_runner,
)
from ansible_collections.configok.node.plugins.module_utils._operations.signature_changes import (
    SignatureChange,
    SignatureOptions,
    read_bundle_signatures,
    read_file_signatures,
    verify_signatures,
    write_bundle_signatures,
    write_file_signatures,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import current_time
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all
from ansible_collections.configok.node.plugins.module_utils._trust.signature_list import describe_signatures


def argument_spec() -> dict[str, Any]:
    """Return the options of this module."""
    return {
        **KUBE_ARGUMENT_SPEC,
        "statement_file": {"type": "path"},
        "signature_file": {"type": "path"},
        "bundle": {"type": "str"},
        "namespace": {"type": "str", "default": NAMESPACE_BUNDLES},
        # The path of a key, and public keys, are not secrets.
        "signing_key": {"type": "path", "no_log": False},
        "signing_passphrase": {"type": "str", "no_log": True},
        "signature_files": {"type": "list", "elements": "path"},
        "keys": {"type": "list", "elements": "str", "no_log": False},
        "authorities": {"type": "list", "elements": "str"},
        "threshold": {"type": "int", "default": 1},
        "revoked": {"type": "list", "elements": "str"},
        "verifier": {"type": "str", "choices": ["builtin", "ssh-keygen"], "default": "builtin"},
        "pool": {"type": "str"},
    }


def change_signatures(module: AnsibleModule, ssh_keygen: SshKeygen) -> SignatureChange:
    """Add the signatures that the options ask for, and return all. Raises RolloutError, KubeError."""
    params, check = module.params, module.check_mode
    options = SignatureOptions(
        params["signing_key"] or "",
        params["signing_passphrase"] or "",
        tuple(params["signature_files"] or ()),
        check,
    )
    if not params["bundle"]:
        present = read_file_signatures(params["statement_file"], params["signature_file"] or "")
        return write_file_signatures(present, options, ssh_keygen)
    with client_from_params(params) as client:
        stored = read_bundle_signatures(client, params["namespace"], params["bundle"], params["statement_file"] or "")
        return write_bundle_signatures(client, stored, options, ssh_keygen)


def main() -> None:
    """Add, list and verify signatures."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        required_one_of=[("statement_file", "bundle")],
        mutually_exclusive=[("bundle", "signature_file")],
        required_by={"signing_passphrase": "signing_key", "signature_file": "statement_file"},
        supports_check_mode=True,
    )
    ssh_keygen = SshKeygen(module_runner(module), module.tmpdir)
    with fail_on_errors(module):
        change = change_signatures(module, ssh_keygen)
        verdict = verify_signatures(change, module.params, ssh_keygen, now=current_time())
        result: dict[str, Any] = {
            "changed": change.changed,
            "statement": change.statement.as_dict(),
            "signatures": sanitize_all(describe_signatures(change.signatures)),
            "trusted": None if verdict is None else verdict.trusted,
            "signers": [] if verdict is None else sanitize_all([signer._asdict() for signer in verdict.signers]),
        }
        if module._diff:
            result["diff"] = sanitize_all(change.diff())
        module.exit_json(**result)


if __name__ == "__main__":
    main()
