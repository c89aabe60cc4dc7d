# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the fields of a kubelet config that one version accepts and another refuses, as JSON; {} if there are none.

refused_config.py ACCEPTING REFUSING      two versions of Kubernetes
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from support.configs.refused_fields import refused_fields

if __name__ == "__main__":
    print(json.dumps(refused_fields(sys.argv[2], accepted_by=sys.argv[1])))
