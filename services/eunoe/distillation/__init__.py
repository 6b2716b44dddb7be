"""Distillation: facts from what was said, and the running summary, once turns leave their contexts."""
