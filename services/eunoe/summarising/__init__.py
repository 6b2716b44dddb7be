"""The running summary of a thread: updated in batches, capped, and kept as it was where that fails."""
