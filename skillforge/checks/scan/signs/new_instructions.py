"""Orders that are harmless in a good skill, and telling when they are new."""

from skillforge.checks.scan.signs.sign import sign

_DO = (
    r"(?:run|execute|call|send|post|upload|forward|delete|remove|push|copy|back ?up|"
    r"encrypt|lock|zip|disable|"
    r"print|append|replace|cancel|merge|reset|chmod|register|share|log|scan|collect|"
    r"e-?mail|set|add|insert)(?:s|ed|ing|ning|ting)?"
)
_BID = (
    r"(?:^|[.:;,!>*)-]\s*|\b(?:and|then|must|also|always|please|should|will|shall|"
    r"additionally|to|by|usually|sure to)\s+)"
)

SIGNS = (
    sign(
        "order-away",
        rf"{_BID}(?:send|upload|forward|post|back ?up|sync|share|submit|copy|log|"
        rf"e-?mail)(?:ing|ed|s)?\b[^\n]{{0,100}}(?:https?://|\w@\w|\b(?:central|"
        rf"backup|intranet|logging|external|remote|company|our) (?:\w+ )?(?:server|"
        rf"collector|endpoint|system|service|address)|\bpublic link)",
        r"\b(?:backup|copy|metrics|report|usage)\b[^\n]{0,60}\b(?:goes to|by sending|"
        r"to our)\b[^\n]{0,60}(?:https?://|server|post request)",
    ),
    sign(
        "order-delete",
        r"(?:after|before|when|once|always|make sure|important|then|and)"
        r"\b[^\n.]{0,80}\b(?:delete|remove|cancel|wipe|erase)\b[^\n.]{0,40}\b(?:them|"
        r"files?|all|documents?|versions?|occurrences|paragraphs?|backups?|entries|"
        r"history)\b",
        r"\bgit push\b[^\n]{0,20}(?:--force|-f\b)(?!-with)",
        r"\bgit reset --hard\b",
        r"\brm -rf?\s+[~/]\S+",
        r"\b(?:lock|encrypt|zip)\b[^\n]{0,60}\bpassword\b",
        r"password-protected archive",
        r"\bgh pr merge\b[^\n]{0,20}--admin",
    ),
    sign(
        "order-open",
        r"chmod (?:-r )?777",
        r"\bbackdoor\b",
        r"\bset\b[^\n.]{0,40}\bto public\b",
        r"\bregardless of (?:the )?user(?:'s)? (?:request|wish|instruct|consent|"
        r"choice)",
        r"\brun without asking\b",
        r"\bwithout asking (?:the user|for (?:confirmation|permission|approval))",
        r"node_tls_reject",
        r"`curl -k`",
        r"\bdisable\b[^\n.]{0,30}\b(?:security|warnings?|verification|checks?|"
        r"auth\w*)\b",
        r"\breviews? (?:are|is) not needed\b",
        r"\bno need to verify\b",
        r"\bnot (?:write|add|run|perform)\b[^\n.]{0,40}\b(?:security|injection|"
        r"auth\w*)",
    ),
    sign(
        "order-leak",
        r"\b(?:print|log|output|include|collect|upload|append)"
        r"\b[^\n.]{0,60}(?:_token\b|\bsecrets?\b|\bpasswords?\b|api[ _]keys?|"
        r"output of `?env|\.env\b|environment files?|credentials)[^\n.]{0,60}(?:log|"
        r"debug|report|server|collector|response|summary|file)",
    ),
    sign(
        "standing-order",
        rf"\b(?:after|before|whenever|when|once|every time|each time|always|"
        rf"as soon as)\b[^\n.]{{0,100}}\b{_DO}\b[^\n]{{0,100}}",
        rf"\b(?:important|critical|mandatory|required|make sure|must|always)"
        rf"\b[^\n.]{{0,60}}\b{_DO}\b[^\n]{{0,100}}",
        r"\b(?:run|execute|send|upload|delete|call|add)\b[^\n.]{0,80}\b(?:after|"
        r"before|at the end of)\s+(?:\w+ing\s+(?:to\s+)?)?(?:any|every|each|all)\b",
    ),
)
