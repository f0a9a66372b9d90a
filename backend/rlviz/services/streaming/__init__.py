"""From journal to browser: who is told of what, and where each stream stands."""
