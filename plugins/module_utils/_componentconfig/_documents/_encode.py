# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data to YAML that a component reads back as the same data.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .._values._errors import ComponentConfigError
from .._values._scalars import resolve

__all__ = ["encode", "encode_all"]


# PyYAML writes some line breaks of Unicode as they are, and then nobody reads them back. Compiled when first used: that
# takes as long as importing all of this folder.
_UNPRINTABLE = "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"


# PyYAML looks at each character of a text several times, a second for each MB. What is longer is written in quotes, as
# JSON has it.
_LONG = 1000
_WORD = "[A-Za-z0-9_/][A-Za-z0-9_./-]*"


def _quoted(text: str) -> str:
    return re.sub(_UNPRINTABLE, lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _known_analysis(text: str) -> Any:
    """What PyYAML would find out of a word, or is to know of a text that is written in quotes; None for others."""
    from yaml.emitter import ScalarAnalysis

    if len(text) > _LONG:
        return ScalarAnalysis(text, False, False, False, False, False, True, False)
    return ScalarAnalysis(text, False, False, True, True, True, True, True) if re.fullmatch(_WORD, text) else None


@lru_cache(maxsize=1)
def _dumper() -> Any:
    import yaml  # not at the top: reading costs less without it

    class Dumper(yaml.SafeDumper):
        """Writes plain block style, in the order of the data, without aliases."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

        def analyze_scalar(self, scalar: str) -> Any:
            return _known_analysis(scalar) or super().analyze_scalar(scalar)

        def write_double_quoted(self, text: str, split: bool = True) -> None:
            if len(text) > _LONG:
                self.write_indicator(_quoted(text), True)
            else:
                super().write_double_quoted(text, split)

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
            return super().increase_indent(flow, False)

    def string(dumper: Any, value: str) -> Any:
        style = None
        if len(value) > _LONG or re.search(_UNPRINTABLE, value):
            style = '"'
        elif "\n" not in value and not isinstance(resolve(value), str):
            style = "'"  # PyYAML leaves `y` and `1e3` without quotes; Kubernetes would read a boolean and a number
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, string)
    return Dumper


def encode(data: Any) -> str:
    """YAML text of decoded data, keys in their order; `decode` and Kubernetes read the same data from it.

    Raises ComponentConfigError for what is no decoded data (a set, an object of Python).
    """
    import yaml

    try:
        text = yaml.dump(
            data, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=1000, default_flow_style=False
        )
    except yaml.YAMLError as error:
        raise ComponentConfigError(f"cannot be written as YAML: {error}") from error
    return str(text)


def encode_all(documents: Sequence[Any]) -> str:
    """YAML text of several documents, one behind the other; raises ComponentConfigError like `encode`."""
    return "---\n".join(encode(data) for data in documents)
