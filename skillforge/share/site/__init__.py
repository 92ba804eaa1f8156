"""The pages of a hub."""

from collections.abc import Mapping

from skillforge.share.hub import Hub


def pages(_hub: Hub) -> Mapping[str, bytes]:
    """Every page and what it needs, by path from the top of the hub."""
    return {}
