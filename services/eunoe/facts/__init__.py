"""Facts: document rules, their store, and the projector."""
