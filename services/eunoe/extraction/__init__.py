"""Extraction: deterministic facts of every committed turn."""
