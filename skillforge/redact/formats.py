"""Formats of private data: tokens, check digits, addresses."""

import re

# Exact formats only: good skills contain words like "password" and random-looking text.
TOKENS = (
    ("AKIA", "an AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("gh", "a GitHub token", r"\bgh[pousr]_[0-9A-Za-z]{36}\b|\bgithub_pat_\w{50,90}\b"),
    ("glpat-", "a GitLab token", r"\bglpat-[\w-]{20}\b"),
    ("sk-ant-", "an Anthropic key", r"\bsk-ant-(?:api|admin)\d\d-[\w-]{80,}"),
    ("sk-", "an OpenAI key", r"\bsk-(?:proj|svcacct|admin)-[\w-]{40,}"),
    ("sk-", "an OpenAI key", r"\bsk-[0-9A-Za-z]{48}\b"),
    ("xox", "a Slack token", r"\bxox[abeoprs]-\d{8,}-[\w-]{16,}"),
    ("hooks.slack", "a Slack webhook", r"hooks\.slack\.com/services/T\w+/B\w+/\w{20,}"),
    ("AIza", "a Google key", r"\bAIza[\w-]{35}\b"),
    ("_live_", "a Stripe key", r"\b[rs]k_live_[0-9A-Za-z]{24,}\b"),
    ("npm_", "an npm token", r"\bnpm_[0-9A-Za-z]{36}\b"),
    ("pypi-", "a PyPI token", r"\bpypi-AgEI[\w-]{50,}"),
    ("hf_", "a Hugging Face token", r"\bhf_[A-Za-z]{34}\b"),
    ("SG.", "a SendGrid key", r"\bSG\.[\w-]{22}\.[\w-]{43}\b"),
    ("hvs.", "a Vault token", r"\bhvs\.[\w-]{20,}"),
    ("dckr_pat_", "a Docker token", r"\bdckr_pat_[\w-]{20,}"),
    ("sq0", "a Square token", r"\bsq0[a-z]{3}-[\w-]{20,}"),
    ("lin_api_", "a Linear key", r"\blin_api_\w{30,}"),
    ("shpat_", "a Shopify token", r"\bshpat_[0-9a-fA-F]{32}\b"),
    ("ya29.", "a Google token", r"\bya29\.[\w-]{20,}"),
    ("dop_v1_", "a DigitalOcean token", r"\bdop_v1_[0-9a-f]{64}\b"),
    ("PRIVATE KEY", "a private key", r"BEGIN [A-Z ]*PRIVATE KEY-----[\w+/=\s]{120,}"),
)  # fmt: skip
TOKEN_PATTERNS = [(needs, what, re.compile(pattern)) for needs, what, pattern in TOKENS]
CARD = re.compile(
    r"(?<![\w.-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d\d([ -]?)\d{6}\2\d{5})"
    r"(?![\w-])"
)
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b")
EMAIL = re.compile(
    r"(?<![\w.+-])(?!git@)[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}"
    r"\.[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
HOME = re.compile(
    r"(?:(?:/|%2F)(?:home|Users)(?:/|%2F)|\b[A-Za-z]:(?:\\{1,4}|/)[Uu]sers(?:\\{1,4}|/))"
    r"(?!(?:user|me|you|USER|Shared|Public)(?![\w.-])|<)"
    r"(?P<user>[\w.-]+ [A-Z][\w.-]*(?=[/\\])|[\w.-]*\w)"
)


def has_card_digits(text: str) -> bool:
    """Whether digits are those of a payment card, by their check digit (Luhn)."""
    digits = re.sub(r"\D", "", text)
    if digits[:1] not in ("2", "3", "4", "5", "6") or len(set(digits)) == 1:
        return False
    doubled = [int(d) * (2 if i % 2 else 1) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def has_iban_digits(text: str) -> bool:
    """Whether letters are those of a bank account, by their check digits."""
    letters = text.replace(" ", "")
    if not 15 <= len(letters) <= 34:
        return False
    moved = letters[4:] + letters[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1
