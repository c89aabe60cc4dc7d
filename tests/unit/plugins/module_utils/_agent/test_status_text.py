# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""status and forget-bad: what a person at the node sees and can do."""

from __future__ import annotations

import json
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._agent._forget import forget_bad
from ansible_collections.configok.node.plugins.module_utils._agent._status_text import describe, render
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._trial import Trial
from support.agent_bench import Bench


def test_a_fresh_node(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    found = describe(bench.configuration)
    json.dumps(found)
    assert (found["using"]["record"], found["using"]["source"], found["inTrial"]) == ("current", None, False)
    assert "using            current, the local config" in render(found)


def test_a_node_in_its_trial_and_one_that_went_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    good = bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 0))
    bench.assign(source)
    bench.run(100)
    text = render(describe(bench.configuration))
    assert f"using            current, {source.name} (UID: {source.uid})" in text
    assert "in its trial" in text
    bench.crash("kubelet")
    bench.run(10)
    found = describe(bench.configuration)
    json.dumps(found)
    text = render(found)
    assert f"last-known-good  {good.name} (UID: {good.uid})" in text
    assert "failed (CrashLoop): crashed 1 times during its trial" in text
    assert f"bad config       {source.uid}" in text
    assert forget_bad(bench.configuration, "not a bad one") == []
    assert forget_bad(bench.configuration, None) == [source.uid]
    assert describe(bench.configuration)["badConfigs"] == {}


def test_damaged_files_are_listed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.good_node()
    (tmp_path / "state/last-known-good").write_bytes(b"x")
    found = describe(bench.configuration)
    assert found["lastKnownGood"] is None
    assert found["damaged"] == ["last-known-good"]
    assert "damaged          last-known-good was set aside" in render(found)
