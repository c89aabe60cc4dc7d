# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data to YAML that a component reads back as the same data.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .._values._scalars import resolve

__all__ = ["encode", "encode_all"]


# PyYAML writes some line breaks of Unicode as they are, and then nobody reads them back.
_UNPRINTABLE = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


@lru_cache(maxsize=1)
def _dumper() -> Any:
    import yaml  # not at the top: reading costs less without it

    class Dumper(yaml.SafeDumper):
        """Writes plain block style, in the order of the data, without aliases."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
            return super().increase_indent(flow, False)

    def string(dumper: Any, value: str) -> Any:
        style = None
        if _UNPRINTABLE.search(value):
            style = '"'
        elif "\n" not in value and not isinstance(resolve(value), str):
            style = "'"  # PyYAML leaves `y` and `1e3` without quotes; Kubernetes would read a boolean and a number
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, string)
    return Dumper


def encode(data: Any) -> str:
    """YAML text of decoded data, keys in their order; `decode` and Kubernetes read the same data from it.

    Raises ValueError for what is no decoded data (a set, an object of Python).
    """
    import yaml

    try:
        text = yaml.dump(
            data, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=1000, default_flow_style=False
        )
    except yaml.YAMLError as error:
        raise ValueError(f"cannot be written as YAML: {error}") from error
    return str(text)


def encode_all(documents: Sequence[Any]) -> str:
    """YAML text of several documents, one behind the other; raises ValueError like `encode`."""
    return "---\n".join(encode(data) for data in documents)
