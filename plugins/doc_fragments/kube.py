# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that connect a module to an API server."""

from __future__ import annotations


class ModuleDocFragment:
    # The argument spec is KUBE_ARGUMENT_SPEC in plugins/module_utils/_ansible/_options.py; the two must be equal.
    DOCUMENTATION = r"""
requirements:
  - urllib3 >= 1.26
  - PyYAML >= 5.3
  - kubernetes (for kubeconfigs that are merged from several files, or need an exec plugin or an auth provider)
options:
  kubeconfig:
    description:
      - The kubeconfig to connect with. Several paths, separated as in E(PATH), are merged as C(kubectl) does.
      - Without it E(KUBECONFIG) is used, then C(~/.kube/config), then the service account of the Pod it runs in.
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
        O(context), no kubeconfig is read; otherwise it takes the place of the URL that the kubeconfig has.
      - If not set, the value of E(K8S_AUTH_HOST) is used.
    type: str
  api_key:
    description:
      - A bearer token.
      - If not set, the value of E(K8S_AUTH_API_KEY) is used.
    type: str
  ca_cert:
    description:
      - A file with the certificates of the authorities that the API server's certificate is checked with.
      - If not set, the value of E(K8S_AUTH_SSL_CA_CERT) is used.
    type: path
  validate_certs:
    description:
      - Whether to check the API server's certificate. The default is what the kubeconfig says, else V(true).
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
      - The name to look for in the API server's certificate. The default is the host of its URL.
    type: str
  request_timeout:
    description:
      - How long the API server may be silent during a request, in seconds. Requests that are safe to repeat are.
    type: int
    default: 30
  connections:
    description:
      - How many connections are kept open, and so how many requests are made at once.
    type: int
    default: 32
"""
