# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a release: what is in them, and that the same commit gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("cyclonedx", reason="requirements/lint.txt is not installed: make .venv/.lint")

import bill_of_materials
import release

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = {"COPYING", "CHANGELOG.md", "README.md", "awx", "changelogs", "docs", "extensions", "meta", "playbooks"}
SHIPPED |= {"plugins", "roles"}


@pytest.fixture(scope="module")
def built() -> release.Release:
    """The release of this checkout, as it is."""
    return release.build(ROOT, uncommitted=True)


@pytest.fixture(scope="module")
def artefact(built: release.Release) -> dict[str, tuple[tarfile.TarInfo, bytes]]:
    """What the collection's artefact contains, name -> entry and content."""
    with tarfile.open(fileobj=io.BytesIO(built.files["configok-node-0.1.0.tar.gz"])) as archive:
        return {entry.name: (entry, content_of(archive, entry)) for entry in archive.getmembers()}


@pytest.fixture(scope="module")
def document(built: release.Release) -> Any:
    return json.loads(built.files["configok-node-0.1.0.cdx.json"])


def content_of(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(entry)
    return stream.read() if stream else b""


def git(directory: Path, *arguments: str) -> None:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    environment = {**os.environ, **names}
    subprocess.run(["git", "-C", directory, *arguments], check=True, capture_output=True, env=environment)


@pytest.fixture
def clone(tmp_path: Path) -> Callable[[str], Path]:
    """Makes clones of a commit with this checkout's files, in new directories."""
    origin = tmp_path / "origin"
    release.export(ROOT, origin)
    git(origin, "init", "-q")
    git(origin, "add", "-f", ".")
    git(origin, "-c", "commit.gpgSign=false", "commit", "-q", "-m", "A commit.")

    def make(name: str) -> Path:
        git(tmp_path, "clone", "-q", str(origin), name)
        return tmp_path / name

    return make


def test_the_same_commit_gives_the_same_bytes(
    clone: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = release.build(clone("first"))
    second = clone("another/place")
    for number, path in enumerate(sorted(second.rglob("*.py"), reverse=True)):
        os.utime(path, (10**9 + number, 10**9 + number))
        path.chmod(0o600)
    git(second, "config", "core.fileMode", "false")
    (second / "plugins/modules/not_tracked.py").write_text("")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    again = release.build(second)
    monkeypatch.undo()
    time.tzset()
    assert again == first


def test_changes_that_are_not_committed_are_refused(clone: Callable[[str], Path]) -> None:
    checkout = clone("changed")
    (checkout / "README.md").write_text("Another.\n")
    with pytest.raises(release.ReleaseError, match=r"^1 files differ from the commit, such as README\.md: commit them"):
        release.build(checkout)


def test_the_command_writes_the_files_or_says_why_not(
    clone: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = clone("commanded")
    monkeypatch.setattr(release, "ROOT", checkout)
    assert release.main([str(tmp_path / "here")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:-1] == (tmp_path / "here/SHA256SUMS").read_text().splitlines()
    assert lines[-1].startswith("release: 0.1.0 of commit ")

    (checkout / "galaxy.yml").write_text("namespace: configok\nname: node\nversion: 0.1.0\n")
    assert release.main([str(tmp_path / "there")]) == 1
    assert "commit them, or use --uncommitted for a trial" in capsys.readouterr().err
    assert release.main(["--uncommitted", str(tmp_path / "there")]) == 1
    assert "release: ansible-galaxy collection build failed: " in capsys.readouterr().err
    assert not (tmp_path / "there").exists()


def test_a_directory_without_git_is_refused(tmp_path: Path) -> None:
    with pytest.raises(release.ReleaseError, match="not a git repository"):
        release.build(tmp_path)


def test_sha256sum_accepts_the_checksums(built: release.Release, tmp_path: Path) -> None:
    release.write(built, tmp_path / "release")
    command = ["sha256sum", "--strict", "-c", "SHA256SUMS"]
    ended = subprocess.run(command, cwd=tmp_path / "release", capture_output=True, text=True, check=True)
    assert [line.rpartition(": ")[2] for line in ended.stdout.splitlines()] == ["OK"] * 3
    assert {path.name for path in (tmp_path / "release").iterdir()} == {
        "SHA256SUMS",
        "configok-agent.pyz",
        "configok-node-0.1.0.cdx.json",
        "configok-node-0.1.0.tar.gz",
    }


def test_a_release_replaces_the_one_before(built: release.Release, tmp_path: Path) -> None:
    (tmp_path / "configok-node-0.0.9.tar.gz").write_text("old")
    release.write(built, tmp_path)
    assert not (tmp_path / "configok-node-0.0.9.tar.gz").exists()


def test_the_artefact_has_what_users_need(artefact: dict[str, tuple[tarfile.TarInfo, bytes]]) -> None:
    assert {name.split("/")[0] for name in artefact} == SHIPPED | {"MANIFEST.json", "FILES.json"}
    superfluous = [
        name
        for name in artefact
        if re.search(r"__pycache__|\.pyc$|\.jsonl|/tests?/|^docs/development|^changelogs/fragments", name)
    ]
    assert superfluous == []
    tracked = {path.relative_to(ROOT).as_posix() for path in (ROOT / "plugins").rglob("*.py")}
    assert {name for name in artefact if name.startswith("plugins/") and name.endswith(".py")} <= tracked


def test_the_artefact_is_consistent_and_says_nothing_of_the_machine(
    artefact: dict[str, tuple[tarfile.TarInfo, bytes]],
) -> None:
    manifest, files = (json.loads(artefact[name][1]) for name in ("MANIFEST.json", "FILES.json"))
    assert manifest["file_manifest_file"]["chksum_sha256"] == hashlib.sha256(artefact["FILES.json"][1]).hexdigest()
    listed = [entry["name"] for entry in files["files"]]
    assert listed == sorted(listed)
    assert set(listed) - {"."} == set(artefact) - {"MANIFEST.json", "FILES.json"}
    for entry in files["files"]:
        if entry["ftype"] == "file":
            assert entry["chksum_sha256"] == hashlib.sha256(artefact[entry["name"]][1]).hexdigest()
    assert list(artefact)[:2] == ["MANIFEST.json", "FILES.json"]
    assert {(entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname) for entry, _content in artefact.values()} == {
        (release.STAMP, 0, 0, "", "")
    }
    assert {entry.mode for entry, _content in artefact.values()} <= {0o755, 0o644}


def test_the_documents_hashes_are_those_of_the_files(built: release.Release, document: Any) -> None:
    agent = next(part for part in document["components"] if part["name"] == "configok-agent")
    for part, name in (
        (document["metadata"]["component"], "configok-node-0.1.0.tar.gz"),
        (agent, "configok-agent.pyz"),
    ):
        digest = hashlib.sha256(built.files[name]).hexdigest()
        assert part["hashes"] == [{"alg": "SHA-256", "content": digest}]
        assert part["licenses"] == [{"license": {"id": "GPL-3.0-or-later"}}]
        assert part["purl"].endswith(f"@0.1.0?checksum=sha256:{digest}")


def test_the_document_names_all_packages_with_their_ranges(document: Any) -> None:
    ranges = {
        part["bom-ref"]: next(value["value"] for value in part["properties"] if value["name"] == "configok:versions")
        for part in document["components"]
        if part["purl"].startswith("pkg:pypi/")
    }
    lines = (ROOT / "meta/ee-requirements.txt").read_text().splitlines()
    control = {f"control:{name}": versions for name, versions in map(split, lines) if name}
    runtime = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())
    assert ranges == {
        **control,
        "control:ansible-core": runtime["requires_ansible"],
        "node:PyYAML": ">=5.4,<7",
        "node:urllib3": ">=1.26",
    }
    depends = {entry["ref"]: set(entry.get("dependsOn", [])) for entry in document["dependencies"]}
    assert depends["configok/configok-agent@0.1.0"] == {"node:PyYAML", "node:urllib3"}
    assert depends["configok/node@0.1.0"] == {"configok/configok-agent@0.1.0"} | {
        name for name in ranges if name.startswith("control:")
    }


def split(line: str) -> tuple[str, str]:
    parts = re.match(r"([\w-]*)(.*)", line)
    assert parts
    return parts[1], parts[2] or "*"


def test_the_nodes_packages_are_those_that_the_role_requires() -> None:
    text = (ROOT / "roles/node/tasks/requirements.yml").read_text()
    assert set(re.findall(r"^ +import (?!sys)(\w+)", text, re.MULTILINE)) == {"yaml", "urllib3"}
    assert "urllib3 1.26 or newer" in text
    assert bill_of_materials.NODE_PACKAGES == {"urllib3": ">=1.26"}


def test_the_schema_of_cyclonedx_accepts_the_document_and_refuses_others(document: Any) -> None:
    assert document["specVersion"] == "1.6"
    assert bill_of_materials.schema_error(json.dumps(document)) is None
    assert bill_of_materials.schema_error(json.dumps({**document, "serialNumber": "urn:uuid:none"})) is not None
    assert bill_of_materials.schema_error(json.dumps({**document, "author": "unknown field"})) is not None


def test_another_content_has_another_serial_number(document: Any) -> None:
    artefacts = bill_of_materials.Artefacts(ROOT, b"collection", b"agent", "0" * 40, 0)
    numbers = {
        json.loads(bill_of_materials.bill_of_materials(value))["serialNumber"]
        for value in (artefacts, artefacts, artefacts._replace(agent=b"another"), artefacts._replace(time=1))
    }
    assert len(numbers) == 3
    assert document["serialNumber"] not in numbers


def test_the_time_is_the_commits_or_the_one_that_is_given(
    clone: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    files = release.build(clone("dated")).files
    assert json.loads(files["configok-node-0.1.0.cdx.json"])["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"


def test_the_line_of_figures_is_complete(built: release.Release) -> None:
    line = release.summary(built, 2.75)
    assert re.fullmatch(
        r"release: 0\.1\.0 of commit [0-9a-f]{12}: collection \d{3} files, [\d,]+ bytes; agent [\d,]+ bytes;"
        r" bill of materials 10 components; 2\.8 s",
        line,
    )
