# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One control plane for all tests of this folder: it takes half a minute to make."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.machines import ControlPlane, Testbed, Unavailable
from support.session.unavailable import leave_out


@pytest.fixture(scope="package")
def control_plane() -> Iterator[ControlPlane]:
    try:
        with Testbed.start("static-pods", prepare_cluster=False) as bed:
            yield ControlPlane(bed)
    except Unavailable as problem:
        leave_out(problem)
