# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes a node as its own files do, at one moment: NodeState and its parts.

Pure. _store/_state_reader.py reads it, once for each step of the controller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .active_config import ActiveConfig, in_trial
from .records import AnsweredAssignment, ConfigRecord
from .start_history import BadConfig, Start, crashes_with_config


class Moment(NamedTuple):
    """A point in time: seconds since boot, the kernel's boot id, and the wall clock (RFC 3339)."""

    now: float
    boot_id: str
    time: str


class Records(NamedTuple):
    """The store's records at one moment.

    current, last_known_good: None if the record is missing or was damaged. never_written: neither was ever written,
    since the node has had only its local config.
    """

    current: ConfigRecord | None
    last_known_good: ConfigRecord | None
    answered: AnsweredAssignment
    never_written: bool


class ComponentFiles(NamedTuple):
    """What the store holds of one component, beyond its tracking.

    config: SHA-256 of the file that the component reads, or of no bytes if the file is missing. same_as_started:
    whether the file that the last start read has the same values. init_config: SHA-256 of the rendered init config, ""
    if it was never rendered. switched_since: when the file was last switched, in seconds since boot, or None if that
    was before this boot.
    """

    config: str
    is_missing: bool = False
    same_as_started: bool = True
    init_config: str = ""
    switched_since: float | None = None


class NodeState(NamedTuple):
    """The records, what is tracked of each component, and the config that the node is to use because of that.

    By component: tracking_versions (under which it is tracked), startups, crashes (since the later of boot and adoption
    or rollback), files. By uid: bad_configs, of all components. files and damaged_files (set aside, oldest first) are
    read for the controller only.
    """

    records: Records
    active: ActiveConfig
    tracking_versions: Mapping[str, str]
    startups: Mapping[str, Sequence[Start]]
    bad_configs: Mapping[str, BadConfig]
    crashes: Mapping[str, int]
    files: Mapping[str, ComponentFiles] = {}
    damaged_files: tuple[str, ...] = ()

    @property
    def active_record(self) -> ConfigRecord:
        """The record in use, LOCAL_CONFIG for the init config."""
        return self.active.record

    @property
    def is_in_trial(self) -> bool:
        """Whether the record in use is on trial."""
        return in_trial(self.active_record, self.records.last_known_good)

    def most_crashed_component(self) -> str:
        """Return the component of current that has crashed most often, "" if it has none."""
        current = self.records.current
        names = sorted(name for name in self.crashes if current is None or current.covers(name))
        return max(names, key=lambda name: self.crashes[name], default="")

    def last_start(self, component: str) -> Start | None:
        """Return the component's last recorded start, None if there is none."""
        starts = self.startups.get(component) or ()
        return starts[-1] if starts else None

    def configs_to_restart(self, record: ConfigRecord) -> dict[str, str]:
        """Return the components that read another file under a record, with the hash of that file."""
        expected = {name: record.files.get(name) or files.init_config for name, files in self.files.items()}
        return {name: config for name, config in expected.items() if config and config != self.files[name].config}

    def files_match(self, record: ConfigRecord) -> bool:
        """Return whether every component's file is what the record says, so that no switch was interrupted."""
        for name, files in self.files.items():
            expected = record.files.get(name) or files.init_config
            if files.is_missing or (expected and files.config != expected):
                return False
        return True

    def crashes_since(self, since: float, boot_id: str) -> int:
        """Return the crashes of the component that has crashed most often with its present file.

        since: seconds since boot, of the boot with this id.
        """
        counts = (
            crashes_with_config(starts, boot_id=boot_id, since=since, config=self.files[name].config)
            for name, starts in self.startups.items()
        )
        return max(counts, default=0)


class NodeInputs(NamedTuple):
    """What this node adds to a component's config.

    init, instance: the texts of the component's own configs, None without one. arguments: the command line it runs
    with. drop_ins: path and text of each drop-in that the command line names, lowest first. Bytes that are not UTF-8
    are surrogates.
    """

    init: str | None = None
    instance: str | None = None
    arguments: tuple[str, ...] = ()
    drop_ins: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the inputs as JSON-able data."""
        return {
            "init": self.init,
            "instance": self.instance,
            "arguments": list(self.arguments),
            "dropIns": [list(drop_in) for drop_in in self.drop_ins],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> NodeInputs:
        """Read what to_dict() has written. Raises KeyError, TypeError, ValueError."""
        drop_ins = tuple((path, text) for path, text in value["dropIns"])
        return cls(value["init"], value["instance"], tuple(value["arguments"]), drop_ins)
