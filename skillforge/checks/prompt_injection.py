"""Recorded text that contains instructions aimed at the agent that reads it."""

import re

# For text in lower case, on one line, without invisible characters.
_INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}"
    r"\b(?:instruction|rule|prompt|polic|guideline|safeguard|check|review)"
    r"|\b(?:ignore|disregard|forget) (?:all |everything |anything )?"
    r"(?:the above|of the above|above|you were told|you have been told)\b"
    r"|\b(?:approve|accept|promote|merge|keep|trust) (?:this|the|all|these|every) "
    r"(?:\w+ )?(?:example|episode|transcript|session|skill|draft|proposal)"
    r"|\b(?:mark|label|record|score|count) (?:this|it|the)\b[^.]{0,30}"
    r"\b(?:as )?(?:approved|verified|successful|a success|reviewed)"
    r"|\b(?:set|change|update) (?:\w+ ){0,3}(?:status|outcome|review|verdict) "
    r"(?:to|as) \W?(?:approved|verified|success|reviewed)"
    r"|\b(?:example|episode|transcript) (?:is|was|has been) (?:already )?approved\b"
    r"|\bskillforge (?:examples )?(?:approve|promote|review)\b"
    r"|\byou are no longer (?:bound|limited|restricted)\b"
    r"|\byou are now (?:an?|in|the)\b[^.]{0,40}\b(?:mode|agent|assistant|admin)\b"
    r"|\bnew (?:system )?instructions ?:"
    r"|\b(?:do not|don't|never) (?:redact|report|flag|mention)\b"
    r"|<\|(?:im_start|system|endoftext)"
)


def has_instructions(text: str) -> bool:
    """Whether a recorded text contains instructions to the agent that reads it."""
    return _INSTRUCTIONS.search(_as_it_reads(text)) is not None


def _as_it_reads(text: str) -> str:
    """A text on one line, in lower case, without look-alike characters."""
    from skillforge.checks.scan.normalize import plain

    return " ".join(plain(text).split())
