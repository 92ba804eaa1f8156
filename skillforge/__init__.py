"""Skillforge: git-backed review for the skills that agents write."""

__version__ = "0.1.0"
