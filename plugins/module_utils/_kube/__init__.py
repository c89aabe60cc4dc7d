# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Kubernetes API for both sides, on urllib3. Private to configok.node: no compatibility is promised.

Nothing is imported here, so that what needs only an error or a path stays cheap.
"""
