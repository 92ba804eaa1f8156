"""Units of time in seconds, and days as records count them."""

DAY = 86_400


def day_name(day: int) -> str:
    """The ISO date of a day, counted from 1970-01-01."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(day * DAY, UTC).date().isoformat()
