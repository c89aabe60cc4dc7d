# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's metrics in the Prometheus text format. Private to configok.node.

Pure: what is known goes in, text comes out. The four ``configok_node_config_*`` gauges are those that the kubelet had
for its dynamic configuration, without the labels for what a bundle does not have: its ConfigMap is immutable, and no
key of it is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..._nodeconfig._assignment import ConfigSource
from .._basis._tally import BUCKETS, Tally

__all__ = ["CONTENT_TYPE", "Gauges", "render"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Gauges(NamedTuple):
    """How it is now. A source is None for the local config; error: whether ConfigOK tells of one."""

    assigned: ConfigSource | None = None
    active: ConfigSource | None = None
    last_known_good: ConfigSource | None = None
    error: bool = False


def render(gauges: Gauges, tally: Tally, *, agent_version: str) -> str:
    """Return the exposition: always every series, each once."""
    errors = [({"operation": name}, number) for name, number in tally.errors.items()]
    restarts = [({"component": name}, number) for name, number in tally.restarts.items()]
    return "".join(
        (
            _source("assigned", "The config that is assigned to this node.", gauges.assigned),
            _source("active", "The config that this node uses.", gauges.active),
            _source("last_known_good", "The config that this node falls back to.", gauges.last_known_good),
            _one(
                "gauge",
                "configok_node_config_error",
                "1 if ConfigOK tells of an error, 0 if it is True, adopting or opted out.",
                int(gauges.error),
            ),
            _one("counter", "configok_node_config_adoptions_total", "Configs taken into use.", tally.adoptions),
            _one(
                "counter",
                "configok_node_config_refusals_total",
                "Assigned configs that were refused before a component was touched.",
                tally.refusals,
            ),
            _one("counter", "configok_node_config_rollbacks_total", "Ways back to last-known-good.", tally.rollbacks),
            _adoption_seconds(tally),
            _family(
                "counter", "configok_node_component_restarts_total", "Restarts that the agent asked for.", restarts
            ),
            _family(
                "counter",
                "configok_node_sync_errors_total",
                "Requests to the API that failed, by what they were for.",
                errors,
            ),
            _family("gauge", "configok_agent_build_info", "The agent's version.", [({"version": agent_version}, 1)]),
        )
    )


def _source(record: str, text: str, source: ConfigSource | None) -> str:
    labels = {"node_config_source": "local", "node_config_uid": ""}
    if source is not None:
        path = f"/api/v1/namespaces/{source.namespace}/configmaps/{source.name}"
        labels = {"node_config_source": path, "node_config_uid": source.uid}
    return _family("gauge", f"configok_node_config_{record}", text, [(labels, 1)])


def _adoption_seconds(tally: Tally) -> str:
    """Return the histogram: over a fleet its buckets add up, which a summary's quantiles do not."""
    name = "configok_node_config_adoption_seconds"
    series: list[tuple[str, dict[str, str], float]] = []
    total = 0
    for bound, number in zip((*(f"{bound:g}" for bound in BUCKETS), "+Inf"), tally.adoption_buckets):
        total += number
        series.append((f"{name}_bucket", {"le": bound}, total))
    series += [(f"{name}_sum", {}, round(tally.adoption_seconds, 3)), (f"{name}_count", {}, total)]
    return _head("histogram", name, "Seconds from the fetch of a config until its components were healthy.") + "".join(
        _line(*one) for one in series
    )


def _one(kind: str, name: str, text: str, value: float) -> str:
    return _family(kind, name, text, [({}, value)])


def _family(kind: str, name: str, text: str, series: Iterable[tuple[dict[str, str], float]]) -> str:
    return _head(kind, name, text) + "".join(_line(name, labels, value) for labels, value in series)


def _head(kind: str, name: str, text: str) -> str:
    return f"# HELP {name} {text}\n# TYPE {name} {kind}\n"


def _line(name: str, labels: dict[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escape(text)}"' for label, text in labels.items())
    return f"{name}{{{inside}}} {value:.12g}\n" if inside else f"{name} {value:.12g}\n"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
