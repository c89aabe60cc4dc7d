# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words that tools/check_prose.py refuses, and what to write instead.

An expression is matched, without regard to case, against text in which one space separates words and one newline
separates paragraphs. Each expression has a rewrite, so no pragma exempts a line. Quotations (``code`` or "message")
are not checked.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

__all__ = ["EXPRESSIONS", "IDENTIFIERS", "PARTS_OF_IDENTIFIERS", "Expression", "Kind"]

Kind = Literal["docs", "docstring", "function", "comment", "task", "fragment", "options", "message", "test"]


class Expression(NamedTuple):
    """Words to refuse, the advice to print, and the kind of prose to which they are limited."""

    pattern: re.Pattern[str]
    advice: str
    kind: Kind | None = None


TASK_VERBS = (
    "Abort|Add|Apply|Approve|Assert|Assign|Build|Change|Check|Choose|Clear|Collect|Combine|Compare|Compile|"
    "Configure|Copy|Create|Decide|Delete|Detect|Determine|Disable|Enable|Ensure|Execute|"
    "Export|Fail|Fetch|Find|Flush|Gather|Generate|Get|Hand|Identify|Include|Install|Link|"
    "List|Load|Make|Mark|Merge|Modify|Move|Notify|Pause|Plan|Point|Prepare|Print|Provision|Prune|"
    "Publish|Query|Read|Record|Refuse|Reload|Remember|Remove|Render|Replace|Report|Request|Restart|"
    "Restore|Resume|Return|Roll|Run|Save|Select|Send|Set|Show|Simulate|Stage|Start|Stop|Store|"
    "Undo|Update|Use|Validate|Verify|Wait|Withdraw|Write"
)

# At the start of a function's docstring. ruff's D401 takes some of these for verbs.
NO_VERBS = (
    "What|Whether|How|Which|Where|When|Why|As|All|Every|Each|Some|No|None|The|A|An|It|"
    "Its|This|That|If|Of|One|Two|Nothing|Seconds|Tells|Tell"
)

TABLE: list[tuple[str, str]] = [
    (
        r"(?:^\W*|[.:|]\s+|\b(?:for|by|of|to|from|than|with|without|so that|because|unless) )who\b(?![^.|]*\?)"
        r"|(?:^\W*|[.:|]\s+)whom\b(?![^.|]*\?)"
        r"|\bwhom?ever\b",
        'name the noun: "a user who", "the runner that", "anyone who can"',
    ),
    (
        r"(?<!there )\b(?:is|are|was|were) (?-i:no|none)\b"
        r"(?! (?:longer|more|less|later|fewer|better|worse|sooner|of|way\b))",
        '"is not a ..." or "is invalid"; for a return value "or None if it is not an X"',
    ),
    (r"\banew\b", "again, from scratch, or re- (recount, rewrite, reassign)"),
    (
        r"\bbeside\b",
        "next to (place), in addition to (more), alongside (with), in the background (concurrency)",
    ),
    (r"\bfor ever\b", "forever, indefinitely, without a limit"),
    (
        r"(?<!user is )(?<!users are )(?<!operator is )(?<!operators are )\btold\b(?! (?:to|apart|from)\b)"
        r"|\btells? of\b",
        "reported, logged, documented, notified (people are told, programs are notified)",
    ),
    (
        r"\b(?:no|some|every|any)body\b",
        "name the actor (no client, an operator, another process, the caller), or drop it",
    ),
    (r"\b(?:he|him|his)\b", "they, or the noun"),
    (
        r"\bjudg(?:e|es|ing|e?ments?)\b",  # but "not judged" is the third value of a verdict
        "validate (a config), check (a host, a request), evaluate (a gate), decide; validation result",
    ),
    (
        r"\b(?:errands?|nudg(?:e|es|ed|ing)|wish(?:es)?|tally|pursuit)\b",
        "background task, notification, desired state, counters, config sync",
    ),
    (r"\bmend(?:s|ed|ing)?\b", "fix, repair, restore"),
    (
        r"\b(?:stands?|stood|standing) (?:in(?! for)|on|under|at|beside|behind|there|where|before|above|below)\b",
        "is, is in, appears in, is recorded in",
    ),
    (
        r"(?<!cause )(?<!reason )(?<!problem )(?<!difference )\blies? (?:in|on|below|beside|there|side)\b",
        "is, is stored in",
    ),
    (r"\bin the place of\b", "instead of; replace X with Y"),
    (r"\bways? back\b", "rollback (agent), undo (pool), conversion back (engine)"),
    (r"\broll-backs?\b", "rollback (noun), roll back (verb)"),
    (
        r"\b(?:go|goes|going|went|gone)(?: a step| one more| one)? back\b",
        "roll back (to last-known-good), revert (to the init config), return",
    ),
    (r"(?<!what is )\b(?:go|goes|going|went|gone) on\b", "continue, keep running, resume, proceed"),
    (r"\b(?:come|comes|came|becomes?|became) of\b", 'result, outcome; "what happens to X"'),
    (r"\b(?:die|dies|died|dying) of\b", "exit because of, crash on, fail to start with"),
    (r"\bdeadly\b", "crashing; a config that crashes the component"),
    (r"\b(?:is|are|was|were|be|been) said\b(?! to\b)", "logged (journal), reported (ConfigOK, screen), warned about"),
    (
        r"\b(?:at most|for|within|wait) so (?:long|many|much)\b(?! that\b)|\bso (?:many|much) (?:seconds|more)\b",
        'name the parameter: "up to `timeout` seconds"',
    ),
    (
        r'(?:\bNone|""|\b0|\b1|\b2|\bFalse|\bTrue|\bempty|\bnothing|\bnone|\{\}|\(\)),? where\b',
        '"or None if ..."; "where" is for places',
    ),
    (r"\bany more\b(?! (?:than|of|\w+s)\b)", "no longer"),
    (r"\bbe had\b", "is available, can be obtained, can be reached"),
    (
        r"(?<!all )\b(?:is|are|be|seen|was|were|otherwise) well\b"
        r"(?!-| (?:as|below|above|within|under|over|known|\w+ed)\b)",
        "healthy",
    ),
    (r"\b(?:another|others|otherwise)(?: \w+)? than\b", "different from, other than; differently from"),
    (r"\bbelow (?=/)", "under, in"),
    (r"\b(?:a|one|each|this|no|every|next) look\b(?![- ]up\b)", "probe (component), check, read"),
    (
        r"(?<!it )\btak(?:e|es|en) (?:it |them |that )?for\b(?! (?:example|granted|each|the))",
        "treated as, mistaken for",
    ),
    (r"\bshall\b", "should, must"),
    (r"\bthe own\b", "its own"),
    (r"\bas otherwise\b|\bcalled otherwise\b|\botherwise than\b", "unchanged, differently"),
    (r"\bh(?:eld|old|olds) (?:it )?against\b", "checked against"),
    (r"\bputs? together\b", "combine, merge, build, assemble"),
    (
        r"\bone behind the other\b|\bone and the same\b|\blook after the other\b",
        'in turn, sequentially, one at a time; "the same"',
    ),
    (
        r"\bno fault\b|\bfaults? of (?:ours|its own|the node's|our own)\b",
        "is not an error; a bug in this collection; the agent's own failure",
    ),
    (r"\bbelongs? into\b", "belongs in"),
    (
        r"(?<!who )(?<!user )(?<!operator )(?<!person )(?<!reader )(?<!team )\bwants\b",
        "requires, expects, needs (people want, programs need)",
    ),
    (r"\bfor people\b(?! (?:who|that|with|in)\b)", "human-readable"),
    (r"\bthat there (?:is|are)\b", "that exists, known"),
    (r"\bhas not (?:a|the|any)\b", "does not have the"),
    (r"\b(?:write|writes|written|wrote|writing) (?:it |that |this |them )?down\b", "record, store, log"),
    (r"\b(?:is|are|was|were|be) found out\b", "detected, discovered, determined"),
    (r"\bwith a(?:nother)? sentence\b", 'with an explanatory message; "raises ValueError; the message names ..."'),
    (r"\b(?:is|are|was|were|be|been|not) looked (?:at|into|for|after)\b", "checked, read, inspected, used"),
    (
        r"\bnought\b|\bmanieth\b|\bto speak of\b|\bleave to itself\b|\bwhilst\b|\bfor want of\b",
        'zero; "every nth"; a measurable claim; abandon',
    ),
]

EXPRESSIONS = [
    *(Expression(re.compile(words, re.IGNORECASE | re.MULTILINE), advice) for words, advice in TABLE),
    Expression(
        re.compile(rf"\A(?!(?:{TASK_VERBS})\b)\S+"),
        "start a task's name with a verb: Install, Create, Write, Remove, Check, Verify, Wait, ...",
        "task",
    ),
    Expression(
        re.compile(rf"\A\s*(?:{NO_VERBS})\b", re.IGNORECASE),
        "start a function's docstring with a verb: Return, Yield, Raise, Read, Write, Check, ...",
        "function",
    ),
]

# Names of variables, arguments, functions, classes and files that are the role of a thing in a sentence.
IDENTIFIERS = dict.fromkeys(
    ("one", "found", "given", "told", "said", "there", "here", "wanted", "beside"),
    "name it after what it is: node, revision, finding, path, line, ...",
)

# Words inside such names: "read_wish" and "JudgedHere" hold one each.
PARTS_OF_IDENTIFIERS = {
    "errand": "background task",
    "wish": "desired state",
    "pursuit": "config sync",
    "tally": "counters",
    "nudge": "notify",
    "telling": "reporting",
    "announcer": "events",
    "judge": "validate, Validator",
    "judges": "validate, Validator",
    "judging": "validation",
    "judgement": "validation result",
    "fanout": "parallel",
    "exceptional": "failed node",
    "deadly": "crashing",
    "nobody": "name the actor",
    "mended": "repaired",
    "anew": "again",
}
