# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by text: what YAML and JSON allow, what Go reads differently, what is not a document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from support.configs.kubelet import KUBELET_HEADER

from .case import Case, document

__all__ = ["by_text"]

_BASE = "cgroupsPerQOS: false\nenforceNodeAllocatable: []\n"
_ALL = KUBELET_HEADER + _BASE
_JSON = json.dumps(document({}))


def _with(**pieces: str) -> dict[str, str]:
    """Return whole configs from further lines."""
    return {name.replace("_", " "): f"{_ALL}{piece}\n" for name, piece in pieces.items()}


def _json_with(text: str) -> str:
    """Return the config as JSON, with further text before its end."""
    return f"{_JSON[:-1]}, {text}}}"


# The value of maxPods as plain text: what Go's YAML 1.1 makes of a number.
_NUMBERS = (
    *("0x6e", "0o156", "0156", "1_10", "1e2", "110.0", "1.5", "+110", "0b1101110", "1:50", "~", "0xG", "1e400", ".inf"),
    *(
        ".nan",
        "-0",
        "1e1_0",
        "99999999999999999999",
        "1.1e2",
        "110.",
        ".5e1",
        "0x80000000",
        "08",
        "0_0",
        "- 110",
        "1e2.0",
    ),
    *('!!int "110"', "!!str 110", "!!float 110", "!other 110", "! 110", "!!int 1.5", "&here 110", "*gone", "<<", "="),
)
# The value of rotateCertificates.
_SWITCHES = (
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "N",
    "TRUE",
    "tRue",
    "yEs",
    "t",
    "0",
    "'true'",
    "!!bool yes",
    "!!bool 'true'",
    "null",
)
# The value of clusterDomain, a string.
_STRINGS = (
    "2001-01-01",
    "2001-01-01T00:00:00Z",
    "12",
    "1:30",
    "no",
    "~",
    "''",
    "1.0",
    "0x",
    "a: b",
    "@a",
    "%a",
    "|\n  a",
    ">-\n  a",
    "[a",
    "a # b",
    "a#b",
    "'it''s'",
    '"\\x41"',
    '"\\q"',
    "`a",
    "!!binary YQ==",
    "!!str",
    "- a",
    "? a",
    "{}",
)
_PIECES: Mapping[str, str] = {
    **_with(
        duplicate="maxPods: 10\nmaxPods: 20",
        duplicate_of_another_type="maxPods: 10\nmaxPods: ten",
        duplicate_with_good_last="maxPods: ten\nmaxPods: 10",
        duplicate_below="authentication:\n  webhook: {enabled: true}\n  webhook: {enabled: false}",
        duplicate_kind="kind: KubeletConfiguration",
        duplicate_wrong_kind="kind: Pod",
        duplicate_in_a_map="evictionHard: {memory.available: 1Gi, memory.available: 2Gi}",
        unknown="nobody: 1",
        unknown_deep="nobody: {a: [{b: {c: 1}}]}",
        unknown_null="nobody: ~",
        unknown_duplicate="nobody: 1\nnobody: 2",
        other_case="MaxPods: many",
        upper_case="MAXPODS: -1",
        later_field="memorySwap: {swapBehavior: LimitedSwap}",
        later_field_of_a_wrong_type="registerNode: never",
        gone_gate_and_unknown="nobody: 1\nfeatureGates: {Nobody: true}",
        no_space="maxPods:110",
        tab_before="\tmaxPods: 110",
        tab_after="maxPods:\t110",
        tab_comment="maxPods: 110\t# many",
        quoted_key='"maxPods": 110',
        empty_key='"": 1',
        null_key="~: 1",
        number_key="1: 1",
        true_key="featureGates: {yes: true}",
        float_key="featureGates: {1.5: true}",
        complex_key="? [a, b]\n: 1",
        explicit_key="? maxPods\n: 110",
        map_key="{a: b}: 1",
        merge="base: &base {maxPods: 110}\n<<: *base",
        merge_plain="<<: {maxPods: 110}",
        merge_bad="<<: {maxPods: -1}",
        merge_scalar="<<: 5",
        merge_list="<<: [{maxPods: 110}, {maxPods: -1}]",
        merge_below="authentication: {<<: {webhook: {enabled: true}}}",
        alias="evictionHard: &them {memory.available: 1Gi}\nevictionMinimumReclaim: *them",
        alias_to_itself="nobody: &it [*it]",
        alias_of_a_number="maxPods: &it 110\npodsPerCore: *it",
        carriage_returns="maxPods: 110\r\npodsPerCore: 1\r",
        bad_indent="authentication:\n  webhook:\n  enabled: true\n   cacheTTL: 1s",
        end_mark="...",
        second_document="---\nmaxPods: -1",
        second_garbage="---\n{{{",
        text_after_the_end="...\ngarbage: [",
        flow="systemReserved: {cpu: 1, memory: 1Gi}",
        quantities_in_quotes="systemReserved: {cpu: '1', memory: 1Gi}",
        flow_open="systemReserved: {cpu: '1'",
        flow_comma="systemReserved: {cpu: '1',}",
        colon_in_plain="staticPodURL: http://127.0.0.1:1/pods",
        percent="evictionHard:\n  memory.available: 5%",
        long_list="clusterDNS:\n- 10.0.0.1\n- 10.0.0.2",
        list_dedent="clusterDNS:\n - 10.0.0.1\n- 10.0.0.2",
        not_ascii="clusterDomain: zürich",
        escaped='clusterDomain: "\\u007a\\u00fcrich"',
        half_pair='clusterDomain: "\\ud83d"',
        zero_character="clusterDomain: a\0b",
        bell="clusterDomain: a\x07b",
        next_line="clusterDomain: a\x85b",
        not_utf8="clusterDomain: a\udcffb",
        empty_list_item="clusterDNS:\n-\n- 10.0.0.1",
        deep="nobody: " + "[" * 40 + "]" * 40,
        depth_70="nobody: " + "[" * 70 + "]" * 70,
        many="nobody:\n" + "- 1\n" * 21_000,
        bomb="a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefg", "bcdefgh")),
        large="# " + "x" * (1024 * 1024),
        time_in_a_map="systemReserved: {cpu: 2001-01-01}",
        set_tag="nobody: !!set {a, b}",
        ordered_tag="nobody: !!omap [a: b]",
        custom_tag="authentication: !auth {webhook: {enabled: true}}",
        python_tag="nobody: !!python/none",
    ),
    "empty": "",
    "blank": "\n\n",
    "comment": "# nothing\n",
    "marks": "---\n...\n",
    "list": "- a\n",
    "scalar": "kubelet\n",
    "null": "~\n",
    "number": "5\n",
    "no kind": "apiVersion: kubelet.config.k8s.io/v1beta1\n",
    "no version": "kind: KubeletConfiguration\n",
    "null kind": f"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: ~\n{_BASE}",
    "other kind": f"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeProxyConfiguration\n{_BASE}",
    "lower kind": f"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: kubeletConfiguration\n{_BASE}",
    "other version": f"apiVersion: kubelet.config.k8s.io/v1alpha1\nkind: KubeletConfiguration\n{_BASE}",
    "internal version": f"apiVersion: kubelet.config.k8s.io/__internal\nkind: KubeletConfiguration\n{_BASE}",
    "number version": f"apiVersion: 1\nkind: KubeletConfiguration\n{_BASE}",
    "group alone": f"apiVersion: kubelet.config.k8s.io\nkind: KubeletConfiguration\n{_BASE}",
    "stored source": "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: SerializedNodeConfigSource\n",
    "document mark": f"---\n{_ALL}",
    "empty document first": f"---\n---\n{_ALL}",
    "comment document first": f"# a\n---\n{_ALL}",
    "two configs": f"{_ALL}---\n{_ALL}maxPods: -1\n",
    "version directive": f"%YAML 1.1\n---\n{_ALL}",
    "later version directive": f"%YAML 1.2\n---\n{_ALL}",
    "unknown directive": f"%NOBODY 1\n---\n{_ALL}",
    "byte order mark": f"\ufeff{_ALL}",
    "indented": "".join(f"  {line}\n" for line in _ALL.splitlines()),
    "JSON": _JSON,
    "JSON after blanks": f"\n\n  {_JSON}",
    "JSON after a comment": f"# a\n{_JSON}",
    "JSON after a mark": f"--- {_JSON}",
    "JSON lines": json.dumps(document({"maxPods": 10}), indent=1),
    "JSON trailing comma": f"{_JSON[:-1]},}}",
    "JSON comment": f"{_JSON[:-1]} # a\n}}",
    "JSON twice": f"{_JSON}\n{_JSON}",
    "JSON and garbage": f"{_JSON} garbage",
    "JSON and a YAML document": f"{_JSON}\n---\nmaxPods: -1\n",
    "JSON cut": _JSON[:-1],
    "JSON list": f"[{_JSON}]",
    "JSON single quotes": _JSON.replace('"', "'"),
    "JSON plain keys": _JSON.replace('"kind"', "kind"),
    **{
        f"JSON with {text}": _json_with(text)
        for text in (
            '"maxPods": 110.0',
            '"maxPods": 1.1e2',
            '"maxPods": "110"',
            '"maxPods": 0110',
            '"maxPods": -0',
            '"maxPods": null',
            '"maxPods": 1e2',
            '"maxPods": +1',
            '"maxPods": 10, "maxPods": 20',
            '"maxPods": 10, "maxPods": "x"',
            '"nobody": 1',
            '"MaxPods": -1',
            '"syncFrequency": null',
            '"syncFrequency": 5',
            '"cpuCFSQuotaPeriod": null',
            '"clusterDomain": "\\ud83d"',
            '"clusterDomain": "\\x41"',
            '"clusterDomain": "a\tb"',
            '"rotateCertificates": yes',
            '"rotateCertificates": True',
            '"maxPods": NaN',
            '"nobody": 1e400',
            '"maxPods": 99999999999999999999',
            '"featureGates": {"TopologyManager": null}',
            '"clusterDNS": [null]',
            '"clusterDNS": null',
            '"authentication": null',
            '"": 1',
            '"a": {"b": [1, 2, {"c": null}]}',
        )
    },
}


def by_text() -> Iterator[Case]:
    """Return a case for each text."""
    for name, text in _PIECES.items():
        yield Case(f"text {name}", text)
    for field, values in (("maxPods", _NUMBERS), ("rotateCertificates", _SWITCHES), ("clusterDomain", _STRINGS)):
        for value in values:
            yield Case(f"text {field}: {value}", f"{_ALL}{field}: {value}\n")
