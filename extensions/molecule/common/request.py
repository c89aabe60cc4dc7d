# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Send one request to the API server of $KUBECONFIG as its administrator, and print the answer as JSON.

request.py GET|POST|PATCH|DELETE PATH [BODY]      BODY: JSON; a patch is a merge patch
"""

from __future__ import annotations

import json
import os
import sys

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig


def main(method: str, path: str, body: str = "{}") -> None:
    """Send the request. Raises KubeError if it is refused."""
    with Client(from_kubeconfig(os.environ["KUBECONFIG"])) as client:
        if method == "GET":
            answer = client.get(path)
        elif method == "POST":
            answer = client.create(path, json.loads(body))
        elif method == "PATCH":
            answer = client.patch(path, json.loads(body))
        elif method == "DELETE":
            answer = client.delete(path)
        else:
            raise ValueError(method)
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
