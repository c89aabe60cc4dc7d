# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks write rows to build/bench.jsonl and to the screen. A row that is not ok fails its test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from support.api.binaries import find, release_of
from support.api.servers import Real, Unavailable, start_real

ROWS = Path(__file__).resolve().parents[2] / "build" / "bench.jsonl"


@dataclass(frozen=True)
class Row:
    """A figure; ratio is value divided by baseline, both measured in the same run.

    kubernetes: the release, such as "1.20.2".
    """

    name: str
    value: float
    unit: str
    ok: bool
    kubernetes: str
    baseline: float | None = None
    ratio: float | None = None


_ROWS: list[Row] = []


def pytest_sessionstart() -> None:
    ROWS.parent.mkdir(exist_ok=True)
    ROWS.write_text("")


@pytest.fixture
def row() -> Callable[..., None]:
    """Write a row, then fail if it is not ok: ``row(name, value, unit, most=, baseline=, most_ratio=, also=)``.

    also: whether the row's other requirements are met.
    """
    release = _release()

    def write(
        name: str,
        value: float,
        unit: str,
        *,
        most: float | None = None,
        baseline: float | None = None,
        most_ratio: float | None = None,
        also: bool = True,
    ) -> None:
        ratio = round(value / baseline, 3) if baseline else None
        bounded = most_ratio is None or (ratio is not None and ratio <= most_ratio)
        ok = also and bounded and (most is None or value <= most)
        measurement = Row(
            name, round(value, 4), unit, ok, release, None if baseline is None else round(baseline, 4), ratio
        )
        _ROWS.append(measurement)
        with ROWS.open("a") as file:
            file.write(json.dumps(asdict(measurement)) + "\n")
        limit = f"at most {most} {unit}" if most is not None else f"at most {most_ratio} times the baseline"
        assert ok, f"{name}: {value:.4f} {unit}, ratio {ratio}; {limit} is allowed"

    return write


@pytest.fixture(scope="session")
def real_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """kube-apiserver with etcd, which all figures of the cluster need."""
    try:
        server = start_real(tmp_path_factory.mktemp("real"))
    except Unavailable as problem:
        pytest.fail(f"benchmarks need the real API server: {problem}", pytrace=False)
    yield server
    server.stop()


def _release() -> str:
    try:
        return release_of(find("kube-apiserver"))
    except Unavailable:
        return ""  # some rows need no Kubernetes


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"{'ROW':30} {'VALUE':>10} {'UNIT':8} {'BASELINE':>10} {'RATIO':>7} OK")
    for measurement in _ROWS:
        baseline = "" if measurement.baseline is None else f"{measurement.baseline:.3f}"
        ratio = "" if measurement.ratio is None else f"{measurement.ratio:.2f}"
        terminalreporter.write_line(
            f"{measurement.name:30} {measurement.value:>10.3f} {measurement.unit:8} {baseline:>10} {ratio:>7} "
            f"{'yes' if measurement.ok else 'NO'}"
        )
