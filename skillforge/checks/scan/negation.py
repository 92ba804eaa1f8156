"""Whether a sentence forbids what it names: "never send keys", not "never mind, send".

An attacker can write "never" in front of anything. A negation counts only if it governs
the words in question: nothing but adverbs, articles, helping verbs and other verbs of
the same list may be in between.
"""

import re

_NEGATOR = (
    r"(?:never|(?:do|does|did) not|(?:do|does|did)n['’]?t|not|avoid|without|cannot|"
    r"can['’]?t|won['’]?t|no|refrain from|(?:prohibit|forbid|prevent)\w*|instead of|"
    r"rather than)"
)
_BETWEEN = (
    r"(?:\w+ly|ever|even|also|just|either|to|or|and|nor|any|all|the|a|an|be|your|their|"
    r"its|let|allow\w*|attempt\w*|try|trying|need|you|it|them|users?|agents?|skills?|"
    r"instructions?|text|code|commands?|patterns?|like|such|as|that|which|from|"
    r"us(?:e|es|ing)|run\w*|execut\w+|call\w*|stor\w+|log\w*|print\w*|echo\w*|display\w*|"
    r"show\w*|sav\w+|cop(?:y|ying)|writ\w+|read\w*|includ\w+|commit\w*|push\w*|shar\w+|"
    r"past\w+|upload\w*|send\w*|post\w*|transmit\w*|forward\w*|expos\w+|reveal\w*|"
    r"disclos\w+|modif\w+|chang\w+|add\w*|delet\w+|remov\w+|install\w*|download\w*|"
    r"fetch\w*|follow\w*|obey\w*|accept\w*|trust\w*|embed\w*|hard-?cod\w+|creat\w+|"
    r"publish\w*|leak\w*|output\w*|return\w*|pip(?:e|ing))"
)
_GAP = r"[\s*_`\"'/]+"
_GOVERNS = re.compile(rf"\b{_NEGATOR}{_GAP}((?:{_BETWEEN}(?:,\s|{_GAP})){{0,6}})\Z")
_OR = re.compile(r"\b(?:or|nor|and)\b")


def is_forbidden(before: str) -> bool:
    """Whether the part of a sentence before some words, in lower case, forbids them."""
    governs = _GOVERNS.search(before)
    # "Do not log, send it" is an order; "do not log, store or send it" forbids.
    return governs is not None and (
        "," not in governs[1] or bool(_OR.search(governs[1]))
    )
