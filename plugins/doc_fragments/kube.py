# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that connect a module to an API server."""

from __future__ import annotations


class ModuleDocFragment:
    # The argument spec is KUBE_ARGUMENT_SPEC in plugins/module_utils/_ansible/api_module.py; the two must be equal.
    DOCUMENTATION = r"""
requirements:
  - urllib3 >= 1.26
  - PyYAML >= 5.3
  - kubernetes (for kubeconfigs that are merged from several files, or need an exec plugin or an auth provider)
options:
  kubeconfig:
    description:
      - The kubeconfig to connect with. Several paths, separated as in E(PATH), are merged as C(kubectl) does.
      - The default is E(KUBECONFIG), then C(~/.kube/config), then the service account of the Pod in which it runs.
      - If not set, the value of E(K8S_AUTH_KUBECONFIG) is used.
    type: path
  context:
    description:
      - The context of the kubeconfig. The default is its current context.
      - If not set, the value of E(K8S_AUTH_CONTEXT) is used.
    type: str
  host:
    description:
      - The URL of the API server. Together with O(api_key) or O(client_cert), and with neither O(kubeconfig) nor
        O(context), no kubeconfig is read; otherwise it replaces the URL of the kubeconfig.
      - If not set, the value of E(K8S_AUTH_HOST) is used.
    type: str
  api_key:
    description:
      - A bearer token.
      - If not set, the value of E(K8S_AUTH_API_KEY) is used.
    type: str
  ca_cert:
    description:
      - A file with the CA certificates that the API server's certificate is verified with.
      - If not set, the value of E(K8S_AUTH_SSL_CA_CERT) is used.
    type: path
  validate_certs:
    description:
      - Whether to check the API server's certificate. The default is the kubeconfig's setting, else V(true).
      - If not set, the value of E(K8S_AUTH_VERIFY_SSL) is used.
    type: bool
  client_cert:
    description:
      - A file with the client certificate.
      - If not set, the value of E(K8S_AUTH_CERT_FILE) is used.
    type: path
  client_key:
    description:
      - A file with the key of O(client_cert).
      - If not set, the value of E(K8S_AUTH_KEY_FILE) is used.
    type: path
  tls_server_name:
    description:
      - The expected name in the API server's certificate. The default is the host of its URL.
    type: str
  request_timeout:
    description:
      - How long the API server may be silent during a request, in seconds. Idempotent requests are retried.
    type: int
    default: 30
  connections:
    description:
      - The number of connections that are kept open, which limits the number of concurrent requests.
    type: int
    default: 32
"""
