# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the packages of a machine to exact versions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace

from ._files import Changes, mark_pending, retire_files, update_files, write_files
from ._host_access import Host, HostError
from ._host_state import HostState, packages_of_machine, save_state
from ._package_manager import PackageManager
from ._pods import stop_kubelet
from ._versions import choose, matches, shown


@dataclass(frozen=True)
class WantedPackage:
    """A package, the declared version ("" for any), and the units that must restart when it changes."""

    name: str
    version: str
    units: tuple[str, ...]


@dataclass(frozen=True)
class WantedPackages:
    """The packages of a machine. extra: any version will do; hold: keep upgrades of the host away from the others."""

    versioned: tuple[WantedPackage, ...]
    extra: tuple[str, ...] = ()
    hold: bool = True
    source: str = ""
    key: str = ""


@dataclass(frozen=True)
class PackageChange:
    """A package to change, up or down. before: "" for one that is not installed."""

    package: WantedPackage
    before: str
    after: str


def plan_packages(
    declared: Sequence[WantedPackage],
    installed: Mapping[str, str],
    available: Mapping[str, Collection[str]],
    previous: Mapping[str, str],
) -> tuple[list[PackageChange], list[WantedPackage]]:
    """Return the packages to change, and those whose declared version is not available. Pure.

    previous: the versions before the last update, which a rollback returns to exactly; {} for any other action. A
    version that is installed and is the declared one stays, even if the sources have a newer revision of it.
    """
    changes = []
    missing = []
    for package in declared:
        before = installed.get(package.name, "")
        offered = available.get(package.name, ())
        former = previous.get(package.name, "")
        if former and matches(package.version, former):
            after = former if former == before or former in offered else ""
        elif before and matches(package.version, before):
            continue
        else:
            after = choose(package.version, offered)
        if not after:
            missing.append(package)
        elif after != before:
            changes.append(PackageChange(package, before, after))
    return changes, missing


def preview_packages(
    state: HostState | None,
    manager: PackageManager,
    declared: WantedPackages,
    *,
    rollback: bool = False,
    after_reset: bool = False,
) -> tuple[list[PackageChange], list[str]]:
    """Return the planned changes and why they cannot be made, one sentence each. Changes nothing.

    after_reset: plan for the host as a reset leaves it, without the packages of the record and those that are kept.
    """
    previous: Mapping[str, str] = {}
    if rollback and state is not None:
        declared, previous = _of_record(state, declared), state.previous
    removed = None
    if after_reset:
        removed = set[str]() if state is None else packages_of_machine(state)
    with ExitStack() as stack:
        sources: list[PackageManager] = [manager]
        files = manager.source_files(declared.source, declared.key)
        if declared.source.strip():
            try:
                sources.append(stack.enter_context(manager.previewed(files)))
            except HostError as error:
                return [], [str(error)]
        changes, refusals = _preview(sources, declared, previous, removed, rollback=rollback)
        if refusals and not rollback:
            # The host may have never read its own sources.
            with suppress(HostError):
                sources.append(stack.enter_context(manager.previewed(files, everything=True)))
                changes, refusals = _preview(sources, declared, previous, removed, rollback=rollback)
    return changes, refusals


def _preview(
    sources: Sequence[PackageManager],
    declared: WantedPackages,
    previous: Mapping[str, str],
    removed: Collection[str] | None,
    *,
    rollback: bool,
) -> tuple[list[PackageChange], list[str]]:
    """Return the planned changes and why they cannot be made.

    sources: that of the host is the first. removed: what a reset removes before, together with the kept packages; None
    without a reset.
    """
    manager = sources[0]
    kept = manager.kept() if removed is None else {}
    installed, available = _look(sources, declared.versioned, kept)
    installed.update(dict.fromkeys(removed or (), ""))
    changes, missing = plan_packages(declared.versioned, installed, available, previous)
    extra = _missing_extra(manager, declared, rollback=rollback)
    extra += [name for name in declared.extra if name in (removed or ()) and name not in extra]
    missing += [WantedPackage(name, "", ()) for name in extra if not any(source.offered(name) for source in sources)]
    refusals = [_not_offered(package, sources) for package in missing]
    for change in changes:
        present = (change.package.name, change.before)
        if change.before and present not in kept and not _is_offered(sources, *present):
            refusals.append(
                f"{change.package.name} {change.before}, which is installed, can no longer be fetched from any source, "
                "so an update could not be rolled back: make it available again"
            )
    return changes, refusals


def change_packages(
    host: Host,
    state: HostState,
    manager: PackageManager,
    declared: WantedPackages,
    changes: Changes,
    *,
    action: str = "update",
) -> None:
    """Install what is declared. Raises HostError before anything is stopped if a package is not available.

    The package that is installed is fetched before it is replaced, so that a rollback needs no network. So is
    everything else that is to be installed.
    """
    rollback = action == "rollback"
    if rollback:
        declared = _of_record(state, declared)
    else:  # which writes the former source with the other files, and needs none
        files = manager.source_files(declared.source, declared.key)
        (write_files if action == "create" else update_files)(host, state, files, changes, check=False)
        declared_paths = {file.path for file in files}
        old = [path for path in state.files if path in manager.source_paths and path not in declared_paths]
        # apt and dnf would read a source that is gone. A unit goes with its component.
        retire_files(host, state, [path for path in old if not path.endswith(".service")], (), changes, check=False)
    manager.repair()
    planned, extra = _plan(manager, state, declared, rollback=rollback)
    if planned or extra:
        _fetch(manager, planned)
        versions = {change.package.name: change.after for change in planned}
        if not rollback:
            manager.download(versions, extra)
        # Recorded first: a deletion after a kill removes what was installed until then, and nothing of the user's.
        installing = sorted({*(state.installing or ()), *manager.new_packages(versions, extra)})
        # A change that finds nothing to do is the second run of one that was killed: it can still be rolled back.
        if action == "update":
            for change in planned:
                if change.before:
                    state.previous.setdefault(change.package.name, change.before)
        state.in_progress = True
        state.installing = installing
        held = set(manager.held()) - set(state.held)
        state.held_before = sorted({*state.held_before, *held.intersection(_names(declared))})
        for change in planned:
            mark_pending(state, change.package.units)
        save_state(host, state)
        if planned:
            stop_kubelet(host)
        for change in planned:
            changes.note(f"{change.package.name} {change.before or 'absent'} -> {change.after}")
        for name in extra:
            changes.note(f"{name} absent -> newest")
        manager.install(versions, extra)
        _check_installed(manager, planned)
    if state.installing is not None:
        # A deletion removes what of an installation is on the host now.
        state.packages.update(dict.fromkeys(sorted(set(state.installing) & set(manager.all_installed())), ""))
        state.installing = None
        save_state(host, state)
    _hold(host, state, manager, declared, changes)
    _forget_old(manager, state, _names(declared))


def _names(declared: WantedPackages) -> list[str]:
    return [package.name for package in declared.versioned]


def _hold(host: Host, state: HostState, manager: PackageManager, declared: WantedPackages, changes: Changes) -> None:
    """Hold the packages that are declared, and those that the user held: apt releases what it installs."""
    present = manager.held()
    names = [name for name in _names(declared) if declared.hold or name in state.held_before]
    new = [name for name in names if name not in present]
    if new:
        state.held = sorted({*state.held, *new} - {*state.held_before})
        changes.changed = True
        save_state(host, state)  # first: a deletion after a kill releases them
        manager.hold(new)


def _missing_extra(manager: PackageManager, declared: WantedPackages, *, rollback: bool) -> list[str]:
    """Return the extra packages to install; a rollback installs none, since one of them may be what has failed."""
    return [] if rollback else [name for name in declared.extra if not manager.installed(name)]


def _plan(
    manager: PackageManager, state: HostState, declared: WantedPackages, *, rollback: bool
) -> tuple[list[PackageChange], list[str]]:
    """Return the packages to change and the extra ones to install. Reads the sources only if something is missing."""
    previous = state.previous if rollback else {}
    extra = _missing_extra(manager, declared, rollback=rollback)
    kept = manager.kept()
    installed = {package.name: manager.installed(package.name) for package in declared.versioned}
    at_hand = {
        package.name: {version for name, version in kept if name == package.name} for package in declared.versioned
    }
    changes, missing = plan_packages(declared.versioned, installed, at_hand, previous)
    # A version that is kept may be older than the newest that is declared; only a rollback must do with what is kept.
    if not missing and not extra and (rollback or not changes):
        return changes, extra
    # First our own source alone, which is quick, then all: the host may have never read its own.
    for everything in (False, True):
        try:
            manager.refresh(everything=everything)
        except HostError:
            if not missing and not extra:
                return changes, extra  # what is kept will do
            if everything or declared.source.strip():
                raise
        installed, available = _look([manager], declared.versioned, kept)
        changes, missing = plan_packages(declared.versioned, installed, available, previous)
        if not missing or (declared.source.strip() and everything):
            break
    if missing:
        raise HostError("; ".join(_not_offered(package, [manager]) for package in missing))
    return changes, extra


def _look(
    sources: Iterable[PackageManager], declared: Iterable[WantedPackage], kept: Collection[tuple[str, str]]
) -> tuple[dict[str, str], dict[str, set[str]]]:
    """Return the installed and the available versions by package. kept: packages whose files the host has."""
    managers = list(sources)
    installed = {package.name: managers[0].installed(package.name) for package in declared}
    available = {
        name: {version for manager in managers for version in manager.offered(name)}
        | {version for kept_name, version in kept if kept_name == name}
        for name in installed
    }
    return installed, available


def _of_record(state: HostState, declared: WantedPackages) -> WantedPackages:
    """Return what a rollback changes: the packages of the record, whatever the Machine calls them now."""
    units = {package.name: package.units for package in declared.versioned}
    all_units = tuple(sorted({unit for package in declared.versioned for unit in package.units}))
    former = sorted(state.previous.items())
    return replace(
        declared,
        versioned=tuple(WantedPackage(name, version, units.get(name, all_units)) for name, version in former),
        extra=(),
    )


def _is_offered(sources: Iterable[PackageManager], package: str, version: str) -> bool:
    return any(source.is_cached(package, version) or version in source.offered(package) for source in sources)


def _not_offered(package: WantedPackage, sources: Iterable[PackageManager]) -> str:
    offered = [version for source in sources for version in source.offered(package.name)]
    declared = f" {package.version}" if package.version else ""
    return f"no source of packages offers {package.name}{declared}: there is {shown(offered)}"


def _fetch(manager: PackageManager, planned: Iterable[PackageChange]) -> None:
    for change in planned:
        name = change.package.name
        manager.keep(name, change.after)
        if change.before:
            try:
                manager.keep(name, change.before)
            except HostError as error:
                raise HostError(f"{error}; it is installed now, and a rollback would need it") from None


def _check_installed(manager: PackageManager, planned: Iterable[PackageChange]) -> None:
    for change in planned:
        version = manager.installed(change.package.name)
        if version != change.after:
            raise HostError(
                f"{change.package.name} {change.after} was to be installed, and {version or 'none'} is: look at the "
                f"output of {manager.name} on the host"
            )


def _forget_old(manager: PackageManager, state: HostState, names: Collection[str]) -> None:
    """Remove the kept packages that are neither in use nor needed for a rollback."""
    declared: set[tuple[str, str]] = {(name, manager.installed(name)) for name in names}
    declared |= set(state.previous.items())
    for name, version in list(manager.kept()):
        if name in names and (name, version) not in declared:
            manager.forget(name, version)
