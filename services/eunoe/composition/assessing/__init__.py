"""Assessing one request before it is composed: which tools it needs, which task it belongs to, what bears on it."""
