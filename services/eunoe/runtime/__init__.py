"""The only place that touches NATS, signals and time."""
