# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags in the text of a file."""

from __future__ import annotations

import time

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.flags_text import parse_flags_text

KUBESPRAY = """\
KUBE_LOGTOSTDERR="--logtostderr=true"
KUBE_LOG_LEVEL="--v=2"
KUBELET_ADDRESS="--node-ip=192.0.2.11"
KUBELET_ARGS="--config=/etc/kubernetes/kubelet-config.yaml \\
--kubeconfig=/etc/kubernetes/kubelet.conf \\
 "
KUBELET_CLOUDPROVIDER=""

PATH=/usr/local/sbin:/usr/local/bin
"""
ARGS_FILE = """\
# the kubelet's flags; don't edit
--kubeconfig=${SNAP_DATA}/credentials/kubelet.config
--anonymous-auth=false   # no anonymous requests

--node-ip=$(hostname -I | cut -d' ' -f1)
"""


@pytest.mark.parametrize(
    ("text", "words", "others"),
    [
        ("", [], []),
        ("# none\n", [], []),
        ("--v=2 --node-labels=a=b,c=d\n", ["--v=2", "--node-labels=a=b,c=d"], []),
        ("/usr/bin/kubelet \\\n  --v 2 \\\n  --max-pods=60\n", ["--v", "2", "--max-pods=60"], []),
        ("--feature-gates A=true --v=2", ["--feature-gates", "A=true", "--v=2"], []),
        ("--node-labels=a#b # c\n", ["--node-labels=a#b"], []),
        (
            KUBESPRAY,
            [
                "--logtostderr=true",
                "--v=2",
                "--node-ip=192.0.2.11",
                "--config=/etc/kubernetes/kubelet-config.yaml",
                "--kubeconfig=/etc/kubernetes/kubelet.conf",
            ],
            ["PATH"],
        ),
        ('DAEMON_ARGS="--max-pods=110"\nHOME="/root"\n', ["--max-pods=110"], ["HOME"]),
        ("KUBELET_ARGS=--v=2 --max-pods=5\n", ["--v=2", "--max-pods=5"], []),
        ("export KUBELET_ARGS='--v=2'\r\nexport A=b C=d\r\n", ["--v=2"], ["A", "C"]),
        ("HTTPS_PROXY=http://p:1\nNO_PROXY=a,.b\nGOGC=-1\nGOFLAGS=-mod=vendor\n", [], [
            "HTTPS_PROXY", "NO_PROXY", "GOGC", "GOFLAGS",
        ]),
        ("KUBE_LOGTOSTDERR=true\nMOTD=\"don't\"\n; a comment\n", [], ["KUBE_LOGTOSTDERR", "MOTD"]),
        ("KUBELET_ARGS=--v=1\nKUBELET_ARGS=--v=2\n", ["--v=2"], []),
        ("\ufeffKUBELET_ARGS=--v=1\n", ["--v=1"], []),
        ("PATH=$PATH:/x\nNODE_IP=$(hostname -i)\nKUBELET_ARGS=$OTHER\n", ["$OTHER"], ["PATH", "NODE_IP"]),
        ('KUBELET_ARGS="${A} --v=2"\n', ["${A}", "--v=2"], []),
        ("ExecStart=-/usr/bin/kubelet --v=2 $KUBELET_ARGS\n", ["--v=2", "$KUBELET_ARGS"], []),
        ('[Service]\nEnvironment="KUBELET_EXTRA_ARGS=--node-ip=192.0.2.7"\n', ["--node-ip=192.0.2.7"], []),
        (
            ARGS_FILE,
            [
                "--kubeconfig=${SNAP_DATA}/credentials/kubelet.config",
                "--anonymous-auth=false",
                "--node-ip=$(hostname -I | cut -d' ' -f1)",
            ],
            [],
        ),
        ("--node-ip={{ ip | default('a') }}\n{% if x %}\n--v=2\n{% endif %}\n", [
            "--node-ip={{ ip | default('a') }}", "{% if x %}", "--v=2", "{% endif %}",
        ], []),
        ("ARGS=\"--eviction-hard='memory.available<5%'\"\n", ["--eviction-hard=memory.available<5%"], []),
        # what the component refuses is not left out
        ('KUBELET_ARGS="---v=2"\nEXTRA_ARGS="-max-pods=3"\n', ["---v=2", "-max-pods=3"], []),
        ('KUBELET_ARGS="max-pods=3 --v=2"\n', ["max-pods=3", "--v=2"], []),
    ],
)  # fmt: skip
def test_only_words_that_are_flags_are_flags(text: str, words: list[str], others: list[str]) -> None:
    assert parse_flags_text(text) == (tuple(words), tuple(others))


@pytest.mark.parametrize("text", ["--a='b", 'KUBELET_ARGS="--v=2', 'KUBELET_ARGS="--a=\'b"'])
def test_an_open_quotation_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError, match="no closing quotation"):
        parse_flags_text(text)


@pytest.mark.parametrize("piece", ["a", "A=b\n", "'", '"--', "\\", "${", "{{", "$(", "# ", "\n"])
def test_hostile_text_takes_no_time(piece: str) -> None:
    began = time.monotonic()
    try:
        parse_flags_text(piece * 50_000)
    except ConfigError:
        pass
    assert time.monotonic() - began < 15
