"""The evaluation behind ``make eval``: what a context still holds of a long conversation, and what it costs."""
