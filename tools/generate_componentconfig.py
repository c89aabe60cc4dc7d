# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write plugins/module_utils/_componentconfig/_data from schema/; with --check, only report whether it is up to date.

A module ships Python only, so the facts are shipped as JSON in Python strings: compact, parsed when first used, and
cheap to import. To add a Kubernetes release, add its files to schema/ and run this program.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "schema"
OUTPUT = ROOT / "plugins" / "module_utils"
DATA = "_componentconfig/_data"
WIDTH = 118

CLIENTS = ("kube-controller-manager", "controller-manager", "kubectl", "client")
"""The components whose kinds no daemon reads from --config: they share a file of _data, others have one each."""

ETCD = "etcd"
"""The component with flags and releases of its own."""

# Machines and what belongs to them. No component reads them: their package declares them to the engine, and has their
# index, fields and rules in one file.
MACHINES = "machines"
MACHINES_DATA = "_machine_kinds/_data.py"

# The kubelet applies the rules of these kinds, which have their own file in schema/.
RULES_OF_KUBELET = ("credential_provider",)

# The tables of values_by_minor.json that the kubelet's rules need. The others have values of fields, as the kinds do.
TABLES_OF_KUBELET = (
    "cpuManagerPolicyOptions",
    "topologyManagerPolicyOptions",
    "evictionSignals",
    "reservedResourceKeys",
    "tlsMinVersion",
)

HEADER = '''# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""{title} as JSON."""

from __future__ import annotations
'''

CONSTANT = '''
{name} = r"""
{body}
"""
'''

# A piece that must not be broken: everything up to a comma or colon between two JSON values, with whole strings.
PIECE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^",:])*[,:]?')


def minor(version: str) -> int:
    """Return the minor of a version: 27 for 1.27."""
    major, number = version.split(".")
    if major != "1":
        raise ValueError(f"not a minor of Kubernetes 1: {version}")
    return int(number)


def history(rows: list[list[Any]]) -> list[list[Any]]:
    """Return rows of version and value, with the version as a number."""
    return [[minor(row[0]), row[1]] for row in rows]


def wrap(data: Any) -> str:
    """Return compact JSON, broken into lines of at most WIDTH characters."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    lines, line = [], ""
    for part in PIECE.findall(text):
        if line and len(line) + len(part) > WIDTH:
            lines.append(line)
            line = ""
        line += part
    lines.append(line)
    body = "\n".join(lines)
    if json.loads(body) != data or '"""' in body:
        raise ValueError("the data cannot be wrapped without changing them")
    return body


def field_entry(row: dict[str, Any], around: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a field, without the usual values: type string, and what the row of the object around says.

    around: the row of that object, or for a field of the document its first minor as "since".
    """
    entry: dict[str, Any] = {}
    if row["type"] != "string":
        entry["type"] = row["type"]
    if row.get("nullable"):
        entry["nullable"] = 1
    if row["since"] != around["since"]:
        entry["since"] = minor(row["since"])
    if "last" in row:
        entry["last"] = minor(row["last"])
    for key in ("enum", "enumLevel", "default", "defaultFrom", "defaultAddedBy", "os"):
        if key in row:
            entry[key] = row[key]
    for key in ("type", "enum", "default", "nullable"):
        if f"{key}History" in row:
            entry[f"{key}s"] = history(row[f"{key}History"])
    if "description" in row:
        entry["description"] = prose(row["description"])
    if gates_of(row) != gates_of(around):
        entry["gates"] = gates_of(row)
    return entry


def gates_of(row: dict[str, Any]) -> list[str]:
    """Return the feature gates that a field depends on."""
    return sorted({mention["gate"] for mention in row.get("gates", ())})


def kind_entry(document: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a kind. An object, or a list or map of objects, has its fields in a nested `fields`.

    The entry of an object with fields has no type. A field has the first minor and the gates of the object around it
    unless it has its own.
    """
    document_row = {"since": document["minors"][0]}
    rows = {re.sub(r"(\[\]|\{\})", "", path): row for path, row in document["fields"].items()}
    entries: dict[str, Any] = {"": {"fields": {}}}
    for path, row in rows.items():
        parent, _dot, name = path.rpartition(".")
        if name != row["name"]:
            raise ValueError(f"{document['kind']}: {path} ends in a name different from {row['name']}")
        entries[path] = field_entry(row, rows.get(parent, document_row))
        if document["component"] == MACHINES and row.get("optional"):
            entries[path]["optional"] = 1  # of the other kinds, rules say what is required
        if entries[parent].get("type") == "object":
            del entries[parent]["type"]
        entries[parent].setdefault("fields", {})[name] = entries[path]
    description = {"description": prose(document["description"])} if "description" in document else {}
    unread = {"unread": minor(document["fieldsUnreadSince"])} if "fieldsUnreadSince" in document else {}
    return {**description, **unread, **entries[""]}


def grouped(rows: dict[str, Any]) -> list[list[Any]]:
    """Return rows by name as pairs, each row once with all names that have it."""
    names: dict[str, list[str]] = {}
    for name, row in rows.items():
        names.setdefault(json.dumps(row), []).append(name)
    return [[group, json.loads(row)] for row, group in names.items()]


def by_version(index: dict[str, dict[str, Any]]) -> dict[str, list[list[Any]]]:
    """Return the index of kinds by API version: rows of data module, component, first and last minor."""
    return {api_version: grouped(rows) for api_version, rows in sorted(index.items())}


SHORTEST_SHAPE = 60  # characters of JSON: a shorter one is not worth a name


class Shapes:
    """What fields of kinds have in common, written once: the entries of namesakes, and the fields of objects.

    `shapes` has them by name. Where a kind has an entry or `fields`, a string stands for the shape of that name.
    """

    def __init__(self, kinds: dict[str, Any]) -> None:
        self.shapes: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._times: Counter[str] = Counter()
        for kind in kinds.values():
            self._count(kind["fields"])

    def _count(self, fields: dict[str, Any]) -> None:
        self._times[json.dumps(fields)] += 1
        if self._times[json.dumps(fields)] > 1:
            return  # what it holds is written once, however often it occurs itself
        for name, entry in fields.items():
            text = f"{name} {json.dumps(entry)}"
            self._times[text] += 1
            if "fields" in entry and self._times[text] == 1:
                self._count(entry["fields"])

    def entry(self, entry: dict[str, Any], name: str) -> dict[str, Any] | str:
        """Return the entry of the field of that name, with shapes for what it shares, or the shape that it is."""
        inner = {"fields": self.fields(entry["fields"], name)} if "fields" in entry else {}
        return self._named(f"{name} {json.dumps(entry)}", {**entry, **inner}, name)

    def fields(self, fields: dict[str, Any], name: str) -> dict[str, Any] | str:
        """Return fields with shapes for what they share, or the shape that they are. name: of their field or kind."""
        inner = {field: self.entry(entry, field) for field, entry in fields.items()}
        return self._named(json.dumps(fields), inner, name)

    def _named(self, text: str, content: dict[str, Any], name: str) -> dict[str, Any] | str:
        if self._times[text] < 2 or len(text) < SHORTEST_SHAPE:
            return content
        if text not in self._names:
            taken = sum(shape.rstrip("0123456789") == name for shape in self.shapes)
            self._names[text] = f"{name}{taken + 1}" if taken else name
            self.shapes[self._names[text]] = content
        return self._names[text]


def with_shapes(kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the kinds of a module as "kinds", and as "shapes" what their fields share."""
    shared = Shapes(kinds)
    short = {key: {**kind, "fields": shared.fields(kind["fields"], key.split(" ")[-1])} for key, kind in kinds.items()}
    return {"shapes": shared.shapes, "kinds": short}


# The layers without which nothing is judged by a release's own data; meanings are only for an upgrade.
JUDGED_LAYERS = ("fields", "defaults", "gates", "flags", "rules")


def release_layers(schema: Path) -> dict[int, dict[str, list[Any]]]:
    """Return for each minor the layers of its data, as rows: whether a layer is whole, its source and its month."""
    document = json.loads((schema / "releases.json").read_text(encoding="utf-8"))
    return {
        minor(release): {
            layer: [int(not row.get("part", False)), row["source"], row["date"]] for layer, row in layers.items()
        }
        for release, layers in document["releases"].items()
    }


def minors_with(schema: Path, *layers: str) -> list[int]:
    """Return the minors of which all of these layers are whole."""
    known = release_layers(schema)
    return sorted(number for number, rows in known.items() if all(rows.get(layer, [0])[0] for layer in layers))


# The default and the lock that most gates of a stage have.
USUAL_STATES = {"Alpha": [0, 0], "Beta": [1, 0], "GA": [1, 1], "Deprecated": [0, 0]}


def gates(schema: Path) -> dict[str, Any]:
    """Return the rows [minor, stage, default, locked] of each gate: one per change, only [minor] for a removal.

    A row has no default and lock if they are the usual ones of the stage.
    """
    by_minor = json.loads((schema / "feature_gates_by_minor.json").read_text(encoding="utf-8"))
    states = json.loads((schema / "feature_gates.json").read_text(encoding="utf-8"))
    minors = minors_with(schema, "gates")
    names = sorted({name for number in minors for name in by_minor[f"1.{number}"]["gates"]})
    histories: dict[str, list[list[Any]]] = {}
    for name in names:
        rows: list[list[Any]] = []
        for number in minors:
            state: list[Any] = []
            if name in by_minor[f"1.{number}"]["gates"]:
                # The states by minor are those of the tree copies; the history omits a fork's early default.
                stage, default, locked = [row[1] for row in states[name]["tree"] if minor(row[0]) <= number][-1]
                switch = [int(bool(default)), int(bool(locked))]
                state = [stage] if switch == USUAL_STATES[stage] else [stage, *switch]
            if state != (rows[-1][1:] if rows else []):
                rows.append([number, *state])
        histories[name] = rows
    return {"usual": USUAL_STATES, "gates": grouped(histories), "needs": gate_dependencies(schema)}


def gate_dependencies(schema: Path) -> dict[str, list[list[Any]]]:
    """Return the gates that each gate depends on: rows of a minor, one per change, and the gates from it on."""
    needs = json.loads((schema / "feature_gate_dependencies.json").read_text(encoding="utf-8"))
    tables = {minor(key): table for key, table in needs.items() if key.startswith("1.")}
    histories: dict[str, list[list[Any]]] = {gate: [] for table in tables.values() for gate in table}
    for gate, rows in histories.items():
        for number, table in sorted(tables.items()):
            if table.get(gate, []) != (rows[-1][1] if rows else []):
                rows.append([number, table.get(gate, [])])
    return histories


def rule_rows(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the rules by id: first and last minor, gate, operating system and fields, without their descriptions."""
    result: dict[str, Any] = {}
    for row in rows:
        entry: dict[str, Any] = {"fields": row["fields"]}
        for key in ("since", "last", "unread"):
            if key in row:
                entry[key] = minor(row[key])
        for key in ("gate", "os", "level", "flags", "each"):
            if key in row:
                entry[key] = row[key]
        if "os" in entry:
            entry["os"] = entry["os"].split(", ")
        result[row["id"]] = entry
    return result


def validation_rules(schema: Path) -> dict[str, dict[str, Any]]:
    """Return for each component the rules of its kinds by id, and as "values" the tables that they need."""
    kubelet = json.loads((schema / "kubelet_validation_rules.json").read_text(encoding="utf-8"))
    proxy = json.loads((schema / "kubeproxy_validation_rules.json").read_text(encoding="utf-8"))
    tables = json.loads((schema / "values_by_minor.json").read_text(encoding="utf-8"))
    result = {
        "kubelet": {
            "kubelet": rule_rows(kubelet["rules"]),
            "kubeletStart": rule_rows(kubelet["startupChecks"]),
            "values": values_by_minor({name: tables[name] for name in TABLES_OF_KUBELET}),
        },
        "kube_proxy": {"kubeProxy": rule_rows(proxy["rules"])},
    }
    for path in sorted(schema.glob("*_validation_rules.json")):
        name = path.name.replace("_validation_rules.json", "")
        if name in RULES_OF_KUBELET:
            rules = rules_by_kind(path)
            values = rules.pop("values")
            result["kubelet"].update(rules)
            result["kubelet"]["values"].update(values)
        elif name not in ("kubelet", "kubeproxy", MACHINES):
            result["clients" if name == "client" else name] = rules_by_kind(path)
    add_plausible_sizes(schema, result)
    return result


SIZES = "plausible-size"
"""The id of the rules about plausible_quantities.json, and the name of their table of values."""

# The sections of rules that do not have the kind's name.
SECTIONS = {"KubeletConfiguration": "kubelet", "KubeProxyConfiguration": "kubeProxy"}


def add_plausible_sizes(schema: Path, rules: dict[str, dict[str, Any]]) -> None:
    """Add to the rules of each component the dimensions of its fields, and to the rule about them these fields.

    The table has the dimensions by name, and the fields of each one by section.
    """
    facts = json.loads((schema / "plausible_quantities.json").read_text(encoding="utf-8"))
    for kind, fields in facts["fields"].items():
        section = SECTIONS.get(kind, kind)
        component = next(sections for sections in rules.values() if section in sections)
        sizes = component.setdefault("values", {}).setdefault(SIZES, {"dimensions": {}, "fields": {}})
        sizes["dimensions"].update({name: facts["dimensions"][name] for name in fields})
        sizes["fields"][section] = fields
        component[section][SIZES]["fields"] = sorted({path for paths in fields.values() for path in paths})


def values_by_minor(values: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of values; those by version have a row for each change, with the minor as key."""
    result = dict(values)
    for name, table in values.items():
        if isinstance(table, dict) and all(key.startswith("1.") for key in table):
            rows = sorted((minor(key), value) for key, value in table.items())
            earlier = [None, *(value for _minor, value in rows)]
            result[name] = {str(number): value for (number, value), last in zip(rows, earlier) if value != last}
    return result


def rules_by_kind(path: Path) -> dict[str, Any]:
    """Return the rules of one file by kind and id, and as "values" the tables that they need."""
    document = json.loads(path.read_text(encoding="utf-8"))
    sections = {kind: rule_rows(rows) for kind, rows in document["kinds"].items()}
    return {**sections, "values": values_by_minor(document.get("values", {}))}


# The first word of `reload` in a row of change_impact.json, and the class that it means.
RELOADS = {"restart": "restart", "process": "restart", "live": "live", "none": "none"}


def prose(text: str) -> list[str]:
    """Return a sentence in pieces that fit a line; joining them with spaces returns the sentence."""
    return textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)


def disruption(schema: Path) -> dict[str, Any]:
    """Return the disruption of a change: classes from the lightest on, fields of the kubelet, files of other kinds."""
    impact = json.loads((schema / "change_impact.json").read_text(encoding="utf-8"))
    conditions = json.loads((schema / "change_conditions.json").read_text(encoding="utf-8"))
    files: dict[str, Any] = {}
    for row in impact["files"]:
        since = re.search(r"\((1\.\d+)\+\)", row["reload"])
        entry: dict[str, Any] = {"class": RELOADS[re.split(r"\W", row["reload"])[0]]}
        if row["reload"] != entry["class"]:
            entry["note"] = prose("; ".join(row[key] for key in ("reload", "note") if key in row))
        if since:
            entry["since"] = minor(since.group(1))
        for kind in re.split(r", |/", row["config"]):
            files[kind.split(" ")[-1]] = entry
    fields: dict[str, Any] = {}
    for row in _with_kinds(impact):
        fields.setdefault(row["kind"], {})[row["field"]] = {
            key: prose(row[key]) if key == "note" else row[key]
            for key in ("class", "note", "stateFile", "peer", "when")
            if key in row
        }
    return {
        "classes": {name: prose(meaning) for name, meaning in impact["classes"].items()},
        "fields": {kind: grouped(rows) for kind, rows in fields.items()},
        "conditions": [condition(row) for row in _with_kinds(conditions)],
        "files": grouped(files),
    }


def _with_kinds(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [*({"kind": "KubeletConfiguration", **row} for row in document["kubelet"]), *document["otherKinds"]]


def condition(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of change_conditions.json, with versions as numbers and long sentences in pieces."""
    entry = dict(row)
    for key in ("since", "last"):
        if key in row:
            entry[key] = minor(row[key])
    if "note" in row:
        entry["note"] = prose(row["note"])
    return entry


def flag_entry(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a flag, with versions as numbers and long sentences in pieces.

    Its "field" is true if the field has the name of the flag in camel case.
    """
    entry = {key: value for key, value in row.items() if row["type"] != "string" or key != "type"}
    first, *words = name.split("-")
    if row.get("field") == first + "".join(word.capitalize() for word in words):
        entry["field"] = True
    for key in ("since", "last", "winsOverFile"):
        if key in row:
            entry[key] = minor(row[key])
    for key in ("gone", "refused", "refusedEmpty"):
        if key in row:
            entry[key] = prose(row[key])
    if "defaultHistory" in row:
        entry["defaults"] = history(entry.pop("defaultHistory"))
    if "ownDefaultHistory" in row:
        entry["ownDefaults"] = history(entry.pop("ownDefaultHistory"))
    if "with" in row:
        entry["with"] = [{**variant, "since": minor(variant["since"])} for variant in row["with"]]
    return entry


def flags(schema: Path) -> dict[str, Any]:
    """Return for each component whether it ignores flags when it has a config file, its reasons and its flags."""
    result: dict[str, Any] = {}
    closed = {(row["component"], row["flag"]): closed_values(row) for row in control_plane_options(schema)}
    for path in sorted(schema.glob("*_flags.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        component = document["component"]
        result[component] = {
            "ignoresFlags": document.get("ignoresFlags", False),
            "reasons": {name: prose(text) for name, text in document["reasons"].items()},
            "flags": grouped(
                {
                    name: {**flag_entry(name, row), **closed.get((component, name), {})}
                    for name, row in document["flags"].items()
                }
            ),
        }
    return result


def control_plane_options(schema: Path) -> list[dict[str, Any]]:
    """Return the options of the control plane's components and kube-proxy."""
    return list(json.loads((schema / "control_plane_options.json").read_text(encoding="utf-8")))


def closed_values(row: dict[str, Any]) -> dict[str, Any]:
    """Return the values that an option takes as "values": rows of the first minor and a list; {} if it takes any."""
    if "values" not in row:
        return {}
    unset = [""] if row.get("default") == "" else []  # an empty value is the default, written out
    rows = row.get("valuesBy", {"1.20": row["values"]})
    return {"values": [[minor(since), [*unset, *values]] for since, values in rows.items()]}


def control_plane_flags(schema: Path) -> dict[str, Any]:
    """Return the flags of the components without a file of flags: by form, names or rows.

    "own" has them by component, without those that all of Kubernetes' components have alike, which are "shared".
    "ownReleases" are the components whose flags do not follow from the minor. "until" is the last minor that was read.
    A row is name, first minor, last minor or null, and closed values if there are any. A name stands for a row of a
    flag that all minors have and that takes any value.
    """
    known = {json.loads(path.read_text(encoding="utf-8"))["component"] for path in schema.glob("*_flags.json")}
    options = [row for row in control_plane_options(schema) if row["component"] not in known]
    components = {row["component"] for row in options}
    sharing = components - {ETCD}
    readers: dict[str, set[str]] = {}
    entries = []
    for row in options:
        last = minor(row["until"]) if "until" in row else None
        values = closed_values(row).get("values")
        entry: list[Any] = [row["flag"], minor(row["since"]), last, *([values] if values else [])]
        is_plain = entry[1:] == [minor("1.20"), None]
        entries.append((row["component"], row["type"], row["flag"] if is_plain else entry))
        if row["component"] in sharing:
            readers.setdefault(json.dumps(entries[-1][1:]), set()).add(row["component"])
    shared: dict[str, Any] = {}
    own: dict[str, Any] = {component: {} for component in sorted(components)}
    for component, form, flag in entries:
        is_shared = component in sharing and readers[json.dumps((form, flag))] == sharing
        flags_of_form = (shared if is_shared else own[component]).setdefault(form, [])
        if flag not in flags_of_form:
            flags_of_form.append(flag)
    until = json.loads((schema / "releases.json").read_text(encoding="utf-8"))["optionsUntil"]
    return {"shared": shared, "own": own, "ownReleases": sorted(components - sharing), "until": minor(until)}


def component_options(schema: Path) -> dict[str, Any]:
    """Return for each component that flags configure which of them a bundle may set, and which name a file or a path.

    A file has the name of its kind, if it has one, and rows of how the component takes another content: the first
    minor, a class of disruption, and the flag that must be on for it, if there is one. Any other path has
    whether the component writes there.
    """
    result: dict[str, Any] = {}
    for row in control_plane_options(schema):
        if row["component"] == "kube-proxy":
            continue  # it reads a config file, and kubeadm runs it as a DaemonSet
        entry = result.setdefault(row["component"], {"bundle": [], "files": {}, "paths": {}})
        if row.get("bundle"):
            entry["bundle"].append(row["flag"])
        names = row.get("names", {})
        if names.get("path") == "file" and not names.get("writes"):
            entry["files"][row["flag"]] = named_file(names)
        elif names.get("path"):
            entry["paths"][row["flag"]] = bool(names.get("writes"))
    return result


def named_file(names: dict[str, Any]) -> dict[str, Any]:
    """Return the kind of a file that a flag names, and rows of what another content asks for."""
    kind = re.match(r"([A-Z]\w+)\.([\w.]+\.k8s\.io|v1)\b", names.get("content", ""))
    reload = names.get("reload", "restart")
    entry: dict[str, Any] = {"kind": kind.group(1)} if kind else {}
    rows = []
    for since, how in (reload if isinstance(reload, dict) else {"1.20": reload}).items():
        switch = re.match(r"live with ([\w-]+)", how)
        rows.append([minor(since), RELOADS.get(how.split(" ")[0], "restart"), *([switch.group(1)] if switch else [])])
    if rows != [[minor("1.20"), "restart"]]:
        entry["reload"] = rows
    return entry


# What a rule about the values of a flag needs, besides its word and its minors.
FLAG_RULE_KEYS = (
    "otherwise",
    "values",
    "gate",
    "deprecatedValues",
    "gatedValues",
    "of",
    "ofValues",
    "refused",
    "needs",
    "schemes",
    "effects",
    "env",
    "removals",
    "reservedSuffixes",
    "allowedKeys",
    "allowedNamespaceSuffixes",
    "range",
    "unit",
    "zero",
    "ofDefault",
    "times",
    "unless",
    "most",
    "bits",
)


def flag_rules(schema: Path) -> dict[str, Any]:
    """Return the rules about the values of a component's flags, by component and flag.

    Rows without `otherwise` say what a flag does, and "exit" is left out of the others: most components end. Rows with
    `elsewhere` say what checks them instead, or why nothing can.
    """
    result: dict[str, Any] = {}
    for path in sorted(schema.glob("*_flag_rules.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        of_component = result.setdefault(document["component"], {})
        for row in document["rules"]:
            if "otherwise" not in row or "elsewhere" in row:
                continue
            entry: dict[str, Any] = {"rule": kebab(row["rule"])}
            if minor(row["since"]) > minor("1.20"):
                entry["since"] = minor(row["since"])
            if "until" in row:
                entry["last"] = minor(row["until"])
            entry.update({key: row[key] for key in FLAG_RULE_KEYS if key in row})
            if entry["otherwise"] == "exit":
                del entry["otherwise"]
            of_component.setdefault(row["flag"], []).append(entry)
    return result


def kebab(word: str) -> str:
    """Return a word with dashes instead of capitals: key-is-qualified-name for keyIsQualifiedName."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", word).lower()


def drop_ins(schema: Path) -> dict[str, Any]:
    """Return the rules by which the kubelet merges drop-ins, by minor."""
    facts = json.loads((schema / "kubelet_dropin_rules.json").read_text(encoding="utf-8"))
    environment = facts["environment"]
    return {
        "environment": {"name": environment["name"], "last": minor(environment["last"])},
        "rules": [[minor(row["since"]), row["rule"], prose(row["note"])] for row in facts["rules"]],
        "fields": facts["fields"],
    }


def upgrade_notes(schema: Path) -> list[dict[str, Any]]:
    """Return the notes on what releases change, without their sources: versions as numbers, sentences in pieces."""
    document = json.loads((schema / "upgrade_notes.json").read_text(encoding="utf-8"))
    return [note_entry(row) for row in document["notes"]]


def note_entry(row: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a note."""
    entry: dict[str, Any] = {"id": row["id"], "since": minor(row["since"])}
    for key in ("component", "kind", "apiVersion", "field", "flags", "gate", "gates", "condition", "level"):
        if key in row:
            entry[key] = row[key]
    for key in ("danger", "planned"):
        if row.get(key):
            entry[key] = 1
    for key in ("host", "what", "before", "after", "keep"):
        if key in row:
            entry[key] = prose(row[key])
    return entry


def gate_components(schema: Path) -> dict[str, list[str]]:
    """Return the gates by the components that act on them, which are one text."""
    document = json.loads((schema / "gate_components.json").read_text(encoding="utf-8"))
    gates_by_components: dict[str, list[str]] = {}
    for gate, row in document["gates"].items():
        gates_by_components.setdefault(" ".join(sorted(row["components"])), []).append(gate)
    return gates_by_components


def document_containers(schema: Path) -> dict[str, Any]:
    """Return what other tools' files hold of component configs, which tool an API group is of, what kubeadm reads.

    The kinds that hold nothing are by API group, with the slash after it if there is a group, each with its versions.
    """
    facts: dict[str, Any] = json.loads((schema / "document_containers.json").read_text(encoding="utf-8"))
    versions: dict[str, dict[str, list[str]]] = {}
    for api_version, names in facts["holdNothing"].items():
        group, slash, version = api_version.rpartition("/")
        for name in names:
            versions.setdefault(group + slash, {}).setdefault(name, []).append(version)
    return {**facts, "holdNothing": {group: grouped(rows) for group, rows in versions.items()}}


def generate(schema: Path) -> dict[str, str]:
    """Return the content of each file, by its path in module_utils."""
    index: dict[str, dict[str, Any]] = {}
    machines: dict[str, dict[str, Any]] = {}
    modules: dict[str, dict[str, Any]] = {}
    minors: set[int] = set()
    for path in sorted(schema.glob("*.*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        key = f"{document['apiVersion']} {document['kind']}"
        module = "clients" if document["component"] in CLIENTS else document["component"].replace("-", "_")
        numbers = [minor(number) for number in document["minors"]]
        minors.update(numbers)
        last = minor(document["removedAfter"]) if "removedAfter" in document else None
        of_version = (machines if module == MACHINES else index).setdefault(document["apiVersion"], {})
        of_version[document["kind"]] = [module, document["component"], numbers[0], last]
        modules.setdefault(module, {})[key] = kind_entry(document)
    newest = minors_with(schema, *JUDGED_LAYERS)[-1]
    layers = {str(number): grouped(rows) for number, rows in release_layers(schema).items()}
    contents: dict[str, tuple[str, dict[str, Any]]] = {
        "__init__.py": (
            "Index of kinds, minors and the layers of their data",
            {"INDEX": {"minors": sorted(minors), "newest": newest, "layers": layers, "kinds": by_version(index)}},
        )
    }
    for module, kinds in sorted(modules.items()):
        contents[f"_{module}.py"] = (f"Kinds and fields of {module.replace('_', '-')}", {"KINDS": with_shapes(kinds)})
    declared = contents.pop(f"_{MACHINES}.py", None)
    contents["_kubelet.py"][1]["DROP_INS"] = drop_ins(schema)
    options = {"OPTIONS": component_options(schema)}
    contents["_component_options.py"] = ("Flags that a bundle may set, and those that name files and paths", options)
    rules = {name.upper(): rows for name, rows in sorted(validation_rules(schema).items())}
    contents["_validation_rules.py"] = ("Validation rules by component", rules)
    contents["_gate_history.py"] = ("Feature gates by Kubernetes minor", {"GATES": gates(schema)})
    contents["_component_flags.py"] = ("Command line flags and their fields", {"FLAGS": flags(schema)})
    contents["_control_plane_flags.py"] = (
        "Command line flags of the components that are configured by flags",
        {"FLAGS": control_plane_flags(schema)},
    )
    contents["_flag_rules.py"] = ("Rules about the values of flags", {"RULES": flag_rules(schema)})
    containers = document_containers(schema)
    in_other_files = {name: containers[name] for name in ("tools", "holdNothing", "shapes", "containers")}
    contents["_document_containers.py"] = ("Component configs in other files", {"CONTAINERS": in_other_files})
    contents["_kubeadm.py"][1]["COMMANDS"] = containers["kubeadm"]
    contents["_change_impact.py"] = ("Disruption by changed field", {"IMPACT": disruption(schema)})
    notes = upgrade_notes(schema)
    of_fields = [note for note in notes if "field" in note]
    contents["_field_notes.py"] = ("What releases change in the meaning of fields", {"NOTES": of_fields})
    others = [note for note in notes if "field" not in note]
    contents["_upgrade_notes.py"] = ("What releases change in addition to fields and their gates", {"NOTES": others})
    contents["_gate_components.py"] = ("Feature gates by component", {"COMPONENTS": gate_components(schema)})
    files = {f"{DATA}/{name}": render(title, constants) for name, (title, constants) in contents.items()}
    if declared:
        declared[1]["INDEX"] = by_version(machines)
        declared[1]["RULES"] = rules_by_kind(schema / f"{MACHINES}_validation_rules.json")
        files[MACHINES_DATA] = render(*declared)
    return files


def render(title: str, constants: dict[str, Any]) -> str:
    """Return a Python file with each constant as a string of JSON."""
    texts = (CONSTANT.format(name=name, body=wrap(data)) for name, data in constants.items())
    return HEADER.format(title=title) + "".join(texts)


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or compare them with --check; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if the files in the tree differ")
    parser.add_argument("--schema", type=Path, default=SCHEMA, help="the folder of the facts")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the folder of the packages with the Python files")
    options = parser.parse_args(arguments)
    files = generate(options.schema)
    stale = [
        name
        for name, content in files.items()
        if not (options.output / name).is_file() or (options.output / name).read_text(encoding="utf-8") != content
    ]
    written = (*sorted((options.output / DATA).glob("*.py")), options.output / MACHINES_DATA)
    names = (path.relative_to(options.output).as_posix() for path in written if path.exists())
    stale += [name for name in names if name not in files]
    if options.check:
        for name in stale:
            print(f"{options.output / name} is not what {Path(__file__).name} writes", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        path = options.output / name
        if name in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[name], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
