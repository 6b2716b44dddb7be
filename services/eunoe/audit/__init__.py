"""The audit worker: the only writer of the log."""
