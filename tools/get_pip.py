# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bootstrap pip in an empty virtual environment of ansible-test, from the package index alone.

ansible-test downloads pip's bootstrap script from a host that many networks cannot reach, unless the script is in its
cache. tools/lint.py puts this one there. It is called with the arguments of that script: requirements (``pip==24.2``)
and the options --no-setuptools and --no-wheel, which have no meaning here.
"""

from __future__ import annotations

import ensurepip
import os
import subprocess
import sys

# The pip that Python bundles may trust only its own certificates; a network's proxy is added to the system's.
CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


def main() -> int:
    """Install pip from the interpreter's own copy, then what the command line asks for; return pip's exit code."""
    ensurepip.bootstrap()
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
    certificates = next((["--cert", path] for path in CERTIFICATES if os.path.exists(path)), [])
    return subprocess.call([sys.executable, "-m", "pip", "install", "-q", *certificates, *arguments])


if __name__ == "__main__":
    sys.exit(main())
