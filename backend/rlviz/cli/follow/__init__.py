"""A run as it is followed in a terminal."""
