"""Which counter counts the tokens of a model, by the model's name; nothing here downloads anything."""
