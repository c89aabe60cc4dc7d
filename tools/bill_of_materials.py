# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe a release as a CycloneDX bill of materials: what it is made of, and what it needs to run.

The same release gives the same text. The serial number is made from the content, and the time is the commit's.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

__all__ = ["NODE_PACKAGES", "RANGE", "Artefacts", "bill_of_materials", "schema_error"]

VERSION = SchemaVersion.V1_6
# What roles/node/tasks/requirements.yml requires. PyYAML's range is the one in pyproject.toml.
NODE_PACKAGES = {"urllib3": ">=1.26"}
# CycloneDX 1.6 has no field for the versions of a package that a component works with.
RANGE = "configok:versions"
SIDE = "configok:installed-on"
COMMIT = "configok:commit"
OPTIONAL = {"jmespath", "tzdata"}
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://github.com/configok/node")


class Artefacts(NamedTuple):
    """What a release consists of, and where it is from."""

    source: Path
    collection: bytes
    agent: bytes
    commit: str
    time: int


def bill_of_materials(artefacts: Artefacts) -> str:
    """Return the document as JSON."""
    galaxy = yaml.safe_load((artefacts.source / "galaxy.yml").read_text(encoding="utf-8"))
    collection = _own(galaxy, artefacts, "node", ComponentType.LIBRARY, artefacts.collection)
    agent = _own(galaxy, artefacts, "configok-agent", ComponentType.APPLICATION, artefacts.agent)
    control = [_package(name, versions, "control machine") for name, versions in _control_packages(artefacts.source)]
    nodes = [_package(name, versions, "node") for name, versions in _node_packages(artefacts.source)]
    bom = Bom(components=[agent, *control, *nodes])
    bom.metadata = BomMetaData(
        component=collection,
        timestamp=datetime.fromtimestamp(artefacts.time, tz=timezone.utc),
        properties=[Property(name=COMMIT, value=artefacts.commit)],
    )
    bom.dependencies.update(
        [
            Dependency(collection.bom_ref, [Dependency(part.bom_ref) for part in [agent, *control]]),
            Dependency(agent.bom_ref, [Dependency(package.bom_ref) for package in nodes]),
        ]
    )
    bom.serial_number = uuid.UUID(int=0)
    digest = hashlib.sha256(_text(bom).encode()).hexdigest()
    bom.serial_number = uuid.uuid5(NAMESPACE, digest)
    return _text(bom)


def schema_error(text: str) -> str | None:
    """Return what the schema of CycloneDX, with no unknown fields allowed, refuses in a document; else None."""
    error = JsonStrictValidator(VERSION).validate_str(text)
    return str(error) if error else None


def _text(bom: Bom) -> str:
    text: str = make_outputter(bom, OutputFormat.JSON, VERSION).output_as_string(indent=2)
    return text + "\n"


def _own(galaxy: dict[str, Any], artefacts: Artefacts, name: str, kind: ComponentType, content: bytes) -> Component:
    digest = hashlib.sha256(content).hexdigest()
    group, version = str(galaxy["namespace"]), str(galaxy["version"])
    source = ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(galaxy["repository"]))
    return Component(
        name=name,
        group=group,
        version=version,
        type=kind,
        bom_ref=f"{group}/{name}@{version}",
        description=str(galaxy["description"]) if name == galaxy["name"] else "The agent on nodes, as one archive",
        licenses=[DisjunctiveLicense(id=str(galaxy["license"][0]))],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
        purl=PackageURL("generic", group, name, version, {"checksum": f"sha256:{digest}"}),
        external_references=[source],
    )


def _package(name: str, versions: str, side: str) -> Component:
    return Component(
        name=name,
        type=ComponentType.LIBRARY,
        bom_ref=f"{side.split(maxsplit=1)[0]}:{name}",
        scope=ComponentScope.OPTIONAL if name in OPTIONAL else ComponentScope.REQUIRED,
        purl=PackageURL("pypi", None, name.lower()),
        properties=[Property(name=RANGE, value=versions or "*"), Property(name=SIDE, value=side)],
    )


def _control_packages(source: Path) -> list[tuple[str, str]]:
    runtime = yaml.safe_load((source / "meta/runtime.yml").read_text(encoding="utf-8"))
    lines = (source / "meta/ee-requirements.txt").read_text(encoding="utf-8").splitlines()
    packages = [_split(line) for line in lines if line and not line.startswith("#")]
    return [("ansible-core", str(runtime["requires_ansible"])), *packages]


def _node_packages(source: Path) -> list[tuple[str, str]]:
    # tomllib is for Python 3.11 and newer.
    project = (source / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = re.search(r"^dependencies = \[(.*)\]$", project, re.MULTILINE)
    if not dependencies:
        raise ValueError("pyproject.toml: dependencies are not on one line: see tools/bill_of_materials.py")
    return [*map(_split, re.findall(r'"([^"]+)"', dependencies[1])), *NODE_PACKAGES.items()]


def _split(requirement: str) -> tuple[str, str]:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    if not name:
        raise ValueError(f"{requirement} is not a requirement")
    return name[0], requirement[name.end() :].strip()
