"""Models: one small door to whatever model is configured, for the few things that need one."""
