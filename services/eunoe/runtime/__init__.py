"""The only place that touches NATS, Redis, signals and time."""
