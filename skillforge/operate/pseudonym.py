"""Pseudonyms of user keys, so that the store never contains a key."""

import hashlib


def of_key(skill: str, key: str) -> str:
    """The pseudonym of a key; it differs by skill, so that uses can't be joined."""
    return digest("voice", skill, key).hex()[:32]


def digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
