"""Units of time in seconds, and days as records count them."""

DAY = 86_400


def day_name(day: int) -> str:
    """The ISO date of a day, which is counted from 1970."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(day * DAY, UTC).date().isoformat()
