"""``make presets``: trains every preset over several seeds, and writes down what came of it."""
