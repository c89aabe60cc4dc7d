# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Components that the kubelet runs from manifests: read a manifest, apply options to it, and tell who has changed it.

Pure: bytes in, bytes out. Private to configok.node: no compatibility is promised.
"""
