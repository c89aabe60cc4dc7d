# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for every file of the repository that no linter checks."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.plugin_utils._pack import pack

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 500
HEADER = (
    "# Copyright (c) ",
    "# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)",
    "# SPDX-License-Identifier: GPL-3.0-or-later",
)
# Home directories and package indexes of a developer's machine, and other local configuration.
OF_ONE_MACHINE = re.compile(
    r"/(?:root|home/(?!kubernetes/)[a-z]+)/\w|(?<![\w/.])/work/\w|/tmp/(?:work|bash)\w*|pypi\.(?:org|python)|pythonhosted|deb\.debian\.org"
)


def tracked(*patterns: str) -> list[Path]:
    """Return the tracked and untracked (but not ignored) files, or those that match."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def named(paths: list[Path]) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def without_header(path: Path) -> bool:
    top = lines(path)[:4]
    if top and top[0].startswith("#!"):
        top = top[1:]
    return len(top) < 3 or not top[0].startswith(HEADER[0]) or tuple(top[1:3]) != HEADER[1:]


def imported(path: Path) -> set[str]:
    """Return the top-level names of all imports of a file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
    return {name.split(".")[0] for name in names}


def private_imports(path: Path) -> list[str]:
    """Return the private names that a file imports from another one. Modules may be private: those are files."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            last = (node.module or "").rpartition(".")[2]
            folders = [path.parent] if node.level == 1 else list(path.parents)
            names += [
                alias.name
                for alias in node.names
                if alias.name.startswith("_")
                and alias.name != "__version__"
                and not any(is_module(folder / last, alias.name) for folder in folders)
                and not is_module(ROOT.joinpath(*(node.module or "").split(".")[3:]), alias.name)
            ]
    return names


def is_module(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (folder / name).is_dir()


def test_every_python_file_has_the_licence_header() -> None:
    assert named([path for path in tracked("*.py") if without_header(path)]) == []


def test_every_python_file_postpones_annotations() -> None:
    statement = "from __future__ import annotations"
    files = [path for path in tracked("*.py") if path.name != "__init__.py"]
    assert named([path for path in files if statement not in lines(path)]) == []


def test_a_private_name_is_used_in_its_own_file_only() -> None:
    files = tracked("plugins/*.py", "roles/*.py", "playbooks/*.py", "tools/*.py")
    assert {str(path.relative_to(ROOT)): names for path in files if (names := private_imports(path))} == {}


def test_a_private_name_that_another_file_imports_is_found(tmp_path: Path) -> None:
    (tmp_path / "_module.py").write_text("", encoding="utf-8")
    (tmp_path / "user.py").write_text("from . import _module\nfrom ._module import _name, name\n", encoding="utf-8")
    assert private_imports(tmp_path / "user.py") == ["_name"]


def test_files_of_the_collection_stay_short() -> None:
    # Generated data may be longer.
    files = [path for path in tracked("plugins/*.py") if "_data" not in path.relative_to(ROOT).parts]
    assert named([path for path in files if len(lines(path)) > MOST_LINES]) == []


def test_a_digit_is_one_of_ten() -> None:
    """Go, the kernel and systemd accept no others; Python accepts the digits of all scripts."""
    careless = re.compile(r"^(?!.*re\.ASCII).*\\d|^(?!.*isascii).*\.is(?:digit|decimal|numeric)\(", re.MULTILINE)
    files = [path for path in tracked("plugins/*.py", "roles/*.py") if "_data" not in path.relative_to(ROOT).parts]
    assert named([path for path in files if careless.search(path.read_text(encoding="utf-8"))]) == []


def test_only_one_file_imports_the_kubernetes_package() -> None:
    # import-linter sees the packages of module_utils; this sees modules, action plugins and roles too.
    files = tracked("plugins/*.py", "roles/*.py", "playbooks/*.py")
    assert set(named([path for path in files if "kubernetes" in imported(path)])) <= {
        "plugins/module_utils/_kube/user_credentials.py"
    }


def test_nothing_names_the_machine_it_was_written_on() -> None:
    matches = []
    for path in tracked():
        if path == Path(__file__).resolve():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not a text file
        matches += [f"{path.relative_to(ROOT)}: {match[0]}" for match in OF_ONE_MACHINE.finditer(text)]
    assert matches == []


def test_the_artifact_holds_what_a_collection_is_made_of_and_nothing_of_the_workshop() -> None:
    ignored = set(yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["build_ignore"])
    shipped = {"CHANGELOG.md", "COPYING", "README.md", "awx", "changelogs", "docs", "galaxy.yml", "meta", "playbooks"}
    shipped |= {"extensions", "plugins", "roles"}  # of extensions, the event source; Molecule's scenarios are ignored
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert names - shipped - ignored == set()
    assert shipped & ignored == set()


def test_a_collection_of_its_shipped_directories_alone_is_whole(tmp_path: Path) -> None:
    # A control plane may install only meta, plugins, roles and playbooks, so they must not use files outside of them.
    inside = {"meta", "playbooks", "plugins", "roles"}
    for path in tracked(*inside):
        if path.is_symlink():
            target = path.resolve()
            assert target.relative_to(ROOT).parts[0] in inside, path
        copied = tmp_path / path.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copied, follow_symlinks=False)
    assert {path.name for path in tmp_path.iterdir()} == inside
    assert pack(tmp_path) == pack(ROOT)


@pytest.mark.parametrize("fragment", ["configok.node.kube", "configok.node.attributes.actiongroup_configok"])
def test_the_action_group_is_the_modules_that_reach_the_api_server(fragment: str) -> None:
    # A default of the group applies to all its members, and those without the option would refuse it.
    group = yaml.safe_load((ROOT / "meta/runtime.yml").read_text(encoding="utf-8"))["action_groups"]["configok"]
    modules = [path.stem for path in tracked("plugins/modules/*.py") if f"- {fragment}\n" in path.read_text("utf-8")]
    assert sorted(group) == sorted(modules)


def test_the_changelog_names_all_modules_roles_and_playbooks() -> None:
    # antsibull-changelog finds modules and roles on its own, but playbooks only in fragments.
    releases = yaml.safe_load((ROOT / "changelogs/changelog.yaml").read_text(encoding="utf-8"))["releases"].values()
    news: dict[str, set[str]] = {"module": set(), "role": set(), "playbook": set()}
    for release in releases:
        news["module"] |= {module["name"] for module in release.get("modules", [])}
        for kind in ("role", "playbook"):
            news[kind] |= {item["name"] for item in release.get("objects", {}).get(kind, [])}
    assert news["module"] == {path.stem for path in tracked("plugins/modules/*.py")}
    assert news["role"] == {path.parent.name for path in (ROOT / "roles").glob("*/meta")}
    assert news["playbook"] == {path.stem for path in (ROOT / "playbooks").glob("*.yml")}
