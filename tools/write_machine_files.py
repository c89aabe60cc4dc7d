# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the JSON schema of Machine files, for editors, and the page about their fields, from schema/.

    python tools/write_machine_files.py [--check]

With --check, exits with 1 if one of them is out of date. The schema is draft-07, which editors know best. It refuses
unknown fields and wrong types. What depends on other objects only the collection can check.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FACTS = ROOT / "schema"
SCHEMA = ROOT / "docs/reference/machines.schema.json"
PAGE = ROOT / "docs/reference/machine-files.md"
SCHEMA_URL = "https://raw.githubusercontent.com/configok/node/main/docs/reference/machines.schema.json"

OBJECTS = ("Machine", "MachineSet", "Cluster", "Provider")
CHECKED = json.loads((FACTS / "machines_validation_rules.json").read_text(encoding="utf-8"))["kinds"]
CONFIGS = tuple(kind for kind in CHECKED if kind not in OBJECTS)  # of the shipped providers
DNS_NAME = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
WHOLE_VERSION = r"^v?1\.[0-9]{1,3}\.[0-9]{1,3}([-+~][0-9A-Za-z.+~-]*)?$"
CONFIG_FIELD = "providerConfig"
SIMPLE_TYPES: Mapping[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "enum": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer"},
    "any": {},
}
# Constraints of fields, by the end of their path.
CONSTRAINTS: Mapping[str, dict[str, Any]] = {
    "metadata.name": {"pattern": DNS_NAME, "maxLength": 253},
    "versions.kubelet": {"pattern": WHOLE_VERSION},
    "spec.kubernetesVersion": {"pattern": WHOLE_VERSION},
    "spec.endpoint": {"pattern": "^https://"},
    "port": {"minimum": 1, "maximum": 65535},
    "archives[].sha256": {"pattern": "^[0-9a-fA-F]{64}$"},
}

BEGINNING = """\
# Fields of Machine files

This page is generated from the facts that also check the files. `configok.node.component_config_explain` with
`kind: Machine` shows the same, with the rules for each field.

An editor that knows JSON schemas checks and completes the fields with
[machines.schema.json](machines.schema.json). For the YAML language server, write this line into a file:

```yaml
# yaml-language-server: $schema={url}
```

A file has one or more objects, with `---` between them, or a `List` of them. A directory stands for its `*.yaml`,
`*.yml` and `*.json` files. Unknown fields and duplicate keys are errors. All errors of all files are reported together.
"""


def documents(facts: Path) -> dict[str, dict[str, Any]]:
    """Return the facts about the kinds of Machines, by kind."""
    decoded = (json.loads(path.read_text(encoding="utf-8")) for path in sorted(facts.glob("*.*.json")))
    return {document["kind"]: document for document in decoded if document["component"] == "machines"}


def json_schema(kinds: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON schema of one document of a Machine file."""
    definitions: dict[str, Any] = {}
    for name in OBJECTS:
        definitions[name] = _object(kinds[name])
    for name in CONFIGS:
        definitions[name] = _object(kinds[name])
        definitions[f"{name}Template"] = _object(kinds[name], is_template=True)
    group = kinds[CONFIGS[0]]["apiVersion"].partition("/")[0]
    definitions["ownConfig"] = {
        "type": "object",
        "description": "The config of a provider of one's own, which a Provider object declares.",
        "properties": {
            "apiVersion": {"type": "string", "not": {"pattern": f"^{re.escape(group)}/"}},
            "kind": {"type": "string"},
        },
        "required": ["apiVersion", "kind"],
    }
    definitions["clusterAPI"] = {
        "type": "object",
        "description": "An object of Cluster API, which is only read.",
        "properties": {"apiVersion": {"type": "string", "pattern": r"^([a-z0-9.-]+\.)?cluster\.x-k8s\.io/"}},
        "required": ["apiVersion", "kind"],
    }
    objects = [{"$ref": f"#/definitions/{name}"} for name in (*OBJECTS, "clusterAPI")]
    definitions["List"] = {
        "type": "object",
        "properties": {
            "apiVersion": {"const": "v1"},
            "kind": {"const": "List"},
            "metadata": {"type": "object"},
            "items": {"type": "array", "items": {"oneOf": objects}},
        },
        "required": ["apiVersion", "kind", "items"],
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SCHEMA_URL,
        "title": "Machine files of configok.node",
        "oneOf": [*objects, {"$ref": "#/definitions/List"}],
        "definitions": definitions,
    }


def _object(document: Mapping[str, Any], *, is_template: bool = False) -> dict[str, Any]:
    """Return the schema of one kind. is_template: whether the hosts of a MachineSet may have its required fields."""
    head = {"apiVersion": {"const": document["apiVersion"]}, "kind": {"const": document["kind"]}}
    schema = _fields(document["fields"], "")
    schema["description"] = document["description"]
    schema["properties"] = {**head, **schema["properties"]}
    schema["required"] = [*head, *(() if is_template else schema.get("required", ()))]
    return schema


def _fields(rows: Mapping[str, Mapping[str, Any]], parent: str) -> dict[str, Any]:
    """Return the schema of an object at a path."""
    properties, required = {}, []
    for path, row in rows.items():
        if path.startswith(parent) and re.fullmatch(r"[^.\[\]{}]+", path[len(parent) :]):
            properties[row["name"]] = _field(rows, path, row)
            if not row["optional"]:
                required.append(row["name"])
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if {"pool", "configSource"} <= properties.keys():
        schema["not"] = {"required": ["pool", "configSource"]}
    return schema


def _field(rows: Mapping[str, Mapping[str, Any]], path: str, row: Mapping[str, Any]) -> dict[str, Any]:
    constraints = next((value for end, value in CONSTRAINTS.items() if f".{path}".endswith(f".{end}")), {})
    schema: dict[str, Any] = {"description": row["description"], **_type(rows, path, row["type"]), **constraints}
    if "enum" in row:
        schema["enum"] = row["enum"]
    if row.get("nullable") and isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
    if "default" in row:
        schema["default"] = row["default"]
    if row["name"] == CONFIG_FIELD:
        suffix = "Template" if "template." in path else ""
        names = [*(f"{name}{suffix}" for name in CONFIGS), "ownConfig"]
        return {"description": row["description"], "oneOf": [{"$ref": f"#/definitions/{name}"} for name in names]}
    if path == "spec.hosts":
        schema["items"] = {
            "type": "object",
            "properties": {
                "name": {"type": "string", "pattern": DNS_NAME, "description": "The name of the Machine and its Node."},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "required": ["name"],
        }
    return schema


def _type(rows: Mapping[str, Mapping[str, Any]], path: str, type_name: str) -> dict[str, Any]:
    if type_name == "object":
        return _fields(rows, f"{path}.")
    if type_name == "list<object>":
        return {"type": "array", "items": _fields(rows, f"{path}[].")}
    if type_name.startswith("list<"):
        return {"type": "array", "items": _type(rows, path, type_name[5:-1])}
    if type_name.startswith("map<"):
        return {"type": "object", "additionalProperties": _type(rows, path, type_name[4:-1]) or True}
    return dict(SIMPLE_TYPES[type_name])


def page(kinds: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page about the fields."""
    lines = [BEGINNING.format(url=SCHEMA_URL)]
    for name in (*OBJECTS, *CONFIGS):
        document = kinds[name]
        lines += [f"## {name}", "", f"`{document['apiVersion']}`. {document['description']}", ""]
        lines += ["| field | type | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [*_rows(document), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _rows(document: Mapping[str, Any]) -> Iterator[str]:
    for path, row in document["fields"].items():
        if path.startswith("spec.template.spec."):
            continue  # as in a Machine
        default = f"`{json.dumps(row['default'])}`" if "default" in row else "" if row["optional"] else "required"
        values = f" One of {', '.join(f'`{value}`' for value in row['enum'])}." if "enum" in row else ""
        same = " The fields are those of a Machine's spec." if path == "spec.template.spec" else ""
        text = f"{row['description']}{values}{same}".replace("|", "\\|").replace("<", "&lt;")
        yield f"| `{path}` | {row['type'].replace('<', '&lt;')} | {default} | {text} |"


def main() -> int:
    """Write or check the files; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only report what is out of date")
    check = parser.parse_args().check
    kinds = documents(FACTS)
    texts = {
        SCHEMA: json.dumps(json_schema(kinds), indent=1, ensure_ascii=False) + "\n",
        PAGE: page(kinds),
    }
    stale = [path for path, text in texts.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not up to date: run make docs", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(texts[path], encoding="utf-8")
    print(f"make docs: {len(kinds)} kinds in {PAGE.relative_to(ROOT)} and {SCHEMA.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
