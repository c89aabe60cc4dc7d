# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives up the capabilities of this process, before it starts a program that is not the agent's."""

from __future__ import annotations

import ctypes
import os

_NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS of prctl(2)
_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 of capset(2): two sets of three words of 32 bits


def give_up_capabilities() -> None:
    """Keep this process, and all that it starts, from using any capability. That is final. Raises OSError.

    A program that root starts gets the capabilities of the bounding set again, unless it can have no new privileges:
    capabilities(7). What the user root owns stays readable.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header, nothing = (ctypes.c_uint32 * 2)(_VERSION, 0), (ctypes.c_uint32 * 6)()
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.capset(header, nothing):
        number = ctypes.get_errno()
        raise OSError(number, f"capabilities cannot be given up: {os.strerror(number)}")
