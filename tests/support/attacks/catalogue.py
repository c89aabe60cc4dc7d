# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The attacks that are tried, by what the attacker has, and the layers that each is tried against."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

__all__ = ["ATTACKS", "LAYERS", "PATHS", "Attack", "Layer", "Path", "attack_named"]

Layer = Literal[
    "signatures",
    "audience",
    "admission",
    "deny by kind",
    "split roles",
    "sanitizing",
    "checks",
    "inventory",
    "allowed tokens",
    "NodeRestriction",
]
LAYERS: tuple[Layer, ...] = get_args(Layer)

Path = Literal["nodes", "bundles", "runner", "signers", "clusters", "content", "node", "inventory", "pool files"]
PATHS: tuple[Path, ...] = get_args(Path)


class Attack(NamedTuple):
    """An attack. stopped_by: layers that stop it. not_stopped_by: layers that are shown not to."""

    name: str
    path: Path
    stopped_by: tuple[Layer, ...]
    not_stopped_by: tuple[Layer, ...] = ()


_SIGNED: tuple[Layer, ...] = ("signatures",)
_AUDIENCE: tuple[Layer, ...] = ("audience",)
_ADMITTED: tuple[Layer, ...] = ("admission",)
_SHOWN: tuple[Layer, ...] = ("sanitizing",)
_CHECKED: tuple[Layer, ...] = ("checks",)

ATTACKS: tuple[Attack, ...] = (
    # patch nodes/status, and nothing else
    Attack("replay of an old bundle by patch nodes/status", "nodes", ("signatures", "admission")),
    Attack("replay of a bundle that is not below the floor", "nodes", ("admission",), _SIGNED),
    Attack("another pool's bundle", "nodes", ("signatures", "admission")),
    Attack("removal of the assignment", "nodes", ("admission",), _SIGNED),
    Attack("forgetBad for a bundle that the node has marked bad", "nodes", ("admission",), _SIGNED),
    Attack("forgetBad for a bundle below the floor", "nodes", _SIGNED),
    Attack("ConfigOK of any node by patch nodes/status", "nodes", _ADMITTED),
    Attack("an assignment by patch nodes, such as an administrator has", "nodes", _ADMITTED),
    # create configmaps in configok-system as well
    Attack("foreign bundle: its creator is not a publisher", "bundles", ("signatures", "admission")),
    Attack("unsigned bundle of a publisher", "bundles", _SIGNED, _ADMITTED),
    Attack("statement without signatures", "bundles", _SIGNED),
    Attack("signed by a key that no node trusts", "bundles", _SIGNED),
    Attack("signature of another SSHSIG namespace", "bundles", _SIGNED),
    Attack("statement of another bundle", "bundles", _SIGNED),
    Attack("tampered statement", "bundles", _SIGNED),
    Attack("signed for another pool", "bundles", _SIGNED),
    Attack("below the floor: an old statement on a new object", "bundles", _SIGNED),
    # the credential of a runner, a publisher or an assigner
    Attack("a runner of one pool assigns to a Node of another", "runner", _ADMITTED),
    Attack("a runner relabels and taints a Node", "runner", _ADMITTED),
    Attack("a publisher of one pool publishes for another", "runner", _ADMITTED),
    Attack("one stolen credential publishes and assigns", "runner", ("split roles",)),
    # a key or a certificate of a signer
    Attack("revoked key", "signers", _SIGNED),
    Attack("certificate of a revoked authority", "signers", _SIGNED),
    Attack("certificate of a revoked key", "signers", _SIGNED),
    Attack("expired certificate", "signers", _SIGNED),
    Attack("certificate for another pool", "signers", _SIGNED),
    Attack("certificate of a host", "signers", _SIGNED),
    Attack("certificate with an unknown critical option", "signers", _SIGNED),
    Attack("threshold not met: one signer of two", "signers", _SIGNED),
    Attack("threshold not met: one key signs twice", "signers", _SIGNED),
    Attack("threshold not met: one person has two certificates", "signers", _SIGNED),
    Attack("notAfter has passed", "signers", _SIGNED),
    # what was signed for another cluster that trusts the same keys
    Attack("signed for another cluster", "clusters", _AUDIENCE),
    Attack("signed for no cluster", "clusters", _AUDIENCE),
    # what a bundle holds, whatever its signatures
    Attack("a field that is root on the node", "content", ("deny by kind",)),
    Attack("the same field for a second kubelet unit of another name", "content", ("deny by kind",)),
    Attack("a kind that has no deny list", "content", ("deny by kind",)),
    Attack("options that make an API server trust another identity, address or file", "content", ("deny by kind",)),
    Attack("escape sequences in a bundle: the journal", "content", _SHOWN),
    Attack("escape sequences in a bundle: status on the node", "content", _SHOWN),
    Attack("escape sequences in a bundle: the condition", "content", _SHOWN),
    # the identity of one node
    Attack("escape sequences in a node's status: terminal", "node", _SHOWN),
    Attack("escape sequences in a node's status: report", "node", _SHOWN),
    Attack("a number of 4,400 digits in a node's status", "node", _CHECKED),
    Attack("wrong types in a node's status", "node", _CHECKED),
    Attack("a list of 5,000 items in a node's status", "node", _CHECKED),
    Attack("ConfigOK True for another bundle", "node", _CHECKED),
    Attack("ConfigOK True for an earlier assignment", "node", _CHECKED),
    Attack("ConfigOK of another node", "node", ("NodeRestriction",)),
    Attack("a node assigns another bundle to itself", "node", _ADMITTED),
    # the identity of one node, and an inventory that has other hosts
    Attack("a node reports the name of a host of another source", "inventory", ("inventory",)),
    Attack("a node has the name of a host of another source", "inventory", ("inventory",)),
    # a pool file, in a job with the tokens of others
    Attack("a gate sends the variable of another team to its author's server", "pool files", ("allowed tokens",)),
    Attack("a gate sends a file of another team to its author's server", "pool files", ("allowed tokens",)),
)


def attack_named(name: str) -> Attack:
    """Return the attack of this name. Raises KeyError."""
    for attack in ATTACKS:
        if attack.name == name:
            return attack
    raise KeyError(f"{name} is not an attack of tests/support/attacks/catalogue.py")
