# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent knows of the manifest of a static-Pod component: the note that the store keeps on it.

The note is one file, so that a power cut leaves it as a whole. What is about to be written is in it before it is
written: a manifest that is found afterwards is known, whether the note of its end was written or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Optional

from ._store._store import Store, digest

Read = Callable[[str], Optional[bytes]]
"""Returns the content of a file by its path, None without one."""

_NOTE = "manifest"
SHOWN_WITHIN = 75.0
"""Seconds after which an API server has reported whether it uses a content: it looks at its files once a minute if the
kernel reports no change, and asks the issuers of a content every ten seconds for a minute before it refuses it."""
USUAL_GRACE = 30  # seconds, of a Pod that does not say it


class WrittenManifest(NamedTuple):
    """A manifest as it was left. manifest: its SHA-256.

    config: SHA-256 of the file of options that it has. reloaded: the files that its component reads again while it
    runs, by path, with the SHA-256 of each.
    """

    manifest: str = ""
    config: str = ""
    reloaded: Mapping[str, str] = {}


class FileChange(NamedTuple):
    """The change of a file. before, after: SHA-256 of both contents."""

    path: str
    before: str
    after: str


class Reload(NamedTuple):
    """A file that a component is to read again while it runs; times are in seconds since the boot of boot_id.

    path: of the file. flag: that names it. content: its SHA-256. since: when it was written. tried: when the content
    was written that it takes back, 0 if it takes none back.
    """

    path: str = ""
    flag: str = ""
    content: str = ""
    since: float = 0.0
    boot_id: str = ""
    tried: float = 0.0


class ManifestNote(NamedTuple):
    """The note on a component's manifest.

    init: the init manifest. written: the manifest as the agent left it, or as it was found first. intended: what is
    being written, empty otherwise. prepared: what the timer puts in place if no agent does, empty outside a trial.
    seen: SHA-256 of the manifest that was checked last. pod: how the directory of its logs begins,
    <namespace>_<name>-<node>. container: the component's. version: of the component, by its image, "" if that does not
    name one. problem: why nothing is written over the manifest, "" if it can be. lost: SHA-256 of options that the
    manifest has lost, which are not written again. grace: the seconds that the Pod has to end, and the
    one before it. replaced_at: when the agent, or the timer, has put another manifest in place, in seconds since the
    boot of boot_id. crashed: the last start that has crashed, and crash_reason: why, by a log that the kubelet removes
    with the Pod. reload: of the file that the component was to read again last.
    """

    init: str = ""
    written: WrittenManifest = WrittenManifest()
    intended: WrittenManifest = WrittenManifest()
    prepared: WrittenManifest = WrittenManifest()
    seen: str = ""
    pod: str = ""
    container: str = ""
    version: str = ""
    problem: str = ""
    lost: str = ""
    grace: int = USUAL_GRACE
    replaced_at: float = 0.0
    boot_id: str = ""
    crashed: str = ""
    crash_reason: str = ""
    reload: Reload = Reload()

    def replaced(self, since_boot: float, boot_id: str) -> ManifestNote:
        """Return the note with the time at which another manifest is put in place."""
        return self._replace(replaced_at=float(since_boot), boot_id=boot_id)

    def replaced_since_boot(self, boot_id: str) -> float:
        """Return when another manifest was put in place, in seconds since this boot, 0 if not since then."""
        return self.replaced_at if boot_id and self.boot_id == boot_id else 0.0

    def next_reload(
        self, change: FileChange, flag: str, good: Mapping[str, str] | None, now: float, boot_id: str
    ) -> Reload | None:
        """Return the note on a file that is to be read again, None if only a restart shows what it does.

        good: the files of last-known-good by path, if its manifest is the one in place. A file is read again on the way
        from last-known-good and back to it, so that one file at most differs from it. now: in seconds since the boot of
        boot_id.
        """
        last = self.reload
        is_same_boot = bool(boot_id) and last.boot_id == boot_id
        if good is None:
            return None
        if self.written.reloaded == good:
            if last.tried and is_same_boot and now - last.since < SHOWN_WITHIN:
                return None  # it may still report the content before
            return Reload(change.path, flag, change.after, now, boot_id)
        if (last.path, last.content) != (change.path, change.before):
            return None
        if {**self.written.reloaded, change.path: change.after} != good:
            return None
        return Reload(change.path, flag, change.after, now, boot_id, last.since if is_same_boot else 0.0)

    def unwritten_files(self, read: Read) -> list[str]:
        """Return the files that a component reads again and that are not as they were left. Raises OSError."""
        return [path for path, content in self.written.reloaded.items() if digest(read(path) or b"") != content]

    def foreign_file(self, read: Read) -> str:
        """Return that such a file has what the agent has not written, "" if none has. Raises OSError."""
        intended = self.intended.reloaded
        changed = (path for path in self.unwritten_files(read) if digest(read(path) or b"") != intended.get(path))
        path = next(changed, "")
        return f"{path} was changed or removed, not by this agent" if path else ""

    def reason_to_wait(self, config: str) -> str:
        """Return why options are not written, "" if they can be. config: SHA-256 of their file."""
        if not self.problem and config == self.lost:
            return "the manifest was rewritten without the options in use, which wait for another assignment"
        return self.problem


_TEXTS = ("init", "seen", "pod", "container", "version", "problem", "lost", "boot_id", "crashed", "crash_reason")


def read_manifest_note(store: Store, component: str) -> ManifestNote:
    """Return the note, an empty one if there is none. Raises OSError."""
    note = store.read_note(component, _NOTE)
    grace, replaced_at = note.get("grace"), note.get("replaced_at")
    return ManifestNote(
        written=_written(note.get("written")),
        intended=_written(note.get("intended")),
        prepared=_written(note.get("prepared")),
        grace=grace if isinstance(grace, int) and not isinstance(grace, bool) else USUAL_GRACE,
        replaced_at=replaced_at if isinstance(replaced_at, float) else 0.0,
        reload=_reload(note.get("reload")),
        **{name: str(note.get(name) or "") for name in _TEXTS},
    )


def write_manifest_note(store: Store, component: str, note: ManifestNote) -> None:
    """Replace the note. The caller holds the store's lock. Raises OSError."""
    written = {name: getattr(note, name)._asdict() for name in ("written", "intended", "prepared", "reload")}
    value = {**note._asdict(), **written}
    store.write_note(component, _NOTE, value)


def _written(value: Any) -> WrittenManifest:
    fields = value if isinstance(value, dict) else {}
    reloaded = fields.get("reloaded")
    files = {str(path): str(content) for path, content in reloaded.items()} if isinstance(reloaded, dict) else {}
    return WrittenManifest(str(fields.get("manifest") or ""), str(fields.get("config") or ""), files)


def _reload(value: Any) -> Reload:
    fields = value if isinstance(value, dict) else {}
    path, flag, content, boot_id = (str(fields.get(name) or "") for name in ("path", "flag", "content", "boot_id"))
    since, tried = (item if isinstance(item, float) else 0.0 for item in (fields.get("since"), fields.get("tried")))
    return Reload(path, flag, content, since, boot_id, tried)
