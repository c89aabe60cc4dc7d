# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the page of a report is made of its template, its style sheet and its script."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.plugin_utils._report_page._page import StyleRules
from support.rollouts.html_pages import parse_page
from support.rollouts.reports import GENERATED, halted_report, render_report


def test_line_ends_and_indentation_of_the_template_are_not_in_the_page() -> None:
    page = render_report(halted_report(8), GENERATED)
    body = page[page.index("<body>") : page.index("<script>")]
    assert "\n" not in body
    assert "> <" not in body.replace('> <span class="tag">current', "").replace("</b> ", "")


def test_style_and_script_are_the_files_without_their_licences() -> None:
    elements = {item.name: item.text for item in parse_page(render_report(halted_report(8), GENERATED))}
    assert elements["style"].startswith("\n:root{")
    assert elements["script"].startswith("\n(function () {")
    assert "Copyright" not in elements["style"] + elements["script"]


def test_equal_declarations_are_one_rule() -> None:
    rules = StyleRules()
    names = [rules.class_of(text) for text in ("width:10.00%", "width:20.00%", "width:10.00%")]
    assert names == ["r0", "r1", "r0"]
    assert rules.stylesheet().endswith(".r0{width:10.00%}\n.r1{width:20.00%}\n")


@pytest.mark.parametrize("text", ["</style>", "width:1px}", "background:url('x')", 'content:"x"', "a\\b", "width:<b>"])
def test_a_rule_cannot_bring_text_that_leaves_it(text: str) -> None:
    with pytest.raises(ValueError, match="not a declaration"):
        StyleRules().class_of(text)
