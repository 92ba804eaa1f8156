"""Transcripts in, a draft out: capture, redact, review, patterns, draft, export."""
