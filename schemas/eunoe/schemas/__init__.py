"""The vocabulary of Eunoe: what is stored, what crosses the wire, and every name and number."""
