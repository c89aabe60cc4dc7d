# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the providers' roles do on a host: packages, files, the kubelet's start, and the reset.

Runs on the host, with the standard library alone. Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from ._apt import Apt
from ._archives import Archive, Archives, full_version
from ._dnf import Dnf
from ._files import Changes
from ._host_access import Host, HostError
from ._package_manager import HostFile, PackageManager
from ._packages import WantedPackage, WantedPackages
from ._steps import FileFields, MachineHost, StartOptions

__all__ = [
    "Apt",
    "Archive",
    "Archives",
    "Changes",
    "Dnf",
    "FileFields",
    "Host",
    "HostError",
    "HostFile",
    "MachineHost",
    "PackageManager",
    "StartOptions",
    "WantedPackage",
    "WantedPackages",
    "full_version",
]
