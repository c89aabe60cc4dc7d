# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages come to their versions in an order that leaves a rollback possible."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._files import Changes
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import (
    CommandResult,
    Host,
    HostError,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import (
    HostState,
    begin_change,
    load_state,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._package_manager import (
    HostFile,
    PackageManager,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._packages import (
    WantedPackage,
    WantedPackages,
    change_packages,
    plan_packages,
    preview_packages,
)

KUBELET = "kubelet"
OLD, NEW = "1.34.8-1.1", "1.34.9-1.1"


def declared(version: str, *extra: str) -> WantedPackages:
    return WantedPackages((WantedPackage(KUBELET, version, ("kubelet",)),), extra=extra)


@pytest.mark.parametrize(
    ("version", "installed", "available", "previous", "after"),
    [
        ("1.34.9", "", {NEW}, "", NEW),
        ("1.34.9", OLD, {NEW, OLD}, "", NEW),
        ("1.34.8", NEW, {NEW, OLD}, "", OLD),
        ("1.34.9", NEW, {"1.34.9-1.2"}, "", None),
        ("1.34", OLD, {NEW}, "", None),
        ("", OLD, {NEW}, "", None),
        ("", "", {NEW, OLD}, "", NEW),
        ("1.34.9", OLD, {OLD}, "", "missing"),
        # A rollback goes to the package before, even if the declared version is installed in another revision.
        ("1.34.9", "1.34.9-1.2", {NEW, "1.34.9-1.2"}, NEW, NEW),
        ("1.34.9", NEW, {NEW}, NEW, None),
        ("1.34.9", "1.34.9-1.2", {"1.34.9-1.2"}, NEW, "missing"),
        # What was before some other update is not rolled back to.
        ("1.34.9", OLD, {NEW, OLD}, OLD, NEW),
    ],
)
def test_packages_are_planned(
    version: str, installed: str, available: set[str], previous: str, after: str | None
) -> None:
    changes, missing = plan_packages(
        declared(version).versioned, {KUBELET: installed}, {KUBELET: available}, {KUBELET: previous} if previous else {}
    )
    assert [package.name for package in missing] == ([KUBELET] if after == "missing" else [])
    assert [change.after for change in changes] == ([after] if after not in (None, "missing") else [])


class Commands(Host):
    """A host whose commands are recorded."""

    def __init__(self, root: str, calls: list[str]) -> None:
        super().__init__(root)
        self._calls = calls

    def run(self, command: Sequence[str], *, text: str = "", timeout: float = 0) -> CommandResult:
        del text, timeout
        self._calls.append(" ".join(command))
        return CommandResult(0, "", "")


@dataclass
class Packages:
    """A package manager in memory. offers: the versions of each package; fails: the install that is cut off."""

    calls: list[str]
    offers: dict[str, list[str]]
    present: dict[str, str] = field(default_factory=dict)
    files: dict[tuple[str, str], str] = field(default_factory=dict)
    fails: bool = False
    offline: bool = False
    holds: set[str] = field(default_factory=set)
    is_killed_by_hold: bool = False
    is_killed_by_install: bool = False
    name: str = "apt"
    source_paths: Collection[str] = ()

    def unusable(self) -> str:
        return ""

    def source_files(self, source: str, key: str) -> Sequence[HostFile]:
        del source, key
        return []

    def source_warnings(self, source: str, key: str) -> Sequence[str]:
        del source, key
        return []

    def installed(self, package: str) -> str:
        return self.present.get(package, "")

    def all_installed(self) -> Collection[str]:
        return set(self.present)

    def essential(self) -> Collection[str]:
        return {"bash"} & set(self.present)

    def offered(self, package: str) -> Sequence[str]:
        return [] if self.offline else self.offers.get(package, [])

    def is_cached(self, package: str, version: str) -> bool:
        del package, version
        return False

    def refresh(self, *, everything: bool) -> None:
        del everything
        if self.offline:
            raise HostError("the source cannot be read")

    def previewed(
        self, files: Sequence[HostFile], *, everything: bool = False
    ) -> AbstractContextManager[PackageManager]:
        del files, everything
        return nullcontext(self)

    def kept(self) -> Mapping[tuple[str, str], str]:
        return dict(self.files)

    def keep(self, package: str, version: str) -> None:
        if (package, version) not in self.files:
            if version not in self.offered(package):
                raise HostError(f"could not download {package} {version}")
            self.calls.append(f"keep {package} {version}")
            self.files[package, version] = "file"

    def forget(self, package: str, version: str) -> None:
        del self.files[package, version]

    def repair(self) -> None:
        self.calls.append("repair")

    def download(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        self.calls.append("download " + " ".join([*packages, *extra]))
        for name in extra:
            if not self.offered(name):
                raise HostError(f"unable to locate package {name}")

    def new_packages(self, packages: Mapping[str, str], extra: Sequence[str]) -> Collection[str]:
        return {*packages, *extra, "dependency"} - set(self.present)

    def install(self, packages: Mapping[str, str], extra: Sequence[str]) -> None:
        self.calls.append("install " + " ".join([*(f"{name}={version}" for name, version in packages.items()), *extra]))
        if self.fails:
            raise HostError("cut off")
        self.holds -= {*packages}  # as apt does
        self.present.update(packages)
        self.present.update(dict.fromkeys(extra, "1"), dependency="1")
        if self.is_killed_by_install:
            raise KeyboardInterrupt

    def held(self) -> Collection[str]:
        return self.holds

    def hold(self, packages: Sequence[str]) -> Sequence[str]:
        self.holds.update(packages)
        if self.is_killed_by_hold:
            raise KeyboardInterrupt
        return packages

    def release(self, packages: Sequence[str]) -> None:
        del packages

    def remove(self, packages: Sequence[str]) -> Sequence[str]:
        del packages
        return []


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def host(tmp_path: object, calls: list[str]) -> Host:
    return Commands(str(tmp_path), calls)


@pytest.fixture
def manager(calls: list[str]) -> Packages:
    return Packages(calls, {KUBELET: [OLD, NEW], "cni": ["1"]}, {"bash": "5"})


def change(
    host: Host,
    state: HostState,
    manager: Packages,
    version: str,
    *extra: str,
    rollback: bool = False,
    rollout: str = "",
) -> bool:
    """Change packages in a rollout of this name, "" for one of each version."""
    changes = Changes()
    action = "rollback" if rollback else "update"
    if not rollback:
        begin_change(host, state, action, rollout or version)
    change_packages(host, state, manager, declared(version, *extra), changes, action=action)
    return changes.changed


def test_a_rollback_goes_by_the_names_and_versions_of_the_record(host: Host) -> None:
    """The Machine declares the package of CRI-O for the runtime that the rollback returns to."""

    def packages(kubelet: str, name: str, version: str, unit: str) -> WantedPackages:
        runtime = WantedPackage(name, version, (unit, KUBELET))
        return WantedPackages((WantedPackage(KUBELET, kubelet, (KUBELET,)), runtime), extra=("socat",))

    offers = {KUBELET: [OLD, NEW], "containerd.io": ["1.7.24-1"], "cri-o": ["1.34.0-1"], "socat": ["1"]}
    manager = Packages([], offers, {"bash": "5"})
    state = HostState("m")
    change_packages(host, state, manager, packages("1.34.8", "containerd.io", "1.7", "containerd"), Changes())
    state.in_progress = False
    begin_change(host, state, "update", "b")
    change_packages(host, state, manager, packages("1.34.9", "cri-o", "1.34", "crio"), Changes())
    manager.offline = True
    former = packages("1.34.8", "cri-o", "1.7.24", "containerd")
    changes, refusals = preview_packages(state, manager, former, rollback=True)
    assert [(change.package.name, change.after, refusals) for change in changes] == [(KUBELET, OLD, [])]
    change_packages(host, state, manager, former, Changes(), action="rollback")
    assert manager.present[KUBELET] == OLD
    assert manager.present["containerd.io"] == "1.7.24-1"


def test_what_was_installed_for_us_is_recorded(host: Host, manager: Packages) -> None:
    state = HostState("m")
    assert change(host, state, manager, "1.34.8", "cni")
    assert state.packages == {KUBELET: "", "cni": "", "dependency": ""}
    assert state.held == [KUBELET]
    assert state.pending == ["kubelet"]
    assert state.installing is None


def test_an_update_fetches_the_previous_version_before_it_stops_anything(
    host: Host, manager: Packages, calls: list[str]
) -> None:
    manager.present[KUBELET] = OLD
    state = HostState("m")
    change(host, state, manager, "1.34.9")
    assert calls == [
        "repair",
        f"keep kubelet {NEW}",
        f"keep kubelet {OLD}",
        "download kubelet",
        "systemctl stop kubelet.service",
        "systemctl is-active kubelet.service",
        f"install kubelet={NEW}",
    ]
    assert state.previous == {KUBELET: OLD}
    assert state.packages == {"dependency": ""}


def test_nothing_is_stopped_if_a_rollback_is_not_possible(host: Host, manager: Packages, calls: list[str]) -> None:
    manager.present[KUBELET] = "1.34.7-1.1"
    with pytest.raises(HostError, match="a rollback would need it"):
        change(host, HostState("m"), manager, "1.34.9")
    assert not [call for call in calls if call.startswith(("systemctl", "install"))]


def test_a_rollback_needs_no_source(host: Host, manager: Packages) -> None:
    manager.present[KUBELET] = OLD
    state = HostState("m")
    change(host, state, manager, "1.34.9")
    manager.offline = True
    assert change(host, state, manager, "1.34", rollback=True)
    assert manager.present[KUBELET] == OLD
    assert not change(host, state, manager, "1.34", rollback=True)


def test_the_run_after_a_killed_one_still_knows_what_to_roll_back_to(host: Host, manager: Packages) -> None:
    manager.present[KUBELET] = OLD
    manager.fails = True
    state = HostState("m")
    with pytest.raises(HostError, match="cut off"):
        change(host, state, manager, "1.34.9")
    assert state.installing == ["dependency"]
    manager.present[KUBELET] = NEW  # dpkg had come that far
    manager.present["dependency"] = "1"
    manager.present["postgresql"] = "15"  # of the user, between the runs
    manager.fails = False
    change(host, state, manager, "1.34.9", "cni")
    assert state.previous == {KUBELET: OLD}
    assert state.packages == {"cni": "", "dependency": ""}


def test_an_extra_package_that_no_source_has_stops_nothing(host: Host, manager: Packages, calls: list[str]) -> None:
    manager.present[KUBELET] = OLD
    _planned, refusals = preview_packages(None, manager, declared("1.34.9", "typo"), rollback=False)
    assert refusals == ["no source of packages offers typo: there is no version"]
    state = HostState("m")
    with pytest.raises(HostError, match="typo"):
        change(host, state, manager, "1.34.9", "typo")
    assert not [call for call in calls if call.startswith(("systemctl", "install"))]
    # Nor does it stop a rollback, which installs no extra package.
    state.previous, state.in_progress = {KUBELET: OLD}, True
    manager.present[KUBELET] = NEW
    assert preview_packages(state, manager, declared("1.34.8", "typo"), rollback=True)[1] == []
    assert change(host, state, manager, "1.34.8", "typo", rollback=True)
    assert manager.present[KUBELET] == OLD


def test_a_hold_is_recorded_before_it_is_made(host: Host, manager: Packages) -> None:
    manager.is_killed_by_hold = True
    with pytest.raises(KeyboardInterrupt):
        change(host, HostState("m"), manager, "1.34.9")
    recorded = load_state(host)
    assert recorded is not None
    assert recorded.held == [KUBELET]


@pytest.mark.parametrize("hold", [True, False])
def test_a_hold_of_the_user_stays_that_of_the_user(host: Host, manager: Packages, hold: bool) -> None:
    """Also if a run was killed between the installation, which releases the package, and the hold."""
    manager.present[KUBELET], manager.holds = OLD, {KUBELET}
    state = HostState("m")
    manager.is_killed_by_install = True
    with pytest.raises(KeyboardInterrupt):
        change_packages(host, state, manager, replace(declared("1.34.9"), hold=hold), Changes())
    manager.is_killed_by_install = False
    assert manager.holds == set()
    for version in ("1.34.9", "1.34.8"):
        change_packages(host, state, manager, replace(declared(version), hold=hold), Changes())
        assert (manager.holds, state.held, state.held_before) == ({KUBELET}, [], [KUBELET])


def test_the_next_update_rolls_back_to_the_version_before_it(host: Host, manager: Packages) -> None:
    manager.present[KUBELET] = OLD
    state = HostState("m")
    change(host, state, manager, "1.34.9")
    state.in_progress = False  # the kubelet was healthy
    change(host, state, manager, "1.34.8")
    assert state.previous == {KUBELET: NEW}


def test_a_second_run_of_a_finished_update_can_still_roll_back(host: Host, manager: Packages) -> None:
    manager.present[KUBELET] = OLD
    state = HostState("m")
    change(host, state, manager, "1.34.9", rollout="a")
    state.in_progress = False  # the kubelet was healthy, then the run was killed before the node had passed
    manager.offline = True
    change(host, state, manager, "1.34.9", rollout="a")
    assert change(host, state, manager, "1.34.8", rollback=True, rollout="a")
    assert manager.present[KUBELET] == OLD


def test_an_update_whose_source_is_down_does_not_roll_back_to_an_older_version(host: Host, manager: Packages) -> None:
    manager.present[KUBELET] = OLD
    state = HostState("m")
    change(host, state, manager, "1.34.9", rollout="a")
    state.in_progress = False
    manager.offline = True
    with pytest.raises(HostError, match="cannot be read"):
        change(host, state, manager, "1.35", rollout="b")
    assert state.previous == {}
    assert not change(host, state, manager, "1.34", rollback=True, rollout="b")
    assert manager.present[KUBELET] == NEW


def test_only_the_packages_in_use_and_before_are_kept(host: Host, manager: Packages) -> None:
    manager.offers[KUBELET] = ["1.34.7-1.1", OLD, NEW]
    state = HostState("m")
    for version in ("1.34.7", "1.34.8", "1.34.9"):
        change(host, state, manager, version)
        state.in_progress = False
    assert sorted(version for _name, version in manager.kept()) == [OLD, NEW]


@pytest.mark.parametrize(
    ("version", "present", "refusal"),
    [
        ("1.34.9", OLD, None),
        ("1.35", OLD, f"no source of packages offers kubelet 1.35: there is {NEW}, {OLD}"),
        ("1.34.9", "1.34.7-1.1", "kubelet 1.34.7-1.1, which is installed, can no longer be fetched from any source"),
    ],
)
def test_a_preview_says_what_stands_against_it(
    host: Host, manager: Packages, version: str, present: str, refusal: str | None
) -> None:
    manager.present[KUBELET] = present
    _planned, refusals = preview_packages(None, manager, declared(version))
    assert [text.startswith(refusal or "?") for text in refusals] == ([True] if refusal else [])


@pytest.mark.parametrize(
    ("is_ours", "present", "version", "planned", "refusal"),
    [
        # A reset removes the package that came with the machine, and the files that are kept.
        (True, NEW, "1.34.9", [("", NEW)], None),
        (True, "1.34.7-1.1", "1.34.9", [("", NEW)], None),
        (True, "1.34.7-1.1", "1.34.7", [], "no source of packages offers kubelet 1.34.7"),
        # It leaves one that was there before.
        (False, NEW, "1.34.9", [], None),
        (False, OLD, "1.34.9", [(OLD, NEW)], None),
        (
            False,
            "1.34.7-1.1",
            "1.34.9",
            [("1.34.7-1.1", NEW)],
            "kubelet 1.34.7-1.1, which is installed, can no longer be fetched",
        ),
    ],
)
def test_a_preview_of_a_replacement_begins_with_the_host_after_its_reset(
    host: Host,
    manager: Packages,
    is_ours: bool,
    present: str,
    version: str,
    planned: list[tuple[str, str]],
    refusal: str | None,
) -> None:
    manager.present[KUBELET] = present
    manager.files[KUBELET, "1.34.7-1.1"] = "file"
    state = HostState("m", created=True, packages={KUBELET: ""} if is_ours else {})
    changes, refusals = preview_packages(state, manager, declared(version), after_reset=True)
    assert [(change.before, change.after) for change in changes] == planned
    assert [text.startswith(refusal or "?") for text in refusals] == ([True] if refusal else [])
