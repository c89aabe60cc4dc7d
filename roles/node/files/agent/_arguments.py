# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of the commands on config files. They are loaded with every command, so they import nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "OF_ADDRESSES",
    "OF_CONVERT",
    "OF_DIFF",
    "OF_EXPLAIN",
    "OF_MIGRATE",
    "OF_RELEASE_DATA",
    "OF_RENDER",
    "OF_SAME",
    "OF_VALIDATE",
    "OF_VALIDATE_DOCUMENT",
    "VERSION",
    "Argument",
    "argument",
]

Argument = tuple[Sequence[str], dict[str, Any]]
"""What add_argument takes: names and settings."""


def argument(*names: str, **settings: Any) -> Argument:
    """Return an argument's names and settings."""
    return names, settings


VERSION = "--kubernetes-version"
"""The option of a Kubernetes version, which commands name in messages."""
_FORMATS = ("text", "json", "github", "junit", "sarif")
_SYSTEMS = ("linux", "windows")
_LEVELS = ("component", "policy", "not-judged", "warning", "never")
_LIMITED = argument(
    "--limited", action="store_true", help="with little memory, CPU time and files, as the agent does it"
)
_VERSIONS = argument(
    VERSION,
    action="append",
    default=[],
    dest="versions",
    metavar="VERSION,...",
    help="the Kubernetes versions that are to read it; may be repeated (default: the newest)",
)
_FLAGS_FILE = argument(
    "--flags-file", default="", metavar="FILE", help="its flags: a command line, or an environment file"
)
_RELEASE_DATA = argument(
    "--release-data",
    action="append",
    default=[],
    metavar="FILE",
    help="what release-data has written of a release that this version does not know; may be repeated",
)
OF_VALIDATE = (
    argument("files", metavar="FILE", nargs="*", help="a file, a directory with files, or - for standard input"),
    _VERSIONS,
    argument("--output", choices=_FORMATS, default="text", help="the format (default: text)"),
    argument(
        "--json", action="store_const", const="findings", dest="output", help="print only a list of findings as JSON"
    ),
    argument("--fail-on", choices=_LEVELS, default="policy", help="the mildest finding that fails (default: policy)"),
    argument("-v", "--verbose", action="store_true", help="show each place that was not judged"),
    argument("--skip-unknown", action="store_true", help="skip named files that hold no component config, too"),
    argument("--allow-empty", action="store_true", help="exit with 0 if there is nothing to validate, not with 4"),
    argument("--drop-ins", default="", metavar="DIR", help="a kubelet's --config-dir, judged as it merges it"),
    argument("--base", default="", metavar="FILE", help="the kubelet's own file below --drop-ins"),
    argument("--component", default="", help="the component that will read it (default: by its kind)"),
    argument("--feature-gates", default="", metavar="NAME=BOOL,...", help="those of its command line"),
    _FLAGS_FILE,
    argument("--os", choices=_SYSTEMS, default="linux", help="the operating system of the nodes (default: linux)"),
    argument("--installed-version", action="store_true", help="validate for the version of the component on this node"),
    argument(
        "--bundle",
        action="store_true",
        help="validate it as part of a bundle: what must not be shared, and what this node denies",
    ),
    argument(
        "--on-node",
        action="store_true",
        help="validate it as a bundle for this node: with its instance config, the component's flags, the host",
    ),
    argument("--only-host", action="store_true", help="the same, but look at the host alone"),
    _LIMITED,
    _RELEASE_DATA,
)
OF_DIFF = (
    argument("files", metavar="FILE", nargs="+", help="one file with --from-version, else two; - is standard input"),
    argument("--json", action="store_true", help="for machines: a list of changes; an object for one file"),
    argument(VERSION, default="", dest="version", metavar="VERSION", help="whose defaults hold (default: the newest)"),
    argument("--from-version", default="", metavar="VERSION", help="the version before"),
    argument("--to-version", default="", metavar="VERSION", help="the version after (default: the newest)"),
    _FLAGS_FILE,
    _RELEASE_DATA,
)
OF_VALIDATE_DOCUMENT = (
    argument("--only-host", action="store_true", help="look at the host alone: the document was validated before"),
    _LIMITED,
    argument(
        VERSION, default="", dest="version", metavar="VERSION", help="of the component (default: whichever it is)"
    ),
)
OF_SAME = (
    argument("files", metavar="FILE", nargs=2, help="- is standard input"),
    argument(
        VERSION, default="", dest="version", metavar="VERSION", help="of the component (default: whichever it is)"
    ),
)
OF_ADDRESSES = (
    argument("file", metavar="FILE", help="the file that the kubelet reads"),
    _LIMITED,
    argument(VERSION, default="", dest="version", metavar="VERSION", help="of the kubelet (default: the newest)"),
)
OF_EXPLAIN = (
    argument("words", metavar="FIELD", nargs="+", help="a path; the first may be a component or a kind"),
    argument("--json", action="store_true", help="for machines: heading and facts"),
    argument("--kind", default="", help="a component or a kind (default kubelet)"),
    argument(VERSION, default="", dest="version", metavar="VERSION", help="whose kind is meant (default: the newest)"),
    _RELEASE_DATA,
)
OF_CONVERT = (
    argument("file", metavar="FILE", help="- is standard input"),
    argument("--to-version", required=True, metavar="APIVERSION", help="for example v1 or kubeadm.k8s.io/v1beta4"),
    _VERSIONS,
    argument("--allow-loss", action="store_true", help="accept that some values cannot be kept"),
    argument("--dest", default="", metavar="FILE", help="write to this file, and do not print it"),
    argument("--json", action="store_true", help="for machines: text, documents, losses, lines"),
)
OF_MIGRATE = (
    argument("component", metavar="COMPONENT"),
    argument("flags", metavar="FLAG", nargs="*", help="instead of those that it runs with: -- FLAG ..."),
    _FLAGS_FILE,
    argument("--present-config", default="", metavar="FILE", help="a copy of the file that its --config names"),
    argument("--json", action="store_true", help="for machines: config, flags, what goes, findings"),
    argument(
        VERSION, default="", dest="version", metavar="VERSION", help="that is to read it (default: the installed one)"
    ),
)
OF_RENDER = (
    argument("manifest", metavar="MANIFEST", help="the component's manifest as kubeadm or another tool wrote it"),
    argument("options", metavar="OPTIONS", nargs="+", help="ComponentOptions; of several, each is laid over the last"),
    argument(
        "--host-path",
        action="append",
        default=[],
        metavar="DIR",
        help="a directory that may be mounted, with :write behind it to be written to; may be repeated",
    ),
    argument("--json", action="store_true", help="for machines: manifest, options_hash, directory, files"),
    argument(
        VERSION, default="", dest="version", metavar="VERSION", help="of the component (default: that of the image)"
    ),
)
OF_RELEASE_DATA = (
    argument("action", nargs="?", choices=("derive", "accept"), default="derive", help="default: derive"),
    argument("file", metavar="FILE", nargs="?", default="", help="the file to accept"),
    argument("--binary", action="append", default=[], metavar="PATH", help="a component's program; may be repeated"),
    argument("--sha256", action="append", default=[], metavar="HEX", help="the SHA-256 of each, in the same order"),
    argument("--gate", action="append", default=[], metavar="NAME", help="a gate to ask for; may be repeated"),
    argument("--metrics", default="", metavar="FILE", help="/metrics of a running component, for a draft"),
    argument("--configz", default="", metavar="FILE", help="/configz of a kubelet with an empty config, for a draft"),
    argument(VERSION, default="", dest="version", metavar="VERSION", help="of the running component"),
    argument("--dest", default="", metavar="FILE", help="write to this file, and do not print it"),
    argument("--accept", default="", metavar="HASH", help="accept the difference that has this hash"),
    argument("--by", default="", metavar="NAME", help="the name of the person that accepts it (default: the user)"),
)
