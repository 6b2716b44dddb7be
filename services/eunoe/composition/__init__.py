"""Composition: the context of the next request, from the log and the facts."""
