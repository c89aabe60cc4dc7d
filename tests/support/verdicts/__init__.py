# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdicts of upstream's own validation, recorded for each minor, compared with the engine's.

recorded: the files and their verdicts. comparison: where the engine disagrees. explained: the disagreements that have
a reason. A release is added by a file in data/.
"""
