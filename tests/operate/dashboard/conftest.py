from tests.browser import browser, launch

__all__ = ["browser", "launch"]
