"""The Game Boy family: the emulator, its environments, and a game of our own with its sources."""
