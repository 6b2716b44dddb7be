"""Composition: the context of each request, from the log and the facts, within a budget."""
