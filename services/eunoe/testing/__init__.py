"""In-memory twins of the doors, for tests that need no server."""
