# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet under attack, with its signers and its attackers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import NAMESPACE_BUNDLES
from support.api.servers import Real
from support.attacks.catalogue import Layer
from support.attacks.fleet import Answer, Fleet
from support.attacks.identities import CREATE_BUNDLES, PATCH_NODE_STATUS, grant
from support.attacks.recorder import Attempt, Recorder
from support.configs.kubelet import KUBELET_HEADER
from support.trust.signing import Key, make_key, signed, trust_section

__all__ = ["ALL", "GUARDED", "OPEN", "TWO", "Signers", "World", "start_world"]

OPEN = ("open-1", "open-2")
GUARDED = ("guarded-1", "guarded-2")
ALL = OPEN + GUARDED
TWO = (OPEN[0], GUARDED[0])
Sides = tuple[Sequence[str], Sequence[str]]
_NUMBERS = itertools.count(20)


class Signers:
    """The keys of the nodes' policy, and others."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.alice = make_key(directory, "alice")
        self.bob = make_key(directory, "bob")
        self.carol = make_key(directory, "carol")  # revoked
        self.dave = make_key(directory, "dave")  # revoked, and has only certificates
        self.stranger = make_key(directory, "stranger")
        self.authority = make_key(directory, "authority")
        self.former_authority = make_key(directory, "former-authority")  # revoked

    def policy(self) -> dict[str, Any]:
        """Return the section trust of the guarded nodes."""
        return trust_section(
            keys=[self.alice, self.bob, self.carol],
            authorities=[self.authority, self.former_authority],
            revoked=[self.carol.fingerprint, self.dave.fingerprint, self.former_authority.fingerprint],
        )


class World:
    """The fleet, its signers, and two attackers. sequence, floor: of the last bundle that was rolled out."""

    def __init__(self, fleet: Fleet, signers: Signers) -> None:
        self.fleet = fleet
        self.signers = signers
        self.sequence = 10
        self.floor = 5
        # What many CNI daemonsets may do.
        self.daemonset: Client = grant(fleet.api, "daemonset", [PATCH_NODE_STATUS])
        self.intruder: Client = grant(fleet.api, "intruder", [PATCH_NODE_STATUS])
        grant(fleet.api, "intruder", [CREATE_BUNDLES], namespace=NAMESPACE_BUNDLES).close()

    def bundle(self, extra: str = "", *, pool: str = "workers", crashes: int = 2) -> dict[str, Any]:
        """Return a bundle with content of its own, not signed.

        extra: more lines of the kubelet's config. crashes: how many it may have in its trial.
        """
        document = f"{KUBELET_HEADER}maxPods: {next(_NUMBERS)}\n{extra}"
        return build_bundle(pool, {"kubelet": document}, trial=Trial(0.2, crashes))

    def next_sequence(self) -> int:
        """Return the next sequence of the pool."""
        self.sequence += 1
        return self.sequence

    def signed(self, bundle: Mapping[str, Any], keys: Sequence[Key] = (), **statement: Any) -> dict[str, Any]:
        """Return the bundle, signed by alice or by these keys, with the next sequence and the present floor."""
        statement = {"sequence": self.next_sequence(), "floor": self.floor, **statement}
        return signed(bundle, keys or [self.signers.alice], **statement)

    def roll_out(self, bundle: Mapping[str, Any], names: Sequence[str] = ALL, *, floor: int = 0) -> ConfigSource:
        """Assign a bundle that is as it should be to nodes, which adopt it."""
        floor = floor or self.floor
        source = self.fleet.publish(self.signed(bundle, floor=floor))
        answers = self.fleet.answers(self.fleet.assign(source, names))
        assert {answer.uid for answer in answers.values()} == {source.uid}, answers
        self.floor = floor
        return source

    def attack(
        self, source: ConfigSource | None, client: Client, names: Sequence[str] = ALL, *, forget_bad: bool = False
    ) -> dict[str, Answer]:
        """Assign to nodes as an attacker's identity, by one patch of nodes/status each; return their answers."""
        return self.fleet.answers(self.fleet.assign(source, names, client, forget_bad=forget_bad))

    def starts(self) -> dict[str, int]:
        """Return how often each node's component was started."""
        return {name: node.starts() for name, node in self.fleet.nodes.items()}

    def refused(
        self,
        attacks: Recorder,
        name: str,
        bundle: Mapping[str, Any] | ConfigSource,
        reason: str,
        *,
        client: Client | None = None,
        names: Sequence[str] = TWO,
        layer: Layer = "signatures",
        sides: Sides = (OPEN, GUARDED),
    ) -> None:
        """Attack with a bundle: open nodes run it, guarded ones refuse it as untrusted, with this in the reason.

        client: the intruder, who publishes a bundle that is not published yet, by default. sides: the nodes without the
        layer, and those with it.
        """
        client = client or self.intruder
        with attacks.attempt(name, layer) as attempt:
            source = bundle if isinstance(bundle, ConfigSource) else self.fleet.publish(bundle, client)
            before = self.starts()
            answers = self.attack(source, client, names)
            self.record(attempt, answers, source.uid, sides)
            for node in set(names) & set(sides[1]):
                assert (answers[node].status, answers[node].cause) == ("False", "Untrusted"), answers[node]
                assert reason in answers[node].reason, answers[node]
                assert self.starts()[node] == before[node], f"{node} restarted its component"

    def record(self, attempt: Attempt, answers: Mapping[str, Answer], uid: str, sides: Sides = (OPEN, GUARDED)) -> None:
        """Record which nodes use the bundle with this UID ("" for the init config)."""
        for kind, record in zip(sides, (attempt.off, attempt.on)):
            names = [name for name in kind if name in answers]
            harmed = [name for name in names if answers[name].uid == uid]
            count = f"{len(names)} of {len(names)} nodes: " if len(names) > 1 else ""
            if harmed:
                saw = f"{count}{'adopted' if uid else 'back to the init config'}"
            else:
                saw = f"{count}refused: {_short(answers[names[0]].reason)}"
            record(len(harmed), len(names), "nodes", saw)


def _short(reason: str) -> str:
    """Return the first clause of why a node does not trust a bundle, without what differs from run to run."""
    text = re.sub(r"SHA256:[\w+/=]+", "SHA256...", reason.partition("): ")[2])
    text = re.sub(r"until [0-9T:-]+Z", "until a time that has passed", text)
    text = re.sub(r"^\S* ?\(?SHA256\.\.\.\)?: ", "", text)  # the signer
    return re.split(r": |; | \(", text)[0]


@contextmanager
def start_world(api: Real, archive: Path, directory: Path) -> Iterator[World]:
    """Start the nodes and roll out a first bundle, signed by alice."""
    signers = Signers(directory)
    with Fleet(api, archive) as fleet:
        for name in OPEN:
            fleet.add(name, kubelet={"allowedFields": ["*"]})
        for name in GUARDED:
            fleet.add(name, trust=signers.policy())
        fleet.wait_until_ready()
        world = World(fleet, signers)
        world.roll_out(world.bundle())
        try:
            yield world
        finally:
            world.daemonset.close()
            world.intruder.close()
